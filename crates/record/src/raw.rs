//! A call as a recorder saw it, with descriptors and names of its process: what eBPF and strace have in common.

/// What a recorder saw, in the order in which it ended.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A system call.
    Call(RawCall<'a>),
    /// A thread or process was made.
    Fork(Fork),
    /// A thread ended.
    Exit {
        /// The thread.
        tid: u32,
        /// When, by the recorder's clock.
        at_ns: u64,
    },
}

/// A new thread or process.
#[derive(Clone, Copy, Debug)]
pub struct Fork {
    /// The thread that made it.
    pub tid: u32,
    /// The new thread.
    pub child: u32,
    /// Its process; 0 where the recorder does not know.
    pub child_pid: u32,
    /// Whether it shares descriptors with its maker.
    pub shares_files: bool,
    /// Whether it shares the working directory.
    pub shares_directory: bool,
    /// When, by the recorder's clock.
    pub at_ns: u64,
}

/// A system call as its process made it; the number and the flags are those of x86-64.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawCall<'a> {
    /// The thread.
    pub tid: u32,
    /// Its process; 0 where the recorder does not know.
    pub pid: u32,
    /// Which system call.
    pub number: i64,
    /// When it began, by the recorder's clock.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// What it returned.
    pub result: i64,
    /// Its arguments.
    pub arguments: [u64; 6],
    /// The one or two paths among them.
    pub paths: [&'a [u8]; 2],
    /// What pointers among them led to: the lock of `fcntl`, `open_how`, offsets after the call.
    pub words: [u64; 4],
}

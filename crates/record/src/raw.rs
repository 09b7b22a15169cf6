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
    /// A thread woke another one from a call.
    Woke(Woke),
    /// A page of a process was used that was not mapped yet.
    Fault(Fault),
    /// A request of io_uring was submitted.
    Submitted(Submitted),
    /// A request of io_uring is complete.
    Completed(Completed),
}

/// A thread woke another one that was in a call that waits.
#[derive(Clone, Copy, Debug)]
pub struct Woke {
    /// The thread.
    pub tid: u32,
    /// Its process.
    pub pid: u32,
    /// The thread that was woken.
    pub woken: u32,
    /// When, by the recorder's clock.
    pub at_ns: u64,
}

/// The first use of a page, of a file or not.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The thread.
    pub tid: u32,
    /// Its process.
    pub pid: u32,
    /// Which address was used.
    pub address: u64,
    /// Whether it was written.
    pub is_write: bool,
    /// When, by the recorder's clock.
    pub at_ns: u64,
}

/// Operations of io_uring, by their numbers in `linux/io_uring.h`.
pub mod operation {
    /// Reads into several buffers; its length is their number.
    pub const READV: u8 = 1;
    /// Writes from several buffers; its length is their number.
    pub const WRITEV: u8 = 2;
    /// fsync, or fdatasync by flag 1.
    pub const FSYNC: u8 = 3;
    /// Reads into a registered buffer.
    pub const READ_FIXED: u8 = 4;
    /// Writes from a registered buffer.
    pub const WRITE_FIXED: u8 = 5;
    /// sync_file_range.
    pub const SYNC_FILE_RANGE: u8 = 8;
    /// fallocate.
    pub const FALLOCATE: u8 = 17;
    /// Reads.
    pub const READ: u8 = 22;
    /// Writes.
    pub const WRITE: u8 = 23;

    /// Reads into several buffers, registered ones.
    pub const READV_FIXED: u8 = 60;
    /// Writes from several registered buffers.
    pub const WRITEV_FIXED: u8 = 61;

    /// Those that concern no file: nothing, polls, sockets, pipes, timeouts, cancellation, buffers, messages between
    /// rings, processes and futexes.
    pub const WITHOUT_FILE: &[u8] = &[
        0, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 20, 26, 27, 29, 31, 32, 34, 40, 45, 47, 48, 50, 51,
        52, 53, 56, 57, 58, 59, 62,
    ];
}

/// A request of io_uring, as the kernel has it when it is submitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Submitted {
    /// The thread that submitted it; one of the kernel's own where that polls the ring.
    pub tid: u32,
    /// Its process.
    pub pid: u32,
    /// Which request, until it is complete.
    pub key: u64,
    /// When, by the recorder's clock.
    pub at_ns: u64,
    /// What it does, see [`operation`].
    pub operation: u8,
    /// The descriptor, or the number of a registered file.
    pub fd: u32,
    /// Its flags of a request, `IOSQE_*`.
    pub request_flags: u32,
    /// Where it begins; -1 for the file's position.
    pub offset: u64,
    /// Bytes, or buffers.
    pub len: u64,
    /// Its flags.
    pub flags: u32,
    /// The mode of fallocate.
    pub mode: u32,
}

/// The end of a request of io_uring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Which request.
    pub key: u64,
    /// When, by the recorder's clock.
    pub at_ns: u64,
    /// What it returned.
    pub result: i64,
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

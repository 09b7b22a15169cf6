//! The layout of an entry of the ring, shared by the programs and the reader.

/// Bytes of the fixed part of an entry.
pub(super) const FIXED: usize = 112;
/// Where the lengths of the two strings are, where an entry has strings.
pub(super) const LENS: usize = 112;
/// Where strings or other data from the application's memory begin.
pub(super) const DATA: usize = 120;
/// Longest string, with its end.
pub(super) const STRING: usize = 4096;

pub(super) const LEN: i16 = 0;
pub(super) const TID: i16 = 4;
pub(super) const PID: i16 = 8;
pub(super) const KIND: i16 = 12;
pub(super) const START: i16 = 16;
pub(super) const END: i16 = 24;
pub(super) const RESULT: i16 = 32;
/// Registers as in `struct pt_regs` from `r10` to `orig_ax`.
pub(super) const REGS: i16 = 40;
/// Where that part of `struct pt_regs` begins, and its length.
pub(super) const PT_REGS_FROM: i16 = 56;
pub(super) const PT_REGS_BYTES: i32 = 72;

/// Offsets in `struct pt_regs` of the six arguments and of the call's number.
pub(super) const ARGUMENTS: [i16; 6] = [112, 104, 96, 56, 72, 64];
pub(super) const NUMBER: i16 = 120;

/// Where an entry has the register that is at `offset` of `struct pt_regs`.
pub(super) const fn register(offset: i16) -> i16 {
    REGS + offset - PT_REGS_FROM
}

/// What else an entry has, by the lowest four bits of the time at which a call began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum EntryKind {
    /// Numbers only.
    Plain = 1,
    /// The path of argument 0.
    Path0 = 2,
    /// The path of argument 1.
    Path1 = 3,
    /// Paths of arguments 0 and 1.
    Paths01 = 4,
    /// Paths of arguments 1 and 3.
    Paths13 = 5,
    /// Paths of arguments 0 and 2.
    Paths02 = 6,
    /// `openat2`: the path of argument 1, and the three words of argument 2.
    OpenHow = 7,
    /// `fcntl`: for those with locks, the lock of argument 2.
    Fcntl = 8,
    /// `ioctl`: dropped unless it clones a file.
    Ioctl = 9,
    /// `copy_file_range` and `splice`: the offsets of arguments 1 and 3, as they are after it.
    Offsets13 = 10,
    /// `sendfile`: the offset of argument 2, as it is after it.
    Offset2 = 11,
    /// A call that waits for other threads. Not written: no recorded thread ended the wait.
    Wait = 12,
    /// The same, after a recorded thread woke it: one bit more than [`Wait`](EntryKind::Wait).
    Woken = 13,
    /// Numbers only, of a call on a file or on something that other threads fill or empty, e.g. a pipe.
    Stream = 14,
    /// A thread or process was made: argument 0 is the new thread, 1 its process, 2 has bit 0 where it shares
    /// descriptors and bit 1 where it shares the working directory.
    Fork = 16,
    /// The thread ended.
    Exit = 17,
    /// A request of io_uring was submitted: argument 0 is where the kernel keeps it, and its first bytes follow.
    Submit = 18,
    /// It is complete: argument 0 as above.
    Complete = 19,
    /// A page was not mapped where the thread, or the kernel for it, used it: argument 0 is the address, and argument 1
    /// the processor's error code.
    Fault = 20,
    /// The thread woke another one, argument 0, that is recorded and in a call that waits.
    Wake = 21,
}

impl EntryKind {
    /// All of them.
    pub(super) const ALL: [EntryKind; 20] = {
        use EntryKind::*;
        [
            Plain, Path0, Path1, Paths01, Paths13, Paths02, OpenHow, Fcntl, Ioctl, Offsets13,
            Offset2, Wait, Woken, Stream, Fork, Exit, Submit, Complete, Fault, Wake,
        ]
    };

    /// How many strings its entries have.
    pub fn strings(self) -> usize {
        self.paths().len()
    }

    /// Whether its entries have words behind the strings.
    pub fn has_words(self) -> bool {
        use EntryKind::{Fcntl, Offset2, Offsets13, OpenHow};
        matches!(self, OpenHow | Fcntl | Offsets13 | Offset2)
    }

    /// The arguments that are paths.
    pub fn paths(self) -> &'static [usize] {
        match self {
            EntryKind::Path0 => &[0],
            EntryKind::Path1 | EntryKind::OpenHow => &[1],
            EntryKind::Paths01 => &[0, 1],
            EntryKind::Paths13 => &[1, 3],
            EntryKind::Paths02 => &[0, 2],
            _ => &[],
        }
    }
}

/// An entry of the ring, read where it is.
#[derive(Clone, Copy)]
pub struct Entry<'a>(pub(super) &'a [u8]);

impl<'a> Entry<'a> {
    fn word(self, at: usize) -> u32 {
        self.0.get(at..at + 4).map_or(0, |b| u32::from_le_bytes(b.try_into().expect("4 bytes")))
    }

    fn long(self, at: usize) -> u64 {
        self.0.get(at..at + 8).map_or(0, |b| u64::from_le_bytes(b.try_into().expect("8 bytes")))
    }

    /// The thread that wrote it.
    pub fn tid(self) -> u32 {
        self.word(TID as usize)
    }

    /// The process of that thread.
    pub fn pid(self) -> u32 {
        self.word(PID as usize)
    }

    /// What it has; `None` where it is none of ours.
    pub fn kind(self) -> Option<EntryKind> {
        let code = self.word(KIND as usize);
        EntryKind::ALL.into_iter().find(|kind| *kind as u32 == code)
    }

    /// When the call began, by the monotonic clock.
    pub fn start_ns(self) -> u64 {
        self.long(START as usize) & !15
    }

    /// When it ended.
    pub fn end_ns(self) -> u64 {
        self.long(END as usize)
    }

    /// What it returned.
    pub fn result(self) -> i64 {
        self.long(RESULT as usize) as i64
    }

    /// The number of the system call.
    pub fn number(self) -> u32 {
        self.word(register(NUMBER) as usize)
    }

    /// Its arguments.
    pub fn arguments(self) -> [u64; 6] {
        ARGUMENTS.map(|offset| self.long(register(offset) as usize))
    }

    /// Its first or second path, without the NUL; empty where it could not be read.
    pub fn path(self, index: usize) -> &'a [u8] {
        let first = string_len(self.word(LENS));
        let (at, len) = match index {
            0 => (DATA, first),
            _ => (DATA + first.next_multiple_of(8), string_len(self.word(LENS + 4))),
        };
        let bytes = self.0.get(at..at + len).unwrap_or_default();
        bytes.strip_suffix(&[0]).unwrap_or(bytes)
    }

    /// What follows the fixed part.
    pub(super) fn data(self) -> &'a [u8] {
        self.0.get(DATA..).unwrap_or_default()
    }

    /// The words that were read besides, behind `paths` paths.
    pub fn words(self, paths: usize) -> [u64; 4] {
        let strings = if paths == 0 { 0 } else { string_len(self.word(LENS)).next_multiple_of(8) };
        std::array::from_fn(|i| self.long(DATA + strings + 8 * i))
    }
}

/// The bytes of a string by what the kernel returned when it copied it: a negative number where it could not.
fn string_len(returned: u32) -> usize {
    if returned as usize > STRING { 0 } else { returned as usize }
}

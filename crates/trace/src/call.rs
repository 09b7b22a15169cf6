//! One call of a traced thread, and the kinds of calls.

use crate::path::PathId;

/// A thread of the application: 0, 1, 2, ... in the order of their first calls.
pub type ThreadId = u32;

/// A descriptor that the application opened: 0, 1, 2, ... in the order of opening, never reused. A fork shares the
/// handles of the parent with the child.
pub type HandleId = u32;

/// A mapping of a file: 0, 1, 2, ... in the order of their making, never reused.
pub type MapId = u32;

/// The value of an id that a call does not have.
pub const NONE: u32 = u32::MAX;

/// Recorders round times to multiples of this, nanoseconds: finer digits are noise, which would take a byte a call.
pub const TICK_NS: u64 = 16;

/// One call. An [`Op`] says which of the fields from `handle` on it uses ([`Op::fields`]); the others are 0 or
/// [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The kind of call.
    pub op: Op,
    /// The thread that made it.
    pub thread: ThreadId,
    /// When it began, nanoseconds since the start of the recording.
    pub at_ns: u64,
    /// How long it took as recorded, nanoseconds; the recorder's own cost is still in it
    /// ([`Cost`](crate::header::Cost)).
    pub took_ns: u64,
    /// What it returned: 0 or a count, or the negative of an errno.
    pub result: i64,
    /// The handle that it is about, and for those that make one the new handle; `NONE` where the call failed to make
    /// one.
    pub handle: HandleId,
    /// A second handle ([`Op::copies`]: the destination; `Dup`: the new handle), or a mapping.
    pub other: u32,
    /// The path that it names.
    pub path: PathId,
    /// The second path of a rename, link or symbolic link.
    pub path2: PathId,
    /// Offset in the file or the mapping, bytes.
    pub offset: u64,
    /// Bytes asked for; for `Touch` pages, for `Listxattr` and others the length of the buffer.
    pub len: u64,
    /// Flags as the kernel's interface defines them on x86-64.
    pub flags: u32,
    /// Permissions of what is made; for vectors the number of buffers.
    pub mode: u32,
}

impl Call {
    /// A call at time 0 that took no time and returned 0, without any of its fields.
    pub fn new(op: Op, thread: ThreadId) -> Self {
        Call {
            op,
            thread,
            at_ns: 0,
            took_ns: 0,
            result: 0,
            handle: NONE,
            other: NONE,
            path: NONE,
            path2: NONE,
            offset: 0,
            len: 0,
            flags: 0,
            mode: 0,
        }
    }

    /// The offset in the destination of [`Op::CopyTo`], bytes.
    pub fn to_offset(&self) -> u64 {
        to_offset(self.flags, self.mode)
    }

    /// Sets it.
    pub fn set_to_offset(&mut self, offset: u64) {
        (self.flags, self.mode) = (offset as u32, (offset >> 32) as u32);
    }
}

/// The offset in the destination of an [`Op::CopyTo`] with these fields, bytes.
pub fn to_offset(flags: u32, mode: u32) -> u64 {
    u64::from(mode) << 32 | u64::from(flags)
}

/// Fields of a [`Call`] besides operation, thread, times and result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `handle`.
    Handle,
    /// `other`.
    Other,
    /// `path`.
    Path,
    /// `path2`.
    Path2,
    /// `offset`.
    Offset,
    /// `len`.
    Len,
    /// `flags`.
    Flags,
    /// `mode`.
    Mode,
}

macro_rules! ops {
    ($($(#[$doc:meta])* $op:ident = $code:literal $name:literal [$($field:ident)*];)*) => {
        /// The kinds of calls. The codes are part of the file format: a kind is added, never renumbered.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $op = $code,)* }

        impl Op {
            /// Every kind.
            pub const ALL: &'static [Op] = &[$(Op::$op,)*];

            /// Its name as in the manual pages, for tables.
            pub fn name(self) -> &'static str {
                match self { $(Op::$op => $name,)* }
            }

            /// The fields that it uses.
            pub fn fields(self) -> &'static [Field] {
                match self { $(Op::$op => &[$(Field::$field),*],)* }
            }

            /// The kind with this code.
            pub fn of_code(code: u8) -> Option<Op> {
                match code { $($code => Some(Op::$op),)* _ => None }
            }
        }
    };
}

ops! {
    /// `open`, `openat`, `openat2`, `creat`.
    Open = 0 "open" [Handle Path Flags Mode];
    /// `close`; `flags` is 1 where other descriptors of the handle stay open (after a fork).
    Close = 1 "close" [Handle Flags];
    /// `dup`, `dup2`, `dup3`, `fcntl(F_DUPFD)`.
    Dup = 2 "dup" [Handle Other Flags];
    /// `read`, `readv` at the position of the handle; `mode` is the number of buffers.
    Read = 3 "read" [Handle Len Mode];
    /// `pread64`, `preadv`, `preadv2`.
    Pread = 4 "pread" [Handle Offset Len Flags Mode];
    /// `write`, `writev`.
    Write = 5 "write" [Handle Len Mode];
    /// `pwrite64`, `pwritev`, `pwritev2`.
    Pwrite = 6 "pwrite" [Handle Offset Len Flags Mode];
    /// `lseek`; `offset` as a signed number, `flags` is the origin.
    Seek = 7 "lseek" [Handle Offset Flags];
    /// `fsync`.
    Fsync = 8 "fsync" [Handle];
    /// `fdatasync`.
    Fdatasync = 9 "fdatasync" [Handle];
    /// `syncfs`.
    Syncfs = 10 "syncfs" [Handle];
    /// `sync`.
    Sync = 11 "sync" [];
    /// `sync_file_range`.
    SyncRange = 12 "sync_file_range" [Handle Offset Len Flags];
    /// `truncate`.
    Truncate = 13 "truncate" [Path Len];
    /// `ftruncate`.
    Ftruncate = 14 "ftruncate" [Handle Len];
    /// `fallocate`; `flags` is its mode.
    Fallocate = 15 "fallocate" [Handle Offset Len Flags];
    /// `posix_fadvise`; `flags` is the advice.
    Fadvise = 16 "fadvise" [Handle Offset Len Flags];
    /// `readahead`.
    Readahead = 17 "readahead" [Handle Offset Len];
    /// `copy_file_range` from `handle` to the position of `other`; `offset` is that of the source, -1 for its position.
    CopyRange = 18 "copy_file_range" [Handle Other Offset Len];
    /// `sendfile` from `handle`; `other` is `NONE` for a socket or pipe.
    SendFile = 19 "sendfile" [Handle Other Offset Len];
    /// `ioctl(FICLONE)`: `other` is the source.
    Clone = 20 "clone_file" [Handle Other];
    /// `rename`, `renameat`, `renameat2`.
    Rename = 21 "rename" [Path Path2 Flags];
    /// `link`, `linkat`.
    Link = 22 "link" [Path Path2 Flags];
    /// `symlink`, `symlinkat`; `path2` is where the link leads.
    Symlink = 23 "symlink" [Path Path2];
    /// `unlink`, `unlinkat`.
    Unlink = 24 "unlink" [Path];
    /// `rmdir`, `unlinkat(AT_REMOVEDIR)`.
    Rmdir = 25 "rmdir" [Path];
    /// `mkdir`, `mkdirat`.
    Mkdir = 26 "mkdir" [Path Mode];
    /// `mknod` of a FIFO, socket or regular file.
    Mknod = 27 "mknod" [Path Mode];
    /// `stat`, `statx`, `newfstatat` of a path; `flags` is `AT_SYMLINK_NOFOLLOW` or 0.
    Stat = 28 "stat" [Path Flags];
    /// `fstat`, or `statx` with an empty path.
    Fstat = 29 "fstat" [Handle];
    /// `access`, `faccessat`, `faccessat2`; `mode` is what is asked for.
    Access = 30 "access" [Path Mode Flags];
    /// `readlink`, `readlinkat`; `len` is that of the buffer.
    Readlink = 31 "readlink" [Path Len];
    /// `getdents64`; `len` is that of the buffer.
    Getdents = 32 "getdents" [Handle Len];
    /// `statfs`.
    Statfs = 33 "statfs" [Path];
    /// `fstatfs`.
    Fstatfs = 34 "fstatfs" [Handle];
    /// `chmod`, `fchmodat`.
    Chmod = 35 "chmod" [Path Mode];
    /// `fchmod`.
    Fchmod = 36 "fchmod" [Handle Mode];
    /// `chown`, `lchown`, `fchownat`; replayed as a change to the owner that the file has.
    Chown = 37 "chown" [Path Flags];
    /// `fchown`; likewise.
    Fchown = 38 "fchown" [Handle];
    /// `utimensat` and its elders on a path.
    Utimens = 39 "utimens" [Path Flags];
    /// `futimens`.
    Futimens = 40 "futimens" [Handle];
    /// `setxattr`, `lsetxattr`; `len` is that of the value; names are replaced by one in `user.`.
    Setxattr = 41 "setxattr" [Path Len Flags];
    /// `fsetxattr`.
    Fsetxattr = 42 "fsetxattr" [Handle Len Flags];
    /// `getxattr`, `lgetxattr`.
    Getxattr = 43 "getxattr" [Path Len];
    /// `fgetxattr`.
    Fgetxattr = 44 "fgetxattr" [Handle Len];
    /// `listxattr`, `llistxattr`.
    Listxattr = 45 "listxattr" [Path Len];
    /// `flistxattr`.
    Flistxattr = 46 "flistxattr" [Handle Len];
    /// `removexattr` and its kin on a path.
    Removexattr = 47 "removexattr" [Path];
    /// `fcntl` with a record lock; `flags` is `F_RDLCK`, `F_WRLCK` or `F_UNLCK`, `mode` the command.
    Lock = 48 "fcntl_lock" [Handle Offset Len Flags Mode];
    /// `flock`; `flags` is the operation.
    Flock = 49 "flock" [Handle Flags];
    /// `mmap` of a file; `other` is the new mapping, `mode` its protection, `flags` those of mmap.
    Map = 50 "mmap" [Handle Other Offset Len Flags Mode];
    /// `munmap` of a whole mapping.
    Unmap = 51 "munmap" [Other Len];
    /// `msync`; `offset` within the mapping.
    Msync = 52 "msync" [Other Offset Len Flags];
    /// `madvise` on a mapping of a file.
    Madvise = 53 "madvise" [Other Offset Len Flags];
    /// First touches of pages of a mapping: `len` pages from `offset`; `flags` is 1 for a write.
    Touch = 54 "touch" [Other Offset Len Flags];
    /// `chdir`, `fchdir`: replayed as a look-up of the path.
    Chdir = 55 "chdir" [Path];
    /// The thread began; `other` is the thread that made it, `NONE` for the first.
    Begin = 56 "begin" [Other];
    /// The thread ended.
    End = 57 "end" [];
    /// A read through io_uring, from submission to completion.
    RingRead = 58 "uring_read" [Handle Offset Len Flags];
    /// A write through io_uring.
    RingWrite = 59 "uring_write" [Handle Offset Len Flags];
    /// A sync through io_uring; `flags` is 1 for data only.
    RingFsync = 60 "uring_fsync" [Handle Flags];
    /// `copy_file_range` to an offset of `other`, whose low half is `flags` and whose high half is `mode`.
    CopyTo = 61 "copy_file_range_to" [Handle Other Offset Len Flags Mode];
    /// The thread woke the thread `other`, which waited.
    Wake = 62 "wake" [Other];
    /// The thread waited until the thread `other` woke it or ended. In a trace it comes behind that.
    Wait = 63 "wait" [Other];
}

impl Op {
    /// Whether the call answers when data is durable.
    pub fn is_sync(self) -> bool {
        use Op::{Fdatasync, Fsync, Msync, RingFsync, Sync, SyncRange, Syncfs};
        matches!(self, Fsync | Fdatasync | Syncfs | Sync | SyncRange | Msync | RingFsync)
    }

    /// Whether it is no call, but what happened to the thread: it began, ended, woke another one or waited for it.
    pub fn is_of_thread(self) -> bool {
        matches!(self, Op::Begin | Op::End | Op::Wake | Op::Wait)
    }

    /// Whether it moves bytes from one handle to another, and returns how many.
    pub fn copies(self) -> bool {
        matches!(self, Op::CopyRange | Op::CopyTo | Op::SendFile)
    }

    /// Whether it returns how many bytes it moved.
    pub fn moves_bytes(self) -> bool {
        use Op::{Pread, Pwrite, Read, RingRead, RingWrite, Write};
        self.copies() || matches!(self, Read | Pread | Write | Pwrite | RingRead | RingWrite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_distinct() {
        for (i, op) in Op::ALL.iter().enumerate() {
            assert_eq!(Op::of_code(*op as u8), Some(*op));
            assert!(Op::ALL[..i].iter().all(|other| other.name() != op.name()), "{op:?}");
        }
        assert_eq!(Op::of_code(255), None);
    }

    #[test]
    fn offset_of_a_destination_is_kept_whole() {
        let mut call = Call::new(Op::CopyTo, 0);
        call.set_to_offset(0x1234_5678_9abc_def0);
        assert_eq!(call.to_offset(), 0x1234_5678_9abc_def0);
    }
}

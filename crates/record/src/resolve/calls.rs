//! Translates each system call into calls of a trace.

use super::{
    LeftOut, Resolver,
    places::Place,
    tables::{Open, Thread},
};
use crate::raw::RawCall;
use trace::call::{Call, NONE, Op};

const AT_EMPTY_PATH: u64 = libc::AT_EMPTY_PATH as u64;
const NOFOLLOW: u32 = libc::AT_SYMLINK_NOFOLLOW as u32;

impl Resolver {
    pub(super) fn call(&mut self, raw: &RawCall, thread: &Thread) {
        let a = raw.arguments;
        match raw.number {
            libc::SYS_open => self.open(raw, thread, None, a[1] as u32, a[2] as u32),
            libc::SYS_creat => {
                let flags = (libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC) as u32;
                self.open(raw, thread, None, flags, a[1] as u32);
            }
            libc::SYS_openat => self.open(raw, thread, Some(a[0]), a[2] as u32, a[3] as u32),
            libc::SYS_openat2 => {
                let [flags, mode, ..] = raw.words;
                self.open(raw, thread, Some(a[0]), flags as u32, mode as u32);
            }
            libc::SYS_close => self.close_one(raw, thread, a[0]),
            libc::SYS_close_range => self.close_range(raw, thread),
            libc::SYS_dup | libc::SYS_dup2 => self.dup(raw, thread, a[0], 0),
            libc::SYS_dup3 => self.dup(raw, thread, a[0], a[2]),
            libc::SYS_fcntl => self.fcntl(raw, thread),
            libc::SYS_execve | libc::SYS_execveat => self.exec(raw, thread),
            libc::SYS_mmap => self.map(raw, thread),
            libc::SYS_munmap => self.unmap(raw, thread),
            libc::SYS_msync => self.on_map(raw, thread, Op::Msync),
            libc::SYS_madvise => self.on_map(raw, thread, Op::Madvise),
            libc::SYS_chdir | libc::SYS_fchdir => self.change_directory(raw, thread),
            libc::SYS_sync => self.emit(raw, thread, Op::Sync, |_| {}),
            libc::SYS_io_uring_enter => self.skip(LeftOut::Ring),
            number => {
                if !self.on_file(raw, thread, number) && !self.on_path(raw, thread, number) {
                    self.on_two_paths(raw, thread, number);
                }
            }
        }
    }

    /// Calls on an open file; false where it is another.
    fn on_file(&mut self, raw: &RawCall, thread: &Thread, number: i64) -> bool {
        let a = raw.arguments;
        let done = raw.result.max(0) as u64;
        let word = |at: usize| a[at] as u32;
        let (op, offset, len, flags, mode) = match number {
            libc::SYS_read => (Op::Read, 0, a[2], 0, 1),
            libc::SYS_readv => (Op::Read, 0, done, 0, word(2)),
            libc::SYS_write => (Op::Write, 0, a[2], 0, 1),
            libc::SYS_writev => (Op::Write, 0, done, 0, word(2)),
            libc::SYS_pread64 => (Op::Pread, a[3], a[2], 0, 1),
            libc::SYS_pwrite64 => (Op::Pwrite, a[3], a[2], 0, 1),
            libc::SYS_preadv => (Op::Pread, a[3], done, 0, word(2)),
            libc::SYS_pwritev => (Op::Pwrite, a[3], done, 0, word(2)),
            libc::SYS_preadv2 if a[3] == u64::MAX => (Op::Read, 0, done, 0, word(2)),
            libc::SYS_pwritev2 if a[3] == u64::MAX => (Op::Write, 0, done, 0, word(2)),
            libc::SYS_preadv2 => (Op::Pread, a[3], done, word(5), word(2)),
            libc::SYS_pwritev2 => (Op::Pwrite, a[3], done, word(5), word(2)),
            libc::SYS_lseek => (Op::Seek, a[1], 0, word(2), 0),
            libc::SYS_fsync => (Op::Fsync, 0, 0, 0, 0),
            libc::SYS_fdatasync => (Op::Fdatasync, 0, 0, 0, 0),
            libc::SYS_syncfs => (Op::Syncfs, 0, 0, 0, 0),
            libc::SYS_sync_file_range => (Op::SyncRange, a[1], a[2], word(3), 0),
            libc::SYS_ftruncate => (Op::Ftruncate, 0, a[1], 0, 0),
            libc::SYS_fallocate => (Op::Fallocate, a[2], a[3], word(1), 0),
            libc::SYS_fadvise64 => (Op::Fadvise, a[1], a[2], word(3), 0),
            libc::SYS_readahead => (Op::Readahead, a[1], a[2], 0, 0),
            libc::SYS_fstat => (Op::Fstat, 0, 0, 0, 0),
            libc::SYS_getdents64 => (Op::Getdents, 0, a[2], 0, 0),
            libc::SYS_fstatfs => (Op::Fstatfs, 0, 0, 0, 0),
            libc::SYS_fchmod => (Op::Fchmod, 0, 0, 0, word(1)),
            libc::SYS_fchown => (Op::Fchown, 0, 0, 0, 0),
            libc::SYS_flock => (Op::Flock, 0, 0, word(1), 0),
            libc::SYS_fsetxattr => (Op::Fsetxattr, 0, a[3], word(4), 0),
            libc::SYS_fgetxattr => (Op::Fgetxattr, 0, a[3], 0, 0),
            libc::SYS_flistxattr => (Op::Flistxattr, 0, a[2], 0, 0),
            libc::SYS_copy_file_range => return self.between_files(raw, thread, Op::CopyRange),
            libc::SYS_sendfile => return self.between_files(raw, thread, Op::SendFile),
            libc::SYS_splice => return self.splice(raw, thread),
            libc::SYS_ioctl => return self.clone_file(raw, thread),
            _ => return false,
        };
        if let Some(handle) = self.handle(thread, a[0]) {
            self.emit(raw, thread, op, |call| {
                (call.handle, call.offset, call.len) = (handle, offset, len);
                (call.flags, call.mode) = (flags, mode);
            });
        }
        true
    }

    /// Calls on one path; false where it is another.
    fn on_path(&mut self, raw: &RawCall, thread: &Thread, number: i64) -> bool {
        let a = raw.arguments;
        let word = |at: usize| a[at] as u32;
        let at = Some(a[0]);
        let (op, directory, len, flags, mode) = match number {
            libc::SYS_stat => (Op::Stat, None, 0, 0, 0),
            libc::SYS_lstat => (Op::Stat, None, 0, NOFOLLOW, 0),
            libc::SYS_newfstatat if self.is_of_file(raw, a[3]) => {
                return self.of_file(raw, thread, Op::Fstat);
            }
            libc::SYS_newfstatat => (Op::Stat, at, 0, word(3) & NOFOLLOW, 0),
            libc::SYS_statx if self.is_of_file(raw, a[2]) => {
                return self.of_file(raw, thread, Op::Fstat);
            }
            libc::SYS_statx => (Op::Stat, at, 0, word(2) & NOFOLLOW, 0),
            libc::SYS_access => (Op::Access, None, 0, 0, word(1)),
            libc::SYS_faccessat => (Op::Access, at, 0, 0, word(2)),
            libc::SYS_faccessat2 => (Op::Access, at, 0, word(3), word(2)),
            libc::SYS_truncate => (Op::Truncate, None, a[1], 0, 0),
            libc::SYS_unlink => (Op::Unlink, None, 0, 0, 0),
            libc::SYS_rmdir => (Op::Rmdir, None, 0, 0, 0),
            libc::SYS_unlinkat if word(2) & libc::AT_REMOVEDIR as u32 != 0 => {
                (Op::Rmdir, at, 0, 0, 0)
            }
            libc::SYS_unlinkat => (Op::Unlink, at, 0, 0, 0),
            libc::SYS_mkdir => (Op::Mkdir, None, 0, 0, word(1)),
            libc::SYS_mkdirat => (Op::Mkdir, at, 0, 0, word(2)),
            libc::SYS_mknod => (Op::Mknod, None, 0, 0, word(1)),
            libc::SYS_mknodat => (Op::Mknod, at, 0, 0, word(2)),
            libc::SYS_readlink => (Op::Readlink, None, a[2], 0, 0),
            libc::SYS_readlinkat => (Op::Readlink, at, a[3], 0, 0),
            libc::SYS_statfs => (Op::Statfs, None, 0, 0, 0),
            libc::SYS_chmod => (Op::Chmod, None, 0, 0, word(1)),
            libc::SYS_fchmodat | libc::SYS_fchmodat2 => (Op::Chmod, at, 0, 0, word(2)),
            libc::SYS_chown => (Op::Chown, None, 0, 0, 0),
            libc::SYS_lchown => (Op::Chown, None, 0, NOFOLLOW, 0),
            libc::SYS_fchownat if self.is_of_file(raw, a[4]) => {
                return self.of_file(raw, thread, Op::Fchown);
            }
            libc::SYS_fchownat => (Op::Chown, at, 0, word(4) & NOFOLLOW, 0),
            libc::SYS_utime | libc::SYS_utimes => (Op::Utimens, None, 0, 0, 0),
            libc::SYS_utimensat if self.is_of_file(raw, AT_EMPTY_PATH) => {
                return self.of_file(raw, thread, Op::Futimens);
            }
            libc::SYS_utimensat => (Op::Utimens, at, 0, word(3) & NOFOLLOW, 0),
            libc::SYS_setxattr | libc::SYS_lsetxattr => (Op::Setxattr, None, a[3], word(4), 0),
            libc::SYS_getxattr | libc::SYS_lgetxattr => (Op::Getxattr, None, a[3], 0, 0),
            libc::SYS_listxattr | libc::SYS_llistxattr => (Op::Listxattr, None, a[2], 0, 0),
            libc::SYS_removexattr | libc::SYS_lremovexattr => (Op::Removexattr, None, 0, 0, 0),
            _ => return false,
        };
        if op == Op::Mknod && !is_plain_node(mode) {
            self.skip(LeftOut::Unsupported);
        } else if let Some(path) = self.path(thread, directory, raw.paths[0]) {
            self.emit(raw, thread, op, |call| {
                (call.path, call.len, call.flags, call.mode) = (path, len, flags, mode);
            });
        }
        true
    }

    /// Whether a call with an empty path is about its descriptor.
    fn is_of_file(&self, raw: &RawCall, flags: u64) -> bool {
        let is_directory = raw.arguments[0] as u32 as i32 == libc::AT_FDCWD;
        raw.paths[0].is_empty() && flags & AT_EMPTY_PATH != 0 && !is_directory
    }

    fn of_file(&mut self, raw: &RawCall, thread: &Thread, op: Op) -> bool {
        if let Some(handle) = self.handle(thread, raw.arguments[0]) {
            self.emit(raw, thread, op, |call| call.handle = handle);
        }
        true
    }

    /// Renames and links; anything else is not recorded.
    fn on_two_paths(&mut self, raw: &RawCall, thread: &Thread, number: i64) {
        let a = raw.arguments;
        let (op, from, to, flags) = match number {
            libc::SYS_rename => (Op::Rename, None, None, 0),
            libc::SYS_renameat => (Op::Rename, Some(a[0]), Some(a[2]), 0),
            libc::SYS_renameat2 => (Op::Rename, Some(a[0]), Some(a[2]), a[4] as u32),
            libc::SYS_link => (Op::Link, None, None, 0),
            libc::SYS_linkat => (Op::Link, Some(a[0]), Some(a[2]), a[4] as u32),
            libc::SYS_symlink => return self.symlink(raw, thread, None),
            libc::SYS_symlinkat => return self.symlink(raw, thread, Some(a[1])),
            _ => return self.skip(LeftOut::Unsupported),
        };
        let [first, second] = raw.paths;
        let (first, second) = (self.place(thread, from, first), self.place(thread, to, second));
        match (first, second) {
            (Place::Inside(path), Place::Inside(path2)) => {
                self.emit(raw, thread, op, |call| {
                    (call.path, call.path2, call.flags) = (path, path2, flags);
                });
                if op == Op::Rename && raw.result == 0 {
                    self.follow_rename(path, path2);
                }
            }
            (Place::Outside(_), Place::Outside(_)) => self.skip(LeftOut::Outside),
            _ => self.skip(LeftOut::Across),
        }
    }

    fn place(&mut self, thread: &Thread, directory: Option<u64>, name: &[u8]) -> Place {
        let from = self.base(thread, directory, name);
        self.places.resolve(&from, name)
    }

    /// Open files and working directories go with their names.
    fn follow_rename(&mut self, from: u32, to: u32) {
        for descriptor in self.tables.files.all_mut().flat_map(|table| table.all_mut()) {
            if let Open::Inside { path, .. } = &mut descriptor.open
                && *path == from
            {
                *path = to;
            }
        }
        for place in self.tables.directories.all_mut() {
            if *place == Place::Inside(from) {
                *place = Place::Inside(to);
            }
        }
    }

    /// A link leads where its text says, from the directory that it is in.
    fn symlink(&mut self, raw: &RawCall, thread: &Thread, directory: Option<u64>) {
        let [text, name] = raw.paths;
        let Some(path) = self.path(thread, directory, name) else { return };
        let path2 = self.places.led_to(path, text).unwrap_or(NONE);
        let fill = |call: &mut Call| (call.path, call.path2) = (path, path2);
        self.emit(raw, thread, Op::Symlink, fill);
    }

    fn change_directory(&mut self, raw: &RawCall, thread: &Thread) {
        let place = match raw.number {
            libc::SYS_chdir => self.place(thread, None, raw.paths[0]),
            _ => self.base(thread, Some(raw.arguments[0]), b""),
        };
        match &place {
            Place::Inside(path) => {
                let path = *path;
                self.emit(raw, thread, Op::Chdir, |call| call.path = path);
            }
            Place::Outside(_) => self.skip(LeftOut::Outside),
        }
        if raw.result == 0
            && let Some(directory) = self.tables.directories.get_mut(thread.directory)
        {
            *directory = place;
        }
    }

    fn fcntl(&mut self, raw: &RawCall, thread: &Thread) {
        let [fd, command, argument, ..] = raw.arguments;
        match command as i32 {
            libc::F_DUPFD => self.dup(raw, thread, fd, 0),
            libc::F_DUPFD_CLOEXEC => self.dup(raw, thread, fd, libc::O_CLOEXEC as u64),
            libc::F_SETFD if raw.result == 0 => {
                let table = self.tables.files.get_mut(thread.files);
                if let Some(descriptor) = table.and_then(|table| table.get_mut(fd)) {
                    descriptor.closes_on_exec = argument & libc::FD_CLOEXEC as u64 != 0;
                }
            }
            libc::F_GETLK
            | libc::F_SETLK
            | libc::F_SETLKW
            | libc::F_OFD_GETLK
            | libc::F_OFD_SETLK
            | libc::F_OFD_SETLKW => {
                let [kind, offset, len, _] = raw.words;
                if let Some(handle) = self.handle(thread, fd) {
                    self.emit(raw, thread, Op::Lock, |call| {
                        (call.handle, call.offset, call.len) = (handle, offset, len);
                        (call.flags, call.mode) = (kind as u32 & 0xffff, command as u32);
                    });
                }
            }
            _ => {}
        }
    }
}

/// A FIFO, a socket or a regular file.
fn is_plain_node(mode: u32) -> bool {
    [0, libc::S_IFREG, libc::S_IFIFO, libc::S_IFSOCK].contains(&(mode & libc::S_IFMT))
}

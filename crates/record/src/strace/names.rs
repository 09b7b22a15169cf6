//! Names of system calls and of flags, as strace prints them.

/// Every recorded call, in the order of the names.
const CALLS: &[(&str, i64)] = &[
    ("access", libc::SYS_access),
    ("chdir", libc::SYS_chdir),
    ("chmod", libc::SYS_chmod),
    ("chown", libc::SYS_chown),
    ("close", libc::SYS_close),
    ("close_range", libc::SYS_close_range),
    ("copy_file_range", libc::SYS_copy_file_range),
    ("creat", libc::SYS_creat),
    ("dup", libc::SYS_dup),
    ("dup2", libc::SYS_dup2),
    ("dup3", libc::SYS_dup3),
    ("execve", libc::SYS_execve),
    ("execveat", libc::SYS_execveat),
    ("faccessat", libc::SYS_faccessat),
    ("faccessat2", libc::SYS_faccessat2),
    ("fadvise64", libc::SYS_fadvise64),
    ("fallocate", libc::SYS_fallocate),
    ("fchdir", libc::SYS_fchdir),
    ("fchmod", libc::SYS_fchmod),
    ("fchmodat", libc::SYS_fchmodat),
    ("fchmodat2", libc::SYS_fchmodat2),
    ("fchown", libc::SYS_fchown),
    ("fchownat", libc::SYS_fchownat),
    ("fcntl", libc::SYS_fcntl),
    ("fdatasync", libc::SYS_fdatasync),
    ("fgetxattr", libc::SYS_fgetxattr),
    ("flistxattr", libc::SYS_flistxattr),
    ("flock", libc::SYS_flock),
    ("fsetxattr", libc::SYS_fsetxattr),
    ("fstat", libc::SYS_fstat),
    ("fstatfs", libc::SYS_fstatfs),
    ("fsync", libc::SYS_fsync),
    ("ftruncate", libc::SYS_ftruncate),
    ("getdents64", libc::SYS_getdents64),
    ("getxattr", libc::SYS_getxattr),
    ("ioctl", libc::SYS_ioctl),
    ("lchown", libc::SYS_lchown),
    ("lgetxattr", libc::SYS_lgetxattr),
    ("link", libc::SYS_link),
    ("linkat", libc::SYS_linkat),
    ("listxattr", libc::SYS_listxattr),
    ("llistxattr", libc::SYS_llistxattr),
    ("lremovexattr", libc::SYS_lremovexattr),
    ("lseek", libc::SYS_lseek),
    ("lsetxattr", libc::SYS_lsetxattr),
    ("lstat", libc::SYS_lstat),
    ("madvise", libc::SYS_madvise),
    ("mkdir", libc::SYS_mkdir),
    ("mkdirat", libc::SYS_mkdirat),
    ("mknod", libc::SYS_mknod),
    ("mknodat", libc::SYS_mknodat),
    ("mmap", libc::SYS_mmap),
    ("msync", libc::SYS_msync),
    ("munmap", libc::SYS_munmap),
    ("newfstatat", libc::SYS_newfstatat),
    ("open", libc::SYS_open),
    ("openat", libc::SYS_openat),
    ("openat2", libc::SYS_openat2),
    ("pread64", libc::SYS_pread64),
    ("preadv", libc::SYS_preadv),
    ("preadv2", libc::SYS_preadv2),
    ("pwrite64", libc::SYS_pwrite64),
    ("pwritev", libc::SYS_pwritev),
    ("pwritev2", libc::SYS_pwritev2),
    ("read", libc::SYS_read),
    ("readahead", libc::SYS_readahead),
    ("readlink", libc::SYS_readlink),
    ("readlinkat", libc::SYS_readlinkat),
    ("readv", libc::SYS_readv),
    ("removexattr", libc::SYS_removexattr),
    ("rename", libc::SYS_rename),
    ("renameat", libc::SYS_renameat),
    ("renameat2", libc::SYS_renameat2),
    ("rmdir", libc::SYS_rmdir),
    ("sendfile", libc::SYS_sendfile),
    ("setxattr", libc::SYS_setxattr),
    ("splice", libc::SYS_splice),
    ("stat", libc::SYS_stat),
    ("statfs", libc::SYS_statfs),
    ("statx", libc::SYS_statx),
    ("symlink", libc::SYS_symlink),
    ("symlinkat", libc::SYS_symlinkat),
    ("sync", libc::SYS_sync),
    ("sync_file_range", libc::SYS_sync_file_range),
    ("syncfs", libc::SYS_syncfs),
    ("truncate", libc::SYS_truncate),
    ("unlink", libc::SYS_unlink),
    ("unlinkat", libc::SYS_unlinkat),
    ("utime", libc::SYS_utime),
    ("utimensat", libc::SYS_utimensat),
    ("utimes", libc::SYS_utimes),
    ("write", libc::SYS_write),
    ("writev", libc::SYS_writev),
];

/// The number of a recorded call.
pub(super) fn number(name: &str) -> Option<i64> {
    let name = if name == "fstatat64" { "newfstatat" } else { name };
    let found = CALLS.binary_search_by(|(known, _)| known.cmp(&name)).ok()?;
    Some(CALLS[found].1)
}

macro_rules! flags {
    ($($name:ident)*) => {
        /// Flags that matter to what a call does.
        const FLAGS: &[(&str, i64)] = &[$((stringify!($name), libc::$name as i64),)*];
    };
}

flags! {
    O_RDONLY O_WRONLY O_RDWR O_CREAT O_EXCL O_NOCTTY O_TRUNC O_APPEND O_NONBLOCK O_DSYNC O_SYNC O_DIRECTORY O_NOFOLLOW
    O_CLOEXEC O_DIRECT O_NOATIME O_PATH O_TMPFILE
    AT_FDCWD AT_SYMLINK_NOFOLLOW AT_REMOVEDIR AT_EMPTY_PATH AT_SYMLINK_FOLLOW AT_EACCESS AT_NO_AUTOMOUNT
    SEEK_SET SEEK_CUR SEEK_END SEEK_DATA SEEK_HOLE
    F_DUPFD F_DUPFD_CLOEXEC F_GETFD F_SETFD F_GETFL F_SETFL F_GETLK F_SETLK F_SETLKW F_OFD_GETLK F_OFD_SETLK
    F_OFD_SETLKW F_RDLCK F_WRLCK F_UNLCK FD_CLOEXEC
    F_OK R_OK W_OK X_OK
    LOCK_SH LOCK_EX LOCK_UN LOCK_NB
    PROT_NONE PROT_READ PROT_WRITE PROT_EXEC MAP_SHARED MAP_PRIVATE MAP_SHARED_VALIDATE MAP_FIXED MAP_ANONYMOUS
    MAP_NORESERVE MAP_POPULATE MAP_DENYWRITE MAP_STACK
    MS_ASYNC MS_SYNC MS_INVALIDATE
    MADV_NORMAL MADV_RANDOM MADV_SEQUENTIAL MADV_WILLNEED MADV_DONTNEED
    POSIX_FADV_NORMAL POSIX_FADV_RANDOM POSIX_FADV_SEQUENTIAL POSIX_FADV_WILLNEED POSIX_FADV_DONTNEED POSIX_FADV_NOREUSE
    FALLOC_FL_KEEP_SIZE FALLOC_FL_PUNCH_HOLE FALLOC_FL_COLLAPSE_RANGE FALLOC_FL_ZERO_RANGE FALLOC_FL_INSERT_RANGE
    SYNC_FILE_RANGE_WAIT_BEFORE SYNC_FILE_RANGE_WRITE SYNC_FILE_RANGE_WAIT_AFTER
    RENAME_NOREPLACE RENAME_EXCHANGE RENAME_WHITEOUT
    S_IFREG S_IFIFO S_IFSOCK S_IFCHR S_IFBLK
    CLONE_FILES CLONE_FS CLONE_THREAD CLONE_VM CLONE_VFORK
    RWF_DSYNC RWF_HIPRI RWF_SYNC RWF_NOWAIT RWF_APPEND
    ENOENT EINTR EIO EBADF EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST EXDEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY
    EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE ENAMETOOLONG ENOSYS ENOTEMPTY ELOOP ENODATA EOVERFLOW EOPNOTSUPP EDQUOT EPERM
    ESTALE ETXTBSY ENODEV ENXIO
}

/// The value of a flag.
pub(super) fn flag(name: &str) -> Option<i64> {
    match name {
        "FICLONE" => Some(0x4004_9409),
        "AT_STATX_SYNC_AS_STAT" | "NULL" => Some(0),
        name => FLAGS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_call_has_its_name() {
        assert!(CALLS.is_sorted());
        assert_eq!(CALLS.len(), crate::kernel::recorded_calls().count());
        for (number, _) in crate::kernel::recorded_calls() {
            assert!(CALLS.iter().any(|(_, known)| *known == number), "{number}");
        }
        assert_eq!(number("no_such_call"), None);
    }
}

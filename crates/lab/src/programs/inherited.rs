//! Finds the descriptors inherited from the caller of this program, by number.

use rustix::{
    fs::{OFlags, fcntl_getfl},
    io::{FdFlags, fcntl_dupfd_cloexec, fcntl_getfd},
};
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};

/// A copy of the descriptor `number`, when the caller handed it over, open for writing. A descriptor that this program
/// opened itself, e.g. of its store, is closed on exec and was not handed over.
pub fn inherited_to_write(number: RawFd) -> Option<OwnedFd> {
    if number < 0 {
        return None;
    }
    // SAFETY: borrowed for three calls that close nothing, and only fail if the number is not open.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    let is_given = !fcntl_getfd(borrowed).ok()?.contains(FdFlags::CLOEXEC);
    let is_written = fcntl_getfl(borrowed).ok()? & OFlags::RWMODE != OFlags::RDONLY;
    (is_given && is_written).then(|| fcntl_dupfd_cloexec(borrowed, 0).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, os::fd::AsRawFd};

    #[test]
    fn own_and_read_only_descriptors_are_not_inherited() {
        let file = tempfile::tempfile().unwrap();
        assert!(inherited_to_write(file.as_raw_fd()).is_none(), "closed on exec");
        rustix::io::fcntl_setfd(&file, FdFlags::empty()).unwrap();
        assert!(inherited_to_write(file.as_raw_fd()).is_some());
        let null = File::open("/dev/null").unwrap();
        rustix::io::fcntl_setfd(&null, FdFlags::empty()).unwrap();
        assert!(inherited_to_write(null.as_raw_fd()).is_none(), "opened for reading");
        assert!(inherited_to_write(-1).is_none() && inherited_to_write(1 << 30).is_none());
    }
}

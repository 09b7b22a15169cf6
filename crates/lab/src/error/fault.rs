//! Classifies errors by the kind of failure, so that a campaign knows whether another try is worthwhile.

use crate::error::LabError;
use disk::Refusal;
use model::result::FaultKind;
use std::io;

impl LabError {
    /// Classifies this failure of a target.
    pub fn fault(&self) -> FaultKind {
        match self {
            LabError::Disk(error) => of_disk(error),
            LabError::MountGone { .. } | LabError::BadDir { .. } | LabError::DirReplaced { .. } => {
                FaultKind::Gone
            }
            LabError::NotReady { .. }
            | LabError::ServerEnded { .. }
            | LabError::ServerKilled { .. } => FaultKind::Server,
            LabError::Guest { .. } => FaultKind::Guest,
            LabError::NoSpace { .. } | LabError::LowerFull { .. } => FaultKind::Space,
            _ => FaultKind::Other,
        }
    }
}

fn of_disk(error: &disk::Error) -> FaultKind {
    match error {
        disk::Error::DiskLost { .. } => FaultKind::Disk,
        // Another process uses it, or is slow to release it; all other reasons mean that the disk was exchanged.
        disk::Error::Refused(
            Refusal::Busy { .. } | Refusal::Locked { .. } | Refusal::PartAbsent { .. },
        ) => FaultKind::Other,
        disk::Error::Refused(_) => FaultKind::Disk,
        disk::Error::Command { of_options: true, .. } => FaultKind::Options,
        disk::Error::Command { .. } => FaultKind::Command,
        disk::Error::Io { source, .. } => io_fault(source),
        _ => FaultKind::Other,
    }
}

/// Classifies `error` as a failure of a target.
pub fn io_fault(error: &io::Error) -> FaultKind {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ESTALE | libc::ENOTCONN) => FaultKind::Gone,
        Some(libc::ENOSPC | libc::EDQUOT) => FaultKind::Space,
        _ => FaultKind::Io,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_refused_disk_is_lost_unless_it_is_only_busy() {
        let path = PathBuf::from("/dev/disk/by-id/x");
        let (was, is) = ("a".into(), "b".into());
        let changed = Refusal::Changed { path: path.clone(), was, is };
        for refusal in [changed, Refusal::Absent { path: path.clone() }] {
            assert_eq!(LabError::from(disk::Error::from(refusal)).fault(), FaultKind::Disk);
        }
        let busy = disk::Error::from(Refusal::Busy { path });
        assert_eq!(LabError::from(busy).fault(), FaultKind::Other);
    }

    #[test]
    fn an_error_number_tells_what_is_gone_or_full() {
        let fault = |number| io_fault(&io::Error::from_raw_os_error(number));
        assert_eq!(fault(libc::ENOENT), FaultKind::Gone);
        assert_eq!(fault(libc::ENOSPC), FaultKind::Space);
        assert_eq!(fault(libc::EIO), FaultKind::Io);
    }
}

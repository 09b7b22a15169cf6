//! Notices a `sync` of another program. It writes to every disk, so also to the one under test, where it may meet the
//! fault that an fsync was to meet, and get its error.

use lab::{error::LabError, recording::RecordingDisk, setup::Lab};
use std::{fs::File, io, os::unix::fs::FileExt};

/// Size of the disk, bytes.
const BYTES: u64 = 1 << 20;
const PAGE: usize = 4096;

/// A disk of which one page in the cache is dirty: the kernel writes it at a `sync`, otherwise only after 30 s or when
/// memory is needed. A `sync` comes to block devices after all file systems, so what it did to one is noticed.
#[derive(Debug)]
pub(super) struct SyncWitness {
    /// The device, open: the last close would write the page. Closed before the disk goes.
    page: File,
    disk: RecordingDisk,
}

impl SyncWitness {
    /// # Errors
    /// There is no further loop device.
    pub(super) fn make(lab: &Lab) -> Result<SyncWitness, LabError> {
        let disk = RecordingDisk::make(lab, "witness", BYTES)?;
        let page = File::options().write(true).open(disk.device());
        let page = page.map_err(LabError::io("open", disk.device()))?;
        Ok(SyncWitness { page, disk })
    }

    /// Begins to watch. Returns what [`SyncWitness::is_synced`] asks for.
    pub(super) fn watch(&self) -> io::Result<u64> {
        self.page.write_all_at(&[1; PAGE], 0)?;
        Ok(self.disk.served().writes)
    }

    /// True where the page was written `since`.
    pub(super) fn is_synced(&self, since: u64) -> bool {
        self.disk.served().writes > since
    }
}

//! A target on a recording disk.

use super::{
    FaultsError,
    mount::{How, Mounted},
    sync_witness::SyncWitness,
    test_disk::{self, TestDisk},
};
use ::faults::failed_write::{HEAD_BYTES, Traits};
use ::fs::{Part, ResolvedTarget, Site};
use lab::{error::LabError, programs::Run, recording::RecordingDisk, setup::Lab};
use std::{fs::File, os::unix::fs::FileExt, path::PathBuf, thread};

/// Least size of the disk, bytes: what mkfs.xfs takes.
pub(super) const DISK_BYTES: u64 = 300 << 20;
/// Most data that is logged, bytes.
pub(super) const LOG_BYTES: usize = 256 << 20;
/// States that are examined at once, for each processor: a mount mostly waits, for the loop device and for the kernel
/// to free what an unmount left.
const DISKS_EACH: usize = 4;
/// Most of them; each takes a loop device, and memory as it is written.
const DISKS_MAX: usize = 16;

/// A target on a recording disk, on which one fault after the other is tried. States after a crash are examined on test
/// disks, on several at once.
#[derive(Debug)]
pub struct RecordedTarget<'a> {
    pub(super) target: &'a ResolvedTarget,
    pub(super) part: &'a Part,
    pub(super) disk: RecordingDisk,
    pub(super) site: Site,
    pub(super) how: How,
    /// How the file system keeps its promises.
    pub(super) traits: Traits,
    /// For states after a crash.
    pub(super) test_disks: Vec<TestDisk>,
    /// Where applications see it.
    pub(super) at: PathBuf,
    /// Notices what other programs do to all disks.
    pub(super) witness: SyncWitness,
    /// Trials that were begun on it.
    begun: u64,
}

impl<'a> RecordedTarget<'a> {
    /// Makes `target` on a new disk in `lab`. Several states are examined at once.
    ///
    /// # Errors
    /// It is not one file system on one disk that the kernel mounts, or it cannot be made.
    pub fn make(lab: &Lab, target: &'a ResolvedTarget) -> Result<RecordedTarget<'a>, FaultsError> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        RecordedTarget::make_with(lab, target, (DISKS_EACH * processors).min(DISKS_MAX))
    }

    /// Like [`RecordedTarget::make`], with `test_disks` states examined at once: none where no power is cut, and at
    /// most one where copies of the file system cannot be mounted at once.
    ///
    /// # Errors
    /// The same.
    pub fn make_with(
        lab: &Lab,
        target: &'a ResolvedTarget,
        test_disks: usize,
    ) -> Result<RecordedTarget<'a>, FaultsError> {
        let part = single(target)?;
        let bytes = part.fs.about().min_bytes.max(DISK_BYTES);
        let disk = RecordingDisk::make(lab, "faults", bytes)?;
        let site = test_disk::site(part, &[disk.device()], bytes);
        for command in part.fs.mkfs(&site, &part.options) {
            command.run()?;
        }
        let how = How::of(part, &site)?;
        let traits = Traits::of(how.kind(), how.options(), &read(&disk, 0, HEAD_BYTES)?);
        // Btrfs knows file systems by their UUID, and refuses some mounts of a copy with EEXIST, which would be taken
        // for harm.
        let test_disks =
            if part.fs.copy_options().is_some() { test_disks } else { test_disks.min(1) };
        let test_disks = (0..test_disks).map(|_| TestDisk::make(lab, part, bytes));
        let test_disks = test_disks.collect::<Result<_, _>>()?;
        let at = lab.make_mount_dir("after-fault")?;
        let witness = SyncWitness::make(lab)?;
        let begun = 0;
        Ok(RecordedTarget { target, part, disk, site, how, traits, test_disks, at, witness, begun })
    }

    /// Begins one more trial: the disk is as it was when recording began last. Returns its number.
    pub(super) fn begin(&mut self) -> Result<u64, FaultsError> {
        if self.begun > 0 {
            self.disk.show([])?;
        }
        self.begun += 1;
        Ok(self.begun - 1)
    }

    /// Mounts it, before any fault.
    pub(super) fn mount(&self) -> Result<Mounted, FaultsError> {
        self.how.mount()?.map_err(|errno| FaultsError::Mount { target: self.name(), errno })
    }

    /// Unmounts it, and waits until nothing uses the disk.
    pub(super) fn unmount(&self, mounted: Mounted) -> Result<(), FaultsError> {
        drop(mounted);
        Ok(disk::wait_free(self.disk.device())?)
    }

    /// `length` bytes of the disk from byte `offset`. It is not mounted.
    pub(super) fn bytes(&self, offset: u64, length: usize) -> Result<Vec<u8>, FaultsError> {
        read(&self.disk, offset, length)
    }

    /// Its name, as it was asked for.
    pub(super) fn name(&self) -> String {
        self.target.target().to_string()
    }
}

fn read(disk: &RecordingDisk, offset: u64, length: usize) -> Result<Vec<u8>, FaultsError> {
    let mut bytes = vec![0; length];
    let file = File::open(disk.device());
    let read = file.and_then(|file| file.read_exact_at(&mut bytes, offset));
    read.map_err(LabError::io("read", disk.device()))?;
    Ok(bytes)
}

/// The one part of a target.
pub(super) fn single(target: &ResolvedTarget) -> Result<&Part, FaultsError> {
    let refused =
        |why: &str| FaultsError::Target { target: target.target().to_string(), why: why.into() };
    match target.parts() {
        [part] if part.disks() == 1 => Ok(part),
        [] => Err(refused("it is a directory; name a file system")),
        _ => Err(refused("it is not one file system on one disk")),
    }
}

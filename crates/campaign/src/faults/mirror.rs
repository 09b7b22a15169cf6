//! A mirror of two recording disks. A fault is of one leg alone; then the files are read through the mirror, and from
//! each leg alone.

mod alone;
mod bad_copy;
mod lost_disk;
mod reads;
mod scrub;

pub use reads::FilesRead;

use super::{
    FaultsError, Scrubbed,
    mount::{How, Mounted},
    recorded_target::DISK_BYTES,
    test_disk,
};
use ::faults::rule::{On, Rule, What, When};
use ::fs::{Part, ResolvedTarget};
use lab::{
    error::LabError,
    programs::Run,
    recording::{RecordingDisk, ShownDisk, btrfs},
    setup::Lab,
};
use model::result::{Moment, ReadFrom};
use rustix::io::Errno;
use std::{fs::File, path::Path, time::Duration};

/// A mirror on two recording disks, one of which gets a fault.
#[derive(Debug)]
pub struct Mirror<'a> {
    target: &'a ResolvedTarget,
    legs: [RecordingDisk; 2],
    /// Takes the place of a lost leg.
    spare: RecordingDisk,
    /// Where a copy of a leg is mounted alone.
    copy: ShownDisk,
    /// How it is mounted with both legs.
    how: How,
    /// Requests that a leg gets in the workload of a lost disk, once that is known.
    requests: Option<u64>,
}

/// What was seen in one try.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenMirror {
    /// Files that were written and synced, and acknowledged where a disk was lost.
    pub written: u64,
    /// Whether a write or fsync failed.
    pub is_refused: bool,
    /// Reads, in order.
    pub looks: Vec<(Moment, ReadFrom, FilesRead)>,
    /// What a scrub made of it.
    pub scrub: Option<Scrubbed>,
    /// How long a replacement of the leg took.
    pub rebuild: Option<Duration>,
}

impl<'a> Mirror<'a> {
    /// Makes `target` on two new disks in `lab`.
    ///
    /// # Errors
    /// It is not a mirror whose legs can be mounted alone, or it cannot be made.
    pub fn make(lab: &Lab, target: &'a ResolvedTarget) -> Result<Mirror<'a>, FaultsError> {
        let part = mirrored(target)?;
        let bytes = part.fs.about().min_bytes.max(DISK_BYTES);
        let disk = || RecordingDisk::make(lab, "mirror", bytes);
        let (legs, spare) = ([disk()?, disk()?], disk()?);
        let site = test_disk::site(part, &legs.each_ref().map(RecordingDisk::device), bytes);
        for command in part.fs.mkfs(&site, &part.options) {
            command.run()?;
        }
        let how = How::of(part, &site)?;
        let copy = ShownDisk::make(lab, bytes)?;
        let mirror = Mirror { target, legs, spare, copy, how, requests: None };
        for disk in mirror.legs.iter().chain([&mirror.spare]) {
            // What it holds now is shown again before each try.
            disk.record(0);
            disk.recorded()?;
        }
        Ok(mirror)
    }

    /// Shows both legs as they were made.
    fn begin(&self) -> Result<(), FaultsError> {
        self.forget()?;
        Ok(self.legs.iter().try_for_each(|leg| leg.show([]))?)
    }

    /// Mounts it with both legs, before any fault.
    fn mount(&self) -> Result<Mounted, FaultsError> {
        let mounted = self.how.without_access_times().mount()?;
        mounted.map_err(|errno| FaultsError::Mount { target: self.name(), errno })
    }

    /// Unmounts it, and waits until nothing uses the disks.
    fn unmount(&self, mounted: Mounted) -> Result<(), FaultsError> {
        drop(mounted);
        self.wait_free()
    }

    fn wait_free(&self) -> Result<(), FaultsError> {
        let devices = self.legs.iter().chain([&self.spare]).map(RecordingDisk::device);
        Ok(devices.chain([self.copy.device()]).try_for_each(disk::wait_free)?)
    }

    /// Has the kernel forget all disks: it would take those that it remembers for legs of what is mounted next.
    fn forget(&self) -> Result<(), FaultsError> {
        let devices = self.legs.iter().chain([&self.spare]).map(RecordingDisk::device);
        for device in devices.chain([self.copy.device()]) {
            btrfs::forget(device).map_err(failed("forget", device))?;
        }
        Ok(())
    }

    /// Its name, as it was asked for.
    fn name(&self) -> String {
        self.target.target().to_string()
    }
}

impl SeenMirror {
    fn note(&mut self, moment: Moment, from: ReadFrom, look: FilesRead) {
        self.looks.push((moment, from, look));
    }
}

fn open(root: &Path) -> Result<File, FaultsError> {
    Ok(File::open(root).map_err(LabError::io("open", root))?)
}

/// The error of a request to `path` that the kernel refused.
fn failed(what: &'static str, path: &Path) -> impl FnOnce(Errno) -> FaultsError {
    let error = LabError::io(what, path);
    |errno| error(errno.into()).into()
}

/// The rule of a disk that answers `answered` more requests, and fails all others.
fn lost(answered: u64) -> Rule {
    let when = When { after: answered, times: None };
    Rule { on: On::Any, range: 0..u64::MAX, when, what: What::Error }
}

/// The one part of a target that is a mirror.
fn mirrored(target: &ResolvedTarget) -> Result<&Part, FaultsError> {
    match target.parts() {
        [part] if part.fs.is_mirror(&part.options) => Ok(part),
        parts => Err(FaultsError::NoMirror {
            target: target.target().to_string(),
            why: match parts.iter().any(|part| part.disks() > 1) {
                true => "its legs cannot be mounted alone like those of btrfs[raid1]",
                false => "it is not a mirror like btrfs[raid1]",
            },
        }),
    }
}

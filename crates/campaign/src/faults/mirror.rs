//! A target on several recording disks that keeps everything when one is lost. A fault is of one leg alone; then the
//! files are read through the mirror, and from every set of legs that is just enough.

mod alone;
mod assembly;
mod bad_copy;
mod legs;
mod lost_disk;
mod reads;
mod repair;
mod scrub;

pub use reads::FilesRead;

use super::{FaultsError, Scrubbed, recorded_target::DISK_BYTES};
use ::faults::{
    mirror::sets,
    rule::{On, Rule, What, When},
};
use ::fs::{Part, Redundancy, ResolvedTarget};
use lab::{
    error::LabError,
    programs::Run,
    recording::{RecordingDisk, ShownDisk},
    setup::Lab,
};
use model::result::{Moment, ReadFrom};
use rustix::io::Errno;
use std::{path::Path, time::Duration};

/// A mirror on recording disks, one of which gets a fault.
#[derive(Debug)]
pub struct Mirror<'a> {
    target: &'a ResolvedTarget,
    /// The part that keeps everything.
    part: &'a Part,
    redundancy: Redundancy,
    legs: Vec<RecordingDisk>,
    /// Takes the place of a lost leg.
    spare: RecordingDisk,
    /// Where copies of legs are mounted, as many as are enough.
    copies: Vec<ShownDisk>,
    bytes: u64,
    /// Requests that each leg gets in the workload of a lost disk, once that is known.
    requests: Option<Vec<u64>>,
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
    /// Makes `target` on new disks in `lab`.
    ///
    /// # Errors
    /// It does not keep everything when a leg is lost, or it cannot be made.
    pub fn make(lab: &Lab, target: &'a ResolvedTarget) -> Result<Mirror<'a>, FaultsError> {
        let (part, redundancy) = redundant(target)?;
        let bytes = part.fs.about().min_bytes.max(DISK_BYTES);
        let disk = || RecordingDisk::make(lab, "mirror", bytes);
        let legs = (0..target.disks()).map(|_| disk()).collect::<Result<Vec<_>, _>>()?;
        let enough = legs.len() - redundancy.losses;
        let copies = (0..enough).map(|_| ShownDisk::make(lab, bytes)).collect::<Result<_, _>>()?;
        let (spare, requests) = (disk()?, None);
        let mirror = Mirror { target, part, redundancy, legs, spare, copies, bytes, requests };
        for (part, site) in mirror.whole()?.parts() {
            for command in part.fs.mkfs(site, &part.options) {
                command.run()?;
            }
        }
        for disk in mirror.disks() {
            // What it holds now is shown again before each try.
            disk.record(0);
            disk.recorded()?;
        }
        Ok(mirror)
    }

    /// How many legs it has, and how many of them are just enough to read everything.
    pub fn legs(&self) -> (usize, usize) {
        (self.legs.len(), self.copies.len())
    }

    /// All sets of legs that are just enough.
    fn sets(&self) -> Vec<Vec<usize>> {
        sets(self.legs.len(), self.copies.len())
    }

    /// Its legs, and what takes the place of one.
    fn disks(&self) -> impl Iterator<Item = &RecordingDisk> {
        self.legs.iter().chain([&self.spare])
    }

    /// Shows all legs as they were made.
    fn begin(&self) -> Result<(), FaultsError> {
        self.forget()?;
        Ok(self.legs.iter().try_for_each(|leg| leg.show([]))?)
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

/// The one part of a target that keeps everything when a disk is lost.
fn redundant(target: &ResolvedTarget) -> Result<(&Part, Redundancy), FaultsError> {
    let found = match target.parts() {
        [part] => part.fs.redundancy(&part.options).map(|redundancy| (part, redundancy)),
        _ => None,
    };
    found.ok_or_else(|| FaultsError::NoMirror {
        target: target.target().to_string(),
        why: match target.parts().iter().any(|part| part.disks() > 1) {
            true => "it cannot be read without one of its disks",
            false => "it is not a mirror like btrfs[raid1]",
        },
    })
}

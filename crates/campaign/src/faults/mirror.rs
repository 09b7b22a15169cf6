//! A target on several recording disks that keeps everything when one is lost. A fault is of one leg alone; then the
//! files are read through the mirror, and from every set of legs that is just enough.

mod alone;
mod assembly;
mod bad_copy;
mod legs;
mod lost_disk;
mod power_cut;
mod reads;
mod repair;
mod scrub;

pub use reads::FilesRead;

use super::{
    FaultsError, Scrubbed,
    recorded_target::{DISK_BYTES, LOG_BYTES},
};
use ::faults::{
    log::Log,
    mirror::sets,
    rule::{On, Rule, What, When},
};
use ::fs::{Part, Redundancy, ResolvedTarget};
use assembly::is_one_mount;
use lab::{
    error::LabError,
    recording::{Layers, Places, Present, RecordingDisk, ShownDisk},
    setup::Lab,
};
use model::result::{Moment, ReadFrom};
use rustix::io::Errno;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Least size of a disk of an array, bytes.
const ARRAY_BYTES: u64 = 96 << 20;

/// Writes to a disk, oldest first: the first byte of the disk, and the bytes.
type Writes = Vec<(u64, Vec<u8>)>;

/// A mirror on recording disks, one of which gets a fault.
#[derive(Debug)]
pub struct Mirror<'a> {
    lab: &'a Lab,
    target: &'a ResolvedTarget,
    /// The number of the part that keeps everything.
    number: usize,
    redundancy: Redundancy,
    /// Whether the uppermost part is mounted by one call, or mounts itself.
    is_mounted_here: bool,
    /// Where its parts are.
    places: Places,
    /// Where those are that the spare disk has below the part that keeps everything.
    spare_places: Places,
    /// The directory in which the uppermost part mounts itself.
    root: PathBuf,
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
    /// Whether no read through the mirror met the bad block.
    pub is_unmet: bool,
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
    pub fn make(lab: &'a Lab, target: &'a ResolvedTarget) -> Result<Mirror<'a>, FaultsError> {
        let (number, redundancy) = redundant(target)?;
        let parts = target.parts();
        let bytes = bytes(parts);
        let disk = || RecordingDisk::make(lab, "mirror", bytes);
        let legs = (0..target.disks()).map(|_| disk()).collect::<Result<Vec<_>, _>>()?;
        let enough = legs.len() - redundancy.losses;
        let copies = (0..enough).map(|_| ShownDisk::make(lab, bytes)).collect::<Result<_, _>>()?;
        let (spare, requests) = (disk()?, None);
        let nodes: Vec<PathBuf> = legs.iter().map(|leg| leg.device().into()).collect();
        let places = lab.places(parts, &nodes, bytes)?;
        let spare_places = lab.places(&parts[..number], &[spare.device().into()], bytes)?;
        let paths: Vec<&Path> = nodes.iter().map(PathBuf::as_path).collect();
        let on = (paths.as_slice(), bytes, Present::All);
        let layers = Layers::new(lab, parts, &places, on, 0);
        let top = (parts.len() - 1, layers.site(parts.len() - 1));
        let mount = parts[top.0].fs.mount(top.1, &parts[top.0].options);
        let (is_mounted_here, root) = (is_one_mount(&mount), top.1.dir.clone());
        drop(layers);
        let mirror = Mirror {
            lab,
            target,
            number,
            redundancy,
            is_mounted_here,
            places,
            spare_places,
            root,
            legs,
            spare,
            copies,
            bytes,
            requests,
        };
        mirror.whole()?.make()?;
        mirror.wait_free()?;
        for disk in mirror.disks() {
            // What it holds now is shown again before each try.
            disk.record(0);
            disk.recorded()?;
        }
        Ok(mirror)
    }

    /// The part that keeps everything.
    fn part(&self) -> &'a Part {
        &self.target.parts()[self.number]
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
        self.show(self.legs.iter().map(|_| Vec::new()))
    }

    /// The same, and records what is asked of each from then on.
    fn begin_recorded(&self) -> Result<(), FaultsError> {
        self.begin()?;
        self.legs.iter().for_each(|leg| leg.record(LOG_BYTES));
        Ok(())
    }

    /// What was asked of each leg since.
    fn logs(&self) -> Result<Vec<Log>, FaultsError> {
        Ok(self.legs.iter().map(RecordingDisk::recorded).collect::<Result<_, _>>()?)
    }

    /// Shows each leg with what was `written` to it since it was made.
    fn show(&self, written: impl IntoIterator<Item = Writes>) -> Result<(), FaultsError> {
        self.forget()?;
        let mut legs = self.legs.iter().zip(written);
        Ok(legs.try_for_each(|(leg, written)| leg.show(written))?)
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

/// Bytes of each disk: what all parts need. Below an array they are few, because it compares and rebuilds all of them.
fn bytes(parts: &[Part]) -> u64 {
    let needed = parts.iter().map(|part| part.fs.about().min_bytes).sum::<u64>();
    needed.max(if parts.len() > 1 { ARRAY_BYTES } else { DISK_BYTES })
}

/// The number of the part of a target that keeps everything when a disk is lost.
fn redundant(target: &ResolvedTarget) -> Result<(usize, Redundancy), FaultsError> {
    let parts = target.parts().iter().enumerate();
    let found =
        parts.filter_map(|(number, part)| Some((number, part.fs.redundancy(&part.options)?)));
    match found.collect::<Vec<_>>()[..] {
        [one] => Ok(one),
        _ => Err(FaultsError::NoMirror {
            target: target.target().to_string(),
            why: match target.parts().iter().any(|part| part.disks() > 1) {
                true => "it cannot be read without one of its disks",
                false => "it is not on several disks, like btrfs[raid1]",
            },
        }),
    }
}

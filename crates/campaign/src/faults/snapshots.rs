//! Makes snapshots of a file system on a disk in memory, and observes whether they stay as they were taken, what they
//! cost, and when their space comes back.

mod check;
mod crash;
mod kept;
mod level;
mod times;
mod volume;

use super::{FaultsError, memory_target::MemoryTarget, mount::Mounted};
use ::faults::full::Content;
use ::fs::ResolvedTarget;
use check::Checked;
use kept::Kept;
use lab::setup::Lab;
use level::Drawn;
use model::{
    random::Rng,
    result::{SnapshotLevel, SnapshotMoment, SnapshotTry},
};
use rustix::io::Errno;
use std::io;
use times::Times;
use volume::MountedVolume;

/// Numbers of snapshots that are tried. Each is a divisor of the largest, or zero.
const LEVELS: [u64; 3] = [0, 10, 100];

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotsAsked {
    /// Live files.
    pub files: u64,
    /// Files that are changed between two snapshots.
    pub change: u64,
    /// Times of each operation with each number of snapshots.
    pub times: u64,
    /// Of the changes, and of all that is drawn.
    pub seed: u64,
}

/// A target of which snapshots can be made, on a disk in memory.
#[derive(Debug)]
pub struct SnapshotTarget<'a> {
    target: MemoryTarget<'a>,
}

impl<'a> SnapshotTarget<'a> {
    /// A disk for `target` in `lab`.
    ///
    /// # Errors
    /// The target has no snapshots that can be made here, it is not one file system on one disk that the kernel mounts,
    /// or there is no disk.
    pub fn make(lab: &Lab, target: &'a ResolvedTarget) -> Result<SnapshotTarget<'a>, FaultsError> {
        has_snapshots(target)?;
        Ok(SnapshotTarget { target: MemoryTarget::make(lab, target)? })
    }

    /// Bytes of the disk.
    pub fn bytes(&self) -> u64 {
        self.target.bytes()
    }

    /// Tries each number of snapshots on a fresh file system of its own, in a drawn order.
    ///
    /// # Errors
    /// The file system cannot be made, refuses a change or a snapshot, or its checker cannot be run.
    pub fn snapshots(&self, asked: SnapshotsAsked) -> Result<SnapshotTry, FaultsError> {
        let content = Content::new(asked.seed);
        let mut order = LEVELS;
        Rng::new(asked.seed ^ 0x6f72_6465).shuffle(&mut order);
        let mut checked = Checked::default();
        let (mut levels, mut is_damaged) = (Vec::new(), None);
        for snapshots in order {
            let asked = Drawn { asked, snapshots };
            levels.extend(self.level(asked, &content, &mut checked)?);
            let finds = self.target.is_damaged()?;
            is_damaged = finds.map(|finds| finds || is_damaged == Some(true));
        }
        levels.sort_unstable_by_key(|level| level.snapshots);
        let Checked { reads, example } = checked;
        Ok(SnapshotTry { levels, reads, example, is_damaged })
    }

    /// One number of snapshots; `None` where it cannot be mounted again.
    fn level(
        &self,
        drawn: Drawn,
        content: &Content,
        checked: &mut Checked,
    ) -> Result<Option<SnapshotLevel>, FaultsError> {
        let (mut kept, mut times) = (Kept::new(content, drawn.asked), Times::default());
        let mounted = self.target.fresh()?;
        let built = MountedVolume::make(&mounted)
            .and_then(|volume| drawn.build(&volume, &mut kept, &mut times, checked));
        self.done(mounted, built)?;

        let Some(mounted) = self.mount(SnapshotMoment::Mounted, &kept, checked)? else {
            return Ok(None);
        };
        let halved = MountedVolume::open(&mounted)
            .and_then(|volume| drawn.halve(&volume, &mut kept, &mut times, checked));
        let used_bytes = self.done(mounted, halved)?;

        let Some(mounted) = self.mount(SnapshotMoment::Dropped, &kept, checked)? else {
            return Ok(None);
        };
        let cleared = MountedVolume::open(&mounted)
            .and_then(|volume| drawn.clear(&volume, &mut kept, &mut times, checked));
        let left_bytes = self.done(mounted, cleared)?;
        Ok(Some(times.level(drawn.snapshots, (used_bytes, left_bytes))))
    }

    /// Mounts it again; where it cannot be mounted, all is wrong.
    fn mount(
        &self,
        moment: SnapshotMoment,
        kept: &Kept<'_>,
        checked: &mut Checked,
    ) -> Result<Option<Mounted>, FaultsError> {
        let lost = |errno: Errno| checked.note_lost(moment, kept, &errno);
        Ok(self.target.mount()?.map_err(lost).ok())
    }

    /// Unmounts it, whatever the result.
    fn done<T>(&self, mounted: Mounted, result: io::Result<T>) -> Result<T, FaultsError> {
        self.target.unmount(mounted)?;
        result.map_err(|error| FaultsError::Snapshots { target: self.target.name(), error })
    }
}

/// Refuses a target of which no snapshots can be made here.
fn has_snapshots(target: &ResolvedTarget) -> Result<(), FaultsError> {
    match target.parts() {
        [part] if part.fs.has_subvolumes() => Ok(()),
        _ => Err(FaultsError::NoSnapshots {
            target: target.target().to_string(),
            why: "it is not one file system with subvolumes like btrfs",
        }),
    }
}

#[cfg(test)]
mod tests;

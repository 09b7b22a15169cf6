//! Snapshots: whether they stay as they were taken, what they cost, and when their space comes back.

use super::{CrashStates, Spread};
use serde::{Deserialize, Serialize};

/// When all files of snapshots are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotMoment {
    /// After later changes, in the mount in which they were taken.
    Changed,
    /// After a fresh mount.
    Mounted,
    /// After half of them were dropped, and a fresh mount.
    Dropped,
}

impl SnapshotMoment {
    /// All of them.
    pub const ALL: [SnapshotMoment; 3] =
        [SnapshotMoment::Changed, SnapshotMoment::Mounted, SnapshotMoment::Dropped];
}

/// Reads of all files at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotReads {
    /// When.
    pub moment: SnapshotMoment,
    /// Snapshots that were read.
    pub read: u64,
    /// Those with a name or content that is not as when they were taken, or that could not be read.
    pub wrong: u64,
    /// Reads of the live files.
    pub live_read: u64,
    /// Those in which a file was not as it was synced.
    pub live_wrong: u64,
}

impl SnapshotReads {
    /// None yet at `moment`.
    pub fn none(moment: SnapshotMoment) -> SnapshotReads {
        SnapshotReads { moment, read: 0, wrong: 0, live_read: 0, live_wrong: 0 }
    }
}

/// An operation on the live files that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotOperation {
    /// A block of 4 KiB of an old file is overwritten and synced.
    Overwrite,
    /// A file of 64 KiB is created and synced.
    Create,
    /// A file is deleted, and its directory synced.
    Delete,
    /// An old file is read from the disk.
    Read,
}

impl SnapshotOperation {
    /// All of them.
    pub const ALL: [SnapshotOperation; 4] = [
        SnapshotOperation::Overwrite,
        SnapshotOperation::Create,
        SnapshotOperation::Delete,
        SnapshotOperation::Read,
    ];
}

/// How long an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotSpeed {
    /// Which one.
    pub operation: SnapshotOperation,
    /// Its times.
    pub time: Option<Spread>,
}

/// What was seen with one number of snapshots on a file system of its own. The same changes are made for each number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotLevel {
    /// How many there are.
    pub snapshots: u64,
    /// Time to make one where everything was synced before; `None` where none was made so.
    pub make: Option<Spread>,
    /// The same where the changes before it were not synced.
    pub make_unsynced: Option<Spread>,
    /// Time of a sync of the file system right after.
    pub sync: Option<Spread>,
    /// Time until the call that drops one returns.
    pub drop: Option<Spread>,
    /// Time from that call, with a sync, until the space of the one snapshot is back.
    pub back: Option<Spread>,
    /// The same of half of all snapshots, dropped one after the other; `None` where it took too long.
    pub back_half_ns: Option<u64>,
    /// How often the space was not back within a minute.
    pub late: u64,
    /// Times of operations on the live files.
    pub speeds: Vec<SnapshotSpeed>,
    /// Bytes in use with all snapshots, as statvfs says.
    pub used_bytes: u64,
    /// Bytes in use after all were dropped and cleaned up.
    pub left_bytes: u64,
}

/// One try: each number of snapshots once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotTry {
    /// In the order of the numbers; the first is without snapshots.
    pub levels: Vec<SnapshotLevel>,
    /// Reads at each moment, of all numbers.
    pub reads: Vec<SnapshotReads>,
    /// The first file that was wrong, with its snapshot.
    pub example: Option<String>,
    /// Whether the checker found damage; `None` where the file system has no checker.
    pub is_damaged: Option<bool>,
}

impl SnapshotTry {
    /// Reads of a snapshot that were not as it was taken.
    pub fn wrong(&self) -> u64 {
        self.reads.iter().fold(0, |all, own| all.saturating_add(own.wrong))
    }

    /// Reads of the live files that were not as they were synced.
    pub fn live_wrong(&self) -> u64 {
        self.reads.iter().fold(0, |all, own| all.saturating_add(own.live_wrong))
    }

    /// Whether anything acknowledged was not as it was, or the file system is damaged.
    pub fn is_harmed(&self) -> bool {
        self.wrong() > 0 || self.live_wrong() > 0 || self.is_damaged == Some(true)
    }

    /// What was seen with this many snapshots.
    pub fn level(&self, snapshots: u64) -> Option<&SnapshotLevel> {
        self.levels.iter().find(|own| own.snapshots == snapshots)
    }

    /// The median time of `operation` with this many snapshots, relative to that without; `None` where one of them has
    /// none.
    pub fn ratio(&self, operation: SnapshotOperation, snapshots: u64) -> Option<f64> {
        let median = |snapshots| {
            let speeds = &self.level(snapshots)?.speeds;
            let own = speeds.iter().find(|own| own.operation == operation)?;
            Some(own.time?.median_ns as f64)
        };
        let base = median(0).filter(|base| *base > 0.0)?;
        Some(median(snapshots)? / base)
    }

    /// Bytes that this many snapshots held, and those of them that were still in use after all were dropped: both more
    /// than where the same was done without snapshots.
    pub fn held(&self, snapshots: u64) -> Option<(u64, u64)> {
        let (own, without) = (self.level(snapshots)?, self.level(0)?);
        let held = own.used_bytes.saturating_sub(without.used_bytes);
        Some((held, own.left_bytes.saturating_sub(without.left_bytes)))
    }
}

/// What was seen of snapshots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshots {
    /// The seed of the changes, and of what is drawn.
    pub seed: u64,
    /// Bytes of the disk.
    pub device_bytes: u64,
    /// Each try, in order.
    pub tries: Vec<SnapshotTry>,
    /// States after a power failure, held to snapshots that were synced; `None` where none was tried.
    pub synced: Option<CrashStates>,
    /// The same, held to snapshots whose call had returned: no harm, as no call promised that.
    pub returned: Option<CrashStates>,
}

impl Snapshots {
    /// Tries with harm.
    pub fn harmed(&self) -> u64 {
        self.tries.iter().filter(|one| one.is_harmed()).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(snapshots: u64, median_ns: u64, used_bytes: u64, left_bytes: u64) -> SnapshotLevel {
        let time = Some(Spread { min_ns: 1, median_ns, max_ns: 900 });
        SnapshotLevel {
            snapshots,
            make: time,
            make_unsynced: None,
            sync: None,
            drop: None,
            back: None,
            back_half_ns: None,
            late: 0,
            speeds: vec![SnapshotSpeed { operation: SnapshotOperation::Create, time }],
            used_bytes,
            left_bytes,
        }
    }

    fn one_try() -> SnapshotTry {
        SnapshotTry {
            levels: vec![level(0, 200, 50, 40), level(10, 300, 80, 45), level(100, 100, 30, 30)],
            reads: SnapshotMoment::ALL.map(SnapshotReads::none).into(),
            example: None,
            is_damaged: Some(false),
        }
    }

    #[test]
    fn figures_are_relative_to_those_without_snapshots() {
        let one = one_try();
        let ratio = |snapshots| one.ratio(SnapshotOperation::Create, snapshots);
        assert_eq!([ratio(10), ratio(100), ratio(7)], [Some(1.5), Some(0.5), None]);
        assert_eq!(one.ratio(SnapshotOperation::Read, 10), None);
        assert_eq!([one.held(10), one.held(100)], [Some((30, 5)), Some((0, 0))]);
    }

    #[test]
    fn each_wrong_read_and_damage_is_harm() {
        let fine = one_try();
        let wrong = |change: fn(&mut SnapshotTry)| {
            let mut one = fine.clone();
            change(&mut one);
            one
        };
        let tries = vec![
            wrong(|one| one.reads[1].wrong = 2),
            wrong(|one| one.reads[2].live_wrong = 1),
            wrong(|one| one.is_damaged = Some(true)),
            wrong(|one| one.levels[1].late = 3),
            fine,
        ];
        assert_eq!((tries[0].wrong(), tries[1].live_wrong()), (2, 1));
        let (synced, returned) = (None, None);
        assert_eq!(Snapshots { seed: 1, device_bytes: 9, tries, synced, returned }.harmed(), 3);
    }

    #[test]
    fn every_word_is_listed_once() {
        assert!(SnapshotMoment::ALL.is_sorted() && SnapshotOperation::ALL.is_sorted());
        let last = (SnapshotMoment::ALL.last(), SnapshotOperation::ALL.last());
        let known = (Some(&SnapshotMoment::Dropped), Some(&SnapshotOperation::Read));
        assert_eq!(last, known, "the last of each enum");
    }
}

//! Puts together over the blocks of a campaign what was seen of snapshots.

use super::{
    full::Range,
    injected::{At, by_place},
};
use model::result::{
    AfterFault, CrashStates, Dataset, SnapshotLevel, SnapshotMoment, SnapshotOperation,
    SnapshotReads, SnapshotTry, Snapshots, Spread,
};
use serde::Serialize;

/// What was seen of snapshots on one target, in all blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SnapshotCell {
    /// Stable test id.
    pub test: String,
    /// Display name of the test.
    pub name: String,
    /// Label.
    pub target: String,
    /// Bytes of the disk.
    pub device_bytes: u64,
    /// Each try of each block.
    pub tries: Vec<SnapshotTry>,
    /// Those in which something was not as it was taken or synced, or the file system damaged.
    pub harmed: u64,
    /// States after a power failure of each block, held to snapshots that were synced.
    pub synced: Vec<CrashStates>,
    /// The same, held to snapshots whose call had returned.
    pub returned: Vec<CrashStates>,
}

impl SnapshotCell {
    fn new(at: At, all: &[&Snapshots]) -> Option<SnapshotCell> {
        Some(SnapshotCell {
            test: at.test,
            name: at.name,
            target: at.target,
            device_bytes: all.first()?.device_bytes,
            tries: all.iter().flat_map(|own| own.tries.clone()).collect(),
            harmed: all.iter().map(|own| own.harmed()).sum(),
            synced: all.iter().filter_map(|own| own.synced.clone()).collect(),
            returned: all.iter().filter_map(|own| own.returned.clone()).collect(),
        })
    }

    /// Reads at `moment`, over the tries; `None` where none was made.
    pub fn reads(&self, moment: SnapshotMoment) -> Option<SnapshotReads> {
        let own = self.tries.iter().flat_map(|one| &one.reads).filter(|own| own.moment == moment);
        own.copied().reduce(|all, one| SnapshotReads {
            moment,
            read: all.read.saturating_add(one.read),
            wrong: all.wrong.saturating_add(one.wrong),
            live_read: all.live_read.saturating_add(one.live_read),
            live_wrong: all.live_wrong.saturating_add(one.live_wrong),
        })
    }

    /// Numbers of snapshots that were tried, without 0.
    pub fn numbers(&self) -> Vec<u64> {
        let all = self.tries.iter().flat_map(|one| &one.levels).map(|level| level.snapshots);
        let mut all: Vec<u64> = all.filter(|number| *number > 0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What was seen with this many snapshots, in each try.
    pub fn levels(&self, snapshots: u64) -> impl Iterator<Item = &SnapshotLevel> {
        self.tries.iter().filter_map(move |one| one.level(snapshots))
    }

    /// A time with this many snapshots, over the tries.
    pub fn time(
        &self,
        snapshots: u64,
        of: impl Fn(&SnapshotLevel) -> Option<Spread>,
    ) -> Option<Spread> {
        Spread::of_blocks(&self.levels(snapshots).filter_map(of).collect::<Vec<_>>())
    }

    /// The time of `operation` with this many snapshots, relative to that without in the same try, over the tries.
    pub fn ratio(&self, operation: SnapshotOperation, snapshots: u64) -> Option<Range> {
        Range::of(self.tries.iter().filter_map(|one| one.ratio(operation, snapshots)).collect())
    }

    /// Bytes that this many snapshots held, and those that did not come back, over the tries.
    pub fn held(&self, snapshots: u64) -> Option<(Range, Range)> {
        let (held, left) = self
            .tries
            .iter()
            .filter_map(|one| one.held(snapshots))
            .map(|(held, left)| (held as f64, left as f64))
            .unzip();
        Range::of(held).zip(Range::of(left))
    }

    /// States with harm of those held to synced snapshots, and all of them; `None` where none was tried.
    pub fn harmed_states(&self) -> Option<(u64, u64)> {
        counted(&self.synced)
    }

    /// States in which a snapshot whose call had returned was not there as it was, and all of them; `None` where none
    /// was tried.
    pub fn returned_states(&self) -> Option<(u64, u64)> {
        counted(&self.returned)
    }
}

fn counted(all: &[CrashStates]) -> Option<(u64, u64)> {
    let sum = |of: fn(&CrashStates) -> u64| all.iter().map(of).fold(0, u64::saturating_add);
    let tried = sum(|own| own.tried);
    (tried > 0).then(|| (sum(|own| own.harmed), tried))
}

/// Every cell with a sample of snapshots, by test in the order of the suite, and target as in `targets`.
pub(crate) fn snapshot_cells(dataset: &Dataset, targets: &[String]) -> Vec<SnapshotCell> {
    let all = by_place(dataset, targets, AfterFault::snapshots);
    all.into_iter().filter_map(|(at, own)| SnapshotCell::new(at, &own)).collect()
}

/// What a target lost of what it had acknowledged, when it had snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotLoss {
    /// Display name of the test.
    pub(crate) name: String,
    /// Tries, or states after a power failure, that lost something.
    pub(crate) lost: u64,
    /// All of them.
    pub(crate) tried: u64,
    /// Whether these are states after a power failure.
    pub(crate) is_after_crash: bool,
}

/// What the samples of `dataset` say of the target called `label` with snapshots; `None` if nothing was lost.
pub(crate) fn snapshot_loss(dataset: &Dataset, label: &str) -> Option<SnapshotLoss> {
    snapshot_cells(dataset, &[label.into()]).into_iter().find_map(|cell| {
        let has_lost = |one: &&SnapshotTry| one.wrong() > 0 || one.live_wrong() > 0;
        let lost = cell.tries.iter().filter(has_lost).count() as u64;
        let of_states = cell.synced.iter().map(lost_states).fold(0, u64::saturating_add);
        let (lost, tried, is_after_crash) = match lost {
            0 => (of_states, cell.harmed_states().map_or(0, |(_, tried)| tried), true),
            lost => (lost, cell.tries.len() as u64, false),
        };
        let name = cell.name;
        (lost > 0).then_some(SnapshotLoss { name, lost, tried, is_after_crash })
    })
}

/// States in which something acknowledged was lost, at least: of each kind of harm the number of its states is known.
fn lost_states(states: &CrashStates) -> u64 {
    let losing = states.found.iter().filter(|(harm, _)| harm.loses_acknowledged());
    losing.map(|(_, found)| found.states).max().unwrap_or(0)
}

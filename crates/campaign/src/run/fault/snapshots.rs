//! Makes snapshots of a target, once for each try, and cuts the power meanwhile.

use super::{FaultCase, Left, SLOW_WRITES, of_each, seeds};
use crate::faults::{Asked, FaultsError, RecordedTarget, SnapshotTarget, SnapshotsAsked};
use anyhow::Result;
use model::{
    figure::{Better, Metric},
    result::{
        AfterFault, CrashStates, FaultOnDisk, SnapshotLevel, SnapshotOperation, SnapshotTry,
        Snapshots, Spread,
    },
};
use std::{sync::atomic::Ordering, time::Instant};
use suites::SnapshotWork;

/// What the disk writes whole, bytes. Otherwise most states would be of a torn superblock, which is no matter of
/// snapshots.
const ATOMIC_BYTES: u64 = 4096;
/// The checker looks at one state in this many.
const CHECK_EVERY: u64 = 10;
/// The number of snapshots whose figures are metrics of the sample.
const MANY: u64 = 100;

/// Makes snapshots as often as `work` says, each time on fresh file systems, then cuts the power.
///
/// # Errors
/// The target has no snapshots, it cannot be made or mounted, or it refuses a snapshot.
pub(super) fn tried(case: &FaultCase<'_>, work: SnapshotWork, seed: u64) -> Result<Left> {
    let SnapshotWork { tries, times, files, change, states } = work;
    let start = Instant::now();
    let mut snapshots = {
        let target = SnapshotTarget::make(case.lab, case.target)?;
        let device_bytes = target.bytes();
        let (tried, none) = (Vec::new(), None);
        let mut all =
            Snapshots { seed, device_bytes, tries: tried, synced: none.clone(), returned: none };
        for (_, seed) in seeds(case, tries, seed) {
            all.tries.push(target.snapshots(SnapshotsAsked { files, change, times, seed })?);
        }
        all
    };
    let ms = of_each(start, snapshots.tries.len() as u64);
    if states > 0 && !case.stop.load(Ordering::Relaxed) {
        let [synced, returned] = cut_off(case, states, seed)?;
        (snapshots.synced, snapshots.returned) = (Some(synced), Some(returned));
    }
    let (metrics, tries) = (metrics(&snapshots.tries), snapshots.tries.len() as u64);
    Ok(Left { metrics, ..Left::new(AfterFault::Snapshots(snapshots), tries, ms) })
}

fn cut_off(case: &FaultCase<'_>, states: u64, seed: u64) -> Result<[CrashStates; 2], FaultsError> {
    let asked = Asked {
        seed,
        states: usize::try_from(states).unwrap_or(usize::MAX),
        atomic_bytes: ATOMIC_BYTES,
        slow_writes: SLOW_WRITES,
        fault: FaultOnDisk::Crash,
        check_every: CHECK_EVERY,
    };
    RecordedTarget::make(case.lab, case.target)?.crash_snapshots(&asked, case.stop)
}

/// Figures of the largest number of snapshots: the median of the tries.
fn metrics(tries: &[SnapshotTry]) -> Vec<Metric> {
    let level = |one: &SnapshotTry, of: fn(&SnapshotLevel) -> Option<Spread>| {
        Some(of(one.level(MANY)?)?.median_ns as f64 / 1e6)
    };
    let ms = |name: &str, of: fn(&SnapshotLevel) -> Option<Spread>| {
        let value = median(tries.iter().filter_map(|one| level(one, of)))?;
        Some(Metric::new(name, value, "ms", Better::Lower))
    };
    let bytes = |name: &str, of: fn((u64, u64)) -> u64| {
        let all = tries.iter().filter_map(|one| one.held(MANY));
        let value = median(all.map(|held| of(held) as f64))?;
        Some(Metric::new(name, value, "B", Better::Lower))
    };
    let ratio = |operation| {
        let value = median(tries.iter().filter_map(|one| one.ratio(operation, MANY)))?;
        Some(Metric::new(ratio_name(operation), value, "1", Better::Lower))
    };
    let times = [
        ms("snapshot_make_ms", |level| level.make),
        ms("snapshot_drop_ms", |level| level.drop),
        ms("space_back_ms", |level| level.back),
    ];
    let space = [bytes("held_bytes", |(held, _)| held), bytes("not_back_bytes", |(_, left)| left)];
    let ratios = SnapshotOperation::ALL.map(ratio);
    times.into_iter().chain(space).chain(ratios).flatten().collect()
}

fn ratio_name(operation: SnapshotOperation) -> &'static str {
    match operation {
        SnapshotOperation::Overwrite => "overwrite_time_ratio",
        SnapshotOperation::Create => "create_time_ratio",
        SnapshotOperation::Delete => "delete_time_ratio",
        SnapshotOperation::Read => "read_time_ratio",
    }
}

/// The middle one; of an even number the lower of the two.
fn median(all: impl Iterator<Item = f64>) -> Option<f64> {
    let mut all: Vec<f64> = all.collect();
    all.sort_unstable_by(f64::total_cmp);
    let middle = all.len().checked_sub(1)? / 2;
    all.get(middle).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::SnapshotSpeed;

    fn level(snapshots: u64, ns: u64, used_bytes: u64, left_bytes: u64) -> SnapshotLevel {
        let time = Spread::of(vec![ns]);
        SnapshotLevel {
            snapshots,
            make: time,
            make_unsynced: None,
            sync: None,
            drop: None,
            back: time,
            back_half_ns: None,
            late: 0,
            speeds: vec![SnapshotSpeed { operation: SnapshotOperation::Read, time }],
            used_bytes,
            left_bytes,
        }
    }

    #[test]
    fn figures_are_of_the_most_snapshots_and_the_middle_try() {
        let one = |ns, left: u64| SnapshotTry {
            levels: vec![level(0, 1_000_000, 10, 10), level(MANY, ns, 90, 10 + left)],
            reads: Vec::new(),
            example: None,
            is_damaged: None,
        };
        let tries = [one(4_000_000, 0), one(2_000_000, 5), one(3_000_000, 7)];
        let all = metrics(&tries);
        let of = |name: &str| all.iter().find(|own| own.name == name).map(|own| own.value);
        assert_eq!((of("snapshot_make_ms"), of("space_back_ms")), (Some(3.0), Some(3.0)));
        assert_eq!((of("held_bytes"), of("not_back_bytes")), (Some(80.0), Some(5.0)));
        assert_eq!((of("read_time_ratio"), of("snapshot_drop_ms")), (Some(3.0), None));
        assert!(metrics(&[]).is_empty());
    }
}

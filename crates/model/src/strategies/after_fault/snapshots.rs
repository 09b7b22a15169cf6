//! Generated findings of snapshots.

use super::{super::text, crash_states, spread};
use crate::result::{
    SnapshotLevel, SnapshotMoment, SnapshotOperation, SnapshotReads, SnapshotSpeed, SnapshotTry,
    Snapshots,
};
use proptest::{collection::vec, option, prelude::*, sample::select};

fn speed() -> impl Strategy<Value = SnapshotSpeed> {
    let operation = select(SnapshotOperation::ALL.to_vec());
    (operation, spread()).prop_map(|(operation, time)| SnapshotSpeed { operation, time })
}

fn level() -> impl Strategy<Value = SnapshotLevel> {
    let times = (spread(), spread(), spread(), spread(), spread());
    let counts = (option::of(any::<u64>()), any::<[u64; 4]>());
    (times, counts, vec(speed(), 0..3)).prop_map(
        |((make, make_unsynced, sync, drop, back), (back_half_ns, counts), speeds)| {
            let [snapshots, late, used_bytes, left_bytes] = counts;
            SnapshotLevel {
                snapshots,
                make,
                make_unsynced,
                sync,
                drop,
                back,
                back_half_ns,
                late,
                speeds,
                used_bytes,
                left_bytes,
            }
        },
    )
}

fn reads() -> impl Strategy<Value = SnapshotReads> {
    let moment = select(SnapshotMoment::ALL.to_vec());
    // They are added up.
    (moment, any::<[u32; 4]>()).prop_map(|(moment, counts)| {
        let [read, wrong, live_read, live_wrong] = counts.map(u64::from);
        SnapshotReads { moment, read, wrong, live_read, live_wrong }
    })
}

fn one_try() -> impl Strategy<Value = SnapshotTry> {
    let lists = (vec(level(), 0..3), vec(reads(), 0..3));
    (lists, option::of(text()), option::of(any::<bool>())).prop_map(
        |((levels, reads), example, is_damaged)| SnapshotTry { levels, reads, example, is_damaged },
    )
}

/// What was seen of snapshots.
pub(super) fn snapshots() -> impl Strategy<Value = Snapshots> {
    let states = (option::of(crash_states()), option::of(crash_states()));
    (any::<u64>(), any::<u64>(), vec(one_try(), 0..3), states).prop_map(
        |(seed, device_bytes, tries, (synced, returned))| Snapshots {
            seed,
            device_bytes,
            tries,
            synced,
            returned,
        },
    )
}

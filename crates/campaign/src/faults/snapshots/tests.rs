//! Makes snapshots on file systems in memory of known behaviour, and expects exactly that.

pub(super) mod fake;

use super::*;
use fake::{Fake, Way};
use model::result::{SnapshotOperation, SnapshotReads};

const FILE_BYTES: u64 = 64 << 10;
const ASKED: SnapshotsAsked = SnapshotsAsked { files: 5, change: 2, times: 3, seed: 11 };

/// What is seen of one that behaves in this way, with this many snapshots.
fn seen(way: Way, snapshots: u64) -> (SnapshotLevel, Checked) {
    let (volume, content) = (Fake::new(way), Content::new(ASKED.seed));
    let (mut kept, mut times) = (Kept::new(&content, ASKED), Times::default());
    let (mut checked, drawn) = (Checked::default(), Drawn { asked: ASKED, snapshots });
    drawn.build(&volume, &mut kept, &mut times, &mut checked).unwrap();
    assert_eq!(
        volume.snapshots().len() as u64,
        if way == Way::KeepsDropped { 13 } else { snapshots }
    );
    volume.remount();
    let used_bytes = drawn.halve(&volume, &mut kept, &mut times, &mut checked).unwrap();
    volume.remount();
    let left_bytes = drawn.clear(&volume, &mut kept, &mut times, &mut checked).unwrap();
    (times.level(snapshots, (used_bytes, left_bytes)), checked)
}

fn counts(checked: &Checked) -> Vec<(u64, u64, u64, u64)> {
    let of = |own: &SnapshotReads| (own.read, own.wrong, own.live_read, own.live_wrong);
    checked.reads.iter().map(of).collect()
}

#[test]
fn snapshots_that_stay_are_right_at_each_moment() {
    for snapshots in LEVELS {
        let (level, checked) = seen(Way::Right, snapshots);
        let half = snapshots - snapshots / 2;
        let known = [(snapshots, 0, 1, 0), (snapshots, 0, 1, 0), (half, 0, 1, 0)];
        assert_eq!(counts(&checked), known, "{snapshots}");
        assert_eq!((checked.example, level.late), (None, 0));
        let has_some = [level.make, level.make_unsynced, level.sync, level.drop, level.back];
        assert!(has_some.iter().all(|time| time.is_some() == (snapshots > 0)), "{level:?}");
        assert_eq!(level.back_half_ns.is_some(), snapshots > 0);
        assert!(level.speeds.iter().all(|speed| speed.time.is_some()), "{level:?}");
        let known: Vec<_> = level.speeds.iter().map(|speed| speed.operation).collect();
        assert_eq!(known, SnapshotOperation::ALL);
        // The five files are live; each snapshot has copies of its own here.
        assert_eq!(level.used_bytes, (1 + snapshots) * 5 * FILE_BYTES);
        assert_eq!(level.left_bytes, 5 * FILE_BYTES);
    }
}

#[test]
fn snapshot_that_changes_with_the_live_files_is_caught() {
    let (_, checked) = seen(Way::FollowsLive, 10);
    assert!(counts(&checked)[0].1 >= 8, "{checked:?}");
    assert!(counts(&checked).iter().all(|own| own.3 == 0), "the live files are right");
    let example = checked.example.unwrap();
    assert!(example.starts_with("snapshot ") && example.contains("later data"), "{example}");
}

#[test]
fn snapshot_without_unsynced_changes_is_caught() {
    let (_, checked) = seen(Way::ForgetsUnsynced, 100);
    let wrong = counts(&checked)[0].1;
    assert!((20..80).contains(&wrong), "about every other one is made before a sync: {wrong}");
}

#[test]
fn neighbour_that_a_drop_spoils_is_caught() {
    let (_, checked) = seen(Way::SpoilsNext, 10);
    assert!(counts(&checked)[2].1 > counts(&checked)[1].1, "{checked:?}");
    assert!(checked.example.unwrap().ends_with("other data in block 1"));
}

#[test]
fn lost_live_file_is_caught() {
    let (_, checked) = seen(Way::LosesLive, 10);
    let live: Vec<u64> = counts(&checked).iter().map(|own| own.3).collect();
    assert_eq!(live, [0, 1, 1]);
    assert!(checked.example.unwrap().starts_with("live files: f"));
}

#[test]
fn space_that_is_late_is_waited_for_and_space_that_is_kept_is_counted() {
    let (late, _) = seen(Way::LateSpace(40), 10);
    assert_eq!((late.late, late.left_bytes), (0, 5 * FILE_BYTES));
    let (never, _) = seen(Way::LateSpace(u64::MAX), 10);
    // Three replaced, the half, and the rest.
    assert_eq!((never.late, never.back, never.back_half_ns), (5, None, None));
    let (kept, _) = seen(Way::KeepsSpace, 10);
    assert_eq!((kept.late, kept.left_bytes), (0, (1 + 13) * 5 * FILE_BYTES));
}

#[test]
fn all_is_wrong_where_nothing_can_be_mounted() {
    let content = Content::new(1);
    let (mut kept, volume) = (Kept::new(&content, ASKED), Fake::new(Way::Right));
    kept.fill(&volume, 3).unwrap();
    kept.take(&volume).unwrap();
    let mut checked = Checked::default();
    checked.note_lost(SnapshotMoment::Mounted, &kept, &"EINVAL");
    assert_eq!(counts(&checked), [(1, 1, 1, 1)]);
    assert_eq!(checked.example.unwrap(), "snapshot 0: it cannot be mounted: EINVAL");
}

#[test]
fn live_files_have_the_same_past_with_each_number_of_snapshots() {
    let content = Content::new(ASKED.seed);
    let live = |snapshots| {
        let (mut kept, mut times) = (Kept::new(&content, ASKED), Times::default());
        let drawn = Drawn { asked: ASKED, snapshots };
        let volume = Fake::new(Way::Right);
        drawn.build(&volume, &mut kept, &mut times, &mut Checked::default()).unwrap();
        kept.live
    };
    assert!(LEVELS.iter().all(|snapshots| live(*snapshots) == live(0)));
}

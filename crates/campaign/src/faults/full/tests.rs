//! Fills file systems in memory of known behaviour, and expects exactly that.

mod fake;

use super::*;
use fake::{ENOSPC, Fake, Way};
use model::result::{FullAnswer, FullCall, FullRefusal};

/// Blocks of the disk.
const BLOCKS: u64 = 300;
const BLOCK: u64 = 4096;
/// A file of 16 blocks.
const FILE_BYTES: u64 = 16 * BLOCK;

/// What is seen of one that behaves in this way. `spoil` is done before the mount.
fn seen(way: Way, spoil: impl FnOnce(&Fake)) -> FullTry {
    let (space, content) = (Fake::new(way, BLOCKS), Content::new(7));
    let Brim { mut seen, kept } = brim(&space, &content, (FILE_BYTES, BLOCKS * BLOCK)).unwrap();
    spoil(&space);
    space.remount();
    compare(&space, &content, &kept, &mut seen);
    seen
}

fn refused(call: FullCall) -> Option<FullRefusal> {
    Some(FullRefusal { call, errno: ENOSPC })
}

#[test]
fn all_is_kept_by_one_that_is_right() {
    let seen = seen(Way::Plain, |_| ());
    assert_eq!(seen.refused, refused(FullCall::Write));
    // The spare files take 8 blocks, each of 18 files one for its name: of the last one 3 blocks are left, 2 for data.
    let data = BLOCKS - 8 - 18;
    assert_eq!(seen.user_bytes, data * BLOCK);
    let others = (seen.after_sync_bytes, seen.said_free_bytes, seen.unanswered_bytes);
    assert_eq!(others, (0, 0, 0));
    let (done, full) = (FullAnswer::Done, FullAnswer::Refused(ENOSPC));
    let answers = seen.answers.each().map(|(_, answer)| answer);
    assert_eq!(answers, [done, full, full, done, done, done]);
    assert_eq!((seen.freed.refusals, seen.freed.written), (0, seen.freed.wanted));
    assert_eq!((seen.lost, seen.example), (0, None));
}

#[test]
fn one_that_copies_refuses_to_write_over() {
    let seen = seen(Way::CopyOnWrite, |_| ());
    assert_eq!(seen.answers.overwrite, FullAnswer::Refused(ENOSPC));
    assert_eq!(seen.lost, 0);
}

#[test]
fn a_refusal_by_fsync_is_no_loss_and_a_lie_is() {
    let honest = seen(Way::LateRefusal, |_| ());
    assert_eq!((honest.refused, honest.lost), (refused(FullCall::Fsync), 0));
    let liar = seen(Way::Lie, |_| ());
    assert!(liar.lost > 0, "{liar:?}");
    let example = liar.example.unwrap();
    assert!(
        example.contains("zeros in block") && example.contains("which was synced"),
        "{example}"
    );
}

#[test]
fn a_file_that_changed_is_named() {
    let seen = seen(Way::Plain, |space| space.spoil("f12"));
    assert_eq!(seen.lost, 1);
    assert_eq!(seen.example.unwrap(), "f12: other data in block 1, which was synced");
}

#[test]
fn space_that_comes_late_is_waited_for() {
    let late = seen(Way::LateSpace(3), |_| ()).freed;
    assert_eq!((late.refusals, late.syncs, late.written), (3, 0, late.wanted));
    let synced = seen(Way::SpaceBySync, |_| ()).freed;
    assert_eq!((synced.refusals, synced.syncs, synced.written), (100, 1, synced.wanted));
    let never = seen(Way::LateSpace(u64::MAX), |_| ()).freed;
    assert!(never.written < never.wanted, "{never:?}");
    assert_eq!(never.syncs, 3);
}

#[test]
fn bytes_that_no_write_accepted_are_counted() {
    let seen = seen(Way::Leaves, |_| ());
    assert!(seen.unanswered_bytes > 0 && seen.lost == 0, "{seen:?}");
}

#[test]
fn every_degree_has_each_operation_and_a_refusal_has_no_time() {
    let (space, content) = (Fake::new(Way::Plain, 4000), Content::new(7));
    let asked = Filled { fill: Fill::Large, times: 4, seed: 1 };
    let sizes = (FILE_BYTES, 4000 * BLOCK);
    let (speeds, kept) = timed(&space, &content, sizes, (3000 * BLOCK, asked)).unwrap();
    let all: Vec<(u64, bool, Option<i32>)> =
        speeds.iter().map(|own| (own.percent, own.time.is_some(), own.refused)).collect();
    let fine = [50, 95, 98].into_iter().flat_map(|percent| vec![(percent, true, None); 3]);
    let full = [(100, true, None), (100, false, Some(ENOSPC)), (100, true, None)];
    assert_eq!(all, fine.chain(full).collect::<Vec<_>>());
    space.remount();
    assert!(kept.iter().all(|own| own.wrong(&content, &space.read(&own.name).unwrap()).is_none()));
}

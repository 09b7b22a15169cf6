//! Has a recording disk fail under ext4, XFS and Btrfs, or hold other data than what was written, and holds what
//! they answer against what is known of Linux 6.18. Needs root; where it or a program is missing, a test says so.
#![allow(clippy::unwrap_used)]

mod common;

use campaign::faults::{Damage, Read, RecordedTarget, SeenBit};
use common::ready;
use lab::setup::Lab;
use model::result::{
    Change::{self, Append, Overwrite},
    DamagedPlace, FailedWrite, Failing, FileHistory,
    FsyncAnswer::{self, Done, Failed, NotOpened},
    FsyncReport,
    ReadBack::{self, Absent, New, Old, Zeros},
    SilentFault,
};

const EIO: FsyncAnswer = Failed(5);
const EROFS: i32 = 30;
const EBADMSG: i32 = 74;
const EUCLEAN: i32 = 117;

/// The answers to fsync on fd1, fd2, fd3 and fd1 again; what is read from the cache, after a drop, after a remount and
/// after a cut.
type Row = ([FsyncAnswer; 4], [ReadBack; 4]);

/// Does `act` on `target`, on a disk of its own.
fn on<T>(target: &str, act: impl FnOnce(&mut RecordedTarget<'_>) -> T) -> T {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "failing").unwrap();
    let target = fs::resolve(&target.parse().unwrap()).unwrap();
    let mut recorded = RecordedTarget::make(&lab, &target).unwrap();
    let done = act(&mut recorded);
    drop(recorded);
    lab.close().unwrap();
    done
}

fn row(seen: &FailedWrite) -> Row {
    let answers = [seen.fd1, seen.fd2, seen.fd3, seen.fd1_again];
    (answers, [seen.cached, seen.dropped, seen.remounted, seen.cut])
}

/// All rows at once, so that a difference shows which of them agree. Those of one target follow one another on one
/// disk.
fn hold(target: &str, rows: &[(Change, Failing, FileHistory, Row)]) {
    if !ready(target) {
        return;
    }
    let wrong: Vec<String> = on(target, |recorded| {
        let seen = |(change, failing, history, known): &(Change, Failing, FileHistory, Row)| {
            let seen = recorded.fail_write(*change, *failing, *history).unwrap().unwrap();
            assert!(seen.injected > 0, "{target} {change:?} {failing:?}: {seen:?}");
            let row = row(&seen);
            let at = format!("{target} {change:?} {failing:?} {history:?}");
            (row != *known).then(|| format!("{at}: {row:?}, not {known:?}"))
        };
        rows.iter().filter_map(seen).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With both histories.
fn both(change: Change, failing: Failing, row: Row) -> [(Change, Failing, FileHistory, Row); 2] {
    FileHistory::ALL.map(|history| (change, failing, history, row))
}

const OVER: Row = ([EIO, EIO, Done, Done], [New, Old, Old, Old]);
const ENDED: Row = ([EIO, EIO, Done, Done], [New, Zeros, Absent, Absent]);

#[test]
fn data_that_was_not_written_is_an_error_once_and_then_gone() {
    for target in ["ext4", "ext4[data=writeback]", "xfs", "btrfs", "btrfs[nodatacow]"] {
        hold(target, &both(Overwrite, Failing::Data, OVER));
    }
    // Zeros within the size: the file is longer, and the data is not there.
    let zeros = ([EIO, EIO, Done, Done], [New, Zeros, Zeros, Zeros]);
    hold("ext4", &both(Append, Failing::Data, zeros));
    hold("xfs", &both(Append, Failing::Data, ENDED));
    let (mounted, made) = (FileHistory::Mounted, FileHistory::Made);
    hold("btrfs", &[(Append, Failing::Data, mounted, ENDED)]);
    // The log of a file that was made since has the longer size, and is replayed after a cut.
    let replayed = (ENDED.0, [New, Zeros, Absent, Zeros]);
    hold("btrfs", &[(Append, Failing::Data, made, replayed)]);
}

#[test]
fn ext4_with_data_in_the_journal_is_read_only_or_brings_it_back() {
    let in_place = ([EIO, EIO, Done, Done], [New, Old, Old, New]);
    let copy =
        ([Failed(EROFS), Failed(EROFS), NotOpened(EROFS), Failed(EROFS)], [New, New, Old, Old]);
    let mounted = FileHistory::Mounted;
    hold(
        "ext4[data=journal]",
        &[
            (Overwrite, Failing::DataInPlace, mounted, in_place),
            (Overwrite, Failing::DataInJournal, mounted, copy),
        ],
    );
}

#[test]
fn a_lost_transaction_is_an_error_to_all_to_the_first_or_to_none() {
    use Failing::{Commit, Flush, LogTree, Trees};
    let mounted = FileHistory::Mounted;
    // The first alone gets the error of an append that is lost for all.
    let ext4 = ([EIO, Done, Done, Done], [New, New, Absent, Absent]);
    hold("ext4", &[(Append, Commit, mounted, ext4), (Append, Flush, mounted, ext4)]);
    let closed = NotOpened(5);
    let gone = ReadBack::Failed(5);
    let xfs = ([EIO, EIO, closed, EIO], [gone, gone, Absent, Absent]);
    hold("xfs", &[(Append, Commit, mounted, xfs), (Append, Flush, mounted, xfs)]);
    let btrfs = ([EIO, Done, NotOpened(EROFS), Done], [New, New, Absent, Absent]);
    // The sums of the data are in trees that could not be written either, so what was dropped cannot be read again.
    let trees = (btrfs.0, [New, gone, Absent, Absent]);
    hold(
        "btrfs",
        &[
            (Append, Commit, mounted, btrfs),
            (Append, Flush, mounted, btrfs),
            (Append, Trees, mounted, trees),
            (Append, LogTree, mounted, ([Done; 4], [New; 4])),
        ],
    );
}

#[test]
fn a_request_that_a_target_does_not_send_is_none() {
    for (target, failing) in [
        ("ext4", Failing::LogTree),
        ("ext4", Failing::DataInJournal),
        ("ext4[nobarrier]", Failing::Flush),
        ("xfs", Failing::Trees),
    ] {
        if ready(target) {
            let none = on(target, |recorded| {
                recorded.fail_write(Append, failing, FileHistory::Made).unwrap()
            });
            assert_eq!(none, None, "{target} {failing:?}");
        }
    }
}

/// What some tries saw of damage to `place`.
fn damaged(target: &str, fault: SilentFault, place: DamagedPlace, tries: u64) -> Vec<SeenBit> {
    on(target, |recorded| {
        let one = |copy| Damage { fault, place, seed: copy + 1, copy };
        (0..tries).map(|copy| recorded.damage(one(copy)).unwrap().unwrap()).collect()
    })
}

#[test]
fn a_turned_bit_is_found_by_those_that_hold_sums_of_it() {
    use DamagedPlace::{Data, Inode, Name, Superblock, Tree};
    let (wrong, error) = (Read::Wrong, Read::Failed);
    let bit = SilentFault::TurnedBit;
    let lost = SilentFault::LostWrite;
    let elsewhere = SilentFault::MisdirectedWrite;
    let mut unlike = Vec::new();
    for (target, fault, place, known) in [
        ("ext4", bit, Data, wrong),
        ("xfs", bit, Data, wrong),
        ("btrfs[nodatacow]", bit, Data, wrong),
        ("btrfs", bit, Data, error(5)),
        ("ext4", bit, Name, error(EBADMSG)),
        ("xfs", bit, Name, error(EUCLEAN)),
        ("ext4[mkfs.O=^metadata_csum]", bit, Name, wrong),
        ("ext4", bit, Inode, error(EBADMSG)),
        ("xfs", bit, Inode, error(EUCLEAN)),
        // Where the data is cannot be told to the page that is to be read.
        ("ext4", bit, Tree, error(5)),
        ("xfs", bit, Tree, error(5)),
        ("ext4", bit, Superblock, error(EBADMSG)),
        ("ext4", lost, Data, wrong),
        ("xfs", lost, Data, wrong),
        ("btrfs", lost, Data, error(5)),
        ("ext4", elsewhere, Data, wrong),
        ("xfs", elsewhere, Data, wrong),
        ("btrfs", elsewhere, Data, error(5)),
    ] {
        if !ready(target) {
            continue;
        }
        for seen in damaged(target, fault, place, 2) {
            if seen.read != known || seen.is_repaired {
                unlike.push(format!("{target} {fault:?} {place:?}: {seen:?}, not {known:?}"));
            }
        }
    }
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
}

#[test]
fn btrfs_repairs_from_the_other_copy_and_a_scrub_what_was_not_read() {
    if !ready("btrfs") {
        return;
    }
    for (target, place) in [
        ("btrfs[mkfs.d=dup]", DamagedPlace::Data),
        ("btrfs", DamagedPlace::Name),
        ("btrfs", DamagedPlace::Tree),
    ] {
        for seen in damaged(target, SilentFault::TurnedBit, place, 4) {
            let scrubbed =
                seen.scrubbed.is_some_and(|scrub| scrub.has_detected && scrub.has_repaired);
            assert_eq!(seen.read, Read::Right, "{target} {place:?}: {seen:?}");
            assert!(seen.is_repaired || scrubbed, "{target} {place:?}: {seen:?}");
        }
    }
}

#[test]
fn scrubs_find_data_and_checkers_names() {
    for (target, place, has_detected) in [
        ("btrfs", DamagedPlace::Data, true),
        ("ext4", DamagedPlace::Data, false),
        ("ext4", DamagedPlace::Name, true),
        ("xfs", DamagedPlace::Name, true),
    ] {
        if ready(target) {
            let seen = damaged(target, SilentFault::TurnedBit, place, 1).remove(0);
            let scrubbed = seen.scrubbed.unwrap();
            assert_eq!(scrubbed.has_detected, has_detected, "{target} {place:?}");
            assert!(!scrubbed.has_repaired, "{target} {place:?}");
        }
    }
}

#[test]
fn fsync_reports_an_error_or_lies() {
    for (target, failing, told) in [
        ("ext4", Failing::Data, FsyncReport::Error),
        ("ext4", Failing::Commit, FsyncReport::SuccessToAnother),
        ("xfs", Failing::Commit, FsyncReport::Error),
        ("btrfs", Failing::LogTree, FsyncReport::Kept),
    ] {
        if ready(target) {
            let mounted = FileHistory::Mounted;
            let seen =
                on(target, |recorded| recorded.fail_write(Append, failing, mounted)).unwrap();
            assert_eq!(seen.unwrap().report(), told, "{target} {failing:?}");
        }
    }
}

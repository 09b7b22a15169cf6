//! Has a recording disk fail under ext4, XFS and Btrfs, and holds their answers against what is known of Linux 6.18.
//! Needs root; where it or a program is missing, a test says so.
#![allow(clippy::unwrap_used)]

use crate::recording::{format, ready, size};
use faults::failed_write::{
    Answer::{self, Done, Failed, NotOpened},
    Change::{self, Append, Overwrite},
    Failing,
    Found::{self, Absent, New, Old, Zeros},
};
use lab::{
    recording::{
        RecordingDisk,
        failing::{On, fail_fsync},
        turned::turn_bit,
    },
    setup::Lab,
};

const EIO: Answer = Failed(libc::EIO);
const EROFS: Answer = Failed(libc::EROFS);

/// The answers to fsync on fd1, fd2, fd3 and fd1 again; what is read from the cache, after a drop, after a remount and
/// after a cut.
type Row = ([Answer; 4], [Found; 4]);

fn observe(fs: &str, options: &str, change: Change, failing: Failing) -> Option<Row> {
    if !ready(fs) {
        return None;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "failing").unwrap();
    let disk = RecordingDisk::make(&lab, "d", size(fs)).unwrap();
    let at = lab.make_mount_dir("at").unwrap();
    format(fs, &disk);
    let on = On { disk: &disk, fs, options, at: &at };
    let seen = fail_fsync(on, change, failing).unwrap().unwrap();
    assert!(seen.injected > 0, "{fs} {options} {change:?} {failing:?}: nothing failed: {seen:?}");
    let row = (
        [seen.fd1, seen.fd2, seen.fd3, seen.fd1_again],
        [seen.cached, seen.dropped, seen.remounted, seen.cut],
    );
    drop(disk);
    lab.close().unwrap();
    Some(row)
}

/// All rows at once, so that a difference shows which of them agree.
fn hold(rows: &[(&str, &str, Change, Failing, Row)]) {
    let mut wrong = Vec::new();
    for (fs, options, change, failing, known) in rows {
        let seen = observe(fs, options, *change, *failing);
        if let Some(seen) = seen.filter(|seen| seen != known) {
            wrong.push(format!("{fs}[{options}] {change:?} {failing:?}: {seen:?}, not {known:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn data_that_was_not_written_is_an_error_once_and_then_gone() {
    let over = ([EIO, EIO, Done, Done], [New, Old, Old, Old]);
    let ended = ([EIO, EIO, Done, Done], [New, Zeros, Absent, Absent]);
    hold(&[
        ("ext4", "", Overwrite, Failing::Data, over),
        ("ext4", "data=writeback", Overwrite, Failing::Data, over),
        ("xfs", "", Overwrite, Failing::Data, over),
        ("btrfs", "", Overwrite, Failing::Data, over),
        ("btrfs", "nodatacow", Overwrite, Failing::Data, over),
        // Zeros within the size: the file is longer, and the data is not there.
        ("ext4", "", Append, Failing::Data, ([EIO, EIO, Done, Done], [New, Zeros, Zeros, Zeros])),
        ("xfs", "", Append, Failing::Data, ended),
        ("btrfs", "", Append, Failing::Data, ended),
    ]);
}

#[test]
fn ext4_with_data_in_the_journal_is_read_only_or_brings_it_back() {
    let in_place = ([EIO, EIO, Done, Done], [New, Old, Old, New]);
    let copy = ([EROFS, EROFS, NotOpened(libc::EROFS), EROFS], [New, New, Old, Old]);
    hold(&[
        ("ext4", "data=journal", Overwrite, Failing::DataInPlace, in_place),
        ("ext4", "data=journal", Overwrite, Failing::DataInJournal, copy),
    ]);
}

#[test]
fn a_lost_transaction_is_an_error_to_all_to_the_first_or_to_none() {
    // The first alone gets the error of an append that is lost for all.
    let ext4 = ([EIO, Done, Done, Done], [New, New, Absent, Absent]);
    let closed = NotOpened(libc::EIO);
    let xfs = ([EIO, EIO, closed, EIO], [Found::Failed(libc::EIO); 4]);
    let xfs = (xfs.0, [xfs.1[0], xfs.1[1], Absent, Absent]);
    let btrfs = ([EIO, Done, NotOpened(libc::EROFS), Done], [New, New, Absent, Absent]);
    // The sums of the data are in trees that could not be written either, so what was dropped cannot be read again.
    let trees = (btrfs.0, [New, Found::Failed(libc::EIO), Absent, Absent]);
    hold(&[
        ("ext4", "", Append, Failing::Commit, ext4),
        ("ext4", "", Append, Failing::Flush, ext4),
        ("xfs", "", Append, Failing::Commit, xfs),
        ("xfs", "", Append, Failing::Flush, xfs),
        ("btrfs", "", Append, Failing::Commit, btrfs),
        ("btrfs", "", Append, Failing::Flush, btrfs),
        ("btrfs", "", Append, Failing::Trees, trees),
        ("btrfs", "", Append, Failing::LogTree, ([Done; 4], [New; 4])),
    ]);
}

#[test]
fn a_turned_bit_is_found_by_those_that_hold_sums_of_it() {
    use faults::turned_bit::{Read, Turned};
    let turned = |fs: &str, options: &str, turned, seed| {
        ready(fs).then(|| {
            let state = tempfile::tempdir().unwrap();
            let lab = Lab::open(state.path(), "turned").unwrap();
            let disk = RecordingDisk::make(&lab, "d", size(fs)).unwrap();
            let at = lab.make_mount_dir("at").unwrap();
            format(fs, &disk);
            let on = On { disk: &disk, fs, options, at: &at };
            let read = turn_bit(on, turned, seed).unwrap();
            assert!(disk.served().injected[0] > 0, "{fs}: it was not read");
            read
        })
    };
    for (fs, options, where_, known) in [
        ("ext4", "", Turned::Data, Read::Wrong),
        ("xfs", "", Turned::Data, Read::Wrong),
        ("btrfs", "nodatacow", Turned::Data, Read::Wrong),
        ("btrfs", "", Turned::Data, Read::Failed(libc::EIO)),
        ("ext4", "", Turned::Name, Read::Failed(libc::EBADMSG)),
        ("xfs", "", Turned::Name, Read::Failed(libc::EUCLEAN)),
    ] {
        for seed in [1, 2] {
            if let Some(seen) = turned(fs, options, where_, seed) {
                assert_eq!(seen, known, "{fs}[{options}] {where_:?} {seed}");
            }
        }
    }
}

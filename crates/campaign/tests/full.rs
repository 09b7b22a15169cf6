//! Fills ext4, XFS and Btrfs, and holds what they refuse and keep against what is known of Linux 6.18. Needs root;
//! where it or a program is missing, a test says so.
#![allow(clippy::unwrap_used)]

mod common;

use campaign::faults::{Filled, MemoryTarget};
use common::ready;
use lab::setup::Lab;
use model::result::{
    Fill,
    FullAnswer::{self, Done},
    FullCall::{self, Open, Write},
    FullOperation::{Append, Overwrite, Rewrite},
    FullTry,
};

const ENOSPC: i32 = 28;
const FULL: FullAnswer = FullAnswer::Refused(ENOSPC);
/// Each disk has as many bytes.
const DISK_BYTES: u64 = 300 << 20;

/// Fills `target` twice; `None` where it cannot be made here.
fn filled(target: &str, fill: Fill) -> Option<FullTry> {
    if !ready(target) {
        return None;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "full").unwrap();
    let resolved = fs::resolve(&target.parse().unwrap()).unwrap();
    let memory = MemoryTarget::make(&lab, &resolved).unwrap();
    assert_eq!(memory.bytes(), DISK_BYTES);
    let seen = memory.fill(Filled { fill, times: 3, seed: 11 }).unwrap();
    drop(memory);
    lab.close().unwrap();
    Some(seen)
}

/// What is true of every file system that keeps its word.
fn hold(target: &str, call: FullCall, seen: &FullTry) {
    let refused = seen.refused.map(|refused| (refused.call, refused.errno));
    assert_eq!(refused, Some((call, ENOSPC)), "{target}");
    assert_eq!((seen.lost, &seen.example, seen.unanswered_bytes), (0, &None, 0), "{target}");
    assert_eq!(seen.is_damaged, Some(false), "{target}");
    let freed = seen.freed;
    assert!(freed.bytes >= seen.user_bytes / 10 && freed.written >= freed.wanted, "{freed:?}");
    // The first two degrees are below what any of them refuses.
    for (operation, percent) in [(Overwrite, 50), (Append, 50), (Rewrite, 50), (Overwrite, 95)] {
        let speed = seen.speed(operation, percent).unwrap();
        assert!(speed.time.is_some() && speed.refused.is_none(), "{target}: {speed:?}");
    }
    let append = seen.speed(Append, 100).unwrap();
    assert_eq!((append.time, append.refused), (None, Some(ENOSPC)), "{target}");
    let overwrite = seen.speed(Overwrite, 100).unwrap();
    assert_eq!(overwrite.refused.is_none(), seen.answers.overwrite == Done, "{target}");
}

/// Overwrite, create, mkdir, rename, unlink, truncate.
fn answers(seen: &FullTry) -> [FullAnswer; 6] {
    seen.answers.each().map(|(_, answer)| answer)
}

#[test]
fn write_is_refused_first_and_what_was_acknowledged_is_kept() {
    // ext4 and XFS write over in place, Btrfs never; each has other needs for a new name.
    for (target, known, least_pct) in [
        ("ext4", [Done, Done, FULL, Done, Done, Done], 80),
        ("xfs", [Done, FULL, FULL, Done, Done, Done], 70),
        ("btrfs", [FULL, Done, Done, Done, Done, Done], 65),
    ] {
        let Some(seen) = filled(target, Fill::Large) else { continue };
        hold(target, Write, &seen);
        assert_eq!(answers(&seen), known, "{target}");
        let pct = seen.user_bytes * 100 / DISK_BYTES;
        assert!((least_pct..100).contains(&pct), "{target}: {pct} %");
    }
}

#[test]
fn many_small_files_leave_less_room_on_btrfs_and_no_name_on_xfs() {
    // Each fsync of a new file takes metadata on Btrfs, whose share of the disk data never gets back.
    for (target, call, pct) in
        [("ext4", Write, 80..100), ("xfs", Open, 65..100), ("btrfs", Write, 15..60)]
    {
        let Some(seen) = filled(target, Fill::Small) else { continue };
        hold(target, call, &seen);
        let own = seen.user_bytes * 100 / DISK_BYTES;
        assert!(pct.contains(&own), "{target}: {own} %");
    }
}

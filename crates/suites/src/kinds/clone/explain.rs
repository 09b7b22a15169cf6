//! The page of a test of the kind `clone`.

use super::{
    KIND,
    settings::{Action, Call, Settings},
};
use crate::{kind::Head, page};
use model::workload::TestInfo;

pub(super) fn page(head: &Head, settings: &Settings, info: &TestInfo) -> String {
    let (does, read_it) = match settings.action {
        Action::Make => (made(settings), MAKE),
        Action::Overwrite => (overwritten(settings), OVERWRITE),
        Action::Read => (read(settings), READ),
    };
    let does = format!("{}\n\n{does}\n\n{PROOF}", files(settings));
    page::page(head, &KIND, info, &does, read_it)
}

/// The files and how they come about.
fn files(s: &Settings) -> String {
    let call = match s.call {
        Call::Ficlone => "ioctl(2) `FICLONE`",
        Call::CopyFileRange => "copy_file_range(2)",
    };
    format!(
        "Each process has three files of {} at scale 1 (at least 16 MiB), written in full, in order and with data of \
         its own, and synced: an origin, its clone, made by {call}, and an unshared file, which is never cloned.",
        s.size
    )
}

/// How a file is overwritten.
fn overwrites(s: &Settings) -> String {
    format!(
        "{} % of their pieces of {}, each once and in random order, with an fsync(2) after every {} pwrite(2)",
        s.share, s.block, s.batch
    )
}

fn made(s: &Settings) -> String {
    let before = match s.share {
        0 => String::new(),
        _ => format!(
            "The clone and the unshared file are first overwritten at the same offsets: {}. ",
            overwrites(s)
        ),
    };
    format!(
        "{before}Then the clone itself is cloned, {} times at scale 1 (at least 5 times): open(2) of a new file, the \
         call, fsync(2). Once the clock has stopped, the contents of the last one are verified, and all are removed.",
        s.clones
    )
}

fn overwritten(s: &Settings) -> String {
    format!(
        "The clone and the unshared file are in the page cache, which is verified. Both are overwritten at the same \
         offsets: {}. They take turns, half of the pieces in each: clone, unshared, unshared, clone. A change in the \
         machine's speed therefore affects both alike. Before the first turn and after each, syncfs(2) syncs the file \
         system, which counts as part of the turn, and its free space is noted. Once the clock has stopped, the contents \
         of all three files are verified; the origin must be unchanged.",
        overwrites(s)
    )
}

fn read(s: &Settings) -> String {
    let before = match s.share {
        0 => "Nothing is overwritten.".into(),
        _ => format!(
            "The clone and the unshared file are first overwritten at the same offsets: {}. The origin is not.",
            overwrites(s)
        ),
    };
    format!(
        "{before} The cache is emptied, which is verified. Then the {} is read from start to end in pieces of 1 MiB. \
         Once the clock has stopped, its contents are verified.",
        match s.file {
            super::Which::Unshared => "unshared file",
            which => which.word(),
        }
    )
}

const PROOF: &str = "Only a clone that really shares its blocks counts. Before anything is measured, FIEMAP must report at \
                     least 95 % of the new clone as shared; on a file system without FIEMAP (ZFS, NFS) the clone may \
                     take at most 10 % of the space of its file. Otherwise, and where a file cannot be cloned at all \
                     (ext4, tmpfs), the sample is invalid and says so: a copy is never measured in its place. On NFS \
                     the server clones.";

const MAKE: &str = "`durable_service_p50_us` is the time to create a file, make it a clone and sync it, \
                    `call_service_p50_us` that of the call alone. The time to make a clone depends on the number of \
                    extents of its file (`clone_extents`), not on its size: compare a new file with one that was \
                    overwritten in small pieces.";

const OVERWRITE: &str = "It is the rate of durable overwrites in the clone, and `unshared_rate` that in the unshared \
                         file on the same target. `slowdown` is the time per byte in the clone over that in the \
                         unshared file: how much slower a database becomes when it runs on a clone. A file \
                         system that never overwrites in place (Btrfs, ZFS) can have a slowdown of 1 with a low rate \
                         in both, so look at the rates, too.

`clone_service_p50_us` and `clone_service_p99_us` are times until a batch was durable, `unshared_service_p50_us` and \
`unshared_service_p99_us` those of the unshared file. `clone_grown_pct` is the space that the overwrites of the clone \
took, in percent of the bytes overwritten: 100 where each takes new space, more where old extents stay in use until \
all of one is overwritten (Btrfs), or where space is reserved next to each piece: XFS takes 128 KiB for each 4 KiB \
that is overwritten at a random place, and gives back what stays unused when the file has not been written for \
minutes, or with the next mount. `unshared_grown_pct` is 0 where it is overwritten in place. Both come from the \
space in use on the whole file system, to which Btrfs adds a reserve that grows and shrinks with its metadata; after few \
overwrites they are coarse. `clone_extents`, `origin_extents` and `unshared_extents` count the pieces of each file on the \
device at the end; `clone_shared_pct` is the share of the clone that is still shared. Without FIEMAP these are missing.";

const READ: &str = "Compare the three files of one block size and share on one target: the clone reads from two places, \
                    its own blocks and those of the origin; the origin should read as before; the unshared file shows \
                    what overwriting alone costs. `clone_extents`, `origin_extents` or `unshared_extents` counts pieces \
                    of the file on the device: a device with seeks, or a read-ahead that ends with an extent, makes \
                    them visible.";

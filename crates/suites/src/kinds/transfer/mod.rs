//! The kind `transfer`: copies a tree of files to a second file system of the same kind, in full, and then what has
//! changed. The lab runs it, with the commands that the file system names; a declaration names the tree.

mod compare;
mod tree;

pub use compare::difference;
pub use tree::files;

use self::tree::DrawnTree;
use super::{Defaults, Head, Kind, check_count, scaled, settings};
use crate::{Estimate, Measured, Run, SentTree, Stretch, Test, TestError, Workers, page};
use model::{
    figure::Better,
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use serde::Deserialize;
use std::path::PathBuf;

pub(super) static KIND: Kind = Kind {
    name: "transfer",
    about: "copies a tree of files to a second file system of the same kind, first in full, then incrementally, by the \
            file system's own send and receive or, where it has none, by tar.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(Box::new(TransferTest { head, settings }))
    },
};

static KNOBS: [Knob; 2] = [
    Knob::new(
        "size",
        "bytes",
        "2G",
        "size of the tree at scale 1, from 32M to 1T; at least 32M at any scale",
    ),
    Knob::new(
        "change",
        "%",
        "5",
        "share of it that changes between the two transfers, from 1 to 50",
    ),
];

/// Least size of a tree at any scale.
const LEAST_BYTES: u64 = 32 << 20;
const MOST_BYTES: u64 = 1 << 40;
/// Assumed rate of a transfer, for plans, bytes per second: a slow machine's.
const ASSUMED_BYTES_PER_S: f64 = 100e6;
/// Seconds to make two file systems and their images.
const SETUP_S: f64 = 10.0;
/// The metric that ranks.
pub const WALL: &str = "wall_s";

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    size: Bytes,
    change: u64,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        if !(LEAST_BYTES..=MOST_BYTES).contains(&self.size.0) {
            return Err("`size` must be at least 32M and at most 1T".into());
        }
        check_count("change", self.change, 50)
    }
}

struct TransferTest {
    head: Head,
    settings: Settings,
}

impl TransferTest {
    fn bytes(&self, job: &Job) -> u64 {
        scaled(self.settings.size.0, job.scale, LEAST_BYTES)
    }

    fn info(&self, ending: &str, name: &str) -> TestInfo {
        let info = self.head.info(Defaults {
            name: name.into(),
            testtype: "transfer",
            group: Group::Applications,
            metric: WALL,
            unit: "s",
            better: Better::Lower,
            shape: Shape::default(),
        });
        TestInfo { id: format!("{}{ending}", info.id), ..info }
    }
}

impl Test for TransferTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![
            self.info("", "send a tree in full"),
            self.info(".change", "send what has changed in a tree"),
        ]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Cold
    }

    fn workers(&self) -> Workers {
        Workers::Fixed(1)
    }

    fn stretch(&self) -> Stretch {
        Stretch::Given
    }

    fn threads(&self, _job: &Job) -> u32 {
        1
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    fn makes_own_disk(&self) -> bool {
        true
    }

    fn sends_tree(&self) -> bool {
        true
    }

    fn sent_tree(&self, job: &Job) -> Option<Box<dyn SentTree>> {
        Some(Box::new(DrawnTree::new(job, self.bytes(job), self.settings.change)))
    }

    fn fill(&self, _job: &Job) -> Result<(), TestError> {
        Ok(())
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, _job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Err(TestError::OfTheLab(self.head.id.clone()))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let bytes = self.bytes(job);
        Estimate {
            fixed_s: SETUP_S + 4.0 * bytes as f64 / ASSUMED_BYTES_PER_S,
            ..Estimate::default()
        }
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    /// Nothing: the lab reports the results.
    fn measure(&self, _job: &Job, _pool: &PoolReport) -> Vec<Measured> {
        Vec::new()
    }

    fn explain(&self, id: &str) -> String {
        let is_own = |info: &TestInfo| info.id == id;
        let [full, change] = [0, 1].map(|at| self.infos().swap_remove(at));
        let info = if is_own(&change) { change } else { full };
        page::page(&self.head, &KIND, &info, &self.does(), READ_IT)
    }
}

impl TransferTest {
    fn does(&self) -> String {
        let Settings { size, change } = self.settings;
        format!(
            "The target is made twice, with the same options, on images that are made for this test and written in full. \
             In the first one a tree of {size} at scale 1 (at least 32 MiB) is made: half of the bytes in files of 8 MiB, \
             half in files of 1 to 256 KiB, 40 to a directory; with hard and symbolic links, modes, owners, times and, \
             where the file system has them, extended attributes.\n\n\
             - The first file system is synced and remounted, so that its cache is cold. The tree is sent in full, then \
             syncfs(2) syncs the second file system, which counts.\n\
             - {change} % of the bytes change: pieces of 4 to 64 KiB of large files are overwritten, files are appended \
             to, rewritten, deleted, created, renamed, links and attributes change, a directory is renamed. The first \
             file system is remounted again; what has changed is sent, and synced.\n\
             - After each, both trees are compared: names, types, contents, lengths, modes, owners, times of \
             modification, targets of links, which names are one file, extended attributes. If anything differs, the \
             sample is invalid and says what.\n\n\
             Btrfs: `btrfs send` of a read-only snapshot to `btrfs receive`, then with `-p`. ZFS: `zfs send` to `zfs \
             receive`, then with `-i`. All others: `tar` with \
             `--listed-incremental`, `--acls` and `--xattrs` at both ends. rsync is as common, but tar is on every \
             machine, the bytes of its archive can be counted like those of a stream, and it carries deletions. `xfsdump` \
             writes to an inventory below /var/lib of this machine, which a benchmark must not change."
        )
    }
}

const READ_IT: &str = "`wall_s` is the time from the start of both programs until the received tree is synced, \
                       `sync_s` the sync in it. `stream_bytes` are the bytes between the two programs, \
                       `data_bytes` those of the files to send: of the whole tree, or of what has changed. \
                       `rate` is the latter over `wall_s`, in decimal MB/s.

`is_native` is 1 for the file system's own send and receive, and 0 for tar; the fact `transfer` of the target names the \
commands. They differ most after a change: send and receive find it in the metadata of two snapshots and send only \
what was overwritten, while tar looks at every file and sends each changed one whole. Both ends are on this machine, \
so no network takes part, and both images share one disk.";

#[cfg(test)]
mod tests;

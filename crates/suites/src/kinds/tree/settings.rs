//! Settings of the kind `tree`: mdtest's options as words.

use model::{target::Knob, text::Bytes};
use serde::Deserialize;

/// Most items of a worker at scale 1: at every scale their numbers fit into four bytes.
const MOST_ITEMS: u64 = 1 << 28;
/// Most directories of a tree.
const MOST_DIRS: u64 = 1_000_000;
/// Most workers that there are.
const MOST_STRIDE: u32 = 1024;
/// Longest file, which is in memory as a whole.
const MOST_FILE: Bytes = Bytes(1 << 30);

/// The settings of a declaration; the letters are those of mdtest.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    /// `-n`: items of one worker at scale 1.
    pub(super) items: u64,
    /// `-z`.
    pub(super) depth: u32,
    /// `-b`.
    pub(super) branch: u64,
    /// `-u`.
    pub(super) unique: bool,
    /// `-F`.
    pub(super) files_only: bool,
    /// `-D`.
    pub(super) dirs_only: bool,
    /// `-w`.
    pub(super) write_bytes: Bytes,
    /// `-e`.
    pub(super) read_bytes: Bytes,
    /// `-y`.
    pub(super) fsync: bool,
    /// `-Y`.
    pub(super) sync: bool,
    /// `-N`.
    pub(super) stride: u32,
    /// `-L`.
    pub(super) leaf_only: bool,
    /// `-R`.
    pub(super) random: bool,
    /// `-i`.
    pub(super) iterations: u32,
}

impl Settings {
    /// Directories of the tree; 0 and any number above the most stand for what cannot be.
    fn dirs(&self) -> u64 {
        let Settings { branch, depth, .. } = *self;
        if !(1..=MOST_DIRS).contains(&branch) {
            return 0;
        }
        let level = |(all, of_level): (u64, u64), _| {
            let below = of_level.saturating_mul(branch);
            (all.saturating_add(below), below)
        };
        (0..depth.min(65)).fold((1, 1), level).0
    }

    /// Refuses what cannot be done.
    pub(super) fn check(self) -> Result<Settings, String> {
        match () {
            () if !(1..=MOST_ITEMS).contains(&self.items) => {
                Err(format!("`items` must be from 1 to {MOST_ITEMS}"))
            }
            () if self.depth > 64 || !(1..=MOST_DIRS).contains(&self.dirs()) => {
                Err("`branch` must be at least 1, `depth` at most 64, and the tree at most a million directories".into())
            }
            () if self.stride > MOST_STRIDE => {
                Err(format!("`stride` must be at most {MOST_STRIDE}, the maximum number of \
                             workers"))
            }
            () if self.write_bytes > MOST_FILE => {
                Err(format!("`write_bytes` must be at most {MOST_FILE}"))
            }
            () if self.files_only && self.dirs_only => {
                Err("`files_only` and `dirs_only` exclude each other; set one of them".into())
            }
            () if self.read_bytes > self.write_bytes => {
                Err("`read_bytes` must not be above `write_bytes`".into())
            }
            () if !(1..=1000).contains(&self.iterations) => {
                Err("`iterations` must be from 1 to 1000".into())
            }
            () => Ok(self),
        }
    }
}

const fn flag(name: &'static str, help: &'static str) -> Knob {
    Knob::new(name, "", "false", help).one_of(&["true", "false"])
}

pub(super) static KNOBS: [Knob; 14] = [
    Knob::new(
        "items",
        "",
        "100000",
        "-n: directories and files per worker at scale 1, rounded down to the same number in each \
         directory of the tree",
    ),
    Knob::new("depth", "", "0", "-z: levels of the tree below its root"),
    Knob::new("branch", "", "1", "-b: branching factor of the tree"),
    flag("unique", "-u: a separate tree per worker; otherwise all use the same directories"),
    flag("files_only", "-F: no phases with directories"),
    flag("dirs_only", "-D: no phases with files"),
    Knob::new("write_bytes", "bytes", "0", "-w: bytes written to each file when it is created"),
    Knob::new(
        "read_bytes",
        "bytes",
        "0",
        "-e: bytes read from each file; with 0 it is opened and closed",
    ),
    flag("fsync", "-y: fsync after the write"),
    flag("sync", "-Y: sync the file system at the end of each phase"),
    Knob::new(
        "stride",
        "",
        "0",
        "-N: worker r uses the items of r+N for stat and rename, of r+2N for read, of r+3N for \
         removal, like ranks on different nodes",
    ),
    flag("leaf_only", "-L: items only in the leaves of the tree"),
    flag("random", "-R: stat and read in random order (from the seed)"),
    Knob::new("iterations", "", "1", "-i: repetitions of all phases; the rate is the mean"),
];

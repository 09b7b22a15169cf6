//! What a declaration says of a tree: mdtest's options under words.

use model::{Bytes, Knob};
use serde::Deserialize;

/// What a declaration can set; the letters are mdtest's.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
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

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            items: 100_000,
            depth: 0,
            branch: 1,
            unique: false,
            files_only: false,
            dirs_only: false,
            write_bytes: Bytes(0),
            read_bytes: Bytes(0),
            fsync: false,
            sync: false,
            stride: 0,
            leaf_only: false,
            random: false,
            iterations: 1,
        }
    }
}

impl Settings {
    /// Refuses what cannot be done.
    pub(super) fn check(self) -> Result<Settings, String> {
        let dirs = (self.branch as f64).powi(self.depth as i32);
        match () {
            () if !(1..=1 << 32).contains(&self.items) => {
                Err("`items` must be from 1 to 4294967296".into())
            }
            () if self.branch == 0 || self.depth > 64 || dirs > 1e6 => {
                Err("`branch` must be at least 1, `depth` at most 64, and the tree at most a million directories".into())
            }
            () if self.files_only && self.dirs_only => {
                Err("`files_only` and `dirs_only` leave nothing; set one of them".into())
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
        "-n: directories and files of one worker at scale 1, rounded down to the same number in each directory of the tree",
    ),
    Knob::new("depth", "", "0", "-z: levels of the tree below its root"),
    Knob::new("branch", "", "1", "-b: directories below each directory of the tree"),
    flag("unique", "-u: every worker has a tree of its own, else all work in the same directories"),
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
    flag("sync", "-Y: every phase ends with a sync of the file system"),
    Knob::new(
        "stride",
        "",
        "0",
        "-N: worker r takes the items of r+N for stat and rename, of r+2N for read, of r+3N for removal, as ranks on different nodes do",
    ),
    flag("leaf_only", "-L: items in the leaves of the tree alone"),
    flag("random", "-R: stat and read in an order shuffled by the seed"),
    Knob::new("iterations", "", "1", "-i: how often all phases are done; the rate is the mean"),
];

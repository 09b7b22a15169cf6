//! A tree as it was found, and what is wrong with it.

use crate::content::Run;
use model::result::Harm;
use std::collections::BTreeMap;

/// What a name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A directory.
    Directory,
    /// A symbolic link, with what it names.
    Symlink(String),
    /// A file.
    File {
        /// Bytes.
        size: u64,
        /// All of its content.
        runs: Vec<Run>,
        /// Its number in the file system, the same for all of its names.
        inode: u64,
        /// Its count of links.
        links: u64,
    },
    /// Something that cannot be read, and why.
    Unreadable(String),
}

/// All that is below a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// By paths relative to it.
    pub entries: BTreeMap<String, Entry>,
    /// The values of [`ATTRIBUTE`](crate::workload::ATTRIBUTE) of files that have it, by the same paths.
    pub attributes: BTreeMap<String, String>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub harm: Harm,
    /// Where.
    pub path: String,
    /// Why, in one line.
    pub detail: String,
}

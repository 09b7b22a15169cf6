//! Describes what a layer leaves behind when the process that created it dies.

use std::path::PathBuf;

/// Something that outlives the process, by what to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remains {
    /// A mount at this directory.
    Mount(PathBuf),
    /// A ZFS pool of this name.
    Pool(String),
    /// An md array with this name in its superblock.
    Array(String),
    /// A mapping of the device mapper of this name, or a volume group with all its volumes.
    Mapping(String),
    /// A bcache: its set and the label of its backing disk are made of this name.
    Cache(String),
    /// All that is below a prefix of a bucket.
    Prefix {
        /// The object store, as `https://HOST`.
        url: String,
        /// The name of its region.
        region: String,
        /// The bucket.
        bucket: String,
        /// Its last word is made of the campaign.
        prefix: String,
    },
    /// A private network namespace with the servers in it, by the file that it is bound to.
    Network(PathBuf),
}

//! Where one part of a target is made: everything that its commands name.

use std::path::{Path, PathBuf};

/// What the commands of a part name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The devices it lies on, as many as it asks for; none for what lies in a directory or in memory.
    pub disks: Vec<PathBuf>,
    /// Bytes of each of the disks at the bottom of the target; each part takes a few for itself.
    pub bytes: u64,
    /// The directory in which it lies, of the file system below it; `None` for what lies on disks.
    pub below: Option<PathBuf>,
    /// Where it is mounted. Not made for a part that offers a disk.
    pub dir: PathBuf,
    /// A name that nothing else has, for pools, arrays, mappings and exports.
    pub name: String,
    /// A private directory for sockets, keys and configuration.
    pub scratch: PathBuf,
}

impl Site {
    /// The first device, or an empty path where there is none.
    pub fn disk(&self) -> &Path {
        self.disks.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// The directory below, or an empty path where there is none.
    pub fn below(&self) -> &Path {
        self.below.as_deref().unwrap_or(Path::new(""))
    }
}

/// How a part takes the target in its parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inner {
    /// It takes none.
    None,
    /// The inner is made on the disk that this part offers, as in `raid1(ext4)`.
    Above,
    /// This part lies in a directory of the inner, as in `nfs(ext4)`.
    Below,
}

//! Workloads: operations on files, as data, and the marks after which they promise something.

mod known;
mod named;

pub use known::{Known, known};
pub use named::{CONTRACTS, named};

/// The extended attribute that workloads set.
pub const ATTRIBUTE: &str = "user.assay";

/// How data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By write(2), into the page cache.
    Buffered,
    /// With O_DIRECT, past it. Offset and length are multiples of 4096.
    Direct,
    /// Through a shared mapping of the file, which is made longer before where it is too short.
    Mapped,
}

/// A mode of fallocate(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// 0: allocates, and extends the file.
    Allocate,
    /// FALLOC_FL_KEEP_SIZE.
    Keep,
    /// FALLOC_FL_ZERO_RANGE, which extends the file.
    Zero,
    /// FALLOC_FL_ZERO_RANGE and FALLOC_FL_KEEP_SIZE.
    ZeroKeep,
    /// FALLOC_FL_PUNCH_HOLE and FALLOC_FL_KEEP_SIZE.
    Punch,
}

impl Space {
    /// Whether what was there is zeros afterwards.
    pub fn zeroes(self) -> bool {
        matches!(self, Space::Zero | Space::ZeroKeep | Space::Punch)
    }

    /// Whether the file may grow.
    pub fn extends(self) -> bool {
        matches!(self, Space::Allocate | Space::Zero)
    }
}

/// One operation. Paths are relative to a directory in which the workload is performed; the empty one is that itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Makes an empty file.
    Create(String),
    /// Makes a directory.
    Mkdir(String),
    /// Writes at a place of a file.
    Write {
        /// The file.
        path: String,
        /// First byte, a multiple of 8.
        offset: u64,
        /// Bytes, a multiple of 8.
        length: u64,
        /// By which way.
        how: How,
    },
    /// Sets the size of a file.
    Truncate {
        /// The file.
        path: String,
        /// Bytes, a multiple of 8.
        size: u64,
    },
    /// Allocates, zeroes or punches.
    Fallocate {
        /// The file.
        path: String,
        /// Which of them.
        space: Space,
        /// First byte, a multiple of 8.
        offset: u64,
        /// Bytes, a multiple of 8.
        length: u64,
    },
    /// Renames a file or directory, over what is there.
    Rename {
        /// Its name.
        from: String,
        /// Its new name.
        to: String,
    },
    /// Gives a file a further name.
    Link {
        /// Its name.
        from: String,
        /// Its further name.
        to: String,
    },
    /// Makes a symbolic link.
    Symlink {
        /// What it names.
        target: String,
        /// Its name.
        path: String,
    },
    /// Removes a name of a file, or a symbolic link.
    Unlink(String),
    /// Removes a name of a file as remove(3) does, by way of its directory.
    Remove(String),
    /// Sets an extended attribute of a file, [`ATTRIBUTE`], to the number of this operation.
    SetAttribute(String),
    /// Removes that attribute.
    RemoveAttribute(String),
    /// Removes an empty directory.
    Rmdir(String),
    /// Opens a file, and leaves it open until the end.
    Hold(String),
    /// fsync(2) of a file or directory.
    Fsync(String),
    /// fdatasync(2) of a file.
    Fdatasync(String),
    /// msync(2) of a part of a file, synchronously.
    Msync {
        /// The file.
        path: String,
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// syncfs(2).
    Syncfs,
    /// Sets a mark: all before it has returned.
    Mark(u64),
}

/// Operations with what must hold after a crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// All operations, in order.
    pub operations: Vec<Operation>,
    /// How many of the operations are done, and synced, before the disk is recorded.
    pub prepared: usize,
    /// Files that are replaced whole: each is, at any time, as one of those that were renamed to its name.
    pub whole: Vec<String>,
    /// Names that are, once all operations are done, as these leave them, with the directories above and what they lead
    /// to: beyond what follows from the syncs.
    pub promised: Vec<String>,
}

//! Redundancy of a part on several disks: what may be lost, and what makes the part whole again, as data.

use crate::Cmd;
use std::path::PathBuf;

/// What survives the loss of disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redundancy {
    /// Disks that may be lost, whichever they are.
    pub losses: usize,
    /// Copies of a block, of which a reader gets one; 1 where there is one, and parity.
    pub copies: usize,
    /// Whether the kernel remembers its disks by what is on them: it would take a copy of one for the disk itself.
    pub is_remembered: bool,
}

/// A step that makes a part whole again while it is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// A command, which is waited for.
    Command(Cmd),
    /// A request to the kernel: read all that each disk of a Btrfs holds, and repair what has another copy.
    BtrfsScrub,
    /// A request to the kernel: replace a disk of a Btrfs, and wait until all is copied.
    BtrfsReplace {
        /// Its number in the order of the disks, from 1.
        number: usize,
        /// What takes its place.
        by: PathBuf,
    },
    /// A request to the kernel: give all of a Btrfs these profiles, where it does not have them.
    BtrfsConvert {
        /// That of data.
        data: &'static str,
        /// That of metadata, and of the system.
        metadata: &'static str,
    },
}

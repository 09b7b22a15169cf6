//! The safety boundary for destructive writes: decides which disks may be destroyed, and is the only code of this
//! program that writes to a disk directly.
//!
//! A [`Disk`] can be written to in only three ways: a loop device that is still attached to an image of ours
//! ([`Disk::of_image`]), a disk of the user's that was judged and locked ([`Disk::claimed`], by a [`Claim`] that only
//! [`claim`] gives), and inside a guest what the guest was given ([`Disk::of_guest`]). Nothing here knows of file
//! systems, mounts that assay makes, journals or campaigns: the caller first records what must be torn down, and runs
//! mkfs on the node afterwards.

#[allow(unsafe_code)]
mod attached;
mod backing;
#[allow(unsafe_code)]
mod blkpg;
mod device;
#[allow(unsafe_code)]
mod discard;
mod disk;
mod error;
mod fill;
mod hold;
mod interlock;
pub mod lock;
#[cfg(test)]
mod loops;
pub mod mounts;
#[allow(unsafe_code)]
pub mod named_loop;
mod part;
#[allow(unsafe_code)]
pub mod program;
pub mod queue;
mod refusal;

pub use backing::{backing_file, is_on};
pub use device::{Device, shows_devices};
pub use disk::{Disk, Image, is_held, wait_free};
pub use error::Error;
pub use fill::{Filling, fill};
pub use interlock::{
    Claim, DiskInfo, DiskRequest, claim, forget_parts, inspect, judge_disks, known_parts, left_on,
    part_size,
};
pub use part::DiskPart;
pub use refusal::Refusal;

/// Returns true if this process has root's rights.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

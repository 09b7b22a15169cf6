//! Injects faults below a target, on a recording disk, and reports what is left: states after a power cut are made from
//! the log of a workload, mounted, and checked against the workload's contract; a request fails during an fsync; data
//! on the disk is corrupted silently; the disk is filled until it refuses more; one leg of a mirror is corrupted or
//! lost. Also makes snapshots, and examines them.

mod clock;
mod crash;
mod error;
mod failed_write;
mod full;
mod ground;
mod kept;
mod look;
mod looker;
mod mirror;
mod mount;
mod observe;
mod perform;
mod seat;
mod several;
mod snapshots;
mod spread;
mod sync_witness;
mod turned_bit;
mod vessel;
mod work;

pub use crash::Crashed;
pub use error::FaultsError;
pub use full::Filled;
pub use ground::Ground;
pub use kept::{MOST_KEPT_BYTES, Remade, commands, pack, remake, unpack};
pub use mirror::{Look, Mirror, SeenMirror};
pub use several::Tried;
pub use snapshots::{SnapshotVessel, SnapshotsAsked};
pub use turned_bit::{Damage, Read, Scrubbed, SeenBit};
pub use vessel::Vessel;
pub use work::{Asked, Work};

//! Injects faults below a target, on a recording disk, and reports what is left: states after a power cut are made from
//! the log of a workload, mounted, and checked against the workload's contract; a request fails during an fsync; data
//! on the disk is corrupted silently; the disk is filled until it refuses more; one leg of a mirror is corrupted or
//! lost. Also makes snapshots, and examines them.

mod clock;
mod crash;
mod distribute;
mod error;
mod examine;
mod examiner;
mod failed_write;
mod full;
mod kept;
mod memory_target;
mod mirror;
mod mount;
mod observe;
mod perform;
mod recorded_target;
mod several;
mod snapshots;
mod sync_witness;
mod test_disk;
mod turned_bit;
mod work;

pub use crash::Crashed;
pub use error::FaultsError;
pub use full::Filled;
pub use kept::{MOST_KEPT_BYTES, Remade, commands, pack, remake, unpack};
pub use memory_target::MemoryTarget;
pub use mirror::{FilesRead, Mirror, SeenMirror};
pub use recorded_target::RecordedTarget;
pub use several::Tried;
pub use snapshots::{SnapshotTarget, SnapshotsAsked};
pub use turned_bit::{Damage, Read, Scrubbed, SeenBit};
pub use work::{Asked, Work};

//! Makes what is measured: file systems on their devices, cache control, counters, and the undo journal.
//!
//! [`Lab`](setup::Lab) owns what a campaign put on the machine, [`Instance`](instance::Instance) is one freshly made
//! candidate. Everything that must be torn down is written to a journal before it is done, so that
//! [`Cleanup`](cleanup::Cleanup) can undo it after a kill -9 or a reboot. What a file system needs is data
//! ([`FileSystem`](fs::FileSystem) returns commands); only `setup`, `stack` and `instance` run it.

pub mod ageing;
pub mod backing;
#[allow(unsafe_code)]
mod btrfs;
pub mod cleanup;
pub mod error;
pub mod fuse;
pub mod guest;
pub mod instance;
pub mod machine;
pub mod mounts;
pub mod observe;
pub mod ownership;
pub mod page_cache;
pub mod plan;
pub mod programs;
pub mod recording;
pub mod setup;
mod stack;

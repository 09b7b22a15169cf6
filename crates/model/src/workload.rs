//! The work: tests, cases, jobs, profiles, assets.

mod asset;
mod case;
mod job;
mod like;
mod numa;
mod profile;
mod test_info;
mod work;

pub use asset::{Asset, AssetFile, AssetName, AssetNameError, ContentHash, ContentHashError};
pub use case::{CacheState, Case};
pub use job::{
    DataKind, Job, JobMode, PhaseKind, PhaseOverlap, PhaseReport, PoolReport, Programs,
    WorkerReport,
};
pub use like::{Like, LikeClass};
pub use numa::{Numa, NumaNode};
pub use profile::{
    Floor, MixOp, Preference, Procs, Profile, ProfileError, ProfileHead, Require, Tier, WorkGroup,
};
pub use test_info::{CacheNeed, GridCell, Group, Shape, TestInfo};
pub use work::{TestSize, Work, size_of};

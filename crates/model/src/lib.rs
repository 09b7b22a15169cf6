//! Plain data that every other crate speaks: plans, targets, cases, jobs, samples, datasets.
//!
//! Nothing here touches a disk, a clock or a process. A type belongs here when two crates that
//! must not depend on each other both need it.

mod case;
mod dataset;
mod histogram;
mod job;
mod knob;
mod plan;
mod rng;
mod sample;
#[cfg(feature = "strategies")]
pub mod strategies;
mod target;
mod test_info;
mod units;

pub use case::{CacheState, Case};
pub use dataset::{
    Campaign, CampaignState, Dataset, Environment, Origin, TargetRecord, TargetState,
};
pub use histogram::{Histogram, LatencyKind};
pub use job::{
    CrewReport, DataKind, Job, JobMode, PhaseKind, PhaseOverlap, PhaseReport, WorkerReport,
};
pub use knob::{Knob, KnobError, Options, check_options};
pub use plan::{BackingPlan, Plan, PlanError, Preset, Scale};
pub use rng::Rng;
pub use sample::{Better, Limiter, Metric, Sample, Validity};
pub use target::{Target, TargetError, label_targets};
pub use test_info::{CacheNeed, Group, TestInfo};
pub use units::{Bytes, UnitError};

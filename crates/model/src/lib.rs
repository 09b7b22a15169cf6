//! Plain data that every other crate speaks: plans, targets, cases, jobs, samples, datasets.
//!
//! Nothing here touches a disk, a clock or a process. A type belongs here when two crates that
//! must not depend on each other both need it.

mod asset;
mod backing;
mod balance;
mod case;
pub mod cell;
mod check;
mod classes;
mod command;
mod dataset;
mod durability;
mod environment;
mod evidence;
mod facts;
mod fault;
mod histogram;
mod job;
mod knob;
mod lab_kind;
mod like;
mod limit;
mod metric;
mod name;
mod naming;
mod nearest;
mod numa;
mod object_store;
mod order;
mod plan;
mod plan_error;
mod preset;
mod price;
mod profile;
mod rng;
mod rotation;
mod sample;
pub mod series;
mod shell;
#[cfg(any(test, feature = "strategies"))]
pub mod strategies;
mod sweep;
mod target;
mod test_info;
mod units;
mod user;
mod word;
mod work;

pub use asset::{Asset, AssetFile, AssetName, AssetNameError, ContentHash, ContentHashError};
pub use backing::{BackingPlan, CONDITION_FILLS, Purge};
pub use balance::balanced_order;
pub use case::{CacheState, Case};
pub use check::{Checker, DatasetError};
pub use dataset::{
    Campaign, CampaignState, Dataset, Head, NOT_AS_ASKED, NOT_DURABLE, Origin, TESTS_LEFT_OUT,
    TargetRecord, TargetState,
};
pub use durability::{Durability, Synced, Unproven};
pub use environment::Environment;
pub use evidence::{
    BUFFERED_BELOW, FLOOR, PART, READ_AHEAD_HITS, READ_AHEAD_PCT, ROUND_RATES, Readings, is_cost,
    part_fact,
};
pub use facts::{Fact, FactSheet, FactValue, Requirement, RequirementError};
pub use fault::{Fault, FaultKind};
pub use histogram::{Histogram, LatencyKind};
pub use job::{
    DataKind, Job, JobMode, PhaseKind, PhaseOverlap, PhaseReport, PoolReport, Programs,
    WorkerReport,
};
pub use knob::{Knob, KnobError, Options, check_options};
pub use lab_kind::{LabChoice, LabKind};
pub use like::{Like, LikeClass};
pub use limit::LatencyLimit;
pub use metric::{Better, Metric, Quantity};
pub use name::{Name, NameError, NameKind, is_unprintable, printable, printable_line};
pub use naming::{LAST, NamingError, TargetNames, label_targets, split_name};
pub use nearest::{did_you_mean, nearest, pattern_meant};
pub use numa::{Numa, NumaNode};
pub use object_store::{ObjectStore, USUAL_REGION};
pub use order::Order;
pub use plan::{AGED_SHARE, Plan, Twin};
pub use plan_error::PlanError;
pub use preset::{LOOKS, Preset, QUICK_LOOKS, Scale};
pub use price::{Charge, Price, PriceError};
pub use profile::{
    Floor, MixOp, Preference, Procs, Profile, ProfileError, ProfileHead, Require, Tier, WorkGroup,
};
pub use rng::Rng;
pub use rotation::part_in_block;
pub use sample::{Limiter, Sample, Validity};
pub use series::Series;
pub use shell::shell_word;
pub use sweep::{LeftOut, Sweep, SweepError, SweepMode, Swept};
pub use target::{Target, TargetError};
pub use test_info::{CacheNeed, GridCell, Group, Shape, TestInfo};
pub use units::{Bytes, UnitError};
pub use user::User;
pub use word::Word;
pub use work::{TestSize, Work, size_of};

//! Recommends a target for a workload: evaluates a campaign by a profile and by facts.
//!
//! Vetoes come first, then floors, then the score with its uncertainty, then how much of the answer depends
//! on the weights. What is ruled out stays visible, with its figures and the reason.

mod advised;
mod answer;
mod campaign;
mod counsel;
mod elsewhere;
pub(crate) mod features;
mod field;
mod floors;
mod limits;
mod mix;
mod objection;
mod question;
mod sensitivity;
mod vetoes;
mod work;
pub(crate) mod workload;

pub use advised::{Advised, Eligibility};
pub use counsel::{
    Advice, BlockTime, Choice, Counsel, GroupLead, Merit, More, Refusal, Remark, Support,
};
pub use features::FeatureDifference;
pub use limits::{AskedLimit, LatencyEstimate, LimitFinding, LimitOutcome, LimitReason, limits};
pub use objection::{Basis, FloorFinding, Objection, Shortfall};
pub use question::Question;
pub use sensitivity::{Sensitivity, Share, Tipping, Without};
pub use work::GroupCover;
pub use workload::{WorkCells, Workload, Workloads};

pub(crate) use campaign::advice;
pub(crate) use elsewhere::decisive;

//! Candidates as text: their parts, options, names, sweeps, and facts for advice.

pub(crate) mod expression;
mod facts;
mod knob;
pub(crate) mod naming;
mod sweep;

pub use expression::{Target, TargetError};
pub use facts::{Fact, FactSheet, FactValue, Requirement, RequirementError};
pub use knob::{Knob, KnobError, Options, check_options};
pub use naming::{LAST, NamingError, TargetNames, label_targets, split_name};
pub use sweep::{LeftOut, Sweep, SweepError, SweepMode, Swept};

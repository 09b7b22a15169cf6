//! Candidates as text: their parts, options, names, sweeps, and facts for advice.

mod facts;
mod kernel;
mod knob;
pub(crate) mod naming;
pub(crate) mod parse;
mod sweep;

pub use facts::{Fact, FactSheet, FactValue, Requirement, RequirementError};
pub use kernel::KernelVersion;
pub use knob::{Knob, KnobError, Options, check_options};
pub use naming::{LAST, NamingError, TargetNames, label_targets, split_name};
pub use parse::{Target, TargetError};
pub use sweep::{LeftOut, Sweep, SweepError, SweepMode, Swept};

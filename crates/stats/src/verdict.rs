//! Reaches the verdict: which candidate is the best, how sure that is, what it costs, and what to do next.

pub(crate) mod cost;
pub(crate) mod decide;
pub(crate) mod evidence;
pub(crate) mod leaders;
pub(crate) mod next_step;
mod race;

pub use cost::{Cost, Priced};
pub use decide::{Candidate, CellLoss, CellRatio, Compared, Note, Reason, Verdict, VerdictKind};
pub use evidence::Obstacle;
pub use leaders::{Contrast, Leaders, Lost};
pub use next_step::Next;
pub use race::{Behind, InterimVerdicts, Standoff, look};

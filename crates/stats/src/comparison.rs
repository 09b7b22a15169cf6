//! Compares campaigns.

mod alike;
mod asked;
mod campaigns;
mod changed;
mod differences;
mod incomparable;
mod join;
mod pool;
mod regression;
mod same;
mod side;

pub use asked::AskedCell;
pub use campaigns::CampaignComparison;
pub use changed::{Changed, Differing, differing_facts};
pub use differences::{Difference, Pair};
pub use incomparable::{Incomparable, IncomparableRow, Placed};
pub use join::Unmatched;
pub use regression::{Blindness, Finding, Gate, GateOutcome, Loss, Power, Regression};

pub(crate) use campaigns::{baseline, comparison, joined};
pub use pool::pooled;
pub(crate) use side::Columns;

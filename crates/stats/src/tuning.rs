//! Searches for better options.

mod confirm;
mod effect;
mod search;
mod stage;
pub(crate) mod sweep;
mod variants;

pub use confirm::{Confirmation, Finalist};
pub use effect::Affected;
pub use search::{Bench, Ending, SearchOutcome, search};
pub use stage::{Stage, StageKind};
pub use sweep::{SweepEffects, VariantEffect};

//! Searches for better options.

mod confirm;
mod search;
mod stage;
mod variants;

pub use confirm::{Confirmation, Finalist};
pub use search::{Bench, Ending, Outcome, search};
pub use stage::{Stage, StageKind};

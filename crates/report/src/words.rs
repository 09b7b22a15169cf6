//! Formats findings as sentences. Each sentence names the suite or the machine, the interval and the number of blocks,
//! and claims no more than the figures show.

pub(crate) mod advice;
pub(crate) mod durability;
pub(crate) mod full;
pub(crate) mod gate;
pub(crate) mod harm;
pub(crate) mod injected;
pub(crate) mod limit;
pub(crate) mod note;
pub(crate) mod objection;
pub(crate) mod phrase;
mod reason;
mod refusal;
pub(crate) mod snapshots;
pub(crate) mod unscored;
mod unshared;
pub(crate) mod verdict;

pub use advice::{advice, advice_notes, group_lead, merit};
pub use durability::doubtful;
pub use gate::{gate, power};
pub use harm::{harm as harm_of_state, remake_command};
pub use limit::{CheckedCampaign, limit, limit_line, limits, limits_in_short, outcome, together};
pub use note::note;
pub use objection::objection;
pub(crate) use phrase::{limiter, open};
pub use reason::{reason, validity};
pub use verdict::{notes as verdict_notes, verdict};

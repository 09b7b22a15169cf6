//! Stages of a campaign, as types: what is settled in each. [`pipeline`](crate::pipeline) makes one from the other.

mod asked;
mod layout;
mod ordered;
mod placed;
mod resolved;
mod sized;
mod stored;
mod tests_of_plan;

pub use asked::Asked;
pub use ordered::Ordered;
pub use placed::{Entrant, Placed};
pub use resolved::{Amount, Resolved};
pub use sized::Sized;
pub use stored::Stored;
pub use tests_of_plan::Item;

//! Stages of a campaign, as types: what is settled in each. [`pipeline`](crate::pipeline) makes one from the other.

mod asked;
pub mod fillable;
pub mod images;
mod layout;
mod ordered;
pub mod place;
mod placed;
mod resolved;
pub mod shared_device;
mod sized;
mod stored;
pub mod sweeps;
mod tests_of_plan;
mod uninstalled;

pub use asked::Asked;
pub use ordered::Ordered;
pub use placed::{Entrant, Placed};
pub use resolved::{Amount, Resolved};
pub use sized::Sized;
pub use stored::Stored;
pub use tests_of_plan::Item;

//! Reproducible randomness: a generator, balanced orders and rotations.

mod balance;
mod rng;
mod rotation;

pub use balance::balanced_order;
pub use rng::Rng;
pub use rotation::part_in_block;

//! Finds how much each test does, and whether that fits: the rates of the backing, the least and the most of a test,
//! and the space that it needs.

pub mod free;
pub mod load;
pub mod pilot;
pub mod range;
pub mod space;
pub mod stretch;

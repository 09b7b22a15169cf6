//! The same campaign on many hosts. Rank 0 of an MPI allocation runs the ordinary program, with every rank as a
//! worker: it is the only one that plans, stores and prints. The others take orders.
//!
//! `placement` says which ranks work, `clocks` brings the times of their hosts together, `merge` makes one report of
//! theirs, `orders` is what rank 0 says.

pub mod clocks;
pub mod merge;
pub mod orders;
pub mod placement;

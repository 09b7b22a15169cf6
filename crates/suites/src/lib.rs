//! What to do: test suites, one file per suite or family of tests.
//!
//! A `Test` says what it measures and what it needs, fills what is missing, and starts a `Run`;
//! the run does its timed phases through a `Meter`, which waits at the barrier and holds the clock.

pub mod test;

pub use test::{Estimate, Meter, Run, Suite, Test, TestError};

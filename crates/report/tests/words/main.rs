//! Tests of sentences about campaigns with known truth, from samples to text.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod advise;
mod advise_mix;
mod advise_scope;
mod classes;
#[path = "../../../stats/tests/common/mod.rs"]
mod common;
mod compare;
mod durable;
mod gate;
mod intervals;
mod limit;
mod note;
mod short;
mod verdict;
mod worded;

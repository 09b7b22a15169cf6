//! What is said of campaigns whose truth is known, from their samples to the sentence.

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
mod short;
mod verdict;
mod worded;

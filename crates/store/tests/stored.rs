//! What is stored and read back, in one binary: each of its own costs a link and its share of generic code.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod foreign;
mod scratch;
mod store;
mod turns;

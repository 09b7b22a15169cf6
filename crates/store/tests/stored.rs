//! Tests of stored data in one binary, because each binary costs a link and its share of generic code.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod foreign;
mod scratch;
mod store;
mod turns;

//! Tests of findings in one binary, because each binary costs a link and its share of generic code.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;
mod cost;
mod golden;
mod io500;
mod leaders;
mod pool;
mod precision;
mod printed;
mod race;
mod scaling;
mod selfcheck;
mod sweep;
mod tables;
mod tune;
mod wrong_samples;

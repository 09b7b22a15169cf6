//! Every test of the suite at a small scale in a directory, and what it leaves there.

mod figures;
mod files;
mod kdb;
mod runs;

pub(super) use crate::testing::{job, run};

//! What to do: test suites, one file per suite or family of tests.
//!
//! A `Test` says what it measures and what it needs, fills what is missing, and starts a `Run`;
//! the run does its timed phases through a `Meter`, which waits at the barrier and holds the clock.

pub mod columnar;
pub mod null;
pub mod test;

use model::Job;
use std::{collections::BTreeMap, path::PathBuf};
pub use test::{Estimate, Measured, Meter, Run, Suite, Test, TestError};

/// Every suite that is offered.
pub static SUITES: &[&Suite] = &[&columnar::COLUMNAR];

/// The suite called `name`; also those that are not offered.
pub fn suite(name: &str) -> Option<&'static Suite> {
    all().find(|suite| suite.name == name)
}

/// The test whose figures include those of `id`: its own, or those of the sync that follows it.
pub fn find(id: &str) -> Option<&'static dyn Test> {
    all()
        .flat_map(|suite| suite.tests.iter().copied())
        .find(|test| test.infos().iter().any(|info| info.id == id))
}

/// Bytes that one worker needs on disk for `tests`: the files that they share, once, and the most
/// that any of them needs while it runs.
pub fn space_bytes(tests: &[&dyn Test], job: &Job) -> u64 {
    let mut files = BTreeMap::<PathBuf, u64>::new();
    for (path, bytes) in tests.iter().flat_map(|test| test.space(job)) {
        let largest = files.entry(path).or_default();
        *largest = bytes.max(*largest);
    }
    let scratch = tests.iter().map(|test| test.estimate(job).scratch_bytes).max().unwrap_or(0);
    files.values().sum::<u64>() + scratch
}

fn all() -> impl Iterator<Item = &'static Suite> {
    SUITES.iter().copied().chain([&null::NULL])
}

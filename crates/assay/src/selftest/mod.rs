//! The tool held against truths that are imposed: caps on a device, delays of known length, syncs that do
//! nothing, a target beside its twin, also on a machine that becomes slower, and work beside a test. Each is measured the way a user's campaign
//! is.

mod beside;
mod caps;
mod delays;
mod outcome;
mod pairs;
mod served;
mod slowing;
mod syncs;
mod trial;

pub use outcome::{Line, Outcome, table};

use anyhow::Result;
use std::{path::Path, sync::atomic::AtomicBool};

/// Where truths are checked.
pub struct Bench<'a> {
    /// State directory: journal, images, mount points.
    pub state: &'a Path,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// Less time for each, and wider limits.
    pub quick: bool,
}

/// One imposed truth.
pub trait Truth: Sync {
    /// Name for `--only`.
    fn name(&self) -> String;

    /// What is imposed, and what is measured.
    fn about(&self) -> String;

    /// What this machine lacks for it.
    ///
    /// # Errors
    /// It cannot be told.
    fn missing(&self) -> Result<Option<String>>;

    /// Imposes it, measures, and undoes it.
    ///
    /// # Errors
    /// There is no measurement.
    fn check(&self, bench: &Bench<'_>) -> Result<Outcome>;
}

/// Every truth, the quickest first.
pub static TRUTHS: [&dyn Truth; 17] = [
    &pairs::EXACT,
    &delays::NULL_MEDIAN,
    &delays::NULL_MEAN,
    &beside::BUSY_SERVER,
    &served::SERVED,
    &slowing::SLOW_PAIR,
    &delays::FUSE,
    &syncs::LYING,
    &syncs::HONEST,
    &beside::BUSY_DISK,
    &caps::READ_RATE,
    &caps::WRITE_RATE,
    &caps::READ_500,
    &caps::WRITE_500,
    &caps::READ_2000,
    &caps::WRITE_2000,
    &pairs::LOOP,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_tell_what_they_are() {
        let names: BTreeSet<String> = TRUTHS.iter().map(|truth| truth.name()).collect();
        assert_eq!(names.len(), TRUTHS.len());
        assert!(TRUTHS.iter().all(|truth| !truth.about().is_empty()));
    }
}

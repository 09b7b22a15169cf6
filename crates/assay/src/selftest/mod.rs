//! Checks the tool against known answers: device caps, injected delays, syncs that do nothing, two identical targets
//! (A/A), also on a machine that becomes slower, and background load. Each is measured like a user's campaign.

mod background_load;
mod caps;
mod delays;
mod outcome;
mod pairs;
mod served;
mod slowing;
mod syncs;
mod trial;

pub use outcome::{CheckOutcome, Line, table};

use anyhow::Result;
use std::{path::Path, sync::atomic::AtomicBool};

/// Where checks are run.
pub struct Bench<'a> {
    /// State directory: journal, images, mount points.
    pub state: &'a Path,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// Less time for each, and wider limits.
    pub quick: bool,
}

/// One check: something is imposed, and has to come back.
pub trait Check: Sync {
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
    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome>;
}

/// Every check, the quickest first.
pub static CHECKS: [&dyn Check; 17] = [
    &pairs::EXACT,
    &delays::NULL_MEDIAN,
    &delays::NULL_MEAN,
    &background_load::BUSY_SERVER,
    &served::SERVED,
    &slowing::SLOW_PAIR,
    &delays::FUSE,
    &syncs::LYING,
    &syncs::HONEST,
    &background_load::BUSY_DISK,
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
        let names: BTreeSet<String> = CHECKS.iter().map(|check| check.name()).collect();
        assert_eq!(names.len(), CHECKS.len());
        assert!(CHECKS.iter().all(|check| !check.about().is_empty()));
    }
}

//! States after a power failure, as the kinds that cut it declare them: how many are tried, and at how many of these
//! the checker looks.

use crate::kind::check_count;
use model::target::Knob;

/// Metric by which the tables order; how long a mount takes that has to recover.
pub(crate) const METRIC: &str = "recovery_ms";
/// Seconds for the checker, on a slow machine.
const CHECK_S: f64 = 0.05;
/// Most states of one block.
const MOST_STATES: u64 = 100_000;
/// Most repetitions of a work.
const MOST_ROUNDS: u64 = 1000;

/// The states, where nothing else is said of them.
pub(crate) const STATES: Knob = Knob::new(
    "states",
    "",
    "200",
    "distinct states to try in each block, from 1 to 100000, whatever the scale",
);

pub(crate) const CHECK_EVERY: Knob = Knob::new(
    "check_every",
    "",
    "10",
    "the file system's checker looks at one state in this many; 0: at none",
);

pub(crate) const ATOMIC_BYTES: Knob = Knob::new(
    "atomic_bytes",
    "B",
    "512",
    "what the disk writes whole or not at all, the rest of a write being torn off: 512, as any disk \
     does, or 4096, as one does whose physical blocks are so large",
);

/// # Errors
/// It is neither 512 nor 4096.
pub(crate) fn check_atomic(bytes: u64) -> Result<(), String> {
    match bytes {
        512 | 4096 => Ok(()),
        other => Err(format!("`atomic_bytes` must be 512 or 4096, not {other}")),
    }
}

/// # Errors
/// There are none, or too many.
pub(crate) fn check_states(states: u64) -> Result<(), String> {
    check_count("states", states, MOST_STATES)
}

/// # Errors
/// There are none, or too many.
pub(crate) fn check_rounds(rounds: u64) -> Result<(), String> {
    check_count("rounds", rounds, MOST_ROUNDS)
}

/// How long they take on a slow machine, where one takes `state_s`, seconds.
pub(crate) fn seconds(states: u64, check_every: u64, state_s: f64) -> f64 {
    let checked = states.checked_div(check_every).unwrap_or(0);
    states as f64 * state_s + checked as f64 * CHECK_S
}

/// At which states the checker looks, in words.
pub(crate) fn checker(check_every: u64) -> String {
    match check_every {
        0 => "No checker is run.".into(),
        1 => "The file system's checker looks at each.".into(),
        every => format!("The file system's checker looks at one in {every}."),
    }
}

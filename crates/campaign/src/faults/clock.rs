//! Times in nanoseconds.

use std::time::{Duration, Instant};

/// Nanoseconds that `body` takes.
pub(super) fn timed<E>(body: impl FnOnce() -> Result<(), E>) -> Result<u64, E> {
    let start = Instant::now();
    body()?;
    Ok(whole_ns(start.elapsed()))
}

/// `time` in nanoseconds.
pub(super) fn whole_ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

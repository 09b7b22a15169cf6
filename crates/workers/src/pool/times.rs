//! The times of one run of a pool: its timeout, its slices, and the seconds of its phase. The clock is read by
//! the caller.

use std::time::{Duration, Instant};

/// The interval at which the coordinator checks its workers while they work. Fifty short wake-ups a second
/// cause no disturbance.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The interval at which the observer is notified of a running phase: the usual rate of sampling counters, slow
/// enough that reading them costs the workers nothing.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// The clock of a pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    began: Instant,
    /// The end of the last full second of the running phase.
    told: Instant,
    /// The last start or resumption of the pool.
    resumed: Instant,
    /// For how long it stood still.
    away: Duration,
}

impl Times {
    /// A pool that begins `now`.
    pub(super) fn begin(now: Instant) -> Times {
        Times { began: now, told: now, resumed: now, away: Duration::ZERO }
    }

    /// A phase begins.
    pub(super) fn release(&mut self, now: Instant) {
        self.told = now;
    }

    /// A further slice begins.
    pub(super) fn resume(&mut self, now: Instant) {
        self.resumed = now;
    }

    /// The pool stood still from `since`: that counts neither for its timeout nor for its seconds.
    pub(super) fn stood_still(&mut self, since: Instant, now: Instant) {
        let away = now - since;
        self.resumed = now;
        self.away += away;
        self.told += away;
    }

    /// Returns the longest wait until the next check, within a slice of this length.
    pub(super) fn patience(&self, now: Instant, slice: Option<Duration>) -> Duration {
        let rest = |slice: Duration| slice.saturating_sub(now - self.resumed);
        slice.map_or(LOOK_EVERY, |slice| rest(slice).min(LOOK_EVERY))
    }

    /// Returns true if a slice of this length is over.
    pub(super) fn is_slice_over(&self, now: Instant, slice: Option<Duration>) -> bool {
        slice.is_some_and(|slice| now - self.resumed >= slice)
    }

    /// Returns true if a further second of the phase is over. Seconds are counted from the release, so that a late look
    /// does not move the next.
    pub(super) fn is_second_over(&mut self, now: Instant) -> bool {
        let over = now.saturating_duration_since(self.told) >= TELL_EVERY;
        self.told += if over { TELL_EVERY } else { Duration::ZERO };
        over
    }

    /// Returns true if the pool has worked for `timeout`, without its pauses.
    pub(super) fn is_timed_out(&self, now: Instant, timeout: Duration) -> bool {
        (now - self.began).saturating_sub(self.away) >= timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn seconds_are_counted_from_the_release() {
        let start = Instant::now();
        let mut times = Times::begin(start);
        times.release(start + MS(300));
        let is_over = [1299, 1300, 2299, 2450, 3300].map(|ms| times.is_second_over(start + MS(ms)));
        assert_eq!(is_over, [false, true, false, true, true], "a late look moves nothing");
    }

    #[test]
    fn paused_pool_loses_no_time() {
        let start = Instant::now();
        let mut times = Times::begin(start);
        times.stood_still(start + MS(500), start + MS(60_500));
        assert!(!times.is_second_over(start + MS(60_999)));
        assert!(times.is_second_over(start + MS(61_000)));
        assert!(!times.is_timed_out(start + MS(61_999), MS(2_000)));
        assert!(times.is_timed_out(start + MS(62_000), MS(2_000)));
    }

    #[test]
    fn a_slice_ends_to_the_millisecond() {
        let start = Instant::now();
        let mut times = Times::begin(start);
        let slice = Some(MS(100));
        assert_eq!(times.patience(start + MS(50), slice), LOOK_EVERY);
        assert_eq!(times.patience(start + MS(95), slice), MS(5));
        assert_eq!(times.patience(start + MS(150), slice), Duration::ZERO);
        assert_eq!(times.patience(start + MS(150), None), LOOK_EVERY);
        assert!(!times.is_slice_over(start + MS(99), slice));
        assert!(times.is_slice_over(start + MS(100), slice));
        assert!(!times.is_slice_over(start + MS(100), None));
        times.resume(start + MS(100));
        assert!(!times.is_slice_over(start + MS(199), slice));
    }
}

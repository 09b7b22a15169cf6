//! Ends work at a signal, or when the time that it may take is over.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// How often the end is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// When work ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Its start.
    pub(super) since: Instant,
    /// What it may take from then; `None` without a bound.
    pub(super) limit: Option<Duration>,
}

impl Bound {
    /// Whether it ends at `now`, at which a signal has come or not.
    fn is_reached(&self, now: Instant, is_stopped: bool) -> bool {
        is_stopped || self.limit.is_some_and(|limit| now.duration_since(self.since) >= limit)
    }

    /// Does `act`; `cut` becomes true when a signal has set `stop` or the time is over.
    pub(super) fn hold<T>(
        &self,
        stop: &AtomicBool,
        cut: &AtomicBool,
        act: impl FnOnce() -> T,
    ) -> T {
        let (end, ended) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(|| {
                let ended = ended;
                while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                    if self.is_reached(Instant::now(), stop.load(Relaxed)) {
                        cut.store(true, Relaxed);
                    }
                }
            });
            // Dropped by a panic, too, which would otherwise wait for the thread.
            let _end = end;
            act()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_by_a_signal_or_when_its_time_is_over() {
        let since = Instant::now();
        let at = |ms: u64| since + Duration::from_millis(ms);
        let bound = Bound { since, limit: Some(Duration::from_secs(15)) };
        assert!(!bound.is_reached(at(14_999), false) && bound.is_reached(at(15_000), false));
        assert!(bound.is_reached(at(0), true));
        let without = Bound { since, limit: None };
        assert!(!without.is_reached(at(1_000_000), false) && without.is_reached(at(0), true));
    }

    #[test]
    fn work_hears_of_its_end_without_a_signal() {
        let bound = Bound { since: Instant::now(), limit: Some(Duration::ZERO) };
        let (stop, cut) = (AtomicBool::new(false), AtomicBool::new(false));
        let wait = || {
            while !cut.load(Relaxed) {
                thread::yield_now();
            }
            "ended"
        };
        assert_eq!(bound.hold(&stop, &cut, wait), "ended");
        assert!(!stop.load(Relaxed), "the campaign goes on");
    }
}

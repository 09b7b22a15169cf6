//! Rounds times to their real precision, because most of a trace would be the noise of their low bits.

use trace::call::{TICK_NS, ThreadId};

/// Bits that a duration keeps: it is off by 0.4 % at most.
const BITS: u32 = 7;

/// The beginning of a recording, and where each thread stands.
pub(super) struct Clock {
    begin_ns: u64,
    /// When the last call of each thread ended, as stored.
    ends: Vec<u64>,
}

impl Clock {
    pub(super) fn new(begin_ns: u64) -> Clock {
        Clock { begin_ns, ends: Vec::new() }
    }

    /// When a call is stored to begin, since the beginning, and how long it is stored to take. The pause before it is
    /// rounded from where the thread stands, so that errors do not add up.
    pub(super) fn round(&mut self, thread: ThreadId, start_ns: u64, took_ns: u64) -> (u64, u64) {
        let thread = thread as usize;
        if self.ends.len() <= thread {
            self.ends.resize(thread + 1, 0);
        }
        let end = &mut self.ends[thread];
        let pause = start_ns.saturating_sub(self.begin_ns).saturating_sub(*end);
        let (at, took) = (end.saturating_add(rounded(pause)), rounded(took_ns));
        *end = at.saturating_add(took);
        (at, took)
    }
}

fn rounded(ns: u64) -> u64 {
    let bits = u64::BITS - ns.leading_zeros();
    let step = (1u64 << bits.saturating_sub(BITS)).max(TICK_NS);
    ns.saturating_add(step / 2) / step * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_small_and_does_not_add_up() {
        let mut clock = Clock::new(1000);
        let mut now = 1000;
        for i in 0..10_000u64 {
            let (pause, took) = (333 + i * 7 % 5000, 471 + i * 13 % 90_000);
            now += pause;
            let (at, stored) = clock.round(0, now, took);
            let error = (at + 1000).abs_diff(now);
            assert!(error <= TICK_NS + (pause + took) / 100 + 400, "{i}: {error}");
            assert!(stored.abs_diff(took) <= TICK_NS / 2 + took / 128);
            now += took;
        }
        assert_eq!(rounded(u64::MAX) >> 57, 127);
    }
}

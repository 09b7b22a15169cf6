//! Synchronizes the clocks of different hosts by messages. The other host answers a message with its time, which it
//! read between sending and receipt, so the shortest round trip bounds the error by half its length. (F. Cristian,
//! Probabilistic clock synchronization, Distributed Computing 3, 1989.)

use serde::{Deserialize, Serialize};

/// One round trip, nanoseconds: sent and received by the clock here, answered by the clock there.
#[derive(Clone, Copy, Debug)]
pub struct RoundTrip {
    /// Sent.
    pub sent_ns: u64,
    /// Answered.
    pub there_ns: u64,
    /// Received.
    pub received_ns: u64,
}

/// What a clock there showed beyond the clock here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offset {
    /// When, by the clock there, nanoseconds.
    pub at_ns: u64,
    /// How much, nanoseconds.
    pub offset_ns: i64,
    /// The truth is not further away than this, nanoseconds.
    pub bound_ns: u64,
}

impl Offset {
    /// By the shortest of `trips`; `None` when there are none.
    pub fn of(trips: &[RoundTrip]) -> Option<Offset> {
        let length = |trip: &&RoundTrip| trip.received_ns.saturating_sub(trip.sent_ns);
        let best = trips.iter().min_by_key(length)?;
        let half = length(&best) / 2;
        let middle = best.sent_ns + half;
        let offset_ns = i64::try_from(i128::from(best.there_ns) - i128::from(middle)).ok()?;
        Some(Offset { at_ns: best.there_ns, offset_ns, bound_ns: half + 1 })
    }
}

/// A clock that was looked at twice; between the two its offset changed evenly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    before: Offset,
    after: Offset,
}

impl Clock {
    /// Of two looks.
    pub fn of(before: Offset, after: Offset) -> Clock {
        Clock { before, after }
    }

    /// How far a corrected time may be from the truth, nanoseconds.
    pub fn bound_ns(&self) -> u64 {
        self.before.bound_ns.max(self.after.bound_ns)
    }

    /// The time of the clock here when the clock there showed `there_ns`.
    pub fn here_ns(&self, there_ns: u64) -> u64 {
        let (from, to) = (&self.before, &self.after);
        let length = to.at_ns.saturating_sub(from.at_ns);
        let gone = there_ns.clamp(from.at_ns, to.at_ns.max(from.at_ns)) - from.at_ns;
        let change = i128::from(to.offset_ns) - i128::from(from.offset_ns);
        let part = if length == 0 { 0 } else { change * i128::from(gone) / i128::from(length) };
        let here = i128::from(there_ns) - i128::from(from.offset_ns) - part;
        u64::try_from(here).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trip(sent_ns: u64, there_ns: u64, received_ns: u64) -> RoundTrip {
        RoundTrip { sent_ns, there_ns, received_ns }
    }

    #[test]
    fn the_shortest_trip_says_most() {
        let trips = [trip(0, 5_080, 100), trip(200, 5_205, 210), trip(300, 5_390, 400)];
        let offset = Offset::of(&trips).unwrap();
        assert_eq!(offset, Offset { at_ns: 5_205, offset_ns: 5_000, bound_ns: 6 });
        assert_eq!(Offset::of(&[]), None);
    }

    #[test]
    fn the_truth_is_within_the_bound_however_lopsided_the_way() {
        for there in 0..=80 {
            // The clock there is ahead by 1000, and the answer is given `there` after the sending.
            let offset = Offset::of(&[trip(500, 1_500 + there, 580)]).unwrap();
            assert!(offset.offset_ns.abs_diff(1_000) <= offset.bound_ns, "{there}: {offset:?}");
        }
    }

    #[test]
    fn a_clock_that_drifts_is_corrected_in_between() {
        let look = |at_ns, offset_ns| Offset { at_ns, offset_ns, bound_ns: 5 };
        let clock = Clock::of(look(10_000, 1_000), look(20_000, 1_100));
        assert_eq!(clock.here_ns(10_000), 9_000);
        assert_eq!(clock.here_ns(15_000), 13_950);
        assert_eq!(clock.here_ns(20_000), 18_900);
        assert_eq!(clock.here_ns(30_000), 28_900, "no guess beyond the second look");
        assert_eq!(clock.bound_ns(), 5);
        let behind = Clock::of(look(1_000, -9_000), look(1_000, -9_000));
        assert_eq!(behind.here_ns(1_000), 10_000);
        assert_eq!(Clock::default().here_ns(77), 77, "the same clock");
    }
}

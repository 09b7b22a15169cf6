//! A simulated slow link: the delay and rate imposed on connections to a local object store, so that it behaves like a
//! remote one.

use std::time::Duration;

/// The hidden verb by which this program serves it: port, port of the server, round trip in milliseconds, and rate
/// in megabits a second, 0 for any.
pub const LINK_VERB: &str = "__serve-link";

/// The imposed delay and rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Time of a round trip.
    pub round_trip: Duration,
    /// Bits a second of a direction; `None` for any number.
    pub bits_per_s: Option<f64>,
}

impl Link {
    /// Reads a round trip in milliseconds and a rate in megabits per second; a missing rate is 0.
    pub fn written(delay_ms: &str, mbit_per_s: &str) -> Option<Link> {
        let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
        let (delay_ms, mbit) = (number(delay_ms)?, number(mbit_per_s)?);
        let round_trip = Duration::try_from_secs_f64(delay_ms / 1e3).ok()?;
        Some(Link { round_trip, bits_per_s: (mbit > 0.0).then_some(mbit * 1e6) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_a_link() {
        let link = Link::written("20", "100").unwrap();
        assert_eq!(link.round_trip, Duration::from_millis(20));
        assert_eq!(link.bits_per_s, Some(1e8));
        assert_eq!(Link::written("0.5", "0").unwrap().bits_per_s, None);
        for (delay, rate) in [("-1", "0"), ("x", "0"), ("1", "inf"), ("1e30", "0")] {
            assert_eq!(Link::written(delay, rate), None, "{delay} {rate}");
        }
    }
}

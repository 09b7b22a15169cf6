//! Adds up scrubs, and times of several tries.

use crate::faults::Scrubbed;
use model::result::{Scrub, Spread};
use std::time::Duration;

/// What all of `scrubs` found together; `None` where there are none.
pub(super) fn added(scrubs: &[Scrubbed]) -> Option<Scrub> {
    let count = |is: fn(&Scrubbed) -> bool| scrubs.iter().filter(|one| is(one)).count() as u64;
    (!scrubs.is_empty()).then(|| Scrub {
        tries: scrubs.len() as u64,
        detected: count(|one| one.has_detected),
        repaired: count(|one| one.has_repaired),
        time: spread(scrubs.iter().map(|one| one.took)),
    })
}

/// Of these times; `None` where there are none.
pub(super) fn spread(times: impl Iterator<Item = Duration>) -> Option<Spread> {
    let ns = |took: Duration| u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    Spread::of(times.map(ns).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrubs_are_counted_by_what_they_did() {
        let scrub = |has_detected, has_repaired, ms| Scrubbed {
            has_detected,
            has_repaired,
            took: Duration::from_millis(ms),
        };
        let all = [scrub(true, true, 3), scrub(true, false, 1), scrub(false, false, 2)];
        let time = Some(Spread { min_ns: 1_000_000, median_ns: 2_000_000, max_ns: 3_000_000 });
        assert_eq!(added(&all), Some(Scrub { tries: 3, detected: 2, repaired: 1, time }));
        assert_eq!(added(&[]), None);
    }
}

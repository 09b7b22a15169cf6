//! Timed parts shorter than their preset asks for: a figure from a millisecond reflects the moment, not the target, so
//! it is shown but not scored.

use crate::kernel::point::median;
use model::result::{Sample, known};

/// Whether the usual timed part of these samples of one target in one cell is below the floor of its preset; one
/// late or early part decides nothing. What was not measured here has no floor and is never short.
pub(crate) fn is_short(samples: &[&Sample]) -> bool {
    let valid = || samples.iter().filter(|s| s.evidence.validity.is_valid());
    let floor_s = valid().filter_map(|s| s.get(known::FLOOR_S)).reduce(f64::min);
    let length_s = median(valid().map(|s| s.figures.seconds).collect());
    floor_s.zip(length_s).is_some_and(|(floor, length)| length < floor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        result::{Reason, Validity},
        workload::{CacheState, Case},
    };

    fn sample(seconds: f64, floor_s: Option<f64>) -> Sample {
        let case = Case {
            target: "xfs".into(),
            suite: "s".into(),
            test: "s.t".into(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let mut sample = Sample::bare(0, 0, case, Vec::new()).lasting(seconds);
        sample.set(known::FLOOR_S, floor_s);
        sample
    }

    fn short(lengths: &[f64], floor_s: Option<f64>) -> bool {
        let samples: Vec<Sample> = lengths.iter().map(|&s| sample(s, floor_s)).collect();
        is_short(&samples.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_usual_part_is_below_the_floor() {
        assert!(short(&[0.0002, 0.0002, 0.0003], Some(0.033)));
        assert!(short(&[0.02, 0.03, 9.0], Some(0.033)), "one late part");
        assert!(!short(&[0.04, 0.05, 0.0001], Some(0.033)), "one early part");
        assert!(!short(&[0.033], Some(0.033)));
    }

    #[test]
    fn what_has_no_floor_is_not_short() {
        assert!(!short(&[0.0002], None) && !short(&[0.0], None) && !short(&[], None));
        let failed = sample(0.0, Some(1.0)).judged(Validity::Invalid(Reason::said("x")));
        assert!(!is_short(&[&failed]));
    }
}

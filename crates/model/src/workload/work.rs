//! Amount of work of a test per run, if it is not one scale factor for everything: a test is lengthened by repeating
//! its work, not by changing what it measures.

use serde::{Deserialize, Serialize};

/// Most repetitions and copies that a plan may ask for; more would be a mistake or an attack.
const MOST_TIMES: f64 = 1e9;
const MOST_COPIES: u32 = 1 << 20;
/// Largest factor on sizes, and smallest.
const SCALES: (f64, f64) = (1e-9, 1e4);

/// Repetitions of one run of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Factor on the number of operations, cycles or passes; 1 is the original suite's number.
    pub times: f64,
    /// Number of files like the one that the test is about, with data of their own.
    pub copies: u32,
}

impl Default for Work {
    fn default() -> Work {
        Work { times: 1.0, copies: 1 }
    }
}

/// How much a test does at one process count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestSize {
    /// The first id of the test.
    pub test: String,
    /// Process count that is asked for.
    pub procs: u32,
    /// Factor on its sizes; 1 is full scale.
    pub scale: f64,
    /// Repetitions, for a test that is made longer by them. Then vectors below a large one have their full
    /// length, whatever the scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
}

/// The size of `test` at `procs` processes among `sizes`; `None` where one factor decides.
pub fn size_of<'a>(sizes: &'a [TestSize], test: &str, procs: u32) -> Option<&'a TestSize> {
    sizes.iter().find(|size| size.procs == procs && size.test == test)
}

impl TestSize {
    /// Whether its numbers are such that a test can be made of them.
    pub fn is_sound(&self) -> bool {
        let within = |value: f64, (least, most): (f64, f64)| (least..=most).contains(&value);
        let works = self.work.is_none_or(|work| {
            within(work.times, (1e-9, MOST_TIMES)) && (1..=MOST_COPIES).contains(&work.copies)
        });
        within(self.scale, SCALES) && works
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_no_number_are_not_sound() {
        let size = |scale, work| TestSize { test: "t".into(), procs: 1, scale, work };
        let work = |times, copies| Some(Work { times, copies });
        assert!(size(0.5, None).is_sound() && size(1.0, work(0.01, 300)).is_sound());
        for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e5] {
            assert!(!size(bad, None).is_sound(), "{bad}");
        }
        for bad in [work(f64::NAN, 1), work(0.0, 1), work(1.0, 0), work(1.0, u32::MAX)] {
            assert!(!size(1.0, bad).is_sound(), "{bad:?}");
        }
    }
}

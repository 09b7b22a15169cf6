//! Computes the share of a campaign's time that was timed: seconds in timed parts over seconds of blocks.

use crate::kernel::point::median;
use model::{
    result::{Dataset, Sample},
    workload::Case,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Where the time of the finished blocks went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Timed {
    /// Finished blocks of which the time is known.
    pub blocks: usize,
    /// Time that they took, with what was tried again in them, seconds.
    pub wall_s: f64,
    /// Time of it inside timed parts, whether their samples are valid or not, seconds.
    pub timed_s: f64,
    /// Timed parts.
    pub parts: usize,
    /// Median length of a timed part, seconds.
    pub median_s: f64,
}

impl Timed {
    /// Share of the time that was measured, 0 to 1.
    pub fn share(&self) -> f64 {
        self.timed_s / self.wall_s
    }

    /// Mean time of a block, seconds.
    pub fn block_s(&self) -> f64 {
        self.wall_s / self.blocks as f64
    }
}

/// Of `dataset`, whose finished blocks took `blocks`, number and seconds; `None` where neither is known.
pub fn timed(dataset: &Dataset, blocks: &[(u32, f64)]) -> Option<Timed> {
    let blocks: BTreeMap<u32, f64> =
        blocks.iter().copied().filter(|(_, seconds)| *seconds > 0.0).collect();
    let known = dataset.samples.iter().filter(|s| blocks.contains_key(&s.block));
    let mut parts = Vec::new();
    let mut before = None;
    for sample in known.filter(|s| s.figures.seconds > 0.0) {
        if !before.is_some_and(|write| is_within(sample, write)) {
            parts.push(sample.figures.seconds);
        }
        before = Some(sample);
    }
    Some(Timed {
        blocks: blocks.len(),
        wall_s: blocks.values().sum(),
        timed_s: parts.iter().sum(),
        parts: parts.len(),
        median_s: median(parts)?,
    })
}

/// The case of `sample` but for its test and cache.
fn cell(sample: &Sample) -> (&str, &str, u32, u32) {
    let Case { target, suite, procs, threads, .. } = &*sample.case;
    (target, suite, *procs, *threads)
}

/// Whether `sample` is of the run of `write`, the sample before it, and its time a part of that: the sync that
/// ends a durable write has a row of its own besides that of the write. Other tests that come from one run, as
/// the phases of mdtest, come one after the other.
pub(crate) fn is_within(sample: &Sample, write: &Sample) -> bool {
    let place = |s: &Sample| (s.block, s.position);
    sample.case.test.split('.').any(|part| part == "sync")
        && write.metric("durable_rate").is_some()
        && place(sample) == place(write)
        && cell(sample) == cell(write)
        && sample.figures.seconds <= write.figures.seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        figure::{Better, Metric},
        result::{Reason, Validity},
        workload::CacheState,
    };

    fn sample(block: u32, test: &str, metric: &str, seconds: f64) -> Sample {
        let case = Case {
            target: "xfs".into(),
            suite: "columnar".into(),
            test: test.into(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let metric = Metric::new(metric, 1.0, "MB/s", Better::Higher);
        Sample::bare(block, 0, case, vec![metric]).lasting(seconds)
    }

    fn dataset(samples: Vec<Sample>) -> Dataset {
        let campaign = model::result::Campaign {
            id: "a".into(),
            created: String::new(),
            title: String::new(),
            origin: model::result::Origin::Run,
            state: model::result::CampaignState::Done,
            assay_version: String::new(),
            plan: model::plan::Plan::default(),
            scale: 1.0,
            seed: 1,
            environment: model::result::Environment::default(),
            notes: Vec::new(),
        };
        Dataset { campaign, targets: Vec::new(), tests: Vec::new(), samples }
    }

    #[test]
    fn a_run_counts_once_and_only_in_blocks_whose_time_is_known() {
        let mut unusable = sample(1, "columnar.read", "rate", 1.5);
        *unusable.evidence.validity = Validity::Invalid(Reason::said("no space"));
        let data = dataset(vec![
            sample(0, "columnar.write.int", "durable_rate", 2.0),
            // Of the same run, and a part of its time.
            sample(0, "columnar.sync.int", "rate", 0.5),
            sample(0, "columnar.read", "rate", 1.0),
            // What failed has no time.
            sample(0, "columnar.random", "rate", 0.0),
            unusable,
            // Of a block that is not finished.
            sample(2, "columnar.read", "rate", 100.0),
        ]);
        let found = timed(&data, &[(0, 6.0), (1, 3.0), (7, 0.0)]).unwrap();
        let expected = Timed { blocks: 2, wall_s: 9.0, timed_s: 4.5, parts: 3, median_s: 1.5 };
        assert_eq!(found, expected);
        assert_eq!((found.share(), found.block_s()), (0.5, 4.5));
        assert_eq!(timed(&data, &[]), None, "an import tells no time");
        assert_eq!(timed(&dataset(Vec::new()), &[(0, 6.0)]), None);
    }

    #[test]
    fn only_a_sync_right_after_its_own_write_is_a_part_of_it() {
        let write = || sample(0, "columnar.write.int", "durable_rate", 2.0);
        let timed_s =
            |second: Sample| timed(&dataset(vec![write(), second]), &[(0, 10.0)]).unwrap().timed_s;
        assert_eq!(timed_s(sample(0, "columnar.sync.int", "rate", 0.5)), 2.0);
        assert_eq!(timed_s(sample(0, "columnar.read.int", "rate", 0.5)), 2.5, "another test");
        assert_eq!(timed_s(sample(0, "columnar.sync.int", "rate", 2.5)), 4.5, "longer");
        let mut elsewhere = sample(0, "columnar.sync.int", "rate", 0.5);
        elsewhere.case.target = "ext4".into();
        assert_eq!(timed_s(elsewhere), 2.5, "another target");
        let read_first = sample(0, "columnar.read.int", "rate", 2.0);
        let sync = sample(0, "columnar.sync.int", "rate", 0.5);
        let both = dataset(vec![read_first, sync]);
        assert_eq!(timed(&both, &[(0, 10.0)]).unwrap().timed_s, 2.5, "no durable write");
    }
}

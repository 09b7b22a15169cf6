//! Was the machine busy with something else? A ratio of two runs of which one shared the
//! processors or the disk is a ratio of circumstances, and no interval over blocks shows it.

use model::{
    result::{Dataset, Sample, Validity},
    text::Bytes,
};
use std::collections::HashMap;

/// Metrics that say how much of something others had, percent, with what that is.
const SHARED: [(&str, &str); 2] = [(CPU, "the processors"), (DISK, "the disk below")];
const CPU: &str = "foreign_cpu_pct";
const DISK: &str = "foreign_disk_pct";

/// Share of contended samples of a target above which it is not judged.
const TOLERATED_SHARE: f64 = 0.2;

/// One target in one block at one process count: what ran on one instance, one test after the other.
type Turn<'a> = (u32, &'a str, u32);

/// When the machine was busy with something else.
#[derive(Debug)]
pub struct Contention<'a> {
    limit_pct: f64,
    /// For each metric and turn: in how many samples others had too much of it, and how many say.
    turns: HashMap<(&'static str, Turn<'a>), (usize, usize)>,
}

impl<'a> Contention<'a> {
    /// A sample is contended when others had more than `limit_pct` of the processors, or of the disk below
    /// its devices.
    pub fn of(dataset: &'a Dataset, limit_pct: f64) -> Contention<'a> {
        let mut turns = HashMap::new();
        // Those that were taken again say nothing of those that were taken instead.
        let kept = dataset
            .samples
            .iter()
            .filter(|s| !matches!(s.evidence.validity, Validity::Disturbed(_)));
        for sample in kept {
            for (metric, _) in SHARED {
                if let Some(used) = sample.metric(metric) {
                    let (contended, telling) =
                        turns.entry((metric, turn(sample))).or_insert((0, 0));
                    *contended += usize::from(used > limit_pct);
                    *telling += 1;
                }
            }
        }
        Contention { limit_pct, turns }
    }

    /// Why `sample` is contended, with what others did; `None` for one that is not. One that was too short
    /// to say is judged by the others of its turn: by what they saw, the machine was not idle in between.
    pub fn why(&self, sample: &Sample) -> Option<String> {
        let reasons = SHARED.iter().filter_map(|&(metric, what)| {
            let Some(used) = sample.metric(metric) else {
                let turn = self.turns.get(&(metric, turn(sample)));
                return turn.is_some_and(|&(c, all)| is_too_much(c, all)).then(|| of_turn(what));
            };
            (used > self.limit_pct).then(|| match metric {
                DISK => of_disk(sample, used),
                _ => format!("other processes used {used:.0} % of {what} meanwhile"),
            })
        });
        let reasons: Vec<String> = reasons.collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Whether `sample` was.
    pub(crate) fn during(&self, sample: &Sample) -> bool {
        self.why(sample).is_some()
    }
}

/// `dataset` without the samples that were contended.
pub(crate) fn without(dataset: &Dataset, limit_pct: f64) -> Dataset {
    let contention = Contention::of(dataset, limit_pct);
    let calm = dataset.samples.iter().filter(|sample| !contention.during(sample));
    Dataset {
        campaign: dataset.campaign.clone(),
        targets: dataset.targets.clone(),
        tests: dataset.tests.clone(),
        samples: calm.cloned().collect(),
    }
}

/// The most that others had of anything during `sample`, percent; 0 when nothing says so.
pub fn shared_pct(sample: &Sample) -> f64 {
    SHARED.iter().filter_map(|(metric, _)| sample.metric(metric)).fold(0.0, f64::max)
}

fn of_turn(what: &str) -> String {
    format!("too short to measure; other processes used {what} in the tests before or after it")
}

fn of_disk(sample: &Sample, used: f64) -> String {
    let moved = |metric: &str| Bytes(sample.metric(metric).unwrap_or(0.0) as u64);
    let did = match (moved("foreign_read_bytes"), moved("foreign_write_bytes")) {
        (read, Bytes(0)) => format!("read {read} from the disk below"),
        (Bytes(0), written) => format!("wrote {written} to the disk below"),
        (read, written) => format!("wrote {written} to the disk below and read {read} from it"),
    };
    format!("other processes {did} meanwhile, and used it {used:.0} % of the time")
}

fn turn(sample: &Sample) -> Turn<'_> {
    (sample.block, &sample.case.target, sample.case.procs)
}

/// Whether this many of `samples` are more than a fifth.
pub(crate) fn is_too_much(contended: usize, samples: usize) -> bool {
    contended as f64 > TOLERATED_SHARE * samples as f64
}

//! Was the machine busy with something else? A ratio of two runs of which one shared the
//! processors is a ratio of circumstances, and no interval over blocks shows it.

use crate::select::Series;
use model::{Dataset, Sample};
use std::collections::HashMap;

/// Metric that says how much processor time of the machine others used, percent.
const FOREIGN_CPU: &str = "foreign_cpu_pct";

/// Share of contended samples above which a pair is not judged.
const TOLERATED_SHARE: f64 = 0.2;

/// One target in one block at one process count: what ran on one instance, one test after the other.
type Turn<'a> = (u32, &'a str, u32);

/// When the machine was busy with something else.
pub(crate) struct Contention<'a> {
    limit_pct: f64,
    /// For each turn: how many samples were contended, and how many say.
    turns: HashMap<Turn<'a>, (usize, usize)>,
}

impl<'a> Contention<'a> {
    /// A sample is contended when others used more than `limit_pct` of the processors.
    pub(crate) fn of(dataset: &'a Dataset, limit_pct: f64) -> Contention<'a> {
        let mut turns = HashMap::new();
        for sample in &dataset.samples {
            if let Some(used) = sample.metric(FOREIGN_CPU) {
                let (contended, telling) = turns.entry(turn(sample)).or_insert((0, 0));
                *contended += usize::from(used > limit_pct);
                *telling += 1;
            }
        }
        Contention { limit_pct, turns }
    }

    /// Whether `sample` was. One that was too short to say is judged by the others of its turn: by
    /// what they saw, the machine was not idle in between.
    pub(crate) fn during(&self, sample: &'a Sample) -> bool {
        match sample.metric(FOREIGN_CPU) {
            Some(used) => used > self.limit_pct,
            None => self.turns.get(&turn(sample)).is_some_and(|&(c, all)| is_too_much(c, all)),
        }
    }
}

fn turn(sample: &Sample) -> Turn<'_> {
    (sample.block, &sample.case.target, sample.case.procs)
}

fn is_too_much(contended: usize, samples: usize) -> bool {
    contended as f64 > TOLERATED_SHARE * samples as f64
}

/// True when more than a fifth of the valid samples of these series together were contended.
pub(crate) fn too_contended<'a>(series: impl IntoIterator<Item = &'a Series>) -> bool {
    let (contended, samples) = series
        .into_iter()
        .fold((0, 0), |(contended, samples), s| (contended + s.contended, samples + s.samples));
    is_too_much(contended, samples)
}

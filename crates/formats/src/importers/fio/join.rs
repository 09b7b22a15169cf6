//! Jobs of one name and group in one run are workers of one: they are summed. How often each name comes
//! is known before, so that a sum can be given away as soon as its last worker was read.

use super::{
    metrics,
    run::{Job, Run},
};
use crate::gate::Print;
use std::collections::{HashMap, VecDeque};

/// What fio calls the sum that it prints after its clients; with them it would count all twice.
pub(super) const SUM_OF_CLIENTS: &str = "All clients";

/// Name and group of a job.
pub(super) type Key = (String, i64);

/// What is known of a run before its jobs are read.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) version: Option<String>,
    /// Bytes that the one device under the run read and wrote, where the source tells them.
    pub(super) device_bytes: Option<(u64, u64)>,
    pub(super) names: Names,
    /// What tells the run from all others.
    pub(super) print: Print,
}

/// How often each job occurs in a run.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The sum of clients is there without them.
    sum_alone: bool,
    /// Different ones.
    pub(super) distinct: usize,
    counts: HashMap<Key, usize>,
}

impl Names {
    /// Counts a job that is in the run.
    pub(super) fn add(&mut self, name: String, group: i64) {
        if name == SUM_OF_CLIENTS {
            self.sum_alone |= self.counts.is_empty();
        } else {
            self.sum_alone = false;
            *self.counts.entry((name, group)).or_default() += 1;
        }
    }

    /// The different names.
    pub(super) fn all(&self) -> Vec<Key> {
        let sum = self.sum_alone.then(|| (SUM_OF_CLIENTS.into(), 0));
        self.counts.keys().cloned().chain(sum).collect()
    }

    /// Forgets what is alone of its name, once all were counted.
    pub(super) fn counted(mut self) -> Names {
        self.distinct = self.counts.len() + usize::from(self.sum_alone);
        self.counts.retain(|_, count| *count > 1);
        self.counts.shrink_to_fit();
        self
    }
}

impl From<&Run> for Shape {
    fn from(run: &Run) -> Shape {
        let mut names = Names::default();
        run.jobs.iter().for_each(|job| names.add(job.name.clone(), job.group));
        let names = names.counted();
        let (version, device_bytes, print) = (run.version.clone(), run.device_bytes, run.print);
        Shape { version, device_bytes, names, print }
    }
}

/// The sums of a run, in the order in which their first workers stand.
#[derive(Default)]
pub(super) struct Sums {
    /// What is not given away yet, with the number of workers that are to come.
    open: VecDeque<(Job, usize)>,
    /// Sums that were given away.
    gone: usize,
    /// Which of all sums those are that have several workers.
    places: HashMap<Key, usize>,
}

impl Sums {
    /// Adds a job of a run with these names. True when several were summed of which no histogram is left.
    pub(super) fn add(&mut self, job: Job, names: &Names) -> bool {
        if job.name == SUM_OF_CLIENTS && !names.sum_alone {
            return false;
        }
        let key = (job.name.clone(), job.group);
        let Some(count) = names.counts.get(&key) else {
            self.open.push_back((job, 0));
            return false;
        };
        let place = *self.places.entry(key).or_insert(self.gone + self.open.len());
        match self.open.get_mut(place.wrapping_sub(self.gone)) {
            Some((sum, left)) => {
                sum.add(job);
                *left = left.saturating_sub(1);
                metrics::histograms(sum).is_empty()
            }
            None => {
                self.open.push_back((job, count - 1));
                false
            }
        }
    }

    /// The next sum, when all of its workers were added or no more come.
    pub(super) fn next(&mut self, is_end: bool) -> Option<Job> {
        if self.open.front()?.1 > 0 && !is_end {
            return None;
        }
        self.gone += 1;
        self.open.pop_front().map(|(job, _)| job)
    }
}

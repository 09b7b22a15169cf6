//! Progress of a run when a document was printed: a document that continues another belongs to the same run.

use super::{super::join::Key, Figure};
use crate::gate::Printer;
use serde::Deserialize;
use serde_json::Value;

/// How much a job did in a direction.
#[derive(Deserialize)]
pub(super) struct Part {
    runtime: Figure,
    #[serde(default)]
    total_ios: Figure,
}

/// How far all jobs of a document were.
#[derive(Default)]
pub(super) struct Extent {
    /// When the first of them started, if known.
    started: Option<u64>,
    runtime_ms: f64,
    ops: f64,
    /// When it was printed, and how exact that is, milliseconds.
    at: Option<(f64, f64)>,
    jobs: Vec<Key>,
    /// What the jobs were told to do.
    work: Printer,
}

impl Extent {
    /// Adds what a job was told to do.
    pub(super) fn told<'o>(&mut self, options: impl Iterator<Item = (&'o String, &'o Value)>) {
        options.for_each(|option| self.work.add(format!("{option:?}").as_bytes()));
    }

    /// Adds a job.
    pub(super) fn add<'p>(&mut self, started: Option<u64>, parts: impl Iterator<Item = &'p Part>) {
        self.started = self.started.or(started);
        for part in parts {
            self.runtime_ms = self.runtime_ms.max(part.runtime.0);
            self.ops += part.total_ios.0;
        }
    }

    /// Adds what a document says besides its jobs.
    pub(super) fn end(&mut self, s: Option<Figure>, ms: Option<Figure>, mut jobs: Vec<Key>) {
        let coarse = s.map(|s| (s.0 * 1000.0, 1000.0));
        self.at = ms.map(|ms| (ms.0, 0.0)).or(coarse).filter(|(at, _)| *at > 0.0);
        jobs.sort();
        self.jobs = jobs;
    }

    /// Whether the same run was printed as `earlier` before. A run that began when the earlier document was
    /// there cannot have run for longer than from then to now.
    pub(super) fn goes_on(&self, earlier: &Extent) -> bool {
        let is_other = self.jobs != earlier.jobs || self.work.print() != earlier.work.print();
        if is_other || self.jobs.is_empty() || self.ops < earlier.ops {
            return false;
        }
        if let (Some(started), Some(before)) = (self.started, earlier.started) {
            return started == before;
        }
        let gained_ms = self.runtime_ms - earlier.runtime_ms;
        let Some(((at, exact), (before, _))) = self.at.zip(earlier.at) else {
            return gained_ms >= LEAST_MS && self.ops > earlier.ops;
        };
        let passed_ms = at - before;
        let as_long = (gained_ms - passed_ms).abs() <= SLACK_MS + exact;
        let longer = self.runtime_ms > passed_ms + exact + SLACK_MS / 3.0;
        as_long && (longer || gained_ms >= LEAST_MS)
    }
}

/// How far clocks of a run and of its printing may differ.
const SLACK_MS: f64 = 300.0;

/// What a run gains from one document to the next, at least.
const LEAST_MS: f64 = 500.0;

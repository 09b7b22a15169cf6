//! The kind `tree`: what mdtest does, phase by phase with its names, paths and order, without MPI.

mod explain;
mod figures;
mod geometry;
mod phase;
mod run;
mod settings;
#[cfg(test)]
mod tests;

use super::{Head, Kind};
use crate::{Estimate, Measured, Run, Shift, Test, TestError};
use geometry::Geometry;
use model::{
    figure::Better,
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use phase::Phase;
use settings::{KNOBS, Settings};
use std::path::PathBuf;

/// The most disk space that an item takes besides its bytes: ext4 makes one inode for each 16 KiB.
const ITEM_BYTES: u64 = 16 << 10;

pub(super) static KIND: Kind = Kind {
    name: "tree",
    about: "mdtest's phases: create, stat, read and remove directories and files in a directory \
            tree.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings = super::settings::<Settings>(table, &KNOBS)?.check()?;
        Ok(Box::new(TreeTest { head, settings }))
    },
};

struct TreeTest {
    head: Head,
    settings: Settings,
}

impl TreeTest {
    /// A tree has the same directories at every scale.
    fn shown(&self) -> Vec<Phase> {
        let geometry = Geometry::of_scale(&self.settings, 1.0);
        let run = Phase::of_run(&self.settings, &geometry);
        let shown = |phase: &Phase| run.contains(phase) && phase.is_shown(&geometry);
        Phase::PRINTED.into_iter().filter(shown).collect()
    }

    fn id(&self, phase: Phase) -> String {
        format!("{}.{}", self.head.id, phase.id())
    }

    fn info(&self, phase: Phase) -> TestInfo {
        let name = match &self.head.name {
            Some(shape) => format!("{}, {shape}", phase.name()),
            None => phase.name().into(),
        };
        TestInfo {
            id: self.id(phase),
            suite: self.head.suite.clone(),
            name,
            testtype: self.head.testtype.clone().unwrap_or_else(|| phase.testtype().into()),
            group: self.head.group.unwrap_or(Group::Meta),
            metric: "ops_rate".into(),
            unit: "1/s".into(),
            better: Better::Higher,
            shape: Some(Shape::default()),
        }
    }
}

impl Test for TreeTest {
    fn infos(&self) -> Vec<TestInfo> {
        self.shown().into_iter().map(|phase| self.info(phase)).collect()
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn shift(&self) -> Shift {
        Shift::Phases
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    /// Removes what attempts before this one left, and makes the directory of all workers.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        if job.worker > 0 {
            return Ok(());
        }
        run::clear(job, &self.head.id)?;
        let base = run::base(job, &self.head.id);
        std::fs::create_dir(&base).map_err(TestError::io("create", &base))
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Ok(Box::new(run::TreeRun::new(&self.settings, &self.head.id, job)?))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let geometry = Geometry::new(&self.settings, job);
        let phases = Phase::of_run(&self.settings, &geometry);
        let times = u64::from(self.settings.iterations);
        let of_items = phases.iter().filter(|phase| !phase.is_tree()).count() as u64;
        let files = if self.settings.dirs_only { 0 } else { geometry.items };
        let moved = |bytes: u64| files.saturating_mul(bytes);
        Estimate {
            write_bytes: moved(self.settings.write_bytes.0).saturating_mul(times),
            read_bytes: moved(self.settings.read_bytes.0).saturating_mul(times),
            ops: times * (of_items * geometry.items + 2 * geometry.dirs),
            scratch_bytes: moved(self.settings.write_bytes.0.next_multiple_of(4096))
                .saturating_add((geometry.items + geometry.dirs) * ITEM_BYTES),
            ..Estimate::default()
        }
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let geometry = Geometry::new(&self.settings, job);
        let run = Phase::of_run(&self.settings, &geometry);
        let figures = |phase: Phase| {
            let at = run.iter().position(|p| *p == phase).unwrap_or(0);
            let iterations = (at..run.len() * self.settings.iterations as usize).step_by(run.len());
            figures::measure(&self.id(phase), phase, &geometry, pool, iterations)
        };
        self.shown().into_iter().map(figures).collect()
    }

    fn explain(&self, id: &str) -> String {
        let phase = self.shown().into_iter().find(|phase| self.id(*phase) == id);
        let phase = phase.unwrap_or(Phase::FileCreate);
        explain::page(&self.head, &self.info(phase), phase, &self.settings)
    }
}

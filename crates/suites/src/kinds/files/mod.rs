//! The kind `files`: a set of equal small files, and one thing done to all of them: create, rewrite,
//! read, delete, stat, open, list, find.

pub(super) mod content;
mod explain;
mod figures;
pub(super) mod laps;
pub(super) mod path;
mod run;
pub(super) mod set;
mod settings;
#[cfg(test)]
mod tests;
mod walk;

use super::{Defaults, Head, Kind};
use crate::{Estimate, Measured, Run, Shift, Test, TestError};
use model::{
    figure::Better,
    workload::{CacheNeed, Job, PoolReport, Shape, TestInfo},
};
use settings::{Action, KNOBS, Settings};
use std::path::PathBuf;

pub(super) static KIND: Kind = Kind {
    name: "files",
    about: "a set of equal small files, with one action on each of them.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings = super::settings::<Settings>(table, &KNOBS)?.check()?;
        Ok(Box::new(FilesTest { head, settings }))
    },
};

struct FilesTest {
    head: Head,
    settings: Settings,
}

impl FilesTest {
    fn name(&self) -> String {
        let size = self.settings.size.short();
        match self.settings.action {
            Action::Stat | Action::Open | Action::List | Action::Find => {
                self.settings.action.testtype().into()
            }
            action => format!("{} of {size}", action.testtype()),
        }
    }

    fn info(&self) -> TestInfo {
        let action = self.settings.action;
        self.head.info(Defaults {
            name: self.name(),
            testtype: action.testtype(),
            group: action.group(),
            metric: action.metric(),
            unit: "1/s",
            better: Better::Higher,
            shape: Shape::default(),
        })
    }
}

impl Test for FilesTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        self.settings.cache()
    }

    fn shift(&self) -> Shift {
        // Who goes through a directory of all sees its own names, too.
        let sees_all = self.settings.shared && self.settings.action.walks();
        if self.settings.action.changes() || sees_all { Shift::Never } else { Shift::Reads }
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let files = set::FileSet::new(&self.settings, job);
        match self.settings.action {
            Action::Create => files.clear(),
            _ => files.complete(),
        }
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        let files = set::FileSet::new(&self.settings, job);
        match (self.settings.cache(), self.settings.action) {
            (CacheNeed::Any, _) => Vec::new(),
            // Names have no residency that can be asked for.
            (CacheNeed::Cold, action) if action != Action::Read => vec![files.witness],
            _ => files.paths(),
        }
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Ok(Box::new(run::FilesRun::new(&self.settings, job)?))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let (action, rounds) = (self.settings.action, self.settings.rounds);
        let ops = set::count(&self.settings, job).saturating_mul(rounds);
        let bytes = if action.moves_data() { ops.saturating_mul(self.settings.size.0) } else { 0 };
        let writes = action.changes();
        Estimate {
            write_bytes: if writes { bytes } else { 0 },
            read_bytes: if writes { 0 } else { bytes },
            ops,
            disk_bytes: set::disk_bytes(&self.settings, job),
            ..Estimate::default()
        }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        vec![(set::name(&self.settings).into(), set::disk_bytes(&self.settings, job))]
    }

    fn measure(&self, _job: &Job, pool: &PoolReport) -> Vec<Measured> {
        vec![figures::measure(&self.head.id, self.settings.action, pool)]
    }

    fn explain(&self, _id: &str) -> String {
        explain::page(&self.head, &self.info(), &self.settings)
    }
}

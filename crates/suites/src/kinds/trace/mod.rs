//! The kind `trace`: the calls of a recorded application, made again in the same order, by as many threads.

mod actor;
mod by_name;
mod clocks;
mod differences;
mod explain;
mod feeder;
mod figures;
mod files;
mod grown;
mod guard;
mod lane;
mod lanes;
mod names;
mod plan;
mod resource;
mod run;
mod settings;
mod sizes;
mod slots;
pub(super) mod source;
mod stage;
mod step;
mod supply;
mod survey;
mod texts;
mod tree;
mod waits;

use super::{Defaults, Head, Kind};
use crate::{Estimate, Measured, Run, Stretch, Test, TestError};
use model::workload::{AssetName, CacheNeed, Group, Job, PoolReport, Shape, TestInfo};
use run::TraceRun;
use settings::{ALL, Cache, KNOBS, Settings};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};
use survey::Survey;
use toml::Table;

pub(super) static KIND: Kind = Kind {
    name: "trace",
    about: "replays the file-system calls of a recorded application.",
    knobs: &KNOBS,
    make,
};

fn make(head: Head, table: Table) -> Result<Box<dyn Test>, String> {
    let settings: Settings = super::settings(table, &KNOBS)?;
    Ok(Box::new(TraceTest { head, settings, sizes: OnceLock::new() }))
}

/// A recorded application.
struct TraceTest {
    head: Head,
    settings: Settings,
    /// What the trace does, once it was looked at.
    sizes: OnceLock<Estimate>,
}

impl TraceTest {
    fn info(&self) -> TestInfo {
        let (metric, unit, better) = figures::ranks(self.settings.pace);
        self.head.info(Defaults {
            // The suite is named after the file of the trace.
            name: self.head.id.replace('.', " "),
            testtype: "replay",
            group: Group::Applications,
            metric,
            unit,
            better,
            shape: Shape::default(),
        })
    }

    /// The directory of the test below that of the worker.
    fn home(&self) -> &Path {
        Path::new(&self.head.id)
    }

    fn tree(&self, job: &Job) -> PathBuf {
        job.dir.join(self.home()).join("tree")
    }

    /// The file that says that the tree is as when the window begins.
    fn marker(&self, job: &Job) -> PathBuf {
        job.dir.join(self.home()).join("filled")
    }

    /// What the trace does; nothing where it is not there, as when a declaration is only read.
    fn sizes(&self, job: &Job) -> Estimate {
        let Ok(path) = source::path(job, &self.settings.trace) else { return Estimate::default() };
        if let Some(known) = self.sizes.get() {
            return *known;
        }
        let survey = source::open(path).ok();
        let survey = survey.and_then(|mut trace| Survey::of(&mut trace, self.settings.window).ok());
        match survey {
            // The run reports why it cannot be read.
            None => Estimate::default(),
            Some(survey) => *self.sizes.get_or_init(|| self.estimated(&survey)),
        }
    }

    fn estimated(&self, survey: &Survey) -> Estimate {
        let recorded_ns = survey.last_ns.saturating_sub(survey.first_ns.unwrap_or(0));
        let recorded_s = recorded_ns as f64 / 1e9;
        let is_timed = self.settings.pace != settings::Pace::Full;
        let fixed_s = recorded_s / self.settings.pace.speed().unwrap_or(1) as f64;
        Estimate {
            write_bytes: survey.written_bytes,
            read_bytes: survey.read_bytes,
            ops: survey.calls,
            disk_bytes: survey.most_bytes,
            scratch_bytes: 0,
            fixed_s: if is_timed { fixed_s } else { 0.0 },
        }
    }
}

impl Test for TraceTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        match self.settings.cache {
            Cache::Cold => CacheNeed::Cold,
            Cache::Hot => CacheNeed::Hot,
            Cache::Recorded => CacheNeed::Any,
        }
    }

    /// A trace is as long as it is.
    fn stretch(&self) -> Stretch {
        Stretch::Given
    }

    fn assets(&self) -> Vec<AssetName> {
        vec![self.settings.trace.clone()]
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let marker = self.marker(job);
        if marker.exists() {
            return Ok(());
        }
        run::fill(&self.settings, job, &self.tree(job))?;
        fs::write(&marker, "").map_err(TestError::io("create", &marker))?;
        let file = fs::File::open(&marker).map_err(TestError::io("open", &marker))?;
        file.sync_all().map_err(TestError::io("sync", &marker))
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        // What the calls before a window leave is not known beforehand.
        match self.settings.window == ALL {
            true => run::files(&self.settings, job, &self.tree(job)),
            false => Vec::new(),
        }
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        if !self.marker(job).exists() {
            self.fill(job)?;
        }
        let run = TraceRun::new(&self.settings, job, self.tree(job), self.marker(job))?;
        Ok(Box::new(run))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        self.sizes(job)
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        vec![(self.home().to_path_buf(), self.sizes(job).disk_bytes)]
    }

    fn measure(&self, _job: &Job, pool: &PoolReport) -> Vec<Measured> {
        vec![figures::measured(&self.head.id, self.settings.pace, pool)]
    }

    fn explain(&self, _id: &str) -> String {
        explain::page(&self.head, &self.settings, &self.info())
    }
}

#[cfg(test)]
mod tests;

//! The kind `app`: any command, timed as hyperfine does, on data that is generated here or by the declaration.

mod explain;
mod hash;
mod material;
mod run;
mod settings;

use super::{Defaults, Head, Kind};
use crate::{
    Estimate, Measured, Missing, Run, Test, TestError,
    figures::{self, Metrics},
    placeholder,
    program::{self, Bounds, Program},
};
use model::{
    figure::Better,
    workload::{AssetName, CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use settings::Settings;
use std::{
    fs,
    path::{Path, PathBuf},
};
use toml::Table;

pub(super) static KIND: Kind = Kind {
    name: "app",
    about: "Runs any command in a directory of the target and times it.",
    knobs: &settings::KNOBS,
    make,
};

fn make(head: Head, table: Table) -> Result<Box<dyn Test>, String> {
    let settings: Settings = super::settings(table, &settings::KNOBS)?;
    settings.check()?;
    Ok(Box::new(AppTest { head, settings }))
}

/// One command.
struct AppTest {
    head: Head,
    settings: Settings,
}

impl AppTest {
    /// Returns the directory in which the commands run; the tests of a suite share it.
    fn home(&self, job: &Job) -> PathBuf {
        job.dir.join(&self.head.suite)
    }

    /// Returns the directory for temporary files of programs; some leave a lock file there.
    fn temporary(&self, job: &Job) -> PathBuf {
        self.home(job).join(".tmp")
    }

    /// Returns the path of the marker that spares the next run its preparation.
    fn prepared(&self, job: &Job) -> PathBuf {
        self.home(job).join(format!(".prepared-{}", self.head.id))
    }

    /// `commands` as they run for `job`.
    ///
    /// # Errors
    /// One names an asset that the job does not have.
    fn program(&self, commands: &[String], job: &Job) -> Result<Program, TestError> {
        let fill = |text: &String| placeholder::filled(text, job).map_err(TestError::Command);
        let commands = commands.iter().map(fill).collect::<Result<Vec<_>, _>>()?;
        let own = [
            ("ASSAY_COUNT", self.settings.count(job.scale).to_string()),
            ("ASSAY_SCALE", job.scale.to_string()),
            ("ASSAY_SEED", job.seed.to_string()),
            ("ASSAY_WORKER", job.worker.to_string()),
            ("TMPDIR", self.temporary(job).to_string_lossy().into_owned()),
        ];
        let bounds = self.bounds(job);
        let declared = self.settings.env.iter().map(|(key, value)| (key.as_str(), value.clone()));
        let program = Program::shell(&commands, &self.home(job));
        let all = own.into_iter().chain(declared);
        Ok(all.fold(program, |program, (key, value)| program.env(key, &value)).bounded(bounds))
    }

    /// Returns the limits of its commands: those declared to write nothing only have to keep the reserve.
    fn bounds(&self, job: &Job) -> Bounds {
        let Estimate { write_bytes, disk_bytes, scratch_bytes, .. } = self.estimate(job);
        let written = write_bytes.saturating_add(disk_bytes).saturating_add(scratch_bytes);
        Bounds {
            written: Some(written).filter(|bytes| *bytes > 0),
            reserve: job.reserve.0,
            ..Bounds::default()
        }
    }

    fn run_untimed(&self, commands: &[String], job: &Job) -> Result<(), TestError> {
        if commands.is_empty() {
            return Ok(());
        }
        self.program(commands, job)?.run().map(drop)
    }

    /// Runs `setup` unless it has ended well on this instance; equal setups run once.
    fn set_up(&self, job: &Job) -> Result<(), TestError> {
        let settings = &self.settings;
        let count = settings.count(job.scale);
        let text = format!("{:?} {:?} {count}", settings.setup, settings.env);
        let marker = self.home(job).join(format!(".setup-{:016x}", hash::fnv1a(&text)));
        if settings.setup.is_empty() || marker.exists() {
            return Ok(());
        }
        self.run_untimed(&settings.setup, job)?;
        fs::write(&marker, "").map_err(TestError::io("create", &marker))
    }

    /// Runs `prepare` and makes what it did durable, so that none of it is written during the run.
    fn prepare(&self, job: &Job) -> Result<(), TestError> {
        self.run_untimed(&self.settings.prepare, job)?;
        run::sync_file_system(&self.home(job))
    }

    /// Paths of `listed` that are files, and the files below those that are directories.
    fn files_of(&self, listed: &[String], job: &Job) -> Vec<PathBuf> {
        let mut files = Vec::new();
        listed.iter().for_each(|path| files_below(&self.home(job).join(path), &mut files));
        files.sort();
        files
    }
}

/// Collects the files below `path`. Unreadable ones count as absent: the command itself will report them.
fn files_below(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(meta) = path.symlink_metadata() else { return };
    if meta.is_file() && meta.len() > 0 {
        files.push(path.into());
    } else if meta.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| files_below(&entry.path(), files));
    }
}

impl Test for AppTest {
    fn infos(&self) -> Vec<TestInfo> {
        let name = self.head.id.split_once('.').map_or(self.head.id.as_str(), |(_, name)| name);
        vec![self.head.info(Defaults {
            name: name.replace('.', " "),
            testtype: "application",
            group: Group::Applications,
            metric: self.settings.rank.metric(),
            unit: "s",
            better: Better::Lower,
            shape: Shape::default(),
        })]
    }

    fn cache(&self) -> CacheNeed {
        self.settings.cache
    }

    fn runs_programs(&self) -> bool {
        true
    }

    fn programs(&self) -> Vec<String> {
        self.settings.needs.clone()
    }

    fn assets(&self) -> Vec<AssetName> {
        self.settings.assets()
    }

    fn missing(&self) -> Option<Missing> {
        program::missing(self.programs().iter().map(String::as_str))
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let (home, temporary) = (self.home(job), self.temporary(job));
        fs::create_dir_all(&temporary).map_err(TestError::io("create", &temporary))?;
        self.settings.material.iter().try_for_each(|material| material.make(&home, job))?;
        self.set_up(job)?;
        self.prepare(job)?;
        let marker = self.prepared(job);
        fs::write(&marker, "").map_err(TestError::io("create", &marker))?;
        run::sync_file_system(&home)
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        self.files_of(&self.settings.files, job)
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        if !self.prepared(job).exists() {
            self.prepare(job)?;
        }
        Ok(Box::new(run::AppRun::new(self, job)?))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let settings = &self.settings;
        let scaled = |bytes: model::text::Bytes| super::scaled(bytes.0, job.scale, 0);
        Estimate {
            write_bytes: scaled(settings.write),
            read_bytes: scaled(settings.read),
            ops: settings.count(job.scale),
            disk_bytes: self
                .space(job)
                .iter()
                .fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes)),
            scratch_bytes: scaled(settings.scratch),
            fixed_s: settings.seconds * job.scale,
        }
    }

    fn declared_read_bytes(&self, job: &Job) -> Option<u64> {
        Some(self.estimate(job).read_bytes).filter(|bytes| *bytes > 0)
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        let home = Path::new(&self.head.suite);
        let made = self.settings.material.iter();
        let made = made.map(|material| (home.join(material.path()), material.disk_bytes(job)));
        let kept = self.settings.disk.iter();
        made.chain(
            kept.map(|(path, bytes)| (home.join(path), super::scaled(bytes.0, job.scale, 0))),
        )
        .collect()
    }

    fn measure(&self, _job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let phases = 0..if self.settings.sync { 2 } else { 1 };
        let mut metrics = Metrics::default();
        metrics.lower("wall_s", figures::time_s(pool, 0..1), "s");
        if self.settings.sync {
            metrics.lower("durable_s", figures::time_s(pool, 0..2), "s");
            metrics.lower("sync_s", figures::time_s(pool, 1..2), "s");
        }
        let of = |name: &'static str| {
            let all = pool.workers.iter().flat_map(|worker| &worker.metrics);
            all.filter(move |metric| metric.name == name).map(|metric| metric.value)
        };
        metrics.lower("user_s", of("user_s").sum(), "s");
        metrics.lower("sys_s", of("sys_s").sum(), "s");
        metrics.lower("peak_memory_mb", of("peak_memory_mb").fold(0.0, f64::max), "MB");
        let rank = self.settings.rank.metric();
        metrics.0.sort_by_key(|metric| metric.name != rank);
        vec![figures::measured(&self.head.id, pool, phases, metrics.0)]
    }

    fn explain(&self, _id: &str) -> String {
        explain::page(&self.head, &self.settings, &self.infos()[0])
    }
}

#[cfg(test)]
mod tests;

//! The kind `column`: the columns of a table written compressed by the worker, as kdb+ does, or read and decompressed.

mod codec;
mod cost;
mod explain;
mod run;
mod settings;
mod table;
mod trades;

use self::{
    run::{ColumnRun, FILE_BYTES, folder, paths},
    settings::{Action, KNOBS, Settings},
};
use super::{Defaults, Head, Kind};
use crate::{
    Estimate, Measured, Run, Shift, Test, TestError,
    commits::sum,
    figures::{Metrics, bytes, cpu_s, measured, ratio, time_s},
    folders,
};
use model::{
    figure::Better,
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use std::path::{Path, PathBuf};

pub(super) static KIND: Kind = Kind {
    name: "column",
    about: "writes the columns of a table, compressed by the worker or not, or reads them back.",
    knobs: &KNOBS,
    make: |head, table| Ok(Box::new(ColumnTest { head, settings: Settings::of(table)? })),
};

struct ColumnTest {
    head: Head,
    settings: Settings,
}

impl ColumnTest {
    fn info(&self) -> TestInfo {
        let (group, testtype, metric) = match self.settings.action {
            Action::Write => (Group::SequentialWrite, "write, compress", "durable_rate"),
            Action::Read => (Group::SequentialRead, "read, decompress", "rate"),
        };
        self.head.info(Defaults {
            name: explain::name(&self.settings),
            testtype,
            group,
            metric,
            unit: "MB/s",
            better: Better::Higher,
            shape: Shape { only_writes: self.settings.action == Action::Write, cell: None },
        })
    }
}

impl Test for ColumnTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        self.settings.cache()
    }

    fn threads(&self, _job: &Job) -> u32 {
        1
    }

    /// With cold data, several workers together have too much read-ahead in flight when they pause.
    fn can_be_held(&self, job: &Job) -> bool {
        self.cache() != CacheNeed::Cold || job.workers == 1
    }

    fn shift(&self) -> Shift {
        match self.settings.action {
            Action::Write => Shift::Never,
            Action::Read => Shift::Reads,
        }
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    /// Columns that are to be written are new: replacing a file costs more than creating one.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let mut to_read =
            (self.settings.action == Action::Read).then(|| ColumnRun::new(&self.settings, job));
        if to_read.as_ref().is_some_and(ColumnRun::is_written) {
            return Ok(());
        }
        folders::renew(&folder(job))?;
        match &mut to_read {
            Some(columns) => columns.write(&mut |_| {}).and_then(|()| columns.sync()),
            None => Ok(()),
        }
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        match self.settings.action {
            Action::Write => Vec::new(),
            Action::Read => paths(job),
        }
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Ok(Box::new(ColumnRun::new(&self.settings, job)))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let bytes = self.settings.expected_bytes(job);
        match self.settings.action {
            Action::Write => {
                Estimate { write_bytes: bytes, scratch_bytes: bytes, ..Estimate::default() }
            }
            Action::Read => {
                Estimate { read_bytes: bytes, disk_bytes: bytes, ..Estimate::default() }
            }
        }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        let paths = self.files(job);
        // Which column is the largest does not matter: they are there together.
        let each = self.settings.expected_bytes(job) / paths.len().max(1) as u64;
        let relative = |path: PathBuf| path.strip_prefix(&job.dir).map(Path::to_path_buf);
        paths.into_iter().filter_map(|path| Some((relative(path).ok()?, each))).collect()
    }

    fn measure(&self, _job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let mut metrics = Metrics::default();
        let values = bytes(pool, 0..1);
        let phases = match self.settings.action {
            Action::Write => {
                metrics.rate("durable_rate", values, time_s(pool, 0..2));
                metrics.rate("cache_rate", values, time_s(pool, 0..1));
                metrics.lower("sync_s", time_s(pool, 1..2), "s");
                0..2
            }
            Action::Read => {
                metrics.rate("rate", values, time_s(pool, 0..1));
                0..1
            }
        };
        let workers = pool.workers.len() as f64;
        let (wall_s, cpu) = (sum(pool, cost::WALL_NS) / 1e9, sum(pool, cost::CPU_NS) / 1e9);
        metrics.lower("codec_s", ratio(wall_s, workers), "s");
        metrics.lower("codec_cpu_s", ratio(cpu, workers), "s");
        metrics.bytes_per_s("codec_rate", ratio(values as f64, cpu));
        metrics.lower("cpu_s", ratio(cpu_s(pool, phases.clone()), workers), "s");
        metrics.cpu_per_op(pool, 0..1);
        let file_bytes = sum(pool, FILE_BYTES);
        metrics.lower("values_bytes", values as f64, "B");
        metrics.lower("file_bytes", file_bytes, "B");
        metrics.lower("file_pct", 100.0 * ratio(file_bytes, values as f64), "%");
        vec![measured(&self.head.id, pool, phases, metrics.0)]
    }

    fn explain(&self, _id: &str) -> String {
        explain::page(&self.head, &self.settings, &self.info())
    }
}

#[cfg(test)]
mod tests;

//! The kind `io`: reads and writes of blocks of files, by any engine, with any number of threads, as
//! fast as they go or at a fixed rate.

mod explain;
mod files;
mod layout;
mod load;
mod measure;
mod replay;
mod run;
mod settings;
mod source;

use super::{Defaults, Head, Kind};
use crate::{Estimate, Measured, RandomReads, Run, Shift, Test, TestError, Workers};
use engine::io::EngineKind;
use layout::Layout;
use model::{
    figure::Better,
    workload::{CacheNeed, GridCell, Group, Job, PoolReport, Shape, TestInfo},
};
use run::IoRun;
use settings::{KNOBS, Rank, Rw, Settings};
use std::path::PathBuf;
use toml::Table;

/// Reads and writes of blocks.
pub(super) static KIND: Kind = Kind {
    name: "io",
    about: "reads and writes blocks of files, sequentially or at random, buffered or with direct \
            I/O.",
    knobs: &KNOBS,
    make,
};

fn make(head: Head, table: Table) -> Result<Box<dyn Test>, String> {
    Ok(Box::new(IoTest { head, settings: Settings::of(table)? }))
}

struct IoTest {
    head: Head,
    settings: Settings,
}

impl IoTest {
    fn info(&self) -> TestInfo {
        let settings = &self.settings;
        let (metric, unit) = measure::metric(settings);
        let lower = settings.rank == Rank::LatencyP99Us;
        self.head.info(Defaults {
            name: explain::name(settings),
            testtype: explain::pattern(settings.rw),
            group: group(settings.rw),
            metric,
            unit,
            better: if lower { Better::Lower } else { Better::Higher },
            shape: shape(settings),
        })
    }
}

fn shape(settings: &Settings) -> Shape {
    let cell = |grid: &String| GridCell {
        grid: grid.clone(),
        block_bytes: settings.block.0,
        threads: settings.threads,
    };
    Shape {
        // A rewrite reads what it writes back, which the page cache has.
        only_writes: matches!(group(settings.rw), Group::SequentialWrite | Group::RandomWrite),
        cell: settings.grid.as_ref().map(cell),
    }
}

fn group(rw: Rw) -> Group {
    match rw {
        Rw::SeqRd => Group::SequentialRead,
        Rw::SeqWr | Rw::SeqReWr | Rw::Rewrite => Group::SequentialWrite,
        Rw::RndRd => Group::RandomRead,
        Rw::RndWr => Group::RandomWrite,
        Rw::Mixed | Rw::Seeks => Group::Mixed,
    }
}

impl Test for IoTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        self.settings.cache()
    }

    fn direct_bytes(&self, job: &Job, measured: &[Measured]) -> Option<u64> {
        let is_direct = self.settings.direct && self.settings.engine != EngineKind::Null;
        let bytes = measured.iter().map(|measured| measured.bytes).sum::<u64>();
        is_direct.then_some((bytes as f64 * job.data.incompressible_share()) as u64)
    }

    fn random_reads(&self) -> Option<RandomReads> {
        match (self.settings.rw, self.settings.engine) {
            (Rw::RndRd, EngineKind::Sync | EngineKind::IoUring) => Some(RandomReads::Called),
            (Rw::RndRd, EngineKind::Mmap) => Some(RandomReads::Mapped),
            _ => None,
        }
    }

    fn workers(&self) -> Workers {
        match self.settings.workers {
            0 => Workers::Asked,
            count => Workers::Fixed(count),
        }
    }

    fn threads(&self, _job: &Job) -> u32 {
        self.settings.threads
    }

    fn shift(&self) -> Shift {
        if self.settings.rw.writes() { Shift::Never } else { Shift::Reads }
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        files::fill(&Layout::new(&self.settings, job), job)
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        let layout = Layout::new(&self.settings, job);
        if layout.new { Vec::new() } else { files::paths(&layout, job) }
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Ok(Box::new(IoRun::new(&self.settings, job)?))
    }

    /// Bytes are at most: a time may end the test before.
    fn estimate(&self, job: &Job) -> Estimate {
        let (settings, layout) = (&self.settings, Layout::new(&self.settings, job));
        let ramp_s = settings.ramp_s * job.scale;
        let fixed_s = layout::runtime_s(settings, job).map_or(0.0, |s| s + ramp_s);
        if layout.paths.is_empty() {
            return Estimate { fixed_s, ..Estimate::default() };
        }
        let bytes = layout.bytes();
        let moved = match layout::ops(settings, job) {
            Some(ops) => ops.saturating_mul(settings.block.0),
            None if settings.one_pass() => bytes,
            None => 0,
        };
        let (read_bytes, write_bytes) = match settings.rw {
            Rw::SeqRd | Rw::RndRd => (moved, 0),
            Rw::SeqWr | Rw::SeqReWr | Rw::RndWr => (0, moved),
            Rw::Mixed => {
                let reads = moved / 100 * u64::from(settings.read_percent);
                (reads, moved - reads)
            }
            Rw::Rewrite => (moved, moved),
            Rw::Seeks => (moved, moved / 10),
        };
        let (disk_bytes, scratch_bytes) = if layout.stays() { (bytes, 0) } else { (0, bytes) };
        Estimate { write_bytes, read_bytes, ops: 0, disk_bytes, scratch_bytes, fixed_s }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        let layout = Layout::new(&self.settings, job);
        let stays = layout.paths.iter().filter(|_| layout.stays());
        stays.map(|path| (path.clone(), layout.own_bytes)).collect()
    }

    fn measure(&self, _job: &Job, pool: &PoolReport) -> Vec<Measured> {
        vec![measure::measure(&self.head.id, &self.settings, pool)]
    }

    fn explain(&self, _id: &str) -> String {
        explain::page(&self.head, &self.settings, &self.info())
    }
}

#[cfg(test)]
mod tests;

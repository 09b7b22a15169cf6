//! The kind `clone`: a file is cloned, the clone is overwritten at random places, and both are read afterwards, next to
//! a file that shares nothing.

mod explain;
mod make;
mod measure;
mod overwrite;
mod read;
mod set;
mod settings;
mod sharing;

use self::{
    make::MakeRun,
    overwrite::OverwriteRun,
    read::ReadRun,
    set::{CloneSets, FOLDER, path},
    settings::{Action, KNOBS, Settings, Which},
};
use super::{Defaults, Head, Kind, settings};
use crate::{Estimate, Measured, Run, Shift, Stretch, Test, TestError};
use model::{
    figure::{Better, Metric},
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use std::path::{Path, PathBuf};

pub(super) static KIND: Kind = Kind {
    name: "clone",
    about: "clones a file without copying it (FICLONE); measures the time to make a clone, the rate of overwrites in a \
            clone and in an unshared file, and the rate at which both are read afterwards.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(Box::new(CloneTest { head, settings }))
    },
};

/// Bytes that the mapping of a piece takes in the metadata of a clone, at most.
const MAPPING_BYTES: u64 = 128;
/// Bytes of the metadata of a clone besides.
const INODE_BYTES: u64 = 16 << 10;

struct CloneTest {
    head: Head,
    settings: Settings,
}

impl CloneTest {
    fn info(&self) -> TestInfo {
        let s = &self.settings;
        let at = match s.share {
            0 => "as new".to_string(),
            share => format!("{} {share} %", s.block.short()),
        };
        let (name, testtype, group, (metric, unit, better)) = match s.action {
            Action::Make => (
                format!("make a clone, {at}"),
                "make a clone",
                Group::Meta,
                ("durable_service_p50_us", "us", Better::Lower),
            ),
            Action::Overwrite => (
                format!("overwrite a clone, {at}"),
                "overwrite a clone",
                Group::RandomWrite,
                ("durable_rate", "MB/s", Better::Higher),
            ),
            Action::Read => (
                format!("read {}, {at}", s.file.read_name()),
                "read after divergence",
                Group::SequentialRead,
                (Metric::RATE, "MB/s", Better::Higher),
            ),
        };
        let shape = Shape { only_writes: s.action == Action::Overwrite, ..Shape::default() };
        self.head.info(Defaults { name, testtype, group, metric, unit, better, shape })
    }

    /// The metadata of the clones that are made.
    fn made_bytes(&self, job: &Job) -> u64 {
        let one = INODE_BYTES + self.settings.overwritten(job) * MAPPING_BYTES;
        self.settings.made(job).saturating_mul(one)
    }
}

impl Which {
    fn read_name(self) -> &'static str {
        match self {
            Which::Origin => "the origin of a clone",
            Which::Clone => "a clone",
            Which::Unshared => "a file never cloned",
        }
    }
}

impl Test for CloneTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        self.settings.cache()
    }

    fn stretch(&self) -> Stretch {
        match self.settings.action {
            Action::Make => Stretch::Times,
            Action::Overwrite | Action::Read => Stretch::Copies(FOLDER),
        }
    }

    fn threads(&self, _job: &Job) -> u32 {
        1
    }

    fn shift(&self) -> Shift {
        match self.settings.action {
            Action::Read => Shift::Reads,
            Action::Make | Action::Overwrite => Shift::Never,
        }
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        if self.settings.action == Action::Make {
            make::clean(&self.settings, job)?;
        }
        CloneSets::new(&self.settings, job).fill()
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        let folder = job.dir.join(FOLDER);
        let of: &[Which] = match self.settings.action {
            Action::Make => &[],
            Action::Overwrite => &[Which::Clone, Which::Unshared],
            Action::Read => std::slice::from_ref(&self.settings.file),
        };
        let copies = 0..self.settings.copies(job);
        copies
            .flat_map(|copy| of.iter().map(move |which| (copy, *which)))
            .map(|(copy, which)| path(&folder, which, copy))
            .collect()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let settings = &self.settings;
        Ok(match settings.action {
            Action::Make => Box::new(MakeRun::new(settings, job)?),
            Action::Overwrite => Box::new(OverwriteRun::new(settings, job)?),
            Action::Read => Box::new(ReadRun::new(settings.file, CloneSets::new(settings, job))),
        })
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let s = &self.settings;
        let copies = s.copies(job);
        let disk_bytes = self.space(job).iter().map(|(_, bytes)| bytes).sum();
        match s.action {
            Action::Make => {
                let bytes = self.made_bytes(job);
                let (write_bytes, scratch_bytes) = (bytes, bytes);
                Estimate {
                    write_bytes,
                    scratch_bytes,
                    disk_bytes,
                    ops: s.made(job),
                    ..Estimate::default()
                }
            }
            Action::Overwrite => {
                let write_bytes = (2 * copies * s.block.0).saturating_mul(s.overwritten(job));
                let ops = (2 * copies).saturating_mul(s.overwritten(job).div_ceil(s.batch));
                Estimate { write_bytes, disk_bytes, ops, ..Estimate::default() }
            }
            Action::Read => {
                let read_bytes = copies.saturating_mul(s.file_bytes(job));
                Estimate { read_bytes, disk_bytes, ..Estimate::default() }
            }
        }
    }

    /// Where nothing is overwritten in place, a file of its own also grows: old extents stay until all of one is
    /// overwritten.
    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        let bytes = self.settings.file_bytes(job);
        let copies = 0..self.settings.copies(job);
        let of = |copy| {
            Which::ALL.map(|which| {
                let times = if which == Which::Unshared { 2 } else { 1 };
                (path(Path::new(FOLDER), which, copy), times * bytes)
            })
        };
        copies.flat_map(of).collect()
    }

    fn measure(&self, _job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let id = &self.head.id;
        vec![match self.settings.action {
            Action::Make => measure::make(id, pool),
            Action::Overwrite => measure::overwrite(id, pool),
            Action::Read => measure::read(id, pool, self.settings.file),
        }]
    }

    fn explain(&self, _id: &str) -> String {
        explain::page(&self.head, &self.settings, &self.info())
    }
}

#[cfg(test)]
mod tests;

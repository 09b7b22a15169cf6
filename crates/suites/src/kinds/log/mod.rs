//! The kind `log`: records appended to a log file, each made durable before the next, as a database
//! does with the log of its commits.

mod run;

use self::run::{Log, LogRun, allocate};
use super::{Defaults, Head, Kind, scaled, settings};
use crate::{
    Estimate, Measured, Run, Test, TestError,
    commits::{self, Client, CommitRate, data, write_all},
    figures::Metrics,
    page,
};
use model::{
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use rustix::fs::OFlags;
use serde::Deserialize;
use std::{
    fs::{File, OpenOptions},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};

pub(super) static KIND: Kind = Kind {
    name: "log",
    about: "records appended to a log, each made durable before the next.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(Box::new(LogTest { head, settings }))
    },
};

static KNOBS: [Knob; 6] = [
    Knob::new("record", "bytes", "4k", "record size, from 64 to 1M; need not be a power of two"),
    Knob::new(
        "sync",
        "",
        "fdatasync",
        "how records are made durable; none: only by the sync \
                                        after the \
                                        run",
    )
    .one_of(&["fdatasync", "fsync", "o_dsync", "none"]),
    Knob::new(
        "space",
        "",
        "written",
        "log space: preallocated and overwritten, fallocated, or \
                                       growing",
    )
    .one_of(&["written", "fallocate", "grow"]),
    Knob::new("segment", "bytes", "64M", "log size at scale 1, after which it wraps; at least 1M"),
    commits::RUNTIME,
    commits::RATE,
];

/// Least size of a segment at any scale.
const LEAST_SEGMENT: u64 = 1 << 20;
/// The largest one at scale 1.
const MOST_SEGMENT: u64 = 1 << 50;
/// The log, in the directory of the worker.
const FILE: &str = "commit.log";

/// The call that makes a record durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sync {
    Fdatasync,
    Fsync,
    ODsync,
    None,
}

/// The space that a record is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Space {
    /// Blocks that hold data.
    Written,
    /// Blocks that are allocated and were never written.
    Fallocate,
    /// The end of the file.
    Grow,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    record: Bytes,
    sync: Sync,
    space: Space,
    segment: Bytes,
    runtime_s: f64,
    rate: u32,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        let record = self.record.0;
        if !(64..=1 << 20).contains(&record) {
            return Err(format!("`record` must be from 64 to 1M, not {record}"));
        }
        if !(LEAST_SEGMENT..=MOST_SEGMENT).contains(&self.segment.0) {
            return Err(format!(
                "`segment` must be at least 1M and at most 1P, not {}",
                self.segment
            ));
        }
        CommitRate::check(self.runtime_s)
    }

    /// Bytes of a segment, whole records.
    fn segment_bytes(&self, job: &Job) -> u64 {
        let bytes = scaled(self.segment.0, job.scale, LEAST_SEGMENT);
        bytes - bytes % self.record.0
    }
}

struct LogTest {
    head: Head,
    settings: Settings,
}

impl LogTest {
    fn load(&self, scale: f64) -> CommitRate {
        CommitRate::new(self.settings.runtime_s, self.settings.rate, scale)
    }

    fn info(&self) -> TestInfo {
        let s = &self.settings;
        let (metric, unit, better) = self.load(1.0).ranks();
        let how = match s.sync {
            Sync::Fdatasync => "with fdatasync",
            Sync::Fsync => "with fsync",
            Sync::ODsync => "with O_DSYNC",
            Sync::None => "not synced",
        };
        let onto = match s.space {
            Space::Written => "",
            Space::Fallocate => ", allocated log",
            Space::Grow => ", growing log",
        };
        let rate = if s.rate > 0 { format!(", {} per second", s.rate) } else { String::new() };
        self.head.info(Defaults {
            name: format!("log commit {} {how}{onto}{rate}", s.record.short()),
            testtype: "durable append",
            group: Group::Transactions,
            metric,
            unit,
            better,
            shape: Shape::default(),
        })
    }
}

impl Test for LogTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn threads(&self, _job: &Job) -> u32 {
        1
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    /// Always a new file, so that a run does not begin on what the last one left.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let path = job.dir.join(FILE);
        let bytes = self.settings.segment_bytes(job);
        let file = File::create(&path).map_err(TestError::io("create", &path))?;
        match self.settings.space {
            Space::Grow => {}
            Space::Fallocate => allocate(&file, &path, bytes)?,
            Space::Written => write_all(&file, &path, &data(job, FILE, 64 << 10), bytes)?,
        }
        file.sync_all().map_err(TestError::io("fsync", &path))
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let path = job.dir.join(FILE);
        let flags =
            if self.settings.sync == Sync::ODsync { OFlags::DSYNC } else { OFlags::empty() };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags.bits() as i32)
            .open(&path)
            .map_err(TestError::io("open", &path))?;
        let record = self.settings.record.0;
        Ok(Box::new(LogRun {
            client: Client::new(self.load(job.scale), 0, 1, &path)?,
            data: data(job, &job.test, record.next_multiple_of(8)),
            incompressible_share: job.data.incompressible_share(),
            log: Log {
                file,
                path,
                sync: self.settings.sync,
                space: self.settings.space,
                record,
                segment: self.settings.segment_bytes(job),
            },
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let load = self.load(job.scale);
        Estimate {
            write_bytes: load.commits().saturating_mul(self.settings.record.0),
            scratch_bytes: self.settings.segment_bytes(job),
            fixed_s: load.seconds(),
            ..Estimate::default()
        }
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let load = self.load(job.scale);
        vec![commits::measured(&self.head.id, load, pool, Metrics::default())]
    }

    fn explain(&self, _id: &str) -> String {
        let read_it = format!("{}\n\n{TRAPS}", commits::read_it(self.load(1.0)));
        page::page(&self.head, &KIND, &self.info(), &self.does(), &read_it)
    }
}

const TRAPS: &str = "How the log's space was allocated often matters more than the file system: \
                     overwriting old data in place changes no metadata, writing to allocated \
                     blocks converts an unwritten extent, appending changes the file size, and \
                     each such change needs a commit of the file system's own journal. A \
                     copy-on-write file system allocates in all three cases. Compare only tests \
                     with the same `space`.";

impl LogTest {
    fn does(&self) -> String {
        let s = &self.settings;
        let before = match s.space {
            Space::Written => {
                "the log is filled with random data and synced; it is then overwritten in place, \
                 as databases recycle their log files"
            }
            Space::Fallocate => {
                "the log is allocated with fallocate(2), which also sets its size, and synced"
            }
            Space::Grow => "the log is created empty and synced",
        };
        let commit = match s.sync {
            Sync::Fdatasync => "pwrite(2) of the record, then fdatasync(2)",
            Sync::Fsync => "pwrite(2) of the record, then fsync(2)",
            Sync::ODsync => "pwrite(2) of the record to a file opened with `O_DSYNC`",
            Sync::None => "pwrite(2) of the record, which is not synced",
        };
        let end = match s.space {
            Space::Written => "continues at its start",
            Space::Fallocate => "is truncated to 0 and allocated again within that commit",
            Space::Grow => "is truncated to 0 within that commit",
        };
        format!(
            "Each process has its own log of {} at scale 1 (at least 1 MiB). Before the clock \
             starts, {before}.\n\n- For {} s at scale 1 (at least {} s): {commit}. Records have \
             {} and random content, different for each.\n- A log that is full {end}.\n- As a \
             separate phase: fsync(2) of the log.\n- After the clock stopped: every record that \
             the log must still contain is read back and compared, as is the file size; then it \
             is removed.",
            s.segment, s.runtime_s, 0.2, s.record,
        )
    }
}

#[cfg(test)]
mod tests;

//! The kind `flush`: pages of a table are written in place and made durable, as a database's page cleaner does, with or
//! without protection from torn pages.

mod run;

use self::run::{FlushRun, Table};
use super::{Defaults, Head, Kind, scaled, settings};
use crate::{
    Estimate, Measured, Run, Test, TestError,
    commits::{self, Client, CommitRate, data, write_all},
    figures::{self, Metrics},
    page,
};
use model::{
    figure::Better,
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use serde::Deserialize;
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

pub(super) static KIND: Kind = Kind {
    name: "flush",
    about: "writes random pages of a table with direct I/O and makes them durable, guarded from torn pages by a \
            doublewrite or by atomic writes.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(Box::new(FlushTest { head, settings }))
    },
};

static KNOBS: [Knob; 6] = [
    Knob::new("page", "bytes", "16k", "page size; a power of two from 4k to 64k"),
    Knob::new(
        "guard",
        "",
        "none",
        "none: a power failure may leave half a page; doublewrite: pages are first written to another file and \
         synced; atomic: RWF_ATOMIC, refused where not supported",
    )
    .one_of(&["none", "doublewrite", "atomic"]),
    Knob::new("batch", "", "1", "pages made durable together, 1 to 256"),
    Knob::new("table", "bytes", "1G", "table size per process at scale 1; at least 16M"),
    commits::RUNTIME,
    commits::RATE,
];

/// Least size of a table at any scale, and what it is a multiple of.
const LEAST_TABLE: u64 = 4 << 20;
/// The largest table at scale 1.
const MOST_BYTES: u64 = 1 << 50;
/// Most pages in a batch.
const MOST_BATCH: u64 = 256;
const TABLE_FILE: &str = "flush.table";
const DOUBLE_FILE: &str = "flush.doublewrite";

/// How a page is kept whole when the power fails while it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Guard {
    None,
    Doublewrite,
    Atomic,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    page: Bytes,
    guard: Guard,
    batch: u64,
    table: Bytes,
    runtime_s: f64,
    rate: u32,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        let page = self.page.0;
        if !page.is_power_of_two() || !(4 << 10..=64 << 10).contains(&page) {
            return Err(format!("`page` must be a power of two from 4k to 64k, not {page}"));
        }
        if !(1..=MOST_BATCH).contains(&self.batch) {
            return Err(format!("`batch` must be 1 to {MOST_BATCH}, not {}", self.batch));
        }
        if !(16 << 20..=MOST_BYTES).contains(&self.table.0) {
            return Err("`table` must be at least 16M and at most 1P".into());
        }
        if self.rate > 0 && self.batch > 1 {
            return Err("a `rate` counts single pages; use `batch` = 1".into());
        }
        CommitRate::check(self.runtime_s)
    }

    fn table_bytes(&self, job: &Job) -> u64 {
        // A batch never has more pages than the table.
        let least = LEAST_TABLE.max(2 * self.batch * self.page.0);
        scaled(self.table.0, job.scale, least).next_multiple_of(LEAST_TABLE)
    }

    /// Bytes of the file that pages are written to first.
    fn double_bytes(&self) -> u64 {
        if self.guard == Guard::Doublewrite { self.batch * self.page.0 } else { 0 }
    }
}

struct FlushTest {
    head: Head,
    settings: Settings,
}

impl FlushTest {
    fn load(&self, scale: f64) -> CommitRate {
        CommitRate::new(self.settings.runtime_s, self.settings.rate, scale)
    }

    fn info(&self) -> TestInfo {
        let s = &self.settings;
        let guard = match s.guard {
            Guard::None => "unguarded",
            Guard::Doublewrite => "doublewrite",
            Guard::Atomic => "atomic",
        };
        let batch = if s.batch > 1 { format!(", {} together", s.batch) } else { String::new() };
        let (metric, unit, better) = match self.load(1.0).fixed() {
            false => ("pages_rate", "1/s", Better::Higher),
            true => ("latency_p99_us", "us", Better::Lower),
        };
        self.head.info(Defaults {
            name: format!("page flush {}, {guard}{batch}", s.page.short()),
            testtype: "page flush",
            group: Group::Transactions,
            metric,
            unit,
            better,
            shape: Shape::default(),
        })
    }
}

impl Test for FlushTest {
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

    /// The table stays from test to test; the other file is new for each.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let (table, bytes) = (job.dir.join(TABLE_FILE), self.settings.table_bytes(job));
        if fs::metadata(&table).map(|meta| meta.len()).ok() != Some(bytes) {
            create(&table, job, bytes)?;
        }
        match self.settings.double_bytes() {
            0 => Ok(()),
            bytes => create(&job.dir.join(DOUBLE_FILE), job, bytes),
        }
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let s = &self.settings;
        let path = job.dir.join(TABLE_FILE);
        let file = engine::io::open(&path, true, true)?;
        let atomic = match s.guard {
            Guard::Atomic => Some(engine::io::atomic_sizes(&file, s.page.0 as u32)?),
            _ => None,
        };
        let double = match s.guard {
            Guard::Doublewrite => Some(engine::io::open(&job.dir.join(DOUBLE_FILE), true, true)?),
            _ => None,
        };
        let client = Client::new(self.load(job.scale), 0, 1, &path)?;
        let table =
            Table { file, path, page_bytes: s.page.0, pages: s.table_bytes(job) / s.page.0 };
        let data = data(job, &job.test, s.page.0);
        Ok(Box::new(FlushRun::new(job, client, table, double, atomic, s.batch, data)))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let (s, load) = (&self.settings, self.load(job.scale));
        let written = s.batch * s.page.0 * if s.guard == Guard::Doublewrite { 2 } else { 1 };
        Estimate {
            write_bytes: load.commits().saturating_mul(written),
            disk_bytes: s.table_bytes(job),
            scratch_bytes: s.double_bytes(),
            fixed_s: load.seconds(),
            ..Estimate::default()
        }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        vec![(TABLE_FILE.into(), self.settings.table_bytes(job))]
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let (load, pages) = (self.load(job.scale), figures::ops(pool, 0..1));
        let mut more = Metrics::default();
        more.per_s("pages_rate", pages, figures::time_s(pool, 0..1), "1/s");
        let most = |name| commits::sum(pool, name) / pool.workers.len().max(1) as f64;
        more.push(run::MOST_ATOMIC, most(run::MOST_ATOMIC), "B", Better::Higher);
        more.push(run::DEVICE_ATOMIC, most(run::DEVICE_ATOMIC), "B", Better::Higher);
        let mut measured = commits::measured(&self.head.id, load, pool, more);
        // A commit is a batch here; only pages are counted.
        measured.metrics.retain(|metric| !metric.name.starts_with("commits_rate"));
        let first = self.info().metric;
        measured.metrics.sort_by_key(|metric| metric.name != first);
        vec![measured]
    }

    fn explain(&self, _id: &str) -> String {
        page::page(&self.head, &KIND, &self.info(), &self.does(), READ_IT)
    }
}

/// A new file of `bytes` random bytes, synced.
fn create(path: &Path, job: &Job, bytes: u64) -> Result<(), TestError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = File::create(path).map_err(TestError::io("create", path))?;
    write_all(&file, path, &data(job, &name, 64 << 10), bytes)?;
    file.sync_all().map_err(TestError::io("fsync", path))
}

impl FlushTest {
    fn does(&self) -> String {
        let s = &self.settings;
        let (pages, page) = (s.batch, s.page);
        let guard = match s.guard {
            Guard::None => format!(
                "pwrite(2) of {pages} random page(s) of {page} in place, then fdatasync(2) of the table. A power \
                 failure may leave a page half old and half new: this is the limit that no guard can beat."
            ),
            Guard::Doublewrite => format!(
                "pwrite(2) of {pages} random page(s) of {page} to the start of a second file, fdatasync(2) of that, \
                 pwrite(2) of each in place, fdatasync(2) of the table: the doublewrite buffer of InnoDB. A page that \
                 a power failure tore is restored from the second file."
            ),
            Guard::Atomic => format!(
                "pwritev2(2) with `RWF_ATOMIC` of {pages} random page(s) of {page} in place, one call each, then \
                 fdatasync(2) of the table. After a power failure a page is either the old or the new one."
            ),
        };
        format!(
            "Each process has a table of {} at scale 1 (at least 4 MiB), written in full with random data and synced \
             before, and opened with `O_DIRECT`. For {} s at scale 1 (at least 0.2 s) it repeats: {guard} After the \
             clock stopped, every page that was written is read back through the page cache and compared with what \
             was written last. The table is kept for the next test.",
            s.table, s.runtime_s,
        )
    }
}

const READ_IT: &str = "`pages_rate` counts pages that are durable in place, so a doublewrite pays for its second \
                       copy and its second flush. `service_p50_us` and `service_p99_us` are the time until a batch was \
                       durable, at a fixed rate `latency_p50_us` and `latency_p99_us` from when it was due.

Compare the tests of one page size and batch that differ only in their guard, on one target: the ratio of atomic to \
doublewrite is what a database gains by giving up its doublewrite. Atomic writes are not supported everywhere; where \
they are refused the sample is invalid and says so, and nothing else was measured in its place.

`atomic_most_bytes` is the largest atomic write of the file, and `atomic_device_bytes` the largest that the device \
supports itself. Without the latter the file system makes each write atomic by writing to a new place and changing its \
metadata: XFS does so since Linux 6.16, on any device with reflinks. That costs a transaction of its log per page, \
which is not what a device that supports it itself would show, and it moves the pages of the table.";

#[cfg(test)]
mod tests;

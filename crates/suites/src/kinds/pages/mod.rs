//! The kind `pages`: clients change pages of a table at random places behind a write-ahead log with
//! group commit, as the server of a relational database does.

mod clients;
mod group;
mod run;
mod table;

use self::{
    group::GroupLog,
    run::{Done, PagesRun},
    table::Table,
};
use super::{Defaults, Head, Kind, scaled, settings};
use crate::{
    Estimate, Measured, Run, Test, TestError,
    commits::{self, CommitRate, data, engine_error, write_all},
    figures::{self, Metrics, ratio},
    page,
};
use model::{
    figure::Better,
    target::Knob,
    text::{Bytes, counted},
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use serde::Deserialize;
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

pub(super) static KIND: Kind = Kind {
    name: "pages",
    about: "clients that update random pages of a table, with a write-ahead log and group commit.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(Box::new(PagesTest { head, settings }))
    },
};

static KNOBS: [Knob; 9] = [
    Knob::new("clients", "", "8", "clients per process, one thread each, 1 to 1024"),
    Knob::new("page", "bytes", "8k", "page size; a power of two from 4k to 64k"),
    Knob::new(
        "record",
        "bytes",
        "512",
        "log record size per transaction; a power of two from 64 to 64k",
    ),
    Knob::new("table", "bytes", "1G", "table size per process at scale 1; at least 16M"),
    Knob::new(
        "log",
        "bytes",
        "64M",
        "log size at scale 1, after which it is overwritten; at least 1M",
    ),
    Knob::new(
        "checkpoint",
        "",
        "1000",
        "commits of a process between syncs of its table; 0: only the sync after the run",
    ),
    Knob::new("direct", "", "false", "write pages with direct I/O; the log is always buffered")
        .one_of(&["false", "true"]),
    commits::RUNTIME,
    commits::RATE,
];

/// Least size of a table, and what it is a multiple of, so that tests of any page size share it.
const LEAST_TABLE: u64 = 4 << 20;
/// Least size of a log at any scale.
const LEAST_LOG: u64 = 1 << 20;
/// The largest table and log at scale 1.
const MOST_BYTES: u64 = 1 << 50;
const TABLE_FILE: &str = "pages.table";
const LOG_FILE: &str = "pages.log";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    clients: u32,
    page: Bytes,
    record: Bytes,
    table: Bytes,
    log: Bytes,
    checkpoint: u64,
    direct: bool,
    runtime_s: f64,
    rate: u32,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        let power = |name: &str, bytes: Bytes, least: u64| match bytes.0.is_power_of_two()
            && (least..=64 << 10).contains(&bytes.0)
        {
            true => Ok(()),
            false => {
                Err(format!("`{name}` must be a power of two from {least} to 64k, not {}", bytes.0))
            }
        };
        power("page", self.page, 4 << 10)?;
        power("record", self.record, 64)?;
        if !(1..=1024).contains(&self.clients) {
            return Err(format!("`clients` must be 1 to 1024, not {}", self.clients));
        }
        if self.table.0 < 16 << 20 || self.log.0 < LEAST_LOG {
            return Err("`table` must be at least 16M and `log` at least 1M".into());
        }
        if self.table.0.max(self.log.0) > MOST_BYTES {
            return Err("`table` and `log` must be at most 1P".into());
        }
        CommitRate::check(self.runtime_s)
    }

    fn table_bytes(&self, job: &Job) -> u64 {
        // Every client has at least one page.
        let least = LEAST_TABLE.max(u64::from(self.clients) * self.page.0);
        scaled(self.table.0, job.scale, least).next_multiple_of(LEAST_TABLE)
    }

    fn log_bytes(&self, job: &Job) -> u64 {
        let least = LEAST_LOG.max(2 * u64::from(self.clients) * self.record.0);
        let bytes = scaled(self.log.0, job.scale, least);
        bytes - bytes % self.record.0
    }
}

struct PagesTest {
    head: Head,
    settings: Settings,
}

impl PagesTest {
    fn load(&self, scale: f64) -> CommitRate {
        CommitRate::new(self.settings.runtime_s, self.settings.rate, scale)
    }

    fn info(&self) -> TestInfo {
        let s = &self.settings;
        let (metric, unit, better) = self.load(1.0).ranks();
        let clients = counted(s.clients, "client", "clients");
        let direct = if s.direct { " direct" } else { "" };
        let rate = if s.rate > 0 { format!(", {} per second", s.rate) } else { String::new() };
        self.head.info(Defaults {
            name: format!("group commit, {} pages{direct}, {clients}{rate}", s.page.short()),
            testtype: "group commit",
            group: Group::Transactions,
            metric,
            unit,
            better,
            shape: Shape::default(),
        })
    }
}

impl Test for PagesTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn threads(&self, _job: &Job) -> u32 {
        self.settings.clients
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    /// The table stays from test to test, its pages being written over at random in all of them; the
    /// log is new for each.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let (table, bytes) = (job.dir.join(TABLE_FILE), self.settings.table_bytes(job));
        if fs::metadata(&table).map(|meta| meta.len()).ok() != Some(bytes) {
            create(&table, job, bytes)?;
        }
        create(&job.dir.join(LOG_FILE), job, self.settings.log_bytes(job))
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let s = &self.settings;
        let open = |path: &Path, direct: bool| {
            engine::io::open(path, true, direct).map_err(engine_error("open", path))
        };
        let (path, log_path) = (job.dir.join(TABLE_FILE), job.dir.join(LOG_FILE));
        let file = open(&path, s.direct)?;
        let pending_bytes = s.clients as usize * s.record.0 as usize;
        let log = open(&log_path, false)?;
        let pages = s.table_bytes(job) / s.page.0;
        Ok(Box::new(PagesRun {
            job,
            load: self.load(job.scale),
            clients: s.clients,
            checkpoint_every: s.checkpoint,
            record_bytes: s.record.0 as usize,
            data: data(job, &job.test, s.page.0.max(s.record.0)),
            table: Table { file, path, page_bytes: s.page.0, pages },
            log: GroupLog::new(log, log_path.clone(), s.log_bytes(job), pending_bytes),
            log_path,
            done: Done::default(),
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let (s, load) = (&self.settings, self.load(job.scale));
        Estimate {
            write_bytes: load.commits().saturating_mul(s.record.0 + s.page.0),
            disk_bytes: s.table_bytes(job),
            scratch_bytes: s.log_bytes(job),
            fixed_s: load.seconds(),
            ..Estimate::default()
        }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        vec![(TABLE_FILE.into(), self.settings.table_bytes(job))]
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let mut more = Metrics::default();
        let flushes = commits::sum(pool, "flushes");
        let mean = ratio(figures::ops(pool, 0..1) as f64, flushes);
        more.push("group_size_mean", mean, "", Better::Higher);
        more.push("flushes", flushes, "", Better::Lower);
        more.push("checkpoints", commits::sum(pool, "checkpoints"), "", Better::Higher);
        vec![commits::measured(&self.head.id, self.load(job.scale), pool, more)]
    }

    fn explain(&self, _id: &str) -> String {
        let read_it = format!("{}\n\n{TRAPS}", commits::read_it(self.load(1.0)));
        page::page(&self.head, &KIND, &self.info(), &self.does(), &read_it)
    }
}

/// A new file of `bytes` random bytes, synced.
fn create(path: &Path, job: &Job, bytes: u64) -> Result<(), TestError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = File::create(path).map_err(TestError::io("create", path))?;
    write_all(&file, path, &data(job, &name, 64 << 10), bytes)?;
    file.sync_all().map_err(TestError::io("fsync", path))
}

const TRAPS: &str = "A latency is that of the commit: from its start, or intended start, until its record is durable. The page is written after that and delays only the client's next transaction. `group_size_mean` is commits for each sync of the log: a slow sync gathers larger groups, so rates of many clients differ less than those of one. `checkpoints` are syncs of the table during the run; one that is asked for while another is under way is the same. A file system on which the sync of one file waits for the data of another shows slow commits during them, in the high percentiles. How much more the device wrote than was asked of it is in the device bytes of the sample over `rate`.";

impl PagesTest {
    fn does(&self) -> String {
        let s = &self.settings;
        let through =
            if s.direct { "past the page cache (`O_DIRECT`)" } else { "to the page cache" };
        let checkpoint = match s.checkpoint {
            0 => "The table is not synced during the run.".to_string(),
            n => format!(
                "After every {n} commits of the process a further thread calls fdatasync(2) on \
                 the table, while clients continue."
            ),
        };
        format!(
            "Each process has a table of {} at scale 1 (at least 4 MiB) and a log of {} at scale \
             1 (at least 1 MiB), both written in full with random data and synced before. Its \
             clients ({}) are threads, which wait until the clock starts. For {} s at scale 1 (at \
             least 0.2 s) each repeats:\n\n- It chooses a page at random in \
             its own share of the table, so that two clients never want the same one.\n- It \
             appends a record of {} to a buffer that all share and waits until that is durable. \
             One of the waiting clients writes the buffer to the log with pwrite(2) and calls \
             fdatasync(2), for itself and for all that joined before it started; later clients \
             wait for the next sync (group commit).\n- It writes the page of {} with pwrite(2) \
             {through}.\n\n{checkpoint} As a separate phase, the table is synced at the end. \
             After the clock stopped, every page that was written is read back through the page \
             cache and compared with what its last transaction wrote; every record in the log \
             must be a committed one and appear once. The log is removed, the table is kept for \
             the next test.",
            s.table, s.log, s.clients, s.runtime_s, s.record, s.page,
        )
    }
}

#[cfg(test)]
mod tests;

//! The kind `sqlite`: transactions in the real SQLite, on its own database file.

mod bank;
mod run;

use self::{
    bank::{Bank, Shape},
    run::SqliteRun,
};
use super::{Defaults, Head, Kind, scaled, settings};
use crate::{
    Estimate, Measured, Run, Test, TestError,
    commits::{self, Client, CommitRate, data},
    figures::Metrics,
    page,
};
use engine::data::derive_seed;
use model::{
    random::Rng,
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, Group, Job, PoolReport, TestInfo},
};
use serde::Deserialize;
use std::path::PathBuf;

pub(super) static KIND: Kind = Kind {
    name: "sqlite",
    about: "transactions in SQLite, which is linked into this program.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(Box::new(SqliteTest { head, settings }))
    },
};

static KNOBS: [Knob; 8] = [
    Knob::new("journal", "", "wal", "PRAGMA journal_mode: a write-ahead log, or a rollback journal that is deleted, truncated or overwritten at commit").one_of(&["wal", "delete", "truncate", "persist"]),
    Knob::new("synchronous", "", "full", "PRAGMA synchronous: full makes each commit durable, \
                                          except the deletion of a journal, which only extra \
                                          syncs; normal syncs a write-ahead log only at \
                                          checkpoints").one_of(&["extra", "full", "normal"]),
    Knob::new("rows", "", "200000", "accounts in the table at scale 1; at least 1000 at any scale"),
    Knob::new("updates", "", "3", "accounts updated per transaction, 0 to 10000"),
    Knob::new("inserts", "", "1", "history rows added per transaction, 0 to 10000"),
    Knob::new("page", "bytes", "4k", "PRAGMA page_size; a power of two from 512 to 64k"),
    commits::RUNTIME,
    commits::RATE,
];

/// Least number of accounts at any scale.
const LEAST_ROWS: u64 = 1000;
/// The most that a transaction changes or adds.
const MOST_ROWS: u32 = 10_000;
/// Bytes of an account and of a history row on disk, their share of the B-tree included.
const ACCOUNT_BYTES: u64 = 130;
const HISTORY_BYTES: u64 = 60;
/// A write-ahead log is checkpointed after about 1000 pages and a transaction.
const LOG_PAGES: u64 = 1100;
/// The database, in the directory of the worker.
const FILE: &str = "sqlite.db";

/// The journal that protects a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Journal {
    Wal,
    Delete,
    Truncate,
    Persist,
}

impl Journal {
    fn word(self) -> &'static str {
        match self {
            Journal::Wal => "wal",
            Journal::Delete => "delete",
            Journal::Truncate => "truncate",
            Journal::Persist => "persist",
        }
    }
}

/// The moments at which SQLite syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Synchronous {
    Extra,
    Full,
    Normal,
}

impl Synchronous {
    fn word(self) -> &'static str {
        match self {
            Synchronous::Extra => "extra",
            Synchronous::Full => "full",
            Synchronous::Normal => "normal",
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    journal: Journal,
    synchronous: Synchronous,
    rows: u64,
    updates: u32,
    inserts: u32,
    page: Bytes,
    runtime_s: f64,
    rate: u32,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        let page = self.page.0;
        if !page.is_power_of_two() || !(512..=64 << 10).contains(&page) {
            return Err(format!("`page` must be a power of two from 512 to 64k, not {page}"));
        }
        let changes = self.updates.max(self.inserts);
        if changes == 0 || changes > MOST_ROWS {
            return Err(format!(
                "`updates` and `inserts` must be at most {MOST_ROWS} and not both 0"
            ));
        }
        if !(LEAST_ROWS..=1 << 40).contains(&self.rows) {
            return Err(format!("`rows` must be at least {LEAST_ROWS}, not {}", self.rows));
        }
        CommitRate::check(self.runtime_s)
    }

    fn shape(&self, job: &Job) -> Shape {
        Shape {
            rows: scaled(self.rows, job.scale, LEAST_ROWS),
            updates: self.updates,
            inserts: self.inserts,
            page_bytes: self.page.0,
        }
    }
}

struct SqliteTest {
    head: Head,
    settings: Settings,
}

impl SqliteTest {
    fn load(&self, scale: f64) -> CommitRate {
        CommitRate::new(self.settings.runtime_s, self.settings.rate, scale)
    }

    fn bank(&self, job: &Job) -> Bank {
        Bank { path: job.dir.join(FILE), shape: self.settings.shape(job) }
    }

    fn info(&self) -> TestInfo {
        let s = &self.settings;
        let (metric, unit, better) = self.load(1.0).ranks();
        let journal = match s.journal {
            Journal::Wal => "write-ahead log".to_string(),
            other => format!("rollback journal ({})", other.word()),
        };
        let synchronous = match s.synchronous {
            Synchronous::Full => "",
            Synchronous::Extra => ", extra",
            Synchronous::Normal => ", normal",
        };
        let rate = if s.rate > 0 { format!(", {} per second", s.rate) } else { String::new() };
        self.head.info(Defaults {
            name: format!("SQLite, {journal}{synchronous}{rate}"),
            testtype: "SQLite transaction",
            group: Group::Transactions,
            metric,
            unit,
            better,
            shape: model::workload::Shape::default(),
        })
    }
}

impl Test for SqliteTest {
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

    /// Always a new database, so that every run begins on the same one.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        self.bank(job).create(&data(job, FILE, bank::FILLER_WORDS * 8))
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let bank = self.bank(job);
        let (journal, synchronous) = (self.settings.journal, self.settings.synchronous);
        let connection = bank.open(journal.word(), synchronous.word())?;
        let seed = derive_seed(job.seed, &format!("{} {}", job.test, job.worker));
        Ok(Box::new(SqliteRun {
            client: Client::new(self.load(job.scale), 0, 1, &bank.path)?,
            data: data(job, &job.test, bank::FILLER_WORDS * 8),
            rng: Rng::new(seed),
            logs: journal == Journal::Wal,
            connection: Some(connection),
            total: 0,
            bank,
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let (load, s) = (self.load(job.scale), &self.settings);
        let shape = s.shape(job);
        let history = load.commits().saturating_mul(u64::from(s.inserts) * HISTORY_BYTES);
        // Each changed account dirties a page of its own; it is written to the log or journal, and
        // to the database.
        let pages = load.commits().saturating_mul(u64::from(s.updates) + 1);
        Estimate {
            write_bytes: pages.saturating_mul(2 * s.page.0).saturating_add(history),
            // Faster ones than assumed add more to the history; the log is bounded.
            scratch_bytes: (shape.rows.saturating_mul(ACCOUNT_BYTES))
                .saturating_add(history.saturating_mul(10))
                .saturating_add(LOG_PAGES * s.page.0),
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
        let read_it = format!("{}\n\n{}", commits::read_it(self.load(1.0)), self.traps());
        page::page(&self.head, &KIND, &self.info(), &self.does(), &read_it)
    }
}

impl SqliteTest {
    fn does(&self) -> String {
        let s = &self.settings;
        let sync = match s.journal {
            Journal::Wal => {
                "`PRAGMA wal_checkpoint(TRUNCATE)`, which moves what is left in the log to the database, and fsync(2) of the database"
            }
            _ => "fsync(2) of the database",
        };
        format!(
            "Each process has a database of {} accounts at scale 1 (at least {LEAST_ROWS}), of {} \
             bytes of random content each. It is created anew for every run and synced; then it is \
             opened with `journal_mode = {}`, `synchronous = {}` and the default cache of 2 \
             MiB.\n\n- For {} s at scale 1 (at least 0.2 s): `BEGIN IMMEDIATE`; `UPDATE account \
             SET balance = balance + ? WHERE id = ?` for accounts at random ({} of them); `INSERT \
             INTO history` ({}); `COMMIT`. Statements are prepared beforehand.\n- As a separate \
             phase: {sync}.\n- After the clock stopped the database is opened again. `PRAGMA \
             integrity_check` must say ok, the history must have as many rows as were committed, \
             and the balances must add up to what was paid in. Then it is removed.",
            s.rows,
            bank::FILLER_WORDS * 8,
            s.journal.word(),
            s.synchronous.word(),
            s.runtime_s,
            s.updates,
            s.inserts,
        )
    }

    fn traps(&self) -> &'static str {
        match (self.settings.journal, self.settings.synchronous) {
            (Journal::Wal, Synchronous::Normal) => {
                "With `normal` a commit is in the log but not yet on the disk: after a power loss \
                 the last ones may be gone, although the database is consistent. The log is synced \
                 only when it is checkpointed, every 1000 pages; the rate therefore says little \
                 about one sync and much about the page cache. Do not compare it to `full`."
            }
            (Journal::Wal, _) => {
                "A commit appends pages to the log and syncs that; every 1000 pages the log is moved into the database, which syncs both and makes one commit in some hundred slow. After that the log is written over from its beginning, so its size and blocks change in the first round only. SQLite is compiled with `HAVE_FDATASYNC`, as distributions do, so a sync of a file is fdatasync(2)."
            }
            _ => {
                "A commit writes the old pages to the journal and syncs it, the directory, and \
                 with `full` the journal once more; writes the database and syncs it; then it \
                 deletes, truncates or overwrites the journal. These are three to five syncs and \
                 some metadata changes, in which file systems differ most. With `delete` and \
                 `full` the deletion itself is not synced: a power loss right after it may \
                 restore the journal, and with it the state before the transaction; `extra` syncs \
                 it. SQLite is compiled with `HAVE_FDATASYNC`, as distributions do, so a sync of \
                 a file is fdatasync(2)."
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Applications that a power failure interrupts: each works below a directory, reports what it has acknowledged, and
//! afterwards checks what is left against its own guarantees.
//!
//! A contract of the crate `faults` follows from the operations alone; here it is what a program itself guarantees. The
//! file system that it checks is writable, because many programs recover when they open their files.

mod git;
mod ledger;
mod postgresql;
mod sqlite;
mod with_other_program;

use crate::{Application, columnar::Tables};
use postgresql::Postgresql;
use std::{fmt::Debug, sync::Arc};
use with_other_program::WithOtherProgram;

/// An application that can be declared.
#[derive(Debug)]
pub struct Known {
    /// Its name in a declaration.
    pub name: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// What it does, and what must hold.
    pub promise: &'static str,
    /// Programs that it runs.
    pub programs: &'static [&'static str],
    /// Seconds for a state, with mount, the application's own recovery and unmount, on a slow machine.
    pub state_s: f64,
    /// Whether another program syncs files of its own meanwhile, because the application syncs little or nothing.
    pub has_other_program: bool,
    make: fn(name: &'static str, rounds: u64, seed: u64) -> Arc<dyn Application>,
}

impl Known {
    /// The application, which does `rounds` pieces of work with content of `seed`.
    pub fn make(&self, rounds: u64, seed: u64) -> Arc<dyn Application> {
        let made = (self.make)(self.name, rounds, seed);
        if self.has_other_program { Arc::new(WithOtherProgram(made)) } else { made }
    }
}

/// All of them.
pub static APPLICATIONS: [Known; 14] = [
    Known {
        name: "sqlite-delete",
        title: "SQLite, rollback journal",
        promise: "SQLite with a rollback journal that is deleted at commit, synchronous=full: its integrity check finds \
                  nothing, no transaction is there in part, and every acknowledged one is there, the last one \
                  excepted: only synchronous=extra syncs the directory after the journal was deleted",
        programs: &[],
        state_s: 0.04,
        has_other_program: false,
        make: |name, rounds, seed| sqlite::DELETE.full(name, rounds, seed),
    },
    Known {
        name: "sqlite-delete-extra",
        title: "SQLite, rollback journal, extra",
        promise: "SQLite with a rollback journal that is deleted at commit, synchronous=extra: its integrity check finds \
                  nothing, no transaction is there in part, and every acknowledged one is there",
        programs: &[],
        state_s: 0.04,
        has_other_program: false,
        make: |name, rounds, seed| sqlite::DELETE.extra(name, rounds, seed),
    },
    Known {
        name: "sqlite-delete-normal",
        title: "SQLite, rollback journal, normal",
        promise: "as sqlite-delete, with synchronous=normal, which syncs the journal once where full syncs it twice",
        programs: &[],
        state_s: 0.04,
        has_other_program: false,
        make: |name, rounds, seed| sqlite::DELETE.normal(name, rounds, seed),
    },
    Known {
        name: "sqlite-delete-off",
        title: "SQLite, rollback journal, off",
        promise: "SQLite with synchronous=off, which promises nothing after a power failure. Held against it is only that \
                  the database is whole, and no transaction is there in part: what is left to chance",
        programs: &[],
        state_s: 0.04,
        has_other_program: true,
        make: |name, rounds, seed| sqlite::DELETE.off(name, rounds, seed),
    },
    Known {
        name: "sqlite-wal",
        title: "SQLite, write-ahead log",
        promise: "SQLite with a write-ahead log, synchronous=full: its integrity check finds nothing, no transaction is \
                  there in part, and every acknowledged one is there",
        programs: &[],
        state_s: 0.04,
        has_other_program: false,
        make: |name, rounds, seed| sqlite::WAL.full(name, rounds, seed),
    },
    Known {
        name: "sqlite-wal-normal",
        title: "SQLite, write-ahead log, normal",
        promise: "SQLite with a write-ahead log, synchronous=normal, which syncs at checkpoints alone: its integrity check \
                  finds nothing, no transaction is there in part or without those before it; the latest may be gone",
        programs: &[],
        state_s: 0.04,
        has_other_program: true,
        make: |name, rounds, seed| sqlite::WAL.normal(name, rounds, seed),
    },
    Known {
        name: "postgresql",
        title: "PostgreSQL",
        promise: "PostgreSQL as it ships, as a single process, with checksums and a checkpoint after every four \
                  transactions: after its recovery amcheck and the checksums find nothing, no transaction is there in \
                  part, and every acknowledged one is there",
        programs: postgresql::PROGRAMS,
        state_s: 0.5,
        has_other_program: false,
        make: |name, rounds, seed| Arc::new(Postgresql::shipped(name, rounds, seed)),
    },
    Known {
        name: "postgresql-no-full-pages",
        title: "PostgreSQL, no full pages",
        promise: "as postgresql, with full_page_writes=off, which is safe only where a page of 8 KiB is written whole or \
                  not at all",
        programs: postgresql::PROGRAMS,
        state_s: 0.5,
        has_other_program: false,
        make: |name, rounds, seed| Arc::new(Postgresql::no_full_pages(name, rounds, seed)),
    },
    Known {
        name: "postgresql-async",
        title: "PostgreSQL, asynchronous",
        promise: "PostgreSQL with synchronous_commit=off: after its recovery amcheck and the checksums find nothing, no \
                  transaction is there in part or without those before it; the latest may be gone",
        programs: postgresql::PROGRAMS,
        state_s: 0.5,
        has_other_program: false,
        make: |name, rounds, seed| Arc::new(Postgresql::asynchronous(name, rounds, seed)),
    },
    Known {
        name: "columnar",
        title: "columnar tables, synced",
        promise: "tables of columns, written as the columnar suite does and then synced, files before directories: \
                  after that all of the table reads as written, and so do the symbols, which are appended to one file",
        programs: &[],
        state_s: 0.04,
        has_other_program: false,
        make: |name, rounds, seed| Arc::new(Tables::new(name, rounds, seed, true)),
    },
    Known {
        name: "columnar-unsynced",
        title: "columnar tables, not synced",
        promise: "tables of columns, written aside and renamed as kdb+ does, without any sync. No standard promises \
                  anything. Held against it is that a column that has its name is whole",
        programs: &[],
        state_s: 0.04,
        has_other_program: true,
        make: |name, rounds, seed| Arc::new(Tables::new(name, rounds, seed, false)),
    },
    Known {
        name: "git",
        title: "git, everything synced",
        promise: "commits of git with core.fsync=all: `git fsck` finds nothing, and HEAD is an acknowledged commit or the \
                  one in flight. The latest may be gone, as git syncs no directory; that what it names is there rests \
                  on names becoming durable in the order in which they were made",
        programs: &["git"],
        state_s: 0.2,
        has_other_program: false,
        make: |name, rounds, _| Arc::new(git::Git::new(name, rounds, Some("all"))),
    },
    Known {
        name: "git-default",
        title: "git, as shipped",
        promise: "commits of git as it ships: core.fsync=committed,-loose-object, which syncs packs and no commit, file, \
                  reference or index, and \"risks losing recent work\". Held against it is what core.fsync=all promises",
        programs: &["git"],
        state_s: 0.2,
        has_other_program: true,
        make: |name, rounds, _| Arc::new(git::Git::new(name, rounds, None)),
    },
    Known {
        name: "git-none",
        title: "git, nothing synced",
        promise: "commits of git with core.fsync=none. Held against it is what core.fsync=all promises",
        programs: &["git"],
        state_s: 0.2,
        has_other_program: true,
        make: |name, rounds, _| Arc::new(git::Git::new(name, rounds, Some("none"))),
    },
];

/// The application called `name`.
pub fn find(name: &str) -> Option<&'static Known> {
    APPLICATIONS.iter().find(|known| known.name == name)
}

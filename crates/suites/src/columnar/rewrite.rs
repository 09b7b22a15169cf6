//! Overwrites a small vector again and again, with one sync at the end, like a file that holds a counter or the state
//! of a process.

use super::{
    column::{self, Column, ColumnFile, Payload},
    explain,
    measure::{self, Basis},
    page::{Figures, Page},
    row::Row,
    sizes::Sizes,
    sync::Durable,
};
use crate::{Estimate, Measured, Meter, Run, Stretch, Test, TestError};
use model::{
    figure::Synced,
    workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo},
};
use std::path::PathBuf;

/// `set` of one column that is there already, as often as `cycles` says.
pub(super) struct RewriteTest {
    pub(super) row: Row,
    pub(super) file: ColumnFile,
    /// The original suite's number of them.
    pub(super) cycles: u64,
}

impl RewriteTest {
    /// Returns the number of times it is saved.
    pub(super) fn cycles(&self, job: &Job) -> u64 {
        Sizes::new(job).repeated(self.cycles)
    }
}

impl Test for RewriteTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.rate("durable_rate")]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn stretch(&self) -> Stretch {
        Stretch::Times
    }

    /// Between two operations nothing is under way.
    fn can_be_held(&self, job: &Job) -> bool {
        self.threads(job) <= 1
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        Column::new(self.file, job).fill()
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        vec![job.dir.join(self.file.path)]
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let (column, cycles) = (Column::new(self.file, job), self.cycles(job));
        let (bytes, share) = (cycles * column.data_bytes(), column.incompressible_share);
        let mut durable = Durable::file(&column.path, bytes, share);
        if job.work.is_some() {
            durable.spawned.clear();
        }
        let payload = column.payload();
        Ok(Box::new(RewriteRun { column, payload, cycles, durable }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let (column, ops) = (Column::new(self.file, job), self.cycles(job));
        // Of what is saved all but the last may never reach the disk.
        let write_bytes = ops * column.file_bytes();
        Estimate { write_bytes, disk_bytes: 2 * column.file_bytes(), ops, ..Estimate::default() }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        column::space(&[self.file], job)
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let elements = self.cycles(job) * Column::new(self.file, job).rows;
        vec![measure::write(self.row.id, pool, elements, Basis::APPEND)]
    }

    fn explain(&self, _id: &str) -> String {
        page_of(self)
    }
}

struct RewriteRun {
    column: Column,
    payload: Payload,
    cycles: u64,
    durable: Durable,
}

impl Run for RewriteRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Write, &mut |progress| {
            (0..self.cycles).try_for_each(|_| self.column.set(&self.payload, progress))
        })?;
        self.durable.phases(meter)
    }

    fn verify(&mut self) -> Result<(), TestError> {
        self.column.check(0)
    }

    /// All but the last may never reach the disk.
    fn synced(&self) -> Option<Synced> {
        Some(Synced::data(self.column.data_bytes(), self.column.incompressible_share))
    }

    fn command_chars(&self) -> u32 {
        self.durable.command_chars()
    }
}

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &RewriteTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    page.about(&format!(
        "A short vector is saved (`set`) over the file `{}` again and again, as a process does that keeps its state, and synced once at the end. It holds {}. The original suite had it until version 6.4.",
        test.file.path,
        explain::column_calls(&test.file)
    ));
    page.steps(
        "Write, for every cycle",
        &[
            "open a temporary file next to the target (`O_WRONLY|O_CREAT|O_TRUNC`)",
            "write(2) the header, then the data; close",
            "rename over the target, which is there; no sync",
        ],
    );
    explain::sync_steps(&mut page, "the file");
    explain::vector(&mut page, test.file);
    page.size("cycles", |job| test.cycles(job));
    page.size("bytes written", |job| test.estimate(job).write_bytes);
    page.longer(test.stretch());
    page.figures(Figures::Append);
    page.reading("A file system may forget all but the last of the files that were renamed over, or must write each one out: ext4 does so when a file is renamed over another (`auto_da_alloc`), and then each cycle waits for the disk; XFS and Btrfs write the last one in the sync.");
    page.caveats(&[
        "The sync is part of the original suite's timed part, so `durable_rate` and `nano_rate` differ only by the spawned shell and by how workers are added up.",
        "The rate counts the bytes of every cycle, also of those that never reached the disk.",
        explain::SPAWNED,
    ]);
    page.guesses(
        "That `set` goes through a temporary file is inferred from the calls that its vendor lists.",
        &["set_mode", "write_chunk", "dontcache"],
    );
    page.text()
}

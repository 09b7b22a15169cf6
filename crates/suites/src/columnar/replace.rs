//! Replacing elements in place: the original suite's amend, stores through a shared mapping that is made
//! anew in every cycle.

use super::{
    column::{self, Column, ColumnFile},
    explain,
    measure::{self, Basis},
    page::{Figures, Page},
    row::Row,
    sizes::Sizes,
    sync::Durable,
};
use crate::{Estimate, Measured, Meter, Run, Stretch, Test, TestError};
use engine::{
    data::derive_seed,
    map::{PAGE_BYTES, WriteMap},
    progress::Progress,
};
use model::{
    figure::Synced,
    random::Rng,
    workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo},
};
use std::{
    collections::HashSet,
    fs::OpenOptions,
    path::PathBuf,
    time::{Duration, Instant},
};

/// After this time no further cycle is begun. A local file system needs a second for all of them; one
/// that writes back at each close, as NFS does, may need hours, and its rate is known long before.
pub(super) const LONGEST: Duration = Duration::from_secs(30);
/// The same where tests are sized one by one, for timed parts much shorter than this: on the slowest candidate
/// too the rate is known after it.
const LONGEST_SIZED: Duration = Duration::from_secs(1);

/// Stores of one value at distinct random places of a column.
pub(super) struct ReplaceTest {
    pub(super) row: Row,
    /// The sync after it, where the original suite has one.
    pub(super) sync: Option<Row>,
    pub(super) file: ColumnFile,
    pub(super) value: u64,
    /// Places in ascending order.
    pub(super) sorted: bool,
}

impl ReplaceTest {
    /// The places of a job; the sorted test has those of the random one.
    fn places(&self, job: &Job) -> Vec<u64> {
        let sizes = Sizes::new(job);
        let seed = derive_seed(job.seed, "replace") ^ u64::from(job.worker);
        let mut places = distinct(
            &mut Rng::new(seed),
            sizes.replaced(self.file.length),
            sizes.rows(self.file.length),
        );
        if self.sorted {
            places.sort_unstable();
        }
        places
    }
}

/// `count` distinct numbers below `bound` in random order; all of them when there are no more.
pub(super) fn distinct(rng: &mut Rng, count: u64, bound: u64) -> Vec<u64> {
    if count.saturating_mul(4) >= bound {
        let mut all: Vec<u64> = (0..bound).collect();
        rng.shuffle(&mut all);
        all.truncate(count as usize);
        return all;
    }
    let mut seen = HashSet::with_capacity(count as usize);
    let mut drawn = Vec::with_capacity(count as usize);
    while (drawn.len() as u64) < count {
        let number = rng.below(bound);
        if seen.insert(number) {
            drawn.push(number);
        }
    }
    drawn
}

impl Test for ReplaceTest {
    fn infos(&self) -> Vec<TestInfo> {
        let mut infos = vec![self.row.rate("durable_rate")];
        infos.extend(self.sync.map(|row| row.sync()));
        infos
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn stretch(&self) -> Stretch {
        Stretch::Times
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        Column::new(self.file, job).fill()
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        vec![job.dir.join(self.file.path)]
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let column = Column::new(self.file, job);
        let header = column.format.header_bytes();
        let bytes_at: Vec<u64> = self.places(job).into_iter().map(|i| header + 8 * i).collect();
        let pages: HashSet<u64> = bytes_at.iter().map(|at| at / PAGE_BYTES).collect();
        let bytes = pages.len() as u64 * PAGE_BYTES;
        let replaced = 8.0 * bytes_at.len() as f64 / bytes.max(1) as f64;
        let share = column.incompressible_share * (1.0 - replaced);
        let mut durable = Durable::file(&column.path, bytes, share);
        if self.sync.is_none() || job.work.is_some() {
            durable.spawned.clear();
        }
        let cycles = Sizes::new(job).replaces(self.file.length);
        let value = self.value;
        let longest = if job.work.is_some() { LONGEST_SIZED } else { LONGEST };
        Ok(Box::new(ReplaceRun { column, bytes_at, value, cycles, longest, durable }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let places = Sizes::new(job).replaced(self.file.length);
        let column = Column::new(self.file, job);
        let pages = places.min(column.file_bytes().div_ceil(PAGE_BYTES));
        // What takes time is the fault of each page in each cycle.
        let ops = pages * Sizes::new(job).replaces(self.file.length);
        Estimate { write_bytes: pages * PAGE_BYTES, ops, ..Estimate::default() }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        column::space(&[self.file], job)
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        // Of the mean worker, as time may have ended them at different cycles.
        let cycles = measure::ops(pool, PhaseKind::Write) / pool.workers.len().max(1) as u64;
        let elements = cycles * Sizes::new(job).replaced(self.file.length);
        let mut all = vec![measure::write(self.row.id, pool, elements, Basis::WRITE)];
        // The original suite multiplies by the length of the whole vector, however little was replaced.
        let rows = Sizes::new(job).rows(self.file.length);
        all.extend(self.sync.map(|row| measure::sync(row.id, pool, rows, Basis::SYNC)));
        all
    }

    fn explain(&self, id: &str) -> String {
        page_of(self, id)
    }
}

struct ReplaceRun {
    column: Column,
    bytes_at: Vec<u64>,
    value: u64,
    cycles: u64,
    longest: Duration,
    durable: Durable,
}

impl ReplaceRun {
    /// One cycle: open, fstat, map shared, close, store, unmap.
    fn amend(&self) -> Result<(), TestError> {
        let path = &self.column.path;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(TestError::io("open", path))?;
        let stat = rustix::fs::fstat(&file).map_err(|e| TestError::io("stat", path)(e.into()))?;
        let mut map =
            WriteMap::new(&file, stat.st_size as u64).map_err(TestError::io("map", path))?;
        drop(file);
        self.bytes_at
            .iter()
            .try_for_each(|&at| map.store_u64(at, self.value))
            .map_err(TestError::io("store to", path))
    }

    fn amend_all(&self, progress: Progress<'_>) -> Result<(), TestError> {
        let began = Instant::now();
        let (mut told, batch) = (0, measure::batch_ops(self.cycles));
        for done in 1..=self.cycles {
            self.amend()?;
            let last = done == self.cycles || began.elapsed() >= self.longest;
            if last || done - told == batch {
                progress.add(8 * (done - told) * self.bytes_at.len() as u64, done - told);
                told = done;
            }
            if last {
                break;
            }
        }
        Ok(())
    }
}

impl Run for ReplaceRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Write, &mut |progress| self.amend_all(progress))?;
        self.durable.phases(meter)
    }

    fn verify(&mut self) -> Result<(), TestError> {
        self.column.check(0)?;
        let file = self.column.open_checked(0)?;
        let header = self.column.format.header_bytes();
        let step = (self.bytes_at.len() / 64).max(1);
        let last = self.bytes_at.last();
        self.bytes_at
            .iter()
            .step_by(step)
            .chain(last)
            .try_for_each(|at| self.column.expect(&file, (at - header) / 8, self.value, &[]))
    }

    fn synced(&self) -> Option<Synced> {
        self.durable.synced()
    }

    fn command_chars(&self) -> u32 {
        self.durable.command_chars()
    }
}

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &ReplaceTest, id: &str) -> String {
    let sync = test.sync.filter(|row| row.id == id);
    let mut page = Page::new(sync.unwrap_or(test.row), test.cache());
    let order = if test.sorted { "ascending" } else { "random" };
    page.about(&format!(
        "Elements at distinct random places of `{}` are replaced in {order} order, as an amend on disk (`@[file;indices;:;value]`) does: by stores through a shared mapping, not by write(2) and not by rewriting the file.",
        test.file.path
    ));
    page.steps("Write, for every cycle", &[
        "open `O_RDWR`, fstat, mmap the whole file `MAP_SHARED` for reading and writing, close",
        "store 8 bytes at each place; the first store to a page faults it in and makes it dirty",
        "munmap; no msync",
    ]);
    explain::sync_steps(&mut page, "the file");
    explain::vector(&mut page, test.file);
    page.size("elements in one cycle", |job| Sizes::new(job).replaced(test.file.length));
    page.size("cycles", |job| Sizes::new(job).replaces(test.file.length));
    page.longer(test.stretch());
    page.figures(if sync.is_some() { Figures::Sync } else { Figures::Write });
    page.reading(if sync.is_some() {
        "Dirty pages lie scattered over the file. Whole pages must reach the disk; a copy-on-write file system pays here for new places of every one."
    } else {
        "The cost is one page fault and one `page_mkwrite` for every touched page, so the rate per element falls with the length of the vector. Repeated cycles fault again, for each maps anew. A journal or a checksum shows in the sync."
    });
    page.caveats(&[
        "The cache state is whatever the tests before left; in the suite's order the file is clean and resident.",
        "The same places are used in every cycle, and by the sorted test after the random one.",
        "No cycle is begun after 30 seconds, or 1 where tests are sized one by one: where every close writes back, as over NFS, fewer are done, and the rate is theirs.",
        if sync.is_some() { explain::INFLATED } else { "`durable_rate` counts 8 bytes an element, not the pages that are written for it; read it as a cost, not as a bandwidth." },
    ]);
    page.guesses(
        "That stores go through a shared mapping is inferred from published rates: no other way fits the rows for all lengths.",
        &[],
    );
    page.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use engine::progress::Counters;

    #[test]
    fn no_cycle_is_begun_after_its_time() {
        let dir = tempfile::tempdir().unwrap();
        let job = testing::job("columnar.replace.int.tiny", dir.path());
        Column::new(column::TINY, &job).fill().unwrap();
        let cycles = |longest| {
            let column = Column::new(column::TINY, &job);
            let durable = Durable::file(&column.path, PAGE_BYTES, 1.0);
            let bytes_at = vec![16, 24];
            let run = ReplaceRun { column, bytes_at, value: 7, cycles: 1000, longest, durable };
            let counters = Counters::default();
            let progress = Progress::new(&counters);
            run.amend_all(progress).unwrap();
            (progress.bytes(), progress.ops())
        };
        assert_eq!(cycles(Duration::ZERO), (16, 1));
        assert_eq!(cycles(Duration::MAX), (16_000, 1000));
    }
}

//! Appends to columns: by opening the file for every chunk, or through a handle that stays open; the single sync at the
//! end is part of the original suite's timed part. Appends beyond a time limit are skipped, and done by the tests that
//! need them.

use super::{
    column::{self, Column, ColumnFile, Payload, Value, create_parent, remove},
    explain,
    measure::{self, Basis},
    page::{Figures, Page},
    put::fsync,
    put::set,
    replace::LONGEST,
    row::Row,
    settings::Settings,
    sizes::{Length, RANDOM_FILES, Sizes},
    sync::Durable,
};
use crate::{Estimate, Measured, Meter, Run, Stretch, Test, TestError};
use engine::progress::Progress;
use model::{
    figure::Synced,
    workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo, Work},
};
use std::{
    fs::{File, OpenOptions},
    io::{Seek, SeekFrom},
    os::unix::fs::FileExt,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Bytes per second; every disk writes files faster. No further append is begun after the time that the
/// bytes need at this rate, or [`LONGEST`] if that is more.
const SLOWEST: u64 = 10_000_000;

/// The object that is appended to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onto {
    /// A file that the first append creates and that is removed afterwards.
    Nothing { chunks: u64 },
    /// A handle on an empty vector, removed afterwards.
    Handle { chunks: u64 },
    /// The four files of the random reads, one after the other; they stay.
    RandomFiles,
    /// A column of the table, which stays.
    Column,
}

/// Appends of one vector, again and again.
pub(super) struct AppendTest {
    pub(super) row: Row,
    /// The files, with the length that they have at the end.
    pub(super) files: &'static [ColumnFile],
    /// Length of one append.
    pub(super) chunk: Length,
    pub(super) onto: Onto,
}

/// The columns of a job, and how far they grow.
struct Plan {
    columns: Vec<Column>,
    /// Rows there before the first append.
    from_row: u64,
    chunk_rows: u64,
}

impl AppendTest {
    fn plan(&self, job: &Job) -> Plan {
        let chunk_rows = Sizes::new(job).rows(self.chunk);
        let files = self.files.iter();
        let mut columns: Vec<_> = match self.onto {
            Onto::Column => files.flat_map(|file| Column::copies(*file, job)).collect(),
            _ => files.map(|file| Column::new(*file, job)).collect(),
        };
        if let Onto::Nothing { chunks } | Onto::Handle { chunks } = self.onto {
            let rows = Sizes::new(job).repeated(chunks) * chunk_rows;
            columns.iter_mut().for_each(|column| column.rows = rows);
        }
        let from_row = if self.onto == Onto::Column { chunk_rows } else { 0 };
        Plan { columns, from_row, chunk_rows }
    }

    fn stays(&self) -> bool {
        matches!(self.onto, Onto::RandomFiles | Onto::Column)
    }
}

impl Plan {
    fn rows(&self) -> u64 {
        self.columns.iter().map(|column| column.rows - self.from_row).sum()
    }

    fn bytes(&self) -> u64 {
        self.columns.iter().map(|c| (c.rows - self.from_row) * c.format.row_bytes()).sum()
    }

    /// The time in which appends to one column may begin.
    fn longest(&self) -> Duration {
        let needed = Duration::from_secs(self.bytes() / SLOWEST);
        needed.max(LONGEST) / self.columns.len().max(1) as u32
    }
}

impl Test for AppendTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.rate("durable_rate")]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn stretch(&self) -> Stretch {
        match self.onto {
            Onto::Nothing { .. } | Onto::Handle { .. } => Stretch::Times,
            Onto::Column => Stretch::Copies(self.files.first().map_or("", |file| file.path)),
            Onto::RandomFiles => Stretch::Given,
        }
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let plan = self.plan(job);
        let mut columns = plan.columns;
        if self.onto == Onto::Column {
            columns.iter_mut().for_each(|column| column.rows = plan.from_row);
            return column::fill(&columns);
        }
        columns.iter().try_for_each(|column| remove(&column.path))
    }

    /// Between two operations nothing is under way.
    fn can_be_held(&self, job: &Job) -> bool {
        self.threads(job) <= 1
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        match self.onto {
            Onto::Column => self.files.iter().flat_map(|file| column::paths(*file, job)).collect(),
            _ => Vec::new(),
        }
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let plan = self.plan(job);
        let settings = Settings::new(job);
        for column in &plan.columns {
            create_parent(&column.path)?;
            if matches!(self.onto, Onto::Handle { .. }) {
                let header = column.format.header(0, 0);
                set(&column.path, settings.set_mode, &header, &mut |_| Ok(()))?;
                fsync(&column.path)?;
            }
        }
        Ok(Box::new(AppendRun::new(self, plan, job)))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        // Of one copy, as there may be many.
        let plan = self
            .plan(&Job { work: job.work.map(|work| Work { copies: 1, ..work }), ..job.clone() });
        let copies = if self.onto == Onto::Column { Sizes::new(job).copies() } else { 1 };
        let bytes = plan.bytes() * u64::from(copies);
        let headers = if self.onto == Onto::RandomFiles { 16 * RANDOM_FILES } else { 0 };
        let (disk_bytes, scratch_bytes) =
            if self.stays() { (bytes + headers, 0) } else { (0, bytes) };
        let ops = plan.rows() / plan.chunk_rows * u64::from(copies);
        Estimate { write_bytes: bytes, ops, disk_bytes, scratch_bytes, ..Estimate::default() }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        if !self.stays() {
            return Vec::new();
        }
        column::space(self.files, job)
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        // Of the mean worker, as time may have ended them at different appends.
        let plan = self.plan(job);
        let row_bytes = plan.columns.first().map_or(1, |column| column.format.row_bytes());
        let bytes = measure::bytes(pool, PhaseKind::Write) / pool.workers.len().max(1) as u64;
        vec![measure::write(self.row.id, pool, bytes / row_bytes, Basis::APPEND)]
    }

    fn explain(&self, _id: &str) -> String {
        page_of(self)
    }
}

struct AppendRun<'a> {
    test: &'a AppendTest,
    plan: Plan,
    payloads: Vec<Payload>,
    settings: Settings,
    longest: Duration,
    durable: Durable,
}

impl<'a> AppendRun<'a> {
    fn new(test: &'a AppendTest, plan: Plan, job: &Job) -> AppendRun<'a> {
        let durable = Durable { bytes: plan.bytes(), ..Durable::of(&plan.columns, job) };
        let settings = Settings::new(job);
        let payloads = column::payloads(&plan.columns);
        AppendRun { test, longest: plan.longest(), plan, payloads, settings, durable }
    }
}

impl AppendRun<'_> {
    /// Returns how many rows each column has then.
    fn append_all(&self, progress: Progress<'_>) -> Result<Vec<u64>, TestError> {
        let columns = self.plan.columns.iter().zip(&self.payloads);
        columns.map(|(column, payload)| self.grow(column, payload, progress)).collect()
    }

    fn grow(
        &self,
        column: &Column,
        payload: &Payload,
        progress: Progress<'_>,
    ) -> Result<u64, TestError> {
        let began = Instant::now();
        let mut row = self.plan.from_row;
        while row < column.rows {
            let end = row + self.plan.chunk_rows;
            if row == 0 {
                self.create(column, payload, end, progress)?;
            } else {
                self.append(column, payload, row..end, progress)?;
            }
            row = end;
            if began.elapsed() >= self.longest {
                break;
            }
        }
        Ok(row)
    }

    /// Takes the columns for what was reached.
    fn settle_for(&mut self, rows: &[u64]) {
        for (column, rows) in self.plan.columns.iter_mut().zip(rows) {
            column.rows = *rows;
        }
        self.durable.bytes = self.plan.bytes();
    }

    /// The first append to a missing file is a `set`.
    fn create(
        &self,
        column: &Column,
        payload: &Payload,
        end: u64,
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        let header = column.format.header(0, end);
        set(&column.path, self.settings.set_mode, &header, &mut |file| {
            column.write_rows(column.out(file), payload, 0..end, progress)
        })
    }

    /// One append: open, fstat, read the header, seek to the end, write, update the count, close.
    fn append(
        &self,
        column: &Column,
        payload: &Payload,
        rows: std::ops::Range<u64>,
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        let path = &column.path;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(TestError::io("open", path))?;
        rustix::fs::fstat(&file).map_err(|e| TestError::io("stat", path)(e.into()))?;
        let mut header = [0; 16];
        file.read_at(&mut header, 0).map_err(TestError::io("read", path))?;
        file.seek(SeekFrom::End(0)).map_err(TestError::io("seek", path))?;
        let end = rows.end;
        column.write_rows(column.out(&file), payload, rows, progress)?;
        match column.format.count_at() {
            Some(at) if self.settings.append_count => {
                file.write_all_at(&end.to_le_bytes(), at).map_err(TestError::io("write", path))
            }
            _ => Ok(()),
        }
    }

    /// Writes through one handle: raw rows, no header, no count.
    fn write_handle(&self, handle: &File, progress: Progress<'_>) -> Result<(), TestError> {
        let (column, payload) = (&self.plan.columns[0], &self.payloads[0]);
        let chunk = self.plan.chunk_rows;
        (0..column.rows / chunk).try_for_each(|i| {
            column.write_rows(column.out(handle), payload, i * chunk..(i + 1) * chunk, progress)
        })
    }

    fn open_handle(&self) -> Result<File, TestError> {
        let path = &self.plan.columns[0].path;
        let mut handle = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(TestError::io("open", path))?;
        handle.seek(SeekFrom::End(0)).map_err(TestError::io("seek", path))?;
        Ok(handle)
    }
}

impl Run for AppendRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        if matches!(self.test.onto, Onto::Handle { .. }) {
            let handle = self.open_handle()?;
            meter.phase(PhaseKind::Write, &mut |progress| self.write_handle(&handle, progress))?;
        } else {
            let mut reached = Vec::new();
            meter.phase(PhaseKind::Write, &mut |progress| {
                reached = self.append_all(progress)?;
                Ok(())
            })?;
            self.settle_for(&reached);
        }
        self.durable.phases(meter)
    }

    fn verify(&mut self) -> Result<(), TestError> {
        for column in &self.plan.columns {
            column.check(0)?;
            if !self.test.stays() {
                remove(&column.path)?;
            }
        }
        Ok(())
    }

    fn synced(&self) -> Option<Synced> {
        self.durable.synced()
    }

    fn command_chars(&self) -> u32 {
        self.durable.command_chars()
    }
}

/// A file that only an append test has.
pub(super) const fn own_file(path: &'static str, chunk: Length) -> ColumnFile {
    ColumnFile { path, value: Value::Int, length: chunk, run: Some(chunk) }
}

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &AppendTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    let handle = matches!(test.onto, Onto::Handle { .. });
    let names = test.files.iter().map(|f| format!("`{}`", f.path)).collect::<Vec<_>>().join(", ");
    page.about(&format!(
        "The same vector length is appended to {names} again and again, as a feed that persists every batch does, and synced once at the end. Rows hold {}.",
        explain::column_calls(&test.files[0])
    ));
    if handle {
        page.steps(
            "Write, through a handle that was opened before",
            &["write(2) the raw elements of one vector; no header, no count, no seek"],
        );
    } else {
        page.steps(
            "Write, for every vector",
            &[
                "open `O_RDWR|O_CREAT`, fstat, pread the header (types must agree)",
                "lseek to the end, write(2) the elements",
                "pwrite the new count into the header (fixed-width columns), close; no sync",
                "where the file is missing, the first append is a `set`: temporary file and rename",
            ],
        );
    }
    explain::sync_steps(&mut page, "every file in turn");
    page.size("elements in one append", |job| Sizes::new(job).rows(test.chunk));
    page.size("appends", |job| test.estimate(job).ops);
    page.size("bytes appended", |job| test.estimate(job).write_bytes);
    page.longer(test.stretch());
    page.figures(Figures::Append);
    page.reading(match test.onto {
        Onto::Nothing { .. } => "Every append pays for open, seek and close as well as for a short write: this is the latency of the file system's entry points.",
        Onto::Handle { .. } => "Short writes to the end of one open file: delayed allocation and page-cache cost, and one sync that finds everything dirty. Compare with the test that opens for every append.",
        Onto::RandomFiles => "Gigabytes in short appends: the page cache fills, writeback runs during the writes, and extents show whether the allocator looked ahead. The files are read by the random tests afterwards.",
        Onto::Column => "A column grows by large pieces. What counts is how well the file system extends a file that is already on disk, and how fast it brings it there.",
    });
    let mut caveats = vec![
        "The sync is part of the original suite's timed part, so `durable_rate` and `nano_rate` differ only by the spawned shell, by 8 bytes a row, and by how workers are added up.",
        explain::SPAWNED,
        "Appended data continues the column's sequence instead of repeating one vector, so that nothing can be deduplicated.",
    ];
    if !handle {
        caveats.push("No append is begun after 30 seconds, or the time for all bytes at 10 MB/s if that is longer, of which each file has its share: where every close writes back, as over NFS, fewer are done, and the rate is theirs. Tests that need the files complete them before, untimed.");
    }
    page.caveats(&caveats);
    page.guesses(
        "Whether the count in the header is updated by an append is not documented; text columns leave theirs stale, as public files show.",
        &["append_count", "write_chunk", "sym", "dontcache"],
    );
    page.text()
}

#[cfg(test)]
mod tests {
    use super::super::column::RANDOM;
    use super::*;
    use crate::testing;
    use engine::progress::Counters;
    use model::workload::Group;

    const TEST: AppendTest = AppendTest {
        row: Row {
            id: "columnar.append.int.small",
            name: "open append small, sync once",
            testtype: "write disk",
            group: Group::WriteOther,
            only_writes: true,
        },
        files: &RANDOM,
        chunk: Length::Small,
        onto: Onto::RandomFiles,
    };

    /// Appends for `longest`; bytes and rows that were reached.
    fn reached(job: &Job, longest: Duration) -> (u64, Vec<u64>) {
        TEST.fill(job).unwrap();
        let mut run = AppendRun::new(&TEST, TEST.plan(job), job);
        run.longest = longest;
        let counters = Counters::default();
        let progress = Progress::new(&counters);
        let rows = run.append_all(progress).unwrap();
        run.settle_for(&rows);
        assert_eq!(run.durable.bytes, progress.bytes());
        // What was reached is right.
        run.verify().unwrap();
        (progress.bytes(), rows)
    }

    #[test]
    fn no_append_is_begun_after_its_time_and_readers_complete_the_files() {
        let dir = tempfile::tempdir().unwrap();
        let job = testing::job("columnar.append.int.small", dir.path());
        let plan = TEST.plan(&job);
        let all: Vec<u64> = plan.columns.iter().map(|column| column.rows).collect();
        assert!(all[0] > plan.chunk_rows);
        assert_eq!(
            reached(&job, Duration::ZERO),
            (4 * 8 * plan.chunk_rows, vec![plan.chunk_rows; 4])
        );
        assert!(plan.columns[0].check(0).is_err());
        plan.columns[0].fill().unwrap();
        plan.columns[0].check(0).unwrap();
        assert_eq!(reached(&job, Duration::MAX), (plan.bytes(), all));
    }

    #[test]
    fn large_files_have_the_time_that_they_need() {
        let dir = tempfile::tempdir().unwrap();
        let mut plan = TEST.plan(&testing::job("columnar.append.int.small", dir.path()));
        assert_eq!(plan.longest(), LONGEST / 4);
        plan.columns.iter_mut().for_each(|column| column.rows = 1 << 30);
        assert_eq!(plan.longest(), Duration::from_secs(4 * 8 * (1 << 30) / SLOWEST) / 4);
    }
}

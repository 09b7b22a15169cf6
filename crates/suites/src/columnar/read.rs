//! Reading whole columns: mapped and made resident, read as bytes, or aggregated.

use super::{
    column::{self, Column, ColumnFile},
    explain,
    get::{get_resident, joined, stride_bytes},
    measure,
    page::{Figures, Page},
    row::Row,
    settings::Settings,
    sizes::Sizes,
};
use crate::{Estimate, Measured, Meter, Run, Shift, Stretch, Test, TestError};
use engine::{
    io::Stream,
    map::{PAGE_BYTES, ReadMap},
    progress::Progress,
};
use model::workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo};
use std::{fs::File, io::Read, path::PathBuf, thread};

/// Bytes of one call of read(2).
const CHUNK_BYTES: usize = 16 << 20;

/// The operation on the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// `get` and touching every page.
    Mapped,
    /// `read1`: read(2) of the file into fresh memory.
    Bytes,
    /// `max` of a column that is mapped and resident before.
    Max,
}

/// Sequential passes over a file, or over several.
pub(super) struct ReadTest {
    pub(super) row: Row,
    pub(super) file: ColumnFile,
    pub(super) how: How,
    pub(super) cache: CacheNeed,
}

impl ReadTest {
    /// Columns that are read one after the other, some of them again where they are in memory.
    fn reads(&self, job: &Job) -> usize {
        let sizes = Sizes::new(job);
        match self.cache {
            CacheNeed::Hot => (sizes.passes() as usize).max(sizes.copies() as usize),
            CacheNeed::Cold | CacheNeed::Any => sizes.copies() as usize,
        }
    }

    /// The knobs of `job`: pages that are cached already stay, so hot reads leave them.
    fn settings(&self, job: &Job) -> Settings {
        let settings = Settings::new(job);
        Settings { dontcache: settings.dontcache && self.cache == CacheNeed::Cold, ..settings }
    }
}

impl Test for ReadTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.rate("rate")]
    }

    fn cache(&self) -> CacheNeed {
        self.cache
    }

    /// Data in memory may be read again; other data is read once.
    fn stretch(&self) -> Stretch {
        match self.cache {
            CacheNeed::Hot => Stretch::Passes(self.file.path),
            CacheNeed::Cold | CacheNeed::Any => Stretch::Copies(self.file.path),
        }
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        column::fill(&Column::copies(self.file, job))
    }

    /// With cold data, several workers together have too much read-ahead in flight when they pause.
    fn can_be_held(&self, job: &Job) -> bool {
        self.threads(job) <= 1 && (self.cache != CacheNeed::Cold || job.workers == 1)
    }

    fn shift(&self) -> Shift {
        Shift::Reads
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        column::paths(self.file, job)
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Ok(Box::new(ReadRun {
            how: self.how,
            reads: self.reads(job),
            columns: Column::copies(self.file, job),
            settings: self.settings(job),
            threads: job.threads.max(1),
            seen: Vec::new(),
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let bytes = Column::new(self.file, job).file_bytes();
        let copies = u64::from(Sizes::new(job).copies());
        // Only the file of bytes is not left by a test that writes.
        let made = self.how == How::Bytes && self.cache == CacheNeed::Cold;
        Estimate {
            read_bytes: bytes * self.reads(job) as u64,
            disk_bytes: if made { copies * bytes } else { 0 },
            ops: self.reads(job) as u64 - 1,
            ..Estimate::default()
        }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        column::space(&[self.file], job)
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let elements = Column::new(self.file, job).rows * self.reads(job) as u64;
        vec![measure::read(self.row.id, pool, elements)]
    }

    fn explain(&self, _id: &str) -> String {
        page_of(self)
    }
}

/// The data of a column read in the timed part, for verification.
enum Seen {
    Map(ReadMap),
    Bytes(Vec<u8>),
    Max(i64),
}

struct ReadRun {
    how: How,
    columns: Vec<Column>,
    /// The number of columns to read; columns are read again if there are fewer.
    reads: usize,
    settings: Settings,
    threads: u32,
    /// The data of the last read of each column.
    seen: Vec<Seen>,
}

impl ReadRun {
    fn resident(
        &self,
        column: &Column,
        progress: Option<Progress<'_>>,
    ) -> Result<ReadMap, TestError> {
        get_resident(&column.path, &self.settings, self.threads, |bytes| {
            if let Some(progress) = progress {
                progress.add(bytes, 1);
            }
        })
    }

    /// Reads all columns, one after the other; what an earlier pass over a column brought is let go.
    fn read_all(
        &mut self,
        read: &dyn Fn(&ReadRun, usize) -> Result<Seen, TestError>,
    ) -> Result<(), TestError> {
        for number in 0..self.reads {
            let at = number % self.columns.len();
            let seen = read(self, at)?;
            match self.seen.get_mut(at) {
                Some(before) => *before = seen,
                None => self.seen.push(seen),
            }
        }
        Ok(())
    }

    /// open, fstat, read into memory that was never touched, close.
    fn read_bytes(&self, column: &Column, progress: Progress<'_>) -> Result<Vec<u8>, TestError> {
        let path = &column.path;
        let file = File::open(path).map_err(TestError::io("open", path))?;
        let stat = rustix::fs::fstat(&file).map_err(|e| TestError::io("stat", path)(e.into()))?;
        // Zeroed memory of this size comes from the kernel untouched, so its faults fall in the reads.
        let mut bytes = vec![0; stat.st_size as usize];
        let mut stream = Stream::new(&file, self.settings.dontcache);
        for chunk in bytes.chunks_mut(CHUNK_BYTES) {
            stream.read_exact(chunk).map_err(TestError::io("read", path))?;
            progress.add(chunk.len() as u64, 1);
        }
        Ok(bytes)
    }

    fn max(&self, column: &Column, map: &ReadMap, progress: Progress<'_>) -> std::io::Result<i64> {
        let (header, rows) = (column.format.header_bytes(), column.rows);
        let stride = stride_bytes(self.threads) / 8;
        let mut largest = i64::MIN;
        let mut row = 0;
        while row < rows {
            let end = rows.min(row + stride);
            let share = (end - row).div_ceil(u64::from(self.threads));
            let part = |i: u64| ((row + i * share).min(end), (row + (i + 1) * share).min(end));
            let max_of = |(from, to): (u64, u64)| map.max(header + 8 * from, to - from);
            largest = largest.max(if self.threads == 1 {
                max_of((row, end))?
            } else {
                self.max_of_parts(&part, &max_of)?
            });
            progress.add(8 * (end - row), 1);
            row = end;
        }
        Ok(largest)
    }

    fn max_of_parts(
        &self,
        part: &dyn Fn(u64) -> (u64, u64),
        max_of: &(impl Fn((u64, u64)) -> std::io::Result<i64> + Sync),
    ) -> std::io::Result<i64> {
        thread::scope(|scope| {
            let parts: Vec<_> = (0..u64::from(self.threads))
                .map(part)
                .map(|range| scope.spawn(move || max_of(range)))
                .collect();
            parts.into_iter().try_fold(i64::MIN, |largest, p| Ok(largest.max(joined(p)?)))
        })
    }

    fn verify_column(&self, column: &Column, seen: &Seen) -> Result<(), TestError> {
        let header = column.format.header_bytes();
        let io = || TestError::io("read", &column.path);
        match seen {
            Seen::Map(map) => sampled(column).try_for_each(|row| {
                verify_word(column, row, map.word(header + 8 * row).map_err(io())?)
            }),
            Seen::Bytes(bytes) => sampled(column).try_for_each(|row| {
                let at = (header + 8 * row) as usize;
                let word = bytes.get(at..at + 8).and_then(|b| b.try_into().ok());
                verify_word(column, row, word.map_or(!column.word(row), u64::from_le_bytes))
            }),
            Seen::Max(max) => {
                let larger = sampled(column).find(|&row| column.word(row) as i64 > *max);
                match larger {
                    Some(row) => Err(column.wrong(format!("row {row} exceeds the maximum {max}"))),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Rows spread over a column.
fn sampled(column: &Column) -> impl Iterator<Item = u64> {
    let last = column.rows - 1;
    (0..64).map(move |i| last / 63 * i + last % 63 * i / 63)
}

fn verify_word(column: &Column, row: u64, word: u64) -> Result<(), TestError> {
    if column.allows(row, word) {
        return Ok(());
    }
    Err(column.wrong(format!("row {row} was read as {word:#x}")))
}

impl Run for ReadRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        match self.how {
            How::Mapped => meter.phase(PhaseKind::Read, &mut |progress| {
                self.read_all(&|run, at| {
                    run.resident(&run.columns[at], Some(progress)).map(Seen::Map)
                })
            }),
            How::Bytes => meter.phase(PhaseKind::Read, &mut |progress| {
                self.read_all(&|run, at| {
                    run.read_bytes(&run.columns[at], progress).map(Seen::Bytes)
                })
            }),
            How::Max => {
                let resident = |column| self.resident(column, None);
                let maps = self.columns.iter().map(resident).collect::<Result<Vec<_>, _>>()?;
                meter.phase(PhaseKind::Read, &mut |progress| {
                    self.read_all(&|run, at| {
                        let column = &run.columns[at];
                        let io = TestError::io("read", &column.path);
                        run.max(column, &maps[at], progress).map(Seen::Max).map_err(io)
                    })
                })
            }
        }
    }

    fn verify(&mut self) -> Result<(), TestError> {
        if self.seen.len() < self.columns.len() {
            return Err(self.columns[self.seen.len()].wrong("it was not read".into()));
        }
        let mut seen = self.columns.iter().zip(&self.seen);
        seen.try_for_each(|(column, seen)| self.verify_column(column, seen))
    }

    fn footprint_bytes(&self) -> u64 {
        let pages = |column: &Column| column.file_bytes().next_multiple_of(PAGE_BYTES);
        match self.how {
            How::Max => 0,
            How::Mapped | How::Bytes => self.columns.iter().map(pages).sum(),
        }
    }
}

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &ReadTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    match test.how {
        How::Mapped => {
            page.about(&format!("The column `{}` is mapped and every page of it is brought into memory in order: `get`, and the hint that makes a mapped vector resident.", test.file.path));
            page.steps(
                "Read",
                &[
                    "open `O_RDONLY`, fstat, mmap the whole file for reading, close",
                    "load the header through the map",
                    "madvise `MADV_WILLNEED`, then load one byte of every 4 KiB page in order",
                ],
            );
        }
        How::Bytes => {
            page.about(&format!("The file `{}` is read as bytes into memory that was never touched (`read1`), so the cost of fresh pages is part of it.", test.file.path));
            page.steps(
                "Read",
                &["open `O_RDONLY`, fstat", "read(2) all of it, at most 16 MiB a call", "close"],
            );
        }
        How::Max => {
            page.about(&format!("The largest element of `{}`, which is mapped and resident: a stream of loads from the page cache.", test.file.path));
            page.steps("Before the clock", &["map the file and load a byte of every page"]);
            page.steps("Read", &["load every 8-byte element and keep the largest"]);
        }
    }
    explain::vector(&mut page, test.file);
    page.longer(test.stretch());
    page.figures(Figures::Read);
    page.reading(match (test.how, test.cache) {
        (How::Max, _) => "No file system should differ here: the pages are mapped. Use it as a control. A difference between candidates says how noisy the machine is, or that pages are not what they seem (no large folios, a stacked file system).",
        (_, CacheNeed::Cold) => "Readahead rules it: page faults in order through a map. Small files show the time to the first byte, large ones bandwidth. Compare `device_read_bytes` with the size of the file: more is readahead that was wasted, less is compression or a warm cache.",
        _ => "The page cache alone: how fast resident pages are mapped, which depends on fault-around and on the size of folios that the file system gives to the cache.",
    });
    page.caveats(&[
        if test.cache == CacheNeed::Cold { explain::RESIDENT } else { "Hot is proven: the device must give less than 1 % of the bytes." },
        "Elements that the replace tests changed are accepted by the check of what was read; all others must be as written.",
        "With `--threads` above 1 the loads are divided between threads; the original suite's division is not known and 1 is the default.",
    ]);
    page.guesses(
        "Flags of the mapping and the way of making it resident are inferred from published rates.",
        if test.how == How::Bytes { &["dontcache"] } else { &["get_map", "touch"] },
    );
    page.text()
}

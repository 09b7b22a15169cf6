//! Reading whole columns: mapped and made resident, read as bytes, or aggregated.

use super::{
    column::{self, Column, ColumnFile},
    explain,
    get::{get_resident, joined},
    measure,
    row::Row,
    settings::Settings,
};
use crate::{Estimate, Measured, Meter, Run, Test, TestError};
use engine::{
    map::{PAGE_BYTES, ReadMap},
    progress::Progress,
};
use model::{CacheNeed, CrewReport, Job, PhaseKind, TestInfo};
use std::{fs::File, io::Read, path::PathBuf, thread};

/// Bytes read between two reports of progress.
const STRIDE_BYTES: usize = 16 << 20;

/// What is done with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// `get` and touching every page.
    Mapped,
    /// `read1`: read(2) of the file into fresh memory.
    Bytes,
    /// `max` of a column that is mapped and resident before.
    Max,
}

/// One sequential pass over one file.
pub(super) struct ReadTest {
    pub(super) row: Row,
    pub(super) file: ColumnFile,
    pub(super) how: How,
    pub(super) cache: CacheNeed,
}

impl Test for ReadTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.rate("rate")]
    }

    fn cache(&self) -> CacheNeed {
        self.cache
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        Column::new(self.file, job).fill()
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        vec![job.dir.join(self.file.path)]
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Ok(Box::new(ReadRun {
            how: self.how,
            column: Column::new(self.file, job),
            settings: Settings::new(job),
            threads: job.threads.max(1),
            seen: Seen::Nothing,
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let bytes = Column::new(self.file, job).file_bytes();
        // Only the file of bytes is not left by a test that writes.
        let disk_bytes =
            if self.how == How::Bytes && self.cache == CacheNeed::Cold { bytes } else { 0 };
        Estimate { read_bytes: bytes, disk_bytes, ..Estimate::default() }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        column::space(&[self.file], job)
    }

    fn measure(&self, job: &Job, crew: &CrewReport) -> Vec<Measured> {
        vec![measure::read(self.row.id, crew, Column::new(self.file, job).rows)]
    }

    fn explain(&self, _id: &str) -> String {
        explain::read(self)
    }
}

/// What the timed part brought, for verification.
enum Seen {
    Nothing,
    Map(ReadMap),
    Bytes(Vec<u8>),
    Max(i64),
}

struct ReadRun {
    how: How,
    column: Column,
    settings: Settings,
    threads: u32,
    seen: Seen,
}

impl ReadRun {
    fn resident(&self, progress: Option<Progress<'_>>) -> Result<ReadMap, TestError> {
        get_resident(&self.column.path, &self.settings, self.threads, |bytes| {
            if let Some(progress) = progress {
                progress.add(bytes, 1);
            }
        })
    }

    /// open, fstat, read into memory that was never touched, close.
    fn read_bytes(&self, progress: Progress<'_>) -> Result<Vec<u8>, TestError> {
        let path = &self.column.path;
        let mut file = File::open(path).map_err(TestError::io("open", path))?;
        let stat = rustix::fs::fstat(&file).map_err(|e| TestError::io("stat", path)(e.into()))?;
        // Zeroed memory of this size comes from the kernel untouched, so its faults fall in the reads.
        let mut bytes = vec![0; stat.st_size as usize];
        for chunk in bytes.chunks_mut(STRIDE_BYTES) {
            file.read_exact(chunk).map_err(TestError::io("read", path))?;
            progress.add(chunk.len() as u64, 1);
        }
        Ok(bytes)
    }

    fn max(&self, map: &ReadMap, progress: Progress<'_>) -> std::io::Result<i64> {
        let (header, rows) = (self.column.format.header_bytes(), self.column.rows);
        let stride = (STRIDE_BYTES / 8) as u64 * u64::from(self.threads);
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

    /// Rows spread over the column.
    fn sampled(&self) -> impl Iterator<Item = u64> {
        let last = self.column.rows - 1;
        (0..64).map(move |i| last / 63 * i + last % 63 * i / 63)
    }

    fn verify_word(&self, row: u64, word: u64) -> Result<(), TestError> {
        if self.column.allows(row, word) {
            return Ok(());
        }
        Err(self.column.wrong(format!("row {row} was read as {word:#x}")))
    }
}

impl Run for ReadRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let mut seen = Seen::Nothing;
        match self.how {
            How::Mapped => meter.phase(PhaseKind::Read, &mut |progress| {
                seen = Seen::Map(self.resident(Some(progress))?);
                Ok(())
            })?,
            How::Bytes => meter.phase(PhaseKind::Read, &mut |progress| {
                seen = Seen::Bytes(self.read_bytes(progress)?);
                Ok(())
            })?,
            How::Max => {
                let map = self.resident(None)?;
                meter.phase(PhaseKind::Read, &mut |progress| {
                    let io = TestError::io("read", &self.column.path);
                    seen = Seen::Max(self.max(&map, progress).map_err(io)?);
                    Ok(())
                })?;
            }
        }
        self.seen = seen;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), TestError> {
        let header = self.column.format.header_bytes();
        let io = || TestError::io("read", &self.column.path);
        match &self.seen {
            Seen::Nothing => Err(self.column.wrong("it was not read".into())),
            Seen::Map(map) => self.sampled().try_for_each(|row| {
                self.verify_word(row, map.word(header + 8 * row).map_err(io())?)
            }),
            Seen::Bytes(bytes) => self.sampled().try_for_each(|row| {
                let at = (header + 8 * row) as usize;
                let word = bytes.get(at..at + 8).and_then(|b| b.try_into().ok());
                self.verify_word(row, word.map_or(!self.column.word(row), u64::from_le_bytes))
            }),
            Seen::Max(max) => {
                let larger = self.sampled().find(|&row| self.column.word(row) as i64 > *max);
                match larger {
                    Some(row) => {
                        Err(self.column.wrong(format!("row {row} exceeds the maximum {max}")))
                    }
                    None => Ok(()),
                }
            }
        }
    }

    fn footprint_bytes(&self) -> u64 {
        match self.how {
            How::Max => 0,
            How::Mapped | How::Bytes => self.column.file_bytes().next_multiple_of(PAGE_BYTES),
        }
    }
}

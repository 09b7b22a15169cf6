//! Columns written and read by one worker.

use super::{
    codec::{Algorithm, Codec},
    cost::Cost,
    settings::{Action, Settings},
    table::{Entry, MAGIC, Table},
    trades::{BATCH_BYTES, Image, TABLE},
};
use crate::{Meter, Run, TestError, folders};
use engine::{map::PAGE_BYTES, progress::Progress};
use model::{
    figure::{Better, Metric, Synced},
    workload::{Job, PhaseKind},
};
use std::{
    fs::{self, File},
    io::Write,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// Metric of a worker: bytes of its files.
pub(super) const FILE_BYTES: &str = "column_file_bytes";

/// A column and its file.
struct Stored {
    path: PathBuf,
    image: Image,
}

/// The columns of a worker, and what compresses them.
pub(super) struct ColumnRun<'a> {
    settings: &'a Settings,
    job: &'a Job,
    columns: Vec<Stored>,
    codec: Codec,
    cost: Cost,
    /// The sum of the words of each batch that was read, in the order of reading.
    sums: Vec<u64>,
    /// Bytes of each file.
    file_bytes: Vec<u64>,
}

/// The folder of a test, which it shares with no other.
pub(super) fn folder(job: &Job) -> PathBuf {
    job.dir.join(&job.test)
}

/// The files of a test.
pub(super) fn paths(job: &Job) -> Vec<PathBuf> {
    TABLE.iter().map(|column| folder(job).join(column.name())).collect()
}

/// Adds the words of `bytes` up, as an aggregation does.
fn sum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8).filter_map(|word| word.try_into().ok());
    words.map(u64::from_le_bytes).fold(0, u64::wrapping_add)
}

/// The error that a part of a column is not as it was written.
fn differs(path: &Path, number: usize) -> TestError {
    let why = format!("MiB {number} of its values is not what was written");
    TestError::Wrong { path: path.into(), why }
}

impl<'a> ColumnRun<'a> {
    pub(super) fn new(settings: &'a Settings, job: &'a Job) -> ColumnRun<'a> {
        let rows = settings.rows(job);
        let columns = TABLE.iter().zip(paths(job)).map(|(column, path)| Stored {
            path,
            image: Image::new(*column, rows, settings.is_compressed(), job),
        });
        let codec = Codec::new(settings.compress, settings.level, settings.block.0 as usize);
        ColumnRun {
            settings,
            job,
            columns: columns.collect(),
            codec,
            cost: Cost::default(),
            sums: Vec::new(),
            file_bytes: Vec::new(),
        }
    }

    /// Writes all columns; `done` gets the bytes of values.
    pub(super) fn write(&mut self, done: &mut dyn FnMut(u64)) -> Result<(), TestError> {
        for column in &self.columns {
            let path = &column.path;
            let mut file = File::create(path).map_err(TestError::io("create", path))?;
            let mut put =
                |bytes: &[u8]| file.write_all(bytes).map_err(TestError::io("write", path));
            if self.settings.compress == Algorithm::None {
                for batch in column.image.batches() {
                    put(&batch)?;
                    done(batch.len() as u64);
                }
                continue;
            }
            let mut packed = MAGIC.to_vec();
            let mut entries = Vec::new();
            for batch in column.image.batches() {
                self.cost.of(|| {
                    for block in batch.chunks(self.settings.block.0 as usize) {
                        let before = packed.len();
                        let algorithm = self.codec.pack(block, &mut packed);
                        entries.push(Entry { len: (packed.len() - before) as u32, algorithm });
                    }
                });
                put(&packed)?;
                packed.clear();
                done(batch.len() as u64);
            }
            let (image_bytes, block_bytes) = (column.image.bytes(), self.settings.block.0);
            let table = Table { image_bytes, block_bytes, entries };
            put(&table.to_bytes(self.settings.compress, self.settings.level))?;
        }
        Ok(())
    }

    /// Makes files and names durable.
    pub(super) fn sync(&self) -> Result<(), TestError> {
        let folder = folder(self.job);
        let paths = self.columns.iter().map(|column| column.path.as_path());
        paths.chain([folder.as_path()]).try_for_each(|path| {
            let file = File::open(path).map_err(TestError::io("open", path))?;
            file.sync_all().map_err(TestError::io("fsync", path))
        })
    }

    /// Returns true if the files are there in the length that they are to have.
    pub(super) fn is_written(&self) -> bool {
        self.columns.iter().all(|column| {
            let image_bytes =
                File::open(&column.path).ok().and_then(|file| match self.settings.compress {
                    Algorithm::None => file.metadata().ok().map(|found| found.len()),
                    _ => Table::read(&file, &column.path).ok().map(|table| table.image_bytes),
                });
            image_bytes == Some(column.image.bytes())
        })
    }

    /// Reads the column at `path`; `seen` gets each batch of its image.
    fn read(
        &mut self,
        path: &Path,
        seen: &mut dyn FnMut(&[u8]) -> Result<(), TestError>,
    ) -> Result<(), TestError> {
        let file = File::open(path).map_err(TestError::io("open", path))?;
        let mut image = vec![0; BATCH_BYTES as usize];
        if self.settings.compress == Algorithm::None {
            let len = file.metadata().map_err(TestError::io("stat", path))?.len();
            let mut at = 0;
            while at < len {
                let batch = &mut image[..(len - at).min(BATCH_BYTES) as usize];
                file.read_exact_at(batch, at).map_err(TestError::io("read", path))?;
                at += batch.len() as u64;
                seen(batch)?;
            }
            return Ok(());
        }
        let table = Table::read(&file, path)?;
        let wrong = |why: String| TestError::Wrong { path: path.into(), why };
        if table.block_bytes != self.settings.block.0 {
            return Err(wrong(format!("blocks of {} bytes", table.block_bytes)));
        }
        let blocks = (BATCH_BYTES / table.block_bytes) as usize;
        let (mut at, mut left) = (MAGIC.len() as u64, table.image_bytes);
        let mut packed = Vec::new();
        for entries in table.entries.chunks(blocks) {
            packed.resize(entries.iter().map(|entry| entry.len as usize).sum(), 0);
            file.read_exact_at(&mut packed, at).map_err(TestError::io("read", path))?;
            let batch = &mut image[..left.min(BATCH_BYTES) as usize];
            let (codec, block_bytes) = (&mut self.codec, table.block_bytes as usize);
            let is_whole = self.cost.of(|| {
                let mut rest = &packed[..];
                entries.iter().zip(batch.chunks_mut(block_bytes)).all(|(entry, block)| {
                    let (one, more) = rest.split_at(entry.len as usize);
                    rest = more;
                    codec.unpack(entry.algorithm, one, block)
                })
            });
            if !is_whole {
                return Err(wrong(format!("a block behind byte {at} cannot be decompressed")));
            }
            (at, left) = (at + packed.len() as u64, left - batch.len() as u64);
            seen(batch)?;
        }
        Ok(())
    }

    fn read_all(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        let mut sums = Vec::new();
        for path in paths(self.job) {
            self.read(&path, &mut |batch| {
                sums.push(sum(batch));
                progress.add(batch.len() as u64, 1);
                Ok(())
            })?;
        }
        self.sums = sums;
        Ok(())
    }

    /// Compares the sums of what was read with those of what was written.
    fn compare_sums(&self) -> Result<(), TestError> {
        let mut found = self.sums.iter();
        for Stored { path, image } in &self.columns {
            for (number, batch) in image.batches().enumerate() {
                if found.next() != Some(&sum(&batch)) {
                    return Err(differs(path, number));
                }
            }
        }
        Ok(())
    }

    /// Reads the files back and compares each byte.
    fn compare(&mut self) -> Result<(), TestError> {
        // The time of this is not the cost of what was measured.
        let cost = self.cost;
        for Stored { path, image } in std::mem::take(&mut self.columns) {
            let mut wanted = image.batches();
            let mut number = 0;
            self.read(&path, &mut |batch| {
                let is_same = wanted.next().is_some_and(|wanted| *wanted == *batch);
                number += 1;
                is_same.then_some(()).ok_or_else(|| differs(&path, number - 1))
            })?;
            if wanted.next().is_some() {
                return Err(differs(&path, number));
            }
        }
        self.cost = cost;
        Ok(())
    }
}

impl Run for ColumnRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        match self.settings.action {
            Action::Read => meter.phase(PhaseKind::Read, &mut |progress| self.read_all(progress)),
            Action::Write => {
                meter.phase(PhaseKind::Write, &mut |progress| {
                    self.write(&mut |bytes| progress.add(bytes, 1))
                })?;
                meter.phase(PhaseKind::Sync, &mut |progress| {
                    self.sync()?;
                    progress.add(0, 0);
                    Ok(())
                })
            }
        }
    }

    fn verify(&mut self) -> Result<(), TestError> {
        let len =
            |path: &PathBuf| Ok(fs::metadata(path).map_err(TestError::io("stat", path))?.len());
        self.file_bytes = paths(self.job).iter().map(len).collect::<Result<_, TestError>>()?;
        match self.settings.action {
            Action::Read => self.compare_sums(),
            Action::Write => {
                self.compare()?;
                folders::remove(&folder(self.job))
            }
        }
    }

    fn footprint_bytes(&self) -> u64 {
        match self.settings.action {
            Action::Read => self.file_bytes.iter().map(|b| b.next_multiple_of(PAGE_BYTES)).sum(),
            Action::Write => 0,
        }
    }

    fn synced(&self) -> Option<Synced> {
        let bytes = self.file_bytes.iter().sum();
        let share = self.settings.incompressible_share(self.job, bytes);
        (self.settings.action == Action::Write).then(|| Synced::data(bytes, share))
    }

    fn metrics(&mut self) -> Vec<Metric> {
        let bytes = self.file_bytes.iter().sum::<u64>() as f64;
        let file = Metric::new(FILE_BYTES, bytes, "B", Better::Lower);
        self.cost.metrics().into_iter().chain([file]).collect()
    }
}

//! Operations on files rather than on data: open and close, lock, size, map.

use super::{
    column::{self, COUNTED, Column, ColumnFile, MAPPED, OPENED, create_parent, remove},
    get::get,
    kdb, measure,
    page::{Figures, Page},
    put::fsync,
    row::Row,
    settings::Settings,
    sizes::Sizes,
};
use crate::{Estimate, Measured, Meter, Run, Shift, Stretch, Test, TestError};
use engine::progress::Progress;
use model::workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo};
use rustix::fs::{FlockOperation, fcntl_lock};
use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// Operations between two reports of progress.
const BATCH: u64 = 256;
/// The symbols that the lock test enumerates.
const LOCKED: [&[u8]; 5] = [b"aapl", b"goog", b"ibm", b"msft", b"nvda"];
const LOCK_FILE: &str = "locktest";

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// `hopen` and `hclose`.
    OpenClose,
    /// Enumerate against a file under an exclusive lock.
    Lock,
    /// `hcount`.
    Size,
    /// `get` and letting go.
    Map,
}

impl Operation {
    fn file(self) -> Option<ColumnFile> {
        match self {
            Operation::OpenClose => Some(OPENED),
            Operation::Size => Some(COUNTED),
            Operation::Map => Some(MAPPED),
            Operation::Lock => None,
        }
    }
}

/// The same operation on the same file, again and again.
pub(super) struct MetaTest {
    pub(super) row: Row,
    pub(super) operation: Operation,
}

impl MetaTest {
    fn path(&self, job: &Job) -> PathBuf {
        job.dir.join(self.operation.file().map_or(LOCK_FILE, |file| file.path))
    }
}

impl Test for MetaTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.latency()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn stretch(&self) -> Stretch {
        Stretch::Times
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        match self.operation.file() {
            Some(file) => Column::new(file, job).fill(),
            None => {
                let path = self.path(job);
                create_parent(&path)?;
                remove(&path)
            }
        }
    }

    /// Between two operations nothing is under way.
    fn can_be_held(&self, job: &Job) -> bool {
        self.threads(job) <= 1
    }

    fn shift(&self) -> Shift {
        if self.operation == Operation::Lock { Shift::Never } else { Shift::Reads }
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        self.operation.file().map(|file| job.dir.join(file.path)).into_iter().collect()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Ok(Box::new(MetaRun {
            operation: self.operation,
            path: self.path(job),
            settings: Settings::new(job),
            count: Sizes::new(job).meta_ops(),
            file_bytes: self.operation.file().map(|file| Column::new(file, job).file_bytes()),
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let disk_bytes = self.space(job).iter().map(|(_, bytes)| bytes).sum();
        Estimate { ops: Sizes::new(job).meta_ops(), disk_bytes, ..Estimate::default() }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        match self.operation.file() {
            Some(file) => column::space(&[file], job),
            None => vec![(LOCK_FILE.into(), lock_file().len() as u64)],
        }
    }

    fn measure(&self, _job: &Job, pool: &PoolReport) -> Vec<Measured> {
        vec![measure::meta(self.row.id, pool)]
    }

    fn explain(&self, _id: &str) -> String {
        page_of(self)
    }
}

fn lock_file() -> Vec<u8> {
    kdb::symbol_file(0, LOCKED.into_iter())
}

struct MetaRun {
    operation: Operation,
    path: PathBuf,
    settings: Settings,
    count: u64,
    file_bytes: Option<u64>,
}

impl MetaRun {
    fn once(&self) -> Result<(), TestError> {
        match self.operation {
            Operation::OpenClose => open_close(&self.path),
            Operation::Lock => enumerate(&self.path),
            Operation::Size => size(&self.path).map(drop),
            Operation::Map => get(&self.path, &self.settings).map(drop),
        }
    }

    fn all(&self, progress: Progress<'_>) -> Result<(), TestError> {
        let mut done = 0;
        while done < self.count {
            let batch = BATCH.min(self.count - done);
            (0..batch).try_for_each(|_| self.once())?;
            progress.add(0, batch);
            done += batch;
        }
        Ok(())
    }
}

impl Run for MetaRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Operate, &mut |progress| self.all(progress))
    }

    fn verify(&mut self) -> Result<(), TestError> {
        let wrong = |why| Err(TestError::Wrong { path: self.path.clone(), why });
        if let Some(expected) = self.file_bytes {
            let found = size(&self.path)?;
            return if found == expected {
                Ok(())
            } else {
                wrong(format!("{found} bytes instead of {expected}"))
            };
        }
        let found = fs::read(&self.path).map_err(TestError::io("read", &self.path))?;
        fsync(&self.path)?;
        if found == lock_file() { Ok(()) } else { wrong("not the five symbols".into()) }
    }
}

fn open_for_update(path: &Path) -> Result<File, TestError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(TestError::io("open", path))
}

/// open, seek to the end, close.
fn open_close(path: &Path) -> Result<(), TestError> {
    let mut file = open_for_update(path)?;
    file.seek(SeekFrom::End(0)).map_err(TestError::io("seek", path))?;
    Ok(())
}

/// open, fstat, read the first eight bytes (a compressed file would say so), close.
fn size(path: &Path) -> Result<u64, TestError> {
    let file = File::open(path).map_err(TestError::io("open", path))?;
    let stat = rustix::fs::fstat(&file).map_err(|e| TestError::io("stat", path)(e.into()))?;
    let mut magic = [0; 8];
    file.read_at(&mut magic, 0).map_err(TestError::io("read", path))?;
    Ok(stat.st_size as u64)
}

/// open, lock, read all, append the symbols that are missing, close, which unlocks.
fn enumerate(path: &Path) -> Result<(), TestError> {
    let mut file = open_for_update(path)?;
    fcntl_lock(&file, FlockOperation::LockExclusive)
        .map_err(|e| TestError::io("lock", path)(e.into()))?;
    let stat = rustix::fs::fstat(&file).map_err(|e| TestError::io("stat", path)(e.into()))?;
    let mut bytes = vec![0; stat.st_size as usize];
    file.read_exact(&mut bytes).map_err(TestError::io("read", path))?;
    if bytes.is_empty() {
        return file.write_all(&lock_file()).map_err(TestError::io("write", path));
    }
    let known: Vec<&[u8]> = kdb::parse_symbols(&bytes).map_or_else(Vec::new, Iterator::collect);
    let missing: Vec<u8> = LOCKED
        .iter()
        .filter(|name| !known.contains(*name))
        .flat_map(|name| name.iter().copied().chain([0]))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    file.write_all(&missing).map_err(TestError::io("write", path))
}

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &MetaTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    let (about, steps): (&str, &[&str]) = match test.operation {
        Operation::OpenClose => (
            "A file is opened for appending and closed (`hopen`, `hclose`).",
            &["open `O_RDWR|O_CREAT`", "lseek to the end", "close"],
        ),
        Operation::Lock => (
            "Five symbols are enumerated against a file under an exclusive lock, as every writer of a partition does with the file `sym`.",
            &[
                "open `O_RDWR|O_CREAT`",
                "fcntl `F_SETLKW` with `F_WRLCK` over the whole file",
                "fstat, read all of it",
                "append symbols that are missing: all five the first time, none later",
                "close, which unlocks",
            ],
        ),
        Operation::Size => (
            "The size of a large file is asked (`hcount`).",
            &[
                "open `O_RDONLY`",
                "fstat",
                "pread 8 bytes, by which a compressed file would be known",
                "close",
            ],
        ),
        Operation::Map => (
            "A small column is mapped and let go (`get`).",
            &["open `O_RDONLY`, fstat, mmap, close", "load the header", "munmap"],
        ),
    };
    page.about(about);
    page.steps("Operate, again and again on the same file", steps);
    page.size("operations", |job| Sizes::new(job).meta_ops());
    page.longer(test.stretch());
    page.figures(Figures::Meta);
    page.reading("Microseconds in the kernel, no device: path lookup, locks in the inode, and for some file systems a round trip to user space or to a server. On a local file system differences below 20 % rarely matter; on a network one this test often decides.");
    page.caveats(&[
        "Each worker uses its own file, so workers do not wait for one another's locks; what grows with their number is shared in the file system or the kernel.",
        "The time of a call to the clock is not in it: the clock is read once for all operations, so there is no distribution, only a mean per worker.",
    ]);
    page.guesses(
        "The order of the calls is documented by the vendor; the flags of `open` are inferred.",
        match test.operation {
            Operation::Map => &["get_map"],
            _ => &[],
        },
    );
    page.text()
}

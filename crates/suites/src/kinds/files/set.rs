//! The files of one worker: where each lies, how missing ones are made, how they are checked.

use super::{
    content::Content,
    path::{PathBuffer, failed, wrong},
    settings::Settings,
};
use crate::{TestError, folders, kinds::scaled};
use model::{random::Rng, workload::Job};
use rustix::{
    fs::{self, Mode, OFlags},
    io::{Errno, read, write},
};
use std::{
    ffi::{CStr, OsStr, OsString},
    fs::File,
    io::{self, Write},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Files of a worker at the smallest scale.
const LEAST_FILES: u64 = 64;
/// The most disk space that a small file takes: ext4 makes one inode for each 16 KiB.
const INODE_SPAN_BYTES: u64 = 16 << 10;
/// Length of the witness.
const PAGE_BYTES: u64 = 4096;
/// Digits of a name, so that all names have the same length up to 10^8 files.
const WIDTH: usize = 8;
/// Files whose content a check reads.
const CHECKED_FILES: u64 = 256;
/// Longest single read or write.
const PIECE_BYTES: usize = 1 << 20;

/// A set of equal files.
pub(super) struct FileSet {
    /// `<dir>/w<worker>.` of each directory; a number follows.
    stems: Vec<Vec<u8>>,
    /// `w<worker>.`, with which every name begins.
    prefix: Vec<u8>,
    dirs: Vec<PathBuf>,
    /// Holds the directories.
    root: PathBuf,
    /// A file of one page next to the directories, as old as can be, that no test reads: what became
    /// of it tells whether the cache was emptied, and every file is newer. It holds a page on its device,
    /// too, however that is compressed: names are not, and what they have to bring is counted by its share.
    pub(super) witness: PathBuf,
    worker: u32,
    pub(super) count: u64,
    pub(super) file_bytes: u64,
    /// The contents of files after creation, and after a rewrite.
    pub(super) contents: [Content; 2],
}

/// Files of one worker; of a shared set each has its part.
pub(super) fn count(settings: &Settings, job: &Job) -> u64 {
    let workers = if settings.shared { u64::from(job.workers.max(1)) } else { 1 };
    scaled(settings.files / workers, job.scale, LEAST_FILES)
}

/// The name of the set under the worker's directory: two sets that differ have two names.
pub(super) fn name(settings: &Settings) -> String {
    let shared = if settings.shared { "../" } else { "" };
    let Settings { files, fanout, .. } = settings;
    format!("{shared}files-{}-{files}-{fanout}", settings.size.short())
}

/// Disk bytes of the set, whatever the file system makes of it.
pub(super) fn disk_bytes(settings: &Settings, job: &Job) -> u64 {
    let file = settings.size.0.next_multiple_of(4096) + 512;
    count(settings, job).saturating_mul(file.max(INODE_SPAN_BYTES))
}

impl FileSet {
    pub(super) fn new(settings: &Settings, job: &Job) -> FileSet {
        let name = name(settings);
        let root = match name.strip_prefix("../") {
            Some(name) => job.shared_dir().join(name),
            None => job.dir.join(&name),
        };
        let dirs: Vec<PathBuf> =
            (0..settings.fanout.max(1)).map(|dir| root.join(format!("d{dir:04}"))).collect();
        let prefix = format!("w{}.", job.worker);
        let stem = |dir: &PathBuf| dir.join(&prefix).into_os_string().into_vec();
        let content = |label: &str| {
            Content::new(job, &format!("{label} {name}"), job.worker, settings.size.0)
        };
        FileSet {
            stems: dirs.iter().map(stem).collect(),
            prefix: prefix.into_bytes(),
            dirs,
            witness: root.join(format!("witness.{}", job.worker)),
            root,
            worker: job.worker,
            count: count(settings, job),
            file_bytes: settings.size.0,
            contents: [content("created"), content("rewritten")],
        }
    }

    /// The path of file `index`: one after the other goes to the next directory, as a store does
    /// that spreads by a hash.
    #[inline]
    pub(super) fn path<'a>(
        &self,
        index: u64,
        buffer: &'a mut PathBuffer,
    ) -> Result<&'a CStr, TestError> {
        let stem = &self.stems[(index % self.stems.len() as u64) as usize];
        buffer.put(stem, index, WIDTH)
    }

    /// The directories that hold files.
    pub(super) fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// The name of file `index` of `worker` without its directory.
    pub(super) fn file_name(worker: u32, index: u64) -> String {
        format!("w{worker}.{index:0WIDTH$}")
    }

    /// The number of this worker's file `name`; `None` for what is not one of its files.
    #[inline]
    pub(super) fn index_of(&self, name: &[u8]) -> Option<u64> {
        let digits = name.strip_prefix(&self.prefix[..])?;
        digits.iter().try_fold(0u64, |number, digit| {
            let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })
    }

    /// Every file as a path, for those who look at each before the run.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        (0..self.count).map(|index| self.path_buf(index)).collect()
    }

    /// The path of file `index`.
    pub(super) fn path_buf(&self, index: u64) -> PathBuf {
        let dir = &self.dirs[(index % self.dirs.len() as u64) as usize];
        dir.join(FileSet::file_name(self.worker, index))
    }

    /// Makes the directories and the witness.
    pub(super) fn make_dirs(&self) -> Result<(), TestError> {
        for dir in &self.dirs {
            std::fs::create_dir_all(dir).map_err(TestError::io("create", dir))?;
        }
        if std::fs::metadata(&self.witness).is_ok_and(|found| found.len() == PAGE_BYTES) {
            return Ok(());
        }
        self.make_witness().map_err(TestError::io("write", &self.witness))
    }

    fn make_witness(&self) -> io::Result<()> {
        let mut random = Rng::new(u64::from(self.worker));
        let words = (0..PAGE_BYTES / 8).flat_map(|_| random.next_u64().to_le_bytes());
        let mut file = File::create(&self.witness)?;
        file.write_all(&words.collect::<Vec<u8>>())?;
        file.set_modified(SystemTime::UNIX_EPOCH)
    }

    /// Makes every file that is missing or has another size, and syncs the file system.
    pub(super) fn complete(&self) -> Result<(), TestError> {
        self.make_dirs()?;
        let mut buffer = PathBuffer::new();
        let source = self.contents[0].clone().source(self.count);
        for index in 0..self.count {
            let path = self.path(index, &mut buffer)?;
            match fs::stat(path) {
                Ok(found) if found.st_size as u64 == self.file_bytes => continue,
                Ok(_) | Err(Errno::NOENT) => {}
                Err(error) => return Err(failed("stat", path)(error)),
            }
            let flags = OFlags::CREATE | OFlags::TRUNC | OFlags::WRONLY;
            let file = fs::open(path, flags, Mode::from(0o644)).map_err(failed("create", path))?;
            write_all(&file, source.of(index)).map_err(failed("write", path))?;
        }
        self.syncfs()
    }

    /// Removes every file of this worker.
    pub(super) fn clear(&self) -> Result<(), TestError> {
        self.make_dirs()?;
        for dir in &self.dirs {
            for name in self.own_names(dir)? {
                let path = dir.join(name);
                std::fs::remove_file(&path).map_err(TestError::io("remove", &path))?;
            }
        }
        self.syncfs()
    }

    /// Names of this worker's files in `dir`.
    fn own_names(&self, dir: &Path) -> Result<Vec<OsString>, TestError> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(dir).map_err(TestError::io("list", dir))? {
            let name = entry.map_err(TestError::io("list", dir))?.file_name();
            if self.index_of(name.as_bytes()).is_some() {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Makes everything on the file system durable.
    pub(super) fn syncfs(&self) -> Result<(), TestError> {
        folders::sync(&self.root)
    }

    /// An error unless exactly `expected` files of this worker are there.
    pub(super) fn check_count(&self, expected: u64) -> Result<(), TestError> {
        let found = self.dirs.iter().map(|dir| self.own_names(dir).map(|names| names.len() as u64));
        let found: u64 = found.sum::<Result<u64, _>>()?;
        if found == expected {
            return Ok(());
        }
        let why = format!("{found} files instead of {expected}");
        Err(TestError::Wrong { path: self.root.clone(), why })
    }

    /// Reads some files, evenly chosen, and compares them byte by byte with one of `contents`.
    pub(super) fn check_content(&self, contents: &[Content]) -> Result<(), TestError> {
        let mut buffer = PathBuffer::new();
        for index in (0..self.count).step_by(self.count.div_ceil(CHECKED_FILES) as usize) {
            let path = self.path(index, &mut buffer)?;
            let name = OsStr::from_bytes(path.to_bytes());
            let found = std::fs::read(name).map_err(TestError::io("read", Path::new(name)))?;
            if !contents.iter().any(|content| content.of(index) == found) {
                return Err(wrong(path, "not the bytes that were written".into()));
            }
        }
        Ok(())
    }
}

/// Writes all of `bytes` at the position of `file`.
#[inline]
pub(in crate::kinds) fn write_all(file: &rustix::fd::OwnedFd, bytes: &[u8]) -> Result<(), Errno> {
    let mut done = 0;
    while done < bytes.len() {
        match write(file, &bytes[done..bytes.len().min(done + PIECE_BYTES)]) {
            Ok(0) => return Err(Errno::IO),
            Ok(written) => done += written,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads `bytes` from the position of `file` through `buffer`; tells how many came.
#[inline]
pub(in crate::kinds) fn read_all(
    file: &rustix::fd::OwnedFd,
    buffer: &mut [u8],
    bytes: u64,
) -> Result<u64, Errno> {
    let mut done = 0;
    while done < bytes {
        let piece = buffer.len().min((bytes - done) as usize);
        match read(file, &mut buffer[..piece]) {
            Ok(0) => break,
            Ok(got) => done += got as u64,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// A buffer for files of `bytes`.
pub(in crate::kinds) fn read_buffer(bytes: u64) -> Vec<u8> {
    vec![0; (bytes as usize).clamp(1, PIECE_BYTES)]
}

//! Makes what the disk held when a recording began: directories with their other entries, files with generated data,
//! and links, all below one directory.

use super::{
    source::Recorded,
    texts::{self, Texts},
};
use crate::{TestError, folders};
use engine::data::{Data, Pattern, derive_seed};
use model::workload::{DataKind, Job, Like};
use rustix::{
    fs::{
        self, Advice, AtFlags, Mode, OFlags, ResolveFlags, fadvise, linkat, mkdirat, openat2,
        symlinkat,
    },
    io::Errno,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ffi::{CStr, OsStr},
    fs::File,
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, fs::FileExt},
    },
    path::{Path, PathBuf},
};
use trace::{
    path::{PathId, Paths},
    start::{StartEntry, StartKind},
};

/// Most other entries of all directories together.
const MOST_OTHERS: u64 = 20_000_000;
/// Words of a piece of data.
const RUN_WORDS: u64 = 1 << 17;
/// Sixteenths of which compressibility is a multiple.
const GRADE: u8 = 4;

/// A tree that is being made.
struct Making<'m> {
    dir: &'m Path,
    tree: OwnedFd,
    paths: &'m Paths,
    texts: &'m Texts,
    job: &'m Job,
    /// Data by the sixteenths that compression leaves; `None` is that of the campaign.
    data: BTreeMap<Option<u8>, Data>,
    /// Words written, so that no two files begin alike.
    written: u64,
}

/// Makes the tree of `trace` in `dir`, in place of what is there, durably.
///
/// # Errors
/// What the file system reports, or entries that cannot be.
pub(super) fn make(
    dir: &Path,
    trace: &Recorded,
    texts: &Texts,
    job: &Job,
) -> Result<(), TestError> {
    folders::renew(dir)?;
    let tree = File::open(dir).map_err(TestError::io("open", dir))?.into();
    let paths = trace.paths();
    let mut making = Making { dir, tree, paths, texts, job, data: BTreeMap::new(), written: 0 };
    making.all(trace.start_entries())?;
    fs::syncfs(&making.tree).map_err(|why| TestError::io("sync", dir)(why.into()))
}

impl Making<'_> {
    /// Directories come first and links last, so that no name leads through a link while the tree is made.
    fn all(&mut self, entries: &[StartEntry]) -> Result<(), TestError> {
        let roots = (0..self.paths.len() as u32).take_while(|id| self.paths.parent(*id).is_none());
        roots.into_iter().try_for_each(|root| self.directory(root))?;
        let mut others = 0_u64;
        let named = children(self.paths, entries);
        for entry in entries {
            if let StartKind::Directory { entries: all } = entry.kind {
                self.directory(entry.path)?;
                let own = all.saturating_sub(named.get(&entry.path).copied().unwrap_or(0));
                others = others.saturating_add(u64::from(own));
                if others > MOST_OTHERS {
                    let why = format!("its directories have more than {MOST_OTHERS} other entries");
                    return Err(TestError::Wrong { path: self.dir.into(), why });
                }
                self.others(entry.path, own)?;
            }
        }
        for entry in entries {
            if let StartKind::File { bytes, compressed, .. } = entry.kind {
                self.file(entry, bytes, compressed)?;
            }
        }
        for entry in entries {
            if let StartKind::HardLink(to) = entry.kind {
                self.above(entry.path)?;
                let made = linkat(
                    &self.tree,
                    self.text(to)?,
                    &self.tree,
                    self.text(entry.path)?,
                    AtFlags::empty(),
                );
                self.made("link", entry.path, made)?;
            }
        }
        for entry in entries {
            if let StartKind::Link(to) = entry.kind {
                self.above(entry.path)?;
                // One that leads elsewhere leads nowhere here.
                let text = to.and_then(|to| texts::link(self.paths, entry.path, to));
                let text = text.unwrap_or_else(|| texts::OUTSIDE.into());
                let made = symlinkat(&text, &self.tree, self.text(entry.path)?);
                self.made("link", entry.path, made)?;
            }
        }
        for entry in entries {
            if matches!(entry.kind, StartKind::File { .. }) {
                let mode = Mode::from_raw_mode(entry.mode & 0o777);
                let file =
                    self.open(entry.path, OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())?;
                fs::fchmod(file, mode).map_err(|why| self.failed("chmod", entry.path, why))?;
            }
        }
        Ok(())
    }

    fn text(&self, path: PathId) -> Result<&CStr, TestError> {
        self.texts.get(path).ok_or_else(|| self.failed("name", path, Errno::NAMETOOLONG))
    }

    fn failed(&self, what: &'static str, path: PathId, why: Errno) -> TestError {
        let text = self.texts.get(path).map(CStr::to_string_lossy).unwrap_or_default();
        TestError::Io { what, path: self.dir.join(&*text), source: why.into() }
    }

    /// What is listed twice is made once.
    fn made(
        &self,
        what: &'static str,
        path: PathId,
        made: Result<(), Errno>,
    ) -> Result<(), TestError> {
        match made {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(why) => Err(self.failed(what, path, why)),
        }
    }

    fn above(&self, path: PathId) -> Result<(), TestError> {
        self.paths.parent(path).map_or(Ok(()), |parent| self.directory(parent))
    }

    /// The directory `path`, and those above it.
    fn directory(&self, path: PathId) -> Result<(), TestError> {
        let mode = Mode::from_raw_mode(0o755);
        match mkdirat(&self.tree, self.text(path)?, mode) {
            Err(Errno::NOENT) => {
                self.above(path)?;
                let made = mkdirat(&self.tree, self.text(path)?, mode);
                self.made("create", path, made)
            }
            made => self.made("create", path, made),
        }
    }

    /// `count` empty files in the directory `path`, which only a list of it shows.
    fn others(&self, path: PathId, count: u32) -> Result<(), TestError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let directory = self.open(path, flags, Mode::empty())?;
        for number in 0..count {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let name = format!("assay-other-{number}");
            fs::openat(&directory, name, flags, Mode::from_raw_mode(0o644))
                .map_err(|why| self.failed("create a file in", path, why))?;
        }
        Ok(())
    }

    fn open(&self, path: PathId, flags: OFlags, mode: Mode) -> Result<OwnedFd, TestError> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        openat2(&self.tree, self.text(path)?, flags | OFlags::CLOEXEC, mode, resolve)
            .map_err(|why| self.failed("open", path, why))
    }

    fn file(
        &mut self,
        entry: &StartEntry,
        bytes: u64,
        compressed: Option<f64>,
    ) -> Result<(), TestError> {
        self.above(entry.path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW;
        let file = File::from(self.open(entry.path, flags, Mode::from_raw_mode(0o644))?);
        let grade = grade(&self.job.data, compressed);
        let job = self.job;
        let data = self.data.entry(grade).or_insert_with(|| data(job, grade));
        let mut at = 0;
        while at < bytes {
            let left = bytes - at;
            let piece = data.piece_bytes(self.written, left.div_ceil(8));
            let piece = &piece[..piece.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            file.write_all_at(piece, at).map_err(|why| {
                let text =
                    self.texts.get(entry.path).map(CStr::to_string_lossy).unwrap_or_default();
                TestError::io("write", &self.dir.join(&*text))(why)
            })?;
            at += piece.len() as u64;
            self.written += (piece.len() as u64).div_ceil(8);
        }
        Ok(())
    }
}

/// How many of `entries` each directory has.
fn children(paths: &Paths, entries: &[StartEntry]) -> HashMap<PathId, u32> {
    let paths_of: BTreeSet<PathId> = entries.iter().map(|entry| entry.path).collect();
    let mut children = HashMap::new();
    for parent in paths_of.into_iter().filter_map(|path| paths.parent(path)) {
        *children.entry(parent).or_default() += 1;
    }
    children
}

/// The sixteenths that compression leaves of a file, rounded; the data of the campaign decides where it was chosen.
fn grade(kind: &DataKind, compressed: Option<f64>) -> Option<u8> {
    let left = compressed.filter(|left| (0.0..1.0).contains(left) && *kind == DataKind::Random)?;
    let grade = (left * 16.0 / f64::from(GRADE)).round() as u8 * GRADE;
    (grade < 16).then_some(grade)
}

/// Data of which compression leaves `grade` sixteenths.
pub(super) fn pattern(job: &Job, grade: Option<u8>, name: &str) -> Pattern {
    let like = |grade: u8| match grade {
        0 => Some(DataKind::Zeros),
        _ => Like::from_counts(0, 0, &BTreeMap::from([((grade, 8), 1)])).map(DataKind::Like),
    };
    let kind = grade.and_then(like).unwrap_or_else(|| job.data.clone());
    Pattern::new(&kind, derive_seed(job.seed, name), job.worker, RUN_WORDS)
}

fn data(job: &Job, grade: Option<u8>) -> Data {
    Data::of(pattern(job, grade, "trace"), u64::MAX >> 8)
}

/// The data that calls write: like that of the files, weighed by their bytes.
pub(super) fn written_grade(job: &Job, entries: &[StartEntry]) -> Option<u8> {
    let (mut bytes, mut left) = (0.0, 0.0);
    for entry in entries {
        if let StartKind::File { bytes: own, compressed: Some(compressed), .. } = entry.kind {
            bytes += own as f64;
            left += own as f64 * compressed.clamp(0.0, 1.0);
        }
    }
    grade(&job.data, (bytes > 0.0).then(|| left / bytes))
}

/// The files of the tree in `dir` that were there.
pub(super) fn files(dir: &Path, trace: &Recorded, texts: &Texts) -> Vec<PathBuf> {
    let is_file =
        |entry: &&StartEntry| matches!(entry.kind, StartKind::File { bytes, .. } if bytes > 0);
    let entries = trace.start_entries().iter().filter(is_file);
    let texts = entries.filter_map(|entry| texts.get(entry.path));
    let mut files: Vec<PathBuf> =
        texts.map(|text| dir.join(OsStr::from_bytes(text.to_bytes()))).collect();
    files.sort();
    files.dedup();
    files
}

/// Has as much of each file in the page cache as was cached when the recording began.
///
/// # Errors
/// A file cannot be read.
pub(super) fn warm(
    tree: &File,
    dir: &Path,
    trace: &Recorded,
    texts: &Texts,
) -> Result<(), TestError> {
    fs::syncfs(tree).map_err(|why| TestError::io("sync", dir)(why.into()))?;
    let mut buffer = vec![0; 1 << 20];
    for entry in trace.start_entries() {
        let StartKind::File { cached_bytes: Some(cached), .. } = entry.kind else { continue };
        let Some(text) = texts.get(entry.path) else { continue };
        let path = dir.join(&*text.to_string_lossy());
        let failed = |what| TestError::io(what, &path);
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let file = openat2(tree, text, flags, Mode::empty(), resolve);
        let file = File::from(file.map_err(|why| failed("open")(why.into()))?);
        fadvise(&file, 0, None, Advice::DontNeed).map_err(|why| failed("advise on")(why.into()))?;
        let mut at = 0;
        while at < cached {
            let len = buffer.len().min(usize::try_from(cached - at).unwrap_or(usize::MAX));
            match file.read_at(&mut buffer[..len], at).map_err(failed("read"))? {
                0 => break,
                read => at += read as u64,
            }
        }
    }
    Ok(())
}

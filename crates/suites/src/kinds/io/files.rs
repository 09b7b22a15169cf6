//! The files on disk: made before, opened for a run, emptied from the cache, removed.

use super::{
    layout::{FOLDER, Layout},
    source::Slice,
};
use crate::TestError;
use engine::data::{Data, Pattern, RUN_WORDS, derive_seed};
use model::workload::Job;
use rustix::fs::{Advice, fadvise};
use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// The prefix of files created in a timed part.
const NEW: &str = "new-";

/// The paths of the files of `layout` for `job`.
pub(super) fn paths(layout: &Layout, job: &Job) -> Vec<PathBuf> {
    let path = |path: &PathBuf| match path.strip_prefix("..") {
        Ok(beside) => job.shared_dir().join(beside),
        Err(_) => job.dir.join(path),
    };
    layout.paths.iter().map(path).collect()
}

/// Makes what is missing, and removes what a run that was broken off left.
pub(super) fn fill(layout: &Layout, job: &Job) -> Result<(), TestError> {
    if layout.paths.is_empty() {
        return Ok(());
    }
    let folder = job.dir.join(FOLDER);
    fs::create_dir_all(&folder).map_err(TestError::io("create", &folder))?;
    remove_new(&folder)?;
    if let Some(slice) = &layout.slice {
        return fill_shared(layout, slice, job);
    }
    if layout.new {
        return Ok(());
    }
    paths(layout, job).iter().try_for_each(|path| match is_whole(path, layout.file_bytes) {
        true => Ok(()),
        false => write(path, layout.file_bytes, job).inspect_err(|_| {
            // A partial file would only take space from other tests; the reason is reported.
            let _ = fs::remove_file(path);
        }),
    })
}

/// Makes the part of `job` of the file of all. The length of that tells nothing, as others write at the same time: who
/// has written its part leaves a file of the same name, empty, in the folder of its own.
fn fill_shared(layout: &Layout, slice: &Slice, job: &Job) -> Result<(), TestError> {
    let Some(path) = paths(layout, job).pop() else { return Ok(()) };
    let folder = path.parent().unwrap_or(&job.dir);
    fs::create_dir_all(folder).map_err(TestError::io("create", folder))?;
    if layout.new {
        return if job.worker == 0 { remove_new(folder) } else { Ok(()) };
    }
    let mark = job.dir.join(FOLDER).join(path.file_name().unwrap_or_default());
    if mark.exists() && path.exists() {
        return Ok(());
    }
    let open = File::options().write(true).create(true).truncate(false).open(&path);
    let file = open.map_err(TestError::io("create", &path))?;
    let data = content(&path, layout.own_bytes, job);
    let mut done = 0;
    while done < layout.own_bytes {
        let left = slice.block_bytes - done % slice.block_bytes;
        let piece = data.piece_bytes(done / 8, RUN_WORDS.min(left / 8));
        file.write_all_at(piece, slice.place(done)).map_err(TestError::io("write", &path))?;
        done += piece.len() as u64;
    }
    file.sync_all().map_err(TestError::io("fsync", &path))?;
    File::create(&mark).map(drop).map_err(TestError::io("create", &mark))
}

fn is_whole(path: &Path, bytes: u64) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() == bytes)
}

/// Returns the data with which the worker of `job` fills `bytes` of the file `path`.
fn content(path: &Path, bytes: u64, job: &Job) -> Data {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pattern = Pattern::new(&job.data, derive_seed(job.seed, &name), job.worker, RUN_WORDS);
    Data::of(pattern, bytes / 8)
}

/// Every block is written with data that cannot be compressed, so that no later write is the first
/// one to its place on the disk.
fn write(path: &Path, bytes: u64, job: &Job) -> Result<(), TestError> {
    let data = content(path, bytes, job);
    let mut file = File::create(path).map_err(TestError::io("create", path))?;
    let mut word = 0;
    while word < data.len() {
        let piece = data.piece_bytes(word, RUN_WORDS);
        file.write_all(piece).map_err(TestError::io("write", path))?;
        word += piece.len() as u64 / 8;
    }
    file.sync_all().map_err(TestError::io("fsync", path))
}

/// Removes every file that a timed part made in `folder`.
pub(super) fn remove_new(folder: &Path) -> Result<(), TestError> {
    let list = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        list => list.map_err(TestError::io("list", folder))?,
    };
    for entry in list.flatten().filter(|e| e.file_name().to_string_lossy().starts_with(NEW)) {
        let path = entry.path();
        fs::remove_file(&path).map_err(TestError::io("remove", &path))?;
    }
    Ok(())
}

/// Opens the files of a run, making those that are to be written anew.
pub(super) fn open(
    layout: &Layout,
    paths: &[PathBuf],
    write: bool,
    direct: bool,
) -> Result<Vec<File>, TestError> {
    let opened = paths.iter().map(|path| {
        if layout.new {
            File::create(path).map_err(TestError::io("create", path))?;
        }
        Ok(engine::io::open(path, write, direct)?)
    });
    opened.collect()
}

/// Takes the pages of `paths` out of the cache: direct writes would have to do so one by one.
pub(super) fn forget(paths: &[PathBuf]) -> Result<(), TestError> {
    for path in paths {
        let file = File::open(path).map_err(TestError::io("open", path))?;
        fadvise(&file, 0, None, Advice::DontNeed)
            .map_err(|error| TestError::io("fadvise", path)(error.into()))?;
    }
    Ok(())
}

/// Makes files and, where they are new, their names durable.
pub(super) fn sync(layout: &Layout, files: &[File], paths: &[PathBuf]) -> Result<(), TestError> {
    for (file, path) in files.iter().zip(paths) {
        file.sync_all().map_err(TestError::io("fsync", path))?;
    }
    match paths.first().and_then(|path| path.parent()).filter(|_| layout.new) {
        None => Ok(()),
        Some(folder) => {
            let opened = File::open(folder).map_err(TestError::io("open", folder))?;
            opened.sync_all().map_err(TestError::io("fsync", folder))
        }
    }
}

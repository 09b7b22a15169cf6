//! The loop image, written in full. A sparse or merely reserved image would have the host allocate
//! inside the timed parts, and that would be measured instead of the file system.

use crate::LabError;
use model::{Bytes, Rng};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

const CHUNK: usize = 8 << 20;
const PAGE: usize = 4096;
/// Least room that stays free beside the image.
const SPARE: u64 = 512 << 20;

/// The room that an image of `size` must find: its own, and a tenth or 512 MiB to spare.
pub fn room(size: Bytes) -> Bytes {
    Bytes(size.0.saturating_add(SPARE.max(size.0 / 10)))
}

/// Checks that `dir` has room for an image of `size`.
pub(crate) fn check_room(dir: &Path, size: Bytes) -> Result<(), LabError> {
    let stat = rustix::fs::statvfs(dir).map_err(LabError::errno("look at", dir))?;
    let free = Bytes(stat.f_bavail * stat.f_frsize);
    let needed = room(size);
    if free < needed {
        return Err(LabError::NoSpace { dir: dir.into(), size, needed, free });
    }
    Ok(())
}

/// Writes a new file of `size` bytes at `path` and makes it durable; `progress` gets the bytes so
/// far. The content is random and no page like another, so that no backing file system stores less.
pub(crate) fn write(
    path: &Path,
    size: Bytes,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<(), LabError> {
    let file = create(path).map_err(LabError::io("create", path))?;
    fill(&file, path, size, stop, progress)
}

/// Overwrites the first `size` bytes of `file`, which is called `path`, as [`write`] does; past the page
/// cache where that is allowed.
pub(crate) fn fill(
    file: &File,
    path: &Path,
    size: Bytes,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<(), LabError> {
    let failed = || LabError::io("write", path);
    let flags = fcntl_getfl(file).map_err(LabError::errno("look at", path))?;
    // A file system without direct I/O refuses the flag, and the file stays buffered.
    let _ = fcntl_setfl(file, flags | OFlags::DIRECT);
    let mut memory = vec![0u8; CHUNK + PAGE];
    let start = memory.as_ptr().align_offset(PAGE);
    let chunk = &mut memory[start..start + CHUNK];
    randomise(chunk);
    let mut done = 0;
    while done < size.0 {
        if stop.load(Ordering::Relaxed) {
            return Err(LabError::Stopped("writing the backing"));
        }
        for page in (0..CHUNK).step_by(PAGE) {
            chunk[page..page + 8].copy_from_slice(&(done + page as u64).to_le_bytes());
        }
        let len = CHUNK.min((size.0 - done) as usize);
        write_at(file, &chunk[..len], done).map_err(failed())?;
        done += len as u64;
        progress(done);
    }
    fcntl_setfl(file, flags).map_err(LabError::errno("look at", path))?;
    file.sync_all().map_err(failed())
}

fn randomise(chunk: &mut [u8]) {
    let mut rng = Rng::new(0x0061_7373_6179);
    for word in chunk.chunks_exact_mut(8) {
        word.copy_from_slice(&rng.next_u64().to_le_bytes());
    }
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Writes all of `data`; falls back to buffered writes where the length or the file system forbids
/// direct ones.
fn write_at(file: &File, data: &[u8], at: u64) -> io::Result<()> {
    match file.write_all_at(data, at) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            fcntl_setfl(file, fcntl_getfl(file)? - OFlags::DIRECT)?;
            file.write_all_at(data, at)
        }
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::MetadataExt};

    #[test]
    fn an_image_is_fully_allocated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("i");
        let size = Bytes((20 << 20) + 512);
        let mut seen = Vec::new();
        write(&path, size, &AtomicBool::new(false), &mut |done| seen.push(done)).unwrap();
        let meta = fs::metadata(&path).unwrap();
        assert_eq!(meta.len(), size.0);
        assert!(meta.blocks() * 512 >= size.0);
        assert_eq!(seen, [8 << 20, 16 << 20, size.0]);
    }

    #[test]
    fn a_stop_is_heard() {
        let dir = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let result = write(&dir.path().join("i"), Bytes(64 << 20), &stop, &mut |_| {
            stop.store(true, Ordering::Relaxed);
        });
        assert!(matches!(result, Err(LabError::Stopped(_))));
    }

    #[test]
    fn too_large_an_image_is_refused_before_writing() {
        let dir = tempfile::tempdir().unwrap();
        let error = check_room(dir.path(), Bytes(1 << 60)).unwrap_err().to_string();
        assert!(error.contains("smaller size"), "{error}");
    }
}

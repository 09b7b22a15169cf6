//! The loop image, written in full. A sparse or merely reserved image would have the host allocate
//! inside the timed parts, and that would be measured instead of the file system.

use crate::error::LabError;
use model::text::Bytes;
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::atomic::AtomicBool,
};

/// The least space that stays free next to the image.
const SPARE: u64 = 512 << 20;

/// The room that an image of `size` must find: its own, and a tenth or 512 MiB to spare.
pub fn image_room(size: Bytes) -> Bytes {
    Bytes(size.0.saturating_add(SPARE.max(size.0 / 10)))
}

/// Checks that `dir` has room for an image of `size`.
pub(crate) fn check_room(dir: &Path, size: Bytes) -> Result<(), LabError> {
    let stat = rustix::fs::statvfs(dir).map_err(LabError::errno("look at", dir))?;
    let free = Bytes(stat.f_bavail * stat.f_frsize);
    let needed = image_room(size);
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
    Ok(disk::fill(&file, path, size, stop, progress)?)
}

/// Makes a new file of `size` bytes at `path` that holds nothing yet, to try a target on and never to measure one.
pub(crate) fn sparse(path: &Path, size: Bytes) -> Result<(), LabError> {
    let sized = create(path).and_then(|file| file.set_len(size.0));
    sized.map_err(LabError::io("create", path))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::MetadataExt, sync::atomic::Ordering};

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
        assert!(matches!(result, Err(LabError::Disk(disk::Error::Stopped(_)))));
    }

    #[test]
    fn too_large_an_image_is_refused_before_writing() {
        let dir = tempfile::tempdir().unwrap();
        let error = check_room(dir.path(), Bytes(1 << 60)).unwrap_err().to_string();
        assert!(error.contains("with --image-dir"), "{error}");
    }
}

//! Creates loop images, written in full. With a sparse or merely reserved image the host would allocate blocks during
//! the timed parts, and that would be measured instead of the file system.

use crate::{error::LabError, page_cache::extents};
use disk::{Disk, Filling};
use model::text::Bytes;
use rustix::io::Errno;
use std::{
    fs::{File, OpenOptions},
    io,
    ops::Range,
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
    check_room_of(dir, size, size)
}

fn check_room_of(dir: &Path, size: Bytes, more: Bytes) -> Result<(), LabError> {
    let stat = rustix::fs::statvfs(dir).map_err(LabError::errno("look at", dir))?;
    let free = Bytes(stat.f_bavail * stat.f_frsize);
    let needed = image_room(more);
    if free < needed {
        return Err(LabError::NoSpace { dir: dir.into(), size, needed, free });
    }
    Ok(())
}

/// Checks that `dir` has room for `missing` more bytes of images of `size`.
pub(crate) fn check_growth(dir: &Path, size: Bytes, missing: u64) -> Result<(), LabError> {
    if missing == 0 { Ok(()) } else { check_room_of(dir, size, Bytes(missing)) }
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
    let whole = 0..size.0;
    let all = (std::slice::from_ref(&whole), Filling::Random);
    Ok(disk::fill(&file, path, all, stop, progress)?)
}

/// Writes those pieces of the first `size` bytes of the image `file`, which is called `path`, that the host would
/// allocate or convert when they are written. Zeros are for holes and what is not written, and change nothing that is
/// read; what is shared with another file, compressed or kept in an inode is written as well with random data, whatever
/// it was. Returns how many bytes that were.
///
/// # Errors
/// The file system does not report its pieces, a write fails, or `stop` became true.
pub(crate) fn complete(
    (file, path): (&File, &Path),
    size: Bytes,
    filling: Filling,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, LabError> {
    let others = match filling {
        Filling::Zeros => extents::UNWRITTEN,
        Filling::Random => {
            extents::UNWRITTEN | extents::SHARED | extents::ENCODED | extents::INLINE
        }
    };
    let rest = rest(file, size, others).map_err(LabError::errno("list the pieces of", path))?;
    disk::fill(file, path, (&rest, filling), stop, progress)?;
    Ok(rest.iter().map(|range| range.end - range.start).sum())
}

/// Returns the pieces of the first `size` bytes of `file` that are holes, or have one of the flags `others`.
fn rest(file: &File, size: Bytes, others: u32) -> Result<Vec<Range<u64>>, Errno> {
    let mut rest = Vec::new();
    let mut at = 0;
    let written = extents::extents(file)?.into_iter().filter(|extent| extent.flags & others == 0);
    for extent in written.take_while(|extent| extent.logical < size.0) {
        if extent.logical > at {
            rest.push(at..extent.logical);
        }
        at = at.max(extent.logical + extent.length);
    }
    if at < size.0 {
        rest.push(at..size.0);
    }
    Ok(rest)
}

/// Writes what a command left unwritten of the image of `disk`, with the zeros that it reads as: mkfs has the device
/// zero a journal, and a loop device has the host do so, which then converts its blocks when they are written, inside
/// the timed parts. Nothing is done while something uses the disk, as it may write the same pieces, nor where the host
/// does not report them.
///
/// # Errors
/// A write fails.
pub(crate) fn complete_after_mkfs(disk: &Disk) -> Result<(), LabError> {
    let Some(image) = disk.image().filter(|_| !disk::is_held(disk.node())) else { return Ok(()) };
    // What a program wrote through the page cache of the device is not in the image yet.
    let flushed = File::open(disk.node()).and_then(|device| device.sync_all());
    flushed.map_err(LabError::io("sync", disk.node()))?;
    disk.check_there()?;
    let path = &image.path;
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).custom_flags(libc::O_NOFOLLOW).open(path);
    let file = file.map_err(LabError::io("open", path))?;
    let never = AtomicBool::new(false);
    match complete((&file, path), disk.size(), Filling::Zeros, &never, &mut |_| {}) {
        Err(LabError::Disk(disk::Error::Io { source, .. })) if is_unreported(&source) => Ok(()),
        written => written.map(drop),
    }
}

/// Whether the file system of an image does not report its pieces.
pub(crate) fn is_unreported(error: &io::Error) -> bool {
    [Errno::OPNOTSUPP, Errno::NOTTY, Errno::INVAL]
        .iter()
        .any(|unknown| error.raw_os_error() == Some(unknown.raw_os_error()))
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
    use std::{
        fs,
        os::unix::fs::{FileExt, MetadataExt},
        sync::atomic::Ordering,
    };

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
    fn what_is_not_written_is_found_and_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("i");
        let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        let size = Bytes(4 << 20);
        file.set_len(size.0).unwrap();
        if let Err(errno) = rest(&file, size, 0) {
            return needs::skip(needs::Need::Other, format!("pieces are not reported: {errno}"));
        }
        let complete = |size| {
            let never = AtomicBool::new(false);
            complete((&file, &path), size, Filling::Zeros, &never, &mut |_| {}).unwrap()
        };
        assert_eq!(complete(Bytes(1 << 20)), 1 << 20, "a hole");
        assert_eq!(complete(Bytes(1 << 20)), 0);
        let reserved = rustix::fs::FallocateFlags::empty();
        rustix::fs::fallocate(&file, reserved, 2 << 20, 1 << 20).unwrap();
        assert_eq!(complete(size), 3 << 20, "holes, and what is only reserved");
        assert_eq!(complete(size), 0);
        let zeroed = rustix::fs::FallocateFlags::ZERO_RANGE;
        if rustix::fs::fallocate(&file, zeroed, 1 << 20, 1 << 20).is_ok() {
            assert_eq!(complete(size), 1 << 20, "zeroed by the host");
        }
        assert!(fs::metadata(&path).unwrap().blocks() * 512 >= size.0);
        file.write_all_at(b"kept", 0).unwrap();
        assert_eq!(complete(size), 0);
        assert_eq!(fs::read(&path).unwrap()[..4], *b"kept");
    }

    /// A copy shares its pieces with what it is of, on file systems that can do that.
    #[test]
    fn what_is_shared_keeps_its_content_under_zeros() {
        let dir = tempfile::tempdir().unwrap();
        let [path, copy] = ["i", "copy"].map(|name| dir.path().join(name));
        fs::write(&path, vec![7; 1 << 20]).unwrap();
        let mut cp = std::process::Command::new("cp");
        let copied = cp.arg("--reflink=auto").args([&path, &copy]).status();
        assert!(copied.unwrap().success());
        let file = File::options().read(true).write(true).open(&copy).unwrap();
        let never = AtomicBool::new(false);
        match complete((&file, &copy), Bytes(1 << 20), Filling::Zeros, &never, &mut |_| {}) {
            Ok(written) => assert_eq!(written, 0),
            Err(error) => return needs::skip(needs::Need::Other, error.to_string()),
        }
        assert_eq!(fs::read(&copy).unwrap(), vec![7; 1 << 20]);
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

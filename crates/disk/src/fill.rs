//! Fills a disk or an image, or parts of it, with incompressible data or with zeros.

use crate::Error;
use model::random::Rng;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::{
    fs::File,
    io,
    ops::Range,
    os::unix::fs::FileExt,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

const CHUNK: usize = 8 << 20;
const PAGE: usize = 4096;

/// What something is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// Random, and no page like another.
    Random,
    /// Zeros.
    Zeros,
}

/// Overwrites the pieces `ranges` of `file`, which is called `path`, and makes them durable; past the page cache where
/// that is allowed. `progress` gets the bytes so far.
///
/// # Errors
/// It cannot be written, or `stop` became true.
pub fn fill(
    file: &File,
    path: &Path,
    (ranges, filling): (&[Range<u64>], Filling),
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<(), Error> {
    let failed = || Error::io("write", path);
    let flags = fcntl_getfl(file).map_err(Error::errno("look at", path))?;
    // A file system without direct I/O refuses the flag, and the file stays buffered.
    let _ = fcntl_setfl(file, flags | OFlags::DIRECT);
    let mut memory = vec![0u8; CHUNK + PAGE];
    let start = memory.as_ptr().align_offset(PAGE);
    let chunk = &mut memory[start..start + CHUNK];
    if filling == Filling::Random {
        randomise(chunk);
    }
    let mut done = 0;
    for range in ranges {
        let mut at = range.start;
        while at < range.end {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped("writing the backing"));
            }
            if filling == Filling::Random {
                for page in (0..CHUNK).step_by(PAGE) {
                    chunk[page..page + 8].copy_from_slice(&(at + page as u64).to_le_bytes());
                }
            }
            let len = CHUNK.min((range.end - at) as usize);
            write_at(file, &chunk[..len], at).map_err(failed())?;
            at += len as u64;
            done += len as u64;
            progress(done);
        }
    }
    fcntl_setfl(file, flags).map_err(Error::errno("look at", path))?;
    file.sync_all().map_err(failed())
}

fn randomise(chunk: &mut [u8]) {
    let mut rng = Rng::new(0x0061_7373_6179);
    for word in chunk.chunks_exact_mut(8) {
        word.copy_from_slice(&rng.next_u64().to_le_bytes());
    }
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

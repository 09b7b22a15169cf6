//! Filling a disk or an image in full with data of which no device stores less.

use crate::Error;
use model::{random::Rng, text::Bytes};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

const CHUNK: usize = 8 << 20;
const PAGE: usize = 4096;

/// Overwrites the first `size` bytes of `file`, which is called `path`, and makes them durable; past the page
/// cache where that is allowed. The content is random and no page like another. `progress` gets the bytes so
/// far.
///
/// # Errors
/// It cannot be written, or `stop` became true.
pub fn fill(
    file: &File,
    path: &Path,
    size: Bytes,
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
    randomise(chunk);
    let mut done = 0;
    while done < size.0 {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped("writing the backing"));
        }
        for page in (0..CHUNK).step_by(PAGE) {
            chunk[page..page + 8].copy_from_slice(&(done + page as u64).to_le_bytes());
        }
        let len = CHUNK.min((size.0 - done) as usize);
        write_at(file, &chunk[..len], done).map_err(failed())?;
        done += len as u64;
        progress(done);
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

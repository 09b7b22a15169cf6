//! The original suite's `get`: maps a column, reads it into memory, and gathers elements from it.

use super::settings::{Settings, Touch};
use crate::TestError;
use engine::map::{PAGE_BYTES, ReadMap};
use std::{fs::File, path::Path, thread};

/// Bytes between two reports of progress: what a worker has not told of when another ends is missing in the rate of
/// the time in which all worked.
const STRIDE_BYTES: u64 = 512 << 10;
/// The same for each of several threads, which are started for each stride.
const THREAD_STRIDE_BYTES: u64 = 16 << 20;

/// Bytes that `threads` do between two reports of progress.
pub(super) fn stride_bytes(threads: u32) -> u64 {
    match threads {
        0 | 1 => STRIDE_BYTES,
        threads => THREAD_STRIDE_BYTES * u64::from(threads),
    }
}

/// open, fstat, mmap, close. Nothing of the data is read yet.
pub(super) fn map(path: &Path, settings: &Settings, populate: bool) -> Result<ReadMap, TestError> {
    let file = File::open(path).map_err(TestError::io("open", path))?;
    let stat = rustix::fs::fstat(&file).map_err(|e| TestError::io("stat", path)(e.into()))?;
    ReadMap::new(&file, stat.st_size as u64, settings.sharing, populate)
        .map_err(TestError::io("map", path))
}

/// [`map`], and a load of the header.
pub(super) fn get(path: &Path, settings: &Settings) -> Result<ReadMap, TestError> {
    let map = map(path, settings, false)?;
    map.touch(0..1).map_err(TestError::io("read", path))?;
    Ok(map)
}

/// [`get`], and all of it made resident as the knob `touch` says; `done` hears of the bytes.
pub(super) fn get_resident(
    path: &Path,
    settings: &Settings,
    threads: u32,
    mut done: impl FnMut(u64),
) -> Result<ReadMap, TestError> {
    let map = map(path, settings, settings.touch == Touch::Populate)?;
    let len = map.len_bytes();
    map.touch(0..1).map_err(TestError::io("read", path))?;
    match settings.touch {
        Touch::Populate => {
            done(len);
            return Ok(map);
        }
        Touch::WillNeed => map.will_need().map_err(TestError::io("advise", path))?,
        Touch::Loads => {}
    }
    let mut at = 0;
    while at < len {
        let end = len.min(at + stride_bytes(threads));
        touch(&map, at, end, threads).map_err(TestError::io("read", path))?;
        done(end - at);
        at = end;
    }
    Ok(map)
}

/// One load of every page between two places, by several threads.
fn touch(map: &ReadMap, from: u64, end: u64, threads: u32) -> std::io::Result<()> {
    if threads <= 1 {
        map.touch(from..end)?;
        return Ok(());
    }
    let share = (end - from).div_ceil(u64::from(threads)).next_multiple_of(PAGE_BYTES);
    thread::scope(|scope| {
        let parts: Vec<_> = (0..u64::from(threads))
            .map(|i| (from + i * share).min(end)..(from + (i + 1) * share).min(end))
            .map(|part| scope.spawn(|| map.touch(part)))
            .collect();
        parts.into_iter().try_for_each(|part| joined(part).map(drop))
    })
}

/// The elements `indices` of the vector at byte `base`, in one part for each thread.
pub(super) fn gather(
    map: &ReadMap,
    base: u64,
    indices: &[u64],
    threads: u32,
) -> std::io::Result<Vec<Vec<u64>>> {
    /// Below this a thread costs more than the elements.
    const WORTH_A_THREAD: usize = 1 << 15;
    let one = |part: &[u64]| {
        let mut out = Vec::with_capacity(part.len());
        map.gather(base, part, &mut out).map(|()| out)
    };
    let threads = (threads as usize).min(indices.len() / WORTH_A_THREAD).max(1);
    if threads == 1 {
        return Ok(vec![one(indices)?]);
    }
    thread::scope(|scope| {
        let share = indices.len().div_ceil(threads);
        let parts: Vec<_> =
            indices.chunks(share).map(|part| scope.spawn(move || one(part))).collect();
        parts.into_iter().map(joined).collect()
    })
}

/// The result of a thread; a panic in it is an error like any other.
pub(super) fn joined<T>(
    handle: thread::ScopedJoinHandle<'_, std::io::Result<T>>,
) -> std::io::Result<T> {
    handle.join().unwrap_or_else(|_| Err(std::io::Error::other("a thread panicked")))
}

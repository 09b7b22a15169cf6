//! Determines the direct I/O of a tool: how many bytes, and whether the file system performs it directly.

use std::{fs, path::Path};
use suites::Measured;

/// Unit of the rates at which data are moved, and the bytes of one.
const RATE: (&str, f64) = ("MB/s", 1e6);

/// Bytes of a part with known operations, each of at least `block` bytes.
pub(super) fn by_operations(measured: &Measured, block: u64) -> u64 {
    measured.bytes.max(measured.ops.saturating_mul(block))
}

/// Bytes of a part by its rate and how long it took; 0 for one that moves no data.
pub(super) fn by_rate(measured: &Measured) -> u64 {
    let rate = measured.metrics.first().filter(|metric| metric.unit == RATE.0);
    rate.map_or(0, |metric| (metric.value * RATE.1 * measured.seconds).round() as u64)
}

/// Names the direct I/O that the file system of `dir` performs, if it sends blocks of `bytes` through the page cache. A
/// refusal of such blocks, or of all direct I/O, is reported to the tool.
pub(super) fn buffered_below(dir: &Path, bytes: u64) -> Option<u32> {
    let block = u32::try_from(bytes).ok()?;
    let path = dir.join(".direct");
    fs::write(&path, vec![1; 2 * block as usize]).ok()?;
    let below = engine::io::open(&path, false, true)
        .and_then(|file| engine::io::buffered_below(&file, block));
    fs::remove_file(&path).ok()?;
    below.ok().flatten()
}

#[cfg(test)]
mod tests;

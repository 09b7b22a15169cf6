//! Fills a target, once for each try.

use super::{FaultCase, Left, of_each, seeds};
use crate::faults::{Filled, MemoryTarget};
use anyhow::Result;
use model::result::{AfterFault, FullDisk};
use std::time::Instant;
use suites::FullWork;

/// Fills the target of `case` as often as `work` says, each time with a fresh file system.
///
/// # Errors
/// The target cannot be made or mounted before it is full.
pub(super) fn filled(case: &FaultCase<'_>, work: FullWork, seed: u64) -> Result<Left> {
    let FullWork { fill, tries, times } = work;
    let start = Instant::now();
    let target = MemoryTarget::make(case.lab, case.target)?;
    let mut disk = FullDisk { fill, seed, device_bytes: target.bytes(), tries: Vec::new() };
    for (_, seed) in seeds(case, tries, seed) {
        disk.tries.push(target.fill(Filled { fill, times, seed })?);
    }
    let (tries, ms) = (disk.tries.len() as u64, of_each(start, disk.tries.len() as u64));
    Ok(Left::new(AfterFault::Full(disk), tries, ms))
}

//! Ages a file system: a population of files is created, replaced again and again, and thinned out, so that the free
//! space becomes fragmented. The same seed has the same operations on every file system.
//!
//! Files are replaced rather than only written (Conway et al., "File Systems Fated for Senescence?",
//! FAST 2017); each cycle moves 1 % of the population's bytes and ends with a sync, as days end.

mod content;
mod population;

pub(crate) use content::Content;

use crate::{
    ageing::{Layout, layout},
    error::LabError,
    page_cache::drop_caches,
};
use model::{plan::AGED_SHARE, text::Bytes};
use population::Population;
use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

/// Share of the space that the population takes while it is churned. Full enough that the allocator
/// must reuse what was freed, with room for the metadata of every file system.
const CHURNED_SHARE: f64 = 0.6;
/// Share of the population's bytes that one cycle writes.
const CYCLE_SHARE: f64 = 0.01;

/// Settings of the ageing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ageing {
    /// Size of the device, the same for every candidate.
    pub space: Bytes,
    /// Cycles of churn; 0 makes and thins out the population alone.
    pub cycles: u32,
    /// Seed of sizes, order and content.
    pub seed: u64,
}

impl Ageing {
    fn population_bytes(&self) -> u64 {
        (self.space.0 as f64 * CHURNED_SHARE) as u64
    }

    /// Bytes that it writes, roughly.
    pub fn write_bytes(&self) -> u64 {
        let cycles = f64::from(self.cycles) * CYCLE_SHARE;
        (self.population_bytes() as f64 * (1.0 + cycles)) as u64
    }
}

/// Result of the ageing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aged {
    /// Layout of the population before the first cycle; `None` if the file system does not report it.
    pub fresh: Option<Layout>,
    /// Layout of its remainder now.
    pub aged: Option<Layout>,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// A fingerprint of every name and length that remains: equal for equal histories.
    pub fingerprint: u64,
}

/// Ages the file system that holds `dir`, a new directory, in which what remains of the population stays
/// as a share of [`AGED_SHARE`] of the space.
///
/// # Errors
/// The file system has no room for the population or cannot be written, or `stop` came.
pub fn age(dir: &Path, how: &Ageing, stop: &AtomicBool) -> Result<Aged, LabError> {
    fs::create_dir(dir).map_err(LabError::io("create", dir))?;
    let target = how.population_bytes();
    let mut population = Population::new(dir, target, how.seed)?;
    population.grow(target, stop)?;
    drop_caches::sync(dir)?;
    let fresh = layout(dir)?;
    let grown = population.written_bytes() as f64;
    for cycle in 1..=how.cycles {
        going_on(stop)?;
        population.churn((grown + target as f64 * CYCLE_SHARE * f64::from(cycle)) as u64)?;
        drop_caches::sync(dir)?;
    }
    population.thin_out((how.space.0 as f64 * AGED_SHARE) as u64)?;
    drop_caches::sync(dir)?;
    Ok(Aged {
        fresh,
        aged: layout(dir)?,
        written_bytes: population.written_bytes(),
        fingerprint: population.fingerprint(),
    })
}

/// An error once `stop` has come.
pub(crate) fn going_on(stop: &AtomicBool) -> Result<(), LabError> {
    match stop.load(Ordering::Relaxed) {
        true => Err(LabError::Disk(disk::Error::Stopped("aging and filling the file system"))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: u64 = 24 << 20;

    fn aged(cycles: u32, seed: u64) -> (Aged, u64) {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("aged");
        let how = Ageing { space: Bytes(SPACE), cycles, seed };
        let aged = age(&dir, &how, &AtomicBool::new(false)).unwrap();
        let files = crate::ownership::private_dir::files(&dir).unwrap();
        (aged, files.iter().map(|file| fs::metadata(file).unwrap().len()).sum())
    }

    #[test]
    fn the_same_seed_leaves_the_same_files() {
        let (first, bytes) = aged(10, 3);
        assert_eq!((first.fingerprint, bytes), (aged(10, 3).0.fingerprint, aged(10, 3).1));
        assert_ne!(first.fingerprint, aged(10, 4).0.fingerprint);
        assert_ne!(first.fingerprint, aged(11, 3).0.fingerprint);
    }

    #[test]
    fn it_writes_what_it_says_and_leaves_its_share() {
        let (aged, bytes) = aged(50, 1);
        let said = Ageing { space: Bytes(SPACE), cycles: 50, seed: 1 }.write_bytes() as f64;
        assert!((aged.written_bytes as f64 / said - 1.0).abs() < 0.1, "{aged:?} {said}");
        let left = bytes as f64 / SPACE as f64;
        assert!(left <= AGED_SHARE && left > AGED_SHARE - 0.03, "{left}");
    }

    #[test]
    fn a_stop_is_heard() {
        let top = tempfile::tempdir().unwrap();
        let how = Ageing { space: Bytes(SPACE), cycles: 1, seed: 1 };
        let result = age(&top.path().join("a"), &how, &AtomicBool::new(true));
        assert!(matches!(result, Err(LabError::Disk(disk::Error::Stopped(_)))));
    }
}

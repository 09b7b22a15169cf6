//! The files of an ageing file system: a seeded sequence of creates, deletes, renames and appends.

use super::{Content, going_on};
use crate::error::LabError;
use model::random::Rng;
use std::{
    f64::consts::TAU,
    fs::{self, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

/// Directories.
const DIRS: u64 = 64;
/// Lengths of files are lognormal: mean and deviation of the logarithm of bytes, as found in five years
/// of file systems (Agrawal, Arpaci-Dusseau and Arpaci-Dusseau, "Generating realistic impressions for
/// file-system benchmarking", FAST 2009).
const LN_BYTES: (f64, f64) = (9.48, 2.46);
/// The longest file, as a part of the population: one file must not be all of it.
const LONGEST_PART: u64 = 64;
/// Bytes that an append adds: one to sixteen pages.
const APPEND_PAGES: u64 = 16;

#[derive(Clone, Copy, Debug, Hash)]
struct Entry {
    dir: u64,
    name: u64,
    len: u64,
}

/// The files, and what was done to them.
#[derive(Debug)]
pub(super) struct Population {
    root: PathBuf,
    rng: Rng,
    content: Content,
    entries: Vec<Entry>,
    /// The size around which it is churned, bytes.
    target: u64,
    bytes: u64,
    names: u64,
    written: u64,
}

impl Population {
    /// An empty one in `root`.
    pub(super) fn new(root: &Path, target: u64, seed: u64) -> Result<Population, LabError> {
        for dir in 0..DIRS {
            let dir = root.join(format!("d{dir}"));
            fs::create_dir(&dir).map_err(LabError::io("create", &dir))?;
        }
        Ok(Population {
            root: root.into(),
            rng: Rng::new(seed),
            content: Content::new(!seed),
            entries: Vec::new(),
            target,
            bytes: 0,
            names: 0,
            written: 0,
        })
    }

    /// Creates files until they have `bytes`.
    pub(super) fn grow(&mut self, bytes: u64, stop: &AtomicBool) -> Result<(), LabError> {
        while self.bytes < bytes {
            going_on(stop)?;
            self.create()?;
        }
        Ok(())
    }

    /// Writes files and ends of files, removes as many bytes, and renames, until `end` bytes were
    /// written in all.
    pub(super) fn churn(&mut self, end: u64) -> Result<(), LabError> {
        while self.written < end {
            match self.rng.below(8) {
                _ if self.entries.is_empty() => self.create()?,
                0 => self.rename()?,
                1..4 => self.append()?,
                _ => self.create()?,
            }
            self.thin_out(self.target)?;
        }
        Ok(())
    }

    /// Removes files, whichever, until they have no more than `bytes`.
    pub(super) fn thin_out(&mut self, bytes: u64) -> Result<(), LabError> {
        while self.bytes > bytes {
            let index = self.any();
            let entry = self.entries.swap_remove(index);
            let path = self.path(&entry);
            fs::remove_file(&path).map_err(LabError::io("remove", &path))?;
            self.bytes -= entry.len;
        }
        Ok(())
    }

    pub(super) fn written_bytes(&self) -> u64 {
        self.written
    }

    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.entries.hash(&mut hasher);
        hasher.finish()
    }

    fn path(&self, entry: &Entry) -> PathBuf {
        self.root.join(format!("d{}/f{}", entry.dir, entry.name))
    }

    fn any(&mut self) -> usize {
        self.rng.below(self.entries.len() as u64) as usize
    }

    /// A place where no file is yet, for `len` bytes.
    fn place(&mut self, len: u64) -> Entry {
        self.names += 1;
        Entry { dir: self.rng.below(DIRS), name: self.names, len }
    }

    fn create(&mut self) -> Result<(), LabError> {
        let len = draw_len(&mut self.rng).clamp(1, (self.target / LONGEST_PART).max(1));
        let entry = self.place(len);
        self.write(&entry, len)?;
        self.entries.push(entry);
        Ok(())
    }

    fn append(&mut self) -> Result<(), LabError> {
        let (index, len) = (self.any(), 4096 * (1 + self.rng.below(APPEND_PAGES)));
        let entry = self.entries[index];
        self.write(&entry, len)?;
        self.entries[index].len += len;
        Ok(())
    }

    fn rename(&mut self) -> Result<(), LabError> {
        let index = self.any();
        let old = self.entries[index];
        let new = self.place(old.len);
        let (from, to) = (self.path(&old), self.path(&new));
        fs::rename(&from, &to).map_err(LabError::io("rename", &from))?;
        self.entries[index] = new;
        Ok(())
    }

    /// Writes `len` bytes at the end of the file of `entry`.
    fn write(&mut self, entry: &Entry, len: u64) -> Result<(), LabError> {
        let path = self.path(entry);
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| self.content.write(&mut file, len))
            .map_err(LabError::io("write", &path))?;
        self.bytes += len;
        self.written += len;
        Ok(())
    }
}

/// A length in bytes; normal deviates by Box and Muller (1958).
fn draw_len(rng: &mut Rng) -> u64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    let normal = radius * (TAU * rng.unit()).cos();
    (LN_BYTES.0 + LN_BYTES.1 * normal).exp() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_the_median_of_their_source() {
        let mut rng = Rng::new(1);
        let mut lengths: Vec<u64> = (0..20_001).map(|_| draw_len(&mut rng)).collect();
        lengths.sort_unstable();
        let median = lengths[10_000] as f64;
        assert!((median.ln() - LN_BYTES.0).abs() < 0.1, "{median}");
        // One deviation above the mean of the logarithm: 84.1 %.
        assert!(((lengths[16_827] as f64).ln() - LN_BYTES.0 - LN_BYTES.1).abs() < 0.1);
    }

    #[test]
    fn the_files_are_those_of_the_entries() {
        let dir = tempfile::tempdir().unwrap();
        let mut population = Population::new(dir.path(), 1 << 20, 2).unwrap();
        population.grow(1 << 20, &AtomicBool::new(false)).unwrap();
        population.churn(2 << 20).unwrap();
        assert!(population.bytes <= 1 << 20);
        for entry in &population.entries {
            assert_eq!(fs::metadata(population.path(entry)).unwrap().len(), entry.len);
        }
        let found = crate::ownership::private_dir::files(dir.path()).unwrap().len();
        assert_eq!(found, population.entries.len());
        population.thin_out(0).unwrap();
        assert!(crate::ownership::private_dir::files(dir.path()).unwrap().is_empty());
    }
}

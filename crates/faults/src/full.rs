//! Files that fill a disk: their content, and what a file system has to hold of them after their syncs have returned to
//! a program.

use model::random::Rng;
use std::collections::BTreeMap;

/// Bytes of a block, all of which is of one version.
pub const BLOCK: usize = 4096;
/// Blocks of random data from which all files are made.
const BLOCKS: usize = 256;

/// The content of files. Each block begins with its file, its place and its version, so it is like no other.
#[derive(Clone, Debug)]
pub struct Content {
    random: Vec<u8>,
}

impl Content {
    /// The content of this seed.
    pub fn new(seed: u64) -> Content {
        let mut rng = Rng::new(seed);
        let words = (0..BLOCKS * BLOCK / 8).flat_map(|_| rng.next_u64().to_le_bytes());
        Content { random: words.collect() }
    }

    /// Block `number` of `file`, as it was written in this version; the first is 0.
    pub fn block(&self, file: u64, number: u64, version: u64) -> Vec<u8> {
        let at = (number.wrapping_mul(31).wrapping_add(file) % BLOCKS as u64) as usize * BLOCK;
        let mut block = self.random[at..at + BLOCK].to_vec();
        for (at, word) in [file, number, version].into_iter().enumerate() {
            block[at * 8..at * 8 + 8].copy_from_slice(&word.to_le_bytes());
        }
        block
    }

    /// `length` bytes of the first version of `file` from byte `at`.
    pub fn bytes(&self, file: u64, at: u64, length: usize) -> Vec<u8> {
        let block = BLOCK as u64;
        let skipped = (at % block) as usize;
        let count = (skipped + length).div_ceil(BLOCK) as u64;
        let blocks = (at / block..at / block + count).map(|number| self.block(file, number, 0));
        let mut all: Vec<u8> = blocks.flatten().collect();
        all.drain(..skipped);
        all.truncate(length);
        all
    }
}

/// What a file has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// The number of its content.
    pub file: u64,
    /// Bytes that an fsync has acknowledged.
    pub bytes: u64,
    /// Blocks that were written again, each with the versions that it may have.
    pub changed: BTreeMap<u64, Vec<u64>>,
}

impl Kept {
    /// A file of which nothing is acknowledged yet but its name.
    pub fn new(name: String, file: u64) -> Kept {
        Kept { name, file, bytes: 0, changed: BTreeMap::new() }
    }

    /// Notes that `version` of block `number` was acknowledged, or was refused after it may have been written.
    pub fn change(&mut self, number: u64, version: u64, is_acknowledged: bool) {
        let versions = self.changed.entry(number).or_insert_with(|| vec![0]);
        if is_acknowledged {
            versions.clear();
        }
        versions.push(version);
    }

    /// What is wrong where its content is `found`; `None` if all that was acknowledged is there. What was not may be
    /// there as well.
    pub fn wrong(&self, content: &Content, found: &[u8]) -> Option<String> {
        let length = found.len() as u64;
        if length < self.bytes {
            return Some(format!("{} bytes long, and {} were synced", length, self.bytes));
        }
        let acknowledged = &found[..self.bytes as usize];
        let mut blocks = acknowledged.chunks(BLOCK).enumerate();
        blocks.find_map(|(number, block)| {
            let number = number as u64;
            let versions = self.changed.get(&number).map_or(&[0][..], Vec::as_slice);
            let is_one =
                |version: &u64| content.block(self.file, number, *version).starts_with(block);
            if versions.iter().any(is_one) {
                return None;
            }
            let what = if block.iter().all(|byte| *byte == 0) { "zeros" } else { "other data" };
            Some(format!("{what} in block {number}, which was synced"))
        })
    }
}

#[cfg(test)]
mod tests;

//! Faults of one leg of a mirror: the files of the workload, the block of a leg that is overwritten, and the request
//! from which on a leg is lost.

use crate::{log::Log, turned_bit::last};
use model::random::Rng;
use std::ops::Range;

/// Files of a workload: together they take several blocks of the tree that holds names and inodes.
pub const FILES: u64 = 64;
/// Bytes of a file: more than is kept in a tree.
pub const FILE_BYTES: usize = 16 << 10;
/// Bytes that are overwritten: no file system keeps a sum of fewer.
pub const BLOCK: usize = 4096;

/// The name of a file by its number; no name is within another.
pub fn name(file: u64) -> String {
    format!("a-file-of-the-mirror-with-the-number-{file:02}")
}

/// The content of a file: random, so that each block is found once. What has another `version` has another content.
pub fn content(seed: u64, file: u64, version: u64) -> Vec<u8> {
    let number = file * 2 + version;
    let mut rng = Rng::new(seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    (0..FILE_BYTES / 8).flat_map(|_| rng.next_u64().to_le_bytes()).collect()
}

/// What a block is overwritten with.
pub fn garbage(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(!seed);
    (0..BLOCK / 8).flat_map(|_| rng.next_u64().to_le_bytes()).collect()
}

/// The leg that has the fault, 0 or 1.
pub fn leg(seed: u64) -> usize {
    usize::from(Rng::new(seed ^ 0x1e6).next_u64() % 2 == 1)
}

/// The number of requests that a leg answers before it is lost, of `all` that it would get: at least one is lost.
pub fn answered(seed: u64, all: u64) -> u64 {
    Rng::new(seed ^ 0x105).next_u64() % all.max(1)
}

/// A drawn block of the data in `log`, all of which is of `seed` and version 0, as bytes of the disk; `None` where it
/// was not written as it is.
pub fn data_block(log: &Log, seed: u64) -> Option<Range<u64>> {
    let mut rng = Rng::new(seed ^ 0xb10c);
    let file = rng.next_u64() % FILES;
    let at = (rng.next_u64() as usize % (FILE_BYTES / BLOCK)) * BLOCK;
    Some(last(log, &content(seed, file, 0)[at..at + BLOCK])?.range)
}

/// A drawn block of the tree that holds names and inodes, as bytes of the disk: one that has the name of a file, where
/// it was written last. `None` where no name was written as it is.
pub fn tree_block(log: &Log, seed: u64) -> Option<Range<u64>> {
    let file = Rng::new(seed ^ 0x7ee).next_u64() % FILES;
    let found = last(log, name(file).as_bytes())?;
    let start = found.range.start / BLOCK as u64 * BLOCK as u64;
    Some(start..start + BLOCK as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Event;
    use std::collections::BTreeSet;

    #[test]
    fn each_file_and_version_has_its_own_content() {
        let versions = (0..FILES).flat_map(|file| [0, 1].map(|version| content(9, file, version)));
        let all: BTreeSet<Vec<u8>> = versions.collect();
        assert_eq!(all.len() as u64, 2 * FILES);
        assert!(all.iter().all(|content| content.len() == FILE_BYTES));
        assert_eq!(content(9, 3, 1), content(9, 3, 1));
        assert!(!all.contains(&content(10, 3, 1)));
    }

    #[test]
    fn draws_reach_both_legs_and_every_request() {
        let legs: BTreeSet<usize> = (0..20).map(leg).collect();
        assert_eq!(legs, BTreeSet::from([0, 1]));
        let answered: BTreeSet<u64> = (0..200).map(|seed| answered(seed, 7)).collect();
        assert_eq!(answered, (0..7).collect());
        assert_eq!(super::answered(1, 0), 0);
    }

    #[test]
    fn drawn_data_is_found_where_it_was_written() {
        let mut log = Log::new(8 << 20);
        for file in 0..FILES {
            log.write((1 << 20) + file * (64 << 10), &content(5, file, 0)).unwrap();
        }
        // The same file with another seed is not looked for.
        log.write(0, &content(6, 0, 0)).unwrap();
        let found = data_block(&log, 5).unwrap();
        let file = (found.start - (1 << 20)) / (64 << 10);
        let within = ((found.start - (1 << 20)) % (64 << 10)) as usize;
        let known = content(5, file, 0)[within..within + BLOCK].to_vec();
        let written = log.written(usize::MAX);
        let (start, data) = &written[file as usize];
        let at = (found.start - start) as usize;
        assert_eq!(data[at..at + BLOCK], known);
        assert_eq!(found.end - found.start, BLOCK as u64);
        assert_eq!(data_block(&log, 7), None, "nothing of it was written");
    }

    #[test]
    fn drawn_name_is_found_where_it_was_written_last() {
        let mut block = vec![0; BLOCK];
        let mut log = Log::new(1 << 20);
        let names: Vec<String> = (0..FILES).map(name).collect();
        for (at, name) in [(0, "before"), (8192, "again"), (1 << 16, "elsewhere")] {
            block.fill(0);
            let all: Vec<u8> = names.iter().flat_map(|name| name.bytes()).collect();
            block[64..64 + all.len().min(4000)].copy_from_slice(&all[..all.len().min(4000)]);
            block[..name.len()].copy_from_slice(name.as_bytes());
            log.write(at, &block).unwrap();
            log.push(Event::Flush);
        }
        for seed in 0..20 {
            assert_eq!(tree_block(&log, seed), Some(1 << 16..(1 << 16) + 4096), "{seed}");
        }
        assert!(names.iter().all(|one| names.iter().filter(|own| own.contains(one)).count() == 1));
        assert_eq!(tree_block(&Log::new(0), 1), None);
    }
}

//! Faults of one leg of a mirror: the files of the workload, the block of a leg that is overwritten, and the request
//! from which on a leg is lost.

use crate::{
    log::{Event, Log},
    turned_bit::{Spot, last},
};
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

/// One of `among`, which is drawn to have the fault; `None` of none.
pub fn drawn<T>(seed: u64, among: Vec<T>) -> Option<T> {
    let number = Rng::new(seed ^ 0x1e6).next_u64() % among.len().max(1) as u64;
    among.into_iter().nth(number as usize)
}

/// All sets of `size` of the `legs`, by their numbers.
pub fn sets(legs: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| {
            let first = set.last().map_or(0, |last| last + 1);
            (first..legs).map(|leg| [set.clone(), vec![leg]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The number of requests that a leg answers before it is lost, of `all` that it would get: at least one is lost.
pub fn answered(seed: u64, all: u64) -> u64 {
    Rng::new(seed ^ 0x105).next_u64() % all.max(1)
}

/// A drawn leg and a block of its data, all of which is of `seed` and version 0, as bytes of the disk; `None` where no
/// leg was written it as it is.
pub fn data_block(logs: &[Log], seed: u64) -> Option<(usize, Range<u64>)> {
    let mut rng = Rng::new(seed ^ 0xb10c);
    let file = rng.next_u64() % FILES;
    let at = (rng.next_u64() as usize % (FILE_BYTES / BLOCK)) * BLOCK;
    let data = content(seed, file, 0);
    let (leg, spot) = drawn(seed, spots(logs, &data[at..at + BLOCK]))?;
    Some((leg, spot.range))
}

/// A drawn leg and a block of its tree that holds names and inodes, as bytes of the disk: one that has the name of a
/// file, in the version that was written last of all. A leg that did not get that one has a block that is in no tree
/// any more. `None` where no name was written as it is.
pub fn tree_block(logs: &[Log], seed: u64) -> Option<(usize, Range<u64>)> {
    let file = Rng::new(seed ^ 0x7ee).next_u64() % FILES;
    let mut all = spots(logs, name(file).as_bytes());
    let newest = all.iter().max_by_key(|(leg, spot)| stamp(&logs[*leg], spot))?;
    let newest = block(&logs[newest.0], &newest.1).to_vec();
    all.retain(|(leg, spot)| block(&logs[*leg], spot) == newest);
    let (leg, spot) = drawn(seed, all)?;
    let start = start(&spot);
    Some((leg, start..start + BLOCK as u64))
}

/// The legs to which `needle` was written, and where to each it was written last.
fn spots(logs: &[Log], needle: &[u8]) -> Vec<(usize, Spot)> {
    let all = logs.iter().enumerate();
    all.filter_map(|(leg, log)| Some((leg, last(log, needle)?))).collect()
}

/// When the write of `spot` came, among all requests to all disks.
fn stamp(log: &Log, spot: &Spot) -> Option<u64> {
    log.stamped().nth(spot.event?).map(|(stamp, _)| stamp)
}

/// Where the block begins in which `spot` begins, in bytes of the disk.
fn start(spot: &Spot) -> u64 {
    spot.range.start / BLOCK as u64 * BLOCK as u64
}

/// What the write of `spot` has of that block.
fn block<'l>(log: &'l Log, spot: &Spot) -> &'l [u8] {
    let event = spot.event.and_then(|number| log.events().get(number));
    let Some(Event::Write { offset, data }) = event else { return &[] };
    let from = start(spot).saturating_sub(*offset) as usize;
    let data = log.data(data).get(from..).unwrap_or_default();
    &data[..data.len().min(BLOCK)]
}

#[cfg(test)]
mod tests {
    use super::*;
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
        for legs in 2..5 {
            let drawn: BTreeSet<usize> =
                (0..40).filter_map(|seed| drawn(seed, (0..legs).collect())).collect();
            assert_eq!(drawn, (0..legs).collect());
        }
        assert_eq!(drawn::<usize>(1, Vec::new()), None);
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
        let (leg, found) = data_block(&[Log::new(0), log.clone()], 5).unwrap();
        assert_eq!(leg, 1, "the other leg has none of it");
        let file = (found.start - (1 << 20)) / (64 << 10);
        let within = ((found.start - (1 << 20)) % (64 << 10)) as usize;
        let known = content(5, file, 0)[within..within + BLOCK].to_vec();
        let written = log.written(usize::MAX);
        let (start, data) = &written[file as usize];
        let at = (found.start - start) as usize;
        assert_eq!(data[at..at + BLOCK], known);
        assert_eq!(found.end - found.start, BLOCK as u64);
        assert_eq!(data_block(&[log], 7), None, "nothing of it was written");
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
            let found = tree_block(std::slice::from_ref(&log), seed);
            assert_eq!(found, Some((0, 1 << 16..(1 << 16) + 4096)), "{seed}");
        }
        assert!(names.iter().all(|one| names.iter().filter(|own| own.contains(one)).count() == 1));
        assert_eq!(tree_block(&[Log::new(0)], 1), None);
    }

    #[test]
    fn a_leg_with_an_old_version_of_a_name_is_not_drawn() {
        let file = name(Rng::new(3 ^ 0x7ee).next_u64() % FILES);
        let leg = |stamp: u64, at: u64, version: u8| {
            let mut block = vec![version; BLOCK];
            block[64..64 + file.len()].copy_from_slice(file.as_bytes());
            let mut log = Log::new(1 << 20);
            log.stamp(stamp);
            log.write(at, &block).unwrap();
            log
        };
        let logs = [leg(5, 8192, 2), leg(3, 4096, 1), leg(6, 8192, 2), leg(2, 4096, 1)];
        let drawn: Vec<_> = (0..100).filter_map(|seed| tree_block(&logs, seed)).collect();
        let is_new = |(leg, block): &(usize, Range<u64>)| leg % 2 == 0 && block.start == 8192;
        assert!(!drawn.is_empty() && drawn.iter().all(is_new), "{drawn:?}");
    }

    #[test]
    fn sets_are_all_of_their_size() {
        assert_eq!(sets(2, 1), [[0], [1]]);
        assert_eq!(sets(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(sets(4, 3), [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]);
        assert_eq!(sets(4, 2).len(), 6);
        assert_eq!(sets(1, 2), Vec::<Vec<usize>>::new());
    }
}

//! Silent corruption: finds the write to damage in the log of a disk, and makes the state in which it is lost,
//! misdirected or changed.

use crate::{
    failed_write::Traits,
    log::{Event, Log},
};
use model::{
    random::Rng,
    result::{DamagedPlace, SilentFault},
};
use std::ops::Range;

/// Name of the file that is damaged: long, so that it is found nowhere else, and no multiple of what a file system
/// compares.
pub const NAME: &str = "a-file-whose-name-stands-in-its-directory-as-it-is-written";
/// What a symbolic link leads to: short enough to lie in an inode.
pub const LINK_TARGET: &str = "a-target-that-is-kept-in-the-inode-of-its-link";
/// Bytes of a file: more than an inode holds.
pub const FILE_BYTES: usize = 64 << 10;
/// Blocks of the file of many pieces, each followed by a hole as large, so that a tree is needed to find them.
pub const PIECES: u64 = 600;
/// Bytes of a piece.
pub const PIECE_BYTES: usize = 4096;
/// Bytes in which a file system with sums keeps one of them at least.
const BLOCK: usize = 4096;
/// Magic number and depth 0 of a block of ext4's extents (`fs/ext4/ext4_extents.h`), and where the depth is.
const EXT4_EXTENTS: [u8; 2] = [0x0a, 0xf3];
const EXT4_DEPTH_AT: usize = 6;
/// Magic number of a block of XFS's map of a file, and where its level is (`xfs_format.h`).
const XFS_MAP: [u8; 4] = *b"BMA3";
const XFS_LEVEL_AT: usize = 4;
/// In a tree block of Btrfs the id of the file system, the owner, and the level (`btrfs_tree.h`).
const BTRFS_FSID_AT: usize = 32;
const BTRFS_OWNER_AT: usize = 88;
const BTRFS_LEVEL_AT: usize = 100;
/// The tree with files, of Btrfs.
const BTRFS_FILES: [u8; 8] = [5, 0, 0, 0, 0, 0, 0, 0];

/// A file of the workload, by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The one that is damaged.
    Damaged,
    /// The same, before it was written over.
    Before,
    /// Another, which a misdirected write hits.
    Other,
    /// The one of many pieces.
    Pieces,
}

/// The content of a file; random, so that it is found once.
pub fn content(role: Role, seed: u64) -> Vec<u8> {
    let (bytes, role) = match role {
        Role::Damaged => (FILE_BYTES, 0),
        Role::Before => (FILE_BYTES, 1),
        Role::Other => (FILE_BYTES, 2),
        Role::Pieces => (PIECE_BYTES * PIECES as usize, 3),
    };
    let mut rng = Rng::new(seed ^ (role << 62));
    (0..bytes / 8).flat_map(|_| rng.next_u64().to_le_bytes()).collect()
}

/// One write of a log, and the bytes of the disk in it that matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its number among the events of the log; `None` for bytes that are damaged wherever they came from.
    pub event: Option<usize>,
    /// Bytes of the disk.
    pub range: Range<u64>,
}

/// Where `place` was written last: more than one spot where the file system keeps copies. `None` where it has no such
/// place; no spot where it should, and it was not found.
pub fn spots(traits: &Traits, place: DamagedPlace, log: &Log, seed: u64) -> Option<Vec<Spot>> {
    let middle = FILE_BYTES / 2;
    let found = match place {
        DamagedPlace::Data => last(log, &content(Role::Damaged, seed)[middle..middle + BLOCK]),
        DamagedPlace::Name => last(log, NAME.as_bytes()),
        DamagedPlace::Inode => last(log, LINK_TARGET.as_bytes()),
        DamagedPlace::Tree => last_block(log, tree_block(traits)?),
        DamagedPlace::Superblock => {
            let range = superblock(traits.kind())?;
            return Some(vec![Spot { event: None, range }]);
        }
    };
    let Some(found) = found else { return Some(Vec::new()) };
    // Others have written it before to a journal, which is no copy that is ever read.
    let has_copies = traits.kind() == "btrfs";
    Some(if has_copies { copies(log, traits.fsid(), found) } else { vec![found] })
}

/// Where the first superblock is.
fn superblock(kind: &str) -> Option<Range<u64>> {
    match kind {
        "ext4" => Some(1024..2048),
        "xfs" => Some(0..512),
        "btrfs" => Some(65_536..69_632),
        _ => None,
    }
}

/// Says of a block whether it is one of a tree that leads to data.
fn tree_block(traits: &Traits) -> Option<impl Fn(&[u8]) -> bool> {
    let (fsid, kind) = (traits.fsid(), traits.kind().to_owned());
    matches!(kind.as_str(), "ext4" | "xfs" | "btrfs").then_some(move |block: &[u8]| {
        let has = |at: usize, bytes: &[u8]| block.get(at..).is_some_and(|b| b.starts_with(bytes));
        match kind.as_str() {
            "ext4" => has(0, &EXT4_EXTENTS) && has(EXT4_DEPTH_AT, &[0, 0]),
            "xfs" => has(0, &XFS_MAP) && has(XFS_LEVEL_AT, &[0, 0]),
            _ => {
                has(BTRFS_FSID_AT, &fsid)
                    && has(BTRFS_OWNER_AT, &BTRFS_FILES)
                    && has(BTRFS_LEVEL_AT, &[0])
            }
        }
    })
}

/// The writes of `log`, the last one first: number, place and data.
fn backwards(log: &Log) -> impl Iterator<Item = (usize, u64, &[u8])> {
    log.events().iter().enumerate().rev().filter_map(|(number, event)| match event {
        Event::Write { offset, data } => Some((number, *offset, log.data(data))),
        _ => None,
    })
}

/// Where `needle` was written last: after a journal, in its own place.
pub(crate) fn last(log: &Log, needle: &[u8]) -> Option<Spot> {
    backwards(log).find_map(|(event, offset, data)| {
        let at = data.windows(needle.len()).position(|bytes| bytes == needle)?;
        Some(spot(event, offset, at, needle.len()))
    })
}

/// The last block that was written and `is_one`.
fn last_block(log: &Log, is_one: impl Fn(&[u8]) -> bool) -> Option<Spot> {
    backwards(log).find_map(|(event, offset, data)| {
        let at = data.chunks(BLOCK).rposition(|block| block.len() == BLOCK && is_one(block))?;
        Some(spot(event, offset, at * BLOCK, BLOCK))
    })
}

fn spot(event: usize, offset: u64, at: usize, length: usize) -> Spot {
    let start = offset + at as u64;
    Spot { event: Some(event), range: start..start + length as u64 }
}

/// All places at which the same was written as around `found`, in the order of the disk. A block of a tree is known by
/// its head, which has its number and sum: further on an older one may be the same.
fn copies(log: &Log, fsid: [u8; 8], found: Spot) -> Vec<Spot> {
    let own = backwards(log).find(|(event, ..)| Some(*event) == found.event);
    let Some((_, offset, data)) = own else { return vec![found] };
    let at = found.range.start.saturating_sub(offset) as usize;
    let is_head = |block: &&[u8]| block.get(BTRFS_FSID_AT..).is_some_and(|b| b.starts_with(&fsid));
    let blocks = data.chunks(BLOCK).take(at / BLOCK + 1).enumerate();
    let (head, block) = match blocks.clone().rfind(|(_, block)| is_head(block)) {
        Some(head) => head,
        None => (at / BLOCK, &data[at / BLOCK * BLOCK..data.len().min((at / BLOCK + 1) * BLOCK)]),
    };
    let (within, length) = (at - head * BLOCK, (found.range.end - found.range.start) as usize);
    let mut all: Vec<Spot> = Vec::new();
    for (event, offset, data) in backwards(log) {
        for (number, _) in data.chunks(BLOCK).enumerate().filter(|(_, other)| *other == block) {
            let spot = spot(event, offset, number * BLOCK + within, length);
            if !all.iter().any(|known| known.range == spot.range) {
                all.push(spot);
            }
        }
    }
    all.sort_by_key(|spot| spot.range.start);
    all
}

/// What is written to a disk that does not do as it was told: the writes of `log` without, or with another place for,
/// that of `spot`. `other` is where a misdirected write goes. A turned bit changes no write.
pub fn written(log: &Log, fault: SilentFault, spot: &Spot, other: u64) -> Vec<(u64, Vec<u8>)> {
    let all = log.events().len();
    let mut written = Vec::new();
    for number in 0..all {
        let is_hit = spot.event == Some(number);
        match (&log.events()[number], fault) {
            (_, SilentFault::LostWrite) if is_hit => {}
            (Event::Write { data, .. }, SilentFault::MisdirectedWrite) if is_hit => {
                written.push((other, log.data(data).to_vec()));
            }
            (Event::Write { offset, data }, _) => written.push((*offset, log.data(data).to_vec())),
            (Event::Discard { offset, length }, _) => {
                written.push((*offset, vec![0; usize::try_from(*length).unwrap_or(0)]));
            }
            (Event::Flush | Event::Mark(_), _) => {}
        }
    }
    written
}

/// Where the content of the file that a misdirected write hits begins; `None` where it is not written as it is.
pub fn other_place(log: &Log, seed: u64) -> Option<u64> {
    last(log, &content(Role::Other, seed)[..BLOCK]).map(|spot| spot.range.start)
}

/// The bit of `range` that `seed` chooses, as its number on the disk.
pub fn bit_of(range: &Range<u64>, seed: u64) -> u64 {
    let bits = range.end.saturating_sub(range.start).saturating_mul(8).max(1);
    range.start * 8 + Rng::new(seed).next_u64() % bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traits(kind: &str) -> Traits {
        Traits::of(kind, &[], &[])
    }

    fn log(writes: &[(u64, &[u8])]) -> Log {
        let mut log = Log::new(1 << 20);
        for (offset, data) in writes {
            log.write(*offset, data).unwrap();
            log.push(Event::Flush);
        }
        log
    }

    fn block(at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[at..at + bytes.len()].copy_from_slice(bytes);
        block
    }

    #[test]
    fn the_last_place_of_what_was_written_is_found() {
        let name = block(100, NAME.as_bytes());
        let writes = [(4096, name.as_slice()), (8192, &[1; 4096]), (40_960, &name), (0, &[2; 512])];
        let found = spots(&traits("ext4"), DamagedPlace::Name, &log(&writes), 1).unwrap();
        let end = 41_060 + NAME.len() as u64;
        assert_eq!(found, [Spot { event: Some(4), range: 41_060..end }]);
        let none = spots(&traits("ext4"), DamagedPlace::Inode, &log(&writes), 1);
        assert_eq!(none, Some(Vec::new()));
    }

    /// A node of Btrfs of 16 KiB with this number in its head, and the name in its last block.
    fn node(number: u8) -> Vec<u8> {
        let mut head = block(BTRFS_FSID_AT, b"fsid-of-");
        head[48] = number;
        [head, block(0, &[]), block(0, &[]), block(100, NAME.as_bytes())].concat()
    }

    #[test]
    fn copies_are_found_on_btrfs_and_older_nodes_are_none() {
        let mut head = vec![0; 128 << 10];
        head[65_536 + BTRFS_FSID_AT..][..8].copy_from_slice(b"fsid-of-");
        let traits = Traits::of("btrfs", &[], &head);
        let two = [vec![9; 4096], node(7)].concat();
        let writes = [(0, node(6)), (65_536, two), (1 << 20, node(7)), (2 << 20, block(0, &[1]))];
        let writes = writes.each_ref().map(|(at, data)| (*at, data.as_slice()));
        let found = spots(&traits, DamagedPlace::Name, &log(&writes), 1).unwrap();
        let places: Vec<u64> = found.iter().map(|spot| spot.range.start).collect();
        let within = 3 * 4096 + 100;
        assert_eq!(places, [65_536 + 4096 + within, (1 << 20) + within]);
        assert_eq!(found[0].event, Some(2));
    }

    #[test]
    fn copies_of_data_are_known_by_the_data() {
        let data = content(Role::Damaged, 1);
        let writes = [(1 << 20, data.as_slice()), (2 << 20, &data)];
        let found = spots(&traits("btrfs"), DamagedPlace::Data, &log(&writes), 1).unwrap();
        let places: Vec<u64> = found.iter().map(|spot| spot.range.start).collect();
        assert_eq!(places, [(1 << 20) + 32_768, (2 << 20) + 32_768]);
    }

    #[test]
    fn blocks_of_trees_are_known_by_what_they_begin_with() {
        let leaf = block(0, &[0x0a, 0xf3, 5, 0, 84, 0, 0, 0]);
        let index = block(0, &[0x0a, 0xf3, 5, 0, 84, 0, 1, 0]);
        let both = log(&[(4096, &leaf), (8192, &index)]);
        let found = spots(&traits("ext4"), DamagedPlace::Tree, &both, 1).unwrap();
        assert_eq!(found, [Spot { event: Some(0), range: 4096..8192 }]);
        let map = log(&[(0, &block(0, b"BMA3\0\0")), (4096, &block(0, b"BMA3\0\x01"))]);
        let found = spots(&traits("xfs"), DamagedPlace::Tree, &map, 1).unwrap();
        assert_eq!(found, [Spot { event: Some(0), range: 0..4096 }]);
        assert_eq!(spots(&traits("f2fs"), DamagedPlace::Tree, &map, 1), None);
        assert_eq!(spots(&traits("f2fs"), DamagedPlace::Superblock, &map, 1), None);
    }

    #[test]
    fn a_write_is_lost_or_goes_elsewhere() {
        let log = log(&[(0, b"a"), (512, b"b"), (1024, b"c")]);
        let spot = Spot { event: Some(2), range: 512..513 };
        let of = |fault| {
            let all = written(&log, fault, &spot, 9);
            all.into_iter().map(|(at, data)| (at, data[0])).collect::<Vec<_>>()
        };
        assert_eq!(of(SilentFault::LostWrite), [(0, b'a'), (1024, b'c')]);
        assert_eq!(of(SilentFault::MisdirectedWrite), [(0, b'a'), (9, b'b'), (1024, b'c')]);
        assert_eq!(of(SilentFault::TurnedBit).len(), 3);
    }

    #[test]
    fn a_drawn_bit_is_in_its_range_and_the_same_again() {
        let drawn: Vec<u64> = (0..50).map(|seed| bit_of(&(512..520), seed)).collect();
        assert!(drawn.iter().all(|bit| (4096..4160).contains(bit)), "{drawn:?}");
        assert!(drawn.iter().any(|bit| *bit != drawn[0]));
        assert_eq!(drawn[7], bit_of(&(512..520), 7));
    }

    #[test]
    fn contents_of_a_seed_differ() {
        let roles = [Role::Damaged, Role::Before, Role::Other].map(|role| content(role, 1));
        assert!(roles[0] != roles[1] && roles[1] != roles[2] && roles[0] != roles[2]);
        assert!(roles.iter().all(|content| content.len() == FILE_BYTES));
        assert_ne!(content(Role::Damaged, 1), content(Role::Damaged, 2));
    }
}

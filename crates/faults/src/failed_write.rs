//! What becomes of an fsync during which the disk fails, and of what it was to save: after Rebello et al., "Can
//! Applications Recover from fsync Failures?" (ATC 2020).

use crate::rule::{On, Pattern, Rule, What, When};
use std::ops::Range;

/// What the workload does before the fsync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Writes over a block that is on the disk.
    Overwrite,
    /// Writes a block behind the end of the file.
    Append,
}

/// What fails, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failing {
    /// The first write of the data.
    Data,
    /// The write of the data in its own place, where it is written to a journal first.
    DataInPlace,
    /// The copy of the data in the journal.
    DataInJournal,
    /// The write that makes a transaction valid: the commit block of ext4, the log of XFS, the superblock of Btrfs.
    Commit,
    /// All writes of trees, of Btrfs.
    Trees,
    /// The tree of the log, of Btrfs.
    LogTree,
    /// A flush.
    Flush,
}

/// The answer of an fsync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// Success.
    Done,
    /// This error number.
    Failed(i32),
    /// The file could not even be opened: this error number.
    NotOpened(i32),
}

/// What is read where the change was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// What was written.
    New,
    /// What was there before.
    Old,
    /// Zeros, within the size of the file.
    Zeros,
    /// The file ends before it.
    Absent,
    /// Something else.
    Other,
    /// This error number.
    Failed(i32),
}

/// What was seen of one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Requests that the fault met: the observation says something where this is not 0.
    pub injected: u64,
    /// The fsync on the descriptor that wrote.
    pub fd1: Answer,
    /// The fsync on a descriptor that was open before.
    pub fd2: Answer,
    /// The fsync on a descriptor that was opened afterwards.
    pub fd3: Answer,
    /// Another fsync on the descriptor that wrote.
    pub fd1_again: Answer,
    /// What is read from the cache.
    pub cached: Found,
    /// What is read after the pages of the file were dropped.
    pub dropped: Found,
    /// What is read after an unmount and a mount.
    pub remounted: Found,
    /// What is read where the power went after the last fsync, and the disk had kept all that it had completed.
    pub cut: Found,
}

/// Block of data that a test writes, bytes.
pub const BLOCK: usize = 4096;
/// By what the data of the change is known in each sector.
const MARK: [u8; 8] = *b"new-data";
/// Magic number of a block of ext4's journal, and the type of a commit block (`linux/jbd2.h`).
const JBD2_COMMIT: [u8; 8] = [0xc0, 0x3b, 0x39, 0x98, 0, 0, 0, 2];
/// Magic number of a record of XFS's log (`xfs_log_format.h`).
const XFS_RECORD: [u8; 4] = [0xfe, 0xed, 0xba, 0xbe];
/// Magic number of Btrfs's superblock, and where it stands in it (`btrfs_tree.h`).
const BTRFS_SUPER: (usize, [u8; 8]) = (64, *b"_BHRfS_M");
/// Where the header of a tree block of Btrfs names the file system.
const BTRFS_FSID_AT: usize = 32;
/// Where it names its tree, and the number of the log's, -6.
const BTRFS_OWNER_AT: usize = 88;
const BTRFS_LOG: [u8; 8] = [0xfa, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
/// Where the first superblock of Btrfs is.
pub const BTRFS_SUPER_PLACE: Range<u64> = 65_536..69_632;

/// A block of data before the change.
pub fn old_block() -> Vec<u8> {
    b"old data".repeat(BLOCK / 8)
}

/// The block that the change writes.
pub fn new_block() -> Vec<u8> {
    MARK.repeat(BLOCK / 8)
}

/// Says what was read, of as many bytes as a block has.
pub fn found(block: &[u8]) -> Found {
    match block {
        [] => Found::Absent,
        block if block == new_block() => Found::New,
        block if block == old_block() => Found::Old,
        block if block.iter().all(|byte| *byte == 0) => Found::Zeros,
        _ => Found::Other,
    }
}

/// Where things are on a disk.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The blocks of the file, where the file system knows them.
    pub file: Vec<Range<u64>>,
    /// Of Btrfs the beginning of the id of the file system.
    pub fsid: Option<[u8; 8]>,
}

/// The rules that have `failing` fail on `fs`; `None` where there is no such thing.
pub fn rules(fs: &str, failing: Failing, places: &Places) -> Option<Vec<Rule>> {
    let whole = 0..u64::MAX;
    let error = |on, range: Range<u64>| Rule { on, range, when: When::ONCE, what: What::Error };
    let of = |at, bytes: &[u8]| On::WriteOf(Pattern::new(at, bytes));
    let data = of(0, &MARK);
    let rules = match (failing, fs) {
        (Failing::Data, _) => vec![error(data, whole)],
        (Failing::DataInPlace, "ext4") => {
            places.file.iter().map(|range| error(data, range.clone())).collect()
        }
        (Failing::DataInJournal, "ext4") => {
            let around = outside(&places.file);
            around.into_iter().map(|range| error(data, range)).collect()
        }
        (Failing::Commit, "ext4") => vec![error(of(0, &JBD2_COMMIT), whole)],
        (Failing::Commit, "xfs") => vec![error(of(0, &XFS_RECORD), whole)],
        (Failing::Commit, "btrfs") => {
            vec![error(of(BTRFS_SUPER.0, &BTRFS_SUPER.1), BTRFS_SUPER_PLACE)]
        }
        (Failing::Trees, "btrfs") => {
            let fsid = places.fsid?;
            let mut rule = error(of(BTRFS_FSID_AT, &fsid), BTRFS_SUPER_PLACE.end..u64::MAX);
            rule.when = When::ALWAYS;
            vec![rule]
        }
        (Failing::LogTree, "btrfs") => vec![error(of(BTRFS_OWNER_AT, &BTRFS_LOG), whole)],
        (Failing::Flush, _) => vec![error(On::Flush, whole)],
        _ => return None,
    };
    Some(rules)
}

/// The gaps between `ranges`, which are in order.
fn outside(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let starts = [0].into_iter().chain(ranges.iter().map(|range| range.end));
    let ends = ranges.iter().map(|range| range.start).chain([u64::MAX]);
    starts.zip(ends).map(|(start, end)| start..end).filter(|gap| !gap.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Armed, Request};

    #[test]
    fn what_is_read_is_named() {
        assert_eq!(found(&new_block()), Found::New);
        assert_eq!(found(&old_block()), Found::Old);
        assert_eq!(found(&[0; BLOCK]), Found::Zeros);
        assert_eq!(found(&[]), Found::Absent);
        assert_eq!(found(&new_block()[..100]), Found::Other);
    }

    #[test]
    fn a_copy_in_the_journal_is_told_from_the_data() {
        let places = Places { file: vec![4096..8192, 16_384..20_480], fsid: None };
        let meets = |failing, at: u64| {
            let mut armed = Armed::new(rules("ext4", failing, &places).unwrap());
            armed.decide(Request::Write(&new_block()), &(at..at + 4096)).is_error
        };
        for at in [4096, 16_384] {
            assert!(meets(Failing::DataInPlace, at) && !meets(Failing::DataInJournal, at));
        }
        for at in [0, 8192, 1 << 30] {
            assert!(!meets(Failing::DataInPlace, at) && meets(Failing::DataInJournal, at));
        }
        assert_eq!(rules("xfs", Failing::DataInJournal, &places), None);
    }
}

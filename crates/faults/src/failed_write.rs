//! Tests an fsync during which the disk fails, and the data that it was to save: after Rebello et al., "Can
//! Applications Recover from fsync Failures?" (ATC 2020).

use crate::rule::{On, Pattern, Rule, What, When};
use model::{
    random::Rng,
    result::{Failing, ReadBack},
};
use std::ops::Range;

/// Block of data that a test writes, bytes.
pub const BLOCK: usize = 4096;
/// Unit in which the disk is written, bytes.
const SECTOR: usize = 512;
/// The pattern that identifies the data of the change in each sector.
const MARK: [u8; 8] = *b"new-data";
/// Magic number of a block of ext4's journal, and the type of a commit block (`linux/jbd2.h`).
const JBD2_COMMIT: [u8; 8] = [0xc0, 0x3b, 0x39, 0x98, 0, 0, 0, 2];
/// Magic number of a record of XFS's log (`xfs_log_format.h`).
const XFS_RECORD: [u8; 4] = [0xfe, 0xed, 0xba, 0xbe];
/// Magic number of Btrfs's superblock, and its offset in it (`btrfs_tree.h`).
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
    block(*b"old data")
}

/// The block that the change writes.
pub fn new_block() -> Vec<u8> {
    block(MARK)
}

/// A block that has `mark` at the start of each sector, and otherwise what no file system can compress: what is
/// compressed is not written as it is.
fn block(mark: [u8; 8]) -> Vec<u8> {
    let mut rng = Rng::new(u64::from_le_bytes(mark));
    let sector = |_| {
        let rest = (0..SECTOR / 8 - 1).map(|_| rng.next_u64().to_le_bytes());
        [mark].into_iter().chain(rest).flatten().collect::<Vec<u8>>()
    };
    (0..BLOCK / SECTOR).flat_map(sector).collect()
}

/// Says what was read, of as many bytes as a block has.
pub fn found(block: &[u8]) -> ReadBack {
    match block {
        [] => ReadBack::Absent,
        block if block == new_block() => ReadBack::New,
        block if block == old_block() => ReadBack::Old,
        block if block.iter().all(|byte| *byte == 0) => ReadBack::Zeros,
        _ => ReadBack::Other,
    }
}

/// How a file system keeps its promises, as far as it decides which requests there are to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Its kind, as the kernel calls it.
    kind: String,
    /// Of Btrfs the beginning of the id of the file system.
    fsid: [u8; 8],
    /// Of ext4 what is written to a journal.
    journal: Journal,
    /// Whether it sends flushes.
    has_flushes: bool,
    /// Of Btrfs whether an fsync may write a log tree.
    has_log_tree: bool,
}

/// What is written to the journal of ext4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Journal {
    None,
    Metadata,
    Data,
}

/// Bytes at the start of a disk that say what the file system is like.
pub const HEAD_BYTES: usize = 128 << 10;
/// Superblock of ext4: where it begins, features that it may ignore, and options of each mount (`fs/ext4/ext4.h`).
const EXT4_SUPER: usize = 1024;
const EXT4_COMPAT: usize = EXT4_SUPER + 0x5c;
const EXT4_MOUNT: usize = EXT4_SUPER + 0x100;
const EXT4_HAS_JOURNAL: u8 = 0x4;
const EXT4_JOURNAL_MODE: u8 = 0x60;
const EXT4_JOURNAL_DATA: u8 = 0x20;

impl Traits {
    /// Those of a file system of this `kind`, which begins with `head`, mounted with `options`.
    pub fn of(kind: &str, options: &[(String, Option<String>)], head: &[u8]) -> Traits {
        let byte = |at: usize| head.get(at).copied().unwrap_or(0);
        let has = |key: &str, value: Option<&str>| {
            options.iter().any(|(own, with)| own == key && with.as_deref() == value)
        };
        let mode = options.iter().rev().find(|(key, _)| key == "data");
        let all_data = match mode.and_then(|(_, value)| value.as_deref()) {
            Some(mode) => mode == "journal",
            None => byte(EXT4_MOUNT) & EXT4_JOURNAL_MODE == EXT4_JOURNAL_DATA,
        };
        let journal = match byte(EXT4_COMPAT) & EXT4_HAS_JOURNAL != 0 {
            false => Journal::None,
            true if all_data => Journal::Data,
            true => Journal::Metadata,
        };
        let mut fsid = [0; 8];
        let at = BTRFS_SUPER_PLACE.start as usize + BTRFS_FSID_AT;
        fsid.iter_mut().enumerate().for_each(|(number, own)| *own = byte(at + number));
        Traits {
            kind: kind.into(),
            fsid,
            journal,
            has_flushes: !has("nobarrier", None) && !has("barrier", Some("0")),
            has_log_tree: !has("notreelog", None),
        }
    }

    /// Its kind, as the kernel calls it.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Of Btrfs the beginning of the id of the file system.
    pub fn fsid(&self) -> [u8; 8] {
        self.fsid
    }

    /// The rule that has `failing` fail; `None` where there is no such request.
    pub fn rule(&self, failing: Failing) -> Option<Rule> {
        let whole = 0..u64::MAX;
        let error = |on, range: Range<u64>| Rule { on, range, when: When::ONCE, what: What::Error };
        let of = |at, bytes: &[u8]| On::WriteOf(Pattern::new(at, bytes));
        let data = error(of(0, &MARK), whole.clone());
        let has_all_data = self.kind == "ext4" && self.journal == Journal::Data;
        let rule = match (failing, self.kind.as_str()) {
            (Failing::Data, _) if !has_all_data => data,
            // The copy in the journal is written first, and made valid, before the data goes to its own place.
            (Failing::DataInJournal, _) if has_all_data => data,
            (Failing::DataInPlace, _) if has_all_data => Rule { when: When::nth(2), ..data },
            (Failing::Commit, "ext4") if self.journal != Journal::None => {
                error(of(0, &JBD2_COMMIT), whole)
            }
            (Failing::Commit, "xfs") => error(of(0, &XFS_RECORD), whole),
            (Failing::Commit, "btrfs") => {
                error(of(BTRFS_SUPER.0, &BTRFS_SUPER.1), BTRFS_SUPER_PLACE)
            }
            (Failing::Trees, "btrfs") => {
                let trees = error(of(BTRFS_FSID_AT, &self.fsid), BTRFS_SUPER_PLACE.end..u64::MAX);
                Rule { when: When::ALWAYS, ..trees }
            }
            (Failing::LogTree, "btrfs") if self.has_log_tree => {
                error(of(BTRFS_OWNER_AT, &BTRFS_LOG), whole)
            }
            (Failing::Flush, _) if self.has_flushes => error(On::Flush, whole),
            _ => return None,
        };
        Some(rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Armed, Request};

    #[test]
    fn what_is_read_is_named() {
        assert_eq!(found(&new_block()), ReadBack::New);
        assert_eq!(found(&old_block()), ReadBack::Old);
        assert_eq!(found(&[0; BLOCK]), ReadBack::Zeros);
        assert_eq!(found(&[]), ReadBack::Absent);
        assert_eq!(found(&new_block()[..100]), ReadBack::Other);
    }

    /// Traits of an ext4 with a journal, mounted with `options`.
    fn ext4(options: &[(&str, Option<&str>)]) -> Traits {
        let mut head = vec![0; HEAD_BYTES];
        head[EXT4_COMPAT] = EXT4_HAS_JOURNAL;
        of("ext4", options, &head)
    }

    fn of(kind: &str, options: &[(&str, Option<&str>)], head: &[u8]) -> Traits {
        let options = options.iter().map(|(key, value)| ((*key).into(), value.map(String::from)));
        Traits::of(kind, &options.collect::<Vec<_>>(), head)
    }

    fn faults(traits: &Traits) -> Vec<Failing> {
        Failing::ALL.into_iter().filter(|failing| traits.rule(*failing).is_some()).collect()
    }

    #[test]
    fn options_decide_which_requests_there_are() {
        use Failing::*;
        let usual = [Data, Commit, Flush];
        assert_eq!(faults(&ext4(&[])), usual);
        assert_eq!(faults(&ext4(&[("data", Some("writeback"))])), usual);
        let journal = [DataInPlace, DataInJournal, Commit, Flush];
        assert_eq!(faults(&ext4(&[("data", Some("journal"))])), journal);
        let mut head = vec![0; HEAD_BYTES];
        head[EXT4_COMPAT] = EXT4_HAS_JOURNAL;
        head[EXT4_MOUNT] = 0x20;
        assert_eq!(faults(&of("ext4", &[], &head)), journal, "by the superblock");
        assert_eq!(faults(&of("ext4", &[("data", Some("ordered"))], &head)), usual);
        assert_eq!(faults(&of("ext4", &[("data", Some("journal"))], &[])), [Data, Flush]);
        assert_eq!(faults(&ext4(&[("nobarrier", None)])), [Data, Commit]);
        assert_eq!(faults(&ext4(&[("barrier", Some("0"))])), [Data, Commit]);
        assert_eq!(faults(&of("xfs", &[], &[])), usual);
        assert_eq!(faults(&of("btrfs", &[], &[])), [Data, Commit, Trees, LogTree, Flush]);
        let without = of("btrfs", &[("notreelog", None)], &[]);
        assert_eq!(faults(&without), [Data, Commit, Trees, Flush]);
        assert_eq!(faults(&of("f2fs", &[], &[])), [Data, Flush]);
    }

    #[test]
    fn the_copy_in_a_journal_comes_before_the_data() {
        let traits = ext4(&[("data", Some("journal"))]);
        let meets = |failing| {
            let mut armed = Armed::new(vec![traits.rule(failing).unwrap()]);
            [(); 3].map(|()| armed.decide(Request::Write(&new_block()), &(0..4096)).is_error)
        };
        assert_eq!(meets(Failing::DataInJournal), [true, false, false]);
        assert_eq!(meets(Failing::DataInPlace), [false, true, false]);
    }

    #[test]
    fn blocks_cannot_be_compressed() {
        for block in [old_block(), new_block()] {
            assert_eq!(block.len(), BLOCK);
            let mut counts = [0u32; 256];
            block.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
            assert!(counts.iter().all(|count| *count < 64), "{counts:?}");
        }
    }
}

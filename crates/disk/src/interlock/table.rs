//! Parses partition tables: GPT at either end, and DOS with its chain of logical partitions. A table that cannot be
//! followed to its end is an error: consent to destroy a table does not cover partitions that were not inspected.

use rustix::fs::ioctl_blksszget;
use std::{collections::BTreeSet, fs::File, io, os::unix::fs::FileExt};

/// Sector of most disks, and the unit of old tables.
const SECTOR: u64 = 512;
/// Linux knows at most 256 partitions of a disk (block/genhd.c, DISK_MAX_PARTS).
const MOST_LOGICAL: usize = 256;
const MOST_GPT_ENTRIES: u64 = 1024;
/// Types of entries that hold further tables (`include/linux/msdos_partition.h`).
const EXTENDED: [u8; 3] = [0x05, 0x0f, 0x85];
/// Type of the entry that covers a disk with a GPT for programs that do not know GPT.
const PROTECTIVE: u8 = 0xee;

/// Partition tables that the own reader follows, and those of which only the kernel knows the partitions.
const READ_TABLES: &[&str] = &["gpt", "dos"];
const OTHER_TABLES: &[&str] = &["bsd", "sun", "sgi", "mac", "aix", "atari", "dasd"];

/// Why the partitions of a table are not known.
#[derive(Debug, thiserror::Error)]
pub(super) enum TableError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}")]
    Unread(String),
}

/// One partition, cut off where the disk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Partition {
    /// First byte, from the start of what the table is on.
    pub(super) start: u64,
    /// Bytes.
    pub(super) len: u64,
    /// Whether it holds logical partitions, which are listed as well.
    pub(super) is_extended: bool,
}

/// The region that a table describes: `size` bytes of a disk or of one of its partitions.
pub(super) struct Space<'r> {
    read: &'r Reader<'r>,
    size: u64,
    sectors: BTreeSet<u64>,
    /// Whether it is a partition, where boot code may occupy the place of a table.
    is_inner: bool,
}

/// Reads the given number of bytes at an offset.
type Reader<'r> = dyn Fn(u64, usize) -> io::Result<Vec<u8>> + 'r;

/// Returns true if our own reader parses this kind of table.
pub(super) fn is_read(kind: &str) -> bool {
    READ_TABLES.contains(&kind)
}

/// Returns true if only the kernel can tell the partitions of this kind of table.
pub(super) fn is_opaque(kind: &str) -> bool {
    OTHER_TABLES.contains(&kind)
}

/// The partitions that tables in the `size` bytes at `start` of `file` describe, from there on.
pub(super) fn partitions(file: &File, start: u64, size: u64) -> Result<Vec<Partition>, TableError> {
    let read = |at: u64, len: usize| {
        let mut bytes = vec![0; len];
        file.read_exact_at(&mut bytes, start + at).map(|()| bytes)
    };
    // What is no device has no sectors of its own.
    let own = ioctl_blksszget(file).map_or(SECTOR, u64::from).max(SECTOR);
    Space { read: &read, size, sectors: [SECTOR, 4096, own].into(), is_inner: start > 0 }.all(own)
}

impl Space<'_> {
    /// By every table, of disks whose sector is `own`.
    fn all(&self, own: u64) -> Result<Vec<Partition>, TableError> {
        let mut all = Vec::new();
        for sector in &self.sectors {
            all.extend(self.gpt(*sector)?);
        }
        for sector in BTreeSet::from([SECTOR, own]) {
            all.extend(self.dos(sector)?);
        }
        Ok(all)
    }

    fn partition(&self, start: u64, len: u64, is_extended: bool) -> Option<Partition> {
        let end = start.saturating_add(len).min(self.size);
        let len = end.checked_sub(start).filter(|len| *len > 0)?;
        (start > 0).then_some(Partition { start, len, is_extended })
    }

    fn read(&self, at: u64, len: u64, what: &str) -> Result<Vec<u8>, TableError> {
        match at.checked_add(len) {
            Some(end) if end <= self.size => Ok((self.read)(at, len as usize)?),
            _ => Err(TableError::Unread(format!("{what} at {at} is beyond its end"))),
        }
    }

    /// UEFI Specification, section 5.3: a header in the second sector, another in the last, and the
    /// entries that each points at.
    fn gpt(&self, sector: u64) -> Result<Vec<Partition>, TableError> {
        let last = (self.size / sector).checked_sub(1).map(|last| last * sector);
        let heads: BTreeSet<u64> = [Some(sector), last].into_iter().flatten().collect();
        let mut all = Vec::new();
        for at in heads.into_iter().filter(|at| at + 92 <= self.size) {
            let head = self.read(at, 92, "its GPT")?;
            if head.starts_with(b"EFI PART") {
                all.extend(self.gpt_entries(&head, sector)?);
            }
        }
        Ok(all)
    }

    fn gpt_entries(&self, head: &[u8], sector: u64) -> Result<Vec<Partition>, TableError> {
        let table = u64_le(head, 72).saturating_mul(sector);
        let (count, bytes) = (u32_le(head, 80), u32_le(head, 84));
        if count == 0 {
            return Ok(Vec::new());
        }
        if count > MOST_GPT_ENTRIES || !(128..=4096).contains(&bytes) {
            let why = format!("its GPT has {count} entries of {bytes} bytes");
            return Err(TableError::Unread(why));
        }
        let entries = self.read(table, count * bytes, "the table of its GPT")?;
        let partition = |entry: &[u8]| {
            let (first, last) = (u64_le(entry, 32), u64_le(entry, 40));
            let sectors = last.checked_sub(first)?.saturating_add(1);
            self.partition(first.checked_mul(sector)?, sectors.saturating_mul(sector), false)
        };
        Ok(entries.chunks_exact(bytes as usize).filter_map(partition).collect())
    }

    /// The four entries of a DOS partition table, and what lies in those that are extended.
    fn dos(&self, sector: u64) -> Result<Vec<Partition>, TableError> {
        if self.size < SECTOR {
            return Ok(Vec::new());
        }
        let Some(entries) = dos_entries(&self.read(0, SECTOR, "its table")?) else {
            return Ok(Vec::new());
        };
        if self.is_inner && entries.iter().any(|entry| ![0, 0x80].contains(&entry.indicator)) {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for entry in entries {
            let (start, len) = (entry.first * sector, entry.sectors * sector);
            let is_extended = EXTENDED.contains(&entry.kind);
            // One that covers more than the disk covers what is looked at as the disk.
            let is_cover = entry.kind == PROTECTIVE && start + len > self.size;
            all.extend(self.partition(start, len, is_extended).filter(|_| !is_cover));
            if is_extended && entry.sectors > 0 && start > 0 {
                all.extend(self.logical(start, sector)?);
            }
        }
        Ok(all)
    }

    /// The logical partitions of the extended one at `extended`: each table in it has one, and tells where
    /// the next table is, counted from `extended` (block/partitions/msdos.c).
    fn logical(&self, extended: u64, sector: u64) -> Result<Vec<Partition>, TableError> {
        let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
        let mut at = extended;
        loop {
            if !seen.insert(at) || seen.len() > MOST_LOGICAL {
                let why = format!(
                    "its chain of logical partitions does not end (the table at \
                                   {at})"
                );
                return Err(TableError::Unread(why));
            }
            let bytes = self.read(at, SECTOR, "the table of a logical partition")?;
            let Some(entries) = dos_entries(&bytes) else {
                // As new: there is no logical partition yet.
                if at == extended && bytes.iter().all(|byte| *byte == 0) {
                    return Ok(all);
                }
                let why = format!("there is no table of a logical partition at {at}");
                return Err(TableError::Unread(why));
            };
            let (next, own): (Vec<_>, Vec<_>) =
                entries.into_iter().partition(|entry| EXTENDED.contains(&entry.kind));
            let logical = own.iter().filter_map(|entry| {
                self.partition(at + entry.first * sector, entry.sectors * sector, false)
            });
            all.extend(logical);
            let Some(next) = next.into_iter().find(|entry| entry.sectors > 0) else {
                return Ok(all);
            };
            at = extended + next.first * sector;
        }
    }
}

/// One entry of a DOS partition table; places in sectors.
struct Entry {
    indicator: u8,
    kind: u8,
    first: u64,
    sectors: u64,
}

/// The entries of the table in `sector`, when it holds one.
fn dos_entries(sector: &[u8]) -> Option<[Entry; 4]> {
    if sector.get(510..512)? != [0x55, 0xaa] {
        return None;
    }
    Some([0, 1, 2, 3].map(|number| {
        let entry = &sector[446 + 16 * number..];
        let (first, sectors) = (u32_le(entry, 8), u32_le(entry, 12));
        Entry { indicator: entry[0], kind: entry[4], first, sectors }
    }))
}

fn u32_le(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    word.map_or(0, |word| u64::from(u32::from_le_bytes(word)))
}

fn u64_le(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..at + 8).and_then(|word| word.try_into().ok());
    word.map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests;

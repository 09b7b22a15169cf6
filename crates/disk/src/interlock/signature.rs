//! Detects the content of a disk from its two ends, purely. It errs on the side of seeing something: bytes of no known
//! format that are not empty also have a type.

use super::magic;
use ::fs::magic::{At, Magic};
use std::{collections::BTreeSet, fs::File, io, os::unix::fs::FileExt};

/// Every known magic number is within this many bytes of the start or the end of a disk, and this many
/// are zeroed when it is wiped.
pub(crate) const EDGE_BYTES: u64 = 8 << 20;
/// Type of content that no magic number explains: a raw database volume, plain dm-crypt, leftovers.
pub(crate) const UNKNOWN: &str = "unknown";

const EXT_SUPERBLOCK: u64 = 1024;
const ZFS_LABEL: u64 = 256 << 10;
const SECTOR: u64 = 512;

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Signature {
    /// Type, as `blkid` prints it.
    pub(crate) kind: String,
    /// Identity of this very file system or array, in hexadecimal digits; empty where none is known.
    pub(crate) id: String,
}

/// The two ends of a disk, of a partition, or of any other range.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    size: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Ends {
    /// Reads the ends of the `size` bytes at `start` of `file`.
    pub(crate) fn read(file: &File, start: u64, size: u64) -> io::Result<Ends> {
        let len = size.min(EDGE_BYTES) as usize;
        let (mut head, mut tail) = (vec![0; len], vec![0; len]);
        file.read_exact_at(&mut head, start)?;
        file.read_exact_at(&mut tail, start + size - len as u64)?;
        Ok(Ends { size, head, tail })
    }

    /// `len` bytes at `at`; `None` when they lie in neither end.
    fn get(&self, at: u64, len: usize) -> Option<&[u8]> {
        let within = |bytes: &'_ [u8], from: u64| -> Option<(usize, usize)> {
            let from = usize::try_from(at.checked_sub(from)?).ok()?;
            let to = from.checked_add(len)?;
            (to <= bytes.len()).then_some((from, to))
        };
        let tail_at = self.size - self.tail.len() as u64;
        within(&self.head, 0)
            .map(|(from, to)| &self.head[from..to])
            .or_else(|| within(&self.tail, tail_at).map(|(from, to)| &self.tail[from..to]))
    }

    fn has(&self, at: u64, bytes: &[u8]) -> bool {
        self.get(at, bytes.len()) == Some(bytes)
    }

    fn u32_le(&self, at: u64) -> Option<u32> {
        self.get(at, 4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn u64_le(&self, at: u64) -> Option<u64> {
        self.get(at, 8)?.try_into().ok().map(u64::from_le_bytes)
    }

    fn hex(&self, at: u64, len: usize) -> String {
        let bytes = self.get(at, len).unwrap_or_default();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns true if both ends are as new or as wiped: all zeros, or all ones as some erased flash reads.
    fn is_blank(&self) -> bool {
        let all = |byte: u8| self.head.iter().chain(&self.tail).all(|&b| b == byte);
        all(0) || all(0xff)
    }
}

/// Everything that `ends` show.
pub(crate) fn signatures(ends: &Ends) -> BTreeSet<Signature> {
    let tabled = |weak| magic::all().filter(move |magic| magic.is_weak() == weak);
    let mut found: BTreeSet<Signature> = tabled(false).filter_map(|m| plain(ends, m)).collect();
    found.extend(ext(ends));
    found.extend(zfs(ends));
    found.extend(dos(ends, &found));
    if found.is_empty() {
        found.extend(tabled(true).filter_map(|m| plain(ends, m)));
    }
    if found.is_empty() && !ends.is_blank() {
        found.insert(signature(UNKNOWN, String::new()));
    }
    found
}

fn signature(kind: &str, id: String) -> Signature {
    Signature { kind: kind.into(), id }
}

fn plain(ends: &Ends, magic: &Magic) -> Option<Signature> {
    let at = match magic.at {
        At::Start(at) => at,
        At::End { align, back } => (ends.size / align * align).checked_sub(back)?,
    };
    let id = |(distance, len)| ends.hex(at.saturating_add_signed(distance), len);
    ends.has(at, magic.bytes).then(|| signature(magic.kind, magic.id.map(id).unwrap_or_default()))
}

/// ext2, ext3, ext4 and external journals share a magic number and differ in their features
/// (Documentation/filesystems/ext4/super.rst; libblkid, ext.c).
fn ext(ends: &Ends) -> Option<Signature> {
    const HAS_JOURNAL: u32 = 0x4;
    const JOURNAL_DEVICE: u32 = 0x8;
    /// filetype, recover, meta_bg.
    const INCOMPAT_OF_EXT3: u32 = 0x2 | 0x4 | 0x10;
    /// sparse_super, large_file, btree_dir.
    const RO_COMPAT_OF_EXT3: u32 = 0x1 | 0x2 | 0x4;
    if !ends.has(EXT_SUPERBLOCK + 0x38, &[0x53, 0xef]) {
        return None;
    }
    let [compat, incompat, ro_compat] =
        [0x5c, 0x60, 0x64].map(|at| ends.u32_le(EXT_SUPERBLOCK + at).unwrap_or_default());
    let is_ext4 = incompat & !INCOMPAT_OF_EXT3 != 0 || ro_compat & !RO_COMPAT_OF_EXT3 != 0;
    let kind = match (incompat & JOURNAL_DEVICE != 0, is_ext4, compat & HAS_JOURNAL != 0) {
        (true, ..) => "jbd",
        (false, true, _) => "ext4",
        (false, false, true) => "ext3",
        (false, false, false) => "ext2",
    };
    Some(signature(kind, ends.hex(EXT_SUPERBLOCK + 0x68, 16)))
}

/// A member of a pool has four labels of 256 KiB, two at each end. A label holds a packed list, whose
/// first name is `version`, in its second 16 KiB, and from 128 KiB on a ring of uberblocks (ZFS
/// On-Disk Specification, chapter 1).
fn zfs(ends: &Ends) -> Option<Signature> {
    const LIST: u64 = 16 << 10;
    /// Behind the heads of the list and of its first pair.
    const FIRST_NAME: u64 = LIST + 24;
    const UBERBLOCKS: u64 = 128 << 10;
    const UBERBLOCK_BYTES: u64 = 1 << 10;
    const MAGIC: u64 = 0x00ba_b10c;
    let whole = ends.size / ZFS_LABEL;
    let labels = [Some(0), Some(1), whole.checked_sub(2), whole.checked_sub(1)];
    let is_label = |number: u64| {
        let label = number * ZFS_LABEL;
        let mut ring = (label + UBERBLOCKS..label + ZFS_LABEL).step_by(UBERBLOCK_BYTES as usize);
        let is_uberblock =
            |at| ends.u64_le(at).is_some_and(|word| word == MAGIC || word == MAGIC.swap_bytes());
        ends.has(label + FIRST_NAME, b"version\0") || ring.any(is_uberblock)
    };
    let found = labels.into_iter().flatten().any(is_label);
    found.then(|| signature("zfs_member", String::new()))
}

/// The boot sectors of FAT, NTFS and exFAT end as a DOS partition table does.
fn dos(ends: &Ends, found: &BTreeSet<Signature>) -> Option<Signature> {
    const BOOT_SECTORS: &[&str] = &["vfat", "ntfs", "exfat", "BitLocker"];
    let is_boot_sector = found.iter().any(|other| BOOT_SECTORS.contains(&other.kind.as_str()));
    let table = ends.has(SECTOR - 2, &[0x55, 0xaa]) && !is_boot_sector;
    table.then(|| signature("dos", ends.hex(440, 4)))
}

#[cfg(test)]
mod tests;

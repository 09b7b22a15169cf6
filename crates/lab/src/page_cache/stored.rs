//! Reads how many bytes of a file are on its device: fewer than its length where the file system compresses, packs data
//! into its trees, or leaves holes. A cold read cannot transfer more than that.

use crate::{
    btrfs::{MAGIC, SearchKey},
    page_cache::extents,
};
use rustix::{
    fs::fstatfs,
    io::Errno,
    ioctl::{Getter, Opcode, Updater, ioctl, opcode},
};
use std::{collections::BTreeSet, fs::File, io, os::unix::fs::MetadataExt};

/// The unit of `st_blocks`.
const BLOCK_BYTES: u64 = 512;
/// `BTRFS_SUPER_MAGIC`.
const BTRFS: u64 = 0x9123_683E;
/// `F2FS_SUPER_MAGIC`.
const F2FS: u64 = 0xF2F5_2010;
/// `F2FS_IOC_GET_COMPRESS_BLOCKS`.
const SAVED_BLOCKS: Opcode = opcode::read::<u64>(0xF5, 17);

/// `BTRFS_IOC_TREE_SEARCH_V2`; its number holds the size of the arguments alone.
const TREE_SEARCH: Opcode = opcode::read_write::<Arguments>(MAGIC, 17);
/// `BTRFS_EXTENT_DATA_KEY`.
const EXTENT_DATA: u32 = 108;
/// `BTRFS_FILE_EXTENT_REG`.
const REGULAR: u8 = 1;
/// Bytes of items asked for at once.
const ITEMS_BYTES: usize = 64 << 10;
/// Length of the header before each item.
const HEADER_BYTES: usize = 32;

/// Bytes of `file`, which has `total` in whole pages, that are on its device, at most `total`.
pub(super) fn bytes(file: &File, total: u64) -> io::Result<u64> {
    let file_system = fstatfs(file)?;
    let counted = || Ok::<u64, io::Error>(file.metadata()?.blocks() * BLOCK_BYTES);
    // Some servers tell of no blocks at all.
    let told = |bytes: u64| Some(bytes).filter(|bytes| *bytes > 0);
    let known = match file_system.f_type as u64 & 0xFFFF_FFFF {
        BTRFS => of_btrfs(file),
        F2FS => {
            let saved = saved_blocks(file)?.saturating_mul(file_system.f_bsize as u64);
            told(of_f2fs(counted()?, saved))
        }
        _ => told(counted()?),
    };
    Ok(known.unwrap_or(total).min(total))
}

/// F2FS keeps what compression has saved reserved for the file, among the `counted` bytes of its blocks, until
/// the file is released: these are no longer counted then, nor told as `saved`.
fn of_f2fs(counted: u64, saved: u64) -> u64 {
    counted.saturating_sub(saved)
}

/// Returns how many of the blocks of `file` on F2FS are reserved and hold nothing, as its clusters were compressed;
/// 0 where it is not compressed.
fn saved_blocks(file: &File) -> io::Result<u64> {
    // SAFETY: the kernel writes one u64, as the number of the call says, and keeps no pointer.
    match unsafe { ioctl(file, Getter::<SAVED_BLOCKS, u64>::new()) } {
        // No such feature made, no such file, no such call.
        Err(Errno::OPNOTSUPP | Errno::INVAL | Errno::NOTTY) => Ok(0),
        saved => Ok(saved?),
    }
}

/// Btrfs counts blocks before it compresses them. Its trees know, and are for root; for others there is the least that
/// the extents can be.
fn of_btrfs(file: &File) -> Option<u64> {
    let inode = file.metadata().ok()?.ino();
    let told = items(file, inode).ok().map(|items| of_items(&items));
    told.or_else(|| extents::least_bytes(file).ok())
}

/// What to find, and how long the buffer behind it is.
#[repr(C)]
struct Arguments {
    key: SearchKey,
    buffer_bytes: u64,
}

#[repr(C)]
struct Search {
    arguments: Arguments,
    items: [u8; ITEMS_BYTES],
}

/// An extent of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    is_compressed: bool,
    is_regular: bool,
    /// Its offset and length on the device; 0 and 0 for a hole.
    place: u64,
    disk_bytes: u64,
    /// Its length in the file.
    file_bytes: u64,
}

/// The extents of `file`.
fn items(file: &File, inode: u64) -> Result<Vec<Item>, Errno> {
    let mut all = Vec::new();
    let mut from = 0;
    loop {
        let key = SearchKey {
            objects: [inode; 2],
            offsets: [from, u64::MAX],
            generations: [0, u64::MAX],
            kinds: [EXTENT_DATA; 2],
            items: u32::MAX,
            ..SearchKey::default()
        };
        let arguments = Arguments { key, buffer_bytes: ITEMS_BYTES as u64 };
        let mut search = Box::new(Search { arguments, items: [0; ITEMS_BYTES] });
        // SAFETY: `search` is laid out as `struct btrfs_ioctl_search_args_v2`, followed by as many bytes as it says;
        // the kernel writes no more than these and keeps no pointer.
        unsafe { ioctl(file, Updater::<TREE_SEARCH, Search>::new(&mut search))? };
        let found = parsed(&search.items, search.arguments.key.items);
        let Some((last, _)) = found.last() else { return Ok(all) };
        from = last + 1;
        all.extend(found.into_iter().map(|(_, item)| item));
    }
}

/// The offsets in the file, and the extents, of the first `count` items in `bytes`.
fn parsed(mut bytes: &[u8], count: u32) -> Vec<(u64, Item)> {
    let mut found = Vec::new();
    for _ in 0..count {
        let Some((offset, data)) = number(bytes, 16).zip(data(bytes)) else { break };
        bytes = &bytes[HEADER_BYTES + data.len()..];
        let of = |at| number(data, at).unwrap_or(0);
        let byte = |at: usize| data.get(at).copied().unwrap_or(0);
        let item = Item {
            is_compressed: byte(16) != 0,
            is_regular: byte(20) == REGULAR,
            place: of(21),
            disk_bytes: of(29),
            file_bytes: of(45),
        };
        found.push((offset, item));
    }
    found
}

/// Returns what is behind the first header in `bytes`.
fn data(bytes: &[u8]) -> Option<&[u8]> {
    let len = bytes.get(28..HEADER_BYTES)?.try_into().ok().map(u32::from_ne_bytes)?;
    bytes.get(HEADER_BYTES..HEADER_BYTES + len as usize)
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// Returns what has to be read for `items`: a compressed extent as a whole, once; of others, what the file has of
/// them. What is packed into the trees is read with them.
fn of_items(items: &[Item]) -> u64 {
    let mut seen = BTreeSet::new();
    let on_device = items.iter().filter(|item| item.is_regular && item.place > 0);
    on_device
        .map(|item| match item.is_compressed {
            true if !seen.insert(item.place) => 0,
            true => item.disk_bytes,
            false => item.file_bytes,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::size_of;

    /// An item as the kernel lays it out.
    fn laid_out(offset: u64, item: Item) -> Vec<u8> {
        let mut data = vec![0; 53];
        data[16] = u8::from(item.is_compressed);
        data[20] = u8::from(item.is_regular);
        for (at, number) in [(21, item.place), (29, item.disk_bytes), (45, item.file_bytes)] {
            data[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        let mut bytes = vec![0; HEADER_BYTES];
        bytes[16..24].copy_from_slice(&offset.to_ne_bytes());
        bytes[28..32].copy_from_slice(&(data.len() as u32).to_ne_bytes());
        bytes.extend(data);
        bytes
    }

    const PACKED: Item = Item {
        is_compressed: true,
        is_regular: true,
        place: 1 << 20,
        disk_bytes: 4096,
        file_bytes: 128 << 10,
    };

    #[test]
    fn items_are_read_as_the_kernel_writes_them() {
        assert_eq!(size_of::<Arguments>(), 112);
        let hole = Item { place: 0, disk_bytes: 0, ..PACKED };
        let bytes = [laid_out(0, PACKED), laid_out(128 << 10, hole)].concat();
        assert_eq!(parsed(&bytes, 2), [(0, PACKED), (128 << 10, hole)]);
        assert_eq!(parsed(&bytes, 9).len(), 2, "no more than there are");
        assert_eq!(parsed(&bytes[..40], 1), []);
    }

    #[test]
    fn compressed_extents_count_as_they_are_stored() {
        let again = Item { file_bytes: 4096, ..PACKED };
        assert_eq!(of_items(&[PACKED, again]), 4096, "one extent, of which the file has two parts");
        let plain = Item { is_compressed: false, place: 2 << 20, disk_bytes: 1 << 20, ..PACKED };
        assert_eq!(of_items(&[plain]), 128 << 10, "the rest of it is overwritten");
        let hole = Item { place: 0, ..plain };
        let inline = Item { is_regular: false, ..PACKED };
        assert_eq!(of_items(&[hole, inline]), 0);
    }

    #[test]
    fn f2fs_reserves_what_compression_saved() {
        assert_eq!(SAVED_BLOCKS, 0x8008_F511);
        // A text of 8 MiB, as Linux 6.1 reports it before and after its release; the device gave 2.1 MB.
        assert_eq!(of_f2fs(8_396_800, 1536 * 4096), 2_105_344);
        assert_eq!(of_f2fs(2_105_344, 0), 2_105_344);
        assert_eq!(of_f2fs(0, 4096), 0);
    }

    #[test]
    fn a_file_of_another_file_system_has_saved_nothing() {
        assert_eq!(saved_blocks(&tempfile::tempfile().unwrap()).unwrap(), 0);
    }

    #[test]
    fn holes_hold_nothing() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        // Not a block is there: as with a server that tells of none.
        assert_eq!(bytes(&file, 1 << 20).unwrap(), 1 << 20);
        std::os::unix::fs::FileExt::write_all_at(&file, &[7; 4096], 0).unwrap();
        file.sync_all().unwrap();
        assert_eq!(bytes(&file, 1 << 20).unwrap(), 4096);
    }
}

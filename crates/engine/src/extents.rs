//! Extents of a file by FIEMAP: its pieces on the device, and the bytes that it shares with other files.

use rustix::{
    io::Errno,
    ioctl::{Opcode, Updater, ioctl, opcode},
};
use std::{fs::File, io};

/// Extents asked for at once.
const AT_ONCE: usize = 128;
/// `FS_IOC_FIEMAP`; its number holds the size of the header alone.
const FIEMAP: Opcode = opcode::read_write::<Header>(b'f', 11);
/// Write back before telling.
const FLAG_SYNC: u32 = 1;
/// The last extent of the file.
const LAST: u32 = 0x1;
/// Compressed or encrypted: the length is not that on the device.
const ENCODED: u32 = 0x8;
/// In use by another file, too.
const SHARED: u32 = 0x2000;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Header {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

#[repr(C)]
struct Map {
    header: Header,
    extents: [Extent; AT_ONCE],
}

/// The extents of a file, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extents {
    /// Pieces of the file that are in one piece on the device. Neighbours that differ only in whether they are shared
    /// are one; compressed extents are one each.
    pub pieces: u64,
    /// Bytes of the file that have an extent.
    pub bytes: u64,
    /// Those of them that another file uses, too.
    pub shared_bytes: u64,
}

impl Extents {
    /// The extents of `file`, which is written back first.
    ///
    /// # Errors
    /// The file system does not report them.
    pub fn of(file: &File) -> io::Result<Extents> {
        let len = file.metadata()?.len();
        let (mut all, mut before, mut start) = (Extents::default(), None, 0);
        while start < len {
            let map = ask(file, start, len - start)?;
            let found = &map.extents[..(map.header.mapped as usize).min(AT_ONCE)];
            for extent in found {
                all.add(extent, before, len);
                before = Some(*extent);
            }
            match found.last() {
                // A file system that reports an empty extent would be asked for ever.
                Some(last) if last.flags & LAST == 0 && last.logical + last.length > start => {
                    start = last.logical + last.length;
                }
                _ => break,
            }
        }
        Ok(all)
    }

    /// Adds `extent` behind the one `before`, of a file of `len` bytes.
    fn add(&mut self, extent: &Extent, before: Option<Extent>, len: u64) {
        // Room that is kept behind the end, as XFS does, is not part of the file.
        let bytes = extent.length.min(len.saturating_sub(extent.logical));
        self.bytes += bytes;
        if extent.flags & SHARED != 0 {
            self.shared_bytes += bytes;
        }
        let continues = before.is_some_and(|before| {
            (before.flags | extent.flags) & ENCODED == 0
                && before.logical + before.length == extent.logical
                && before.physical + before.length == extent.physical
        });
        self.pieces += u64::from(bytes > 0 && !continues);
    }
}

fn ask(file: &File, start: u64, length: u64) -> Result<Map, Errno> {
    let header =
        Header { start, length, flags: FLAG_SYNC, count: AT_ONCE as u32, ..Header::default() };
    let mut map = Map { header, extents: [Extent::default(); AT_ONCE] };
    // SAFETY: `map` is laid out as `struct fiemap` and followed by as many extents as its count says; the kernel
    // writes no more than these and keeps no pointer.
    unsafe { ioctl(file, Updater::<FIEMAP, Map>::new(&mut map))? };
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn extent(logical: u64, physical: u64, length: u64, flags: u32) -> Extent {
        Extent { logical, physical, length, flags, ..Extent::default() }
    }

    fn sum(extents: &[Extent], len: u64) -> Extents {
        let (mut all, mut before) = (Extents::default(), None);
        for extent in extents {
            all.add(extent, before, len);
            before = Some(*extent);
        }
        all
    }

    #[test]
    fn neighbours_on_the_device_are_one_piece() {
        let block = 4096;
        let in_a_row = [
            extent(0, 10 * block, block, 0),
            extent(block, 11 * block, block, SHARED),
            extent(2 * block, 40 * block, block, SHARED),
        ];
        let all = sum(&in_a_row, 3 * block);
        assert_eq!(all, Extents { pieces: 2, bytes: 3 * block, shared_bytes: 2 * block });
        let behind_a_hole = [extent(0, block, block, 0), extent(2 * block, 2 * block, block, 0)];
        assert_eq!(sum(&behind_a_hole, 3 * block).pieces, 2);
        let compressed =
            [extent(0, block, block, ENCODED), extent(block, 2 * block, block, ENCODED)];
        assert_eq!(sum(&compressed, 2 * block).pieces, 2);
    }

    #[test]
    fn room_behind_the_end_is_not_counted() {
        let all = sum(&[extent(0, 0, 1 << 20, SHARED), extent(1 << 20, 9 << 20, 4096, 0)], 5000);
        assert_eq!(all, Extents { pieces: 1, bytes: 5000, shared_bytes: 5000 });
    }

    #[test]
    fn file_of_its_own_shares_nothing() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; 1 << 20]).unwrap();
        match Extents::of(&file) {
            Ok(all) => {
                assert_eq!((all.bytes, all.shared_bytes), (1 << 20, 0));
                assert!(all.pieces >= 1);
            }
            Err(why) => needs::skip(needs::Need::Other, format!("extents are not reported: {why}")),
        }
    }
}

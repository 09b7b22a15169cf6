//! Reads where the pieces of a file are on its device, by FIEMAP.

use rustix::{
    io::Errno,
    ioctl::{Opcode, Updater, ioctl, opcode},
};
use std::fs::File;

/// The unit in which blocks are counted, bytes.
pub(crate) const BLOCK_BYTES: u64 = 4096;
/// Extents asked for at once.
const EXTENTS: usize = 128;
/// `FS_IOC_FIEMAP`; its number holds the size of the header alone.
const FIEMAP: Opcode = opcode::read_write::<Header>(b'f', 11);
/// Write back before telling.
const FLAG_SYNC: u32 = 1;
/// The last extent of the file.
const EXTENT_LAST: u32 = 0x1;
/// Allocated, and reads as zeros until it is written.
pub(crate) const UNWRITTEN: u32 = 0x800;
/// In use by another file, too.
pub(crate) const SHARED: u32 = 0x2000;
/// Compressed or encrypted: the length is not that on the device.
pub(crate) const ENCODED: u32 = 0x8;
/// In the metadata: no blocks of its own.
pub(crate) const INLINE: u32 = 0x200;

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

/// A piece of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    /// Its offset in the file.
    pub(crate) logical: u64,
    /// Its offset on the device.
    pub(crate) physical: u64,
    /// Its bytes of the file.
    pub(crate) length: u64,
    pub(crate) reserved64: [u64; 2],
    /// Its flags.
    pub(crate) flags: u32,
    pub(crate) reserved: [u32; 3],
}

#[repr(C)]
struct Map {
    header: Header,
    extents: [Extent; EXTENTS],
}

/// The pieces of `file`, written back first.
///
/// # Errors
/// The file system does not report it.
pub(crate) fn extents(file: &File) -> Result<Vec<Extent>, Errno> {
    let mut all: Vec<Extent> = Vec::new();
    // Room that is kept behind the end, as XFS does, is not part of the file.
    let len = file.metadata().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let len = len.len().next_multiple_of(BLOCK_BYTES);
    loop {
        let start = all.last().map_or(0, |last| last.logical + last.length);
        if start >= len {
            return Ok(all);
        }
        let header = Header {
            start,
            length: len - start,
            flags: FLAG_SYNC,
            count: EXTENTS as u32,
            ..Header::default()
        };
        let mut map = Map { header, extents: [Extent::default(); EXTENTS] };
        // SAFETY: `map` is laid out as `struct fiemap` and followed by as many extents as its count
        // says; the kernel writes no more than these and keeps no pointer.
        unsafe { ioctl(file, Updater::<FIEMAP, Map>::new(&mut map))? };
        let found = &map.extents[..(map.header.mapped as usize).min(EXTENTS)];
        all.extend(found.iter().map(|extent| Extent {
            length: extent.length.min(len.saturating_sub(extent.logical)),
            ..*extent
        }));
        if found.last().is_none_or(|last| last.flags & EXTENT_LAST != 0) {
            return Ok(all);
        }
    }
}

/// The least that `file` can hold on its device: a block for each compressed extent.
pub(crate) fn least_bytes(file: &File) -> Result<u64, Errno> {
    let least = |extent: Extent| match extent.flags {
        flags if flags & INLINE != 0 => 0,
        flags if flags & ENCODED != 0 => BLOCK_BYTES,
        _ => extent.length,
    };
    Ok(extents(file)?.into_iter().map(least).sum())
}

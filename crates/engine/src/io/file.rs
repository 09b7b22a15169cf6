//! Opens files for an engine, and checks the requirements of direct, uncached and atomic I/O.

use super::{EngineError, EngineOptions, error::path_of};
use crate::map::PAGE_BYTES;
use rustix::{
    fs::{AtFlags, OFlags, StatxFlags, fcntl_getfl, statx},
    io::{Errno, ReadWriteFlags, preadv2},
};
use std::{
    fs::{File, OpenOptions},
    io::{self, IoSliceMut},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Alignment for direct I/O where the kernel does not say: no file system asks for more, and some
/// silently go through the page cache for less.
const CAREFUL_BYTES: u32 = 4096;

/// Through the page cache, without leaving pages in it; Linux 6.14.
pub(super) const RWF_DONTCACHE: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x80);

/// Opens an existing file, with `O_DIRECT` when `direct`; for reading and writing when `write`.
///
/// # Errors
/// [`EngineError::NotDirect`] when the file system refuses direct I/O.
pub fn open(path: &Path, write: bool, direct: bool) -> Result<File, EngineError> {
    let flags = if direct { OFlags::DIRECT.bits() as i32 } else { 0 };
    let opened = OpenOptions::new().read(true).write(write).custom_flags(flags).open(path);
    opened.map_err(|source| match source.kind() {
        io::ErrorKind::InvalidInput if direct => EngineError::NotDirect { path: path.into() },
        _ => EngineError::File { what: "open", path: path.into(), source },
    })
}

/// The alignment that direct I/O on `file` requires of offset and length, bytes. Memory is always aligned to a page.
pub fn direct_alignment(file: &File) -> Result<u32, EngineError> {
    let told = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN);
    let Ok(told) = told else { return Ok(CAREFUL_BYTES) };
    if told.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
        return Ok(CAREFUL_BYTES);
    }
    match (told.stx_dio_mem_align, told.stx_dio_offset_align) {
        (memory, offset) if offset > 0 && u64::from(memory) <= PAGE_BYTES => Ok(offset),
        _ => Err(EngineError::NotDirect { path: path_of(file) }),
    }
}

/// The multiple that `file`, open with `O_DIRECT`, takes directly, where it takes `block_bytes` all the same: through
/// the page cache, as Btrfs does below its sectors of 4 KiB. `None` where the block goes directly, or not at all.
///
/// # Errors
/// [`EngineError::NotDirect`] when nothing goes directly.
pub fn buffered_below(file: &File, block_bytes: u32) -> Result<Option<u32>, EngineError> {
    let alignment = direct_alignment(file)?;
    if block_bytes.is_multiple_of(alignment) {
        return Ok(None);
    }
    // Not at the beginning, which is aligned to everything.
    let mut block = vec![0_u8; block_bytes as usize + PAGE_BYTES as usize];
    let to_page = block.as_ptr().align_offset(PAGE_BYTES as usize);
    let block = &mut block[to_page..to_page + block_bytes as usize];
    match rustix::io::pread(file, block, u64::from(block_bytes)) {
        Ok(_) => Ok(Some(alignment)),
        Err(rustix::io::Errno::INVAL) => Ok(None),
        Err(error) => Err(EngineError::file("read", file, error)),
    }
}

/// Checks that `file` is open as `options` say, and takes blocks of `block_bytes`.
pub(super) fn check(
    file: &File,
    options: &EngineOptions,
    block_bytes: u32,
) -> Result<(), EngineError> {
    let flags = fcntl_getfl(file).map_err(|error| EngineError::file("look at", file, error))?;
    let path = || path_of(file).display().to_string();
    if flags.contains(OFlags::DIRECT) != options.direct {
        return Err(EngineError::Options(format!(
            "{} is open {} O_DIRECT, which contradicts the options",
            path(),
            if options.direct { "without" } else { "with" },
        )));
    }
    if options.direct {
        let alignment = direct_alignment(file)?;
        if !block_bytes.is_multiple_of(alignment) && buffered_below(file, block_bytes)?.is_none() {
            return Err(EngineError::Options(format!(
                "direct I/O to {} needs blocks of a multiple of {alignment} bytes, not \
                 {block_bytes}",
                path()
            )));
        }
    }
    match options.dontcache {
        true => takes_dontcache(file),
        false => Ok(()),
    }
}

/// Checks that `file` supports `RWF_DONTCACHE`, by a read at its end, which touches no page.
fn takes_dontcache(file: &File) -> Result<(), EngineError> {
    let end = file.metadata().map_err(|error| EngineError::file("look at", file, error))?.len();
    match preadv2(file, &mut [IoSliceMut::new(&mut [0])], end, RWF_DONTCACHE) {
        Ok(_) => Ok(()),
        // A kernel without the flag says so, too.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
            Err(EngineError::not_supported("RWF_DONTCACHE", path_of(file), "dontcache"))
        }
        Err(error) => Err(EngineError::file("read", file, error)),
    }
}

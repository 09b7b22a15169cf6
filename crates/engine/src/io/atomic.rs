//! Writes that a power failure leaves as a whole or not at all: `RWF_ATOMIC`, Linux 6.11 on block devices, 6.13 on ext4
//! and XFS.

use super::{EngineError, error::path_of};
use rustix::{
    fs::{AtFlags, StatxFlags, statx},
    io::{Errno, ReadWriteFlags, pwritev2},
};
use std::{
    fs::File,
    io::{self, IoSlice},
};

/// All of the write, or none of it.
const RWF_ATOMIC: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x40);
/// Asks statx(2) for the sizes of such writes.
const STATX_WRITE_ATOMIC: StatxFlags = StatxFlags::from_bits_retain(0x0001_0000);

/// Sizes of writes that a file takes atomically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicSizes {
    /// The smallest, bytes.
    pub least_bytes: u32,
    /// The largest, bytes.
    pub most_bytes: u32,
    /// The largest that the device supports itself, bytes; 0 where the file system does each by writing to another
    /// place and changing its metadata, or where the kernel does not tell.
    pub device_bytes: u32,
}

/// The sizes of atomic writes to `file`, which is open with `O_DIRECT`; checked to include `block_bytes`.
///
/// # Errors
/// [`EngineError::NotSupported`] where the file system has no such writes, or none of that size.
pub fn atomic_sizes(file: &File, block_bytes: u32) -> Result<AtomicSizes, EngineError> {
    let refused = |what| EngineError::not_supported(what, path_of(file), "guard");
    let told = statx(file, c"", AtFlags::EMPTY_PATH, STATX_WRITE_ATOMIC)
        .map_err(|error| EngineError::file("look at", file, error))?;
    let is_told = told.stx_mask & STATX_WRITE_ATOMIC.bits() != 0;
    let sizes = AtomicSizes {
        least_bytes: told.stx_atomic_write_unit_min,
        most_bytes: told.stx_atomic_write_unit_max,
        device_bytes: told.stx_atomic_write_unit_max_opt,
    };
    if !is_told || sizes.most_bytes == 0 {
        return Err(refused("RWF_ATOMIC"));
    }
    match (sizes.least_bytes..=sizes.most_bytes).contains(&block_bytes) {
        true => Ok(sizes),
        false => Err(refused("RWF_ATOMIC of this size")),
    }
}

/// Writes `block`, whose length is a power of two, to a multiple of it, atomically.
///
/// # Errors
/// [`EngineError::NotSupported`] where the kernel refuses the flag; what the system says otherwise.
pub fn write_atomic(file: &File, block: &[u8], offset: u64) -> Result<(), EngineError> {
    match pwritev2(file, &[IoSlice::new(block)], offset, RWF_ATOMIC) {
        Ok(moved) if moved == block.len() => Ok(()),
        Ok(_) => Err(EngineError::file("write atomically", file, io::ErrorKind::WriteZero)),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
            Err(EngineError::not_supported("RWF_ATOMIC", path_of(file), "guard"))
        }
        Err(error) => Err(EngineError::file("write atomically", file, error)),
    }
}

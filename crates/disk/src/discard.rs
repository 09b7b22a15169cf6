//! Empties a whole block device: by discarding (`BLKDISCARD`) or zeroing it (`BLKZEROOUT`), both from `linux/fs.h`.

use crate::Device;
use model::text::Bytes;
use rustix::ioctl::{Opcode, Setter, ioctl, opcode};
use std::{fs::File, io};

/// `_IO(0x12, 119)`; its number holds no size.
const DISCARD: Opcode = opcode::none(0x12, 119);
/// `_IO(0x12, 127)`.
const ZERO: Opcode = opcode::none(0x12, 127);

/// Start and length, bytes.
type Range = [u64; 2];

/// Returns true if `device` says that it can discard.
pub(crate) fn is_known(device: Device) -> bool {
    let most = device.attribute("queue/discard_max_bytes");
    most.and_then(|bytes| bytes.parse::<u64>().ok()).is_some_and(|bytes| bytes > 0)
}

/// Discards all of it.
pub(crate) fn discard(device: &File, size: Bytes) -> io::Result<()> {
    // SAFETY: BLKDISCARD reads two u64 from the pointer and keeps none; the device is open for writing.
    let result = unsafe { ioctl(device, Setter::<DISCARD, Range>::new([0, size.0])) };
    Ok(result?)
}

/// Zeroes all of it, by the device itself where it can.
pub(crate) fn zero(device: &File, size: Bytes) -> io::Result<()> {
    // SAFETY: BLKZEROOUT reads two u64 from the pointer and keeps none; the device is open for writing.
    let result = unsafe { ioctl(device, Setter::<ZERO, Range>::new([0, size.0])) };
    Ok(result?)
}

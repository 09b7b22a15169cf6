//! Partitions that exist only in the kernel, without a partition table (`BLKPG`, from `linux/blkpg.h`): nothing is
//! written to the disk, and they are gone after a reboot.

use crate::DiskPart;
use rustix::ioctl::{Opcode, Setter, ioctl, opcode};
use std::{ffi::c_int, fs::File, io};

/// `_IO(0x12, 105)`; its number holds no size.
const BLKPG: Opcode = opcode::none(0x12, 105);
const ADD: c_int = 1;
const REMOVE: c_int = 2;

/// `struct blkpg_partition`.
#[repr(C)]
struct Partition {
    start: i64,
    length: i64,
    number: c_int,
    /// Names of the device and of the volume, which the kernel does not read.
    names: [u8; 128],
}

/// `struct blkpg_ioctl_arg`.
#[repr(C)]
struct Request {
    op: c_int,
    flags: c_int,
    bytes: c_int,
    data: *const Partition,
}

/// Makes `part` a partition of `disk`.
pub(crate) fn add(disk: &File, part: &DiskPart) -> io::Result<()> {
    request(disk, ADD, part)
}

/// Removes the partition `number` of `disk` from the kernel. One that is open stays.
pub(crate) fn remove(disk: &File, number: u32) -> io::Result<()> {
    request(disk, REMOVE, &DiskPart { number, start: 0, bytes: 0 })
}

fn request(disk: &File, op: c_int, part: &DiskPart) -> io::Result<()> {
    let signed = |n: u64| i64::try_from(n).map_err(io::Error::other);
    let partition = Partition {
        start: signed(part.start)?,
        length: signed(part.bytes)?,
        number: c_int::try_from(part.number).map_err(io::Error::other)?,
        names: [0; 128],
    };
    let bytes = size_of::<Partition>() as c_int;
    let request = Request { op, flags: 0, bytes, data: &raw const partition };
    // SAFETY: BLKPG reads a blkpg_ioctl_arg and the blkpg_partition that it points at, which outlives the
    // call; it keeps neither, and writes to neither.
    let result = unsafe { ioctl(disk, Setter::<BLKPG, Request>::new(request)) };
    Ok(result?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_are_those_of_the_kernel() {
        assert_eq!((size_of::<Partition>(), size_of::<Request>()), (152, 24));
    }

    #[test]
    fn a_plain_file_has_no_partitions() {
        let file = tempfile::tempfile().unwrap();
        assert!(add(&file, &DiskPart { number: 1, start: 0, bytes: 1 << 20 }).is_err());
        assert!(remove(&file, 1).is_err());
    }
}

//! Identifies the file behind a loop device by the kernel's device and inode numbers (`LOOP_GET_STATUS64`, from
//! `linux/loop.h`), which do not depend on names, mounts or namespaces.

use rustix::ioctl::{Getter, Opcode, ioctl, opcode};
use std::{fs::File, os::unix::fs::MetadataExt, path::Path};

/// `_IO('L', 5)`; its number holds no size.
const STATUS: Opcode = opcode::none(b'L', 5);

/// `struct loop_info64`.
#[repr(C)]
struct Info {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    limit: u64,
    /// Number, type and size of a key, and flags.
    words: [u32; 4],
    /// Names of the file and of a cipher, and a key.
    texts: [[u8; 32]; 5],
    init: [u64; 2],
}

/// The state of a loop device, as the kernel reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Attached {
    /// The backing file.
    pub(crate) file: FileId,
    /// From where on, bytes.
    offset: u64,
    /// The length of the attached range, bytes; 0 for the whole file.
    limit: u64,
}

/// A file by the numbers of its file system and its inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

impl Attached {
    /// Returns the state of the loop device `device`; `None` if it is not an attached loop device.
    pub(crate) fn of(device: &File) -> Option<Attached> {
        // SAFETY: LOOP_GET_STATUS64 fills in a loop_info64 and keeps nothing of it; every bit pattern is one.
        let info = unsafe { ioctl(device, Getter::<STATUS, Info>::new()) }.ok()?;
        let file = FileId { device: info.device, inode: info.inode };
        Some(Attached { file, offset: info.offset, limit: info.limit })
    }
}

impl FileId {
    /// Returns the id of the file at `path`.
    pub(crate) fn of(path: &Path) -> Option<FileId> {
        let meta = std::fs::metadata(path).ok()?;
        Some(FileId { device: meta.dev(), inode: meta.ino() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops;

    #[test]
    fn the_structure_is_that_of_the_kernel() {
        assert_eq!(size_of::<Info>(), 232);
    }

    #[test]
    fn loop_device_tells_its_file_by_number() {
        if !needs::root_or_skip("a loop device") {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("image");
        File::create(&path).unwrap().set_len(1 << 20).unwrap();
        let Some(node) = loops::attach(&path) else {
            return needs::skip(needs::Need::Loop, "no loop device can be attached");
        };
        let found = Attached::of(&File::open(&node).unwrap());
        loops::detach(&node);
        assert_eq!(found.map(|attached| attached.file), FileId::of(&path));
        assert_eq!(Attached::of(&File::open(&path).unwrap()), None, "a file is not a device");
    }
}

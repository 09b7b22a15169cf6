//! One of the equal parts into which a disk is divided.

use serde::{Deserialize, Serialize};
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// One part of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskPart {
    /// Number under which the kernel knows it as a partition, from 1.
    pub number: u32,
    /// Its offset on the disk, bytes.
    pub start: u64,
    /// Its length, bytes.
    pub bytes: u64,
}

impl DiskPart {
    pub(crate) fn range(&self) -> Range<u64> {
        self.start..self.start + self.bytes
    }

    /// Its node on the disk `disk`, as the kernel names it (block/partitions/core.c).
    pub(crate) fn node(&self, disk: &Path) -> PathBuf {
        let mut name = disk.as_os_str().to_owned();
        let ends_in_digit = name.as_encoded_bytes().last().is_some_and(u8::is_ascii_digit);
        name.push(if ends_in_digit { "p" } else { "" });
        name.push(self.number.to_string());
        name.into()
    }
}

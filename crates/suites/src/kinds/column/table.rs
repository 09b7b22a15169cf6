//! The compressed files of kdb+: `kxzipped`, the compressed blocks, and at the end a table of the blocks. All numbers
//! are little endian.
//!
//! - 32 bytes: version (i32), algorithm and level (u8 each), 2 bytes, then the bytes of the image, of the file up to
//!   here, and of a block (i64 each)
//! - for each block its length in the file and its algorithm (i32 each)
//! - the number of blocks (i64)
//!
//! The image is the file as it would be without compression.

use super::codec::Algorithm;
use crate::TestError;
use std::{fs::File, os::unix::fs::FileExt, path::Path};

/// The first bytes of a compressed file.
pub(super) const MAGIC: &[u8; 8] = b"kxzipped";

const VERSION: u32 = 3;
/// Bytes before the entries of the blocks, of an entry, and behind them.
const HEAD: usize = 32;
const ENTRY: usize = 8;
const COUNT: usize = 8;
/// More blocks than any file of a test has: what a broken file says is not believed.
const MOST_BLOCKS: u64 = 1 << 28;

/// A block in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its bytes in the file.
    pub(super) len: u32,
    pub(super) algorithm: Algorithm,
}

/// Where the blocks of a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Bytes of the image.
    pub(super) image_bytes: u64,
    /// Bytes of a block of the image; the last may be shorter.
    pub(super) block_bytes: u64,
    pub(super) entries: Vec<Entry>,
}

impl Table {
    /// The end of the file.
    pub(super) fn to_bytes(&self, algorithm: Algorithm, level: u32) -> Vec<u8> {
        let packed: u64 = self.entries.iter().map(|entry| u64::from(entry.len)).sum();
        let mut bytes = Vec::with_capacity(HEAD + ENTRY * self.entries.len() + COUNT);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([algorithm.number(), level as u8, 0, 0]);
        for number in [self.image_bytes, MAGIC.len() as u64 + packed, self.block_bytes] {
            bytes.extend(number.to_le_bytes());
        }
        for entry in &self.entries {
            bytes.extend(entry.len.to_le_bytes());
            bytes.extend(u32::from(entry.algorithm.number()).to_le_bytes());
        }
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        bytes
    }

    /// Reads the table of an open file.
    pub(super) fn read(file: &File, path: &Path) -> Result<Table, TestError> {
        let io = || TestError::io("read", path);
        let wrong = |why: &str| TestError::Wrong { path: path.into(), why: why.into() };
        let len = file.metadata().map_err(TestError::io("stat", path))?.len();
        let mut magic = [0; MAGIC.len()];
        let mut count = [0; COUNT];
        let at = len.checked_sub(COUNT as u64).filter(|at| *at >= (MAGIC.len() + HEAD) as u64);
        let at = at.ok_or_else(|| wrong("too short for a compressed column"))?;
        file.read_exact_at(&mut magic, 0).map_err(io())?;
        file.read_exact_at(&mut count, at).map_err(io())?;
        let blocks = u64::from_le_bytes(count);
        if magic != *MAGIC || blocks > MOST_BLOCKS {
            return Err(wrong("no compressed column"));
        }
        let mut bytes = vec![0; HEAD + ENTRY * blocks as usize];
        let from =
            at.checked_sub(bytes.len() as u64).ok_or_else(|| wrong("no room for its blocks"))?;
        file.read_exact_at(&mut bytes, from).map_err(io())?;
        Table::parse(&bytes).ok_or_else(|| wrong("its table of blocks is broken"))
    }

    /// The table in the bytes before the number of blocks; `None` if its numbers do not agree.
    fn parse(bytes: &[u8]) -> Option<Table> {
        let (head, entries) = bytes.split_at_checked(HEAD)?;
        let long = |at: usize| Some(u64::from_le_bytes(head[at..at + 8].try_into().ok()?));
        let entry = |bytes: &[u8]| {
            let int = |at: usize| Some(u32::from_le_bytes(bytes[at..at + 4].try_into().ok()?));
            Some(Entry { len: int(0)?, algorithm: Algorithm::of_number(int(4)?)? })
        };
        let entries = entries.chunks_exact(ENTRY).map(entry).collect::<Option<Vec<_>>>()?;
        let (image_bytes, packed, block_bytes) = (long(8)?, long(16)?, long(24)?);
        let fits = |entry: &Entry| u64::from(entry.len) <= block_bytes;
        let sum: u64 = entries.iter().map(|entry| u64::from(entry.len)).sum();
        let agree = block_bytes > 0
            && image_bytes.div_ceil(block_bytes) == entries.len() as u64
            && packed == MAGIC.len() as u64 + sum
            && entries.iter().all(fits);
        agree.then_some(Table { image_bytes, block_bytes, entries })
    }
}

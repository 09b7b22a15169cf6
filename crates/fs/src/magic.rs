//! Magic numbers: the bytes, and their offsets, that identify the content of a disk.
//!
//! Offsets are those of the formats' own documents and headers, as libblkid collects them (util-linux,
//! `libblkid/src/superblocks` and `partitions`); types have the names that `blkid` and `wipefs` print, so that all
//! three use the same word.

/// The position of a magic number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Offset from the start, bytes.
    Start(u64),
    /// Offset before the end, bytes, which is first rounded down to a multiple of `align`.
    End {
        /// The alignment of the end, bytes.
        align: u64,
        /// The distance before the end, bytes.
        back: u64,
    },
}

/// A magic number.
#[derive(Clone, Copy, Debug)]
pub struct Magic {
    /// Type, as `blkid` prints it.
    pub kind: &'static str,
    /// Where.
    pub at: At,
    /// The expected bytes.
    pub bytes: &'static [u8],
    /// Distance from `at` to the identity, and its length, where the format has one of its own.
    pub id: Option<(i64, usize)>,
}

impl Magic {
    /// Two bytes stand by chance where other formats keep counters; they count only alone.
    pub fn is_weak(&self) -> bool {
        self.bytes.len() <= 2
    }
}

/// The position of a 16-byte UUID, relative to the magic number.
pub const fn uuid(distance: i64) -> Option<(i64, usize)> {
    Some((distance, 16))
}

/// One at the byte offset `at` from the start.
pub const fn start(
    kind: &'static str,
    at: u64,
    bytes: &'static [u8],
    id: Option<(i64, usize)>,
) -> Magic {
    Magic { kind, at: At::Start(at), bytes, id }
}

/// One that lies `back` bytes before the end.
pub const fn end(kind: &'static str, align: u64, back: u64, bytes: &'static [u8]) -> Magic {
    Magic { kind, at: At::End { align, back }, bytes, id: None }
}

/// The signature by which one kind of file system is recognized on a disk.
#[derive(Clone, Copy, Debug)]
pub enum Signature {
    /// Not said yet; a test names the file system.
    Unsaid,
    /// By magic numbers.
    Magic(&'static [Magic]),
    /// By a reader of its own, which finds this type.
    Read(&'static str),
    /// A disk never holds one: why.
    Without(&'static str),
}

//! One chunk: a head of fixed size, then its payload, deflated.

use super::error::{Damage, TraceError};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use std::io::{Read, Write};

/// Bytes of a head.
pub(super) const HEAD_BYTES: usize = 36;

/// Most bytes of a payload, before compression and after it.
pub(super) const MOST_BYTES: usize = 8 << 20;

/// Size from which a part of a payload gets a code of its own, which costs some hundred bytes.
const OWN_CODE_BYTES: usize = 4096;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    Header = 1,
    Names = 2,
    StartEntries = 3,
    StartHandles = 4,
    Calls = 5,
    End = 6,
}

impl Kind {
    fn of_code(code: u32) -> Option<Kind> {
        use Kind::{Calls, End, Header, Names, StartEntries, StartHandles};
        [Header, Names, StartEntries, StartHandles, Calls, End]
            .into_iter()
            .find(|kind| *kind as u32 == code)
    }
}

/// The header before a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: Kind,
    /// Things in the payload, e.g. calls.
    pub(super) count: u32,
    /// Bytes of the payload before compression.
    pub(super) raw: u32,
    /// Bytes of the payload in the file.
    pub(super) stored: u32,
    /// When the first of the calls began.
    pub(super) first_ns: u64,
    /// When the last of the calls began.
    pub(super) last_ns: u64,
    /// Of the head without this field, and of the payload as stored.
    pub(super) crc: u32,
}

impl Head {
    /// The head of a chunk; `None` where no chunk begins so.
    pub(super) fn parse(bytes: &[u8; HEAD_BYTES]) -> Option<Head> {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let head = Head {
            kind: Kind::of_code(word(0))?,
            count: word(4),
            raw: word(8),
            stored: word(12),
            first_ns: long(16),
            last_ns: long(24),
            crc: word(32),
        };
        let is_bounded = [head.raw, head.stored].iter().all(|len| *len as usize <= MOST_BYTES);
        is_bounded.then_some(head)
    }

    fn without_crc(&self) -> [u8; HEAD_BYTES - 4] {
        let mut bytes = [0; HEAD_BYTES - 4];
        let words = [self.kind as u32, self.count, self.raw, self.stored];
        for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes[16..24].copy_from_slice(&self.first_ns.to_le_bytes());
        bytes[24..].copy_from_slice(&self.last_ns.to_le_bytes());
        bytes
    }

    fn checksum(&self, stored: &[u8]) -> u32 {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&self.without_crc());
        crc.update(stored);
        crc.finalize()
    }
}

/// Writes a chunk of `count` things, whose payload is made of `parts` that differ in their bytes; returns its length.
pub(super) fn write(
    out: &mut impl Write,
    kind: Kind,
    count: usize,
    times: (u64, u64),
    parts: &[Vec<u8>],
) -> Result<u64, TraceError> {
    let raw: usize = parts.iter().map(Vec::len).sum();
    let mut deflated = DeflateEncoder::new(Vec::with_capacity(raw / 4), Compression::new(4));
    for part in parts {
        deflated.write_all(part)?;
        if part.len() >= OWN_CODE_BYTES {
            deflated.flush()?;
        }
    }
    let stored = deflated.finish()?;
    let too_long = || std::io::Error::other("a part of the trace exceeds 8 MiB");
    if raw.max(stored.len()) > MOST_BYTES {
        return Err(too_long().into());
    }
    let mut head = Head {
        kind,
        count: u32::try_from(count).map_err(|_| too_long())?,
        raw: raw as u32,
        stored: stored.len() as u32,
        first_ns: times.0,
        last_ns: times.1,
        crc: 0,
    };
    head.crc = head.checksum(&stored);
    out.write_all(&head.without_crc())?;
    out.write_all(&head.crc.to_le_bytes())?;
    out.write_all(&stored)?;
    Ok((HEAD_BYTES + stored.len()) as u64)
}

/// Reads the payload of a chunk, whose head began at byte `at`, into `raw`.
pub(super) fn read(
    input: &mut impl Read,
    at: u64,
    head: &Head,
    raw: &mut Vec<u8>,
) -> Result<(), TraceError> {
    let mut stored = vec![0; head.stored as usize];
    input.read_exact(&mut stored).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => Damage::new(at, "the file ends").into(),
        _ => TraceError::Io(error),
    })?;
    if head.checksum(&stored) != head.crc {
        return Err(Damage::new(at, "the checksum is wrong").into());
    }
    raw.clear();
    let most = u64::from(head.raw) + 1;
    DeflateDecoder::new(stored.as_slice())
        .take(most)
        .read_to_end(raw)
        .map_err(|_| Damage::new(at, "its compression is broken"))?;
    if raw.len() != head.raw as usize {
        return Err(Damage::new(at, "its length is not the one that its head states").into());
    }
    Ok(())
}

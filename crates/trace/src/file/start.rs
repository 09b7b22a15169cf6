//! Encodes the initial state of the disk.

use super::{varint, varint::Bytes};
use crate::{
    path::PathId,
    start::{StartEntry, StartHandle, StartKind},
};

/// Most entries or descriptors of a chunk: each takes up to 50 bytes.
pub(super) const CHUNK_ENTRIES: usize = 65_536;

const FILE: u8 = 0;
const DIRECTORY: u8 = 1;
const LINK: u8 = 2;
const LINK_OUTSIDE: u8 = 3;
const HARD_LINK: u8 = 4;

/// Entries: each its kind, the difference of its path to the one before, its permissions, and what its kind has.
pub(super) fn encode_entries(entries: &[StartEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = 0;
    for entry in entries {
        let path = i64::from(entry.path);
        bytes.push(code(&entry.kind));
        varint::put_signed(&mut bytes, path - before);
        varint::put(&mut bytes, entry.mode.into());
        encode_kind(&mut bytes, &entry.kind);
        before = path;
    }
    bytes
}

fn code(kind: &StartKind) -> u8 {
    match kind {
        StartKind::File { .. } => FILE,
        StartKind::Directory { .. } => DIRECTORY,
        StartKind::Link(Some(_)) => LINK,
        StartKind::Link(None) => LINK_OUTSIDE,
        StartKind::HardLink(_) => HARD_LINK,
    }
}

fn encode_kind(bytes: &mut Vec<u8>, kind: &StartKind) {
    match kind {
        StartKind::File { bytes: length, cached_bytes, compressed } => {
            varint::put(bytes, *length);
            varint::put(bytes, cached_bytes.map_or(0, |cached| cached.saturating_add(1)));
            // Compressibility in ten thousandths, after 0 for none.
            let share =
                compressed.map_or(0, |share| 1 + (share.clamp(0.0, 1.0) * 1e4).round() as u64);
            varint::put(bytes, share);
        }
        StartKind::Directory { entries } => varint::put(bytes, (*entries).into()),
        StartKind::Link(Some(path)) | StartKind::HardLink(path) => {
            varint::put(bytes, (*path).into());
        }
        StartKind::Link(None) => {}
    }
}

/// `count` entries, all of paths below `paths`.
pub(super) fn decode_entries(bytes: &[u8], count: usize, paths: usize) -> Option<Vec<StartEntry>> {
    let mut bytes = Bytes(bytes);
    let mut entries = Vec::with_capacity(count.min(CHUNK_ENTRIES));
    let known = |path: i64| PathId::try_from(path).ok().filter(|path| (*path as usize) < paths);
    let mut before = 0i64;
    for _ in 0..count {
        let code = bytes.byte()?;
        let path = known(before.checked_add(bytes.signed()?)?)?;
        before = path.into();
        let mode = bytes.word()?;
        let kind = match code {
            FILE => decode_file(&mut bytes)?,
            DIRECTORY => StartKind::Directory { entries: bytes.word()? },
            LINK => StartKind::Link(Some(known(bytes.word()?.into())?)),
            LINK_OUTSIDE => StartKind::Link(None),
            HARD_LINK => StartKind::HardLink(known(bytes.word()?.into())?),
            _ => return None,
        };
        entries.push(StartEntry { path, kind, mode });
    }
    bytes.is_empty().then_some(entries)
}

fn decode_file(bytes: &mut Bytes) -> Option<StartKind> {
    let length = bytes.number()?;
    let cached_bytes = bytes.number()?.checked_sub(1);
    let share = bytes.number()?.checked_sub(1);
    if share.is_some_and(|share| share > 10_000) {
        return None;
    }
    let compressed = share.map(|share| share as f64 / 1e4);
    Some(StartKind::File { bytes: length, cached_bytes, compressed })
}

/// Descriptors, each as five numbers.
pub(super) fn encode_handles(handles: &[StartHandle]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for handle in handles {
        for word in [handle.handle, handle.thread, handle.path, handle.flags] {
            varint::put(&mut bytes, word.into());
        }
        varint::put(&mut bytes, handle.offset);
    }
    bytes
}

/// `count` descriptors, all of paths below `paths`.
pub(super) fn decode_handles(bytes: &[u8], count: usize, paths: usize) -> Option<Vec<StartHandle>> {
    let mut bytes = Bytes(bytes);
    let mut handles = Vec::with_capacity(count.min(CHUNK_ENTRIES));
    for _ in 0..count {
        let (handle, thread) = (bytes.word()?, bytes.word()?);
        let path = bytes.word().filter(|path| (*path as usize) < paths)?;
        let (flags, offset) = (bytes.word()?, bytes.number()?);
        handles.push(StartHandle { handle, thread, path, flags, offset });
    }
    bytes.is_empty().then_some(handles)
}

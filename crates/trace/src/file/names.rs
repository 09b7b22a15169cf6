//! Paths as bytes: for each its distance to its parent (0 for a root) and the length of its name; then all names.

use super::{MOST_NAME_BYTES, MOST_PATHS, varint, varint::Bytes};
use crate::path::{NAME_BYTES, PathId, Paths};

/// Most paths of a chunk: each takes up to 262 bytes.
pub(super) const CHUNK_PATHS: usize = 16_384;

/// The paths `from..to`.
pub(super) fn encode(paths: &Paths, from: usize, to: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for id in from as PathId..to as PathId {
        varint::put(&mut bytes, u64::from(id - paths.parent(id).unwrap_or(id)));
        varint::put(&mut bytes, paths.name(id).len() as u64);
    }
    for id in from as PathId..to as PathId {
        bytes.extend_from_slice(paths.name(id));
    }
    bytes
}

/// Adds `count` paths; only the first `roots` of all may be roots. `name_bytes` counts those of all names so far.
pub(super) fn decode(
    bytes: &[u8],
    count: usize,
    roots: usize,
    paths: &mut Paths,
    name_bytes: &mut usize,
) -> Result<(), String> {
    if count > CHUNK_PATHS || paths.len() + count > MOST_PATHS {
        return Err("it has too many paths".into());
    }
    let broken = || "its names are broken".to_owned();
    let mut numbers = Bytes(bytes);
    let mut heads = Vec::with_capacity(count);
    for _ in 0..count {
        let distance = numbers.word().ok_or_else(broken)?;
        let len = numbers.word().ok_or_else(broken)? as usize;
        heads.push((distance, len.min(NAME_BYTES + 1)));
    }
    let mut names = numbers;
    for (distance, len) in heads {
        let name = names.take(len).ok_or_else(broken)?;
        *name_bytes += len;
        if *name_bytes > MOST_NAME_BYTES {
            return Err("its names are too long together".into());
        }
        add(paths, distance, name, roots)?;
    }
    if names.is_empty() { Ok(()) } else { Err(broken()) }
}

fn add(paths: &mut Paths, distance: u32, name: &[u8], roots: usize) -> Result<(), String> {
    let id = paths.len() as PathId;
    if distance == 0 && paths.len() < roots && name.is_empty() {
        return paths.add_root().map(drop).map_err(|error| error.to_string());
    }
    let parent = id.checked_sub(distance).filter(|_| distance > 0);
    let parent = parent.ok_or_else(|| format!("path {id} has no parent"))?;
    paths.add(parent, name).map(drop).map_err(|error| error.to_string())
}

//! Assets in a bundle that is imported: each goes to the state folder once its hash is right.

use super::OnDisk;
use crate::terminal;
use anyhow::{Result, bail};
use campaign::inputs::assets::Incoming;
use formats::InputFile;
use model::{
    text::{Bytes, printable_line},
    workload::Asset,
};
use std::path::Path;

/// Bytes of the assets that the file at `path` says that it holds; 0 if it is not a bundle that can be read.
pub(super) fn bytes(path: &Path) -> u64 {
    let (name, path) = (path.display().to_string(), path.to_owned());
    let file = OnDisk { path, name, most_bytes: u64::MAX };
    let enclosed = formats::enclosed(&file).unwrap_or_default();
    enclosed.iter().fold(0, |sum, asset| sum.saturating_add(asset.bytes))
}

/// Puts the assets of the bundle in `files` into the state folder `state`; `assets` are those of its campaign. No
/// cleanup removes them before the result is dropped.
///
/// # Errors
/// The bundle holds something other than them, there is no room, or a file cannot be read or written.
pub(super) fn take(
    files: &[&dyn InputFile],
    assets: &[Asset],
    state: &Path,
) -> Result<Option<Incoming>> {
    let mut named = Vec::new();
    for file in files {
        for enclosed in formats::enclosed(*file)? {
            match assets.get(enclosed.index) {
                Some(asset) if asset.bytes == Bytes(enclosed.bytes) => named.push(asset),
                _ => bail!("{}: it contains an asset that its campaign does not list", file.name()),
            }
        }
    }
    if named.is_empty() {
        return Ok(None);
    }
    let all = Bytes(named.iter().fold(0, |sum, asset| sum.saturating_add(asset.bytes.0)));
    terminal::note(&format!("the bundle holds {all} of assets"));
    let shelf = Incoming::open(state)?;
    shelf.check_room(&named)?;
    let mut left = named.into_iter();
    formats::each_enclosed::<anyhow::Error>(files, &mut |_, content| {
        let Some(asset) = left.next() else { return Ok(()) };
        let path = shelf.put(asset, content)?;
        let name = printable_line(asset.name.as_str());
        terminal::note(&format!("asset {name}: {}, {}", asset.bytes, path.display()));
        Ok(())
    })?;
    Ok(Some(shelf))
}

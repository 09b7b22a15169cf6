//! Moves the assets of a campaign from the shelf (the copies in the state folder) into a bundle or to another host, and
//! onto the shelf there. Incoming data is untrusted: it is stored under a hash only if its content has that hash.

use super::{
    AssetError, Fault, copied,
    shelf::{self, Shelf},
};
use anyhow::Result;
use model::workload::{Asset, AssetFile, ContentHash};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

/// A copy that is read once. Its end is an error if what was read is not the asset.
pub struct Outgoing {
    /// The place of the asset in the plan, from 0.
    pub index: usize,
    /// The asset.
    pub asset: Asset,
    copy: File,
    hash: Sha256,
    read: u64,
}

impl Read for Outgoing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.copy.read(buffer)?;
        self.hash.update(&buffer[..read]);
        self.read += read as u64;
        let Asset { name, bytes, sha256, .. } = &self.asset;
        let is_whole = || ContentHash::of_bytes(self.hash.clone().finalize().into()) == *sha256;
        if self.read > bytes.0 || (read == 0 && !buffer.is_empty() && !is_whole()) {
            let why = format!(
                "the copy of asset `{name}` was changed; leave it out with --without-assets"
            );
            return Err(io::Error::other(why));
        }
        Ok(read)
    }
}

/// Opens the copies of `assets` in the state folder `state`, those of one content and ending once; those that are not
/// there are left out.
///
/// # Errors
/// The folder is not this user's, or a copy cannot be opened.
pub fn outgoing(assets: &[Asset], state: &Path) -> Result<Vec<Outgoing>> {
    let Some(shelf) = Shelf::existing(state)? else { return Ok(Vec::new()) };
    let mut copies: Vec<Outgoing> = Vec::new();
    for (index, asset) in assets.iter().enumerate() {
        if copies.iter().any(|copy| shelf::is_one_copy(&copy.asset, asset)) {
            continue;
        }
        let copy = shelf.open_copy(asset)?;
        copies.extend(copy.map(|copy| {
            let (asset, hash) = (asset.clone(), Sha256::new());
            Outgoing { index, asset, copy, hash, read: 0 }
        }));
    }
    Ok(copies)
}

/// The shelf of a state folder, open for assets from elsewhere. No cleanup removes any of them as long as it is open.
pub struct Incoming(Shelf);

impl Incoming {
    /// Opens the shelf of the state folder `state`; makes both if they are missing.
    ///
    /// # Errors
    /// The folder is not this user's, or cannot be made.
    pub fn open(state: &Path) -> Result<Incoming> {
        Ok(Incoming(Shelf::open(state)?))
    }

    /// Checks that there is room for `assets`, each of which will be put here.
    ///
    /// # Errors
    /// There is not.
    pub fn check_room(&self, assets: &[&Asset]) -> Result<()> {
        self.0.check_room(assets).map_err(shelf::refused)
    }

    /// Puts `content` here as the copy of `asset`, in parts; its path. At most one byte more is read than the asset
    /// has.
    ///
    /// # Errors
    /// It is not the content of `asset`, cannot be read, or there is no room.
    pub fn put(&self, asset: &Asset, content: &mut dyn Read) -> Result<PathBuf> {
        let damaged = |why: String| AssetError::Damaged { asset: Box::new(asset.clone()), why };
        self.checked(asset, content, &damaged).map_err(shelf::refused)
    }

    fn checked(
        &self,
        asset: &Asset,
        mut content: &mut dyn Read,
        damaged: &dyn Fn(String) -> AssetError,
    ) -> Result<PathBuf, AssetError> {
        let (never, most) = (AtomicBool::new(false), asset.bytes.0.saturating_add(1));
        self.0.put(asset, &mut |copy| match copied(&mut content, &mut *copy, most, &never) {
            Ok(found) if found == (asset.bytes, asset.sha256) => Ok(()),
            Ok((found, _)) if found > asset.bytes => {
                Err(damaged(format!("it is longer than {}", asset.bytes)))
            }
            Ok((bytes, sha256)) => Err(damaged(format!("it has {bytes} and SHA-256 {sha256}"))),
            Err(Fault::Write(why)) => {
                Err(AssetError::Copy { what: "write", path: self.0.path_of(asset), why })
            }
            Err(why) => Err(damaged(why.to_string())),
        })
    }
}

/// Puts `content`, which another host sent, where jobs of that host expect `asset` here. No cleanup removes it before
/// the result is dropped.
///
/// # Errors
/// It is not the content of `asset`, this host has another state folder, or there is no room.
pub fn receive(asset: &AssetFile, content: &mut dyn Read) -> Result<Incoming> {
    let AssetFile { name, path, bytes, sha256 } = asset.clone();
    let not_here =
        |why: String| AssetError::NotHere { name: name.clone(), path: path.clone(), why };
    let state = path.parent().and_then(Path::parent);
    let shelf = Incoming::open(state.ok_or_else(|| not_here("it is in no state folder".into()))?)?;
    let sent = Asset { suite: String::new(), name: name.clone(), bytes, sha256 };
    let kept =
        shelf.checked(&sent, content, &|why| not_here(format!("of what was sent, {why}")))?;
    match kept == path {
        true => Ok(shelf),
        false => Err(not_here(format!("this host keeps it in {}", kept.display())).into()),
    }
}

//! Copies of assets in the folder `assets` of the state folder, each under its SHA-256 with mode 0444. A campaign locks
//! the folder as long as it runs.

use super::{AssetError, copied, source};
use crate::messages::refusal;
use anyhow::Result;
use lab::ownership::State;
use model::{Asset, AssetFile, Bytes, ContentHash, Plan};
use rustix::{
    fs::{
        AtFlags, Dir, FlockOperation, Mode, OFlags, fchmod, flock, fstatvfs, fsync, ioctl_ficlone,
        openat, renameat, unlinkat,
    },
    io::Errno,
};
use std::{
    collections::BTreeSet,
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// The folder.
const FOLDER: &str = "assets";
/// Prefix of the name of an incomplete copy.
const UNFINISHED: &str = ".new-";

/// The assets of a campaign on this machine.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    dir: PathBuf,
    /// Locked as long as the campaign runs.
    folder: Option<File>,
}

impl Drop for Shelf {
    fn drop(&mut self) {
        // Closing it is not enough: processes of this one may hold it too.
        let _ = self.folder.as_ref().map(|folder| flock(folder, FlockOperation::Unlock));
    }
}

impl Shelf {
    /// For a guest, which sees the copies of its machine in `dir`.
    pub(crate) fn of_guest(dir: &Path) -> Shelf {
        Shelf { dir: dir.into(), folder: None }
    }

    /// `assets` as files on this machine.
    pub(crate) fn files(&self, assets: &[Asset]) -> Vec<AssetFile> {
        let file = |Asset { name, bytes, sha256, .. }: &Asset| AssetFile {
            name: name.clone(),
            path: self.dir.join(sha256.to_string()),
            bytes: *bytes,
            sha256: *sha256,
        };
        assets.iter().map(file).collect()
    }
}

/// Ensures a copy of each asset of `plan` in the state folder `state`, checked by its hash; missing ones are copied
/// from next to their suites.
///
/// # Errors
/// A copy is missing or damaged and its source is gone or has changed; there is no room.
pub(crate) fn keep(plan: &Plan, state: &Path) -> Result<Shelf> {
    if plan.assets.is_empty() {
        return Ok(Shelf::default());
    }
    let state = State::open(state)?;
    let shelf = Shelf { dir: state.path().join(FOLDER), folder: Some(state.folder(FOLDER)?) };
    let Some(folder) = &shelf.folder else { return Ok(shelf) };
    flock(folder, FlockOperation::LockShared).map_err(failed("lock", &shelf.dir))?;
    let mut missing: Vec<&Asset> = Vec::new();
    for asset in &plan.assets {
        let is_known = missing.iter().any(|other| other.sha256 == asset.sha256);
        if !is_known && !holds(folder, &shelf.dir, asset)? {
            missing.push(asset);
        }
    }
    check_room(folder, &shelf.dir, &missing).map_err(|why| refusal::lacking(why.to_string()))?;
    for asset in missing {
        add(folder, &shelf.dir, asset).map_err(|why| refusal::usage(why.to_string()))?;
    }
    Ok(shelf)
}

/// Returns whether `folder` has the exact content of `asset`. A changed copy is removed.
fn holds(folder: &File, dir: &Path, asset: &Asset) -> Result<bool, AssetError> {
    let name = asset.sha256.to_string();
    let path = dir.join(&name);
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let copy = match openat(folder, &*name, flags, Mode::empty()) {
        Ok(copy) => File::from(copy),
        Err(Errno::NOENT) => return Ok(false),
        Err(errno) => return Err(failed("open", &path)(errno)),
    };
    let read = copied(&copy, &mut io::sink(), asset.bytes.0.saturating_add(1));
    if read.map_err(failed("read", &path))? == (asset.bytes, asset.sha256) {
        return Ok(true);
    }
    unlinkat(folder, &*name, AtFlags::empty()).map_err(failed("remove", &path))?;
    Ok(false)
}

fn check_room(folder: &File, dir: &Path, missing: &[&Asset]) -> Result<(), AssetError> {
    let room = fstatvfs(folder).map_err(failed("look at", dir))?;
    let free = Bytes(room.f_bavail.saturating_mul(room.f_frsize));
    let needed = Bytes(missing.iter().map(|asset| asset.bytes.0).sum());
    match needed > free {
        true => Err(AssetError::NoRoom { needed, dir: dir.into(), free }),
        false => Ok(()),
    }
}

/// Copies `asset` from next to its suite into `folder`.
fn add(folder: &File, dir: &Path, asset: &Asset) -> Result<(), AssetError> {
    let (name, new) = (asset.sha256.to_string(), format!("{UNFINISHED}{}", std::process::id()));
    let path = dir.join(&name);
    // A leftover of a killed process with the same number.
    remove(folder, &new).map_err(failed("replace", &path))?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let copy = openat(folder, &*new, flags, Mode::from_raw_mode(0o600))
        .map_err(failed("create", &path))?;
    let made = fill(&mut File::from(copy), asset, dir).and_then(|copy| {
        fchmod(&copy, Mode::from_raw_mode(0o444)).map_err(failed("close", &path))?;
        fsync(&copy).map_err(failed("sync", &path))?;
        renameat(folder, &*new, folder, &*name).map_err(failed("name", &path))
    });
    if made.is_err() {
        // This error is the one to report.
        let _ = remove(folder, &new);
    }
    made
}

/// Fills `copy` with the content of `asset`, sharing its blocks where the file system can, and checks the result.
fn fill(copy: &mut File, asset: &Asset, dir: &Path) -> Result<File, AssetError> {
    let Asset { suite, name, .. } = asset;
    let gone =
        |why: String| AssetError::Gone { asset: Box::new(asset.clone()), dir: dir.into(), why };
    let shared =
        source::open(suite, name).is_ok_and(|source| ioctl_ficlone(&*copy, source).is_ok());
    let found = match shared {
        // What is hashed is the copy: the source may change meanwhile.
        true => copied(&*copy, &mut io::sink(), u64::MAX).map_err(failed("read", dir))?,
        false => source::read(suite, name, copy).map_err(|why| gone(why.to_string()))?,
    };
    if found != (asset.bytes, asset.sha256) {
        return Err(gone(format!("the file there has {} and SHA-256 {}", found.0, found.1)));
    }
    copy.try_clone().map_err(failed("copy", dir))
}

fn remove(folder: &File, name: &str) -> Result<(), Errno> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno),
    }
}

fn failed<E: Into<io::Error>>(what: &'static str, path: &Path) -> impl FnOnce(E) -> AssetError {
    let path = path.to_path_buf();
    move |source| AssetError::Copy { what, path, source: source.into() }
}

/// The fate of copies that no campaign needs.
#[derive(Debug, PartialEq, Eq)]
pub enum Unneeded {
    /// These were removed, or would be.
    Removed(Vec<PathBuf>),
    /// Campaigns run that may need them.
    InUse,
}

/// Removes the copies in the state folder `state` that are not `needed`; a `dry_run` only lists them.
///
/// # Errors
/// The folder is not this user's, or cannot be read or written.
pub fn clear(state: &Path, needed: &BTreeSet<ContentHash>, dry_run: bool) -> Result<Unneeded> {
    let none = Unneeded::Removed(Vec::new());
    if !state.join(FOLDER).exists() {
        return Ok(none);
    }
    let state = State::open(state)?;
    let (folder, dir) = (state.folder(FOLDER)?, state.path().join(FOLDER));
    match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => return Ok(Unneeded::InUse),
        locked => locked.map_err(failed("lock", &dir))?,
    }
    let mut removed = Vec::new();
    for entry in Dir::read_from(&folder).map_err(failed("list", &dir))? {
        let entry = entry.map_err(failed("list", &dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_needed = name.parse().is_ok_and(|hash| needed.contains(&hash));
        if is_needed || name == "." || name == ".." {
            continue;
        }
        if !dry_run {
            remove(&folder, &name).map_err(failed("remove", &dir.join(&name)))?;
        }
        removed.push(dir.join(name));
    }
    Ok(Unneeded::Removed(removed))
}

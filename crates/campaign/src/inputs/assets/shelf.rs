//! Copies of assets in the folder `assets` of the state folder, each under its SHA-256 and the ending of its name, with
//! mode 0444. A campaign locks the folder as long as it runs.

use super::{AssetError, Fault, copied, source::Folder};
use crate::messages::refusal;
use anyhow::Result;
use lab::ownership::State;
use model::{
    plan::Plan,
    text::Bytes,
    workload::{Asset, AssetFile, ContentHash},
};
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
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

/// Name of the folder.
const FOLDER: &str = "assets";
/// One in this many blocks of its file system stays free: the length of assets may be the choice of another user.
const LEFT_FREE: u64 = 100;
/// Longest ending that a copy keeps.
const MOST_ENDING_BYTES: usize = 64;
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
    /// The shelf of the state folder `state`, made if it is missing.
    pub(super) fn open(state: &Path) -> Result<Shelf> {
        let state = State::open(state)?;
        let shelf = Shelf { dir: state.path().join(FOLDER), folder: Some(state.folder(FOLDER)?) };
        flock(shelf.folder()?, FlockOperation::LockShared).map_err(failed("lock", &shelf.dir))?;
        Ok(shelf)
    }

    /// The shelf of the state folder `state`, if it has one.
    pub(super) fn existing(state: &Path) -> Result<Option<Shelf>> {
        if state.join(FOLDER).exists() { Shelf::open(state).map(Some) } else { Ok(None) }
    }

    fn folder(&self) -> Result<&File, AssetError> {
        let missing = || failed("open", &self.dir)(Errno::NOENT);
        self.folder.as_ref().ok_or_else(missing)
    }

    /// Where the copy of `asset` is, or would be.
    pub(super) fn path_of(&self, asset: &Asset) -> PathBuf {
        self.dir.join(file_name(asset))
    }

    /// Opens the copy of `asset`; `None` if there is none.
    pub(super) fn open_copy(&self, asset: &Asset) -> Result<Option<File>, AssetError> {
        open_copy(self.folder()?, &self.dir, asset)
    }

    /// Checks that there is room for those of `assets` that are missing.
    pub(super) fn check_room(&self, assets: &[&Asset]) -> Result<(), AssetError> {
        let folder = self.folder()?;
        let mut missing = Vec::new();
        for asset in assets {
            missing.extend(open_copy(folder, &self.dir, asset)?.is_none().then_some(*asset));
        }
        check_room(folder, &self.dir, &missing)
    }

    /// Makes the copy of `asset` of what `fill` writes, which is checked also if there is a copy; its path.
    pub(super) fn put(
        &self,
        asset: &Asset,
        fill: &mut dyn FnMut(&mut dyn Write) -> Result<(), AssetError>,
    ) -> Result<PathBuf, AssetError> {
        let folder = self.folder()?;
        match holds(folder, &self.dir, asset, &AtomicBool::new(false))? {
            true => fill(&mut io::sink())?,
            false => {
                check_room(folder, &self.dir, &[asset])?;
                add(folder, &self.dir, asset, |copy| fill(copy))?;
            }
        }
        Ok(self.path_of(asset))
    }

    /// For a guest, which sees the copies of its machine in `dir`.
    pub(crate) fn of_guest(dir: &Path) -> Shelf {
        Shelf { dir: dir.into(), folder: None }
    }

    /// `assets` as files on this machine.
    pub(crate) fn files(&self, assets: &[Asset]) -> Vec<AssetFile> {
        let file = |asset: &Asset| AssetFile {
            name: asset.name.clone(),
            path: self.dir.join(file_name(asset)),
            bytes: asset.bytes,
            sha256: asset.sha256,
        };
        assets.iter().map(file).collect()
    }
}

/// The name of the copy of `asset`. Programs may go by its ending, e.g. `.csv.gz`.
fn file_name(asset: &Asset) -> String {
    let name = asset.name.as_path().file_name().unwrap_or_default().to_string_lossy();
    // A point at the beginning hides a file.
    let ending = name.char_indices().skip(1).find(|(_, letter)| *letter == '.');
    let ending = ending.map_or("", |(at, _)| &name[at..]);
    let is_short = ending.len() <= MOST_ENDING_BYTES;
    format!("{}{}", asset.sha256, if is_short { ending } else { "" })
}

/// Has a copy of each of the assets of `plan` in the state folder `state`, checked by its hash; those that are missing
/// are copied from next to their suites.
///
/// # Errors
/// A copy is missing or damaged and its source is gone or has changed; there is no room; `stop` became true.
pub(crate) fn keep(plan: &Plan, state: &Path, stop: &AtomicBool) -> Result<Shelf> {
    if plan.assets.is_empty() {
        return Ok(Shelf::default());
    }
    let shelf = Shelf::open(state)?;
    fill_gaps(shelf.folder()?, &shelf.dir, &plan.assets, stop).map_err(refused)?;
    Ok(shelf)
}

pub(super) fn refused(why: AssetError) -> anyhow::Error {
    match why {
        AssetError::Stopped => refusal::stopped(why.to_string()),
        AssetError::NoRoom { .. } => refusal::lacking(why.to_string()),
        AssetError::Copy { .. } => why.into(),
        _ => refusal::usage(why.to_string()),
    }
}

/// Adds those of `assets` that `folder` lacks.
fn fill_gaps(
    folder: &File,
    dir: &Path,
    assets: &[Asset],
    stop: &AtomicBool,
) -> Result<(), AssetError> {
    let mut missing: Vec<&Asset> = Vec::new();
    for asset in assets {
        let is_known = missing.iter().any(|other| is_one_copy(other, asset));
        if !is_known && !holds(folder, dir, asset, stop)? {
            missing.push(asset);
        }
    }
    check_room(folder, dir, &missing)?;
    missing
        .iter()
        .try_for_each(|asset| add(folder, dir, asset, |copy| fill(copy, asset, dir, stop)))
}

/// Whether `one` and `other` have the same copy.
pub(super) fn is_one_copy(one: &Asset, other: &Asset) -> bool {
    file_name(one) == file_name(other)
}

/// Opens the copy of `asset` in `folder`; `None` if there is none.
fn open_copy(folder: &File, dir: &Path, asset: &Asset) -> Result<Option<File>, AssetError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match openat(folder, file_name(asset), flags, Mode::empty()) {
        Ok(copy) => Ok(Some(copy.into())),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(failed("open", &dir.join(file_name(asset)))(errno)),
    }
}

/// Returns whether `folder` has the very content of `asset`. A copy that was changed is removed.
fn holds(folder: &File, dir: &Path, asset: &Asset, stop: &AtomicBool) -> Result<bool, AssetError> {
    let name = file_name(asset);
    let path = dir.join(&name);
    let Some(copy) = open_copy(folder, dir, asset)? else { return Ok(false) };
    let read = copied(&copy, &mut io::sink(), asset.bytes.0.saturating_add(1), stop);
    if read.map_err(fault_of_copy(&path))? == (asset.bytes, asset.sha256) {
        return Ok(true);
    }
    unlinkat(folder, &*name, AtFlags::empty()).map_err(failed("remove", &path))?;
    Ok(false)
}

fn check_room(folder: &File, dir: &Path, missing: &[&Asset]) -> Result<(), AssetError> {
    let room = fstatvfs(folder).map_err(failed("look at", dir))?;
    let left = room.f_blocks / LEFT_FREE;
    let free = Bytes(room.f_bavail.saturating_sub(left).saturating_mul(room.f_frsize));
    let needed = Bytes(missing.iter().map(|asset| asset.bytes.0).sum());
    match needed > free {
        true => Err(AssetError::NoRoom { needed, dir: dir.into(), free }),
        false => Ok(()),
    }
}

/// Adds the copy of `asset` to `folder`, which gets its name once `fill` has written and checked it.
fn add(
    folder: &File,
    dir: &Path,
    asset: &Asset,
    fill: impl FnOnce(&mut File) -> Result<(), AssetError>,
) -> Result<(), AssetError> {
    let (name, new) = (file_name(asset), format!("{UNFINISHED}{}", std::process::id()));
    let path = dir.join(&name);
    // A leftover of a killed process with the same number.
    remove(folder, &new).map_err(failed("replace", &path))?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let copy = openat(folder, &*new, flags, Mode::from_raw_mode(0o600));
    let mut copy = File::from(copy.map_err(failed("create", &path))?);
    let made = fill(&mut copy).and_then(|()| {
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

/// Fills `copy` with the content of `asset`, sharing its blocks where the file system can, and checks what came of it.
/// A source that grows meanwhile is not read on.
pub(super) fn fill(
    copy: &mut File,
    asset: &Asset,
    dir: &Path,
    stop: &AtomicBool,
) -> Result<(), AssetError> {
    let Asset { suite, name, bytes, sha256 } = asset;
    let (path, most) = (dir.join(file_name(asset)), bytes.0.saturating_add(1));
    let gone =
        |why: String| AssetError::Gone { asset: Box::new(asset.clone()), dir: dir.into(), why };
    if let Some(content) = suites::traces::asset(suite, name.as_str()) {
        let found = copied(content, copy, most, stop).map_err(fault_of_copy(&path))?;
        let is_same = found == (*bytes, *sha256);
        return match is_same {
            true => Ok(()),
            false => Err(gone("this version of assay ships another".into())),
        };
    }
    let source = Folder::of(suite).and_then(|folder| folder.asset(name));
    let source = source.map_err(|why| gone(why.to_string()))?;
    let found = match ioctl_ficlone(&*copy, &source) {
        // What is hashed is the copy: the source may change meanwhile.
        Ok(()) => copied(&*copy, &mut io::sink(), most, stop).map_err(fault_of_copy(&path))?,
        Err(_) => copied(&source, copy, most, stop).map_err(|fault| match fault {
            Fault::Read(why) => gone(why.to_string()),
            other => fault_of_copy(&path)(other),
        })?,
    };
    match found {
        (found, _) if found > *bytes => Err(gone(format!("the file there is longer than {bytes}"))),
        found if found == (*bytes, *sha256) => Ok(()),
        (bytes, sha256) => Err(gone(format!("the file there has {bytes} and SHA-256 {sha256}"))),
    }
}

/// The error of a fault when the copy at `path` is read or written.
fn fault_of_copy(path: &Path) -> impl FnOnce(Fault) -> AssetError {
    let path = path.to_path_buf();
    move |fault| match fault {
        Fault::Read(why) => AssetError::Copy { what: "read", path, why },
        Fault::Write(why) => AssetError::Copy { what: "write", path, why },
        Fault::Stopped => AssetError::Stopped,
    }
}

fn remove(folder: &File, name: &str) -> Result<(), Errno> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno),
    }
}

fn failed<E: Into<io::Error>>(what: &'static str, path: &Path) -> impl FnOnce(E) -> AssetError {
    let path = path.to_path_buf();
    move |why| AssetError::Copy { what, path, why: why.into() }
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
        let hash = name.split('.').next().unwrap_or_default().parse();
        let is_needed = hash.is_ok_and(|hash| needed.contains(&hash));
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

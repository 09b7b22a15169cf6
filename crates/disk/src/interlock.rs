//! Checks consent to destroy a disk. A disk is written to only if it is named by its stable name, its
//! serial number was given, nothing uses it, and all that is on it was permitted by type.
//!
//! The judgement runs before anything is done, and again under an exclusive open each time before the
//! disk is wiped, on facts that are gathered anew; the wipe goes through that same open file. Between
//! processes nothing is remembered: what a killed campaign left on a disk needs permission like
//! anything else, because the disk may have been used meanwhile.

mod claim;
mod consent;
mod division;
mod facts;
mod magic;
mod signature;
mod sysfs;
mod table;
mod writers;

pub use claim::{Claim, claim, left_on};
pub use division::{forget_parts, known_parts, part_size};

use crate::{Device, Error, Refusal, discard, is_root};
use consent::Permission;
use facts::Facts;
use model::{plan::Purge, text::Bytes};
use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use sysfs::System;

/// The time another process may hold a disk exclusively before it counts as busy.
const PATIENCE: Duration = Duration::from_secs(2);

/// The disks a campaign asks for, and the permissions of the user.
#[derive(Clone, Debug, Default)]
pub struct DiskRequest {
    /// Stable names, `/dev/disk/by-id/...`.
    pub links: Vec<PathBuf>,
    /// Serial numbers of the disks that may be destroyed.
    pub serials: Vec<String>,
    /// Types of content that may be destroyed, as `blkid` names them.
    pub wipe_signatures: Vec<String>,
    /// Smallest size that serves.
    pub needed: Bytes,
    /// Files and directories that the campaign itself needs.
    pub kept: Vec<PathBuf>,
    /// How to empty them before each mkfs; by default a discard if all of them support it.
    pub purge: Option<Purge>,
    /// Number of equal parts into which each is divided; `None` for targets on whole disks.
    pub parts: Option<u32>,
}

/// A disk as the user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskInfo {
    /// Stable name.
    pub link: PathBuf,
    /// Node at the moment, e.g. `/dev/sdb`.
    pub node: PathBuf,
    /// Serial numbers, any of which names it: what the kernel tells, then udev; of a loop device the path
    /// of its file, of a mapping or array its UUID.
    pub serials: Vec<String>,
    /// Model, where the kernel knows one.
    pub model: Option<String>,
    /// Size.
    pub size: Bytes,
}

/// Looks at the disks of `request` and changes nothing. Serial numbers are not asked for. Returns the
/// disks, and how they would be emptied.
///
/// # Errors
/// The first reason for which one of the disks would not be touched.
pub fn inspect(request: &DiskRequest) -> Result<(Vec<DiskInfo>, Purge), Error> {
    let permission = Permission { serials: None, ..request.permission() };
    let all = examine_all(request, &permission)?;
    Ok((all.iter().map(DiskInfo::of).collect(), choose(request.purge, &all)?))
}

/// Judges the disks of `request` as a claim would, serial numbers included, and changes nothing.
///
/// # Errors
/// The first reason for which one of the disks would not be touched.
pub fn judge_disks(request: &DiskRequest) -> Result<(), Error> {
    examine_all(request, &request.permission()).map(drop)
}

/// One way for all disks: what was asked for, else a discard where all of them know it.
fn choose(asked: Option<Purge>, all: &[Facts]) -> Result<Purge, Error> {
    let can_discard = |facts: &&Facts| Device::of_node(&facts.node).is_some_and(discard::is_known);
    let without = all.iter().find(|facts| !can_discard(facts));
    match (asked, without) {
        (Some(Purge::Discard), Some(facts)) => Err(Error::NoDiscard { device: facts.link.clone() }),
        (Some(purge), _) => Ok(purge),
        (None, None) => Ok(Purge::Discard),
        (None, Some(_)) => Ok(Purge::None),
    }
}

impl DiskRequest {
    fn permission(&self) -> Permission {
        Permission {
            serials: Some(self.serials.clone()),
            kinds: self.wipe_signatures.clone(),
            ours: BTreeSet::new(),
            needed: self.needed,
            parts: self.parts,
        }
    }
}

impl DiskInfo {
    fn of(facts: &Facts) -> DiskInfo {
        DiskInfo {
            link: facts.link.clone(),
            node: facts.node.clone(),
            serials: facts.serials.clone(),
            model: facts.model.clone(),
            size: Bytes(facts.size_bytes),
        }
    }
}

fn examine_all(request: &DiskRequest, permission: &Permission) -> Result<Vec<Facts>, Error> {
    if !is_root() {
        return Err(Error::NeedsRoot { what: "using a disk".into() });
    }
    let examine = |link: &PathBuf| examine(link, &request.kept, permission, false);
    let all: Result<Vec<Facts>, Error> =
        request.links.iter().map(|link| examine(link).map(|(facts, _)| facts)).collect();
    let all = all?;
    consent::together(&all, permission)?;
    Ok(all)
}

/// Judges the disk `link` leads to, first as it is, for the sake of a telling refusal, then again under
/// an exclusive open, which is returned.
fn examine(
    link: &Path,
    kept: &[PathBuf],
    permission: &Permission,
    write: bool,
) -> Result<(Facts, File), Error> {
    let system = System::default();
    let node = facts::resolve(link)?;
    judge_at_rest(|| Facts::gather(&system, link, &node, kept), permission)?;
    let file = open_exclusively(link, &node, write)?;
    let mut facts = judge_at_rest(|| Facts::gather(&system, link, &node, kept), permission)?;
    let opened = file.metadata().map_err(Error::io("look at", &node))?.rdev();
    let (is, was) = (sysfs::number(opened), facts.number.clone());
    if is != was {
        return Err(Refusal::Changed { path: link.into(), was, is }.into());
    }
    facts.read_contents(&system, &file)?;
    consent::contents(&facts, permission)?;
    Ok((facts, file))
}

/// Judges the state that `gather` finds. A child that was just started has the open files of this process
/// until it becomes its program, and udev opens disks in passing: what writes to the disk is waited for.
fn judge_at_rest(
    gather: impl Fn() -> Result<Facts, Error>,
    permission: &Permission,
) -> Result<Facts, Error> {
    let start = Instant::now();
    loop {
        let facts = gather()?;
        match consent::state(&facts, permission) {
            Ok(()) => return Ok(facts),
            Err(Refusal::OpenForWriting { .. } | Refusal::FileOpenForWriting { .. })
                if start.elapsed() < PATIENCE =>
            {
                thread::sleep(PATIENCE / 20);
            }
            Err(refusal) => return Err(refusal.into()),
        }
    }
}

/// Opens exclusively, so that no other process can mount or claim it meanwhile. One that looked at the disk
/// in passing is waited for.
fn open_exclusively(link: &Path, node: &Path, write: bool) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(write).custom_flags(libc::O_EXCL);
    let start = Instant::now();
    loop {
        let error = match options.open(node) {
            Ok(file) => return Ok(file),
            Err(error) => error,
        };
        match error.raw_os_error() {
            Some(libc::EBUSY) if start.elapsed() < PATIENCE => thread::sleep(PATIENCE / 100),
            Some(libc::EBUSY) => return Err(Refusal::Busy { path: link.into() }.into()),
            Some(libc::EROFS) => return Err(Refusal::ReadOnly { path: link.into() }.into()),
            _ => return Err(Error::io("open", node)(error)),
        }
    }
}

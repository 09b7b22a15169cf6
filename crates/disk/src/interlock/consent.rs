//! Decides whether a disk may be destroyed: pure, over facts. A disk is written to only if nothing here refuses it.

use super::{
    division,
    facts::{Content, Facts, Use},
    magic::membership,
    signature::UNKNOWN,
    table,
    writers::Writer,
};
use crate::Refusal;
use model::text::Bytes;
use std::{collections::BTreeSet, path::PathBuf};

const ENCRYPTED: &[&str] = &["crypto_LUKS", "BitLocker", "DM_integrity"];

/// The permissions of the user, and the content known to be assay's own.
#[derive(Clone, Debug, Default)]
pub(super) struct Permission {
    /// Serial numbers of the disks that may be destroyed; `None` where nothing will be written.
    pub(super) serials: Option<Vec<String>>,
    /// Types of content that may be destroyed.
    pub(super) kinds: Vec<String>,
    /// The content that this process made on the disk.
    pub(super) ours: BTreeSet<Content>,
    /// Smallest size that serves.
    pub(super) needed: Bytes,
    /// Parts that it is to be divided into; each must have the size.
    pub(super) parts: Option<u32>,
}

/// Checks the identity of the disk and that it is idle, without regard to its content.
pub(super) fn state(facts: &Facts, permission: &Permission) -> Result<(), Refusal> {
    uses(facts)?;
    identity(facts, permission)?;
    let path = || facts.link.clone();
    if let Some(below) = &facts.indirect {
        return Err(Refusal::Indirect { path: path(), below: below.clone() });
    }
    if facts.is_read_only {
        return Err(Refusal::ReadOnly { path: path() });
    }
    if let Some(model) = &facts.zones {
        return Err(Refusal::Zoned { path: path(), model: model.clone() });
    }
    room(facts, permission)
}

/// Checks that the disk, or each of its parts, is large enough.
fn room(facts: &Facts, permission: &Permission) -> Result<(), Refusal> {
    let (path, disk, needed) = (facts.link.clone(), Bytes(facts.size_bytes), permission.needed);
    let Some(parts) = permission.parts else {
        let fits = disk.0 > 0 && disk >= needed;
        return fits.then_some(()).ok_or(Refusal::TooSmall { path, size: disk, needed });
    };
    if !facts.takes_partitions {
        return Err(Refusal::Indivisible { path });
    }
    let size = division::part_size(disk, parts);
    let fits = size.0 > 0 && size >= needed;
    fits.then_some(()).ok_or(Refusal::PartTooSmall { path, parts, size, needed })
}

fn identity(facts: &Facts, permission: &Permission) -> Result<(), Refusal> {
    let path = || facts.link.clone();
    let Some(serial) = facts.serials.first() else {
        return Err(Refusal::NoSerial { path: path() });
    };
    if let Some(other) = &facts.namesake {
        return Err(Refusal::SameSerial { path: path(), other: other.clone() });
    }
    let is_named = |given: &Vec<String>| given.iter().any(|given| facts.serials.contains(given));
    if permission.serials.as_ref().is_some_and(|given| !is_named(given)) {
        return Err(Refusal::WrongSerial { path: path(), serial: serial.clone() });
    }
    Ok(())
}

/// The gravest use first.
fn uses(facts: &Facts) -> Result<(), Refusal> {
    let refusals = facts.uses.iter().map(|using| (rank(using), refusal(facts.link.clone(), using)));
    refusals.min_by_key(|(rank, _)| *rank).map_or(Ok(()), |(_, refusal)| Err(refusal))
}

fn rank(using: &Use) -> u8 {
    match using {
        Use::System { .. } => 0,
        Use::Mounted { part: None, .. } => 1,
        Use::Mounted { .. } => 2,
        Use::Btrfs { .. } => 3,
        Use::Swap { .. } => 4,
        Use::Holder { .. } => 5,
        Use::Writer(_) => 6,
    }
}

fn refusal(path: PathBuf, using: &Use) -> Refusal {
    match using.clone() {
        Use::System { what } => Refusal::System { path, what },
        Use::Mounted { part: None, mount_point } => Refusal::Mounted { path, mount_point },
        Use::Mounted { part: Some(part), mount_point } => {
            Refusal::PartMounted { path, part, mount_point }
        }
        Use::Btrfs { uuid } => Refusal::BtrfsMounted { path, uuid },
        Use::Swap { swap } => Refusal::Swap { path, swap },
        Use::Holder { name } => Refusal::Held { path, holder: name },
        Use::Writer(Writer { pid, program, file: None }) => {
            Refusal::OpenForWriting { path, pid, program }
        }
        Use::Writer(Writer { pid, program, file: Some(file) }) => {
            Refusal::FileOpenForWriting { path, file, pid, program }
        }
    }
}

/// Checks its content: each item must be permitted by type, or be assay's own.
pub(super) fn contents(facts: &Facts, permission: &Permission) -> Result<(), Refusal> {
    let permitted = |content: &&Content| {
        permission.kinds.contains(&content.signature.kind) || permission.ours.contains(content)
    };
    let foreign: Vec<&Content> = facts.contents.iter().filter(|c| !permitted(c)).collect();
    let Some(first) = foreign.iter().min_by_key(|content| gravity(&content.signature.kind)) else {
        return Ok(());
    };
    let kinds: BTreeSet<&str> = foreign.iter().map(|c| c.signature.kind.as_str()).collect();
    let wipe = kinds.into_iter().collect::<Vec<_>>().join(",");
    let (path, place, kind) =
        (facts.link.clone(), first.place.clone(), first.signature.kind.clone());
    Err(match member_of(&kind) {
        Some(of) => Refusal::Member { path, place, of, kind, wipe },
        None if ENCRYPTED.contains(&kind.as_str()) => {
            Refusal::Encrypted { path, place, kind, wipe }
        }
        None if is_table(&kind) => Refusal::Table { path, kind, wipe },
        None if kind == UNKNOWN => Refusal::Unknown { path, place, wipe },
        None => Refusal::Content { path, place, kind, wipe },
    })
}

/// Order of several findings on a disk: the ones that others depend on first.
fn gravity(kind: &str) -> u8 {
    match kind {
        _ if member_of(kind).is_some() => 0,
        _ if ENCRYPTED.contains(&kind) => 1,
        UNKNOWN => 4,
        _ if is_table(kind) => 3,
        _ => 2,
    }
}

fn is_table(kind: &str) -> bool {
    table::is_read(kind) || table::is_opaque(kind)
}

/// Returns the kind of set that a disk of this type belongs to. Types ending in `_member` that only blkid knows are
/// RAID sets of controllers.
fn member_of(kind: &str) -> Option<&'static str> {
    let known = membership(kind);
    known.or_else(|| kind.ends_with("_member").then_some("a RAID set"))
}

/// Disks that share space, and serial numbers that belong to none.
pub(super) fn together(all: &[Facts], permission: &Permission) -> Result<(), Refusal> {
    for (i, one) in all.iter().enumerate() {
        let same =
            |other: &&Facts| one.space.contains(&other.number) || other.space.contains(&one.number);
        if let Some(other) = all[i + 1..].iter().find(same) {
            return Err(Refusal::Twice { path: one.link.clone(), other: other.link.clone() });
        }
    }
    let is_of_one = |serial: &&String| all.iter().any(|facts| facts.serials.contains(serial));
    match permission.serials.iter().flatten().find(|serial| !is_of_one(serial)) {
        Some(serial) => Err(Refusal::StraySerial { serial: serial.clone() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

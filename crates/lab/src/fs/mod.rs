//! The registry of file systems: one file and one line each.

pub use busy_target::BUSY_VERB;
pub use reach::unchecked;
pub use s3_below::{host_of, in_store};

use crate::{FileSystem, Inner, LabError, Small, Tool, rebuild, throttle, trial};
use busy_target::BusyTarget;
use model::{Bytes, Options, Target, check_options};
use std::path::Path;

/// Only a private directory in an export is assay's to use.
const NOTHING_IN_IT: &str =
    "an export of a server that is named cannot be below another part; measure it by itself";

/// What a part that takes another target takes when the parentheses are left out.
const DEFAULT_INNER: &str = "ext4";

macro_rules! registry {
    ($($module:ident),*; $($row:ident),* $(,)?) => {
        $(mod $module;)*
        $(mod $row;)*

        /// Every registered file system.
        pub const ALL: &[&dyn FileSystem] = &[$(&$module::Fs,)* $(&$row::ROW),*];
    };
}

mod btrfs_rebuild;
mod bucket;
pub(crate) mod busy_target;
mod fuse_over;
mod nfs_client;
mod nfs_export;
mod reach;
mod s3_below;
mod s3_options;
mod zerofs;
mod zfs_rebuild;

registry! {
    ext4,
    xfs,
    btrfs,
    f2fs,
    zfs,
    bcachefs,
    nilfs2,
    jfs,
    ntfs_3g,
    zfs_fuse,
    tmpfs,
    zerofs_nfs,
    zerofs_9p,
    zerofs_nbd,
    null,
    raid1,
    crypt,
    thin,
    bcache,
    integrity,
    nbd,
    nfs,
    s3,
    glusterfs,
    overlay;
    // Rows of `fuse_over`.
    bindfs,
    mergerfs,
    gocryptfs,
    sshfs,
    rclone,
    s3fs,
}

/// What the self test measures, and no list shows.
const HIDDEN: &[&dyn FileSystem] = &[&BusyTarget];

/// The file system called `name`.
///
/// # Errors
/// None is.
pub fn find(name: &str) -> Result<&'static dyn FileSystem, LabError> {
    ALL.iter().chain(HIDDEN).copied().find(|fs| fs.about().name == name).ok_or_else(|| {
        LabError::UnknownFileSystem {
            name: name.into(),
            known: ALL.iter().map(|fs| fs.about().name).collect::<Vec<_>>().join(", "),
        }
    })
}

/// `error`, with the package of a file system's program that is missing.
pub(crate) fn explained(error: LabError) -> LabError {
    let LabError::MissingProgram { program, fix } = error else { return error };
    let mut tools = ALL.iter().flat_map(|fs| fs.about().tools);
    let fix = tools.find(|tool| tool.program == program).map_or(fix, Tool::install);
    LabError::MissingProgram { program, fix }
}

/// A target whose names and options are known to exist.
pub enum Candidate<'t> {
    /// An existing directory.
    Directory(&'t Path),
    /// Parts to be made one on the other, from the bottom to the top; never empty.
    Made(Vec<Part>),
}

/// One part of a target.
#[derive(Clone, Debug)]
pub struct Part {
    /// How it is made.
    pub fs: &'static dyn FileSystem,
    /// With which options.
    pub options: Options,
}

impl Part {
    /// Devices that it is on.
    pub fn disks(&self) -> usize {
        self.fs.disks(&self.options)
    }
}

/// Looks up what `target` names, touching nothing.
///
/// # Errors
/// The name is not registered, an option is unknown or out of range, two options exclude each other, or
/// it cannot be on the other target, or under it.
pub fn resolve(target: &Target) -> Result<Candidate<'_>, LabError> {
    match target {
        Target::Dir(dir) => Ok(Candidate::Directory(dir)),
        Target::Made { .. } => {
            let parts = parts(target)?;
            s3_below::needs_a_client(target, &parts)?;
            Ok(Candidate::Made(parts))
        }
    }
}

/// Disks that `target` is made on; 0 for a directory, and for what is not a target.
pub fn disks(target: &Target) -> usize {
    match resolve(target) {
        Ok(Candidate::Made(parts)) => parts.first().map_or(0, Part::disks),
        _ => 0,
    }
}

/// Whether `target` is on a server that was named, or in one that is.
pub fn is_remote(target: &Target) -> bool {
    match resolve(target) {
        Ok(Candidate::Made(parts)) => parts.iter().any(|part| part.fs.about().is_remote),
        _ => false,
    }
}

/// Whether what is deleted in `target` keeps its space for minutes.
pub fn keeps_deleted(target: &Target) -> bool {
    match resolve(target) {
        Ok(Candidate::Made(parts)) => parts.iter().any(|part| part.fs.about().keeps_deleted),
        _ => false,
    }
}

/// How `target` works otherwise on a volume of `size` than on a larger one.
pub fn small(target: &Target, size: Bytes) -> Option<Small> {
    let Ok(Candidate::Made(parts)) = resolve(target) else { return None };
    parts.iter().find_map(|part| part.fs.about().small.filter(|small| size < small.below))
}

/// Whether `target` is measured while a mirror in it is rebuilt.
pub fn is_rebuilt(target: &Target) -> bool {
    match resolve(target) {
        Ok(Candidate::Made(parts)) => parts.iter().any(|part| rebuild::is_asked(&part.options)),
        _ => false,
    }
}

/// Whether `target` has caps on what its disks do.
pub fn has_caps(target: &Target) -> bool {
    match resolve(target) {
        Ok(Candidate::Made(parts)) => parts.iter().any(|part| {
            throttle::caps(part.fs.about().name, &part.options).is_ok_and(|c| !c.is_empty())
        }),
        _ => false,
    }
}

/// The parts of `target`, from the bottom to the top.
fn parts(target: &Target) -> Result<Vec<Part>, LabError> {
    let Target::Made { name, options, inner } = target else {
        return Err(LabError::NoInner { target: target.to_string(), name: target.to_string() });
    };
    let own = part(target, name, options)?;
    let on = || parts(&inner.as_deref().cloned().unwrap_or_else(|| Target::named(DEFAULT_INNER)));
    match own.fs.about().inner {
        Inner::None if inner.is_none() => Ok(vec![own]),
        Inner::None => Err(LabError::NoInner { target: target.to_string(), name: name.clone() }),
        Inner::Below | Inner::Store => {
            let below = on()?;
            if below.iter().any(|part| part.fs.about().is_remote) {
                return Err(LabError::Excluded { target: target.to_string(), why: NOTHING_IN_IT });
            }
            s3_below::stacked(target, own, below)
        }
        Inner::Above => {
            let others = on()?;
            offers_enough(target, &others)?;
            Ok([vec![own], others].concat())
        }
    }
}

/// Refuses `target` when the one disk that its bottom offers is not what the part above it, the first of
/// `others`, is on.
fn offers_enough(target: &Target, others: &[Part]) -> Result<(), LabError> {
    let (name, needed) =
        others.first().map_or(("", 0), |part| (part.fs.about().name, part.disks()));
    let (target, name) = (target.to_string(), name.to_owned());
    match needed {
        1 => Ok(()),
        0 => Err(LabError::NoInner { target, name }),
        _ => Err(LabError::TooFewDisks { target, name, needed }),
    }
}

/// One part with its options checked.
fn part(target: &Target, name: &str, options: &Options) -> Result<Part, LabError> {
    let fs = find(name)?;
    let fs = fs.with(options).unwrap_or(fs);
    if let Some(why) = fs.excluded(options) {
        return Err(LabError::Excluded { target: target.to_string(), why });
    }
    let mut own = options.clone();
    if fs.disks(options) > 0 {
        throttle::caps(name, options)?;
        own.retain(|key, _| !throttle::is_cap(key));
    }
    check_options(name, fs.about().knobs, &own)?;
    let mut reaching = options.clone();
    if fs.about().is_remote {
        // It is what the target is, and was judged by the file system.
        reaching.remove(nfs_export::SERVER);
    }
    reach::check(target, &reaching)?;
    trial::check_parts(name, fs.about().knobs, options)?;
    if let Some(why) = trial::excluded(fs.about().exclusions, options) {
        return Err(LabError::Excluded { target: target.to_string(), why });
    }
    Ok(Part { fs, options: options.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(target: &str) -> String {
        resolve(&target.parse().unwrap()).err().unwrap().to_string()
    }

    #[test]
    fn packages_are_told_for_programs_of_file_systems() {
        let fix = |program: &str| {
            let (program, fix) = (program.into(), "look for it".into());
            explained(LabError::MissingProgram { program, fix }).to_string()
        };
        assert!(fix("mkfs.xfs").contains("xfsprogs"));
        assert!(fix("zerofs").ends_with("; run `assay doctor --install zerofs`, once"));
        assert_eq!(fix("nonesuch"), "`nonesuch` is not installed; look for it");
    }

    #[test]
    fn what_is_compared_by_default_stands_by_itself() {
        let default: Vec<&&dyn FileSystem> =
            ALL.iter().filter(|fs| fs.about().by_default).collect();
        assert!(default.len() > 2);
        for fs in default {
            let about = fs.about();
            assert!(fs.has_device() && about.inner == Inner::None, "{}", about.name);
            assert_eq!(about.kernel_name, Some(about.name));
        }
    }

    #[test]
    fn targets_are_checked_before_anything_is_touched() {
        let ext4 = "ext4[noatime,mkfs.O=bigalloc]".parse().unwrap();
        assert!(
            matches!(resolve(&ext4), Ok(Candidate::Made(parts)) if parts[0].fs.about().name == "ext4")
        );
        assert!(matches!(resolve(&"dir:/mnt".parse().unwrap()), Ok(Candidate::Directory(_))));
        assert!(refusal("reiserfs").contains("knows ext4, xfs, btrfs"));
        assert!(refusal("xfs[notime]").contains("no option `notime`"));
        assert!(refusal("ext4[data=none]").contains("ordered"));
        assert!(refusal("ext4(xfs)").contains("another target"));
        assert!(refusal("xfs[mkfs.m=rmapbt=2]").contains("use one of 0, 1"));
        let excluded = refusal("xfs[mkfs.m=\"crc=0,reflink=1\"]");
        assert!(excluded.contains("cannot be made: reflink needs crc=1"), "{excluded}");
        assert!(resolve(&"ext4[noatime,cap.read_iops=500]".parse().unwrap()).is_ok());
        assert!(refusal("xfs[cap.read_iops=0]").contains("use one of 1, 2"));
        assert!(refusal("tmpfs[cap.read_iops=500]").contains("no option `cap.read_iops`"));
    }

    #[test]
    fn names_are_unique_and_knobs_have_help() {
        for (i, fs) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|other| other.about().name != fs.about().name));
            assert!(
                fs.about().knobs.iter().all(|knob| !knob.help.is_empty()),
                "{}",
                fs.about().name
            );
        }
    }
}

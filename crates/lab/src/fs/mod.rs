//! The registry of file systems: one file and one line each.

use crate::{FileSystem, LabError, throttle, trial};
use model::{Options, Target, check_options};
use std::path::Path;

macro_rules! registry {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*

        /// Every registered file system.
        pub const ALL: &[&dyn FileSystem] = &[$(&$module::Fs),*];
    };
}

registry! {
    ext4,
    xfs,
    btrfs,
    tmpfs,
    null,
}

/// The file system called `name`.
///
/// # Errors
/// None is.
pub fn find(name: &str) -> Result<&'static dyn FileSystem, LabError> {
    ALL.iter().copied().find(|fs| fs.name() == name).ok_or_else(|| LabError::UnknownFileSystem {
        name: name.into(),
        known: ALL.iter().map(|fs| fs.name()).collect::<Vec<_>>().join(", "),
    })
}

/// A target whose names and options are known to exist.
pub enum Candidate<'t> {
    /// An existing directory.
    Directory(&'t Path),
    /// A file system to be made with these options.
    Made(&'static dyn FileSystem, &'t Options),
}

/// Looks up what `target` names, touching nothing.
///
/// # Errors
/// The name is not registered, an option is unknown or out of range, two options exclude each other, or
/// it lies on another target.
pub fn resolve(target: &Target) -> Result<Candidate<'_>, LabError> {
    let (name, options, inner) = match target {
        Target::Dir(dir) => return Ok(Candidate::Directory(dir)),
        Target::Made { name, options, inner } => (name, options, inner),
    };
    let fs = find(name)?;
    if inner.is_some() {
        return Err(LabError::NoInner { target: target.to_string(), name: name.clone() });
    }
    let mut own = options.clone();
    if fs.has_device() {
        throttle::caps(name, options)?;
        own.retain(|key, _| !throttle::is_cap(key));
    }
    check_options(name, fs.knobs(), &own)?;
    trial::check_parts(name, fs.knobs(), options)?;
    if let Some(why) = trial::excluded(fs.exclusions(), options) {
        return Err(LabError::Excluded { target: target.to_string(), why });
    }
    Ok(Candidate::Made(fs, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(target: &str) -> String {
        resolve(&target.parse().unwrap()).err().unwrap().to_string()
    }

    #[test]
    fn targets_are_checked_before_anything_is_touched() {
        let ext4 = "ext4[noatime,mkfs.O=bigalloc]".parse().unwrap();
        assert!(matches!(resolve(&ext4), Ok(Candidate::Made(fs, _)) if fs.name() == "ext4"));
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
            assert!(ALL[..i].iter().all(|other| other.name() != fs.name()));
            assert!(fs.knobs().iter().all(|knob| !knob.help.is_empty()), "{}", fs.name());
        }
    }
}

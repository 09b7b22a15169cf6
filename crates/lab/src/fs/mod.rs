//! The registry of file systems: one file and one line each.

use crate::{FileSystem, LabError};
use model::{Options, Target, check_options};

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
    ALL.iter().copied().find(|fs| fs.name() == name).ok_or_else(|| unknown(name))
}

pub(crate) fn unknown(name: &str) -> LabError {
    let known = ALL.iter().map(|fs| fs.name()).collect::<Vec<_>>().join(", ");
    LabError::UnknownFileSystem { name: name.into(), known }
}

/// The file system and the options of a target; `None` for a directory.
///
/// # Errors
/// The name is not registered, an option is unknown or out of range, or it lies on another target.
pub fn resolve(target: &Target) -> Result<Option<(&'static dyn FileSystem, &Options)>, LabError> {
    let (name, options, inner) = match target {
        Target::Dir(_) => return Ok(None),
        Target::Made { name, options, inner } => (name, options, inner),
    };
    let fs = find(name)?;
    if inner.is_some() {
        return Err(LabError::NoInner { target: target.to_string(), name: name.clone() });
    }
    check_options(name, fs.knobs(), options)?;
    Ok(Some((fs, options)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(target: &str) -> String {
        resolve(&target.parse().unwrap()).err().unwrap().to_string()
    }

    #[test]
    fn targets_are_checked_before_anything_is_touched() {
        assert!(resolve(&"ext4[noatime,mkfs.O=bigalloc]".parse().unwrap()).unwrap().is_some());
        assert!(resolve(&"dir:/mnt".parse().unwrap()).unwrap().is_none());
        assert!(refusal("reiserfs").contains("knows ext4, xfs, btrfs"));
        assert!(refusal("xfs[notime]").contains("no option `notime`"));
        assert!(refusal("ext4[data=none]").contains("ordered"));
        assert!(refusal("ext4(xfs)").contains("another target"));
    }

    #[test]
    fn names_are_unique_and_knobs_have_help() {
        for (i, fs) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|other| other.name() != fs.name()));
            assert!(fs.knobs().iter().all(|knob| !knob.help.is_empty()), "{}", fs.name());
        }
    }
}

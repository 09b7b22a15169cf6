//! The registry of file systems: one file and one line each.

pub use busy_target::BUSY_VERB;
pub use part::Part;
pub use reach::Unvouched;
pub use resolved::{ResolvedTarget, resolve};
pub use s3_below::in_store;

use crate::{FileSystem, LabError, Tool};
use busy_target::BusyTarget;

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
mod part;
mod reach;
mod resolved;
mod s3_below;
mod s3_options;
pub(crate) mod short_names;
mod values;
pub(crate) mod words;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Inner;

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

//! The registry of file systems: one file, one module and one entry each.

mod bcache;
mod bcachefs;
mod bindfs;
mod btrfs;
mod common;
mod crypt;
mod exfat;
mod ext4;
mod f2fs;
mod glusterfs;
mod gocryptfs;
mod integrity;
mod jfs;
mod lvm;
mod mergerfs;
pub(crate) mod nbd;
pub(crate) mod nfs;
mod nilfs2;
mod ntfs3;
mod ntfs_3g;
mod null;
mod overlay;
mod raid0;
mod raid1;
mod raid10;
mod raid5;
mod raid6;
mod rclone;
pub(crate) mod s3;
mod s3fs;
mod sshfs;
mod thin;
mod tmpfs;
mod xfs;
mod zerofs_9p;
mod zerofs_nbd;
mod zerofs_nfs;
mod zfs;
mod zfs_fuse;

pub use bcache::set_mark;
pub use nfs::net;
pub use s3::CLAIM_VERB;

use crate::{
    Error, FileSystem, busy_target::BusyTarget, facts::Facts, mounted::Mounted, others::OTHERS,
};

/// Every registered file system.
pub const ALL: &[&dyn FileSystem] = &[
    &ext4::Fs,
    &xfs::Fs,
    &btrfs::Fs,
    &f2fs::Fs,
    &zfs::Fs,
    &bcachefs::Fs,
    &nilfs2::Fs,
    &jfs::Fs,
    &exfat::Fs,
    &ntfs3::Fs,
    &ntfs_3g::Fs,
    &zfs_fuse::Fs,
    &tmpfs::Fs,
    &zerofs_nfs::Fs,
    &zerofs_9p::Fs,
    &zerofs_nbd::Fs,
    &null::Fs,
    // Rows of `md`.
    &raid0::ROW,
    &raid1::ROW,
    &raid5::ROW,
    &raid6::ROW,
    &raid10::ROW,
    &crypt::Fs,
    &lvm::ROW,
    &thin::Fs,
    &bcache::Fs,
    &integrity::Fs,
    &nbd::Fs,
    &nfs::Fs,
    &s3::Fs,
    &glusterfs::Fs,
    &overlay::Fs,
    // Rows of `fuse_over`.
    &bindfs::ROW,
    &mergerfs::ROW,
    &gocryptfs::ROW,
    &sshfs::ROW,
    &rclone::ROW,
    &s3fs::ROW,
];

/// The targets that only the self-test measures, and no list shows.
const HIDDEN: &[&dyn FileSystem] = &[&BusyTarget];

/// The file system called `name`.
///
/// # Errors
/// None is.
pub fn find(name: &str) -> Result<&'static dyn FileSystem, Error> {
    ALL.iter().chain(HIDDEN).copied().find(|fs| fs.about().name == name).ok_or_else(|| {
        Error::UnknownFileSystem {
            name: name.into(),
            known: ALL.iter().map(|fs| fs.about().name).collect::<Vec<_>>().join(", "),
        }
    })
}

/// Returns the behaviour of what the mount table calls `kind`; `None` if unknown.
pub fn mounted(kind: &str) -> Option<&'static Mounted> {
    let made = ALL.iter().map(|fs| &fs.about().mounted);
    made.chain(OTHERS).find(|mounted| mounted.is(kind))
}

/// Every sheet of facts, with the name of its file system.
pub fn sheets() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALL.iter().map(|fs| fs.about()).filter_map(|about| match about.facts {
        Facts::Sheet(text) => Some((about.name, text)),
        Facts::Unsaid | Facts::Without(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Inner;

    #[test]
    fn default_candidates_need_no_other_target() {
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
    fn every_file_is_registered() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/systems");
        let registry = include_str!("systems.rs");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let rust = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
        let modules = rust.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string());
        let missing: Vec<String> = modules
            .filter(|name| name != "common")
            .filter(|name| !registry.contains(&format!("    &{name}::")))
            .collect();
        assert!(missing.is_empty(), "not in ALL of systems.rs: {missing:?}");
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

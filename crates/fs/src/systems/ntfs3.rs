//! NTFS by the kernel's ntfs3; mkfs and tools are those of ntfs-3g. Options are those of the kernel's
//! Documentation/filesystems/ntfs3.rst and of mkntfs(8).
//!
//! In Linux 6.12 fsync flushes the cache of the device, and syncfs does not: each sample says whether it was flushed.

use super::ntfs_3g::{self, CLUSTER, COMPRESSION, ZONE};
use crate::facts::Facts;
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, DISCARD, NOATIME, STRICTATIME, flag, mkfs_flags,
    mount_command, mount_options,
};
use crate::trial::safe;
use crate::words::{Word, nothing, refused};
use crate::{About, Cmd, FileSystem, Site, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    DISCARD,
    flag("prealloc", "reserve more space than needed when a file grows"),
    flag("sparse", "create new files as sparse ones"),
    flag("acl", "POSIX access control lists"),
    flag("sys_immutable", "files with the system attribute cannot be changed"),
    flag("windows_names", "refuse names that Windows cannot have"),
    CLUSTER,
    ZONE,
    COMPRESSION,
    ANY_MKFS,
    ANY_MOUNT,
];

/// By the kernel documentation.
const WORDS: &[Word] = &[
    nothing("nodiscard"),
    nothing("noacl"),
    nothing("nosparse"),
    nothing("noprealloc"),
    refused("force", "for a volume that was not unmounted, and a fresh one was; omit it"),
];

const TRIALS: &[TrialSetting] = &[
    safe("noatime", ""),
    safe("prealloc", ""),
    safe("mkfs.c", "65536"),
    safe("mkfs.z", "2"),
    safe("sparse", ""),
];

const ABOUT: &About = &About {
    exclusions: &[
        BOTH_ATIMES,
        ntfs_3g::EXCLUSIONS[0],
        ntfs_3g::EXCLUSIONS[1],
        ntfs_3g::EXCLUSIONS[2],
        ntfs_3g::EXCLUSIONS[3],
    ],
    words: WORDS,
    trials: TRIALS,
    tools: &[ntfs_3g::MKFS],
    min_bytes: 16 << 20,
    signature: ntfs_3g::SIGNATURE,
    mounted: Mounted::local(&["ntfs3"], Stores::Unknown).direct(),
    facts: Facts::Sheet(include_str!("ntfs3.toml")),
    ..About::new("ntfs3", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        vec![ntfs_3g::mkfs().args(mkfs_flags(options, &[])).arg(site.disk())]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        mount_command("ntfs3", site.disk(), &site.dir, mount_options(options, &[]))
    }

    fn version(&self) -> Option<Cmd> {
        ntfs_3g::Fs.version()
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        ntfs_3g::Fs.geometry(site)
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        ntfs_3g::Fs.read_geometry(output)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_and_with_options() {
        assert_eq!(
            commands("ntfs3"),
            ["mkfs.ntfs -F -q -Q /dev/loopN", "mount -t ntfs3 /dev/loopN /m"]
        );
        assert_eq!(
            commands("ntfs3[noatime,prealloc,mkfs.c=65536]"),
            [
                "mkfs.ntfs -F -q -Q -c 65536 /dev/loopN",
                "mount -t ntfs3 -o noatime,prealloc /dev/loopN /m",
            ]
        );
        assert_eq!(commands("ntfs3[nosparse,noacl]"), commands("ntfs3"));
        let force = crate::resolve(&"ntfs3[force]".parse().unwrap()).err().unwrap().to_string();
        assert!(force.contains("a fresh one was; omit it"), "{force}");
    }
}

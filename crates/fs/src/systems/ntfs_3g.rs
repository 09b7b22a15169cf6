//! NTFS by ntfs-3g, a FUSE server on a device. Options are those of ntfs-3g(8) and mkntfs(8).

use crate::facts::Facts;
use crate::magic::{Signature, start};
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, NOATIME, flag, kept_lines, mkfs_flags, mount_options, value,
};
use crate::trial::{not_both, risky, safe};
use crate::{About, Cmd, Exclusion, FileSystem, Ready, Site, Tool, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    flag("atime", "update access times at every read"),
    flag("big_writes", "accept writes of up to 128 KiB instead of 4 KiB"),
    value("delay_mtime", "s", "delay of timestamp updates", "at once", &[]),
    flag("compression", "compress in marked directories (the default)"),
    flag("nocompression", "never compress"),
    flag("permissions", "check access by standard permissions"),
    flag("posix_nlink", "POSIX hard link counts"),
    value("max_read", "bytes", "largest read", "no limit", &[]),
    CLUSTER,
    ZONE,
    COMPRESSION,
    ANY_MKFS,
    ANY_MOUNT,
];

pub(super) const CLUSTER: Knob = value(
    "mkfs.c",
    "bytes",
    "size of a cluster",
    "4096",
    &["512", "1024", "2048", "4096", "8192", "16384", "32768", "65536"],
);
pub(super) const ZONE: Knob =
    value("mkfs.z", "", "space reserved for file records, in eighths", "1", &["1", "2", "3", "4"]);
pub(super) const COMPRESSION: Knob = flag("mkfs.C", "mark the volume for compression");

const TRIALS: &[TrialSetting] = &[
    safe("big_writes", ""),
    safe("noatime", ""),
    safe("mkfs.c", "65536"),
    safe("mkfs.z", "2"),
    risky("delay_mtime", "60", "a crash loses timestamps"),
];

/// The options of mkfs that exclude each other.
pub(super) const EXCLUSIONS: &[Exclusion] = &[
    not_both("mkfs.C", "mkfs.c=8192", "compression needs clusters of at most 4096 bytes"),
    not_both("mkfs.C", "mkfs.c=16384", "compression needs clusters of at most 4096 bytes"),
    not_both("mkfs.C", "mkfs.c=32768", "compression needs clusters of at most 4096 bytes"),
    not_both("mkfs.C", "mkfs.c=65536", "compression needs clusters of at most 4096 bytes"),
];

pub(super) const MKFS: Tool =
    Tool::new("mkfs.ntfs", ["ntfs-3g", "ntfsprogs", "ntfs-3g", "ntfs-3g"]);

/// The signature of a disk with NTFS.
pub(super) const SIGNATURE: Signature =
    Signature::Magic(&[start("ntfs", 3, b"NTFS    ", Some((0x45, 8)))]);

/// `mkfs.ntfs` without options. Quick: without it the device is written in full, as no other candidate does.
pub(super) fn mkfs() -> Cmd {
    Cmd::new("mkfs.ntfs").own(["-F", "-q", "-Q"])
}

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    trials: TRIALS,
    kernel_name: Some("fuseblk"),
    modules: &["fuse"],
    tools: &[Tool::new("ntfs-3g", ["ntfs-3g"; 4]), MKFS],
    min_bytes: 16 << 20,
    signature: SIGNATURE,
    mounted: Mounted::local(&[], Stores::Unknown),
    facts: Facts::Sheet(include_str!("ntfs_3g.toml")),
    ..About::new("ntfs-3g", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        vec![mkfs().args(mkfs_flags(options, &[])).arg(site.disk())]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let options = mount_options(options, &["no_detach"]).unwrap_or_default();
        let cmd = Cmd::new("ntfs-3g").args(["-o", &options]).arg(site.disk()).arg(&site.dir);
        vec![cmd.serve(Ready::Mounted(site.dir.clone()))]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.ntfs").arg("-V"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("ntfsinfo").args(["-f", "-m"]).arg(site.disk()))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        kept_lines(
            output,
            &[
                ("Cluster Size", "cluster_bytes"),
                ("Sector Size", "sector_bytes"),
                ("Volume Size in Clusters", "clusters"),
                ("MFT Record Size", "record_bytes"),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain_and_with_options() {
        assert_eq!(
            commands("ntfs-3g"),
            ["mkfs.ntfs -F -q -Q /dev/loopN", "ntfs-3g -o no_detach /dev/loopN /m &"]
        );
        assert_eq!(
            commands("ntfs-3g[big_writes,mkfs.c=65536]"),
            [
                "mkfs.ntfs -F -q -Q -c 65536 /dev/loopN",
                "ntfs-3g -o no_detach,big_writes /dev/loopN /m &",
            ]
        );
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "Volume Information \n\tVolume Name: \n\tCluster Size: 4096\n";
        let pairs = [("cluster_bytes", "4096")];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}

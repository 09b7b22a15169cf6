//! exFAT by the kernel and exfatprogs: no owners, links, holes or journal. Options are those of fs/exfat of the
//! kernel and of mkfs.exfat(8).

use crate::facts::Facts;
use crate::magic::{Signature, start};
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, DISCARD, ERRORS, NOATIME, STRICTATIME, flag, kept_lines,
    mkfs_flags, mount_command, mount_options, value,
};
use crate::trial::safe;
use crate::words::{Word, nothing, same};
use crate::{About, Cmd, FileSystem, Site, Tool, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    DISCARD,
    ERRORS,
    flag("keep_last_dots", "keep dots at the end of a name"),
    value("mkfs.c", "bytes", "size of a cluster", "4K to 128K, by size", CLUSTERS),
    value("mkfs.b", "bytes", "alignment of the table and of the clusters", "1M", &[]),
    flag("mkfs.pack-bitmap", "put the bitmap next to the table"),
    ANY_MKFS,
    ANY_MOUNT,
];

const CLUSTERS: &[&str] = &[
    "4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M", "8M", "16M", "32M",
];

/// By mkfs.exfat(8) and mount(8).
const WORDS: &[Word] = &[
    same("mkfs.cluster-size=*", "mkfs.c=*"),
    same("mkfs.boundary-align=*", "mkfs.b=*"),
    nothing("nodiscard"),
    nothing("iocharset=utf8"),
];

const TRIALS: &[TrialSetting] =
    &[safe("noatime", ""), safe("mkfs.c", "32K"), safe("mkfs.c", "128K"), safe("mkfs.c", "1M")];

/// The exit status of mkfs.exfat after it told its version.
const VERSION_TOLD: i32 = 1;

const PACKAGE: [&str; 4] = ["exfatprogs"; 4];

const ABOUT: &About = &About {
    exclusions: &[BOTH_ATIMES],
    words: WORDS,
    trials: TRIALS,
    tools: &[
        Tool::new("mkfs.exfat", PACKAGE),
        Tool::new("fsck.exfat", PACKAGE),
        Tool::new("dump.exfat", PACKAGE),
    ],
    min_bytes: 16 << 20,
    signature: Signature::Magic(&[start("exfat", 3, b"EXFAT   ", Some((0x61, 4)))]),
    mounted: Mounted::local(&["exfat"], Stores::Whole).direct(),
    facts: Facts::Sheet(include_str!("exfat.toml")),
    ..About::new("exfat", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        vec![Cmd::new("mkfs.exfat").args(mkfs_flags(options, &[])).arg(site.disk())]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        mount_command("exfat", site.disk(), &site.dir, mount_options(options, &[]))
    }

    fn check(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("fsck.exfat").arg("-n").arg(site.disk()))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.exfat").arg("-V").accepts(VERSION_TOLD))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("dump.exfat").arg(site.disk()))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[(&str, &str)] =
            &[("Cluster size", "cluster_bytes"), ("Total Clusters", "clusters")];
        kept_lines(output, KEPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain_and_with_options() {
        assert_eq!(commands("exfat"), ["mkfs.exfat /dev/loopN", "mount -t exfat /dev/loopN /m"]);
        assert_eq!(
            commands("exfat[noatime,mkfs.c=128K,mkfs.pack-bitmap]"),
            [
                "mkfs.exfat -c 128K --pack-bitmap /dev/loopN",
                "mount -t exfat -o noatime /dev/loopN /m",
            ]
        );
        assert_eq!(commands("exfat[nodiscard,mkfs.cluster-size=1M]"), commands("exfat[c=1M]"));
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "exfatprogs version : 1.2.0\nSector Size Bits: \t\t\t9\nCluster size:  \t\t\t4096\n\
                    Total Clusters: \t\t\t15872\n";
        let pairs = [("cluster_bytes", "4096"), ("clusters", "15872")];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}

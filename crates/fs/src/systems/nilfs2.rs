//! NILFS2, by nilfs-utils. Options are those of mkfs.nilfs2(8) and mount.nilfs2(8).

use crate::facts::Facts;
use crate::magic::{Magic, Signature, end, start, uuid};
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, DISCARD, ERRORS, FRESH, LAZYTIME, NOATIME, NODISCARD,
    STRICTATIME, flag, kept_lines, mkfs_flags, mount_options, value,
};
use crate::trial::{risky, safe};
use crate::words::{Word, nothing, refused};
use crate::{About, Cmd, FileSystem, Site, Tool, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    LAZYTIME,
    value(
        "order",
        "",
        "relaxed: overwrites may reach the disk without a checkpoint",
        "relaxed",
        &["relaxed", "strict"],
    ),
    flag("barrier", "flush the device's cache at checkpoints (the default)"),
    flag("nobarrier", "do not flush the device's cache; risks the file system"),
    DISCARD,
    NODISCARD,
    ERRORS,
    value("mkfs.b", "bytes", "size of a block", "4096", &["1024", "2048", "4096"]),
    value("mkfs.B", "blocks", "blocks per segment, the unit of allocation", "2048", &[]),
    value("mkfs.m", "%", "segments reserved for cleaning", "5", &[]),
    ANY_MKFS,
    ANY_MOUNT,
];

/// By mount.nilfs2(8).
const WORDS: &[Word] = &[
    // It is mounted without its cleaner.
    nothing("nogc"),
    refused("pp=*", "for the cleaner, which is not started; omit it"),
    refused("cp=*", "for a snapshot, and a fresh file system has none; omit it"),
    refused("norecovery", FRESH),
];

const TRIALS: &[TrialSetting] = &[
    safe("noatime", ""),
    safe("mkfs.B", "4096"),
    safe("mkfs.B", "1024"),
    safe("order", "strict"),
    safe("lazytime", ""),
    safe("mkfs.b", "1024"),
    risky("nobarrier", "", "power loss may destroy the file system and loses synced data"),
];

const ABOUT: &About = &About {
    exclusions: &[BOTH_ATIMES],
    words: WORDS,
    trials: TRIALS,
    tools: &[
        Tool::new("mkfs.nilfs2", ["nilfs-tools", "nilfs-utils", "nilfs-utils", "nilfs-utils"]),
        Tool::new("nilfs-tune", ["nilfs-tools", "nilfs-utils", "nilfs-utils", "nilfs-utils"]),
    ],
    min_bytes: 134_221_824,
    by_default: true,
    signature: Signature::Magic(&[
        start("nilfs2", 0x406, &[0x34, 0x34], uuid(0x92)),
        Magic { id: uuid(0x92), ..end("nilfs2", 4096, 4096 - 6, &[0x34, 0x34]) },
    ]),
    mounted: Mounted::local(&["nilfs2"], Stores::Whole).direct(),
    facts: Facts::Sheet(include_str!("nilfs2.toml")),
    ..About::new("nilfs2", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let cmd = Cmd::new("mkfs.nilfs2").own(["-f", "-q", "-K"]);
        vec![cmd.args(mkfs_flags(options, &["K"])).arg(site.disk())]
    }

    /// Without its mount helper, which would start a cleaner: that one would write during the tests,
    /// and stay when this process dies. What is overwritten is not given back until the next mkfs.
    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let mut cmd = Cmd::new("mount").args(["-i", "-t", "nilfs2"]);
        if let Some(options) = mount_options(options, &[]) {
            cmd = cmd.args(["-o", &options]);
        }
        vec![cmd.arg(site.disk()).arg(&site.dir)]
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        vec![Cmd::new("umount").arg("-i").arg(&site.dir)]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.nilfs2").arg("-V"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("nilfs-tune").arg("-l").arg(site.disk()))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        kept_lines(
            output,
            &[
                ("Filesystem features", "features"),
                ("Block size", "block_bytes"),
                ("Number of segments", "segments"),
                ("# of blocks per segment", "segment_blocks"),
                ("Reserved segments %", "reserved_percent"),
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
            commands("nilfs2"),
            ["mkfs.nilfs2 -f -q -K /dev/loopN", "mount -i -t nilfs2 /dev/loopN /m"]
        );
        assert_eq!(
            commands("nilfs2[order=strict,mkfs.B=1024]"),
            [
                "mkfs.nilfs2 -f -q -K -B 1024 /dev/loopN",
                "mount -i -t nilfs2 -o order=strict /dev/loopN /m",
            ]
        );
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "nilfs-tune 2.2.9\nBlock size:\t\t  4096\n# of blocks per segment:  2048\n";
        let pairs = [("block_bytes", "4096"), ("segment_blocks", "2048")];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}

//! JFS, by jfsutils. Options are those of jfs_mkfs(8) and of mount(8).

use crate::facts::Facts;
use crate::magic::{Signature, start, uuid};
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, ERRORS, LAZYTIME, NOATIME, NODISCARD, STRICTATIME, flag,
    kept_lines, mkfs_flags, mount_command, mount_options, value,
};
use crate::trial::{risky, safe};
use crate::words::{Word, nothing, same};
use crate::{About, Cmd, FileSystem, Site, Tool, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    LAZYTIME,
    flag("integrity", "journal metadata (the default)"),
    flag("nointegrity", "no journal; risks the file system"),
    value("discard", "blocks", "discard freed extents of at least this length", "64", &[]),
    NODISCARD,
    ERRORS,
    value("mkfs.s", "MiB", "size of the journal", "0.4 % of the device", &[]),
    ANY_MKFS,
    ANY_MOUNT,
];

/// By Documentation/admin-guide/jfs.rst of Linux.
const WORDS: &[Word] = &[same("discard", "discard=64"), nothing("noquota")];

const TRIALS: &[TrialSetting] = &[
    safe("noatime", ""),
    safe("mkfs.s", "32"),
    safe("mkfs.s", "8"),
    safe("lazytime", ""),
    risky("nointegrity", "", "a crash may lose directories and files, synced or not"),
];

const ABOUT: &About = &About {
    exclusions: &[BOTH_ATIMES],
    words: WORDS,
    trials: TRIALS,
    tools: &[Tool::new("mkfs.jfs", ["jfsutils"; 4]), Tool::new("jfs_fsck", ["jfsutils"; 4])],
    min_bytes: 16 << 20,
    by_default: true,
    signature: Signature::Magic(&[start("jfs", 0x8000, b"JFS1", uuid(136))]),
    mounted: Mounted::local(&["jfs"], Stores::Whole).direct(),
    file_flags: &["mkfs.j"],
    facts: Facts::Sheet(include_str!("jfs.toml")),
    ..About::new("jfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        vec![Cmd::new("mkfs.jfs").own(["-q"]).args(mkfs_flags(options, &[])).arg(site.disk())]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        mount_command("jfs", site.disk(), &site.dir, mount_options(options, &[]))
    }

    fn check(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("jfs_fsck").arg("-n").arg(site.disk()))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.jfs").arg("-V"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("jfs_tune").arg("-l").arg(site.disk()))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        kept_lines(
            output,
            &[
                ("Aggregate block size", "block"),
                ("Aggregate size", "size"),
                ("Allocation group size", "allocation_group"),
                ("JFS flags", "flags"),
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
        assert_eq!(commands("jfs"), ["mkfs.jfs -q /dev/loopN", "mount -t jfs /dev/loopN /m"]);
        assert_eq!(
            commands("jfs[noatime,mkfs.s=32]"),
            ["mkfs.jfs -q -s 32 /dev/loopN", "mount -t jfs -o noatime /dev/loopN /m"]
        );
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "JFS state:\t\tclean\nAggregate block size:\t4096 bytes\n";
        assert_eq!(Fs.read_geometry(text), [("block".to_string(), "4096 bytes".to_string())]);
    }
}

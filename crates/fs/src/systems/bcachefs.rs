//! bcachefs, by bcachefs-tools, where the kernel has its module. Options are those of bcachefs(8).

use crate::facts::Facts;
use crate::magic::{Signature, start, uuid};
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, LAZYTIME, NOATIME, STRICTATIME, mkfs_flags, mount_command,
    mount_options, value,
};
use crate::trial::{risky, safe};
use crate::{About, Cmd, FileSystem, Site, Tool, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    LAZYTIME,
    value("mkfs.block_size", "bytes", "size of a block", "4096", &["512", "1k", "2k", "4k"]),
    value("mkfs.compression", "", "compress data", "none", COMPRESSION),
    value("mkfs.background_compression", "", "compress data later", "none", COMPRESSION),
    value("mkfs.data_checksum", "", "checksum of data", "crc32c", CHECKSUM),
    value("mkfs.metadata_checksum", "", "checksum of metadata", "crc32c", CHECKSUM),
    value("mkfs.bucket_size", "bytes", "unit of allocation", "by size", &[]),
    value("mkfs.encoded_extent_max", "bytes", "largest extent with one checksum", "64k", &[]),
    ANY_MKFS,
    ANY_MOUNT,
];

const COMPRESSION: &[&str] = &["none", "lz4", "gzip", "zstd"];
const CHECKSUM: &[&str] = &["none", "crc32c", "crc64", "xxhash"];

const TRIALS: &[TrialSetting] = &[
    safe("noatime", ""),
    safe("mkfs.compression", "lz4"),
    safe("mkfs.data_checksum", "xxhash"),
    safe("mkfs.compression", "zstd"),
    risky("mkfs.data_checksum", "none", "corrupt data is not detected"),
];

const ABOUT: &About = &About {
    exclusions: &[BOTH_ATIMES],
    trials: TRIALS,
    not_in_setup: "few kernels have it",
    tools: &[Tool::new("bcachefs", ["bcachefs-tools"; 4])],
    min_bytes: 128 << 20,
    by_default: true,
    // bcache and bcachefs share the head of their identity, which no file system does.
    signature: Signature::Magic(&[start(
        "bcachefs",
        0x1018,
        &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9],
        uuid(32),
    )]),
    member_of: "a bcachefs file system",
    mounted: Mounted::local(&["bcachefs"], Stores::Less).direct(),
    careless: &[("journal_flush_disabled", "a sync does not write the journal")],
    facts: Facts::Without("not researched yet"),
    ..About::new("bcachefs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let cmd = Cmd::new("bcachefs").arg("format").own(["--force", "--quiet"]);
        vec![cmd.args(mkfs_flags(options, &[])).arg(site.disk())]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        mount_command("bcachefs", site.disk(), &site.dir, mount_options(options, &[]))
    }

    fn check(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("bcachefs").args(["fsck", "-n"]).arg(site.disk()))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("bcachefs").arg("version"))
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_and_with_options() {
        assert_eq!(
            commands("bcachefs"),
            ["bcachefs format --force --quiet /dev/loopN", "mount -t bcachefs /dev/loopN /m"]
        );
        assert_eq!(
            commands("bcachefs[noatime,mkfs.compression=lz4]"),
            [
                "bcachefs format --force --quiet --compression lz4 /dev/loopN",
                "mount -t bcachefs -o noatime /dev/loopN /m",
            ]
        );
    }
}

//! ext4, by e2fsprogs. Options are those of ext4(5) and mke2fs(8).

use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, DISCARD, ERRORS, FRESH, GRPID, LAZYTIME, NOATIME, NODISCARD,
    STRICTATIME, flag, kept_lines, mkfs_flags, mkfs_value, mount_command, mount_options, value,
};
use crate::trial::{not_both, risky, safe};
use crate::words::{Word, nothing, refused, same};
use crate::{About, Cmd, Exclusion, FileSystem, Site, Tool, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

/// No discard, as on every loop image: it would punch holes into the image, and the host would be
/// measured allocating. No lazy initialisation: its thread would write during the first cases.
const EXTENDED: &str = "nodiscard,lazy_itable_init=0,lazy_journal_init=0";

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    LAZYTIME,
    value(
        "data",
        "",
        "journaling mode of file data",
        "ordered",
        &["ordered", "writeback", "journal"],
    ),
    value(
        "barrier",
        "",
        "flush the device's cache at commits; 0 risks the file system",
        "1",
        &["0", "1"],
    ),
    value("commit", "s", "maximum time between journal commits", "5", &[]),
    value("stripe", "blocks", "allocation alignment, blocks", "0", &[]),
    value("inode_readahead_blks", "blocks", "inode table blocks to read ahead", "32", READ_AHEAD),
    value("max_batch_time", "us", "maximum wait to batch a commit", "15000", &[]),
    value("min_batch_time", "us", "minimum wait to batch a commit", "0", &[]),
    value(
        "journal_ioprio",
        "",
        "I/O priority of commits, 0 is highest",
        "3",
        &["0", "1", "2", "3", "4", "5", "6", "7"],
    ),
    value("mb_optimize_scan", "", "search groups by their free space", "by size", &["0", "1"]),
    flag("journal_checksum", "checksum journal transactions"),
    flag("journal_async_commit", "write the commit block without waiting for its transaction"),
    flag("delalloc", "choose blocks at writeback (the default)"),
    flag("nodelalloc", "choose blocks at write"),
    flag("auto_da_alloc", "flush a file that replaces another (the default)"),
    flag("noauto_da_alloc", "do not flush a file that replaces another"),
    flag("dioread_nolock", "read without the inode lock while extents are filled (the default)"),
    flag("dioread_lock", "read under the inode lock"),
    DISCARD,
    NODISCARD,
    ERRORS,
    value(
        "data_err",
        "",
        "whether a data write error aborts the journal",
        "ignore",
        &["ignore", "abort"],
    ),
    flag("noacl", "no access control lists"),
    flag("nouser_xattr", "no user extended attributes"),
    GRPID,
    flag("noblock_validity", "do not check that data blocks lie outside metadata"),
    flag("no_prefetch_block_bitmaps", "do not prefetch block bitmaps"),
    value("max_dir_size_kb", "kB", "largest directory", "no limit", &[]),
    flag("inlinecrypt", "use the device's inline encryption"),
    value(
        "mkfs.b",
        "bytes",
        "size of a block",
        "4096",
        &["1024", "2048", "4096", "8192", "16384", "32768", "65536"],
    ),
    value(
        "mkfs.I",
        "bytes",
        "size of an inode",
        "256",
        &["128", "256", "512", "1024", "2048", "4096"],
    ),
    value("mkfs.G", "groups", "block groups per flex group", "16", &[]),
    value("mkfs.m", "%", "space reserved for root", "5", &[]),
    value("mkfs.i", "bytes", "bytes per inode", "16384", &[]),
    value("mkfs.N", "inodes", "total number of inodes", "by size", &[]),
    value("mkfs.E=stride", "blocks", "stride: blocks per disk of an array", "0", &[]),
    value("mkfs.E=stripe_width", "blocks", "stripe width of an array, blocks", "0", &[]),
    value("mkfs.J=size", "MiB", "size of the journal", "by size", &[]),
    value(
        "mkfs.E=packed_meta_blocks",
        "",
        "all metadata at the start of the device",
        "0",
        &["0", "1"],
    ),
    ANY_MKFS,
    ANY_MOUNT,
];

const READ_AHEAD: &[&str] =
    &["0", "1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024", "2048", "4096"];

/// By ext4(5) and Documentation/admin-guide/ext4.rst of Linux.
const WORDS: &[Word] = &[
    same("nobarrier", "barrier=0"),
    same("barrier", "barrier=1"),
    same("auto_da_alloc=0", "noauto_da_alloc"),
    same("auto_da_alloc=1", "auto_da_alloc"),
    same("nodioread_nolock", "dioread_lock"),
    same("bsdgroups", "grpid"),
    same("mkfs.E=stripe-width=*", "mkfs.E=stripe_width=*"),
    nothing("nogrpid"),
    nothing("sysvgroups"),
    nothing("user_xattr"),
    nothing("acl"),
    nothing("block_validity"),
    nothing("prefetch_block_bitmaps"),
    nothing("nojournal_checksum"),
    nothing("bsddf"),
    nothing("minixdf"),
    // Ignored since Linux 2.6.39 and 3.0.
    nothing("bh"),
    nothing("nobh"),
    nothing("orlov"),
    // mkfs has written all inode tables.
    nothing("init_itable"),
    nothing("init_itable=*"),
    nothing("noinit_itable"),
    nothing("noquota"),
    refused("quota", QUOTA),
    refused("usrquota", QUOTA),
    refused("grpquota", QUOTA),
    refused("noload", FRESH),
    refused("norecovery", FRESH),
    refused("sb=*", FRESH),
];

const QUOTA: &str = "without effect until quotaon(8) runs; for quotas from the start use \
                     mkfs.O=quota";

const TRIALS: &[TrialSetting] = &[
    safe("noatime", ""),
    safe("mkfs.J", "size=256"),
    safe("mkfs.O", "fast_commit"),
    safe("mkfs.O", "bigalloc"),
    safe("lazytime", ""),
    safe("max_batch_time", "0"),
    safe("data", "journal"),
    safe("nodelalloc", ""),
    safe("mb_optimize_scan", "0"),
    safe("mkfs.I", "512"),
    safe("mkfs.I", "1024"),
    safe("mkfs.G", "64"),
    safe("inode_readahead_blks", "128"),
    safe("mkfs.E", "packed_meta_blocks=1"),
    safe("mkfs.O", "inline_data"),
    safe("stripe", "256"),
    safe("dioread_lock", ""),
    risky("data", "writeback", "after a crash, files may expose deleted data of others"),
    risky("commit", "60", "a crash loses up to 60 s of changes that were not synced, not 5 s"),
    risky("noauto_da_alloc", "", "a crash may leave a replaced file empty"),
    risky("mkfs.O", "^has_journal", "a crash requires a full check and may lose files"),
    risky("mkfs.O", "^metadata_csum", "corrupt metadata is not detected"),
    risky("barrier", "0", "power loss may destroy the file system and loses synced data"),
];

const NO_JOURNAL: &str = "mkfs.O:^has_journal";

const EXCLUSIONS: &[Exclusion] = &[
    BOTH_ATIMES,
    not_both(
        "dioread_nolock",
        "dioread_lock",
        "dioread_nolock and dioread_lock contradict each other; drop one",
    ),
    not_both("data=journal", "delalloc", "data=journal has no delayed allocation; drop delalloc"),
    not_both("data=journal", "dioread_nolock", "data=journal needs dioread_lock"),
    not_both(
        "journal_async_commit",
        "!data",
        "journal_async_commit needs data=writeback or data=journal",
    ),
    not_both(
        "journal_async_commit",
        "data=ordered",
        "journal_async_commit needs data=writeback or data=journal",
    ),
    not_both(NO_JOURNAL, "data", "data= needs a journal"),
    not_both(NO_JOURNAL, "commit", "commit= needs a journal"),
    not_both(NO_JOURNAL, "journal_checksum", "journal_checksum needs a journal"),
    not_both(NO_JOURNAL, "journal_async_commit", "journal_async_commit needs a journal"),
    not_both(NO_JOURNAL, "mkfs.J", "mkfs.J needs a journal"),
    not_both(NO_JOURNAL, "mkfs.O:fast_commit", "fast_commit needs a journal"),
    not_both("mkfs.C", "!mkfs.O:bigalloc", "a cluster size needs bigalloc"),
    not_both("mkfs.O:bigalloc", "mkfs.O:^extent", "bigalloc needs extents"),
    not_both("mkfs.O:inline_data", "mkfs.I=128", "inline_data needs inodes of 256 bytes or more"),
];

/// The program that makes one.
pub(super) const MKFS: Tool = Tool::new("mkfs.ext4", ["e2fsprogs"; 4]);

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    words: WORDS,
    trials: TRIALS,
    tools: &[MKFS, Tool::new("dumpe2fs", ["e2fsprogs"; 4])],
    min_bytes: 16 << 20,
    by_default: true,
    signature: Signature::Read("ext4"),
    mounted: Mounted::local(&["ext4", "ext3", "ext2"], Stores::Whole).direct().in_place(),
    shown_as: &[("dioread_lock", "nodioread_nolock")],
    file_flags: &["mkfs.d", "mkfs.z", "mkfs.l"],
    facts: Facts::Sheet(include_str!("ext4.toml")),
    ..About::new("ext4", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let forced = Cmd::new("mkfs.ext4").own(["-F", "-q"]);
        let mut cmd = match mkfs_value(options, "E") {
            Some(more) => forced.args(["-E", &format!("{EXTENDED},{more}")]),
            None => forced.own(["-E", EXTENDED]),
        };
        // Below 512 MiB mke2fs would choose 1 KiB blocks, which are not used in production.
        if mkfs_value(options, "b").is_none() && mkfs_value(options, "T").is_none() {
            cmd = cmd.args(["-b", "4096"]);
        }
        vec![cmd.args(mkfs_flags(options, &["E"])).arg(site.disk())]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        mount_command("ext4", site.disk(), &site.dir, mount_options(options, &[]))
    }

    fn copy_options(&self) -> Option<&'static [&'static str]> {
        // It does not mind that others have its UUID.
        Some(&[])
    }

    fn check(&self, site: &Site) -> Option<Cmd> {
        // Forced: a file system that was unmounted cleanly would not be looked at.
        Some(Cmd::new("e2fsck").arg("-fn").arg(site.disk()))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.ext4").arg("-V"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("dumpe2fs").arg("-h").arg(site.disk()))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[(&str, &str)] = &[
            ("Filesystem features", "features"),
            ("Block size", "block_bytes"),
            ("Block count", "blocks"),
            ("Inode count", "inodes"),
            ("Inode size", "inode_bytes"),
            ("Total journal size", "journal"),
        ];
        kept_lines(output, KEPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain() {
        assert_eq!(
            commands("ext4"),
            [
                "mkfs.ext4 -F -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 -b 4096 /dev/loopN",
                "mount -t ext4 /dev/loopN /m",
            ]
        );
    }

    #[test]
    fn with_options() {
        let target =
            r#"ext4[noatime,data=writeback,mkfs.O=bigalloc,mkfs.E="stride=16",mkfs.b=1024]"#;
        assert_eq!(
            commands(target),
            [
                "mkfs.ext4 -F -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0,stride=16 \
             -O bigalloc -b 1024 /dev/loopN",
                "mount -t ext4 -o data=writeback,noatime /dev/loopN /m",
            ]
        );
    }

    #[test]
    fn geometry_is_trimmed() {
        let text =
            "Filesystem UUID:  x\nBlock size:               4096\nInode size:\t          256\n";
        let pairs = [("block_bytes", "4096"), ("inode_bytes", "256")];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}

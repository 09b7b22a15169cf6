//! F2FS, by f2fs-tools. Options are those of mkfs.f2fs(8) and of the kernel's filesystems/f2fs.

use crate::facts::Facts;
use crate::magic::{Signature, start, uuid};
use crate::mounted::{Mounted, Stores, UNFLUSHED};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, DISCARD, ERRORS, FRESH, LAZYTIME, NOATIME, NODISCARD,
    STRICTATIME, flag, mkfs_flags, mount_command, mount_options, no_discard, value,
};
use crate::trial::{not_both, risky, safe};
use crate::words::{Word, nothing, refused, same};
use crate::{About, Cmd, Exclusion, FileSystem, Site, Tool, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

const ALGORITHM: &str = "compress_algorithm";
const EXTENSION: &str = "compress_extension";

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    LAZYTIME,
    value(
        "mode",
        "",
        "write only to free segments (lfs), or also into holes when space is short",
        "adaptive",
        &["adaptive", "lfs", "fragment:segment", "fragment:block"],
    ),
    value("active_logs", "logs", "number of active logs", "6", &["2", "4", "6"]),
    value(
        "alloc_mode",
        "",
        "where to search for the next segment",
        "by size",
        &["default", "reuse"],
    ),
    value(
        "fsync_mode",
        "",
        "fsync guarantees; nobarrier does not flush the device's cache",
        "posix",
        &["posix", "strict", "nobarrier"],
    ),
    value("background_gc", "", "clean segments when idle", "on", &["on", "off", "sync"]),
    flag("gc_merge", "let the background cleaner also do foreground cleaning"),
    flag("nogc_merge", "clean in the thread that needs space (the default)"),
    flag("atgc", "choose segments to clean by their age"),
    flag("checkpoint_merge", "let one thread write all checkpoints (the default)"),
    flag("nocheckpoint_merge", "let each process write its own checkpoint"),
    flag("flush_merge", "merge cache flushes of concurrent fsyncs (the default)"),
    flag("noflush_merge", "flush the device's cache for every fsync"),
    flag("nobarrier", "do not flush the device's cache; risks the file system"),
    flag("inline_data", "keep small files in their inode (the default)"),
    flag("noinline_data", "keep small files in blocks"),
    flag("inline_dentry", "keep small directories in their inode (the default)"),
    flag("noinline_dentry", "keep small directories in blocks"),
    flag("inline_xattr", "keep extended attributes in the inode (the default)"),
    flag("noinline_xattr", "keep extended attributes in blocks"),
    flag("extent_cache", "cache extents in memory (the default)"),
    flag("noextent_cache", "do not cache extents in memory"),
    flag("data_flush", "write data back before every checkpoint"),
    flag("fastboot", "write checkpoints that mount faster"),
    flag("disable_ext_identify", "do not classify hot and cold files by extension"),
    value("memory", "", "save memory at the cost of speed", "normal", &["normal", "low"]),
    value(ALGORITHM, "", "compress files, optionally with a level, e.g. zstd:3", "lz4", ALGORITHMS),
    value(EXTENSION, "", "file extensions to compress; * for all", "", &[]),
    value("compress_log_size", "", "cluster size, log2 of pages", "2", CLUSTERS),
    value("compress_mode", "", "compress by file system or by user request", "fs", &["fs", "user"]),
    flag("compress_cache", "also cache compressed blocks"),
    flag("compress_chksum", "checksum compressed data"),
    value("nocompress_extension", "", "file extensions not to compress", "", &[]),
    flag("inlinecrypt", "use the device's inline encryption"),
    flag("age_extent_cache", "cache extent ages"),
    value("inline_xattr_size", "words", "inline space for extended attributes", "50", &[]),
    value("reserve_root", "blocks", "space reserved for root", "0", &[]),
    flag("usrquota", "count usage per user"),
    flag("grpquota", "count usage per group"),
    flag("prjquota", "count usage per project"),
    flag("noacl", "no access control lists"),
    flag("nouser_xattr", "no user extended attributes"),
    ERRORS,
    DISCARD,
    NODISCARD,
    value("discard_unit", "", "granularity of discard", "block", &["block", "segment", "section"]),
    value("mkfs.s", "segments", "segments (2 MiB) per section, the unit of cleaning", "1", &[]),
    value("mkfs.z", "sections", "sections per zone; each log has its own zone", "1", &[]),
    value("mkfs.o", "%", "space reserved for cleaning", "by size", &[]),
    value("mkfs.a", "", "spread the logs over the device", "1", &["0", "1"]),
    flag("mkfs.i", "larger node address table"),
    value("mkfs.w", "bytes", "size of a sector", "of the device", &["512", "1024", "2048", "4096"]),
    ANY_MKFS,
    ANY_MOUNT,
];

/// By Documentation/filesystems/f2fs.rst of Linux.
const WORDS: &[Word] = &[
    same("quota", "usrquota"),
    nothing("barrier"),
    nothing("acl"),
    nothing("user_xattr"),
    nothing("noquota"),
    nothing("checkpoint=enable"),
    // Of no effect since Linux 6.9.
    nothing("heap"),
    nothing("no_heap"),
    refused("checkpoint=disable*", "an order to discard all data at unmount; omit it"),
    refused("whint_mode=*", "removed in Linux 5.19; omit it"),
    refused("io_bits=*", "removed in Linux 6.9; omit it"),
    refused("disable_roll_forward", FRESH),
    refused("norecovery", FRESH),
];

const ALGORITHMS: &[&str] =
    &["lzo", "lzo-rle", "lz4", "lz4:3", "lz4:9", "zstd", "zstd:1", "zstd:3", "zstd:6"];

const CLUSTERS: &[&str] = &["2", "3", "4", "5", "6", "7", "8"];

const TRIALS: &[TrialSetting] = &[
    safe("noatime", ""),
    safe("mode", "lfs"),
    safe("alloc_mode", "default"),
    safe("alloc_mode", "reuse"),
    safe("active_logs", "2"),
    safe("mkfs.s", "4"),
    safe("noinline_data", ""),
    safe("nocheckpoint_merge", ""),
    safe("noflush_merge", ""),
    safe("background_gc", "off"),
    safe("gc_merge", ""),
    safe("atgc", ""),
    safe("active_logs", "4"),
    safe("fastboot", ""),
    safe("data_flush", ""),
    safe("noextent_cache", ""),
    safe("noinline_dentry", ""),
    safe("mkfs.a", "0"),
    safe("mkfs.o", "10"),
    risky("fsync_mode", "nobarrier", "power loss may lose synced data"),
    risky("nobarrier", "", "power loss may destroy the file system and loses synced data"),
];

const EXCLUSIONS: &[Exclusion] = &[
    BOTH_ATIMES,
    not_both("gc_merge", "background_gc=off", "gc_merge needs the background cleaner"),
    not_both("atgc", "mode=lfs", "atgc writes into holes, but mode=lfs forbids that"),
    not_both("nodiscard", "discard_unit", "discard_unit needs discard"),
    not_both(
        ALGORITHM,
        "!mkfs.O:compression",
        r#"compression needs mkfs.O="extra_attr,compression""#,
    ),
    not_both(
        ALGORITHM,
        "!compress_extension",
        "nothing is compressed without compress_extension=*",
    ),
    not_both(
        "mkfs.O:compression",
        "!mkfs.O:extra_attr",
        "the feature compression needs extra_attr",
    ),
    not_both("mkfs.O:inode_checksum", "!mkfs.O:extra_attr", "inode_checksum needs extra_attr"),
];

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    words: WORDS,
    trials: TRIALS,
    tools: &[Tool::new("mkfs.f2fs", ["f2fs-tools"; 4]), Tool::new("fsck.f2fs", ["f2fs-tools"; 4])],
    min_bytes: 64 << 20,
    by_default: true,
    signature: Signature::Magic(&[
        start("f2fs", 0x400, &[0x10, 0x20, 0xf5, 0xf2], uuid(108)),
        start("f2fs", 0x1400, &[0x10, 0x20, 0xf5, 0xf2], uuid(108)),
    ]),
    mounted: Mounted::local(&["f2fs"], Stores::LessWith("compress_")).direct(),
    file_flags: &["mkfs.c"],
    careless: &[
        ("fsync_mode=nobarrier", UNFLUSHED),
        ("checkpoint=disable", "after a crash it is as it was mounted"),
    ],
    facts: Facts::Sheet(include_str!("f2fs.toml")),
    ..About::new("f2fs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let cmd = Cmd::new("mkfs.f2fs").own(["-f", "-q", "-t", "0"]);
        vec![cmd.args(mkfs_flags(options, &["t"])).arg(site.disk())]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let all = mount_options(options, no_discard(options));
        let mut commands = mount_command("f2fs", site.disk(), &site.dir, all);
        if [ALGORITHM, EXTENSION].iter().any(|option| options.contains_key(*option)) {
            // A kernel built without compression mounts all the same, and says so in its log alone. One that
            // has it shows an algorithm, as zstd:1 for zstd.
            let find = Cmd::new("findmnt").args(["-O", ALGORITHM, "--mountpoint"]).arg(&site.dir);
            commands.push(find);
        }
        commands
    }

    fn check(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("fsck.f2fs").arg("--dry-run").arg(site.disk()))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.f2fs").arg("-V"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("dump.f2fs").args(["-d", "1"]).arg(site.disk()))
    }

    /// `name [0x HEX : DECIMAL]`, one on a line.
    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[&str] = &[
            "log_blocksize",
            "segs_per_sec",
            "secs_per_zone",
            "segment_count_main",
            "overprov_segment_count",
            "user_block_count",
        ];
        let number = |line: &str| {
            let (name, rest) = line.split_once('[')?;
            let (_, decimal) = rest.trim_end().strip_suffix(']')?.rsplit_once(':')?;
            let name = name.trim();
            KEPT.contains(&name).then(|| (name.to_string(), decimal.trim().to_string()))
        };
        output.lines().filter_map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain() {
        assert_eq!(
            commands("f2fs"),
            ["mkfs.f2fs -f -q -t 0 /dev/loopN", "mount -t f2fs -o nodiscard /dev/loopN /m",]
        );
    }

    #[test]
    fn with_options_and_a_compression_that_must_be_in_effect() {
        let target = r#"f2fs[noatime,mkfs.O="extra_attr,compression",compress_algorithm=zstd,compress_extension="*",mkfs.s=4]"#;
        assert_eq!(
            commands(target),
            [
                "mkfs.f2fs -f -q -t 0 -O extra_attr,compression -s 4 /dev/loopN",
                "mount -t f2fs -o 'nodiscard,compress_algorithm=zstd,compress_extension=*,noatime' \
                 /dev/loopN /m",
                "findmnt -O compress_algorithm --mountpoint /m",
            ]
        );
        let by_default =
            commands(r#"f2fs[mkfs.O="extra_attr,compression",compress_extension="*"]"#);
        assert_eq!(by_default[2], "findmnt -O compress_algorithm --mountpoint /m");
        assert_eq!(commands("f2fs[discard]")[1], "mount -t f2fs -o discard /dev/loopN /m");
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "segs_per_sec                  \t\t[0x       1 : 1]\n\
                    user_block_count              \t\t[0x   18c00 : 101376]\n\
                    volum_name                    \t\t[]\nInfo: Dry run\n";
        let pairs = [("segs_per_sec", "1"), ("user_block_count", "101376")];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}

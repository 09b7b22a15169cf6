//! Commands of mkfs.xfs and mount for XFS, by xfsprogs. Options are those of xfs(5) and mkfs.xfs(8).

use crate::facts::Facts;
use crate::magic::{Signature, start, uuid};
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, DISCARD, FRESH, GRPID, LAZYTIME, NOATIME, NODISCARD,
    STRICTATIME, flag, mkfs_flags, mount_command, mount_options, value,
};
use crate::trial::{not_both, safe};
use crate::words::{Word, nothing, refused, same};
use crate::{About, Cmd, Exclusion, FileSystem, Site, Tool, TrialSetting};
use model::target::{Knob, Options};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    LAZYTIME,
    value("logbufs", "buffers", "log buffers in memory", "8", &["2", "3", "4", "5", "6", "7", "8"]),
    value(
        "logbsize",
        "bytes",
        "size of a log buffer",
        "32k",
        &["16k", "32k", "64k", "128k", "256k"],
    ),
    value(
        "allocsize",
        "bytes",
        "preallocation of growing files; an explicit size is fixed",
        "dynamic",
        POWERS_4K_TO_1G,
    ),
    value("sunit", "sectors", "stripe unit for allocation", "from mkfs", &[]),
    value("swidth", "sectors", "stripe width for allocation", "from mkfs", &[]),
    flag("largeio", "report the stripe width as the best I/O size"),
    flag("nolargeio", "report the page size as the best I/O size (the default)"),
    flag("inode64", "put inodes anywhere (the default)"),
    flag("inode32", "put inodes where their numbers fit 32 bits"),
    flag("swalloc", "align allocations to the stripe width"),
    flag("filestreams", "keep the files of a directory in one allocation group"),
    flag("wsync", "make every change of a directory synchronous"),
    DISCARD,
    NODISCARD,
    GRPID,
    flag("noalign", "do not align allocations to the stripe unit"),
    flag("uquota", "count and limit usage per user"),
    flag("gquota", "count and limit usage per group"),
    flag("pquota", "count and limit usage per project"),
    flag("uqnoenforce", "count usage per user"),
    flag("gqnoenforce", "count usage per group"),
    flag("pqnoenforce", "count usage per project"),
    value(
        "mkfs.d=agcount",
        "groups",
        "number of allocation groups, which work in \
                                       parallel",
        "by size",
        &[],
    ),
    value("mkfs.d=agsize", "bytes", "size of an allocation group", "by size", &[]),
    value("mkfs.d=su", "bytes", "stripe unit", "0", &[]),
    value("mkfs.d=sw", "units", "stripe width in stripe units", "0", &[]),
    value("mkfs.d=sunit", "sectors", "stripe unit", "0", &[]),
    value("mkfs.d=swidth", "sectors", "stripe width", "0", &[]),
    value("mkfs.b=size", "bytes", "size of a block", "4096", BLOCKS),
    value("mkfs.s=size", "bytes", "size of a sector", "of the device", SECTORS),
    value("mkfs.l=lazy-count", "", "keep counters outside the superblock", "1", ON_OFF),
    value("mkfs.l=version", "", "version of the log", "2", &["1", "2"]),
    value("mkfs.l=su", "bytes", "stripe unit of the log", "0", &[]),
    value("mkfs.l=sunit", "blocks", "stripe unit of the log", "0", &[]),
    value("mkfs.l=size", "bytes", "log size; a larger log writes metadata later", "by size", &[]),
    value("mkfs.m=crc", "", "checksums of metadata", "1", ON_OFF),
    value("mkfs.m=finobt", "", "index of free inodes", "1", ON_OFF),
    value("mkfs.m=inobtcount", "", "inode index counters, for a faster mount", "1", ON_OFF),
    value("mkfs.m=reflink", "", "shared blocks (reflink)", "1", ON_OFF),
    value("mkfs.m=rmapbt", "", "reverse mapping index", "0, since xfsprogs 6.5 1", ON_OFF),
    value("mkfs.m=bigtime", "", "timestamps beyond 2038", "1", ON_OFF),
    value("mkfs.i=size", "bytes", "size of an inode", "512", &["256", "512", "1024", "2048"]),
    value("mkfs.i=maxpct", "%", "maximum space for inodes", "25, 5 or 1 by size", &[]),
    value("mkfs.i=attr", "", "version of inline attributes", "2", &["1", "2"]),
    value("mkfs.i=projid32bit", "", "project numbers of 32 bits", "1", ON_OFF),
    value("mkfs.i=nrext64", "", "counters of extents of 64 bits", "1", ON_OFF),
    value("mkfs.n=ftype", "", "types of files in directories", "1", ON_OFF),
    value("mkfs.n=version", "", "version of directories", "2", &["2", "ci"]),
    value("mkfs.i=sparse", "", "inode chunks with holes", "1", ON_OFF),
    value(
        "mkfs.n=size",
        "bytes",
        "size of a directory block",
        "4096",
        &["4096", "8192", "16384", "32768", "65536", "4k", "8k", "16k", "32k", "64k"],
    ),
    ANY_MKFS,
    ANY_MOUNT,
];

const ON_OFF: &[&str] = &["0", "1"];

const BLOCKS: &[&str] = &[
    "512", "1024", "2048", "4096", "8192", "16384", "32768", "65536", "1k", "2k", "4k", "8k",
    "16k", "32k", "64k",
];

const SECTORS: &[&str] = &[
    "512", "1024", "2048", "4096", "8192", "16384", "32768", "1k", "2k", "4k", "8k", "16k", "32k",
];

/// By xfs(5) and Documentation/admin-guide/xfs.rst of Linux.
const WORDS: &[Word] = &[
    same("logbsize=16384", "logbsize=16k"),
    same("logbsize=32768", "logbsize=32k"),
    same("logbsize=65536", "logbsize=64k"),
    same("logbsize=131072", "logbsize=128k"),
    same("logbsize=262144", "logbsize=256k"),
    same("bsdgroups", "grpid"),
    same("quota", "uquota"),
    same("usrquota", "uquota"),
    same("grpquota", "gquota"),
    same("prjquota", "pquota"),
    // The only one with checksums; no word of Linux since 6.18.
    nothing("attr2"),
    nothing("noikeep"),
    nothing("nogrpid"),
    nothing("sysvgroups"),
    nothing("noquota"),
    nothing("nouuid"),
    nothing("delaylog"),
    refused("barrier", BARRIER),
    refused("nobarrier", BARRIER),
    refused("nodelaylog", "removed in Linux 4.0, and the log is always delayed; omit it"),
    refused("norecovery", FRESH),
];

const BARRIER: &str = "not an XFS option since Linux 4.19; XFS always flushes the device's cache; \
                       omit it";

const POWERS_4K_TO_1G: &[&str] = &[
    "4k", "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1m", "2m", "4m", "8m", "16m", "32m",
    "64m", "128m", "256m", "512m", "1g",
];

/// XFS has no option that trades durability for speed: `nobarrier` was removed with Linux 4.19.
const TRIALS: &[TrialSetting] = &[
    // Blocks above the page have the page cache use large folios; the kernel mounts them from 6.12 on.
    safe("mkfs.b", "size=65536"),
    safe("mkfs.b", "size=16384"),
    safe("logbsize", "256k"),
    safe("mkfs.d", "agcount=8"),
    safe("allocsize", "64m"),
    safe("noatime", ""),
    safe("mkfs.l", "size=128m"),
    safe("mkfs.m", "reflink=0"),
    safe("lazytime", ""),
    safe("allocsize", "1m"),
    safe("mkfs.m", "rmapbt=1"),
    safe("mkfs.m", "rmapbt=0"),
    safe("mkfs.n", "size=16384"),
    safe("mkfs.i", "size=1024"),
    safe("logbsize", "64k"),
    safe("mkfs.d", "agcount=2"),
    safe("mkfs.m", "inobtcount=0"),
    safe("mkfs.m", "finobt=0"),
    safe("mkfs.i", "sparse=0"),
    safe("allocsize", "64k"),
    safe("filestreams", ""),
];

const EXCLUSIONS: &[Exclusion] = &[
    BOTH_ATIMES,
    not_both("inode64", "inode32", "inode64 and inode32 contradict each other; drop one"),
    not_both("sunit", "!swidth", "sunit needs swidth"),
    not_both("swidth", "!sunit", "swidth needs sunit"),
    not_both("mkfs.l:lazy-count=0", "!mkfs.m:crc=0", "lazy-count=0 needs crc=0"),
    not_both("mkfs.d:agcount=", "mkfs.d:agsize=", "agcount and agsize are equivalent; drop one"),
    not_both("mkfs.i:size=256", "!mkfs.m:crc=0", "inodes of 256 bytes need crc=0"),
    not_both("mkfs.m:crc=0", "mkfs.m:reflink=1", "reflink needs crc=1"),
    not_both("mkfs.m:crc=0", "mkfs.m:rmapbt=1", "rmapbt needs crc=1"),
    not_both("mkfs.m:crc=0", "mkfs.m:finobt=1", "finobt needs crc=1"),
    not_both("mkfs.m:crc=0", "mkfs.m:bigtime=1", "bigtime needs crc=1"),
    not_both("mkfs.m:crc=0", "mkfs.m:inobtcount=1", "inobtcount needs crc=1"),
    not_both("mkfs.m:finobt=0", "mkfs.m:inobtcount=1", "inobtcount needs finobt=1"),
];

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    words: WORDS,
    trials: TRIALS,
    tools: &[Tool::new("mkfs.xfs", ["xfsprogs"; 4]), Tool::new("xfs_info", ["xfsprogs"; 4])],
    min_bytes: 300 << 20,
    by_default: true,
    signature: Signature::Magic(&[start("xfs", 0, b"XFSB", uuid(32))]),
    mounted: Mounted::local(&["xfs"], Stores::Whole).direct().in_place(),
    shown_as: &[("uquota", "usrquota"), ("gquota", "grpquota"), ("pquota", "prjquota")],
    file_flags: &["mkfs.p", "mkfs.c"],
    facts: Facts::Sheet(include_str!("xfs.toml")),
    ..About::new("xfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        // -K: a discard would free the blocks of an image, which was written in full so that it has all of them.
        let cmd = Cmd::new("mkfs.xfs").own(["-f", "-q", "-K"]);
        vec![cmd.args(mkfs_flags(options, &["K"])).arg(site.disk())]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        mount_command("xfs", site.disk(), &site.dir, mount_options(options, &[]))
    }

    fn copy_options(&self) -> Option<&'static [&'static str]> {
        Some(&["nouuid"])
    }

    fn check(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("xfs_repair").arg("-n").arg(site.disk()))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.xfs").arg("-V"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("xfs_info").arg(&site.dir))
    }

    /// `xfs_info` prints sections of `key=value`; a line that starts with `=` continues with the
    /// section above.
    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[&str] = &[
            "meta-data.isize",
            "meta-data.agcount",
            "meta-data.crc",
            "meta-data.rmapbt",
            "meta-data.reflink",
            "meta-data.bigtime",
            "data.bsize",
            "data.blocks",
            "data.sunit",
            "data.swidth",
            "log.blocks",
        ];
        let mut section = "";
        let mut found = Vec::new();
        for line in output.lines() {
            let (head, rest) = line.split_once('=').unwrap_or((line, ""));
            section = head.split_whitespace().next().unwrap_or(section);
            let pairs = rest.split([' ', ',']).filter_map(|word| word.split_once('='));
            let named = pairs.map(|(key, value)| (format!("{section}.{key}"), value.to_string()));
            found.extend(named.filter(|(key, _)| KEPT.contains(&key.as_str())));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain() {
        assert_eq!(commands("xfs"), ["mkfs.xfs -f -q -K /dev/loopN", "mount -t xfs /dev/loopN /m"]);
    }

    #[test]
    fn with_options() {
        assert_eq!(
            commands(r#"xfs[mkfs.m="rmapbt=1,reflink=0",logbsize=256k,o.nouuid]"#),
            [
                "mkfs.xfs -f -q -K -m rmapbt=1,reflink=0 /dev/loopN",
                "mount -t xfs -o logbsize=256k,nouuid /dev/loopN /m",
            ]
        );
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "meta-data=/dev/loop0  isize=512    agcount=4, agsize=25600 blks\n\
                    \x20        =            crc=1        finobt=1, sparse=1, rmapbt=0\n\
                    data     =            bsize=4096   blocks=102400, imaxpct=25\n\
                    naming   =version 2   bsize=4096   ascii-ci=0, ftype=1\n";
        let pairs = [
            ("meta-data.isize", "512"),
            ("meta-data.agcount", "4"),
            ("meta-data.crc", "1"),
            ("meta-data.rmapbt", "0"),
            ("data.bsize", "4096"),
            ("data.blocks", "102400"),
        ];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}

//! OpenZFS: a pool on one device, a mirror of two or a raidz, with one file system in it. Options are
//! properties: those of zpoolprops(7) go to the pool, all others, of zfsprops(7), to the file system.
//!
//! A cold start is an export and an import. The cache of its own (ARC) ends with the export.

mod resilver;

use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::options::{ANY_MKFS, flag, mkfs_flags, value};
use crate::rebuild::{self, RESYNC};
use crate::sending::Datasets;
use crate::site::DEGRADED;
use crate::trial::{not_both, risky, safe};
use crate::words::{Word, nothing, same};
use crate::{
    About, Cmd, Exclusion, FileSystem, Rebuild, Remains, Sending, Settle, Site, Tool, TrialSetting,
    cap::is_cap,
};
use model::target::{Knob, Options};
use std::path::PathBuf;

/// The registered file system.
pub(crate) struct Fs;

/// Defaults of the pool. Sectors of 4 KiB: most drives claim 512 bytes for compatibility and have
/// 4096. Access times like all others by default; and no compression, which OpenZFS alone switches
/// on (since 2.2), because it would store less data.
const POOL: &[(&str, &str)] = &[("ashift", "12")];
const DATASET: &[(&str, &str)] = &[("compression", "off"), ("relatime", "on")];

/// Options that are properties of the pool.
const POOL_KEYS: &[&str] = &["ashift", "autotrim"];

/// The flag of a mirror.
const MIRROR: &str = "mirror";

/// Flags of a pool on several devices, as zpool create names its vdev, with the fewest devices on which it does what it
/// is for.
const VDEVS: &[(&str, usize)] = &[(MIRROR, 2), ("raidz", 3), ("raidz2", 4)];

/// The vdev that `options` ask for, with its devices.
fn vdev(options: &Options) -> Option<(&'static str, usize)> {
    VDEVS.iter().copied().find(|(flag, _)| options.contains_key(*flag))
}

/// Why `options` cannot be, when they ask for two vdevs.
pub(crate) fn excluded(options: &Options) -> Option<&'static str> {
    let asked = VDEVS.iter().filter(|(flag, _)| options.contains_key(*flag)).count();
    (asked > 1).then_some("mirror, raidz and raidz2 exclude each other; drop all but one")
}

const KNOBS: &[Knob] = &[
    flag(MIRROR, "two mirrored devices"),
    flag("raidz", "three devices, one of which may fail"),
    flag("raidz2", "four devices, two of which may fail"),
    flag(DEGRADED, "run as after the loss of the last device of a mirror or raidz"),
    flag(RESYNC, "run tests during a resilver of the second device, started with each test"),
    value(
        "recordsize",
        "bytes",
        "maximum record size; use a small one for small random writes",
        "128k",
        RECORDS,
    ),
    value("compression", "", "compress data that shrinks", "off, set by assay", COMPRESSION),
    value("atime", "", "update access times", "on", ON_OFF),
    value("relatime", "", "update access times once a day at most", "on, set by assay", ON_OFF),
    value(
        "checksum",
        "",
        "checksum of data",
        "on",
        &["on", "off", "fletcher2", "fletcher4", "sha256", "sha512", "skein", "edonr"],
    ),
    value("copies", "", "copies of data", "1", &["1", "2", "3"]),
    value("dedup", "", "deduplicate blocks", "off", &["off", "on", "verify"]),
    value(
        "dnodesize",
        "",
        "size of an inode",
        "legacy",
        &["legacy", "auto", "1k", "2k", "4k", "8k", "16k"],
    ),
    value(
        "logbias",
        "",
        "optimize sync latency, or pool throughput",
        "latency",
        &["latency", "throughput"],
    ),
    value("primarycache", "", "what to cache in memory", "all", &["all", "none", "metadata"]),
    value("redundant_metadata", "", "copies of metadata", "all", &["all", "most"]),
    value(
        "sync",
        "",
        "disabled: fsync promises nothing",
        "standard",
        &["standard", "always", "disabled"],
    ),
    value("xattr", "", "where extended attributes are stored", "on", &["on", "off", "sa"]),
    value("acltype", "", "access control lists", "off", &["off", "nfsv4", "posix"]),
    value("special_small_blocks", "bytes", "blocks stored on the special device", "0", &[]),
    value(
        "ashift",
        "",
        "sector size of the pool, log2",
        "12",
        &["9", "10", "11", "12", "13", "14", "15", "16"],
    ),
    value("autotrim", "", "discard freed blocks", "off", ON_OFF),
    ANY_MKFS,
    value("o.*", "", "any other property of the file system, unchecked", "", &[]),
];

const ON_OFF: &[&str] = &["on", "off"];

const RECORDS: &[&str] = &[
    "512", "1k", "2k", "4k", "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1M", "2M", "4M",
    "8M", "16M", "1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K",
];

const COMPRESSION: &[&str] = &[
    "on",
    "off",
    "lz4",
    "zle",
    "lzjb",
    "gzip",
    "gzip-1",
    "gzip-9",
    "zstd",
    "zstd-1",
    "zstd-3",
    "zstd-6",
    "zstd-9",
    "zstd-19",
    "zstd-fast",
    "zstd-fast-1",
    "zstd-fast-10",
];

const TRIALS: &[TrialSetting] = &[
    safe("recordsize", "16k"),
    safe("recordsize", "1M"),
    safe("compression", "lz4"),
    safe("atime", "off"),
    safe("xattr", "sa"),
    safe("compression", "zstd"),
    safe("recordsize", "64k"),
    safe("recordsize", "8k"),
    safe("logbias", "throughput"),
    safe("dnodesize", "auto"),
    safe("primarycache", "metadata"),
    safe("ashift", "9"),
    risky("redundant_metadata", "most", "a damaged block of metadata costs up to 100 records"),
    risky("checksum", "off", "corrupt data is not detected"),
    risky("sync", "disabled", "a crash loses seconds of synced data"),
];

/// Spellings of other file systems for its properties.
const WORDS: &[Word] = &[
    same("noatime", "atime=off"),
    same("strictatime", "relatime=off"),
    same("relatime", "relatime=on"),
    nothing("rw"),
];

const EXCLUSIONS: &[Exclusion] = &[
    not_both("sync=disabled", "logbias", "sync=disabled uses no log; drop logbias"),
    not_both("checksum=off", "dedup=on", "dedup needs checksums; drop checksum=off"),
    not_both(RESYNC, "!mirror", "resync needs mirror; add it"),
    not_both(RESYNC, DEGRADED, "degraded and resync exclude each other; drop one"),
    not_both("checksum=off", "dedup=verify", "dedup needs checksums; drop checksum=off"),
];

pub(crate) const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    words: WORDS,
    trials: TRIALS,
    not_in_setup: "its module is built first, by assay doctor --install zfs",
    tools: &[
        Tool::new("zpool", ["zfsutils-linux", "zfs", "zfs", ""]),
        Tool::new("zfs", ["zfsutils-linux", "zfs", "zfs", ""]),
    ],
    min_bytes: 64 << 20,
    by_default: true,
    // The ARC.
    has_own_cache: true,
    is_slow: true,
    signature: Signature::Read("zfs_member"),
    member_of: "a ZFS pool",
    mounted: Mounted::local(&["zfs"], Stores::Less),
    is_unseen_in_mounts: true,
    facts: Facts::Sheet(include_str!("zfs.toml")),
    ..About::new("zfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, options: &Options) -> usize {
        vdev(options).map_or(1, |(_, devices)| devices)
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        let is_alone = options.contains_key(DEGRADED) && vdev(options).is_none();
        let why = "degraded needs mirror, raidz or raidz2; add one";
        excluded(options).or(is_alone.then_some(why))
    }

    /// Exported at once, so that the first mount is one as every later is.
    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let then = site.lost(options).map(|disk| match rebuild::is_asked(options) {
            true => resilver::something(site),
            false => Cmd::new("zpool").args(["offline", &site.name]).arg(disk),
        });
        let make = std::iter::once(create(site, options, DATASET)).chain(then);
        make.chain([export(site)]).collect()
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let cmd = Cmd::new("zpool").args(["import", "-o", "cachefile=none"]);
        let cmd = site.disks.iter().fold(cmd, |cmd, disk| cmd.arg("-d").arg(disk));
        let rebuilt = site.lost(options).filter(|_| rebuild::is_asked(options));
        let begin = rebuilt.map(|disk| resilver::begin(site, disk));
        std::iter::once(cmd.arg(&site.name)).chain(begin.into_iter().flatten()).collect()
    }

    fn by_hand(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        vec![create(site, options, DATASET)]
    }

    fn rebuild(&self, site: &Site, options: &Options) -> Option<Rebuild> {
        rebuild::is_asked(options).then(|| Rebuild::Zfs(site.name.clone()))
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        vec![export(site)]
    }

    fn source(&self, site: &Site, _options: &Options) -> PathBuf {
        PathBuf::from(&site.name)
    }

    fn undo(&self, site: &Site) -> Vec<Remains> {
        vec![Remains::Pool(site.name.clone())]
    }

    fn sending(&self) -> &'static dyn Sending {
        &Datasets
    }

    fn settle(&self, site: &Site) -> Vec<Settle> {
        // What is not synced would wait for the next transaction group, up to five seconds.
        vec![Settle::Command(Cmd::new("zpool").args(["sync", &site.name]))]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("zfs").arg("version"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        let properties =
            "type,recordsize,compression,atime,relatime,xattr,sync,checksum,primarycache";
        let get = ["get", "-H", "-p", "-o", "property,value", properties, &site.name];
        Some(Cmd::new("zfs").args(get))
    }

    /// Property and value, between them a tab.
    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        let pairs = output.lines().filter_map(|line| line.split_once('\t'));
        pairs.map(|(property, value)| (property.into(), value.into())).collect()
    }
}

/// `zpool create` with the properties of `options`, and those of `dataset` that they do not set.
pub(crate) fn create(site: &Site, options: &Options, dataset: &[(&str, &str)]) -> Cmd {
    let mut cmd = Cmd::new("zpool").arg("create").own(["-f", "-o", "cachefile=none"]);
    cmd = cmd.args(mkfs_flags(options, &[]));
    for (flag, defaults, in_pool) in [("-o", POOL, true), ("-O", dataset, false)] {
        let left = defaults.iter().filter(|(key, _)| !options.contains_key(*key));
        for (key, value) in left {
            cmd = cmd.args([flag, &format!("{key}={value}")]);
        }
        for (key, value) in properties(options, in_pool) {
            cmd = cmd.args([flag, &format!("{key}={value}")]);
        }
    }
    if rebuild::is_asked(options) {
        cmd = cmd.args(["-o", resilver::NOT_DEFERRED]);
    }
    cmd = cmd.arg("-m").arg(&site.dir).arg(&site.name);
    cmd.args(vdev(options).map(|(flag, _)| flag)).args(&site.disks)
}

/// `zpool export`: unmounts, writes all of it and gives the devices back.
pub(crate) fn export(site: &Site) -> Cmd {
    Cmd::new("zpool").args(["export", &site.name])
}

/// The options that are properties of the pool, or of the file system.
fn properties(options: &Options, in_pool: bool) -> impl Iterator<Item = (&str, &str)> {
    let property = |key: &str| {
        let is_vdev = VDEVS.iter().any(|(flag, _)| *flag == key);
        let is_ours = is_vdev || [DEGRADED, RESYNC].contains(&key) || is_cap(key);
        !is_ours && !key.starts_with("mkfs.")
    };
    options
        .iter()
        .map(|(key, value)| (&**key, &**value))
        .filter(move |(key, _)| property(key) && POOL_KEYS.contains(key) == in_pool)
        .map(|(key, value)| (key.strip_prefix("o.").unwrap_or(key), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain() {
        assert_eq!(
            commands("zfs"),
            [
                "zpool create -f -o cachefile=none -o ashift=12 -O compression=off -O relatime=on \
                 -m /m assay-0 /dev/loopN",
                "zpool export assay-0",
                "zpool import -o cachefile=none -d /dev/loopN assay-0",
            ]
        );
    }

    #[test]
    fn a_mirror_with_properties() {
        assert_eq!(
            commands("zfs[mirror,recordsize=16k,compression=lz4,ashift=13,o.snapdir=visible]"),
            [
                "zpool create -f -o cachefile=none -o ashift=13 -O relatime=on -O compression=lz4 \
                 -O snapdir=visible -O recordsize=16k -m /m assay-0 mirror /dev/loopN /dev/loopM",
                "zpool export assay-0",
                "zpool import -o cachefile=none -d /dev/loopN -d /dev/loopM assay-0",
            ]
        );
    }

    #[test]
    fn a_mirror_that_lost_a_device() {
        let lines = commands("zfs[mirror,degraded]");
        assert!(lines[0].ends_with("-m /m assay-0 mirror /dev/loopN /dev/loopM"), "{lines:?}");
        assert!(!lines[0].contains("degraded"), "{lines:?}");
        assert_eq!(lines[1..3], ["zpool offline assay-0 /dev/loopM", "zpool export assay-0"]);
    }

    #[test]
    fn a_raidz_is_on_three_or_four_devices() {
        let lines = commands("zfs[raidz]");
        let disks = "/dev/loopN /dev/loopM /dev/loopL";
        assert!(lines[0].ends_with(&format!("-m /m assay-0 raidz {disks}")), "{lines:?}");
        assert!(!lines[0].contains("-O raidz"), "{lines:?}");
        let lines = commands("zfs[raidz2,degraded]");
        assert!(lines[0].ends_with(&format!("assay-0 raidz2 {disks} /dev/loopK")), "{lines:?}");
        assert_eq!(lines[1], "zpool offline assay-0 /dev/loopK");
        let refused =
            |text: &str| crate::resolve(&text.parse().unwrap()).err().unwrap().to_string();
        assert!(refused("zfs[raidz,mirror]").contains("drop all but one"));
        assert!(refused("zfs[degraded]").contains("needs mirror, raidz or raidz2"));
        assert!(refused("zfs[raidz,resync]").contains("resync needs mirror"));
    }

    #[test]
    fn a_mirror_is_resilvered_from_each_import_on() {
        assert_eq!(
            commands("zfs[mirror,resync,atime=off]"),
            [
                "zpool create -f -o cachefile=none -o ashift=12 -O compression=off -O relatime=on \
                 -O atime=off -o feature@resilver_defer=disabled -m /m assay-0 mirror /dev/loopN \
                 /dev/loopM",
                "dd if=/dev/urandom of=/m/rebuilt bs=1M count=204 status=none",
                "zpool export assay-0",
                "zpool import -o cachefile=none -d /dev/loopN -d /dev/loopM assay-0",
                "zpool detach assay-0 /dev/loopM",
                "zpool attach -f assay-0 /dev/loopN /dev/loopM",
            ]
        );
        let refused =
            |text: &str| crate::resolve(&text.parse().unwrap()).err().unwrap().to_string();
        assert!(refused("zfs[resync]").contains("needs mirror; add it"));
        assert!(refused("zfs[mirror,resync,degraded]").contains("degraded and resync exclude"));
        assert!(refused("zfs[mirror,resync=20]").contains("resync"), "it has no rate");
        let is_rebuilt = |text: &str| text.parse::<crate::ResolvedTarget>().unwrap().is_rebuilt();
        assert!(is_rebuilt("zfs[mirror,resync]") && !is_rebuilt("zfs[mirror]"));
    }

    #[test]
    fn geometry_is_read() {
        let pairs = [("recordsize", "131072"), ("compression", "off")];
        let text = "recordsize\t131072\ncompression\toff\n";
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}

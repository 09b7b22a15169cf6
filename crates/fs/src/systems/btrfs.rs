//! Btrfs, by btrfs-progs. Options are those of btrfs(5) and mkfs.btrfs(8).

mod profiles;
mod replace;

use self::profiles::PROFILES;
use self::replace::lose;
use crate::facts::Facts;
use crate::magic::{Signature, start, uuid};
use crate::mounted::{Mounted, Stores};
use crate::options::{
    ANY_MKFS, ANY_MOUNT, BOTH_ATIMES, FRESH, LAZYTIME, NOATIME, NODISCARD, STRICTATIME, flag,
    mkfs_flags, mount_command, mount_options, no_discard, value,
};
use crate::rebuild::{self, RESYNC};
use crate::sending::Subvolumes;
use crate::site::DEGRADED;
use crate::trial::{not_both, risky, safe};
use crate::words::{Word, nothing, refused, same};
use crate::{
    About, Cmd, Exclusion, FileSystem, Rebuild, Redundancy, Repair, Sending, Settle, Site, Small,
    Tool, TrialSetting,
};
use model::{
    target::{Knob, Options},
    text::Bytes,
};
use std::path::{Path, PathBuf};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    LAZYTIME,
    value(
        "compress",
        "",
        "compress data that shrinks; levels above 9 are slow, those below 0 fast",
        "no",
        COMPRESS,
    ),
    value("compress-force", "", "compress all data; same values as compress", "no", COMPRESS),
    value("space_cache", "", "format of the free-space cache", "v2", &["v1", "v2"]),
    flag("nospace_cache", "no free-space cache"),
    flag("noacl", "no access control lists"),
    value("discard", "", "discard freed blocks", "not given", &["", "sync", "async"]),
    NODISCARD,
    value("commit", "s", "maximum time between commits", "30", &[]),
    value("max_inline", "bytes", "largest file stored inline in metadata", "2048", &[]),
    value("thread_pool", "threads", "worker threads", "processors + 2, at most 8", &[]),
    value("metadata_ratio", "chunks", "data chunks per metadata chunk", "0", &[]),
    flag("autodefrag", "rewrite files with small random writes in the background"),
    flag("nodatacow", "overwrite in place, without checksums and compression"),
    flag("nodatasum", "no checksums of data"),
    flag("flushoncommit", "write all data at every commit"),
    flag("notreelog", "make every fsync a full commit"),
    flag("ssd", "allocate for flash"),
    flag("ssd_spread", "allocate for slow flash"),
    flag("nossd", "allocate for hard disks"),
    flag("barrier", "flush the device's cache at commits (the default)"),
    flag("nobarrier", "do not flush the device's cache; risks the file system"),
    value(
        "mkfs.nodesize",
        "bytes",
        "size of a metadata block",
        "16384",
        &["4096", "8192", "16384", "32768", "65536", "4k", "8k", "16k", "32k", "64k"],
    ),
    value("mkfs.csum", "", "checksum", "crc32c", &["crc32c", "xxhash", "sha256", "blake2"]),
    flag("single", "one copy of everything; same as mkfs.d=single,mkfs.m=single"),
    flag("dup", "two copies of everything on one disk; same as mkfs.d=dup,mkfs.m=dup"),
    flag("raid0", "two disks, data striped over them; same as mkfs.d=raid0,mkfs.m=raid1"),
    flag(
        "raid1",
        "two disks with all data and metadata on both; same as \
                   mkfs.d=raid1,mkfs.m=raid1",
    ),
    flag("raid1c3", "three disks with all of it; same as mkfs.d=raid1c3,mkfs.m=raid1c3"),
    flag("raid1c4", "four disks with all of it; same as mkfs.d=raid1c4,mkfs.m=raid1c4"),
    flag("raid10", "four disks, striped pairs of copies; same as mkfs.d=raid10,mkfs.m=raid10"),
    flag("raid5", "three disks, data with one parity; same as mkfs.d=raid5,mkfs.m=raid1"),
    flag("raid6", "four disks, data with two parities; same as mkfs.d=raid6,mkfs.m=raid1c3"),
    flag(DEGRADED, "run as after the loss of the last disk; new data may have fewer copies"),
    value(RESYNC, "MiB/s", rebuild::HELP, "not given", &[]),
    value("mkfs.m", "", "copies of metadata", "dup, raid1 on more disks", PROFILES),
    value("mkfs.d", "", "copies of data", "single", PROFILES),
    ANY_MKFS,
    ANY_MOUNT,
];

/// By btrfs(5) and mkfs.btrfs(8).
const WORDS: &[Word] = &[
    same("space_cache", "space_cache=v1"),
    same("mkfs.data=*", "mkfs.d=*"),
    same("mkfs.metadata=*", "mkfs.m=*"),
    same("mkfs.n=*", "mkfs.nodesize=*"),
    same("mkfs.checksum=*", "mkfs.csum=*"),
    same("mkfs.features=*", "mkfs.O=*"),
    same("mkfs.runtime-features=*", "mkfs.R=*"),
    same("mkfs.sectorsize=*", "mkfs.s=*"),
    nothing("acl"),
    nothing("datacow"),
    nothing("datasum"),
    nothing("treelog"),
    nothing("noautodefrag"),
    nothing("noflushoncommit"),
    nothing("nossd_spread"),
    nothing("noenospc_debug"),
    nothing("skip_balance"),
    nothing("user_subvol_rm_allowed"),
    refused("subvol=*", SUBVOLUME),
    refused("subvolid=*", SUBVOLUME),
    refused("clear_cache", FRESH),
    refused("recovery", FRESH),
    refused("usebackuproot", FRESH),
    refused("nologreplay", FRESH),
    refused("norecovery", FRESH),
    refused("rescue=*", FRESH),
    refused("inode_cache", "removed in Linux 5.11; omit it"),
];

const SUBVOLUME: &str = "for a subvolume, and a fresh file system has none; omit it";

const COMPRESS: &[&str] = &[
    "", "no", "zlib", "zlib:1", "zlib:2", "zlib:3", "zlib:4", "zlib:5", "zlib:6", "zlib:7",
    "zlib:8", "zlib:9", "lzo", "zstd", "zstd:1", "zstd:2", "zstd:3", "zstd:4", "zstd:5", "zstd:6",
    "zstd:7", "zstd:8", "zstd:9", "zstd:10", "zstd:11", "zstd:12", "zstd:13", "zstd:14", "zstd:15",
    // Faster than 1; since Linux 6.15.
    "zstd:-1", "zstd:-2", "zstd:-3", "zstd:-4", "zstd:-5", "zstd:-6", "zstd:-7", "zstd:-8",
    "zstd:-9", "zstd:-10", "zstd:-11", "zstd:-12", "zstd:-13", "zstd:-14", "zstd:-15",
];

const TRIALS: &[TrialSetting] = &[
    safe("noatime", ""),
    safe("compress", "zstd:1"),
    safe("compress", "lzo"),
    safe("compress", "zstd:-5"),
    safe("mkfs.nodesize", "4096"),
    safe("mkfs.nodesize", "65536"),
    safe("mkfs.csum", "xxhash"),
    safe("ssd", ""),
    safe("ssd_spread", ""),
    safe("nossd", ""),
    safe("compress", "zstd:3"),
    safe("lazytime", ""),
    safe("thread_pool", "16"),
    safe("max_inline", "0"),
    safe("mkfs.nodesize", "32768"),
    safe("compress-force", "zstd:1"),
    safe("metadata_ratio", "4"),
    safe("notreelog", ""),
    safe("mkfs.O", "^no-holes"),
    safe("mkfs.R", "^free-space-tree"),
    safe("autodefrag", ""),
    risky("nodatacow", "", "data has no checksums, and a crash may leave half-written blocks"),
    risky("nodatasum", "", "corrupt data is not detected"),
    risky("mkfs.m", "single", "damaged metadata has no second copy"),
    risky("commit", "120", "a crash loses up to 120 s of changes that were not synced, not 30 s"),
    risky("nobarrier", "", "power loss may destroy the file system and loses synced data"),
];

const GROUP_TREE: &str = "mkfs.O:block-group-tree";

const EXCLUSIONS: &[Exclusion] = &[
    BOTH_ATIMES,
    not_both("nodatacow", "compress", "nodatacow and compression exclude each other; drop one"),
    not_both(
        "nodatacow",
        "compress-force",
        "nodatacow and compression exclude each other; drop one",
    ),
    not_both("nodatasum", "compress", "compression needs checksums; drop nodatasum"),
    not_both("nodatasum", "compress-force", "compression needs checksums; drop nodatasum"),
    not_both(
        "compress",
        "compress-force",
        "compress and compress-force exclude each other; drop \
                                            one",
    ),
    not_both(RESYNC, DEGRADED, "degraded and resync exclude each other; drop one"),
    not_both("ssd_spread", "nossd", "ssd_spread and nossd contradict each other; drop one"),
    not_both(GROUP_TREE, "mkfs.O:^free-space-tree", "block-group-tree needs free-space-tree"),
    not_both(GROUP_TREE, "mkfs.R:^free-space-tree", "block-group-tree needs free-space-tree"),
    not_both(GROUP_TREE, "mkfs.O:^no-holes", "block-group-tree needs no-holes"),
    not_both(GROUP_TREE, "space_cache=v1", "block-group-tree needs space_cache=v2"),
];

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    words: WORDS,
    trials: TRIALS,
    tools: &[
        Tool::new("mkfs.btrfs", ["btrfs-progs", "btrfs-progs", "btrfsprogs", "btrfs-progs"]),
        Tool::new("btrfs", ["btrfs-progs", "btrfs-progs", "btrfsprogs", "btrfs-progs"]),
    ],
    min_bytes: 128 << 20,
    by_default: true,
    // By `open replace random int medium` with 16 processes on 4 processors, Linux 6.18: 0.7 to 12 s on 3 GiB, 0.1 to
    // 0.6 s on 8 GiB, 0.10 to 0.13 s on 12 GiB.
    small: Some(Small {
        below: Bytes(16 << 30),
        how: "it reserves metadata for each change from unallocated space, and with little of it \
              many concurrent small changes wait for commits",
    }),
    signature: Signature::Magic(&[start("btrfs", 0x10040, b"_BHRfS_M", uuid(-0x20))]),
    member_of: "a Btrfs file system",
    mounted: Mounted::local(&["btrfs"], Stores::LessWith("compress")).direct(),
    file_flags: &["mkfs.r", "mkfs.rootdir"],
    facts: Facts::Sheet(include_str!("btrfs.toml")),
    ..About::new("btrfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, options: &Options) -> usize {
        profiles::disks(options)
    }

    fn has_subvolumes(&self) -> bool {
        true
    }

    fn sending(&self) -> &'static dyn Sending {
        &Subvolumes
    }

    fn redundancy(&self, options: &Options) -> Option<Redundancy> {
        let has_lost = [DEGRADED, RESYNC].iter().any(|key| options.contains_key(*key));
        profiles::redundancy(options).filter(|_| !has_lost)
    }

    fn mount_degraded(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let mut own = options.clone();
        own.retain(|key, _| !profiles::is_short(key));
        let degraded = [DEGRADED.to_string()].into_iter().chain(others(&site.disks));
        mount(site, &own, degraded.collect())
    }

    fn scrub(&self, _site: &Site) -> Vec<Repair> {
        vec![Repair::BtrfsScrub]
    }

    fn replace(&self, _site: &Site, options: &Options, number: usize, new: &Path) -> Vec<Repair> {
        let replace = Repair::BtrfsReplace { number: number + 1, by: new.into() };
        // What was allocated while the disk was missing has fewer copies.
        let convert = profiles::on_disks(options)
            .map(|[data, metadata]| Repair::BtrfsConvert { data, metadata });
        [replace].into_iter().chain(convert).collect()
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let cmd = Cmd::new("mkfs.btrfs").own(["-f", "-q", "-K"]);
        let profiles =
            profiles::short(options).map(|[data, metadata]| ["-d", data, "-m", metadata]);
        let cmd = cmd.args(profiles.into_iter().flatten());
        let make = cmd.args(mkfs_flags(options, &["K"])).args(&site.disks);
        let rebuilt = rebuild::rate(options).map(|_| replace::something(site));
        let lose = site.lost(options).filter(|_| rebuilt.is_none()).map(|disk| lose(disk));
        std::iter::once(make).chain(rebuilt.into_iter().flatten()).chain(lose).collect()
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        profiles::excluded(options).or_else(|| rebuild::excluded(options))
    }

    fn rebuild(&self, site: &Site, options: &Options) -> Option<Rebuild> {
        rebuild::rate(options).map(|_| Rebuild::Btrfs(site.disk().into()))
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let mut own = options.clone();
        own.retain(|key, _| !profiles::is_short(key));
        let rate = rebuild::rate(options);
        if own.remove(RESYNC).is_some() {
            own.insert(DEGRADED.into(), String::new());
        }
        let mount = mount(site, &own, others(site.left(options)).collect());
        match site.lost(options).zip(rate) {
            None => mount,
            Some((disk, rate)) => replace::begin(site, disk, rate, mount),
        }
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        let unmount = Cmd::new("umount").arg(&site.dir);
        // Of one disk there is nothing to rebuild.
        let cancel = (site.disks.len() > 1).then(|| Rebuild::cancel(&site.dir));
        cancel.into_iter().chain([unmount]).collect()
    }

    fn settle(&self, site: &Site) -> Vec<Settle> {
        // Beside the sync it wakes the transaction thread, which would clean up to 30 s later.
        vec![Settle::BtrfsSync(site.dir.clone())]
    }

    fn check(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("btrfs").args(["check", "--readonly"]).arg(site.disk()))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.btrfs").arg("-V"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("btrfs").args(["filesystem", "usage", "-b"]).arg(&site.dir))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for line in output.lines().filter_map(|line| line.split_once(':')) {
            let (key, value) = (line.0.trim(), line.1.trim());
            match (key, key.split_once(',')) {
                ("Device size", _) => found.push(("device_bytes".into(), value.into())),
                (_, Some((kind @ ("Data" | "Metadata" | "System"), profile))) => {
                    found.push((format!("profile.{}", kind.to_lowercase()), profile.into()));
                }
                _ => {}
            }
        }
        found
    }
}

/// Options that name all of `disks` but the first: there is no scan for them here.
fn others(disks: &[PathBuf]) -> impl Iterator<Item = String> + '_ {
    disks.iter().skip(1).map(|disk| format!("device={}", disk.display()))
}

/// The command that mounts it with its `own` options and `more`.
fn mount(site: &Site, own: &Options, more: Vec<String>) -> Vec<Cmd> {
    let more = more.iter().map(String::as_str);
    let defaults: Vec<&str> = no_discard(own).iter().copied().chain(more).collect();
    mount_command("btrfs", site.disk(), &site.dir, mount_options(own, &defaults))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain() {
        assert_eq!(
            commands("btrfs"),
            ["mkfs.btrfs -f -q -K /dev/loopN", "mount -t btrfs -o nodiscard /dev/loopN /m",]
        );
    }

    #[test]
    fn with_options() {
        assert_eq!(
            commands("btrfs[compress=zstd:3,discard=async,mkfs.csum=xxhash]"),
            [
                "mkfs.btrfs -f -q -K --csum xxhash /dev/loopN",
                "mount -t btrfs -o compress=zstd:3,discard=async /dev/loopN /m",
            ]
        );
    }

    #[test]
    fn profiles_have_the_disks_that_they_need() {
        assert_eq!(
            commands("btrfs[raid1,noatime]"),
            [
                "mkfs.btrfs -f -q -K -d raid1 -m raid1 /dev/loopN /dev/loopM",
                "mount -t btrfs -o nodiscard,device=/dev/loopM,noatime /dev/loopN /m",
            ]
        );
        assert_eq!(
            commands("btrfs[raid1,degraded]"),
            [
                "mkfs.btrfs -f -q -K -d raid1 -m raid1 /dev/loopN /dev/loopM",
                "wipefs --all --quiet /dev/loopM",
                "mount -t btrfs -o nodiscard,degraded /dev/loopN /m",
            ]
        );
        let lines = commands("btrfs[raid1,resync=20,noatime]");
        assert_eq!(lines[1], "mount -t btrfs -o device=/dev/loopM /dev/loopN /m");
        assert_eq!(lines[2], "fallocate --length 214748364 /m/rebuilt");
        assert_eq!(
            lines[3..6],
            [
                "umount /m",
                "wipefs --all --quiet /dev/loopM",
                "btrfs device scan --forget /dev/loopM"
            ]
        );
        assert_eq!(lines[6], "mount -t btrfs -o nodiscard,degraded,noatime /dev/loopN /m");
        assert_eq!(lines[7], "btrfs replace cancel /m");
        assert!(lines[8].ends_with("assay-0 /dev/loopN 20m"), "{}", lines[8]);
        assert_eq!(lines[9], "btrfs replace start -f 2 /dev/loopM /m");
        let disks = |target: &str| target.parse::<crate::ResolvedTarget>().unwrap().disks();
        assert_eq!(["btrfs", "btrfs[mkfs.d=raid0]", "btrfs[mkfs.m=dup]"].map(disks), [1, 2, 1]);
        assert_eq!(disks("btrfs[mkfs.d=raid0,mkfs.m=raid10]"), 4);
    }

    #[test]
    fn a_lost_disk_is_the_last_of_three() {
        let lines = commands("btrfs[raid5,degraded]");
        assert_eq!(lines[1], "wipefs --all --quiet /dev/loopL");
        assert_eq!(
            lines[2],
            "mount -t btrfs -o nodiscard,device=/dev/loopM,degraded /dev/loopN /m"
        );
        let lines = commands("btrfs[raid1c3,resync=20]");
        assert_eq!(lines.last().unwrap(), "btrfs replace start -f 3 /dev/loopL /m");
    }

    fn redundancy(target: &str) -> Option<(usize, usize)> {
        let target = target.parse::<crate::ResolvedTarget>().unwrap();
        let part = &target.parts()[0];
        part.fs.redundancy(&part.options).map(|own| (own.losses, own.copies))
    }

    #[test]
    fn what_may_be_lost_is_what_data_and_metadata_both_survive() {
        let profiles = ["raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6"];
        let known = [(1, 2), (2, 3), (3, 4), (1, 2), (1, 2), (2, 3)];
        for (profile, known) in profiles.into_iter().zip(known) {
            assert_eq!(redundancy(&format!("btrfs[{profile}]")), Some(known), "{profile}");
        }
        assert_eq!(redundancy("btrfs[raid1,nodatacow]"), Some((1, 2)));
        assert_eq!(redundancy("btrfs[mkfs.d=raid1]"), Some((1, 2)), "metadata is raid1 by default");
        assert_eq!(redundancy("btrfs[mkfs.d=raid1,mkfs.m=raid1c3]"), Some((1, 3)));
        let none = ["btrfs", "btrfs[dup]", "btrfs[raid0]", "btrfs[mkfs.m=raid1]"];
        let without = ["btrfs[mkfs.d=raid1,mkfs.m=single]", "btrfs[raid1,degraded]"];
        for other in none.into_iter().chain(without) {
            assert_eq!(redundancy(other), None, "{other}");
        }
    }

    #[test]
    fn degraded_on_the_disks_that_are_left() {
        let (parts, mut sites) = crate::tests::placed("btrfs[raid6,noatime]", None);
        let (part, site) = (&parts[0], &mut sites[0]);
        site.disks.truncate(2);
        let lines = part.fs.mount_degraded(site, &part.options);
        assert_eq!(
            lines.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["mount -t btrfs -o nodiscard,degraded,device=/dev/loopM,noatime /dev/loopN /m"]
        );
        let [Repair::BtrfsReplace { number: 3, .. }, Repair::BtrfsConvert { data, metadata }] =
            part.fs.replace(site, &part.options, 2, "/dev/d".as_ref())[..]
        else {
            panic!("a replacement and a balance");
        };
        assert_eq!([data, metadata], ["raid6", "raid1c3"]);
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "Overall:\n    Device size:\t\t   419430400\n    Free (statfs, df):\t 3\n\n\
                    Data,single: Size:8388608, Used:0 (0.00%)\n   /dev/loop0\t   8388608\n\n\
                    Metadata,DUP: Size:33554432, Used:131072 (0.39%)\n";
        let pairs = [
            ("device_bytes", "419430400"),
            ("profile.data", "single"),
            ("profile.metadata", "DUP"),
        ];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}

//! zfs-fuse: the ZFS of 2012 (pool version 23) in a FUSE server. It is different code from OpenZFS, and slower: its
//! numbers say nothing about ZFS, so it has its own name. Its programs have the same names as those of OpenZFS; the
//! packages conflict.

use super::zfs;
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::options::{ANY_MKFS, flag, value};
use crate::sending::Datasets;
use crate::trial::{risky, safe};
use crate::{About, Cmd, FileSystem, Ready, Sending, Site, Tool, TrialSetting};
use model::target::{Knob, Options};
use std::path::PathBuf;

/// The registered file system.
pub(crate) struct Fs;

/// The socket of the server; its path is fixed.
const SOCKET: &str = "/run/zfs/zfs_socket";

/// Defaults of the file system; it has no relatime.
const DATASET: &[(&str, &str)] = &[("compression", "off")];

const KNOBS: &[Knob] = &[
    flag("mirror", "two mirrored devices"),
    flag("raidz", "three devices, one of which may fail"),
    flag("raidz2", "four devices, two of which may fail"),
    value("recordsize", "bytes", "maximum record size", "128k", RECORDS),
    value(
        "compression",
        "",
        "compress data that \
                              shrinks",
        "off",
        &["on", "off", "lzjb", "gzip", "zle"],
    ),
    value("atime", "", "update access times", "on", &["on", "off"]),
    value(
        "checksum",
        "",
        "checksum of data",
        "on",
        &["on", "off", "fletcher2", "fletcher4", "sha256"],
    ),
    value(
        "logbias",
        "",
        "optimize sync latency, or pool \
                          throughput",
        "latency",
        &["latency", "throughput"],
    ),
    value("primarycache", "", "what to cache in memory", "all", &["all", "none", "metadata"]),
    value("ashift", "", "sector size of the pool, log2", "12", &["9", "12", "13"]),
    ANY_MKFS,
    value("o.*", "", "any other property of the file system, unchecked", "", &[]),
];

const RECORDS: &[&str] = &["512", "1k", "2k", "4k", "8k", "16k", "32k", "64k", "128k"];

const TRIALS: &[TrialSetting] = &[
    safe("recordsize", "16k"),
    safe("atime", "off"),
    safe("compression", "lzjb"),
    safe("logbias", "throughput"),
    risky("checksum", "off", "corrupt data is not detected"),
];

const ABOUT: &About = &About {
    trials: TRIALS,
    kernel_name: Some("fuse"),
    not_in_setup: "its package conflicts with that of OpenZFS",
    tools: &[
        Tool::new("zfs-fuse", ["zfs-fuse", "zfs-fuse", "", ""]),
        Tool::new("zpool", ["zfs-fuse", "zfs-fuse", "", ""]),
    ],
    min_bytes: zfs::ABOUT.min_bytes,
    has_own_cache: true,
    is_slow: true,
    signature: Signature::Read("zfs_member"),
    member_of: "a ZFS pool",
    mounted: Mounted::local(&["fuse.zfs"], Stores::Less),
    is_unseen_in_mounts: true,
    facts: Facts::Sheet(include_str!("zfs_fuse.toml")),
    ..About::new("zfs-fuse", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, options: &Options) -> usize {
        zfs::Fs.disks(options)
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        zfs::excluded(options)
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        vec![server(), zfs::create(site, options, DATASET), zfs::export(site)]
    }

    /// It looks for pools in whole directories; the name is found nowhere else.
    fn mount(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        let import = ["import", "-o", "cachefile=none", "-d", "/dev", &site.name];
        vec![server(), Cmd::new("zpool").args(import)]
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        vec![zfs::export(site)]
    }

    fn source(&self, site: &Site, _options: &Options) -> PathBuf {
        PathBuf::from(&site.name)
    }

    fn mount_kind(&self, _options: &Options) -> Option<&str> {
        Some("fuse.zfs")
    }

    /// The path of its socket is fixed.
    fn is_alone(&self) -> bool {
        true
    }

    fn sending(&self) -> &'static dyn Sending {
        &Datasets
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        let properties = "type,recordsize,compression,atime,checksum,primarycache";
        let get = ["get", "-H", "-p", "-o", "property,value", properties, &site.name];
        Some(Cmd::new("zfs").args(get))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        zfs::Fs.read_geometry(output)
    }
}

/// A server that is ended within its first moments leaves its socket, which then leads nowhere: that
/// there is one says nothing.
fn server() -> Cmd {
    let cmd = Cmd::new("zfs-fuse").args(["--no-daemon", "--no-kstat-mount"]);
    cmd.serve(Ready::Socket(SOCKET.into()))
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn the_server_is_started_for_the_pool_and_for_every_mount() {
        assert_eq!(
            commands("zfs-fuse[mirror,recordsize=16k]"),
            [
                "zfs-fuse --no-daemon --no-kstat-mount &",
                "zpool create -f -o cachefile=none -o ashift=12 -O compression=off \
                 -O recordsize=16k -m /m assay-0 mirror /dev/loopN /dev/loopM",
                "zpool export assay-0",
                "zfs-fuse --no-daemon --no-kstat-mount &",
                "zpool import -o cachefile=none -d /dev assay-0",
            ]
        );
    }

    #[test]
    fn a_raidz_is_on_three_or_four_devices() {
        let created = |target: &str| commands(target)[1].clone();
        let disks = "/dev/loopN /dev/loopM /dev/loopL";
        assert!(created("zfs-fuse[raidz]").ends_with(&format!("-m /m assay-0 raidz {disks}")));
        assert!(created("zfs-fuse[raidz2]").ends_with(&format!("raidz2 {disks} /dev/loopK")));
        let two = "zfs-fuse[raidz,raidz2]".parse().unwrap();
        assert!(crate::resolve(&two).err().unwrap().to_string().contains("drop all but one"));
    }
}

//! zerofs-nbd: a disk over an object store, served by ZeroFS and attached by nbd-client, on which another file system
//! is made. The store is on an ext4 of its own, the carrier, which is not visible elsewhere. Options are those of
//! nbd-client(8) and of ZeroFS's configuration.

use super::{
    common::zerofs::{self, DISK_CACHE, FLUSH_INTERVAL, Front, L0_FILES, MEMORY_CACHE, UNFLUSHED},
    ext4, nbd,
};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::{About, Cmd, FileSystem, Inner, Remains, Site, Tool};
use model::target::{Knob, Options};
use std::path::PathBuf;

/// The registered part.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    DISK_CACHE,
    MEMORY_CACHE,
    UNFLUSHED,
    FLUSH_INTERVAL,
    L0_FILES,
    nbd::CONNECTIONS,
    nbd::BLOCK_SIZE,
];

/// Name of the export. ZeroFS exports every file in its directory `.nbd`.
const EXPORT: &str = "disk";

/// Returns the site at which the carrier is mounted.
fn carrier(site: &Site) -> Site {
    Site { dir: site.scratch.join("carrier"), ..site.clone() }
}

/// Returns the directory in which the files that ZeroFS exports are briefly visible.
fn files(site: &Site) -> PathBuf {
    site.scratch.join("files")
}

const ABOUT: &About = &About {
    kernel_name: Some("9p"),
    modules: &["nbd", "9pnet_fd"],
    tools: {
        const TOOLS: &[Tool] = &[zerofs::TOOLS[0], nbd::CLIENT, ext4::MKFS];
        TOOLS
    },
    inner: Inner::Above,
    min_bytes: 256 << 20,
    keeps_deleted: zerofs::KEEPS_DELETED,
    is_slow: true,
    signature: Signature::Without("its store is of files"),
    mounted: zerofs::MOUNTED,
    facts: Facts::Without("not researched yet"),
    ..About::new("zerofs-nbd", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        let mut commands = ext4::Fs.mkfs(site, &Options::new());
        commands.push(Cmd::new("mkdir").arg(carrier(site).dir).arg(files(site)));
        commands
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let carrier = carrier(site);
        let mut commands = ext4::Fs.mount(&carrier, &Options::new());
        // Again after a cold stop: what is there stays as it is.
        commands.extend(zerofs::make(site, &carrier.dir, &Front::Nbd, options));
        commands.extend(zerofs::serve(site, &Front::Nbd));
        commands.extend(create(site));
        commands.extend(nbd::attach(site, &["-name", EXPORT], options));
        commands
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        // Client and server end after this; then `undo` takes the carrier down.
        nbd::Fs.unmount(site)
    }

    fn undo(&self, site: &Site) -> Vec<Remains> {
        let mounts = [carrier(site).dir, files(site)];
        mounts.into_iter().map(Remains::Mount).collect()
    }

    fn offers(&self, site: &Site) -> Vec<PathBuf> {
        vec![nbd::disk(site)]
    }

    fn lies_in(&self, site: &Site) -> Option<PathBuf> {
        Some(carrier(site).dir)
    }

    fn version(&self) -> Option<Cmd> {
        Some(zerofs::version())
    }
}

/// Creates the file behind the device through 9P. Half of the carrier: the store keeps what was
/// overwritten for a while, and the cache lies next to it.
fn create(site: &Site) -> [Cmd; 3] {
    let bytes = site.bytes / 2 / MEBIBYTE * MEBIBYTE;
    let files = files(site);
    let file = files.join(".nbd").join(EXPORT);
    [
        zerofs::mount_9p(site, &files, zerofs::PROTOCOL_9P),
        Cmd::new("truncate").args(["-s", &bytes.to_string()]).arg(file),
        Cmd::new("umount").arg(&files),
    ]
}

const MEBIBYTE: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn a_disk_of_half_the_carrier_under_ext4() {
        assert_eq!(commands("zerofs-nbd"), commands("zerofs-nbd(ext4)"));
        let commands = commands("zerofs-nbd(xfs)");
        assert_eq!(
            commands[1..4],
            [
                "mkdir SCRATCH0/carrier SCRATCH0/files",
                "mount -t ext4 /dev/loopN SCRATCH0/carrier",
                "mkdir -p SCRATCH0/carrier/store SCRATCH0/carrier/cache",
            ]
        );
        assert_eq!(
            commands[6..10],
            [
                "zerofs run --config SCRATCH0/zerofs.toml &",
                "mount -t 9p -o trans=unix,version=9p2000.L SCRATCH0/9p.sock SCRATCH0/files",
                "truncate -s 536870912 SCRATCH0/files/.nbd/disk",
                "umount SCRATCH0/files",
            ]
        );
        assert!(commands[11].starts_with("nbd-client -unix SCRATCH0/nbd.sock /dev/nbd"));
        assert!(commands[11].ends_with(" -name disk &"), "{}", commands[11]);
        assert_eq!(
            commands[12..],
            ["mkfs.xfs -f -q -K SCRATCH0/disk", "mount -t xfs SCRATCH0/disk /m",]
        );
    }
}

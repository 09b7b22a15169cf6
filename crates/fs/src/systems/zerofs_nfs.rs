//! zerofs-nfs: a file system over an object store, served by ZeroFS and mounted by the kernel's NFS
//! client, version 3 over the loopback address. Options are those of nfs(5) and of ZeroFS's
//! configuration.

use super::common::zerofs::{
    self, DISK_CACHE, FLUSH_INTERVAL, Front, L0_FILES, MEMORY_CACHE, UNFLUSHED,
};
use super::s3::options::{STORE, STORE_DELAY, STORE_HOST, STORE_RATE};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::options::{ANY_MOUNT, NOATIME, flag, mount_options, value};
use crate::{About, Cmd, FileSystem, Inner, Site};
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
    STORE,
    STORE_DELAY,
    STORE_RATE,
    STORE_HOST,
    value("nconnect", "sockets", "connections to the server", "1", &[]),
    value("rsize", "bytes", "maximum read size", "negotiated", &[]),
    value("wsize", "bytes", "maximum write size", "negotiated", &[]),
    value("actimeo", "s", "attribute cache timeout", "3 to 60 by age", &[]),
    flag("noac", "no attribute cache, and synchronous writes"),
    NOATIME,
    ANY_MOUNT,
];

const ABOUT: &About = &About {
    kernel_name: Some("nfs"),
    modules: &["nfsv3"],
    tools: zerofs::TOOLS,
    inner: Inner::Below,
    keeps_deleted: zerofs::KEEPS_DELETED,
    is_slow: true,
    signature: Signature::Without("its store is of files"),
    mounted: zerofs::MOUNTED,
    facts: Facts::Without("not researched yet"),
    ..About::new("zerofs-nfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        zerofs::make(site, site.below(), &Front::Nfs(zerofs::port(site)), options)
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let port = zerofs::port(site);
        let mut commands = zerofs::serve(site, &Front::Nfs(port));
        commands.push(client(site, port, options));
        commands
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        vec![Cmd::new("umount").arg("-i").arg(&site.dir)]
    }

    fn source(&self, _site: &Site, _options: &Options) -> PathBuf {
        SOURCE.into()
    }

    fn version(&self) -> Option<Cmd> {
        Some(zerofs::version())
    }
}

/// Its source in the mount table.
const SOURCE: &str = "127.0.0.1:/";

/// Without the helper of nfs-common (`-i`), which asks a portmapper that need not be there: all that it
/// would find out is given.
fn client(site: &Site, port: u16, options: &Options) -> Cmd {
    let ports = format!("port={port},mountport={port}");
    let defaults = [
        "vers=3,mountvers=3,proto=tcp,mountproto=tcp,addr=127.0.0.1,mountaddr=127.0.0.1,nolock",
        &ports,
    ];
    Cmd::new("mount")
        .args(["-i", "-t", "nfs", "-o"])
        .args(mount_options(&zerofs::of_client(options), &defaults))
        .arg(SOURCE)
        .arg(&site.dir)
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_over_ext4_and_with_options() {
        assert_eq!(commands("zerofs-nfs"), commands("zerofs-nfs(ext4)"));
        let commands = commands("zerofs-nfs[nconnect=2,disk_size_gb=2](xfs)");
        assert_eq!(commands[2], "mkdir -p /m0/store /m0/cache");
        assert!(commands[3].starts_with("tee SCRATCH1/zerofs.toml <<< "), "{}", commands[3]);
        assert!(commands[3].contains("disk_size_gb = 2"), "{}", commands[3]);
        assert_eq!(
            commands[4..],
            [
                "rm -f SCRATCH1/9p.sock SCRATCH1/nbd.sock",
                "zerofs run --config SCRATCH1/zerofs.toml &",
                "mount -i -t nfs -o vers=3,mountvers=3,proto=tcp,mountproto=tcp,addr=127.0.0.1,\
                 mountaddr=127.0.0.1,nolock,port=22746,mountport=22746,nconnect=2 127.0.0.1:/ /m",
            ]
        );
    }
}

//! nbd: a disk served by nbdkit over a local socket and attached by nbd-client, as a network block
//! device without the network. Options are those of nbd-client(8), nbdkit(1) and
//! nbdkit-file-plugin(1).
//!
//! The client stays in the foreground and holds the device, so that client, server and device go
//! away together with this process.

use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::options::{long_options, value};
use crate::{About, Cmd, FileSystem, Inner, Ready, Site, Tool};
use model::target::{Knob, Options};
use std::path::{Path, PathBuf};

/// The registered part.
pub(crate) struct Fs;

/// The client; the kernel has the device.
pub(crate) const CLIENT: Tool = Tool::new("nbd-client", ["nbd-client", "nbd", "nbd", "nbd"]);

pub(crate) const CONNECTIONS: Knob =
    value("connections", "sockets", "connections of the client to the server", "1", &[]);
pub(crate) const BLOCK_SIZE: Knob = value(
    "block-size",
    "bytes",
    "logical block size of the device",
    "512",
    &["512", "1024", "2048", "4096"],
);

const KNOBS: &[Knob] = &[
    CONNECTIONS,
    BLOCK_SIZE,
    value("threads", "threads", "requests the server handles in parallel", "16", &[]),
    value("cache", "", "whether the server uses its page cache", "default", &["default", "none"]),
];

/// Returns the socket of the server.
pub(crate) fn socket(site: &Site) -> PathBuf {
    site.scratch.join("nbd.sock")
}

/// A name of our own for the device, whose number is known only when it is attached.
pub(crate) fn disk(site: &Site) -> PathBuf {
    site.scratch.join("disk")
}

const ABOUT: &About = &About {
    kernel_name: None,
    modules: &["nbd"],
    tools: &[Tool::new("nbdkit", ["nbdkit"; 4]), CLIENT],
    inner: Inner::Above,
    signature: Signature::Without("the disk that it serves has the signature of what is on that"),
    mounted: Mounted::local(&[], Stores::Unknown),
    facts: Facts::Without("not researched yet"),
    ..About::new("nbd", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let mut commands = vec![server(site, options)];
        commands.extend(attach(site, &[], options));
        commands
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        // The device is given back when its client ends; the server leaves its socket.
        vec![Cmd::new("rm").arg("-f").arg(socket(site)).arg(disk(site))]
    }

    fn offers(&self, site: &Site) -> Vec<PathBuf> {
        vec![disk(site)]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("nbdkit").arg("--version"))
    }
}

fn server(site: &Site, options: &Options) -> Cmd {
    let cmd = Cmd::new("nbdkit").args(["--foreground", "--exit-with-parent", "--unix"]);
    let cmd = cmd.arg(socket(site)).args(long_options(options, &["threads"]));
    let cache = options.get("cache").map(|cache| format!("cache={cache}"));
    cmd.arg("file").arg(site.disk()).args(cache).serve(Ready::Socket(socket(site)))
}

/// Attaches what the server at our socket exports, under a name of our own; `export` tells which, where
/// there are several.
pub(crate) fn attach(site: &Site, export: &[&str], options: &Options) -> Vec<Cmd> {
    let device = &site.free_nbd;
    vec![
        Cmd::new("ln").args(["-s", "-f", "-n"]).arg(device).arg(disk(site)),
        client(site, options, device).args(export),
    ]
}

fn client(site: &Site, options: &Options, device: &Path) -> Cmd {
    let cmd = Cmd::new("nbd-client").arg("-unix").arg(socket(site)).arg(device);
    let name = device.file_name().unwrap_or_default();
    // Without netlink it holds the device itself, and with the device's queue set up it is ready.
    cmd.args(["-nofork", "-nonetlink"])
        .args(long_options(options, &["block-size", "connections"]))
        .serve(Ready::Exists(Path::new("/sys/block").join(name).join("pid")))
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_under_ext4_and_with_options() {
        assert_eq!(commands("nbd"), commands("nbd(ext4)"));
        assert_eq!(
            commands("nbd[block-size=4096,connections=2,threads=4,cache=none](xfs)"),
            [
                "nbdkit --foreground --exit-with-parent --unix SCRATCH0/nbd.sock --threads=4 file \
                 /dev/loopN cache=none &",
                "ln -s -f -n /dev/nbd0 SCRATCH0/disk",
                "nbd-client -unix SCRATCH0/nbd.sock /dev/nbd0 -nofork -nonetlink --block-size=4096 \
                 --connections=2 &",
                "mkfs.xfs -f -q -K SCRATCH0/disk",
                "mount -t xfs SCRATCH0/disk /m",
            ]
        );
    }
}

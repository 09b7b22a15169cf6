//! zerofs-9p: a file system over an object store, served by ZeroFS and mounted by the kernel's 9P client
//! through a local socket. Options are those of the kernel's 9P client and of ZeroFS's configuration.

use super::common::zerofs::{
    self, DISK_CACHE, FLUSH_INTERVAL, Front, L0_FILES, MEMORY_CACHE, UNFLUSHED, socket_9p,
};
use super::s3::options::{STORE, STORE_DELAY, STORE_HOST, STORE_RATE};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::options::{ANY_MOUNT, NOATIME, mount_options, value};
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
    value(
        "cache",
        "",
        "client cache mode; below mmap, files cannot be mapped for writing",
        "mmap",
        &["none", "loose", "fscache", "mmap"],
    ),
    value("msize", "bytes", "maximum request size", "131072", &[]),
    value("access", "", "client identity", "user", &["user", "any", "client"]),
    NOATIME,
    ANY_MOUNT,
];

/// Options of the mount and what they are unless the target gives them.
const DEFAULTS: &[(&str, &str)] = &[("cache", "mmap"), ("access", "user"), ("msize", "131072")];

const ABOUT: &About = &About {
    kernel_name: Some("9p"),
    modules: &["9pnet_fd"],
    tools: zerofs::TOOLS,
    inner: Inner::Below,
    keeps_deleted: zerofs::KEEPS_DELETED,
    is_slow: true,
    signature: Signature::Without("its store is of files"),
    mounted: zerofs::MOUNTED,
    facts: Facts::Without("not researched yet"),
    ..About::new("zerofs-9p", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        zerofs::make(site, site.below(), &Front::NineP, options)
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let given = |key: &str| options.contains_key(key);
        let defaults = DEFAULTS.iter().filter(|(key, _)| !given(key));
        let defaults: Vec<String> = defaults.map(|(key, value)| format!("{key}={value}")).collect();
        let mut all = vec![zerofs::PROTOCOL_9P];
        all.extend(defaults.iter().map(String::as_str));
        let all = mount_options(&zerofs::of_client(options), &all).unwrap_or_default();
        let mut commands = zerofs::serve(site, &Front::NineP);
        commands.push(zerofs::mount_9p(site, &site.dir, &all));
        commands
    }

    fn source(&self, site: &Site, _options: &Options) -> PathBuf {
        socket_9p(site)
    }

    fn version(&self) -> Option<Cmd> {
        Some(zerofs::version())
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_over_ext4() {
        assert_eq!(commands("zerofs-9p"), commands("zerofs-9p(ext4)"));
        let commands = commands("zerofs-9p(xfs)");
        assert_eq!(commands[2], "mkdir -p /m0/store /m0/cache");
        assert!(commands[3].starts_with("tee SCRATCH1/zerofs.toml <<< "), "{}", commands[3]);
        assert_eq!(
            commands[4..],
            [
                "rm -f SCRATCH1/9p.sock SCRATCH1/nbd.sock",
                "zerofs run --config SCRATCH1/zerofs.toml &",
                "mount -t 9p -o trans=unix,version=9p2000.L,cache=mmap,access=user,msize=131072 \
                 SCRATCH1/9p.sock /m",
            ]
        );
    }

    #[test]
    fn options_go_to_the_client_or_the_server() {
        let commands = commands("zerofs-9p[memory_size_gb=1,cache=loose,noatime](ext4)");
        assert_eq!(
            commands.last().unwrap(),
            "mount -t 9p -o trans=unix,version=9p2000.L,access=user,msize=131072,cache=loose,noatime \
             SCRATCH1/9p.sock /m"
        );
    }
}

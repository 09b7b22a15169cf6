//! glusterfs: a volume of one brick, which lies in a directory of the file system below, ext4 when the
//! target names none. Brick and client are the programs of GlusterFS with the graphs that glusterd 10
//! writes for such a volume, less the translators that do nothing unless they are switched on.
//!
//! There is no glusterd, which would know the volumes of this machine: the brick is served at a socket of
//! the part's own, without the network. Options are those of `gluster volume set`, where they are
//! called `performance.X`, and of mount.glusterfs(8).

use super::common::fuse_over::store;
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::Mounted;
use crate::options::{long_options, value};
use crate::{About, Cmd, FileSystem, Inner, Ready, Site, Tool};
use model::target::{Knob, Options};
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

/// The registered part.
pub(crate) struct Fs;

const SWITCH: &[&str] = &["on", "off"];

const KNOBS: &[Knob] = &[
    value("write-behind", "", "acknowledge writes before the brick does", "on", SWITCH),
    value("read-ahead", "", "read ahead in sequential reads", "off", SWITCH),
    value("readdir-ahead", "", "read ahead in directories", "off", SWITCH),
    value("io-cache", "", "cache data in the client for 1 s", "off", SWITCH),
    value("open-behind", "", "acknowledge opens before the brick does", "on", SWITCH),
    value("quick-read", "", "fetch small files during lookup", "on", SWITCH),
    value("nl-cache", "", "cache negative lookups", "off", SWITCH),
    value("stat-prefetch", "", "cache attributes in the client for 1 s", "on", SWITCH),
    value("client-io-threads", "", "handle client requests in parallel", "on", SWITCH),
    value("io-thread-count", "threads", "requests the brick handles in parallel", "16", &[]),
    value("attribute-timeout", "s", "kernel attribute cache timeout", "1", &[]),
    value("entry-timeout", "s", "kernel name cache timeout", "1", &[]),
];

/// Option, translator, and whether it is in the graph by default; the lowest first, as glusterd has them.
const CLIENT: &[(&str, &str, bool)] = &[
    ("write-behind", "write-behind", true),
    ("read-ahead", "read-ahead", false),
    ("readdir-ahead", "readdir-ahead", false),
    ("io-cache", "io-cache", false),
    ("open-behind", "open-behind", true),
    ("quick-read", "quick-read", true),
    ("nl-cache", "nl-cache", false),
    ("stat-prefetch", "md-cache", true),
    ("client-io-threads", "io-threads", true),
];

fn socket(site: &Site) -> PathBuf {
    site.scratch.join("brick.sock")
}

/// Returns the path of the graph `name`.
fn graph(site: &Site, name: &str) -> PathBuf {
    site.scratch.join(name).with_extension("vol")
}

/// Adds the translator `kind` on top of `graph`; `options` are lines of `KEY VALUE`.
fn add(graph: &mut String, kind: &str, options: &[String]) {
    let name = |kind: &str| kind.rsplit('/').next().unwrap_or_default().to_string();
    let below = graph.lines().rev().find_map(|line| line.strip_prefix("volume ")).map(String::from);
    // Writing to a string cannot fail.
    let _ = writeln!(graph, "volume {}\n    type {kind}", name(kind));
    options.iter().for_each(|option| *graph += &format!("    option {option}\n"));
    if let Some(below) = below {
        *graph += &format!("    subvolumes {below}\n");
    }
    *graph += "end-volume\n";
}

fn transport(of_path: &str, site: &Site) -> Vec<String> {
    vec![
        "transport-type socket".into(),
        "transport.address-family unix".into(),
        format!("transport.socket.{of_path} {}", socket(site).display()),
    ]
}

fn brick(site: &Site, store: &Path, options: &Options) -> String {
    let mut graph = String::new();
    let threads = options.get("io-thread-count").map(|count| format!("thread-count {count}"));
    add(&mut graph, "storage/posix", &[format!("directory {}", store.display())]);
    add(&mut graph, "features/access-control", &[]);
    add(&mut graph, "features/locks", &[]);
    add(&mut graph, "performance/io-threads", threads.as_slice());
    let mut own = transport("listen-path", site);
    own.push("auth.addr.io-threads.allow *".into());
    add(&mut graph, "protocol/server", &own);
    graph
}

fn client(site: &Site, options: &Options) -> String {
    let mut graph = String::new();
    let mut own = transport("connect-path", site);
    // It asks for a host, whatever the transport.
    own.extend(
        ["remote-host localhost", "remote-subvolume io-threads", "send-gids true"]
            .map(String::from),
    );
    add(&mut graph, "protocol/client", &own);
    add(&mut graph, "cluster/distribute", &[]);
    add(&mut graph, "features/utime", &["noatime on".into()]);
    for (option, translator, default) in CLIENT {
        if options.get(*option).map_or(*default, |value| value == "on") {
            add(&mut graph, &format!("performance/{translator}"), &[]);
        }
    }
    graph
}

const ABOUT: &About = &About {
    kernel_name: Some("fuse"),
    not_in_setup: "compared only where it is named; assay doctor says how to install it",
    tools: &[
        Tool::new("glusterfs", ["glusterfs-client", "glusterfs-fuse", "glusterfs", "glusterfs"]),
        Tool::new("glusterfsd", ["glusterfs-server", "glusterfs-server", "glusterfs", "glusterfs"]),
    ],
    inner: Inner::Below,
    // Both the brick and the file system below it keep what was read.
    has_own_cache: true,
    is_slow: true,
    signature: Signature::Without("its brick is a directory"),
    mounted: Mounted::network(&["fuse.glusterfs"], "GlusterFS"),
    facts: Facts::Without("not researched yet"),
    ..About::new("glusterfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let store = store(site);
        let write = |name, text| Cmd::new("tee").arg(graph(site, name)).stdin(text);
        vec![
            Cmd::new("mkdir").arg(&store),
            write("brick", brick(site, &store, options)),
            write("client", client(site, options)),
        ]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let run = |program, name| {
            let cmd = Cmd::new(program).args(["-N", "-l", "/dev/stderr", "-L", "ERROR", "-f"]);
            cmd.arg(graph(site, name))
        };
        let kept = long_options(options, &["attribute-timeout", "entry-timeout"]);
        vec![
            Cmd::new("rm").arg("-f").arg(socket(site)),
            run("glusterfsd", "brick").serve(Ready::Socket(socket(site))),
            run("glusterfs", "client")
                .args(kept)
                .arg(&site.dir)
                .serve(Ready::Mounted(site.dir.clone())),
        ]
    }

    fn source(&self, _site: &Site, _options: &Options) -> PathBuf {
        "glusterfs:(null)".into()
    }

    fn mount_kind(&self, _options: &Options) -> Option<&str> {
        Some("fuse.glusterfs")
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("glusterfs").arg("--version"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    fn site() -> Site {
        Site {
            disks: Vec::new(),
            bytes: 0,
            below: Some("/m0".into()),
            store: None,
            outside: None,
            dir: "/m".into(),
            name: "assay-1".into(),
            scratch: "/s".into(),
            free_nbd: "/dev/nbd0".into(),
        }
    }

    #[test]
    fn plain_over_ext4() {
        assert_eq!(commands("glusterfs"), commands("glusterfs(ext4)"));
        let commands = commands("glusterfs[entry-timeout=5](xfs)");
        assert_eq!(commands[2], "mkdir /m0/store");
        assert_eq!(
            commands[5..],
            [
                "rm -f SCRATCH1/brick.sock",
                "glusterfsd -N -l /dev/stderr -L ERROR -f SCRATCH1/brick.vol &",
                "glusterfs -N -l /dev/stderr -L ERROR -f SCRATCH1/client.vol --entry-timeout=5 /m &",
            ]
        );
    }

    #[test]
    fn a_graph_has_what_is_switched_on_in_the_order_of_glusterd() {
        let names = |options: &Options| -> Vec<String> {
            let graph = client(&site(), options);
            graph
                .lines()
                .filter_map(|line| line.strip_prefix("volume ").map(String::from))
                .collect()
        };
        assert_eq!(
            names(&Options::new()),
            [
                "client",
                "distribute",
                "utime",
                "write-behind",
                "open-behind",
                "quick-read",
                "md-cache",
                "io-threads"
            ]
        );
        let set = [("write-behind", "off"), ("stat-prefetch", "off"), ("io-cache", "on")];
        let set: Options = set.map(|(k, v)| (k.to_string(), v.to_string())).into();
        assert_eq!(
            names(&set),
            [
                "client",
                "distribute",
                "utime",
                "io-cache",
                "open-behind",
                "quick-read",
                "io-threads"
            ]
        );
    }

    #[test]
    fn every_translator_lies_on_the_one_before() {
        let threads: Options = [("io-thread-count".to_string(), "4".to_string())].into();
        let graph = brick(&site(), Path::new("/m0/store"), &threads);
        assert!(graph.starts_with(
            "volume posix\n    type storage/posix\n    option directory /m0/store\nend-volume\n\
             volume access-control\n    type features/access-control\n    subvolumes posix\nend-volume\n"
        ));
        assert!(graph.contains(
            "volume io-threads\n    type performance/io-threads\n    option thread-count 4\n"
        ));
        assert!(graph.ends_with("    subvolumes io-threads\nend-volume\n"));
    }
}

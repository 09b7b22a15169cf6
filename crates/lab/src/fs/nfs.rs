//! nfs: a file system exported by the kernel's NFS server and mounted back over the loopback address.
//! Options are those of nfs(5), exports(5) and rpc.nfsd(8).
//!
//! The server lives in a network namespace of its own, with its own exports, portmapper and mount
//! daemon: the machine's own server is neither used nor touched.

use crate::file_system::{ANY_MOUNT, NOATIME, flag, mount_options, value};
use crate::network::net;
use crate::trial::not_both;
use crate::{About, Cmd, Exclusion, FileSystem, Inner, Ready, Site, Tool, Undo};
use model::{Knob, Options};
use std::path::PathBuf;

/// The registered part.
pub(super) struct Fs;

/// Brings the server up, and takes it down when it is asked to end.
const SERVER: &str = concat!(include_str!("../own_mounts.sh"), include_str!("nfs-server.sh"));
/// Where the server sees what it exports, in its own mount namespace.
const EXPORT: &str = "/mnt";

const KNOBS: &[Knob] = &[
    value(
        "vers",
        "",
        "version of the protocol; 3 is mounted with nolock, its lock daemon is not started",
        "4.2",
        &["3", "4.0", "4.1", "4.2"],
    ),
    value("nconnect", "sockets", "connections to the server", "1", NCONNECT),
    value("rsize", "bytes", "most that one request reads", "negotiated", SIZES),
    value("wsize", "bytes", "most that one request writes", "negotiated", SIZES),
    flag("async", "the server answers before data is on its disk; a crash of it loses synced data"),
    flag("no_wdelay", "the server does not wait for more writes before it writes"),
    value("threads", "threads", "threads of the server", "8", &[]),
    value("lookupcache", "", "which directory entries are kept", "all", LOOKUPS),
    value("actimeo", "s", "how long attributes are kept", "3 to 60 by age", &[]),
    flag("noac", "keep no attributes, and write synchronously"),
    flag("nocto", "do not ask for new attributes when a file is opened"),
    flag("nordirplus", "read directories without attributes"),
    flag("nosharecache", "share no cache with other mounts of the same server"),
    value("write", "", "when a write is sent", "lazy", &["lazy", "eager", "wait"]),
    flag("soft", "give up a request that is not answered; may lose data"),
    value("timeo", "0.1 s", "how long an answer is waited for", "600", &[]),
    value("retrans", "", "repeats before a soft mount gives up", "2", &[]),
    NOATIME,
    ANY_MOUNT,
];

const NCONNECT: &[&str] =
    &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
const SIZES: &[&str] =
    &["4096", "8192", "16384", "32768", "65536", "131072", "262144", "524288", "1048576"];
const LOOKUPS: &[&str] = &["all", "none", "pos", "positive"];

/// Options of the server, which the client is not given.
const SERVERS: &[&str] = &["async", "no_wdelay", "threads"];

const EXCLUSIONS: &[Exclusion] = &[
    not_both("async", "no_wdelay", "no_wdelay has no effect with async; drop one"),
    not_both("noac", "actimeo", "noac keeps no attributes; drop actimeo"),
];

fn version(options: &Options) -> &str {
    options.get("vers").map_or("4.2", String::as_str)
}

fn is_3(options: &Options) -> bool {
    version(options) == "3"
}

/// The file that keeps the network namespace.
fn network(site: &Site) -> PathBuf {
    site.scratch.join("net")
}

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    modules: &["nfsd", "nfsv3", "nfsv4"],
    tools: {
        const SERVER: &str = "nfs-kernel-server";
        &[
            Tool { program: "mount.nfs", debian: "nfs-common", rhel: "nfs-utils" },
            Tool { program: "rpc.nfsd", debian: SERVER, rhel: "nfs-utils" },
            Tool { program: "rpc.mountd", debian: SERVER, rhel: "nfs-utils" },
            Tool { program: "exportfs", debian: SERVER, rhel: "nfs-utils" },
            Tool { program: "nfsdcld", debian: SERVER, rhel: "nfs-utils" },
            Tool { program: "rpcbind", debian: "rpcbind", rhel: "rpcbind" },
            Tool { program: "ip", debian: "iproute2", rhel: "iproute" },
            Tool { program: "nsenter", debian: "util-linux", rhel: "util-linux" },
            Tool { program: "unshare", debian: "util-linux", rhel: "util-linux-core" },
        ]
    },
    inner: Inner::Below,
    ..About::new("nfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        vec![Cmd::new("touch").arg(network(site))]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        vec![server(site, options), client(site, options)]
    }

    fn source(&self, _site: &Site, options: &Options) -> PathBuf {
        PathBuf::from(exported(options))
    }

    fn mount_kind(&self, options: &Options) -> Option<&'static str> {
        Some(if is_3(options) { "nfs" } else { "nfs4" })
    }

    fn undo(&self, site: &Site) -> Vec<Undo> {
        vec![Undo::EndNetwork { namespace: network(site) }]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mount.nfs").arg("-V"))
    }
}

/// What the client mounts: version 4 sees the export as its root.
fn exported(options: &Options) -> String {
    format!("127.0.0.1:{}", if is_3(options) { EXPORT } else { "/" })
}

fn server(site: &Site, options: &Options) -> Cmd {
    // `fsid` makes file systems without a UUID exportable, too; `insecure` lets any port in.
    let mut export = String::from("rw,no_root_squash,no_subtree_check,insecure,fsid=0");
    for key in ["async", "no_wdelay"].into_iter().filter(|key| options.contains_key(*key)) {
        export.extend([",", key]);
    }
    if !options.contains_key("async") {
        export.push_str(",sync");
    }
    // Version 3 brings a lock daemon that refuses locks for its first 50 s, of version 4, too.
    let unwanted = if is_3(options) { "4" } else { "3" };
    let threads = options.get("threads").map_or("8", String::as_str);
    Cmd::new("unshare")
        .arg(net(&network(site)))
        .args(["--mount", "sh", "-c", SERVER, &site.name])
        .arg(site.below())
        .arg(&site.scratch)
        .args([&export, unwanted, threads])
        .serve(Ready::Exists(site.scratch.join("ready")))
}

fn client(site: &Site, options: &Options) -> Cmd {
    let mut own = options.clone();
    own.retain(|key, _| key != "vers" && !SERVERS.contains(&&**key));
    let vers = format!("vers={}", version(options));
    // A server that is not there now is an error, not something to wait for.
    let mut defaults = vec![&*vers, "proto=tcp", "retry=0"];
    if is_3(options) {
        defaults.push("nolock");
    }
    Cmd::new("nsenter")
        .arg(net(&network(site)))
        .args(["mount", "-t", "nfs", "-o"])
        .args(mount_options(&own, &defaults))
        .arg(exported(options))
        .arg(&site.dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::commands;

    /// The commands of `target`, with the name of the script in its place.
    fn run(target: &str) -> Vec<String> {
        let script = SERVER.replace('\'', r"'\''");
        commands(target).iter().map(|line| line.replace(&script, "SERVER")).collect()
    }

    #[test]
    fn plain_over_ext4() {
        assert_eq!(commands("nfs"), commands("nfs(ext4)"));
        assert_eq!(
            run("nfs(xfs)"),
            [
                "mkfs.xfs -f -q -K /dev/loopN",
                "mount -t xfs /dev/loopN /m0",
                "touch SCRATCH1/net",
                "unshare --net=SCRATCH1/net --mount sh -c 'SERVER' assay-1 /m0 SCRATCH1 \
                 rw,no_root_squash,no_subtree_check,insecure,fsid=0,sync 3 8 &",
                "nsenter --net=SCRATCH1/net mount -t nfs -o vers=4.2,proto=tcp,retry=0 \
                 127.0.0.1:/ /m",
            ]
        );
    }

    #[test]
    fn options_go_to_the_server_or_the_client() {
        let lines = run("nfs[vers=3,nconnect=2,async,threads=2](xfs)");
        assert!(lines[3].ends_with("insecure,fsid=0,async 4 2 &"), "{}", lines[3]);
        assert_eq!(
            lines[4],
            "nsenter --net=SCRATCH1/net mount -t nfs -o \
             vers=3,proto=tcp,retry=0,nolock,nconnect=2 127.0.0.1:/mnt /m"
        );
    }
}

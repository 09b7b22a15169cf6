//! nfs: a file system exported by the kernel's NFS server and mounted back over the loopback address.
//! Options are those of nfs(5), exports(5) and rpc.nfsd(8).
//!
//! The server lives in a network namespace of its own, with its own exports, portmapper and mount
//! daemon: the machine's own server is neither used nor touched. With a server that is named it is an
//! export of that one, as `export` has it.

mod client;
pub(crate) mod export;

use self::client::{COUNT, NO_ACTIMEO, NO_HARD, NO_HARD_ERROR, NO_LOCK, NO_SYNC, is_3};
use self::export::{Export, SERVER, SERVER_KNOB};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::Mounted;
use crate::options::{flag, value};
use crate::trial::not_both;
use crate::{About, Cmd, Exclusion, FileSystem, Inner, Ready, Remains, Site, Tool};
use model::target::{Knob, Options};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Said of the server; a client without `sync` loses nothing that was synced. It was once written `async`.
pub(crate) const ANSWERS_FIRST: &str = "the server answers before data is on its disk";

/// The registered part.
pub(crate) struct Fs;

/// Brings the server up, and takes it down when it is asked to end.
const SCRIPT: &str = concat!(include_str!("../own_mounts.sh"), include_str!("nfs-server.sh"));
/// The exported directory in the mount namespace of the server.
const EXPORT: &str = "/mnt";

/// The packages with the programs of the server.
const SERVER_PACKAGES: [&str; 4] =
    ["nfs-kernel-server", "nfs-utils", "nfs-kernel-server", "nfs-utils"];

/// Options of the server, which the client is not given.
const SERVERS: &[&str] = &["export", "no_wdelay", "threads"];

const OWN: [Knob; 4] = [
    value(
        "export",
        "",
        "async: the server acknowledges before data is on disk; a server crash loses synced data",
        "sync",
        &["sync", "async"],
    ),
    flag("no_wdelay", "the server does not delay writes to merge them"),
    value("threads", "threads", "server threads", "8", &[]),
    SERVER_KNOB,
];
const KNOBS: &[Knob] = &client::after::<4, { 4 + COUNT }>(OWN);

const EXCLUSIONS: &[Exclusion] = &[
    not_both("export=async", "no_wdelay", "no_wdelay has no effect with export=async; drop one"),
    NO_ACTIMEO,
    NO_SYNC,
    NO_HARD,
    NO_HARD_ERROR,
    NO_LOCK,
];

/// Where the client says whether calls may bypass the network, which they do where the server is in the same kernel
/// (LOCALIO; Linux 6.12 with `CONFIG_NFS_LOCALIO`). Other kernels have no such file.
const LOCALIO: &str = "/sys/module/nfs/parameters/localio_enabled";

/// The option of nsenter(1) and unshare(1) that names the namespace of the file `namespace`.
pub fn net(namespace: &Path) -> OsString {
    let mut option = OsString::from("--net=");
    option.push(namespace);
    option
}

/// The file that keeps the network namespace.
fn network(site: &Site) -> PathBuf {
    site.scratch.join("net")
}

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    words: client::WORDS,
    modules: &["nfsd", "nfsv3", "nfsv4"],
    tools: &[
        client::TOOL,
        Tool::new("rpc.nfsd", SERVER_PACKAGES),
        Tool::new("rpc.mountd", SERVER_PACKAGES),
        Tool::new("exportfs", SERVER_PACKAGES),
        Tool::new("nfsdcld", SERVER_PACKAGES),
        Tool::new("rpcbind", ["rpcbind"; 4]),
        Tool::new("ip", ["iproute2", "iproute", "iproute2", "iproute2"]),
        Tool::new("nsenter", ["util-linux"; 4]),
        Tool::new("unshare", ["util-linux", "util-linux-core", "util-linux", "util-linux"]),
    ],
    inner: Inner::Below,
    is_slow: true,
    signature: Signature::Without("it is an export of a directory"),
    mounted: Mounted::network(&["nfs", "nfs4"], "NFS"),
    shown_as: client::SHOWN_AS,
    is_unseen_in_mounts: true,
    careless: &[("export=async", ANSWERS_FIRST), ("async", ANSWERS_FIRST)],
    facts: Facts::Without("not researched yet"),
    ..About::new("nfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn with(&self, options: &Options) -> Option<&'static dyn FileSystem> {
        options.contains_key(SERVER).then_some(&Export)
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        client::ambiguous(options)
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

    fn mount_kind(&self, options: &Options) -> Option<&str> {
        Some(client::mount_kind(options))
    }

    fn undo(&self, site: &Site) -> Vec<Remains> {
        vec![Remains::Network(network(site))]
    }

    fn geometry(&self, _site: &Site) -> Option<Cmd> {
        Some(Cmd::new("cat").arg(LOCALIO))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        let state = match output.trim() {
            "Y" => "yes",
            "N" => "no",
            _ => return Vec::new(),
        };
        vec![("localio".into(), state.into())]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mount.nfs").arg("-V"))
    }
}

/// Returns the path that the client mounts: in version 4 the export is the root.
fn exported(options: &Options) -> String {
    format!("127.0.0.1:{}", if is_3(options) { EXPORT } else { "/" })
}

fn server(site: &Site, options: &Options) -> Cmd {
    // `fsid` makes file systems without a UUID exportable, too; `insecure` lets any port in.
    let mut export = String::from("rw,no_root_squash,no_subtree_check,insecure,fsid=0");
    if options.contains_key("no_wdelay") {
        export.push_str(",no_wdelay");
    }
    export.push(',');
    export.push_str(options.get("export").map_or("sync", String::as_str));
    // Version 3 brings a lock daemon that refuses locks for its first 50 s, of version 4, too.
    let unwanted = if is_3(options) { "4" } else { "3" };
    let threads = options.get("threads").map_or("8", String::as_str);
    Cmd::new("unshare")
        .arg(net(&network(site)))
        .args(["--mount", "sh", "-c", SCRIPT, &site.name])
        .arg(site.below())
        .arg(&site.scratch)
        .args([&export, unwanted, threads])
        .serve(Ready::Exists(site.scratch.join("ready")))
}

fn client(site: &Site, options: &Options) -> Cmd {
    Cmd::new("nsenter")
        .arg(net(&network(site)))
        .args(["mount", "-t", "nfs", "-o"])
        .args(client::options(options, SERVERS, &[]))
        .arg(exported(options))
        .arg(&site.dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    /// The commands of `target`, with the name of the script in its place.
    fn run(target: &str) -> Vec<String> {
        let script = SCRIPT.replace('\'', r"'\''");
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
    fn whether_the_network_is_bypassed_is_a_fact() {
        let fact = |state: &str| vec![("localio".to_string(), state.to_string())];
        assert_eq!(Fs.read_geometry("Y\n"), fact("yes"));
        assert_eq!(Fs.read_geometry("N\n"), fact("no"));
        assert_eq!(Fs.read_geometry(""), []);
    }

    #[test]
    fn options_go_to_the_server_or_the_client() {
        let lines = run("nfs[vers=3,nconnect=2,export=async,threads=2,sync](xfs)");
        assert!(lines[3].ends_with("insecure,fsid=0,async 4 2 &"), "{}", lines[3]);
        assert_eq!(
            lines[4],
            "nsenter --net=SCRATCH1/net mount -t nfs -o \
             vers=3,proto=tcp,retry=0,nolock,nconnect=2,sync 127.0.0.1:/mnt /m"
        );
    }
}

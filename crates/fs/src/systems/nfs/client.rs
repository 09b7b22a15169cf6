//! The client of NFS, whoever serves: its options and how it mounts. What a server is told is not among them, so that
//! the `sync` of a client and that of an export are two things.

use crate::options::{ANY_MOUNT, NOATIME, flag, mount_options, value};
use crate::trial::not_both;
use crate::words::{Word, nothing, refused, same};
use crate::{Exclusion, Tool};
use model::{Knob, Options};

/// What the mount table shows for what is asked for by another name.
pub(crate) const SHOWN_AS: &[(&str, &str)] =
    &[("lookupcache=positive", "lookupcache=pos"), ("nolock", "local_lock=all")];

/// The program that mounts.
pub(crate) const TOOL: Tool =
    Tool::new("mount.nfs", ["nfs-common", "nfs-utils", "nfs-client", "nfs-utils"]);

/// What a mount may be given.
const KNOBS: [Knob; 34] = [
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
    flag(
        SYNC,
        "the client sends each write and waits for it; without it the client writes later, as `async` of mount(8)",
    ),
    value("lookupcache", "", "which directory entries are kept", "all", LOOKUPS),
    value("actimeo", "s", "how long attributes are kept", "3 to 60 by age", &[]),
    flag("noac", "keep no attributes, and write synchronously"),
    flag("nocto", "do not ask for new attributes when a file is opened"),
    flag("nordirplus", "read directories without attributes"),
    flag("nosharecache", "share no cache with other mounts of the same server"),
    value("write", "", "when a write is sent", "lazy", &["lazy", "eager", "wait"]),
    flag("soft", "give up a request that is not answered; may lose data"),
    flag("softerr", "as soft, with another error"),
    flag("hard", "ask for ever (the default)"),
    flag("softreval", "use what is kept where the server does not answer"),
    value("timeo", "0.1 s", "how long an answer is waited for", "600", &[]),
    value("retrans", "times", "repeats before a soft mount gives up", "2", &[]),
    flag("noresvport", "any port of the client"),
    flag("nolock", "locks are of this client alone, with vers=3"),
    value(
        "local_lock",
        "",
        "which locks are of this client alone",
        "none",
        &["none", "all", "flock", "posix"],
    ),
    value("acregmin", "s", "least time that attributes of files are kept", "3", &[]),
    value("acregmax", "s", "most time that attributes of files are kept", "60", &[]),
    value("acdirmin", "s", "least time that attributes of directories are kept", "30", &[]),
    value("acdirmax", "s", "most time that attributes of directories are kept", "60", &[]),
    flag("noacl", "no access control lists, with vers=3"),
    flag("fsc", "keep files in the cache of the machine, by cachefilesd"),
    value("max_connect", "addresses", "most addresses of one server that are used", "1", &[]),
    value("namlen", "bytes", "longest name, with vers=3", "255", &[]),
    flag("notrunkdiscovery", "look for no other addresses of the server"),
    flag("nomigration", "do not follow a file system to another server"),
    value("proto", "", "how the server is reached", TCP, &[TCP, "tcp6", "rdma", "rdma6"]),
    NOATIME,
    ANY_MOUNT,
];

/// By nfs(5).
pub(crate) const WORDS: &[Word] = &[
    same("nfsvers=*", "vers=*"),
    same("tcp", "proto=tcp"),
    same("rdma", "proto=rdma"),
    nothing("ac"),
    nothing("cto"),
    nothing("rdirplus"),
    nothing("sharecache"),
    nothing("resvport"),
    nothing("nofsc"),
    nothing("nosoftreval"),
    nothing("trunkdiscovery"),
    nothing("migration"),
    nothing("fg"),
    nothing("acl"),
    // Ignored since Linux 2.6.25.
    nothing("intr"),
    nothing("nointr"),
    refused("bg", "an option of fstab: it has the mount tried again behind the boot; leave it out"),
    refused(
        "retry=*",
        "how long mount(8) tries, and a server that is not there is an error here; leave it out",
    ),
    refused("lock", "the default, and with vers=3 no lock daemon is started; leave it out"),
    refused("udp", UDP),
    refused("proto=udp", UDP),
    refused("minorversion=*", "another way to write the version; write vers=4.1 or vers=4.2"),
    refused(
        "vers=4",
        "no version by itself: server and client agree on one; write vers=4.0, 4.1 or 4.2",
    ),
    refused(
        "nfsvers=4",
        "no version by itself: server and client agree on one; write vers=4.0, 4.1 or 4.2",
    ),
];

const UDP: &str = "no way to NFS any more: Linux is built without it since 5.6; leave it out";

const SYNC: &str = "sync";
const TCP: &str = "tcp";
const NCONNECT: &[&str] =
    &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
/// Another number is rounded down by the kernel, and the mount would not be what its name says.
const SIZES: &[&str] =
    &["4096", "8192", "16384", "32768", "65536", "131072", "262144", "524288", "1048576"];
const LOOKUPS: &[&str] = &["all", "none", "pos", "positive"];

/// Options of a mount that cannot be together.
pub(crate) const NO_ACTIMEO: Exclusion =
    not_both("noac", "actimeo", "noac keeps no attributes; drop actimeo");
/// The same.
pub(crate) const NO_SYNC: Exclusion =
    not_both("noac", SYNC, "noac writes synchronously already; drop sync");

/// The same.
pub(crate) const NO_HARD: Exclusion =
    not_both("hard", "soft", "hard and soft contradict each other; drop one");
/// The same.
pub(crate) const NO_HARD_ERROR: Exclusion =
    not_both("hard", "softerr", "hard and softerr contradict each other; drop one");

/// The same.
pub(crate) const NO_LOCK: Exclusion =
    not_both("nolock", "!vers=3", "nolock is of version 3; drop it or write vers=3");

/// The knobs `own`, and those of the client after them.
pub(crate) const fn after<const OWN: usize, const ALL: usize>(own: [Knob; OWN]) -> [Knob; ALL] {
    let mut all = [KNOBS[0]; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < OWN { own[at] } else { KNOBS[at - OWN] };
        at += 1;
    }
    all
}

/// How many knobs the client has.
pub(crate) const COUNT: usize = KNOBS.len();

/// Why `options` say something that is said of two sides.
pub(crate) fn ambiguous(options: &Options) -> Option<&'static str> {
    let both = ["async", "o.async"].iter().any(|key| options.contains_key(*key));
    both.then_some(
        "async is said of both sides: the server of assay answers before data is on its disk with export=async, \
         what another server does is settled in its exports(5), and a client writes so unless it has sync",
    )
}

/// The version of the protocol.
pub(crate) fn version(options: &Options) -> &str {
    options.get("vers").map_or("4.2", String::as_str)
}

/// Whether it is the version without state.
pub(crate) fn is_3(options: &Options) -> bool {
    version(options) == "3"
}

/// What the mount table shows as its type.
pub(crate) fn mount_kind(options: &Options) -> &'static str {
    if is_3(options) { "nfs" } else { "nfs4" }
}

/// The options of the mount: those of `options` which are not for the `others`, after the defaults and `extra`.
pub(crate) fn options(options: &Options, others: &[&str], extra: &[&str]) -> Option<String> {
    let mut own = options.clone();
    let proto = own.remove("proto");
    own.retain(|key, _| key != "vers" && !others.contains(&&**key));
    let vers = format!("vers={}", version(options));
    let proto = format!("proto={}", proto.as_deref().unwrap_or(TCP));
    // A server that is not there now is an error, not something to wait for.
    let mut defaults = vec![&*vers, &*proto, "retry=0"];
    if is_3(options) {
        defaults.push("nolock");
    }
    defaults.extend(extra);
    mount_options(&own, &defaults)
}

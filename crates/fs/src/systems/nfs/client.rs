//! The NFS client, for any server: its options and its mount. Options of a server are not among them, so that
//! the `sync` of a client and that of an export are two things.

use crate::options::{ANY_MOUNT, NOATIME, flag, mount_options, value};
use crate::trial::not_both;
use crate::words::{Word, nothing, refused, same};
use crate::{Exclusion, Tool};
use model::target::{Knob, Options};

/// Options that the mount table shows under another name.
pub(crate) const SHOWN_AS: &[(&str, &str)] =
    &[("lookupcache=positive", "lookupcache=pos"), ("nolock", "local_lock=all")];

/// The program that mounts.
pub(crate) const TOOL: Tool =
    Tool::new("mount.nfs", ["nfs-common", "nfs-utils", "nfs-client", "nfs-utils"]);

/// The options of a mount.
const KNOBS: [Knob; 34] = [
    value(
        "vers",
        "",
        "protocol version; 3 is mounted with nolock",
        "4.2",
        &["3", "4.0", "4.1", "4.2"],
    ),
    value("nconnect", "sockets", "connections to the server", "1", NCONNECT),
    value("rsize", "bytes", "maximum read size", "negotiated", SIZES),
    value("wsize", "bytes", "maximum write size", "negotiated", SIZES),
    flag(
        SYNC,
        "the client sends each write and waits for it; without it the client writes later \
         (`async` in mount(8))",
    ),
    value("lookupcache", "", "caching of directory entries", "all", LOOKUPS),
    value("actimeo", "s", "attribute cache timeout", "3 to 60 by age", &[]),
    flag("noac", "no attribute cache, and synchronous writes"),
    flag("nocto", "do not revalidate attributes on open"),
    flag("nordirplus", "no READDIRPLUS"),
    flag("nosharecache", "do not share the cache with other mounts of the server"),
    value("write", "", "when writes are sent", "lazy", &["lazy", "eager", "wait"]),
    flag("soft", "fail requests that time out; may lose data"),
    flag("softerr", "like soft, with another error"),
    flag("hard", "retry forever (the default)"),
    flag("softreval", "use cached attributes if the server does not answer"),
    value("timeo", "0.1 s", "request timeout", "600", &[]),
    value("retrans", "times", "retransmissions before a soft mount fails", "2", &[]),
    flag("noresvport", "use an unprivileged client port"),
    flag("nolock", "local locks only, with vers=3"),
    value("local_lock", "", "kinds of local locks", "none", &["none", "all", "flock", "posix"]),
    value("acregmin", "s", "minimum attribute cache time of files", "3", &[]),
    value("acregmax", "s", "maximum attribute cache time of files", "60", &[]),
    value("acdirmin", "s", "minimum attribute cache time of directories", "30", &[]),
    value("acdirmax", "s", "maximum attribute cache time of directories", "60", &[]),
    flag("noacl", "no access control lists, with vers=3"),
    flag("fsc", "cache files on local disk with cachefilesd"),
    value("max_connect", "addresses", "maximum number of server addresses to use", "1", &[]),
    value("namlen", "bytes", "maximum name length, with vers=3", "255", &[]),
    flag("notrunkdiscovery", "do not discover other addresses of the server"),
    flag("nomigration", "do not follow migration to another server"),
    value("proto", "", "transport protocol", TCP, &[TCP, "tcp6", "rdma", "rdma6"]),
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
    refused("bg", "for fstab: retries the mount in the background; omit it"),
    refused(
        "retry=*",
        "how long mount(8) retries, and here an unreachable server is an error; omit it",
    ),
    refused("lock", "the default, and with vers=3 no lock daemon is started; omit it"),
    refused("udp", UDP),
    refused("proto=udp", UDP),
    refused("minorversion=*", "a sub-version; use vers=4.1 or vers=4.2"),
    refused("vers=4", "ambiguous: server and client negotiate it; use vers=4.0, 4.1 or 4.2"),
    refused("nfsvers=4", "ambiguous: server and client negotiate it; use vers=4.0, 4.1 or 4.2"),
];

const UDP: &str = "not supported for NFS since Linux 5.6; omit it";

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
    not_both("noac", "actimeo", "noac disables the attribute cache; drop actimeo");
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
    not_both("nolock", "!vers=3", "nolock needs vers=3; drop it or add vers=3");

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

/// The number of knobs of the client.
pub(crate) const COUNT: usize = KNOBS.len();

/// Why `options` say something that is said of two sides.
pub(crate) fn ambiguous(options: &Options) -> Option<&'static str> {
    let both = ["async", "o.async"].iter().any(|key| options.contains_key(*key));
    both.then_some(
        "ambiguous: for the server that assay starts, use export=async; another server has its \
         own exports(5); a client is asynchronous unless `sync` is set",
    )
}

/// The version of the protocol.
pub(crate) fn version(options: &Options) -> &str {
    options.get("vers").map_or("4.2", String::as_str)
}

/// Returns true if it is version 3, which is stateless.
pub(crate) fn is_3(options: &Options) -> bool {
    version(options) == "3"
}

/// Returns its type in the mount table.
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

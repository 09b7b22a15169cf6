//! The client of NFS, whoever serves: its options and how it mounts. What a server is told is not among them, so that
//! the `sync` of a client and that of an export are two things.

use crate::file_system::{ANY_MOUNT, NOATIME, flag, mount_options, value};
use crate::trial::not_both;
use crate::{Exclusion, Tool};
use model::{Knob, Options};

/// The program that mounts.
pub(super) const TOOL: Tool =
    Tool { program: "mount.nfs", debian: "nfs-common", rhel: "nfs-utils" };

/// What a mount may be given.
const KNOBS: [Knob; 18] = [
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
    value("timeo", "0.1 s", "how long an answer is waited for", "600", &[]),
    value("retrans", "", "repeats before a soft mount gives up", "2", &[]),
    value("proto", "", "how the server is reached", TCP, &[TCP, "tcp6", "rdma", "rdma6"]),
    NOATIME,
    ANY_MOUNT,
];

const SYNC: &str = "sync";
const TCP: &str = "tcp";
const NCONNECT: &[&str] =
    &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
const SIZES: &[&str] =
    &["4096", "8192", "16384", "32768", "65536", "131072", "262144", "524288", "1048576"];
const LOOKUPS: &[&str] = &["all", "none", "pos", "positive"];

/// Options of a mount that cannot be together.
pub(super) const NO_ACTIMEO: Exclusion =
    not_both("noac", "actimeo", "noac keeps no attributes; drop actimeo");
/// The same.
pub(super) const NO_SYNC: Exclusion =
    not_both("noac", SYNC, "noac writes synchronously already; drop sync");

/// The knobs `own`, and those of the client after them.
pub(super) const fn after<const OWN: usize, const ALL: usize>(own: [Knob; OWN]) -> [Knob; ALL] {
    let mut all = [KNOBS[0]; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < OWN { own[at] } else { KNOBS[at - OWN] };
        at += 1;
    }
    all
}

/// How many knobs the client has.
pub(super) const COUNT: usize = KNOBS.len();

/// Why `options` say something that is said of two sides.
pub(super) fn ambiguous(options: &Options) -> Option<&'static str> {
    let both = ["async", "o.async"].iter().any(|key| options.contains_key(*key));
    both.then_some(
        "async is said of both sides: the server of assay answers before data is on its disk with export=async, \
         what another server does is settled in its exports(5), and a client writes so unless it has sync",
    )
}

/// The version of the protocol.
pub(super) fn version(options: &Options) -> &str {
    options.get("vers").map_or("4.2", String::as_str)
}

/// Whether it is the version without state.
pub(super) fn is_3(options: &Options) -> bool {
    version(options) == "3"
}

/// What the mount table shows as its type.
pub(super) fn mount_kind(options: &Options) -> &'static str {
    if is_3(options) { "nfs" } else { "nfs4" }
}

/// The options of the mount: those of `options` which are not for the `others`, after the defaults and `extra`.
pub(super) fn options(options: &Options, others: &[&str], extra: &[&str]) -> Option<String> {
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

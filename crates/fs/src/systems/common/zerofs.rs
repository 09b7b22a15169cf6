//! Shared code of the targets that ZeroFS serves: a store in a directory or in an object store, its cache, the
//! configuration, and the server in the foreground.
//!
//! Store and cache both lie on the disk of the target, so that every byte of theirs is counted there.
//! The data is encrypted with a password that is no secret, as ZeroFS has no mode without.

use crate::mounted::{Mounted, Stores};
use crate::options::value;
use crate::systems::nbd;
use crate::{Cmd, Endpoint, Ready, Site, Tool};
use model::target::{Knob, Options};
use std::path::{Path, PathBuf};

pub(crate) const TOOLS: &[Tool] = &[Tool::built("zerofs")];

/// The crate object_store, which ZeroFS 0.19 writes with, calls no fsync on a `file://` store, and versitygw none at
/// all.
pub(crate) const MOUNTED: Mounted = Mounted::local(&[], Stores::Less).loses(
    "no file of its store is synced, by ZeroFS or by versitygw; a sync reaches the page cache, not the disk",
);

pub(crate) const DISK_CACHE: Knob =
    value("disk_size_gb", "GB", "maximum disk cache, next to the store", "1", &[]);
pub(crate) const MEMORY_CACHE: Knob =
    value("memory_size_gb", "GB", "maximum memory cache", "0.25", &[]);
pub(crate) const UNFLUSHED: Knob =
    value("max_unflushed_gb", "GB", "maximum unflushed data in memory", "1", &[]);
pub(crate) const FLUSH_INTERVAL: Knob =
    value("flush_interval_secs", "s", "flush interval", "30", &[]);
pub(crate) const L0_FILES: Knob = value(
    "l0_max_ssts",
    "files",
    "sorted files in the newest level; at this limit, syncs return without effect",
    MANY_L0_FILES,
    &[],
);

/// Its own default is 16. Every sync makes one, and they are merged every five seconds; at the limit
/// SlateDB 0.9 skips the flush ("won't flush imm to l0"), ZeroFS 0.19 answers the sync all the same, and a
/// server that is asked to end then ends without what it holds: files that were synced were gone.
const MANY_L0_FILES: &str = "4096";

/// The options of the server: of its table `cache`, then of its table `lsm`.
const CACHE: &[&str] = &["disk_size_gb", "memory_size_gb"];
const LSM: &[&str] = &["max_unflushed_gb", "flush_interval_secs", "l0_max_ssts"];

/// ZeroFS looks every ten minutes, from its start, for objects older than ten minutes that nothing refers
/// to; a server that is restarted for a cold case begins to count anew.
pub(crate) const KEEPS_DELETED: bool = true;

/// The protocol by which a client reaches the server.
pub(crate) enum Front {
    /// NFS version 3 on this TCP port of the loopback address.
    Nfs(u16),
    /// 9P on a socket in the scratch of the part.
    NineP,
    /// NBD, and 9P to create the device, on sockets in the scratch of the part.
    Nbd,
}

/// The options without those of the server.
pub(crate) fn of_client(options: &Options) -> Options {
    let is_server = |key: &str| CACHE.contains(&key) || LSM.contains(&key);
    options.iter().filter(|(key, _)| !is_server(key)).map(|(k, v)| (k.clone(), v.clone())).collect()
}

/// The socket of 9P.
pub(crate) fn socket_9p(site: &Site) -> PathBuf {
    site.scratch.join("9p.sock")
}

/// Makes the store in `dir` and writes the configuration.
pub(crate) fn make(site: &Site, dir: &Path, front: &Front, options: &Options) -> Vec<Cmd> {
    vec![
        Cmd::new("mkdir").arg("-p").arg(dir.join("store")).arg(dir.join("cache")),
        Cmd::new("tee").arg(configuration(site)).stdin(settings(site, dir, front, options)),
    ]
}

/// Starts the server; a socket that an earlier one left would look like a server that is ready.
pub(crate) fn serve(site: &Site, front: &Front) -> Vec<Cmd> {
    let ready = match front {
        Front::Nfs(port) => Ready::Port(*port),
        Front::NineP => Ready::Exists(socket_9p(site)),
        Front::Nbd => Ready::Exists(nbd::socket(site)),
    };
    vec![
        Cmd::new("rm").arg("-f").arg(socket_9p(site)).arg(nbd::socket(site)),
        server(site).args(["run", "--config"]).arg(configuration(site)).serve(ready),
    ]
}

fn server(site: &Site) -> Cmd {
    let cmd = Cmd::new("zerofs");
    match &site.store {
        None => cmd,
        Some(endpoint) => endpoint.keys(cmd, [ACCESS_KEY, SECRET_KEY, SESSION_TOKEN]),
    }
}

/// The variable from which the configuration reads the key of an object store.
const ACCESS_KEY: &str = "ASSAY_ACCESS_KEY";
const SECRET_KEY: &str = "ASSAY_SECRET_KEY";
const SESSION_TOKEN: &str = "ASSAY_SESSION_TOKEN";

/// The mount options of the 9P client.
pub(crate) const PROTOCOL_9P: &str = "trans=unix,version=9p2000.L";

/// Mounts what the server serves by 9P.
pub(crate) fn mount_9p(site: &Site, dir: &Path, options: &str) -> Cmd {
    Cmd::new("mount").args(["-t", "9p", "-o", options]).arg(socket_9p(site)).arg(dir)
}

pub(crate) fn version() -> Cmd {
    Cmd::new("zerofs").arg("--version")
}

fn configuration(site: &Site) -> PathBuf {
    site.scratch.join("zerofs.toml")
}

fn settings(site: &Site, dir: &Path, front: &Front, options: &Options) -> String {
    let mut options = options.clone();
    options.entry("disk_size_gb".into()).or_insert_with(|| disk_cache(site.bytes));
    options.entry("l0_max_ssts".into()).or_insert_with(|| MANY_L0_FILES.into());
    let line = |key: &&str| options.get(*key).map(|value| format!("{key} = {value}\n"));
    let lines = |keys: &[&str]| keys.iter().filter_map(line).collect::<String>();
    let nine_p = format!("[servers.ninep]\nunix_socket = {:?}\n", socket_9p(site));
    let servers = match front {
        Front::Nfs(port) => format!("[servers.nfs]\naddresses = [\"127.0.0.1:{port}\"]\n"),
        Front::NineP => nine_p,
        Front::Nbd => format!("{nine_p}[servers.nbd]\nunix_socket = {:?}\n", nbd::socket(site)),
    };
    let url = match &site.store {
        None => format!("file://{}", dir.join("store").display()),
        Some(endpoint) => format!("s3://{}/zerofs", endpoint.place("/")),
    };
    format!(
        "[cache]\ndir = {:?}\n{}[storage]\nurl = \"{url}\"\nencryption_password = \"assay measures\"\n\
         {servers}{}[lsm]\n{}",
        dir.join("cache"),
        lines(CACHE),
        site.store.as_ref().map_or_else(String::new, account),
        lines(LSM),
    )
}

/// The table of an object store; the keys are in the environment. A server of ours has no temporary ones.
fn account(endpoint: &Endpoint) -> String {
    let (url, region) = (&endpoint.url, &endpoint.region);
    // It refuses to start without a configured variable.
    let token = match endpoint.has_token {
        true => format!("session_token = \"${{{SESSION_TOKEN}}}\"\n"),
        false => String::new(),
    };
    format!(
        "[aws]\naccess_key_id = \"${{{ACCESS_KEY}}}\"\nsecret_access_key = \"${{{SECRET_KEY}}}\"\n\
         {token}endpoint = \"{url}\"\ndefault_region = \"{region}\"\nallow_http = \"{}\"\n",
        url.starts_with("http://")
    )
}

/// The cache of a disk of `bytes`, GB: by default ZeroFS would take 10, more than most images hold.
fn disk_cache(bytes: u64) -> String {
    format!("{:.3}", (bytes / 8).min(1_000_000_000) as f64 / 1e9)
}

/// A port between 20000 and 29999 that hardly any other target has: two servers at work must not meet.
pub(crate) fn port(site: &Site) -> u16 {
    20_000 + (site.number() % 10_000) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site {
            disks: Vec::new(),
            bytes: 800_000_000,
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
    fn settings_are_toml_with_the_options_in_their_tables() {
        let options: Options = [("memory_size_gb", "0.5"), ("l0_max_ssts", "8"), ("noatime", "")]
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .into();
        assert_eq!(
            settings(&site(), Path::new("/m0"), &Front::Nbd, &options),
            "[cache]\ndir = \"/m0/cache\"\ndisk_size_gb = 0.100\nmemory_size_gb = 0.5\n\
             [storage]\nurl = \"file:///m0/store\"\nencryption_password = \"assay measures\"\n\
             [servers.ninep]\nunix_socket = \"/s/9p.sock\"\n[servers.nbd]\nunix_socket = \"/s/nbd.sock\"\n\
             [lsm]\nl0_max_ssts = 8\n"
        );
        let plain = settings(&site(), Path::new("/m0"), &Front::NineP, &Options::new());
        assert!(plain.ends_with("[lsm]\nl0_max_ssts = 4096\n"), "{plain}");
        assert_eq!(of_client(&options).keys().collect::<Vec<_>>(), ["noatime"]);
    }

    #[test]
    fn ports_differ_by_name() {
        let other = Site { name: "assay-2".into(), ..site() };
        assert!((20_000..30_000).contains(&port(&site())));
        assert_ne!(port(&site()), port(&other));
    }
}

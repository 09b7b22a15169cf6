//! `nfs[server=HOST:/path]`: an export of a server that the user names. Nothing is made there but one private
//! directory, as below `dir:PATH`, and nothing is known of what the server writes to: whether a sync reached a disk is
//! known only from its answer. It is mounted where it is measured, without devices and set-user-id programs of a
//! stranger.

use super::client::{self, COUNT, NO_ACTIMEO, NO_HARD, NO_HARD_ERROR, NO_LOCK, NO_SYNC};
use crate::options::{mount_command, value};
use crate::{About, Cmd, Exclusion, FileSystem, Site};
use model::target::{Knob, Options};
use std::path::PathBuf;

/// The export that `nfs` becomes with a named server.
pub(crate) struct Export;

/// The option that names the server.
pub(crate) const SERVER: &str = "server";
/// It, if assay runs the server.
pub(crate) const SERVER_KNOB: Knob = value(
    SERVER,
    "",
    "HOST:/path: use this server's export, in a private directory, instead of a local server",
    "none",
    &[],
);

const OWN: [Knob; 3] = [
    SERVER_KNOB,
    value("port", "", "TCP port of the server", "2049", &[]),
    value("sec", "", "security flavor", "sys", &["sys", "krb5", "krb5i", "krb5p"]),
];
const KNOBS: &[Knob] = &client::after::<3, { 3 + COUNT }>(OWN);

const EXCLUSIONS: &[Exclusion] = &[NO_ACTIMEO, NO_SYNC, NO_HARD, NO_HARD_ERROR, NO_LOCK];

/// The options of every mount of it.
const GUARDED: &[&str] = &["nosuid", "nodev"];

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    words: client::WORDS,
    modules: &["nfsv3", "nfsv4"],
    tools: &[client::TOOL],
    is_remote: true,
    mounted: super::ABOUT.mounted,
    shown_as: client::SHOWN_AS,
    ..About::new("nfs", KNOBS)
};

impl FileSystem for Export {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, _options: &Options) -> usize {
        0
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        let named = options.get(SERVER).is_some_and(|server| is_export(server));
        let why = "server must be HOST:/path with an absolute path, e.g. server=files.lan:/srv/a";
        client::ambiguous(options).or((!named).then_some(why))
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let given = client::options(options, &[SERVER], GUARDED);
        mount_command("nfs", &self.source(site, options), &site.dir, given)
    }

    fn source(&self, _site: &Site, options: &Options) -> PathBuf {
        let server = options.get(SERVER).map_or("", String::as_str);
        // The kernel shows it without.
        let bare = server.trim_end_matches('/');
        PathBuf::from(if bare.ends_with(':') { server } else { bare })
    }

    fn mount_kind(&self, options: &Options) -> Option<&str> {
        Some(client::mount_kind(options))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mount.nfs").arg("-V"))
    }
}

/// Returns true if `server` is a host, or an IPv6 address in brackets, and a path on it without `..`.
fn is_export(server: &str) -> bool {
    let Some((host, path)) = server.split_once(":/") else { return false };
    let plain = |c: char, more: &str| c.is_ascii_alphanumeric() || more.contains(c);
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let host = match address {
        Some(address) => !address.is_empty() && address.chars().all(|c| plain(c, ":.%")),
        None => !host.is_empty() && host.chars().all(|c| plain(c, ".-_")),
    };
    let doubled = path.starts_with('/') || path.contains("//");
    let straight = !doubled && path.split('/').all(|part| part != "..");
    host && !server.starts_with('-')
        && straight
        && !path.chars().any(|c| c.is_control() || c == ',')
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;
    use crate::{ResolvedTarget, resolve};

    fn refusal(target: &str) -> String {
        resolve(&target.parse().unwrap()).err().unwrap().to_string()
    }

    #[test]
    fn it_is_mounted_and_nothing_is_made() {
        assert_eq!(
            commands("nfs[server=files.lan:/srv/a]"),
            ["mount -t nfs -o vers=4.2,proto=tcp,retry=0,nosuid,nodev files.lan:/srv/a /m"]
        );
        assert_eq!(
            commands("nfs[server=files.lan:/srv/a/,vers=3,nconnect=4,sync,proto=rdma,o.fsc]"),
            ["mount -t nfs -o vers=3,proto=rdma,retry=0,nolock,nosuid,nodev,nconnect=4,fsc,sync \
              files.lan:/srv/a /m"]
        );
        let text = "nfs[server=\"[fe80::1%eth0]:/\"]";
        assert!(commands(text)[0].ends_with("'[fe80::1%eth0]:/' /m"), "{:?}", commands(text));
        assert_eq!("nfs[server=h:/a]".parse::<ResolvedTarget>().unwrap().disks(), 0);
    }

    #[test]
    fn what_is_no_export_is_refused() {
        for server in
            ["", "files.lan", "/srv/a", ":/a", "h:a", "h:/a/../b", "-o:/a", "h;x:/a", "h://a"]
        {
            let why = refusal(&format!("nfs[server={server}]"));
            assert!(why.contains("HOST:/path"), "{server}: {why}");
        }
        assert!(refusal("nfs[server=h:/a](ext4)").contains("write `nfs` alone"));
        assert!(refusal("nfs[server=h:/a,threads=2]").contains("no option `threads`"));
        assert!(refusal("nfs[server=h:/a,o.x=/etc/passwd]").contains("names a path"));
        assert!(refusal("xfs[server=h:/a]").contains("no option `server`"));
        assert!(refusal("bindfs(nfs[server=h:/a])").contains("cannot be below another"));
    }

    #[test]
    fn the_async_of_two_sides_is_not_mixed_up() {
        for target in ["nfs[async]", "nfs[server=h:/a,async]", "nfs[o.async](xfs)"] {
            assert!(refusal(target).contains("a client is asynchronous"), "{target}");
        }
        assert!(resolve(&"nfs[server=h:/a,sync]".parse().unwrap()).is_ok());
    }
}

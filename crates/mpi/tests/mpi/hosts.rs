//! Hosts on one machine: namespaces that are joined by a bridge. They are removed when they are dropped.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

const BRIDGE: &str = "assaybr";
/// Their network; nothing but the launcher and the ranks is in it.
const NET: &str = "10.213.77";

/// What a launcher calls as `SCRIPT HOST COMMAND`, as it would call ssh. Clocks of the hosts are far apart.
const SHELL: &str = r#"#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare --uts --mount --fork --time --monotonic "${host#assayh}000" \
    sh -c 'hostname "$0"; [ ! -e OWN ] || mount -t tmpfs none "$(cat OWN)"; eval "$*"' "$host" "$@"
"#;

/// A number of hosts, `assayh1` and on.
#[derive(Debug)]
pub(crate) struct Hosts {
    count: u8,
    dir: tempfile::TempDir,
}

impl Hosts {
    /// Why this machine has none, if it does not let us make any.
    pub(crate) fn missing() -> Option<String> {
        let probe = ip("netns add assayprobe");
        let _ = ip("netns del assayprobe");
        probe.err()
    }

    /// Makes them.
    pub(crate) fn make(count: u8) -> Result<Hosts, String> {
        let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
        let hosts = Hosts { count, dir };
        hosts.remove();
        let own = hosts.own().display().to_string();
        fs::write(hosts.shell(), SHELL.replace("OWN", &own)).map_err(|error| error.to_string())?;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(hosts.shell(), mode).map_err(|error| error.to_string())?;
        ip(&format!("link add {BRIDGE} type bridge"))?;
        ip(&format!("addr add {NET}.1/24 dev {BRIDGE}"))?;
        ip(&format!("link set {BRIDGE} up"))?;
        for (number, name) in (1..).zip(hosts.names()) {
            ip(&format!("netns add {name}"))?;
            ip(&format!("link add assayv{number} type veth peer name eth0 netns {name}"))?;
            ip(&format!("link set assayv{number} master {BRIDGE} up"))?;
            ip(&format!("-n {name} addr add {NET}.1{number}/24 dev eth0"))?;
            ip(&format!("-n {name} link set eth0 up"))?;
            ip(&format!("-n {name} link set lo up"))?;
        }
        Ok(hosts)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        (1..=self.count).map(|number| format!("assayh{number}")).collect()
    }

    /// Gives each host a `folder` of its own, which is empty.
    pub(crate) fn separate(&self, folder: &Path) {
        fs::write(self.own(), folder.display().to_string()).unwrap();
    }

    fn own(&self) -> PathBuf {
        self.dir.path().join("own")
    }

    fn shell(&self) -> PathBuf {
        self.dir.path().join("shell")
    }

    /// Words for `mpirun` that have `ranks` on these hosts.
    pub(crate) fn words(&self, ranks: usize) -> Vec<String> {
        let each = ranks / usize::from(self.count);
        let names: Vec<String> = self.names().iter().map(|name| format!("{name}:{each}")).collect();
        let net = format!("{NET}.0/24");
        let shell = self.shell().display().to_string();
        let settings = [
            ("plm_rsh_agent", shell.as_str()),
            ("plm_rsh_no_tree_spawn", "1"),
            ("orte_leave_session_attached", "1"),
            ("btl", "tcp,self"),
            ("btl_tcp_if_include", &net),
            ("oob_tcp_if_include", &net),
        ];
        let settings = settings.iter().flat_map(|(name, value)| ["--mca", name, value]);
        let mut words: Vec<String> = settings.map(String::from).collect();
        words.extend(["--host".into(), names.join(",")]);
        words
    }

    fn remove(&self) {
        for name in (1..=3).map(|number| format!("assayh{number}")) {
            let _ = ip(&format!("netns del {name}"));
        }
        // Those whose namespace lives on with a process in it.
        for number in 1..=3 {
            let _ = ip(&format!("link del assayv{number}"));
        }
        let _ = ip(&format!("link del {BRIDGE}"));
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        self.remove();
    }
}

fn ip(words: &str) -> Result<(), String> {
    let output = Command::new("ip").args(words.split(' ')).output();
    let output = output.map_err(|error| format!("ip: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("ip {words}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

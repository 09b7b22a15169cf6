//! Isolates a guest under root: namespaces of its own for mounts and processes, in which its directory and disks have
//! fixed names, which do not depend on permissions here, and a user to run as.

use super::Machine;
use ::fs::Cmd;
use std::path::PathBuf;

const STAGE: &str =
    concat!(include_str!("../../../fs/src/own_mounts.sh"), include_str!("stage.sh"));

/// The user that a guest runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// The user and its only group of the same number.
    pub uid: u32,
}

/// The beginning of a command whose rest is the guest, run as `stranger`, who may use KVM if `kvm`; without
/// one it runs as root of a user namespace that is this user.
pub(super) fn enter(machine: &Machine, stranger: Option<Stranger>, kvm: bool) -> Cmd {
    let mut cmd = Cmd::new("unshare");
    if stranger.is_none() {
        cmd = cmd.args(["--user", "--map-root-user"]);
    }
    cmd = cmd.args(["--mount", "--pid", "--mount-proc", "--fork", "--kill-child", "--"]);
    let user = stranger.map(|Stranger { uid }| uid.to_string());
    let kvm_user = user.as_deref().filter(|_| kvm).unwrap_or("-");
    cmd = cmd.args(["sh", "-c", STAGE, "stage"]).arg(&machine.out).arg(kvm_user);
    cmd = cmd.args(&machine.disks).arg("--").args(&machine.assets).arg("--");
    let Some(user) = user else { return cmd };
    cmd = cmd.args(["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups"]);
    cmd.args(["--inh-caps=-all", "--no-new-privs"])
}

/// Returns the path at which it sees its directory.
pub(super) fn out() -> PathBuf {
    super::OUT.into()
}

/// Returns the path at which it sees its assets.
pub(super) fn assets() -> PathBuf {
    super::ASSETS.into()
}

/// Returns the path at which it sees its disk `number`.
pub(super) fn disk(number: usize) -> PathBuf {
    format!("/mnt/disk{number}").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Run;
    use model::text::Bytes;
    use std::{fs, os::unix::fs::MetadataExt, path::Path, time::Duration};

    #[test]
    fn a_stranger_sees_its_own_and_may_use_kvm() {
        if !rustix::process::geteuid().is_root() {
            return needs::skip(needs::Need::Root, "a stage for another user needs root");
        }
        let dir = tempfile::tempdir().unwrap();
        let (out, disk) = (dir.path().join("out"), dir.path().join("disk"));
        fs::create_dir(&out).unwrap();
        fs::write(&disk, "content\n").unwrap();
        let machine = Machine {
            out,
            program: "/bin/sh".into(),
            args: Vec::new(),
            disks: vec![disk],
            assets: Vec::new(),
            cache: "/var/cache/assay".into(),
            memory: Bytes(0),
            timeout: Duration::ZERO,
        };
        let stranger = Some(Stranger { uid: 2_000_000_007 });
        let said = |kvm: bool, script: &str| {
            enter(&machine, stranger, kvm).args(["sh", "-c", script]).run().unwrap().stdout
        };
        assert_eq!(
            said(false, "id -u; id -G; cat /mnt/disk0"),
            "2000000007\n2000000007\ncontent\n"
        );
        assert_eq!(
            said(false, "grep -c '^Cap[A-Z][a-z]*:.*[1-9a-f]' /proc/self/status; ls /mnt"),
            "1\nassets\ndisk0\nout\numl\n"
        );
        let Ok(node) = fs::metadata("/dev/kvm") else {
            return needs::skip(needs::Need::Kvm, "there is no KVM here");
        };
        assert_eq!(said(true, "test -w /dev/kvm && test -r /dev/kvm && echo may"), "may\n");
        assert_eq!(
            fs::metadata("/dev/kvm").unwrap().uid(),
            node.uid(),
            "the real one is as it was"
        );
        assert!(!Path::new("/mnt/kvm").exists());
    }
}

//! What surrounds a guest of root's: namespaces of its own for mounts and processes, in which its
//! directory and disks have names that do not depend on who may enter which directory here, and the user
//! that it runs as.

use super::Machine;
use crate::Cmd;
use std::path::PathBuf;

const STAGE: &str = concat!(include_str!("../own_mounts.sh"), include_str!("stage.sh"));

/// Whom a guest runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// The user and its only group of the same number.
    pub uid: u32,
}

/// The beginning of a command whose rest is the guest, run as `stranger` with `groups` besides; without one
/// it runs as root of a user namespace that is this user.
pub(super) fn enter(machine: &Machine, stranger: Option<Stranger>, groups: &[u32]) -> Cmd {
    let mut cmd = Cmd::new("unshare");
    if stranger.is_none() {
        cmd = cmd.args(["--user", "--map-root-user"]);
    }
    cmd = cmd.args(["--mount", "--pid", "--mount-proc", "--fork", "--kill-child", "--"]);
    cmd = cmd.args(["sh", "-c", STAGE, "stage"]).arg(&machine.out).args(&machine.disks).arg("--");
    let Some(Stranger { uid }) = stranger else { return cmd };
    let user = uid.to_string();
    cmd = cmd.args(["setpriv", "--reuid", &user, "--regid", &user]);
    let groups: Vec<String> = groups.iter().map(u32::to_string).collect();
    cmd = match groups.is_empty() {
        true => cmd.arg("--clear-groups"),
        false => cmd.args(["--groups", &groups.join(",")]),
    };
    cmd.args(["--inh-caps=-all", "--no-new-privs"])
}

/// Where it sees its directory.
pub(super) fn out() -> PathBuf {
    super::OUT.into()
}

/// Where it sees its disk `number`.
pub(super) fn disk(number: usize) -> PathBuf {
    format!("/mnt/disk{number}").into()
}

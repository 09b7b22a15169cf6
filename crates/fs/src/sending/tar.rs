//! Every other file system: an archive of GNU tar, and archives of what has changed since the one before.
//!
//! Users also take rsync. tar is on every machine, its archive is a stream whose bytes can be counted like those of the
//! native ways, and what was deleted is deleted at the receiving end, too. Both read all that they send as files, and
//! look at every file to find what has changed.

use super::{End, SendStep, Sending, TREE};
use crate::Cmd;
use std::path::PathBuf;

/// An archive of GNU tar.
pub(crate) struct Tar;

/// Keeps what cannot be said by the archive format of 1988: times below a second, extended attributes, access control
/// lists.
fn tar(act: &str) -> Cmd {
    Cmd::new("tar").arg(act)
}

fn all_attributes(cmd: Cmd) -> Cmd {
    cmd.args(["--acls", "--xattrs", "--xattrs-include=*"])
}

fn option(name: &str, path: &std::path::Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push(path);
    option
}

impl Sending for Tar {
    fn name(&self) -> &'static str {
        "tar | tar (no native way)"
    }

    fn is_native(&self) -> bool {
        false
    }

    fn programs(&self) -> &'static [&'static str] {
        &["tar"]
    }

    fn tree(&self, from: &End<'_>) -> PathBuf {
        from.root.join(TREE)
    }

    fn received(&self, to: &End<'_>, _step: SendStep) -> PathBuf {
        to.root.join(TREE)
    }

    fn prepare(&self, from: &End<'_>) -> Vec<Cmd> {
        vec![Cmd::new("mkdir").arg(self.tree(from))]
    }

    fn prepare_received(&self, to: &End<'_>) -> Vec<Cmd> {
        vec![Cmd::new("mkdir").arg(to.root.join(TREE))]
    }

    fn freeze(&self, _from: &End<'_>, _step: SendStep) -> Vec<Cmd> {
        Vec::new()
    }

    /// The file with its state says what the archive before had. The number of the device changes with each mount.
    fn send(&self, from: &End<'_>, _step: SendStep) -> Cmd {
        let cmd = all_attributes(tar("--create").arg("--format=posix")).arg("--no-check-device");
        let state = from.site.scratch.join("tar.state");
        let cmd = cmd.arg(option("--listed-incremental=", &state));
        cmd.arg(option("--directory=", &self.tree(from))).arg(".")
    }

    fn receive(&self, to: &End<'_>, step: SendStep) -> Cmd {
        let cmd = all_attributes(tar("--extract"));
        let cmd = cmd.args(["--same-owner", "--numeric-owner", "--same-permissions"]);
        let cmd = cmd.arg("--listed-incremental=/dev/null");
        cmd.arg(option("--directory=", &self.received(to, step)))
    }
}

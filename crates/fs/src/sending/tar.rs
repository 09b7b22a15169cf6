//! Every other file system: an archive of GNU tar, and archives of what has changed since the one before.
//!
//! Users also take rsync. tar is on every machine, its archive is a stream whose bytes can be counted like those of the
//! native ways, and what was deleted is deleted at the receiving end, too. Both read all that they send as files, and
//! look at every file to find what has changed.

use super::{End, SendStep, Sending, TREE};
use crate::Cmd;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// An archive of GNU tar.
pub(crate) struct Tar;

/// Keeps access control lists and extended attributes, which tar leaves out unless it is asked for them.
const ATTRIBUTES: [&str; 3] = ["--acls", "--xattrs", "--xattrs-include=*"];

/// The option `name`, which ends with `=`, with a path as its value.
fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
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

    /// The posix format has times below a second. The file with its state says what the archive before had. The number
    /// of the device changes with each mount.
    fn send(&self, from: &End<'_>, _step: SendStep) -> Cmd {
        let cmd = Cmd::new("tar").args(["--create", "--format=posix"]).args(ATTRIBUTES);
        let cmd = cmd.arg("--no-check-device");
        let state = from.site.scratch.join("tar.state");
        let cmd = cmd.arg(option("--listed-incremental=", &state));
        cmd.arg(option("--directory=", &self.tree(from))).arg(".")
    }

    fn receive(&self, to: &End<'_>, step: SendStep) -> Cmd {
        let cmd = Cmd::new("tar").arg("--extract").args(ATTRIBUTES);
        let cmd = cmd.args(["--same-owner", "--numeric-owner", "--same-permissions"]);
        let cmd = cmd.arg("--listed-incremental=/dev/null");
        cmd.arg(option("--directory=", &self.received(to, step)))
    }
}

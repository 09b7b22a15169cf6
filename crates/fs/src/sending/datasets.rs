//! ZFS: snapshots of a file system in the pool, by zfs-send(8).

use super::{End, SendStep, Sending, TREE};
use crate::Cmd;
use std::path::PathBuf;

/// Snapshots of a file system in the pool.
pub(crate) struct Datasets;

fn dataset(end: &End<'_>) -> String {
    format!("{}/{TREE}", end.site.name)
}

fn snapshot(end: &End<'_>, SendStep(step): SendStep) -> String {
    format!("{}@{step}", dataset(end))
}

impl Sending for Datasets {
    fn name(&self) -> &'static str {
        "zfs send | zfs receive"
    }

    fn is_native(&self) -> bool {
        true
    }

    /// It is mounted below the mount point of the pool.
    fn tree(&self, from: &End<'_>) -> PathBuf {
        from.site.dir.join(TREE)
    }

    fn received(&self, to: &End<'_>, _step: SendStep) -> PathBuf {
        to.site.dir.join(TREE)
    }

    fn prepare(&self, from: &End<'_>) -> Vec<Cmd> {
        vec![Cmd::new("zfs").args(["create", &dataset(from)])]
    }

    fn prepare_received(&self, _to: &End<'_>) -> Vec<Cmd> {
        Vec::new()
    }

    fn freeze(&self, from: &End<'_>, step: SendStep) -> Vec<Cmd> {
        vec![Cmd::new("zfs").args(["snapshot", &snapshot(from, step)])]
    }

    fn send(&self, from: &End<'_>, step: SendStep) -> Cmd {
        let cmd = Cmd::new("zfs").arg("send");
        let cmd = match step.before() {
            Some(SendStep(before)) => cmd.args(["-i", &format!("@{before}")]),
            None => cmd,
        };
        cmd.arg(snapshot(from, step))
    }

    /// A look at the received files may have changed their times of access: these changes are dropped.
    fn receive(&self, to: &End<'_>, _step: SendStep) -> Cmd {
        Cmd::new("zfs").args(["receive", "-F", &dataset(to)])
    }
}

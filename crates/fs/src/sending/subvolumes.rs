//! Btrfs: snapshots of a subvolume, by btrfs-send(8).

use super::{End, SendStep, Sending, TREE};
use crate::Cmd;
use std::path::PathBuf;

/// Snapshots of a subvolume.
pub(crate) struct Subvolumes;

fn snapshot(end: &End<'_>, SendStep(step): SendStep) -> PathBuf {
    end.root.join(format!("{TREE}.{step}"))
}

impl Sending for Subvolumes {
    fn name(&self) -> &'static str {
        "btrfs send | btrfs receive"
    }

    fn is_native(&self) -> bool {
        true
    }

    fn tree(&self, from: &End<'_>) -> PathBuf {
        from.root.join(TREE)
    }

    fn received(&self, to: &End<'_>, step: SendStep) -> PathBuf {
        snapshot(to, step)
    }

    fn prepare(&self, from: &End<'_>) -> Vec<Cmd> {
        vec![Cmd::new("btrfs").args(["subvolume", "create"]).arg(self.tree(from))]
    }

    fn prepare_received(&self, _to: &End<'_>) -> Vec<Cmd> {
        Vec::new()
    }

    fn freeze(&self, from: &End<'_>, step: SendStep) -> Vec<Cmd> {
        let cmd = Cmd::new("btrfs").args(["subvolume", "snapshot", "-r"]);
        vec![cmd.arg(self.tree(from)).arg(snapshot(from, step))]
    }

    fn send(&self, from: &End<'_>, step: SendStep) -> Cmd {
        let cmd = Cmd::new("btrfs").args(["send", "-q"]);
        let cmd = match step.before() {
            Some(before) => cmd.arg("-p").arg(snapshot(from, before)),
            None => cmd,
        };
        cmd.arg(snapshot(from, step))
    }

    fn receive(&self, to: &End<'_>, _step: SendStep) -> Cmd {
        Cmd::new("btrfs").args(["receive", "-q"]).arg(to.root)
    }
}

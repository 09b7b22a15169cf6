//! Ways to bring a tree of files to another file system of the same kind: the commands of each, as data. A file
//! system with a way of its own names it in [`FileSystem::sending`](crate::FileSystem::sending).

mod datasets;
mod subvolumes;
mod tar;

pub(crate) use datasets::Datasets;
pub(crate) use subvolumes::Subvolumes;
pub(crate) use tar::Tar;

use crate::{Cmd, Site};
use std::path::{Path, PathBuf};

/// The name of the tree that is sent.
const TREE: &str = "tree";

/// One end of a transfer.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// The top part of the target.
    pub site: &'a Site,
    /// The directory in it in which a tree may be made.
    pub root: &'a Path,
}

/// A step of a transfer: each sends a state of the tree, the first in full and each further one what has changed since
/// the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendStep(pub u32);

impl SendStep {
    /// The one before; `None` for the first, which is sent in full.
    pub fn before(self) -> Option<SendStep> {
        self.0.checked_sub(1).map(SendStep)
    }
}

/// A way to send a tree.
pub trait Sending: Sync {
    /// The programs at both ends, e.g. `btrfs send | btrfs receive`.
    fn name(&self) -> &'static str;

    /// Whether it is the file system's own, and not one that reads files like any program.
    fn is_native(&self) -> bool;

    /// The tree at the sending end, which is changed between steps.
    fn tree(&self, from: &End<'_>) -> PathBuf;

    /// The tree at the receiving end after `step`.
    fn received(&self, to: &End<'_>, step: SendStep) -> PathBuf;

    /// Commands that make an empty tree at the sending end.
    fn prepare(&self, from: &End<'_>) -> Vec<Cmd>;

    /// Commands that make the receiving end ready.
    fn prepare_received(&self, to: &End<'_>) -> Vec<Cmd>;

    /// Commands that keep the state of the tree in `step`, untimed.
    fn freeze(&self, from: &End<'_>, step: SendStep) -> Vec<Cmd>;

    /// The command that writes the stream of `step` to its standard output.
    fn send(&self, from: &End<'_>, step: SendStep) -> Cmd;

    /// The command that reads it from its standard input.
    fn receive(&self, to: &End<'_>, step: SendStep) -> Cmd;
}

impl std::fmt::Debug for dyn Sending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, resolve, sites};

    /// The commands of the first two steps of a target, at `/from` and `/to`.
    fn commands(name: &str) -> Vec<String> {
        let target = resolve(&name.parse().unwrap()).unwrap();
        let parts = target.parts();
        let site = |dir: &str, name: &'static str| {
            let place = move |_, _: &crate::Part| (name.into(), dir.into(), "/scratch".into());
            sites(parts, &["/dev/loopN".into()], (1 << 30, None), place).remove(0)
        };
        let (from, to) = (site("/from", "assay-0"), site("/to", "assay-1"));
        let from = End { site: &from, root: Path::new("/from/w") };
        let to = End { site: &to, root: Path::new("/to/w") };
        let way = parts[0].fs.sending();
        let mut all = way.prepare(&from);
        all.extend(way.prepare_received(&to));
        for step in [SendStep(0), SendStep(1)] {
            all.extend(way.freeze(&from, step));
            all.extend([way.send(&from, step), way.receive(&to, step)]);
        }
        let shown = all.iter().map(|command| command.to_string());
        let trees = [way.tree(&from), way.received(&to, SendStep(1))];
        shown.chain(trees.map(|tree| tree.display().to_string())).collect()
    }

    #[test]
    fn btrfs_sends_what_differs_between_two_snapshots() {
        assert_eq!(
            commands("btrfs"),
            [
                "btrfs subvolume create /from/w/tree",
                "btrfs subvolume snapshot -r /from/w/tree /from/w/tree.0",
                "btrfs send -q /from/w/tree.0",
                "btrfs receive -q /to/w",
                "btrfs subvolume snapshot -r /from/w/tree /from/w/tree.1",
                "btrfs send -q -p /from/w/tree.0 /from/w/tree.1",
                "btrfs receive -q /to/w",
                "/from/w/tree",
                "/to/w/tree.1",
            ]
        );
    }

    #[test]
    fn zfs_sends_what_differs_between_two_snapshots() {
        for name in ["zfs", "zfs-fuse"] {
            assert_eq!(
                commands(name),
                [
                    "zfs create assay-0/tree",
                    "zfs snapshot assay-0/tree@0",
                    "zfs send assay-0/tree@0",
                    "zfs receive -F assay-1/tree",
                    "zfs snapshot assay-0/tree@1",
                    "zfs send -i @0 assay-0/tree@1",
                    "zfs receive -F assay-1/tree",
                    "/from/tree",
                    "/to/tree",
                ]
            );
        }
    }

    #[test]
    fn what_has_no_way_of_its_own_is_sent_by_tar() {
        for name in ["ext4", "xfs", "f2fs"] {
            assert_eq!(find(name).unwrap().sending().name(), Tar.name());
        }
        let send = "tar --create --format=posix --acls --xattrs '--xattrs-include=*' --no-check-device \
                    --listed-incremental=/scratch/tar.state --directory=/from/w/tree .";
        let receive = "tar --extract --acls --xattrs '--xattrs-include=*' --same-owner --numeric-owner \
                       --same-permissions --listed-incremental=/dev/null --directory=/to/w/tree";
        let [mkdir, mkdir_received] = ["mkdir /from/w/tree", "mkdir /to/w/tree"];
        let trees = ["/from/w/tree", "/to/w/tree"];
        let both = [mkdir, mkdir_received, send, receive, send, receive];
        assert_eq!(commands("ext4"), [&both[..], &trees].concat());
    }
}

//! Plans without touching anything: the variants of a sweep, the commands of a dry run.

mod sweep;

pub use sweep::sweep;

use crate::{backing::loop_device, programs::keys, stack::Stack};
use fs::{Cmd, Endpoint, Part, ResolvedTarget};
use model::plan::ObjectStore;
use std::path::{Path, PathBuf};

/// Backing that a dry run assumes.
#[derive(Clone, Copy, Debug)]
pub enum Backing<'a> {
    /// Loop devices over images called so.
    Image(&'a Path),
    /// These disks.
    Disks(&'a [PathBuf]),
}

/// Every command that making `target` on `backing`, with the object store of the user's own where it names
/// that, mounting it at `mount_point` and undoing all of it would run; none for a directory.
pub fn commands(
    target: &ResolvedTarget,
    (backing, store): (Backing<'_>, Option<&ObjectStore>),
    mount_point: &Path,
) -> Vec<Cmd> {
    if target.directory().is_some() {
        return Vec::new();
    }
    let count = target.disks();
    let (disks, image) = match backing {
        Backing::Image(image) => (loops(count), Some(image)),
        Backing::Disks(disks) => (disks.iter().take(count).cloned().collect(), None),
    };
    let outside = store.map(|store| Endpoint::of_user(store, keys::has_token()));
    let stack = dry(target.parts(), (&disks, outside.as_ref()), mount_point);
    let attached = || image.iter().flat_map(|image| disks.iter().map(move |disk| (*image, disk)));
    let attach = attached().flat_map(|(image, disk)| loop_device::attach_commands(image, disk));
    let detach = attached().map(|(_, disk)| loop_device::detach_command(disk));
    attach.chain(stack.commands()).chain(stack.undo_commands()).chain(detach).collect()
}

/// Size of a device in a dry run, bytes; the real one is known when it is there.
const BYTES: u64 = 1 << 30;

/// Loop devices in a dry run; which ones are free is known only when they are attached.
fn loops(count: usize) -> Vec<PathBuf> {
    let names = ["N", "M", "L", "K", "J", "I", "H", "G"].iter().cycle().take(count);
    names.map(|name| format!("/dev/loop{name}").into()).collect()
}

/// `parts` on `disks`, at sites that do not exist, the top one at `mount_point`.
fn dry(
    parts: &[Part],
    (disks, outside): (&[PathBuf], Option<&Endpoint>),
    mount_point: &Path,
) -> Stack {
    Stack::new(parts, disks, (BYTES, outside), |number, _| {
        let dir = match number + 1 == parts.len() {
            true => mount_point.to_path_buf(),
            false => format!("{}{number}", mount_point.display()).into(),
        };
        (format!("assay-{number}"), dir, format!("SCRATCH{number}").into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_attaches_makes_mounts_and_undoes() {
        let target = "xfs[noatime]".parse().unwrap();
        let plan =
            commands(&target, (Backing::Image(Path::new("/img dir/i")), None), Path::new("/m"));
        let text: Vec<String> = plan.iter().map(Cmd::to_string).collect();
        assert_eq!(
            text,
            [
                "losetup --find --show '/img dir/i'",
                "losetup --direct-io=on /dev/loopN",
                "mkfs.xfs -f -q -K /dev/loopN",
                "mount -t xfs -o noatime /dev/loopN /m",
                "umount /m",
                "losetup --detach /dev/loopN",
            ]
        );
    }

    #[test]
    fn a_directory_needs_no_command() {
        let image = Backing::Image(Path::new("/i"));
        let plan = commands(&"dir:/srv".parse().unwrap(), (image, None), Path::new("/m"));
        assert!(plan.is_empty());
    }

    #[test]
    fn a_disk_is_not_attached() {
        let disks = ["/dev/disk/by-id/a".into(), "/dev/disk/by-id/b".into()];
        let plan =
            commands(&"xfs".parse().unwrap(), (Backing::Disks(&disks), None), Path::new("/m"));
        let text: Vec<String> = plan.iter().map(Cmd::to_string).collect();
        assert_eq!(text[0], "mkfs.xfs -f -q -K /dev/disk/by-id/a");
        assert!(text.iter().all(|line| !line.contains("losetup") && !line.contains("by-id/b")));
    }
}

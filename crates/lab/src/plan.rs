//! The dry run: which commands a target would run, touching nothing.

use crate::{
    Cmd, LabError,
    fs::{self, Candidate, Part},
    loop_device,
    stack::Stack,
};
use model::Target;
use std::path::{Path, PathBuf};

/// Every command that attaching `image`, making `target`, mounting it at `mount_point` and undoing
/// all of it would run; none for a directory.
///
/// # Errors
/// The target is not one that the lab can make.
pub fn plan(target: &Target, image: &Path, mount_point: &Path) -> Result<Vec<Cmd>, LabError> {
    let Candidate::Made(parts) = fs::resolve(target)? else {
        return Ok(Vec::new());
    };
    let disks = devices(&parts);
    let stack = dry(&parts, mount_point);
    let mut commands = Vec::new();
    for device in &disks {
        commands.extend(loop_device::attach_commands(image, device));
    }
    commands.extend(stack.commands());
    commands.extend(stack.undo_commands());
    commands.extend(disks.iter().map(|device| loop_device::detach_command(device)));
    Ok(commands)
}

/// Size of a device in a dry run, bytes; the real one is known when it is there.
const BYTES: u64 = 1 << 30;

/// The devices in a dry run; which ones are free is known only when they are attached.
fn devices(parts: &[Part]) -> Vec<PathBuf> {
    let count = parts.first().map_or(0, Part::disks);
    ["N", "M", "L", "K"]
        .iter()
        .cycle()
        .take(count)
        .map(|n| format!("/dev/loop{n}").into())
        .collect()
}

/// `parts` at sites that do not exist, the top one at `mount_point`.
fn dry(parts: &[Part], mount_point: &Path) -> Stack {
    Stack::new(parts, &devices(parts), BYTES, |number, _| {
        let dir = match number + 1 == parts.len() {
            true => mount_point.to_path_buf(),
            false => format!("{}{number}", mount_point.display()).into(),
        };
        (format!("assay-{number}"), dir, format!("SCRATCH{number}").into())
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What `target` runs to be made and mounted at `/m`, as text, for golden tests.
    pub(crate) fn commands(target: &str) -> Vec<String> {
        let target = target.parse().unwrap();
        let Candidate::Made(parts) = fs::resolve(&target).unwrap() else {
            panic!("{target} is a directory");
        };
        let stack = dry(&parts, Path::new("/m"));
        stack.commands().iter().map(Cmd::to_string).collect()
    }

    #[test]
    fn a_plan_attaches_makes_mounts_and_undoes() {
        let target = "xfs[noatime]".parse().unwrap();
        let plan = plan(&target, Path::new("/img dir/i"), Path::new("/m")).unwrap();
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
        let plan = plan(&"dir:/srv".parse().unwrap(), Path::new("/i"), Path::new("/m")).unwrap();
        assert!(plan.is_empty());
    }
}

//! The dry run: which commands a target would run, touching nothing.

use crate::{
    Cmd, LabError,
    fs::{self, Candidate},
    loop_device,
};
use model::Target;
use std::path::Path;

/// The device in a dry run; which one is free is known only when it is attached.
const DEVICE: &str = "/dev/loopN";

/// Every command that attaching `image`, making `target`, mounting it at `mount_point` and undoing
/// all of it would run; none for a directory.
///
/// # Errors
/// The target is not one that the lab can make.
pub fn plan(target: &Target, image: &Path, mount_point: &Path) -> Result<Vec<Cmd>, LabError> {
    let Candidate::Made(fs, options) = fs::resolve(target)? else {
        return Ok(Vec::new());
    };
    let device = Path::new(DEVICE);
    let mut commands = Vec::new();
    if fs.has_device() {
        commands.extend(loop_device::attach_commands(image, device));
    }
    commands.extend(fs.mkfs(device, options));
    commands.extend(fs.mount(device, mount_point, options));
    commands.extend(fs.unmount(mount_point));
    if fs.has_device() {
        commands.push(loop_device::detach_command(device));
    }
    Ok(commands)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What `target` runs to be made and mounted at `/m`, as text, for golden tests.
    pub(crate) fn commands(target: &str) -> Vec<String> {
        let target = target.parse().unwrap();
        let Candidate::Made(fs, options) = fs::resolve(&target).unwrap() else {
            panic!("{target} is a directory");
        };
        let (device, dir) = (Path::new(DEVICE), Path::new("/m"));
        let all = fs.mkfs(device, options).into_iter().chain(fs.mount(device, dir, options));
        all.map(|cmd| cmd.to_string()).collect()
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

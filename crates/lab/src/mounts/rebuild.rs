//! Asks the kernel, or zpool-status(8), how far the rebuild of a mirror is.

use crate::{error::LabError, programs::Run};
use ::fs::{Cmd, Rebuild};
use disk::Device;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// How far a rebuild is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Its mirror lacks a disk, and nothing is copied yet.
    Awaited,
    /// It is at work.
    Running,
    /// Nothing is copied, and the mirror lacks nothing; of a ZFS pool, that nothing is copied.
    Over,
}

/// How far `rebuild` is.
///
/// # Errors
/// The kernel does not report it.
pub(crate) fn progress(rebuild: &Rebuild) -> Result<Progress, LabError> {
    let (is_running, lacks_a_disk) = match rebuild {
        Rebuild::Md(node) => {
            let md = sysfs(node)?.join("md");
            let lacks = read(&md.join("degraded"))? != "0";
            (read(&md.join("sync_action"))? == "recover", lacks)
        }
        Rebuild::Btrfs(disk) => {
            let of = of_btrfs(disk)?;
            let lacks = has_missing(&of);
            (read(&of.join("exclusive_operation"))? == "device replace", lacks)
        }
        Rebuild::Zfs(pool) => {
            (is_resilvered(&Cmd::new("zpool").args(["status", pool]).run()?.stdout), false)
        }
    };
    Ok(match (is_running, lacks_a_disk) {
        (true, _) => Progress::Running,
        (false, true) => Progress::Awaited,
        (false, false) => Progress::Over,
    })
}

/// Returns true if `rebuild` is at work.
///
/// # Errors
/// The kernel does not report it.
pub(crate) fn is_running(rebuild: &Rebuild) -> Result<bool, LabError> {
    Ok(progress(rebuild)? == Progress::Running)
}

/// What the kernel has in `file`.
fn read(file: &Path) -> Result<String, LabError> {
    let text = fs::read_to_string(file).map_err(LabError::io("read", file))?;
    Ok(text.trim().to_string())
}

/// Returns true if the Btrfs at `fs_dir`, in sysfs, lacks one of its disks. What replaces it takes its number when all
/// is copied.
fn has_missing(fs_dir: &Path) -> bool {
    let disks = fs::read_dir(fs_dir.join("devinfo")).into_iter().flatten().flatten();
    disks.map(|disk| disk.path().join("missing")).any(|file| read(&file).is_ok_and(|m| m == "1"))
}

/// Returns true if a resilver is at work, by what `zpool status` prints of a pool. Its line `scan` tells of the
/// last one, too.
fn is_resilvered(status: &str) -> bool {
    let scan = status.lines().find_map(|line| line.trim().strip_prefix("scan:"));
    scan.is_some_and(|scan| scan.trim().starts_with("resilver in progress"))
}

fn sysfs(node: &Path) -> Result<PathBuf, LabError> {
    let device = Device::of_node(node).ok_or_else(|| gone(node))?;
    Ok(device.sysfs())
}

/// The directory in sysfs of the Btrfs of which `disk` is a member.
fn of_btrfs(disk: &Path) -> Result<PathBuf, LabError> {
    let wanted = Device::of_node(disk).ok_or_else(|| gone(disk))?;
    let all = fs::read_dir("/sys/fs/btrfs").into_iter().flatten().flatten().map(|e| e.path());
    let number = |member: fs::DirEntry| fs::read_to_string(member.path().join("dev")).ok();
    let has = |fs_dir: &PathBuf| {
        let members = fs::read_dir(fs_dir.join("devices")).into_iter().flatten().flatten();
        members.filter_map(number).any(|text| Device::from_text(&text) == Some(wanted))
    };
    all.into_iter().find(has).ok_or_else(|| gone(disk))
}

fn gone(node: &Path) -> LabError {
    LabError::io("find the rebuild of", node)(io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rebuild_of_an_array_that_is_gone_is_an_error() {
        let lost = is_running(&Rebuild::Md("/dev/md/assay-none".into())).unwrap_err().to_string();
        assert!(lost.contains("/dev/md/assay-none"), "{lost}");
    }

    /// The heads of what it prints.
    #[test]
    fn a_resilver_is_known_by_the_scan_that_is_in_progress() {
        let status = |scan: &str| {
            is_resilvered(&format!(
                "  pool: assay-0\n state: ONLINE\nstatus: One or more devices is currently being \
                 resilvered.\n  scan: {scan}\n\t0B resilvered, 0.00% done\nconfig:\n"
            ))
        };
        assert!(status("resilver in progress since Sun Nov 26 06:05:37 2023"));
        assert!(!status("resilvered 374M in 00:00:05 with 0 errors on Sun Nov 26 06:05:42 2023"));
        assert!(!status("scrub in progress since Sun Nov 26 06:05:37 2023"));
        assert!(!is_resilvered("  pool: assay-0\n state: ONLINE\nconfig:\n"));
    }
}

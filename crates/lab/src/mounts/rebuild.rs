//! Asks the kernel, or zpool-status(8), whether a mirror is being rebuilt.

use crate::{error::LabError, programs::Run};
use ::fs::{Cmd, Rebuild};
use disk::Device;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Returns true if `rebuild` is at work.
///
/// # Errors
/// The kernel does not report it.
pub(crate) fn is_running(rebuild: &Rebuild) -> Result<bool, LabError> {
    match rebuild {
        Rebuild::Md(node) => says(&sysfs(node)?.join("md/sync_action"), "recover"),
        Rebuild::Btrfs(disk) => {
            says(&of_btrfs(disk)?.join("exclusive_operation"), "device replace")
        }
        Rebuild::Zfs(pool) => {
            Ok(is_resilvered(&Cmd::new("zpool").args(["status", pool]).run()?.stdout))
        }
    }
}

/// Returns true if the kernel has `word` in `file`.
fn says(file: &Path, word: &str) -> Result<bool, LabError> {
    let text = fs::read_to_string(file).map_err(LabError::io("read", file))?;
    Ok(text.trim() == word)
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

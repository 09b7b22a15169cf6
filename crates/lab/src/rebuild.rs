//! The rebuild of a mirror whose last disk is new: how a target asks for it, and whether it is running, as the kernel
//! says, or zpool-status(8). It begins with each mount and ends with the unmount.

use crate::{Cmd, LabError};
use disk::Device;
use model::Options;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The option that asks for it: its rate, MiB/s, where it can be held to one.
pub(crate) const RESYNC: &str = "resync";

/// What it is, for every mirror that holds it to a rate.
pub(crate) const HELP: &str =
    "measured while its last disk is rebuilt, at this rate, from the begin of each test on";

/// Whose rebuild it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuild {
    /// Of the array at this node.
    Md(PathBuf),
    /// Of the Btrfs of which this disk is a member.
    Btrfs(PathBuf),
    /// Of the ZFS pool of this name.
    Zfs(String),
}

/// Whether `options` ask for it, with a rate or without.
pub(crate) fn is_asked(options: &Options) -> bool {
    options.contains_key(RESYNC)
}

/// The rate that `options` ask for, MiB/s.
pub(crate) fn rate(options: &Options) -> Option<u32> {
    options.get(RESYNC)?.parse().ok().filter(|rate| *rate > 0)
}

/// Why `options` cannot be.
pub(crate) fn excluded(options: &Options) -> Option<&'static str> {
    let wrong = is_asked(options) && rate(options).is_none();
    wrong.then_some("resync is the rate of the rebuild in MiB/s, as resync=20")
}

/// Status of `btrfs replace cancel` when nothing is rebuilt.
const NOT_STARTED: i32 = 2;

impl Rebuild {
    /// Ends that of the Btrfs at `dir`. What is suspended at an unmount would go on with the next mount, onto a disk
    /// that is taken from it then.
    pub(crate) fn cancel(dir: &Path) -> Cmd {
        Cmd::new("btrfs").args(["replace", "cancel"]).arg(dir).accepts(NOT_STARTED)
    }

    /// Whether it is at work.
    ///
    /// # Errors
    /// The kernel does not tell.
    pub(crate) fn is_running(&self) -> Result<bool, LabError> {
        match self {
            Rebuild::Md(node) => says(&sysfs(node)?.join("md/sync_action"), "recover"),
            Rebuild::Btrfs(disk) => {
                says(&of_btrfs(disk)?.join("exclusive_operation"), "device replace")
            }
            Rebuild::Zfs(pool) => {
                Ok(is_resilvered(&Cmd::new("zpool").args(["status", pool]).run()?.stdout))
            }
        }
    }
}

/// Whether the kernel has `word` in `file`.
fn says(file: &Path, word: &str) -> Result<bool, LabError> {
    let text = fs::read_to_string(file).map_err(LabError::io("read", file))?;
    Ok(text.trim() == word)
}

/// Whether a resilver is at work, by what `zpool status` prints of a pool. Its line `scan` tells of the last one, too.
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
    fn the_rate_is_a_number_above_zero() {
        let of = |value: &str| Options::from([(RESYNC.into(), value.into())]);
        assert_eq!((rate(&of("20")), excluded(&of("20"))), (Some(20), None));
        for wrong in ["", "0", "-1", "fast", "1.5"] {
            assert!(excluded(&of(wrong)).unwrap().contains("as resync=20"), "{wrong}");
        }
        assert_eq!(excluded(&Options::new()), None);
        assert_eq!((is_asked(&of("")), is_asked(&Options::new())), (true, false));
        let lost = Rebuild::Md("/dev/md/assay-none".into()).is_running().unwrap_err().to_string();
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

//! Who has a disk open for writing. The kernel grants an exclusive open beside a plain one, so that a
//! program that writes to the disk itself, a virtual machine for one, is only seen by its descriptors.

use super::sysfs::{self, Number};
use std::{
    collections::BTreeSet,
    fs::{self, DirEntry},
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::Path,
    process,
};

/// A process that can write to a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Writer {
    /// Its number.
    pub(super) pid: u32,
    /// Its name, as `ps` shows it.
    pub(super) program: String,
}

/// Another process that has one of `devices` open for writing. Those of other process namespaces than this
/// one's and its children's are not seen.
pub(super) fn find(devices: &BTreeSet<Number>) -> Option<Writer> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let writer = numbers.find(|pid| *pid != process::id() && writes(*pid, devices));
    writer.map(|pid| Writer { pid, program: name(pid) })
}

fn writes(pid: u32, devices: &BTreeSet<Number>) -> bool {
    let process = Path::new("/proc").join(pid.to_string());
    // One that has ended meanwhile writes no more.
    let open = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    let is_of = |file: &DirEntry| {
        fs::metadata(file.path()).is_ok_and(|meta| {
            meta.file_type().is_block_device() && devices.contains(&sysfs::number(meta.rdev()))
        })
    };
    let info = |file: DirEntry| fs::read_to_string(process.join("fdinfo").join(file.file_name()));
    let infos = open.filter(is_of).map(info);
    // Where the mode is not told, it may be for writing.
    infos.into_iter().any(|info| info.map_or(process.exists(), |info| is_for_writing(&info)))
}

/// Whether the flags in a file of proc_pid_fdinfo(5), octal digits, are of an open for writing.
fn is_for_writing(info: &str) -> bool {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
    // A path alone (O_PATH) cannot be written to.
    flags.is_none_or(|flags| flags & libc::O_ACCMODE != libc::O_RDONLY && flags & libc::O_PATH == 0)
}

fn name(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_is_told_by_the_flags() {
        let info = |flags: &str| format!("pos:\t0\nflags:\t{flags}\nmnt_id:\t29\n");
        for (flags, writes) in
            [("0100000", false), ("0100001", true), ("02100002", true), ("010100000", false)]
        {
            assert_eq!(is_for_writing(&info(flags)), writes, "{flags}");
        }
        assert!(is_for_writing("pos:\t0\n"), "not told");
    }

    #[test]
    fn nobody_writes_to_no_device() {
        assert_eq!(find(&BTreeSet::new()), None);
    }
}

//! Finds processes that have a disk, or the file behind it, open for writing. The kernel grants an exclusive open even
//! if another process has a plain one, so a program that writes to the disk itself (e.g. a virtual machine) is visible
//! only by its descriptors; and the kernel does not track writers of the file behind a loop device.

use super::sysfs::{self, Number};
use crate::attached::FileId;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, DirEntry},
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::{Path, PathBuf},
    process,
};

/// A process that can write to a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Writer {
    /// Its number.
    pub(super) pid: u32,
    /// Its name, as `ps` shows it.
    pub(super) program: String,
    /// The file behind the disk that it can write to; `None` for the disk itself.
    pub(super) file: Option<PathBuf>,
}

/// The files that no other process may write to.
#[derive(Clone, Debug, Default)]
pub(super) struct Guarded {
    pub(super) devices: BTreeSet<Number>,
    /// Files behind loop devices, with their names.
    pub(super) files: BTreeMap<FileId, PathBuf>,
}

/// Another process that has something of `guarded` open for writing, or a file of it mapped. Those of other process
/// namespaces than this one's and its children's are not seen.
pub(super) fn find(guarded: &Guarded) -> Option<Writer> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut others = numbers.filter(|pid| *pid != process::id());
    others.find_map(|pid| {
        let file = guarded.opened(pid).or_else(|| guarded.mapped(pid))?;
        Some(Writer { pid, program: name(pid), file })
    })
}

impl Guarded {
    /// Returns what the process has open for writing: the file behind a disk, or the disk itself.
    fn opened(&self, pid: u32) -> Option<Option<PathBuf>> {
        let process = Path::new("/proc").join(pid.to_string());
        // One that has ended meanwhile writes no more.
        let open = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        let writes = |file: &DirEntry| {
            let info = fs::read_to_string(process.join("fdinfo").join(file.file_name()));
            // Where the mode is not told, it may be for writing.
            info.map_or(process.exists(), |info| is_for_writing(&info))
        };
        let mut guarded = open.filter_map(|file| Some((self.of(&file.path())?, file)));
        guarded.find(|(_, file)| writes(file)).map(|(of, _)| of)
    }

    /// The guarded file that the process has mapped from an open for writing, which it may have closed since.
    fn mapped(&self, pid: u32) -> Option<Option<PathBuf>> {
        if self.files.is_empty() {
            return None;
        }
        let process = Path::new("/proc").join(pid.to_string());
        let maps = fs::read_to_string(process.join("maps")).unwrap_or_default();
        let is_inode = |inode: u64| self.files.keys().any(|file| file.inode == inode);
        let ranges = maps.lines().filter_map(mapping).filter(|(_, inode)| is_inode(*inode));
        let mut mapped = ranges.filter_map(|(range, _)| {
            let link = process.join("map_files").join(range);
            let of = self.of(&link)?;
            // The permissions of the link are those of the open that was mapped.
            let writes = fs::symlink_metadata(&link).is_ok_and(|link| link.mode() & 0o200 != 0);
            writes.then_some(of)
        });
        mapped.next()
    }

    /// Returns the file behind a disk that `open` leads to, or `Some(None)` for the disk itself; `None` for neither.
    fn of(&self, open: &Path) -> Option<Option<PathBuf>> {
        let meta = fs::metadata(open).ok()?;
        if meta.file_type().is_block_device() {
            return self.devices.contains(&sysfs::number(meta.rdev())).then_some(None);
        }
        let id = FileId { device: meta.dev(), inode: meta.ino() };
        self.files.get(&id).cloned().map(Some)
    }
}

/// Returns the range, as named in `map_files`, and the inode of a line of proc_pid_maps(5).
fn mapping(line: &str) -> Option<(String, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let plain = |hex: &str| u64::from_str_radix(hex, 16).ok().map(|n| format!("{n:x}"));
    Some((format!("{}-{}", plain(start)?, plain(end)?), words.nth(3)?.parse().ok()?))
}

/// Returns true if the octal flags in a file of proc_pid_fdinfo(5) include write access.
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
    fn mode_follows_from_the_flags() {
        let info = |flags: &str| format!("pos:\t0\nflags:\t{flags}\nmnt_id:\t29\n");
        for (flags, writes) in
            [("0100000", false), ("0100001", true), ("02100002", true), ("010100000", false)]
        {
            assert_eq!(is_for_writing(&info(flags)), writes, "{flags}");
        }
        assert!(is_for_writing("pos:\t0\n"), "not told");
    }

    #[test]
    fn a_mapping_is_named_without_the_zeros_in_front() {
        let line = "00400000-0040b000 rw-s 00000000 08:02 1234   /tmp/a b";
        assert_eq!(mapping(line), Some(("400000-40b000".into(), 1234)));
        assert_eq!(mapping("7ffd0000-7ffd1000 rw-p 0 00:00 0  [stack]").unwrap().1, 0);
        assert_eq!(mapping(""), None);
    }

    #[test]
    fn no_device_has_no_writers() {
        assert_eq!(find(&Guarded::default()), None);
    }
}

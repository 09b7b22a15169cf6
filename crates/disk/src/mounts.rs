//! What is mounted where, from `/proc/self/mountinfo`.

use crate::Error;
use std::{
    fs,
    path::{Path, PathBuf},
};

const MOUNTINFO: &str = "/proc/self/mountinfo";

/// One line of mountinfo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Number of the device, as `8:1`; of Btrfs and of what has no device an anonymous one.
    pub number: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// Type of the file system.
    pub kind: String,
    /// What is mounted, as `/dev/sdb1`.
    pub source: PathBuf,
    /// Options of the mount and of the file system, joined.
    pub options: String,
}

/// Every mount that this process sees, in the order in which they were mounted.
///
/// # Errors
/// The mount table cannot be read.
pub fn all() -> Result<Vec<Mount>, Error> {
    let text = fs::read_to_string(MOUNTINFO).map_err(Error::io("read", Path::new(MOUNTINFO)))?;
    Ok(text.lines().filter_map(parse).collect())
}

/// The mount that is visible at exactly `dir`.
///
/// # Errors
/// The mount table cannot be read.
pub fn at(dir: &Path) -> Result<Option<Mount>, Error> {
    Ok(all()?.into_iter().rfind(|mount| mount.mount_point == dir))
}

/// The mount that `path` is on; `path` is canonical.
///
/// # Errors
/// The mount table cannot be read.
pub fn holding(path: &Path) -> Result<Option<Mount>, Error> {
    let mounts = all()?.into_iter().filter(|mount| path.starts_with(&mount.mount_point));
    // The last of equally long mount points is the visible one.
    Ok(mounts.max_by_key(|mount| mount.mount_point.components().count()))
}

/// A mount point at or below `dir`.
///
/// # Errors
/// The mount table cannot be read.
pub fn below(dir: &Path) -> Result<Option<PathBuf>, Error> {
    let found = all()?.into_iter().find(|mount| mount.mount_point.starts_with(dir));
    Ok(found.map(|mount| mount.mount_point))
}

/// A process that has the disk `node` mounted in a mount namespace of its own, in a few words; where none is seen to
/// have, one whose mounts lie outside its root directory, where proc_pid_mountinfo(5) does not show them.
pub fn elsewhere(node: &Path) -> Option<String> {
    let own = fs::read_link("/proc/self/ns/mnt").ok()?;
    let apart = |process: &PathBuf| {
        fs::read_link(process.join("ns/mnt")).is_ok_and(|namespace| namespace != own)
    };
    let all = fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path()).filter(apart);
    let all: Vec<PathBuf> = all.collect();
    let first = |does: &dyn Fn(&Path) -> bool, word: &str| {
        let process = all.iter().find(|process| does(process))?;
        let name = fs::read_to_string(process.join("comm")).ok()?;
        let (number, name) = (process.file_name()?.display(), name.trim_end());
        Some(format!("process {number} ({name}) {word} it mounted in its own namespace"))
    };
    let hidden = || Some(first(&has_other_root, "may have")? + ", out of sight below another root");
    first(&|process| shows(process, node), "has").or_else(hidden)
}

/// Whether `process`, a directory of /proc, sees the disk `node` mounted.
fn shows(process: &Path, node: &Path) -> bool {
    let mounts = fs::read_to_string(process.join("mountinfo")).unwrap_or_default();
    mounts.lines().filter_map(parse).any(|mount| mount.source == node)
}

fn has_other_root(process: &Path) -> bool {
    fs::read_link(process.join("root")).is_ok_and(|root| root != Path::new("/"))
}

/// Reads one line as proc_pid_mountinfo(5) describes it.
fn parse(line: &str) -> Option<Mount> {
    let (head, tail) = line.split_once(" - ")?;
    let head: Vec<&str> = head.split(' ').collect();
    let tail: Vec<&str> = tail.split(' ').collect();
    Some(Mount {
        number: head.get(2)?.to_string(),
        mount_point: unescape(head.get(4)?).into(),
        kind: tail.first()?.to_string(),
        source: unescape(tail.get(1)?).into(),
        options: merge(head.get(5)?, tail.get(2)?),
    })
}

fn merge(mount: &str, file_system: &str) -> String {
    let mut all: Vec<&str> = mount.split(',').collect();
    for option in file_system.split(',') {
        if !all.contains(&option) {
            all.push(option);
        }
    }
    all.join(",")
}

/// Spaces and backslashes stand as three octal digits after a backslash.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let digits = rest.get(at + 1..at + 4);
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                out.push(byte as char);
                rest = &rest[at + 4..];
            }
            None => {
                out.push('\\');
                rest = &rest[at + 1..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read() {
        let line = r"42 27 7:0 / /a\040b rw,noatime shared:1 - xfs /dev/loop0 rw,inode64,noquota";
        assert_eq!(
            parse(line),
            Some(Mount {
                number: "7:0".into(),
                mount_point: "/a b".into(),
                kind: "xfs".into(),
                source: "/dev/loop0".into(),
                options: "rw,noatime,inode64,noquota".into(),
            })
        );
        assert_eq!(parse("junk"), None);
    }

    #[test]
    fn proc_is_mounted_on_proc() {
        assert_eq!(at(Path::new("/proc")).unwrap().unwrap().kind, "proc");
        assert_eq!(holding(Path::new("/proc/self")).unwrap().unwrap().kind, "proc");
        assert!(below(Path::new("/proc/self/fd")).unwrap().is_none());
    }
}

//! Reads mounts from `/proc/self/mountinfo`.

use crate::Error;
use std::{
    fs,
    path::{Path, PathBuf},
};

const MOUNTINFO: &str = "/proc/self/mountinfo";

/// One line of mountinfo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Number of the device, e.g. `8:1`; of Btrfs and of what has no device an anonymous one.
    pub number: String,
    /// The mount point.
    pub mount_point: PathBuf,
    /// Type of the file system.
    pub kind: String,
    /// The mounted source, e.g. `/dev/sdb1`.
    pub source: PathBuf,
    /// Options of the mount and of the file system, joined.
    pub options: String,
}

/// Every mount that this process sees, in the order in which they were mounted.
///
/// # Errors
/// The mount table cannot be read.
pub fn all() -> Result<Vec<Mount>, Error> {
    read(MOUNTINFO)
}

/// Every mount that the calling thread sees, which may have mounts of its own; in the order in which they were mounted.
///
/// # Errors
/// The mount table cannot be read.
pub fn of_thread() -> Result<Vec<Mount>, Error> {
    read("/proc/thread-self/mountinfo")
}

fn read(table: &str) -> Result<Vec<Mount>, Error> {
    let text = fs::read_to_string(table).map_err(Error::io("read", Path::new(table)))?;
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

/// The processes that have the disk `node` mounted in a mount namespace of their own, in a few words; where none is
/// seen to have, those whose mounts lie outside their root directory, where proc_pid_mountinfo(5) does not show them.
/// A single thread of a process, and of this one, may have mounts of its own too.
pub fn elsewhere(node: &Path) -> Option<String> {
    let own = fs::read_link("/proc/self/ns/mnt").ok()?;
    let processes = fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path());
    let all = processes.flat_map(|process| Process::threads(&process));
    say_holders(&all.filter(|process| process.namespace != own).collect::<Vec<_>>(), node)
}

/// The facts read about a process in another mount namespace, or about one of its threads.
struct Process {
    number: u32,
    name: String,
    namespace: PathBuf,
    root: PathBuf,
    /// Text of its mountinfo.
    mounts: String,
}

impl Process {
    /// Reads the threads of `process`, a directory of /proc; none if it is not one, has ended or may not be read.
    fn threads(process: &Path) -> Vec<Process> {
        let number = process.file_name().and_then(|name| name.to_str()?.parse().ok());
        let threads = fs::read_dir(process.join("task"));
        let (Some(number), Ok(threads)) = (number, threads) else { return Vec::new() };
        threads.flatten().filter_map(|thread| Process::read(&thread.path(), number)).collect()
    }

    /// Reads `dir`, the directory of a thread of the process `number`; `None` if it has ended or may not be read.
    fn read(dir: &Path, number: u32) -> Option<Process> {
        Some(Process {
            number,
            name: fs::read_to_string(dir.join("comm")).ok()?.trim_end().into(),
            namespace: fs::read_link(dir.join("ns/mnt")).ok()?,
            root: fs::read_link(dir.join("root")).ok()?,
            mounts: fs::read_to_string(dir.join("mountinfo")).ok()?,
        })
    }

    fn shows(&self, node: &Path) -> bool {
        self.mounts.lines().filter_map(parse).any(|mount| mount.source == node)
    }

    fn has_other_root(&self) -> bool {
        self.root != Path::new("/")
    }
}

/// Namespaces that a message names.
const NAMED: usize = 8;

/// Names one process of each namespace that has `node` mounted, or else that may have.
fn say_holders(apart: &[Process], node: &Path) -> Option<String> {
    let sure = one_of_each(apart.iter().filter(|process| process.shows(node)));
    if !sure.is_empty() {
        return Some(say_list(
            &sure,
            ["has it mounted in its own namespace", "have it mounted in their own namespaces"],
        ));
    }
    let hidden = one_of_each(apart.iter().filter(|process| process.has_other_root()));
    let may =
        ["may have it mounted in its own namespace", "may have it mounted in their own namespaces"];
    (!hidden.is_empty()).then(|| say_list(&hidden, may) + ", hidden below another root")
}

/// The first process of each namespace.
fn one_of_each<'a>(all: impl Iterator<Item = &'a Process>) -> Vec<&'a Process> {
    let mut firsts: Vec<&Process> = Vec::new();
    for process in all {
        if firsts.iter().all(|first| first.namespace != process.namespace) {
            firsts.push(process);
        }
    }
    firsts
}

/// `processes`, of which there is at least one, and what one of them or several do.
fn say_list(processes: &[&Process], [one, several]: [&str; 2]) -> String {
    let named = processes.iter().take(NAMED);
    let named: Vec<String> =
        named.map(|process| format!("{} ({})", process.number, process.name)).collect();
    let others = match processes.len().saturating_sub(NAMED) {
        0 => String::new(),
        others => format!(" and of {others} other namespaces"),
    };
    let (word, does) = if processes.len() == 1 { ("process", one) } else { ("processes", several) };
    format!("{word} {}{others} {does}", named.join(", "))
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

/// Spaces and backslashes are written as three octal digits after a backslash.
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

    fn process(number: u32, namespace: &str, root: &str, mounts: &str) -> Process {
        let [namespace, root] = [namespace, root].map(PathBuf::from);
        Process { number, name: "sh".into(), namespace, root, mounts: mounts.into() }
    }

    #[test]
    fn one_process_of_each_namespace_that_may_hold_a_disk_is_named() {
        let holds = "42 27 7:0 / /a rw - xfs /dev/loop0 rw";
        let said = |all: &[Process]| say_holders(all, Path::new("/dev/loop0"));
        let hidden = [
            process(1, "a", "/", ""),
            process(2, "b", "/r", ""),
            process(3, "c", "/r", ""),
            process(4, "c", "/r", ""),
        ];
        assert_eq!(said(&hidden[..1]), None);
        let one = "process 2 (sh) may have it mounted in its own namespace, hidden below another \
                   root";
        assert_eq!(said(&hidden[..2]).unwrap(), one);
        let two = "processes 2 (sh), 3 (sh) may have it mounted in their own namespaces, hidden \
                   below another root";
        assert_eq!(said(&hidden).unwrap(), two);
        let [first, second, third, fourth] = hidden;
        let sure = [first, second, third, fourth, process(5, "d", "/", holds)];
        assert_eq!(said(&sure).unwrap(), "process 5 (sh) has it mounted in its own namespace");
        let many: Vec<Process> = (0..11).map(|at| process(at, &at.to_string(), "/r", "")).collect();
        assert!(said(&many).unwrap().contains("7 (sh) and of 3 other namespaces may have"));
    }

    #[test]
    fn proc_is_mounted_on_proc() {
        assert_eq!(at(Path::new("/proc")).unwrap().unwrap().kind, "proc");
        assert_eq!(holding(Path::new("/proc/self")).unwrap().unwrap().kind, "proc");
        assert!(below(Path::new("/proc/self/fd")).unwrap().is_none());
    }
}

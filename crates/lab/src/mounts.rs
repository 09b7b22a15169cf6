//! What is mounted where, from `/proc/self/mountinfo`, and unmounting with patience.

use crate::{Cmd, LabError};
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

const MOUNTINFO: &str = "/proc/self/mountinfo";

/// How long a busy mount is tried: a worker that was killed may take a moment to die.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pauses between tries: what closes its files a moment after it ended costs a moment.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// How long the unmounting of what may have no server any more may take, in seconds; less than `PATIENCE`.
const LAST_CALL_S: &str = "5";

/// One line of mountinfo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Number of the device, as `8:1`; of Btrfs and of what has no device an anonymous one.
    pub(crate) number: String,
    pub(crate) mount_point: PathBuf,
    pub(crate) kind: String,
    pub(crate) source: PathBuf,
    /// Options of the mount and of the file system, joined.
    pub(crate) options: String,
}

/// Every mount that this process sees, in the order in which they were mounted.
pub(crate) fn all() -> Result<Vec<Mount>, LabError> {
    let text = fs::read_to_string(MOUNTINFO).map_err(LabError::io("read", Path::new(MOUNTINFO)))?;
    Ok(text.lines().filter_map(parse).collect())
}

/// The mount that is visible at exactly `dir`.
pub(crate) fn at(dir: &Path) -> Result<Option<Mount>, LabError> {
    Ok(all()?.into_iter().rfind(|mount| mount.mount_point == dir))
}

/// The mount that `path` lies on; `path` is canonical.
pub(crate) fn holding(path: &Path) -> Result<Option<Mount>, LabError> {
    let mounts = all()?.into_iter().filter(|mount| path.starts_with(&mount.mount_point));
    // The last of equally long mount points is the visible one.
    Ok(mounts.max_by_key(|mount| mount.mount_point.components().count()))
}

/// A mount point at or below `dir`.
pub(crate) fn below(dir: &Path) -> Result<Option<PathBuf>, LabError> {
    let found = all()?.into_iter().find(|mount| mount.mount_point.starts_with(dir));
    Ok(found.map(|mount| mount.mount_point))
}

/// A process that has the disk `node` mounted in a mount namespace of its own, in a few words.
pub(crate) fn elsewhere(node: &Path) -> Option<String> {
    let own = fs::read_link("/proc/self/ns/mnt").ok()?;
    fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path()).find_map(|process| {
        let apart = fs::read_link(process.join("ns/mnt")).is_ok_and(|namespace| namespace != own);
        let mounts = fs::read_to_string(process.join("mountinfo")).ok().filter(|_| apart)?;
        mounts.lines().filter_map(parse).find(|mount| mount.source == node)?;
        let name = fs::read_to_string(process.join("comm")).ok()?;
        let number = process.file_name()?.display();
        Some(format!("process {number} ({}) has it mounted in its own namespace", name.trim_end()))
    })
}

/// Unmounts what is mounted at `dir` and may have lost its server. Returns whether anything was.
pub(crate) fn abandon(dir: &Path) -> Result<bool, LabError> {
    // Forced, as NFS would wait for its server for ever, and so would the helper of mount without -i. When
    // nothing is mounted any more, version 4 still takes leave of the server, for minutes unless killed.
    let limit = ["--foreground", "--signal=KILL", LAST_CALL_S];
    unmount(dir, &[Cmd::new("timeout").args(limit).args(["umount", "-f", "-i"]).arg(dir)])
}

/// Runs `commands` until nothing is mounted at `dir`. Returns whether anything was.
pub(crate) fn unmount(dir: &Path, commands: &[Cmd]) -> Result<bool, LabError> {
    unmount_within(PATIENCE, dir, commands)
}

fn unmount_within(patience: Duration, dir: &Path, commands: &[Cmd]) -> Result<bool, LabError> {
    let start = Instant::now();
    let mut was_mounted = false;
    let mut pause = SHORTEST_PAUSE;
    while at(dir)?.is_some() {
        was_mounted = true;
        match commands.iter().try_for_each(|cmd| cmd.run().map(drop)) {
            Ok(()) => {}
            Err(error @ LabError::MissingProgram { .. }) => return Err(error),
            // One that was killed while the kernel still wrote back has unmounted all the same.
            Err(error) if start.elapsed() > patience && at(dir)?.is_some() => {
                return Err(LabError::StaysBusy {
                    path: dir.into(),
                    seconds: patience.as_secs(),
                    why: error.to_string(),
                });
            }
            Err(_) => {
                thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        }
    }
    Ok(was_mounted)
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
    fn what_is_unmounted_is_not_busy_however_its_command_ended() {
        if !rustix::process::geteuid().is_root() {
            return needs::skip(needs::Need::Root, "mounting needs root");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        Cmd::new("mount").args(["-t", "tmpfs", "assay-test"]).arg(&path).run().unwrap();
        let busy = unmount_within(Duration::ZERO, &path, &[Cmd::new("false")]);
        assert!(matches!(busy, Err(LabError::StaysBusy { .. })), "{busy:?}");
        let killed = Cmd::new("sh").args(["-c", "umount \"$0\"; kill -9 $$"]).arg(&path);
        assert!(unmount_within(Duration::ZERO, &path, &[killed]).unwrap());
        assert!(!unmount(&path, &[]).unwrap());
    }

    #[test]
    fn proc_is_mounted_on_proc() {
        assert_eq!(at(Path::new("/proc")).unwrap().unwrap().kind, "proc");
        assert_eq!(holding(Path::new("/proc/self")).unwrap().unwrap().kind, "proc");
        assert!(below(Path::new("/proc/self/fd")).unwrap().is_none());
    }
}

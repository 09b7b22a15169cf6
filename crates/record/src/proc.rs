//! What /proc says of processes when their recording begins: threads, descriptors, working directories, memory.

use crate::resolve::{Beginning, OpenFile};
use std::{
    fs, io,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

/// The processes `pids` and all below them.
pub(crate) fn with_descendants(pids: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    let mut next = pids.to_vec();
    while let Some(pid) = next.pop() {
        if !all.contains(&pid) {
            all.push(pid);
            next.extend(threads(pid).iter().flat_map(|tid| children(pid, *tid)));
        }
    }
    all
}

fn children(pid: u32, tid: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The threads of a process, its first one first.
pub(crate) fn threads(pid: u32) -> Vec<u32> {
    let mut tids = numbers(&format!("/proc/{pid}/task"));
    tids.sort_unstable_by_key(|tid| (*tid != pid, *tid));
    tids
}

/// The processes of a control group and of those below it.
pub(crate) fn of_cgroup(path: &Path) -> io::Result<Vec<u32>> {
    let text = fs::read_to_string(path.join("cgroup.procs"))?;
    let mut pids: Vec<u32> = text.lines().filter_map(|pid| pid.parse().ok()).collect();
    for entry in fs::read_dir(path)?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            pids.extend(of_cgroup(&entry.path()).unwrap_or_default());
        }
    }
    Ok(pids)
}

/// A process as it is; `None` where it is gone or may not be looked at.
pub(crate) fn beginning(pid: u32) -> Option<Beginning> {
    let directory = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    Some(Beginning {
        tids: threads(pid),
        pid,
        directory: directory.into_os_string().into_vec(),
        descriptors: descriptors(pid),
    })
}

/// The open files of a process; sockets and pipes are left out.
pub(crate) fn descriptors(pid: u32) -> Vec<OpenFile> {
    let file = |fd: u32| {
        let link = fs::read_link(format!("/proc/{pid}/fd/{fd}")).ok()?;
        let name = link.into_os_string().into_vec();
        let name = name.strip_suffix(b" (deleted)").unwrap_or(&name).to_vec();
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{fd}")).ok()?;
        let flags = u32::from_str_radix(field(&info, "flags:")?, 8).ok()?;
        let offset = field(&info, "pos:")?.parse().ok()?;
        let description = 0;
        name.starts_with(b"/").then_some(OpenFile { fd, name, flags, offset, description })
    };
    let mut numbers = numbers(&format!("/proc/{pid}/fd"));
    numbers.sort_unstable();
    numbers.into_iter().filter_map(file).collect()
}

/// Memory of processes that is not of files, bytes.
pub(crate) fn memory(pids: impl Iterator<Item = u32>) -> u64 {
    pids.filter_map(|pid| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let kib = |name| field(&status, name)?.parse::<u64>().ok();
        Some((kib("RssAnon:")? + kib("RssShmem:").unwrap_or(0)) * 1024)
    })
    .sum()
}

/// The type and the options of the file system at `path`.
pub(crate) fn mount(path: &Path) -> (String, String) {
    let text = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounts = text.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let place = left.split(' ').nth(4)?;
        let options = left.split(' ').nth(5)?;
        let file_system = right.split(' ').next()?;
        path.starts_with(place).then_some((place.len(), file_system, options))
    });
    // The last of those with the longest name covers the others.
    let found = mounts.max_by_key(|(len, ..)| *len);
    found.map_or_else(Default::default, |(_, kind, options)| (kind.into(), options.into()))
}

/// Where file systems without files of their own are mounted.
pub(crate) fn pseudo_mounts() -> Vec<PathBuf> {
    const PSEUDO: [&str; 12] = [
        "proc",
        "sysfs",
        "devtmpfs",
        "devpts",
        "cgroup",
        "cgroup2",
        "securityfs",
        "debugfs",
        "tracefs",
        "bpf",
        "mqueue",
        "configfs",
    ];
    let text = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounts = text.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let file_system = right.split(' ').next()?;
        PSEUDO.contains(&file_system).then(|| left.split(' ').nth(4).map(PathBuf::from))?
    });
    mounts.chain(["/proc", "/sys", "/dev", "/run"].map(PathBuf::from)).collect()
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()
}

fn numbers(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_described() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("open");
        fs::write(&path, b"12345678").unwrap();
        let mut file = fs::File::open(&path).unwrap();
        io::Read::read_exact(&mut file, &mut [0; 5]).unwrap();
        let me = beginning(std::process::id()).unwrap();
        let name = path.canonicalize().unwrap().into_os_string().into_vec();
        let found = me.descriptors.iter().find(|open| open.name == name).unwrap();
        assert_eq!((found.offset, found.flags & 3), (5, 0));
        assert_eq!(me.tids[0], me.pid);
        assert!(with_descendants(&[me.pid]).contains(&me.pid));
        assert!(memory([me.pid].into_iter()) > 0);
    }
}

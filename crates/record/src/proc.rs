//! Reads from /proc the state of processes when their recording begins: threads, descriptors, working directories,
//! memory.

use crate::resolve::{Beginning, Mapped, OpenFile};
use std::{
    collections::BTreeSet,
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

/// Whether a thread has ended or is about to, from before the kernel says so to tracers (`PF_EXITING` of
/// linux/sched.h, field 9 of proc(5)). A process that was not waited for still has its first thread.
pub(crate) fn is_ending(pid: u32, tid: u32) -> bool {
    const PF_EXITING: u32 = 0x4;
    let stat = fs::read_to_string(format!("/proc/{pid}/task/{tid}/stat")).unwrap_or_default();
    let flags = stat.rsplit(") ").next().and_then(|fields| fields.split(' ').nth(6));
    flags.and_then(|flags| flags.parse::<u32>().ok()).is_none_or(|flags| flags & PF_EXITING != 0)
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
pub(crate) fn beginning(pid: u32, at_ns: u64) -> Option<Beginning> {
    let directory = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    Some(Beginning {
        tids: threads(pid),
        pid,
        directory: directory.into_os_string().into_vec(),
        descriptors: descriptors(pid),
        mappings: mappings(&fs::read(format!("/proc/{pid}/maps")).unwrap_or_default()),
        at_ns,
    })
}

/// The mappings of files in the text of /proc/PID/maps, but those of programs and libraries: of files that are mapped
/// for execution.
fn mappings(text: &[u8]) -> Vec<Mapped> {
    let all: Vec<Mapped> = text.split(|b| *b == b'\n').filter_map(mapping).collect();
    let runs = |mapped: &Mapped| mapped.protection & libc::PROT_EXEC as u32 != 0;
    let programs: BTreeSet<Vec<u8>> =
        all.iter().filter(|mapped| runs(mapped)).map(|mapped| mapped.name.clone()).collect();
    all.into_iter().filter(|mapped| !programs.contains(&mapped.name)).collect()
}

/// A line: `7f00-8f00 rw-s 00001000 fd:00 1234    /srv/a file`.
fn mapping(line: &[u8]) -> Option<Mapped> {
    let slash = line.iter().position(|b| *b == b'/')?;
    let (head, name) = line.split_at(slash);
    if name.ends_with(b" (deleted)") {
        return None;
    }
    let head = std::str::from_utf8(head).ok()?;
    let mut words = head.split_whitespace();
    let (range, flags, offset) = (words.next()?, words.next()?, words.next()?);
    let (from, to) = range.split_once('-')?;
    let number = |hex| u64::from_str_radix(hex, 16).ok();
    let (address, end, offset) = (number(from)?, number(to)?, number(offset)?);
    let len = end.checked_sub(address)?;
    let protections = [('r', libc::PROT_READ), ('w', libc::PROT_WRITE), ('x', libc::PROT_EXEC)];
    let protection = protections.iter().filter(|(flag, _)| flags.contains(*flag));
    let protection = protection.fold(0, |all, (_, bit)| all | *bit) as u32;
    let (name, is_shared) = (name.to_vec(), flags.ends_with('s'));
    Some(Mapped { address, len, offset, name, protection, is_shared })
}

/// The name of the file of a descriptor, also of one that was deleted; `None` if there is no such descriptor.
pub(crate) fn open_name(pid: u32, fd: u32) -> Option<Vec<u8>> {
    let mut name = fs::read_link(format!("/proc/{pid}/fd/{fd}")).ok()?.into_os_string().into_vec();
    let len = name.strip_suffix(b" (deleted)").unwrap_or(&name).len();
    name.truncate(len);
    Some(name)
}

/// The open files of a process; sockets and pipes are left out.
pub(crate) fn descriptors(pid: u32) -> Vec<OpenFile> {
    let file = |fd: u32| {
        let name = open_name(pid, fd)?;
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{fd}")).ok()?;
        // Another file may have got the number between the two.
        if open_name(pid, fd)? != name {
            return None;
        }
        let flags = u32::from_str_radix(field(&info, "flags:")?, 8).ok()?;
        let offset = field(&info, "pos:")?.parse().ok()?;
        let description = 0;
        name.starts_with(b"/").then_some(OpenFile { fd, name, flags, offset, description })
    };
    let mut numbers = numbers(&format!("/proc/{pid}/fd"));
    numbers.sort_unstable();
    numbers.into_iter().filter_map(file).collect()
}

/// Whether a process still has one of `descriptors`: one that ends is compared with no other.
pub(crate) fn still_has(pid: u32, descriptors: &[OpenFile]) -> bool {
    let is_there = |file: &OpenFile| open_name(pid, file.fd).is_some();
    descriptors.is_empty() || descriptors.iter().any(is_there)
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
    fn mappings_of_files_are_known_but_those_of_programs() {
        let text = b"5500-5600 r--p 00000000 fd:00 9   /usr/bin/app\n\
            5600-5800 r-xp 00001000 fd:00 9   /usr/bin/app\n\
            7000-9000 rw-s 00003000 fd:00 12  /srv/a file\n\
            9000-a000 r--p 00000000 fd:00 13  /srv/gone (deleted)\n\
            a000-b000 rw-p 00000000 00:00 0   [heap]\nb000-c000 rw-p 00000000 00:00 0 \nnonsense /x\n";
        let name = b"/srv/a file".to_vec();
        let (address, len, offset, protection) = (0x7000, 0x2000, 0x3000, 3);
        let only = Mapped { address, len, offset, name, protection, is_shared: true };
        assert_eq!(mappings(text), [only]);
    }

    #[test]
    fn a_process_that_ended_has_no_descriptor_any_more() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let found = descriptors(child.id());
        assert!(!found.is_empty() && still_has(child.id(), &found));
        child.kill().unwrap();
        while still_has(child.id(), &found) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(still_has(std::process::id(), &[]));
    }

    #[test]
    fn this_process_is_described() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("open");
        fs::write(&path, b"12345678").unwrap();
        let mut file = fs::File::open(&path).unwrap();
        io::Read::read_exact(&mut file, &mut [0; 5]).unwrap();
        let me = beginning(std::process::id(), 0).unwrap();
        let name = path.canonicalize().unwrap().into_os_string().into_vec();
        let found = me.descriptors.iter().find(|open| open.name == name).unwrap();
        assert_eq!((found.offset, found.flags & 3), (5, 0));
        assert_eq!(me.tids[0], me.pid);
        assert!(with_descendants(&[me.pid]).contains(&me.pid));
        assert!(memory([me.pid].into_iter()) > 0);
    }
}

//! Finds descriptors of the same open file description: they share a position, within a process and across processes.

use crate::resolve::OpenFile;
use std::collections::HashMap;

/// Descriptors of one file that are compared with a new one, at most.
const MOST_COMPARED: usize = 256;

/// A descriptor that was looked at.
struct Known {
    pid: u32,
    fd: u32,
    description: u32,
}

/// The open files that were seen, by their names.
#[derive(Default)]
pub(crate) struct Descriptions {
    known: HashMap<Vec<u8>, Vec<Known>>,
    next: u32,
}

impl Descriptions {
    /// Numbers the open files among the descriptors of a process.
    pub(crate) fn number(&mut self, pid: u32, files: &mut [OpenFile]) {
        for file in files {
            let known = self.known.entry(file.name.clone()).or_default();
            let mut recent = known.iter().rev().take(MOST_COMPARED);
            let same = recent.find(|one| is_same((one.pid, one.fd), (pid, file.fd)));
            file.description = same.map_or(self.next, |one| one.description);
            self.next += u32::from(same.is_none());
            known.push(Known { pid, fd: file.fd, description: file.description });
        }
    }
}

/// Whether two descriptors of processes are one open file; false where the kernel does not say.
fn is_same(one: (u32, u32), other: (u32, u32)) -> bool {
    const KCMP_FILE: libc::c_int = 0;
    // SAFETY: kcmp(2) takes numbers, and only compares.
    let order = unsafe {
        let (pids, fds) = ((one.0, other.0), (u64::from(one.1), u64::from(other.1)));
        libc::syscall(libc::SYS_kcmp, pids.0, pids.1, KCMP_FILE, fds.0, fds.1)
    };
    order == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, os::fd::AsRawFd};

    #[test]
    fn copies_of_a_descriptor_are_one_open_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"x").unwrap();
        let (first, other) = (File::open(&path).unwrap(), File::open(&path).unwrap());
        let copy = first.try_clone().unwrap();
        let file = |of: &File| OpenFile {
            fd: of.as_raw_fd() as u32,
            name: b"/file".to_vec(),
            ..OpenFile::default()
        };
        let mut files = [file(&first), file(&other), file(&copy)];
        let mut descriptions = Descriptions::default();
        descriptions.number(std::process::id(), &mut files);
        assert_eq!(files.clone().map(|file| file.description), [0, 1, 0]);
        descriptions.number(std::process::id(), &mut files);
        assert_eq!(files.map(|file| file.description), [0, 1, 0]);
    }
}

//! Finds descriptors of the same open file description: they share a position, within a process and across processes.

use crate::{proc, resolve::OpenFile};
use std::collections::HashMap;

/// Descriptors of one file that are compared with a new one, at most.
const MOST_COMPARED: usize = 256;

/// A descriptor that was looked at.
struct Known {
    pid: u32,
    fd: u32,
    flags: u32,
    offset: u64,
    description: u32,
}

impl Known {
    /// Whether the descriptor `file` of `pid` is this open file. One that was closed meanwhile, or has another file,
    /// cannot be compared: it was this one, where its process has it with the same flags at the same position.
    fn is(&self, pid: u32, file: &OpenFile) -> bool {
        let looks_alike = || {
            (self.pid, self.flags, self.offset) == (pid, file.flags, file.offset)
                && proc::open_name(self.pid, self.fd).as_ref() != Some(&file.name)
        };
        is_same((self.pid, self.fd), (pid, file.fd)) || looks_alike()
    }
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
            let same = recent.find(|one| one.is(pid, file));
            file.description = same.map_or(self.next, |one| one.description);
            self.next += u32::from(same.is_none());
            let OpenFile { fd, flags, offset, description, .. } = *file;
            known.push(Known { pid, fd, flags, offset, description });
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
    use std::{
        fs::File,
        os::{fd::AsRawFd, unix::ffi::OsStrExt},
    };

    #[test]
    fn copies_of_a_descriptor_are_one_open_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("file");
        std::fs::write(&path, b"x").unwrap();
        let (first, other) = (File::open(&path).unwrap(), File::open(&path).unwrap());
        let copy = first.try_clone().unwrap();
        let file = |of: &File| OpenFile {
            fd: of.as_raw_fd() as u32,
            name: path.as_os_str().as_bytes().to_vec(),
            ..OpenFile::default()
        };
        let mut files = [file(&first), file(&other), file(&copy)];
        let mut descriptions = Descriptions::default();
        descriptions.number(std::process::id(), &mut files);
        assert_eq!(files.clone().map(|file| file.description), [0, 1, 0]);
        descriptions.number(std::process::id(), &mut files);
        assert_eq!(files.map(|file| file.description), [0, 1, 0]);
    }

    #[test]
    fn closed_descriptor_is_the_open_file_of_one_like_it() {
        let file = tempfile::tempfile().unwrap();
        let one = |fd: u32, offset| OpenFile {
            fd,
            name: b"/file".to_vec(),
            offset,
            ..OpenFile::default()
        };
        // No process has a descriptor of this number.
        let gone = one(u32::MAX >> 1, 70);
        let numbers = |offset| {
            let mut files = [gone.clone(), one(file.as_raw_fd() as u32, offset)];
            Descriptions::default().number(std::process::id(), &mut files);
            files.map(|file| file.description)
        };
        assert_eq!(numbers(70), [0, 0]);
        assert_eq!(numbers(71), [0, 1], "at another position");
    }
}

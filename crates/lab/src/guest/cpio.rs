//! Writes the archive that a kernel unpacks as its first root: the format `newc` of cpio, as in
//! `Documentation/driver-api/early-userspace/buffer-format.rst` of the kernel.

/// An archive under construction.
#[derive(Debug, Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

const FILE: u32 = 0o100_755;
const DIR: u32 = 0o040_755;

impl Archive {
    /// Adds a directory; its parents come first.
    pub(super) fn dir(&mut self, name: &str) {
        self.entry(name, DIR, &[]);
    }

    /// Adds a file that may be executed.
    pub(super) fn file(&mut self, name: &str, content: &[u8]) {
        self.entry(name, FILE, content);
    }

    /// The whole archive.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    /// A header of thirteen numbers in eight hexadecimal digits, the name and the content, each
    /// filled up to a multiple of four bytes.
    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let (inode, links) = (self.entries, 1);
        let (size, name_size) = (content.len() as u32, name.len() as u32 + 1);
        let header = [inode, mode, 0, 0, links, 0, size, 0, 0, 0, 0, name_size, 0];
        self.bytes.extend_from_slice(b"070701");
        for number in header {
            self.bytes.extend_from_slice(format!("{number:08X}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        io::Write,
        process::{Command, Stdio},
    };

    #[test]
    fn entries_are_aligned() {
        let mut archive = Archive::default();
        archive.file("init", b"hello");
        let bytes = archive.finish();
        assert_eq!(&bytes[..14], b"07070100000001");
        // Header 110, name 5, one byte to 116; content 5, three bytes to 124.
        assert_eq!(&bytes[110..124], b"init\0\0hello\0\0\0");
        assert_eq!(&bytes[124..130], b"070701");
        assert_eq!(bytes.len() % 4, 0);
    }

    #[test]
    fn cpio_reads_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut archive = Archive::default();
        archive.dir("bin");
        archive.file("bin/tool", b"#!/bin/sh\n");
        let mut reader = Command::new("cpio");
        reader.args(["--extract", "--quiet"]).current_dir(dir.path()).stdin(Stdio::piped());
        let Ok(mut child) = reader.spawn() else {
            return needs::skip(needs::Need::program("cpio"), "`cpio` is not installed");
        };
        child.stdin.take().unwrap().write_all(&archive.finish()).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(fs::read(dir.path().join("bin/tool")).unwrap(), b"#!/bin/sh\n");
    }
}

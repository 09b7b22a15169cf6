//! Reading directories with getdents64(2), as readdir(3) does, but without a copy of every name.

use super::laps::Laps;
use crate::TestError;
use rustix::{
    fd::OwnedFd,
    fs::{Mode, OFlags, RawDir, RawDirEntry, open},
};
use std::{mem::MaybeUninit, path::Path};

/// The size of one read by glibc.
const BUFFER_BYTES: usize = 32 << 10;

/// Reads directories one after the other.
pub(super) struct Walker(Vec<MaybeUninit<u8>>);

impl Walker {
    pub(super) fn new() -> Walker {
        Walker(vec![MaybeUninit::zeroed(); BUFFER_BYTES])
    }

    /// Calls `visit` for every entry of `dir` but `.` and `..`, with the open directory. Each
    /// getdents64 is a lap of `calls`, when they are asked for.
    pub(super) fn walk(
        &mut self,
        dir: &Path,
        mut calls: Option<&mut Laps>,
        mut visit: impl FnMut(&OwnedFd, &RawDirEntry<'_>) -> Result<(), TestError>,
    ) -> Result<(), TestError> {
        let failed = |error: rustix::io::Errno| TestError::io("list", dir)(error.into());
        let fd = open(dir, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).map_err(failed)?;
        let mut entries = RawDir::new(&fd, &mut self.0);
        loop {
            let mut calling = calls.as_deref_mut().filter(|_| entries.is_buffer_empty());
            if let Some(laps) = &mut calling {
                laps.start();
            }
            let entry = entries.next();
            if let Some(laps) = &mut calling {
                laps.lap();
            }
            let Some(entry) = entry else { return Ok(()) };
            let entry = entry.map_err(failed)?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                visit(&fd, &entry)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_entry_is_seen_once() {
        let dir = tempfile::tempdir().unwrap();
        let names: BTreeSet<String> =
            (0..3000).map(|i| format!("a-rather-long-name.{i}")).collect();
        names.iter().for_each(|name| std::fs::write(dir.path().join(name), "").unwrap());
        let mut seen = Vec::new();
        let mut laps = Laps::new("list").unwrap();
        let mut walker = Walker::new();
        walker
            .walk(dir.path(), Some(&mut laps), |_, entry| {
                seen.push(entry.file_name().to_str().unwrap().to_string());
                Ok(())
            })
            .unwrap();
        assert_eq!(seen.len(), 3000);
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), names);
        // At least 24 bytes for each entry: several calls, and one that finds the end.
        assert!(laps.histogram().unwrap().count() >= 4);
        assert!(walker.walk(&dir.path().join("none"), None, |_, _| Ok(())).is_err());
    }
}

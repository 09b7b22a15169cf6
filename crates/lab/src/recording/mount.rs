//! Mounts what is on a recording disk by the calls of the kernel, without a program and without the journal, as one of
//! many states. The directory is one that the lab has journaled.

use super::RecordingDisk;
use crate::error::LabError;
use rustix::{
    io::Errno,
    mount::{MountFlags, UnmountFlags, mount, unmount},
};
use std::{
    ffi::CString,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Options that are flags of the call.
const FLAGS: [(&str, MountFlags); 10] = [
    ("ro", MountFlags::RDONLY),
    ("noatime", MountFlags::NOATIME),
    ("nodiratime", MountFlags::NODIRATIME),
    ("relatime", MountFlags::RELATIME),
    ("strictatime", MountFlags::STRICTATIME),
    ("lazytime", MountFlags::LAZYTIME),
    ("sync", MountFlags::SYNCHRONOUS),
    ("dirsync", MountFlags::DIRSYNC),
    ("nosuid", MountFlags::NOSUID),
    ("nodev", MountFlags::NODEV),
];
/// Options that are the absence of a flag.
const NOTHING: [&str; 3] = ["", "rw", "defaults"];
/// Longest time that a file of a mount may stay open after its user has closed it.
const PATIENCE: Duration = Duration::from_secs(2);

/// A file system of a recording disk, mounted. Dropping it unmounts it.
#[derive(Debug)]
pub struct Mounted<'a> {
    at: PathBuf,
    disk: &'a RecordingDisk,
    is_mounted: bool,
}

impl RecordingDisk {
    /// Mounts what is on the disk at `at`, a directory of [`Lab::make_mount_dir`](crate::setup::Lab::make_mount_dir),
    /// as the file system `fs` with `options`, joined by commas.
    ///
    /// # Errors
    /// It cannot be mounted, or the directory is none of those.
    pub fn mounted(&self, fs: &str, options: &str, at: &Path) -> Result<Mounted<'_>, LabError> {
        if !at.starts_with(&self.mounts) {
            let why = format!("can only be mounted where the lab mounts, not at {}", at.display());
            return Err(self.error(&why));
        }
        let (flags, data) = split(options);
        let data = CString::new(data).unwrap_or_default();
        mount(&self.device, at, fs, flags, &*data).map_err(LabError::errno("mount", at))?;
        Ok(Mounted { at: at.into(), disk: self, is_mounted: true })
    }
}

impl Mounted<'_> {
    /// Where it is mounted.
    pub fn at(&self) -> &Path {
        &self.at
    }

    /// The disk that it is on.
    pub fn disk(&self) -> &RecordingDisk {
        self.disk
    }

    /// Unmounts it.
    ///
    /// # Errors
    /// A file of it stays open.
    pub fn unmount(mut self) -> Result<(), LabError> {
        self.take_down()
    }

    fn take_down(&mut self) -> Result<(), LabError> {
        let start = Instant::now();
        while self.is_mounted {
            match unmount(&self.at, UnmountFlags::empty()) {
                Ok(()) => self.is_mounted = false,
                Err(Errno::BUSY) if start.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(errno) => return Err(LabError::errno("unmount", &self.at)(errno)),
            }
        }
        Ok(())
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        // What fails here is tried again by the lab, whose journal names the directory.
        let _ = self.take_down();
    }
}

/// Flags of the call, and the options that only the file system knows.
fn split(options: &str) -> (MountFlags, String) {
    let mut flags = MountFlags::empty();
    let mut rest = Vec::new();
    for option in options.split(',').filter(|option| !NOTHING.contains(option)) {
        match FLAGS.iter().find(|(name, _)| *name == option) {
            Some((_, flag)) => flags |= *flag,
            None => rest.push(option),
        }
    }
    (flags, rest.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_call_are_told_from_those_of_file_systems() {
        let (flags, data) = split("rw,noatime,data=journal,ro,commit=60");
        assert_eq!(flags, MountFlags::NOATIME | MountFlags::RDONLY);
        assert_eq!(data, "data=journal,commit=60");
        assert_eq!(split(""), (MountFlags::empty(), String::new()));
    }
}

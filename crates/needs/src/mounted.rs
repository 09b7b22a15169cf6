//! A mount of a test, unmounted however the test ends.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// How long a busy mount is tried.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);

/// Something that is mounted until this is dropped.
#[derive(Debug)]
pub struct Mounted {
    dir: PathBuf,
}

impl Mounted {
    /// Mounts at `dir`, by `mount ARGS DIR`.
    ///
    /// # Panics
    /// It cannot be mounted.
    pub fn new<S: AsRef<OsStr>>(args: &[S], dir: &Path) -> Mounted {
        mount(args, dir);
        Mounted { dir: dir.into() }
    }

    /// Mounts it again with `options`.
    ///
    /// # Panics
    /// That cannot be done.
    pub fn remount(&self, options: &str) {
        mount(&["-o", &format!("remount,{options}")], &self.dir);
    }

    /// Where it is mounted.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A second panic would hide the first one, which says more.
        if let Err(why) = try_unmount(&self.dir)
            && !thread::panicking()
        {
            panic!("{why}");
        }
    }
}

fn mount<S: AsRef<OsStr>>(args: &[S], dir: &Path) {
    let output = Command::new("mount").args(args).arg(dir).output().expect("mount starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Unmounts what is mounted at `dir`.
///
/// # Panics
/// It is still busy after ten seconds, or nothing is mounted there.
pub fn unmount(dir: &Path) {
    try_unmount(dir).unwrap_or_else(|why| panic!("{why}"));
}

/// Tries for [`PATIENCE`]: a program that another test starts has the open files of this process, too, until its
/// `execve`, and they keep a mount busy that this test has no file of any more.
fn try_unmount(dir: &Path) -> Result<(), String> {
    let start = Instant::now();
    loop {
        // In English, whatever the user speaks.
        let output = Command::new("umount").arg(dir).env("LC_ALL", "C").output();
        let output = output.map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let why = String::from_utf8_lossy(&output.stderr);
        if start.elapsed() > PATIENCE || !why.contains("busy") {
            return Err(why.into_owned());
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn what_a_child_holds_for_a_moment_is_waited_for() {
        if !crate::root_or_skip("mounting") {
            return;
        }
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().canonicalize().unwrap();
        let mounted = Mounted::new(&["-t", "tmpfs", "assay-test"], &dir);
        let held = File::create(dir.join("f")).unwrap();
        let holder = Command::new("sleep").arg("0.2").stdin(held).spawn();
        drop(mounted);
        assert!(std::fs::read_dir(&dir).unwrap().next().is_none(), "it is no longer mounted");
        assert!(holder.unwrap().wait().unwrap().success());
    }

    #[test]
    #[should_panic(expected = "not mounted")]
    fn what_is_not_mounted_is_said_at_once() {
        unmount(tempfile::tempdir().unwrap().path());
    }
}

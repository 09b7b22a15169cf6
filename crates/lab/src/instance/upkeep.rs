//! Measures the cost of an instance besides the work on it: making, mounting, unmounting and checking it, and the space
//! of its files.

use super::{Instance, WorkDir, milliseconds};
use crate::{error::LabError, ownership::private_dir, programs::Run};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Files beyond this number are not counted one by one: the walk would take longer than the tests.
const MOST_FILES: usize = 200_000;

/// Number of runs of a checker that finds damage, and the pause between them.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(300);

/// The costs of one instance that was made, from its mkfs to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Upkeep {
    /// Making it, milliseconds.
    pub mkfs_ms: f64,
    /// Its first mount, milliseconds.
    pub mount_ms: f64,
    /// Unmounting it when nothing was left to write back, milliseconds.
    pub unmount_ms: f64,
    /// Result of its checker.
    pub check: Check,
    /// Space of its files, bytes: in use at the end less in use when it was made.
    pub taken_bytes: u64,
    /// Length of its files by their sizes, bytes, holes included; `None` when they are too many.
    pub logical_bytes: Option<u64>,
}

/// The answer of a read-only checker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Check {
    /// Not asked, or the file system has none.
    None,
    /// Sound, in milliseconds.
    Sound(f64),
    /// It could not be asked: why, and what to do.
    Skipped(String),
    /// It found fault: what it said.
    Damaged(String),
}

impl Instance<'_> {
    /// Undoes it now, as [`Instance::teardown`] does, and tells what it cost; `None` where nothing was
    /// mounted, or it went away under the tests and there is nothing to look at. With `check`, the checker
    /// of the file system reads what the tests left.
    ///
    /// # Errors
    /// It stays busy, or its directory cannot be removed.
    pub fn finish(mut self, check: bool) -> Result<Option<Upkeep>, LabError> {
        let upkeep = self.upkeep(check).unwrap_or_default();
        self.take_down()?;
        Ok(upkeep)
    }

    fn upkeep(&self, check: bool) -> Result<Option<Upkeep>, LabError> {
        let WorkDir::Mounted { .. } = &self.work_dir else { return Ok(None) };
        self.quiesce()?;
        let logical_bytes = logical_bytes(&self.root)?;
        let taken_bytes = self.used_bytes()?.saturating_sub(self.fresh_bytes);
        let parts = self.stack.parts();
        let checked = parts.iter().enumerate().rev();
        let mut checked = checked.filter_map(|(at, p)| Some((at, p.fs().check(&p.site)?)));
        let (lowest, checker) = checked.next().unzip();
        let start = Instant::now();
        // What the checked part is on has to stay for the checker.
        self.stack.take_down(lowest.unwrap_or(0), self.lab.mark())?;
        let unmount_ms = milliseconds(start);
        let checker = checker.filter(|_| check);
        let disks = lowest.map(|at| &*parts[at].site.disks).unwrap_or_default();
        Ok(Some(Upkeep {
            mkfs_ms: self.mkfs_ms,
            mount_ms: self.mount_ms,
            unmount_ms,
            check: checker.map_or(Check::None, |cmd| Check::at_rest(&cmd, disks)),
            taken_bytes,
            logical_bytes,
        }))
    }
}

impl Check {
    /// Runs `checker` on `disks` once no process uses them any more; while one is mounted in another namespace it
    /// would report as damage what is only not written back.
    fn at_rest(checker: &::fs::Cmd, disks: &[PathBuf]) -> Check {
        match disks.iter().try_for_each(|disk| disk::wait_free(disk)) {
            Ok(()) => Check::of(checker),
            Err(error) => Check::Skipped(error.to_string()),
        }
    }

    /// Returns what `checker` says. The one of Btrfs looks at every disk of the machine, and fails when one of them
    /// goes away meanwhile: damage is what it finds again.
    fn of(checker: &::fs::Cmd) -> Check {
        for _ in 1..ATTEMPTS {
            match Check::once(checker) {
                Check::Damaged(_) => thread::sleep(PAUSE),
                other => return other,
            }
        }
        Check::once(checker)
    }

    fn once(checker: &::fs::Cmd) -> Check {
        let start = Instant::now();
        match checker.run().map_err(crate::programs::tool::explained) {
            Ok(_) => Check::Sound(milliseconds(start)),
            Err(error @ LabError::Disk(disk::Error::Command { .. })) => {
                Check::Damaged(error.to_string())
            }
            Err(error) => Check::Skipped(error.to_string()),
        }
    }
}

/// Sizes of all files below `dir`.
fn logical_bytes(dir: &Path) -> Result<Option<u64>, LabError> {
    let files = private_dir::files(dir)?;
    if files.len() > MOST_FILES {
        return Ok(None);
    }
    let mut sum = 0;
    for file in files {
        sum += fs::symlink_metadata(&file).map_err(LabError::io("look at", &file))?.size();
    }
    Ok(Some(sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::fs::Cmd;

    #[test]
    fn a_checker_is_sound_damaged_or_missing() {
        assert!(matches!(Check::of(&Cmd::new("true")), Check::Sound(ms) if ms > 0.0));
        let bad = Cmd::new("sh").args(["-c", "echo bad inode 7 >&2; exit 4"]);
        let Check::Damaged(why) = Check::of(&bad) else { panic!("taken for sound") };
        assert!(why.contains("exit 4") && why.ends_with("bad inode 7"), "{why}");
        let top = tempfile::tempdir().unwrap();
        let once = format!("mkdir {} || exit 0; exit 1", top.path().join("was").display());
        let later = Check::of(&Cmd::new("sh").args(["-c", &once]));
        assert!(matches!(later, Check::Sound(_)), "{later:?}");
        let Check::Skipped(why) = Check::of(&Cmd::new("fsck.none-such")) else { panic!("found") };
        assert!(why.contains("not installed"), "{why}");
    }

    #[test]
    fn logical_bytes_are_sizes_not_blocks() {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir(top.path().join("d")).unwrap();
        fs::write(top.path().join("d/f"), "abc").unwrap();
        fs::File::create(top.path().join("hole")).unwrap().set_len(1 << 20).unwrap();
        assert_eq!(logical_bytes(top.path()).unwrap(), Some(3 + (1 << 20)));
    }
}

//! Images that are kept for later campaigns, because writing large ones in full takes minutes. Each is in a private
//! directory whose marker names no campaign, and which the campaign that uses it locks. A journal names only its loop
//! device, so only `assay cleanup --images` removes it.

use super::{image, loop_device};
use crate::{
    error::LabError,
    ownership::{
        mark::{self, Mark},
        private_dir, state,
    },
};
use disk::{Filling, lock::Lock};
use model::text::Bytes;
use rustix::process::geteuid;
use std::{
    fs::{self, File},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

/// Numbers that are tried.
const MOST: u32 = 256;

/// A kept image that this campaign holds.
#[derive(Debug)]
pub(crate) struct Kept {
    dir: PathBuf,
    /// Its length before this campaign.
    len: u64,
    /// Shows others that it is in use.
    lock: Lock,
}

/// Holds `count` images of the state folder `state` in `dir`: those that are there and free, then new, empty ones.
///
/// # Errors
/// One cannot be made or looked at.
pub(crate) fn take(dir: &Path, state: &Path, count: usize) -> Result<Vec<Kept>, LabError> {
    let mark = Mark::kept(state);
    let all = (0..MOST).map(|number| directory(dir, number));
    let (there, free): (Vec<PathBuf>, Vec<PathBuf>) = all.partition(|dir| dir.exists());
    let mut taken = Vec::new();
    for dir in there.into_iter().chain(free) {
        if taken.len() == count {
            break;
        }
        if !dir.exists() {
            private_dir::create(&dir, &mark)?;
        }
        taken.extend(Kept::hold(dir, &mark)?);
    }
    Ok(taken)
}

/// The lengths of the images that are kept in `dir` for campaigns of the state folder `state` and in no use, in the
/// order in which a campaign takes them.
pub fn kept_lengths(dir: &Path, state: &Path) -> Vec<u64> {
    let real = |path: &Path| path.canonicalize().ok();
    let (Some(dir), Some(state)) = (real(dir), real(state)) else { return Vec::new() };
    lengths(&dir, &state)
}

/// The bytes of all images that are kept in `dir`.
pub fn kept_bytes(dir: &Path) -> u64 {
    let Ok(dir) = dir.canonicalize() else { return 0 };
    let all = (0..MOST).map(|number| directory(&dir, number)).filter(|dir| dir.exists());
    let kept = all.filter(|dir| private_dir::mark_of(dir).is_some_and(|own| own.is_kept()));
    kept.filter_map(|dir| private_dir::used_bytes(&dir).ok()).sum()
}

fn lengths(dir: &Path, state: &Path) -> Vec<u64> {
    let mark = Mark::kept(state);
    let there = (0..MOST).map(|number| directory(dir, number)).filter(|dir| dir.exists());
    there.filter_map(|dir| Kept::hold(dir, &mark).ok()?).map(|kept| kept.len).collect()
}

/// Whether `image` is kept, and a campaign that runs holds it.
pub(crate) fn is_in_use(image: &Path) -> bool {
    let dir =
        image.parent().filter(|dir| private_dir::mark_of(dir).is_some_and(|own| own.is_kept()));
    dir.is_some_and(private_dir::is_held)
}

fn directory(dir: &Path, number: u32) -> PathBuf {
    dir.join(mark::own_name(&format!("kept-image{number}")))
}

impl Kept {
    /// Holds the image in `dir`; `None` when it is not one of `mark`, when another user could have changed it, or when
    /// it is in use.
    fn hold(dir: PathBuf, mark: &Mark) -> Result<Option<Kept>, LabError> {
        if !private_dir::mark_of(&dir).is_some_and(|own| own.is_of(mark)) || !is_own(&dir)? {
            return Ok(None);
        }
        let Some(lock) = private_dir::hold(&dir) else { return Ok(None) };
        let mut kept = Kept { dir, len: 0, lock };
        let path = kept.path();
        let file = match open(&path, false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => open(&path, true),
            opened => opened,
        };
        let file = file.map_err(LabError::io("open", &path))?;
        let stat = rustix::fs::fstat(&file).map_err(LabError::errno("look at", &path))?;
        // A device that a dead campaign left on it is for `assay cleanup`.
        if state::check_file(&path, &stat).is_err() || !loop_device::find(&path)?.is_empty() {
            return Ok(None);
        }
        kept.len = stat.st_size as u64;
        Ok(Some(kept))
    }

    /// The image.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join("image")
    }

    /// What it lacks to be of `size`.
    pub(crate) fn missing(&self, size: Bytes) -> u64 {
        size.0.saturating_sub(self.len)
    }

    /// Makes it at least `size` long, and all of that written, whatever discarded pieces of it since.
    ///
    /// # Errors
    /// As of [`image::complete`].
    pub(crate) fn complete(
        &self,
        size: Bytes,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<u64, LabError> {
        let path = self.path();
        let file = open(&path, false).map_err(LabError::io("open", &path))?;
        if self.missing(size) > 0 {
            file.set_len(size.0).map_err(LabError::io("extend", &path))?;
        }
        image::complete((&file, &path), size, Filling::Random, stop, progress)
    }

    /// Takes back what this campaign added, when it could not be written.
    pub(crate) fn take_back(self, state: &Path) -> Result<(), LabError> {
        let Kept { dir, len, lock } = self;
        let path = dir.join("image");
        let cut = open(&path, false).and_then(|file| match file.metadata()?.len() > len {
            true => file.set_len(len),
            false => Ok(()),
        });
        cut.map_err(LabError::io("cut", &path))?;
        drop(lock);
        if len == 0 {
            private_dir::remove(&dir, &Mark::kept(state))?;
        }
        Ok(())
    }
}

/// Whether the directory `dir` is of this user, and no other can write to it.
fn is_own(dir: &Path) -> Result<bool, LabError> {
    let stat = fs::symlink_metadata(dir).map_err(LabError::io("look at", dir))?;
    Ok(stat.is_dir() && stat.uid() == geteuid().as_raw() && stat.mode() & 0o022 == 0)
}

fn open(path: &Path, new: bool) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(new).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    const SIZE: Bytes = Bytes(2 << 20);

    fn complete(kept: &Kept, size: Bytes) -> u64 {
        kept.complete(size, &AtomicBool::new(false), &mut |_| {}).unwrap()
    }

    /// A state folder with one image of [`SIZE`]; `None` where the pieces of files are not reported.
    fn kept() -> Option<tempfile::TempDir> {
        let dir = tempfile::tempdir().unwrap();
        let mut taken = take(dir.path(), dir.path(), 1).unwrap();
        let made = taken[0].complete(SIZE, &AtomicBool::new(false), &mut |_| {});
        if let Err(error) = made {
            needs::skip(needs::Need::Other, format!("pieces are not reported: {error}"));
            return None;
        }
        assert_eq!(taken.remove(0).missing(SIZE), SIZE.0, "what it lacked before");
        Some(dir)
    }

    #[test]
    fn an_image_is_written_once_and_grows() {
        let Some(dir) = kept() else { return };
        assert_eq!(lengths(dir.path(), dir.path()), [SIZE.0]);
        let taken = take(dir.path(), dir.path(), 2).unwrap();
        assert_eq!(taken.iter().map(|kept| kept.missing(SIZE)).collect::<Vec<_>>(), [0, SIZE.0]);
        assert_eq!(complete(&taken[0], SIZE), 0);
        assert_eq!(complete(&taken[0], Bytes(3 << 20)), 1 << 20);
        let hole = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
        let file = open(&taken[0].path(), false).unwrap();
        rustix::fs::fallocate(&file, hole, 1 << 20, 1 << 20).unwrap();
        assert_eq!(complete(&taken[0], SIZE), 1 << 20, "what was discarded is written again");
    }

    #[test]
    fn one_in_use_is_left_to_its_campaign() {
        let Some(dir) = kept() else { return };
        let first = take(dir.path(), dir.path(), 1).unwrap();
        assert!(is_in_use(&first[0].path()));
        let second = take(dir.path(), dir.path(), 1).unwrap();
        assert_ne!(first[0].path(), second[0].path());
        assert!(lengths(dir.path(), dir.path()).is_empty());
    }

    #[test]
    fn what_others_could_have_changed_is_not_used() {
        let Some(dir) = kept() else { return };
        let image = directory(dir.path(), 0).join("image");
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(&image, 0o666);
        assert!(lengths(dir.path(), dir.path()).is_empty());
        mode(&image, 0o600);
        mode(image.parent().unwrap(), 0o777);
        assert!(lengths(dir.path(), dir.path()).is_empty());
        mode(image.parent().unwrap(), 0o755);
        fs::hard_link(&image, dir.path().join("second")).unwrap();
        assert!(lengths(dir.path(), dir.path()).is_empty());
        fs::remove_file(dir.path().join("second")).unwrap();
        assert!(
            lengths(dir.path(), &dir.path().join("other")).is_empty(),
            "of another state folder"
        );
        fs::rename(&image, dir.path().join("moved")).unwrap();
        symlink(dir.path().join("moved"), &image).unwrap();
        assert!(lengths(dir.path(), dir.path()).is_empty());
    }

    #[test]
    fn what_could_not_be_written_is_taken_back() {
        let Some(dir) = kept() else { return };
        let taken = take(dir.path(), dir.path(), 2).unwrap();
        let stopped = taken[0].complete(Bytes(9 << 20), &AtomicBool::new(true), &mut |_| {});
        assert!(matches!(stopped, Err(LabError::Disk(disk::Error::Stopped(_)))));
        for kept in taken {
            kept.take_back(dir.path()).unwrap();
        }
        assert_eq!(lengths(dir.path(), dir.path()), [SIZE.0]);
        assert!(!directory(dir.path(), 1).exists());
    }
}

//! The tree that is sent, and what changes in it.

use crate::{SentTree, TestError, commits::data};
use engine::data::{Data, derive_seed};
use model::{random::Rng, workload::Job};
use rustix::{
    fs::{AtFlags, CWD, Timespec, Timestamps, XattrFlags, lsetxattr, utimensat},
    io::Errno,
};
use std::{
    fs::{self, File, Permissions},
    io,
    os::unix::fs::{FileExt, PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
};

/// Bytes of a large file.
const LARGE_BYTES: u64 = 8 << 20;
/// Least and largest bytes of a small one, as powers of two.
const SMALL_POWERS: (u64, u64) = (10, 18);
/// Small files of a directory.
const OF_DIR: u64 = 40;
/// Bytes of content that are drawn from at once.
const RUN_BYTES: u64 = 1 << 20;
/// Words of content between which a file may begin.
const BEGINS: u64 = 1 << 30;
/// The extended attribute.
const ATTRIBUTE: &str = "user.assay";
/// Seconds of the first time of modification.
const FIRST_S: i64 = 1_700_000_000;
const MODES: [u32; 4] = [0o644, 0o600, 0o755, 0o440];
const OWNERS: [u32; 3] = [0, 1000, 65_534];

/// A tree, and what changes in it.
pub(super) struct DrawnTree {
    /// Bytes of the tree, about.
    bytes: u64,
    /// Bytes of it that change, percent.
    change_pct: u64,
    seed: u64,
    content: Data,
    large: u64,
    /// The lengths of the small files.
    small: Vec<u64>,
}

impl std::fmt::Debug for DrawnTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DrawnTree").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// The directory of the small file `number`.
fn dir(number: u64) -> String {
    let dir = number / OF_DIR;
    format!("d{}/d{dir}", dir / 8)
}

fn small(number: u64) -> String {
    format!("{}/f{number}", dir(number))
}

fn large(number: u64) -> String {
    format!("large{number}")
}

/// An error of an act on `path`.
fn failed(path: &Path) -> impl FnOnce(io::Error) -> TestError {
    TestError::io("make or change", path)
}

impl DrawnTree {
    pub(super) fn new(job: &Job, bytes: u64, change_pct: u64) -> DrawnTree {
        let seed = derive_seed(job.seed, "transfer");
        let mut rng = Rng::new(seed);
        let large = (bytes / 2 / LARGE_BYTES).max(1);
        let (mut small, mut sum) = (Vec::new(), 0);
        while sum < bytes.saturating_sub(large * LARGE_BYTES) {
            let power = SMALL_POWERS.0 + rng.below(SMALL_POWERS.1 - SMALL_POWERS.0);
            let length = (1 << power) + rng.below(1 << power);
            small.push(length);
            sum += length;
        }
        DrawnTree {
            bytes,
            change_pct,
            seed,
            content: data(job, "transfer", RUN_BYTES),
            large,
            small,
        }
    }

    /// `bytes` bytes of content at `path` from the byte `at` on, drawn.
    fn write(&self, rng: &mut Rng, path: &Path, at: u64, bytes: u64) -> Result<(), TestError> {
        let open = File::options().write(true).create(true).truncate(false).open(path);
        let file = open.map_err(failed(path))?;
        let mut done = 0;
        while done < bytes {
            let piece = self.content.piece_bytes(rng.below(BEGINS), (bytes - done).div_ceil(8));
            let piece = &piece[..piece.len().min((bytes - done) as usize)];
            file.write_all_at(piece, at + done).map_err(failed(path))?;
            done += piece.len() as u64;
        }
        Ok(())
    }

    fn create_small(
        &self,
        rng: &mut Rng,
        root: &Path,
        number: u64,
        length: u64,
    ) -> Result<(), TestError> {
        let (path, in_dir) = (root.join(small(number)), root.join(dir(number)));
        fs::create_dir_all(&in_dir).map_err(failed(&in_dir))?;
        self.write(rng, &path, 0, length)?;
        match number % 20 {
            3 => {
                let link = in_dir.join(format!("hard{number}"));
                fs::hard_link(&path, &link).map_err(failed(&link))
            }
            7 => {
                let link = in_dir.join(format!("soft{number}"));
                symlink(format!("../d0/f{number}"), &link).map_err(failed(&link))
            }
            _ => Ok(()),
        }
    }

    /// Sets modes, owners, attributes and times of all files, and times of directories from the deepest on.
    fn set_all(&self, rng: &mut Rng, root: &Path) -> Result<(), TestError> {
        for number in 0..self.small.len() as u64 {
            let path = root.join(small(number));
            set(rng, &path, number % 10 == 1)?;
        }
        let last = (self.small.len() as u64).saturating_sub(1) / OF_DIR;
        for dir_of in (0..=last).map(|dir| dir * OF_DIR) {
            set_time(rng, &root.join(dir(dir_of)))?;
        }
        set_attribute(root, b"root")
    }

    /// Overwrites pieces of large files.
    fn overwrite(&self, rng: &mut Rng, root: &Path, bytes: u64) -> Result<u64, TestError> {
        let mut written = 0;
        while written < bytes {
            let piece = 4096 * (1 + rng.below(16));
            let at = 4096 * rng.below((LARGE_BYTES - piece) / 4096);
            let path = root.join(large(rng.below(self.large)));
            self.write(rng, &path, at, piece)?;
            written += piece;
        }
        // One grows.
        let path = root.join(large(0));
        self.write(rng, &path, LARGE_BYTES, 100_000)?;
        Ok(written + 100_000)
    }

    /// Rewrites, deletes, renames and creates small files, until `bytes` are written; each file once, in drawn order.
    fn change_small(&self, rng: &mut Rng, root: &Path, bytes: u64) -> Result<u64, TestError> {
        let mut order: Vec<u64> = (0..self.small.len() as u64).collect();
        rng.shuffle(&mut order);
        let mut written = 0;
        for (turn, number) in order.into_iter().enumerate() {
            if turn >= 8 && written >= bytes {
                break;
            }
            written += self.change_one(rng, root, number, turn % 8)?;
        }
        let (from, to) = (root.join("d0"), root.join("renamed"));
        fs::rename(&from, &to).map_err(failed(&from))?;
        Ok(written)
    }

    fn change_one(
        &self,
        rng: &mut Rng,
        root: &Path,
        number: u64,
        how: usize,
    ) -> Result<u64, TestError> {
        let path = root.join(small(number));
        let length = self.small[number as usize];
        let made = path.with_extension("new");
        match how {
            0 => fs::remove_file(&path).map_err(failed(&path))?,
            1 => fs::rename(&path, path.with_extension("moved")).map_err(failed(&path))?,
            2 => set(rng, &path, true)?,
            3 => {
                self.write(rng, &path, length, 5000)?;
                return Ok(5000);
            }
            4 | 5 => {
                self.write(rng, &made, 0, length)?;
                set(rng, &made, how == 4)?;
                return Ok(length);
            }
            _ => {
                // As editors do: a new file in place of the old one.
                self.write(rng, &made, 0, length)?;
                fs::rename(&made, &path).map_err(failed(&made))?;
                return Ok(length);
            }
        }
        Ok(0)
    }
}

impl SentTree for DrawnTree {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn create(&self, root: &Path) -> Result<u64, TestError> {
        let mut rng = Rng::new(self.seed ^ 1);
        for number in 0..self.large {
            let path = root.join(large(number));
            self.write(&mut rng, &path, 0, LARGE_BYTES)?;
        }
        for (number, length) in (0..).zip(&self.small) {
            self.create_small(&mut rng, root, number, *length)?;
        }
        self.set_all(&mut rng, root)?;
        Ok(self.large * LARGE_BYTES + self.small.iter().sum::<u64>())
    }

    fn change(&self, root: &Path) -> Result<u64, TestError> {
        let mut rng = Rng::new(self.seed ^ 2);
        let half = self.bytes * self.change_pct / 200;
        Ok(self.overwrite(&mut rng, root, half)? + self.change_small(&mut rng, root, half)?)
    }
}

/// Sets mode, owner where that is allowed, the attribute if asked, and a time of a file.
fn set(rng: &mut Rng, path: &Path, has_attribute: bool) -> Result<(), TestError> {
    if has_attribute {
        set_attribute(path, format!("value {}", rng.below(1000)).as_bytes())?;
    }
    let owner = OWNERS[rng.below(OWNERS.len() as u64) as usize];
    match chown(path, Some(owner), Some(owner)) {
        // A user's files are that user's, and some file systems have no owners.
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(failed(path)(error))?,
        _ => {}
    }
    let mode = MODES[rng.below(MODES.len() as u64) as usize];
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(failed(path))?;
    set_time(rng, path)
}

fn set_attribute(path: &Path, value: &[u8]) -> Result<(), TestError> {
    match lsetxattr(path, ATTRIBUTE, value, XattrFlags::empty()) {
        Ok(()) | Err(Errno::OPNOTSUPP) => Ok(()),
        Err(error) => Err(failed(path)(error.into())),
    }
}

fn set_time(rng: &mut Rng, path: &Path) -> Result<(), TestError> {
    let (tv_sec, tv_nsec) = (FIRST_S + rng.below(10_000_000) as i64, rng.below(1_000_000_000) as _);
    let time = Timespec { tv_sec, tv_nsec };
    let times = Timestamps { last_access: time, last_modification: time };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|error| failed(path)(error.into()))
}

/// All files of the tree in `root`, which has no other file systems in it.
///
/// # Errors
/// A directory cannot be listed.
pub fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        match entry.file_type()? {
            kind if kind.is_dir() => found.extend(files(&entry.path())?),
            kind if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    Ok(found)
}

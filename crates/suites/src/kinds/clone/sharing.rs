//! Clones of files, and the proof that a clone shares its blocks: by FIEMAP, or by the space that it takes.

use super::settings::Call;
use crate::TestError;
use engine::{extents::Extents, io::EngineError};
use rustix::{
    fs::{copy_file_range, fstatvfs, ioctl_ficlone, syncfs},
    io::Errno,
};
use std::{
    fs::{self, File},
    path::Path,
};

/// Bytes of the file that is cloned to see whether the file system can.
const PROBE_BYTES: usize = 256 << 10;
/// Share of a clone that has to be shared, percent.
const LEAST_SHARED_PCT: u64 = 95;
/// The most space that a clone may take, percent of its file.
const MOST_GROWN_PCT: u64 = 10;
/// Times that a clone is tried where the file system has not yet written what is cloned.
const TRIES: u32 = 10;
/// Share of the data that must not be compressible for its space to tell.
const LEAST_INCOMPRESSIBLE: f64 = 0.5;

const NO_CLONE: &str = "a clone of a file (FICLONE)";
const NO_COPY: &str = "a clone of a file (copy_file_range)";
const NOT_SHARED: &str = "a clone of a file that shares its blocks";
const NO_PROOF: &str =
    "a proof that a clone shares its blocks (no FIEMAP, and its data compresses)";

/// The error for what the file system of `path` does not support.
fn refused(what: &'static str, path: &Path) -> TestError {
    EngineError::not_supported(what, path.into(), "kind = 'clone'").into()
}

/// Tries to clone a small file in `folder`.
///
/// # Errors
/// The file system cannot clone files.
pub(super) fn probe(folder: &Path, call: Call) -> Result<(), TestError> {
    let paths = ["probe.origin", "probe.clone"].map(|name| folder.join(name));
    let [origin, clone] = &paths;
    fs::write(origin, vec![1; PROBE_BYTES]).map_err(TestError::io("write", origin))?;
    let opened = File::open(origin).map_err(TestError::io("open", origin))?;
    opened.sync_all().map_err(TestError::io("fsync", origin))?;
    let made =
        create(clone).and_then(|file| make(call, &opened, (&file, clone), PROBE_BYTES as u64));
    for path in paths.iter().filter(|path| path.exists()) {
        fs::remove_file(path).map_err(TestError::io("remove", path))?;
    }
    made
}

/// A new, empty file at `path`.
pub(super) fn create(path: &Path) -> Result<File, TestError> {
    let create = File::options().read(true).write(true).create_new(true).open(path);
    create.map_err(TestError::io("create", path))
}

/// Makes the empty file `clone`, whose name is `path`, a clone of the `bytes` of `origin`.
///
/// # Errors
/// The file system cannot clone files, or it fails.
pub(super) fn make(
    call: Call,
    origin: &File,
    (clone, path): (&File, &Path),
    bytes: u64,
) -> Result<(), TestError> {
    let mut tries = 1..TRIES;
    loop {
        let made = match call {
            Call::Ficlone => ioctl_ficlone(clone, origin),
            Call::CopyFileRange => copy(origin, clone, bytes),
        };
        match made {
            // ZFS clones only blocks that are on the disk.
            Err(Errno::AGAIN) if tries.next().is_some() => {
                syncfs(origin).map_err(|error| TestError::io("syncfs", path)(error.into()))?;
            }
            made => return made.map_err(|errno| failed(call, errno, path)),
        }
    }
}

fn copy(origin: &File, clone: &File, bytes: u64) -> Result<(), Errno> {
    let (mut from, mut to) = (0, 0);
    while to < bytes {
        let left = usize::try_from(bytes - to).unwrap_or(usize::MAX);
        if copy_file_range(origin, Some(&mut from), clone, Some(&mut to), left)? == 0 {
            return Err(Errno::IO);
        }
    }
    Ok(())
}

fn failed(call: Call, errno: Errno, path: &Path) -> TestError {
    match (call, errno) {
        (
            Call::Ficlone,
            Errno::OPNOTSUPP | Errno::NOTTY | Errno::NOSYS | Errno::INVAL | Errno::XDEV,
        ) => refused(NO_CLONE, path),
        (Call::CopyFileRange, Errno::OPNOTSUPP | Errno::NOSYS | Errno::XDEV) => {
            refused(NO_COPY, path)
        }
        (Call::Ficlone, errno) => TestError::io("FICLONE", path)(errno.into()),
        (Call::CopyFileRange, errno) => TestError::io("copy_file_range", path)(errno.into()),
    }
}

/// Free bytes of the file system of `file`, whose name is `path`.
pub(super) fn free_bytes(file: &File, path: &Path) -> Result<u64, TestError> {
    let told = fstatvfs(file).map_err(|error| TestError::io("statvfs", path)(error.into()))?;
    Ok(told.f_bfree.saturating_mul(told.f_frsize))
}

/// Refuses the `clone`, for which the file system grew by `grown` bytes, unless it shares its blocks with its origin.
///
/// # Errors
/// It shares too little, or neither FIEMAP nor the space of data of this incompressible share tells.
pub(super) fn prove(
    clone: &File,
    path: &Path,
    grown: u64,
    incompressible_share: f64,
) -> Result<(), TestError> {
    let bytes = clone.metadata().map_err(TestError::io("stat", path))?.len();
    let extents = Extents::of(clone).ok();
    judge(extents, (bytes, grown), incompressible_share).map_err(|what| refused(what, path))
}

/// What is missing for a proof that a clone of `bytes`, for which the file system grew by `grown`, shares its blocks.
fn judge(
    extents: Option<Extents>,
    (bytes, grown): (u64, u64),
    incompressible_share: f64,
) -> Result<(), &'static str> {
    if let Some(extents) = extents.filter(|extents| extents.bytes > 0) {
        let least = u128::from(extents.bytes) * u128::from(LEAST_SHARED_PCT);
        return match u128::from(extents.shared_bytes) * 100 >= least {
            true => Ok(()),
            false => Err(NOT_SHARED),
        };
    }
    if incompressible_share < LEAST_INCOMPRESSIBLE {
        return Err(NO_PROOF);
    }
    let most = bytes as f64 * incompressible_share * MOST_GROWN_PCT as f64 / 100.0;
    if grown as f64 <= most { Ok(()) } else { Err(NOT_SHARED) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn extents(bytes: u64, shared_bytes: u64) -> Option<Extents> {
        Some(Extents { pieces: 1, bytes, shared_bytes })
    }

    #[test]
    fn shared_extents_are_the_proof() {
        assert_eq!(judge(extents(100 * MIB, 100 * MIB), (100 * MIB, 100 * MIB), 1.0), Ok(()));
        assert_eq!(judge(extents(100 * MIB, 94 * MIB), (100 * MIB, 0), 1.0), Err(NOT_SHARED));
    }

    #[test]
    fn space_is_the_proof_where_extents_are_not_reported() {
        for unknown in [None, extents(0, 0)] {
            assert_eq!(judge(unknown, (100 * MIB, 9 * MIB), 1.0), Ok(()));
            assert_eq!(judge(unknown, (100 * MIB, 90 * MIB), 1.0), Err(NOT_SHARED));
            // A copy of data that compresses to half takes half.
            assert_eq!(judge(unknown, (100 * MIB, 50 * MIB), 0.5), Err(NOT_SHARED));
            assert_eq!(judge(unknown, (100 * MIB, 0), 0.0), Err(NO_PROOF));
        }
    }

    #[test]
    fn errors_that_say_no_are_told_from_failures() {
        let of = |call, errno| failed(call, errno, Path::new("/x"));
        for errno in [Errno::OPNOTSUPP, Errno::NOTTY, Errno::INVAL] {
            assert_eq!(of(Call::Ficlone, errno).refused(), Some(NO_CLONE));
        }
        for (call, errno) in [
            (Call::Ficlone, Errno::IO),
            (Call::Ficlone, Errno::NOSPC),
            (Call::CopyFileRange, Errno::INVAL),
        ] {
            assert_eq!(of(call, errno).refused(), None);
        }
    }
}

//! Reads assets next to the file of their suite. Another user may have written that suite: only regular files below
//! its folder are opened, whatever links are there.

use super::{AssetError, MOST_BYTES, copied};
use model::{Asset, AssetName, Bytes, ContentHash};
use rustix::{
    fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2},
    io::Errno,
};
use std::{
    fs::File,
    io,
    os::fd::AsRawFd,
    path::{Path, PathBuf},
};

/// Links may lead to other files below the folder, and nowhere else.
const STAY: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// Returns the asset `name` of the suite in the file `suite`, with length and hash.
///
/// # Errors
/// It cannot be opened or read, or is longer than assets may be.
pub(super) fn look(suite: &str, name: &AssetName) -> Result<Asset, AssetError> {
    let (bytes, sha256) = read(suite, name, &mut io::sink())?;
    Ok(Asset { suite: suite.into(), name: name.clone(), bytes, sha256 })
}

/// Writes the present content of the asset `name` of `suite` to `to`.
///
/// # Errors
/// As of [`look`], or `to` takes no more.
pub(super) fn read(
    suite: &str,
    name: &AssetName,
    to: &mut impl io::Write,
) -> Result<(Bytes, ContentHash), AssetError> {
    let wrong = |why: String| AssetError::Unusable { suite: suite.into(), name: name.clone(), why };
    let file = open(suite, name).map_err(|why| wrong(reason(&why)))?;
    let read = copied(&file, to, MOST_BYTES.0 + 1).map_err(|why| wrong(why.to_string()))?;
    match read.0 > MOST_BYTES {
        true => Err(AssetError::TooLong { bytes: read.0 }),
        false => Ok(read),
    }
}

/// Opens the asset `name` of `suite`.
///
/// # Errors
/// It is not a regular file below the folder of the suite, or it has another owner than that folder and a second name.
pub(super) fn open(suite: &str, name: &AssetName) -> io::Result<File> {
    let folder = openat(
        CWD,
        folder(suite),
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    // By its name alone first: opening some devices has side effects.
    let found =
        openat2(&folder, name.as_path(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), STAY)?;
    let (stat, owner) = (fstat(&found)?, fstat(&folder)?.st_uid);
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a regular file"));
    }
    if stat.st_nlink > 1 && stat.st_uid != owner {
        return Err(io::Error::other(
            "it has other names and belongs to another user than its folder",
        ));
    }
    File::open(format!("/proc/self/fd/{}", found.as_raw_fd()))
}

/// The folder of the suite in the file `suite`.
fn folder(suite: &str) -> PathBuf {
    let folder = Path::new(suite).parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).into()
}

fn reason(error: &io::Error) -> String {
    match Errno::from_io_error(error) {
        Some(Errno::XDEV | Errno::LOOP) => "it leads out of the folder of the suite".into(),
        Some(Errno::NOSYS) => "this kernel cannot keep to a folder (openat2, Linux 5.6)".into(),
        _ => error.to_string(),
    }
}

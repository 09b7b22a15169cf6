//! Reads assets next to the file of their suite. Another user may have written that suite: only regular files below
//! its folder are opened, whatever links are there.

use super::{AssetError, Fault, MOST_BYTES, copied};
use model::{
    text::Bytes,
    workload::{Asset, AssetName, ContentHash},
};
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, statat},
    io::Errno,
    process::geteuid,
};
use std::{
    fmt,
    fs::File,
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

/// Links may lead to other files below the folder, and nowhere else.
const STAY: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// Returns the asset `name` of the suite in the file `suite`, with length and hash.
///
/// # Errors
/// It cannot be opened or read, is longer than assets may be, or is not for the author of the suite to read.
pub(super) fn look(suite: &str, name: &AssetName) -> Result<Asset, AssetError> {
    let wrong = |why: &dyn fmt::Display| AssetError::Unusable {
        suite: suite.into(),
        name: name.clone(),
        why: why.to_string(),
    };
    let (file, folder) = open(suite, name).map_err(|why| wrong(&explained(why)))?;
    if !is_of_author(&file, &folder, suite).map_err(|why| wrong(&why))? {
        return Err(AssetError::NotOfAuthor { suite: suite.into(), name: name.clone() });
    }
    // The command line has not taken over any signal yet: one ends the program.
    let never = AtomicBool::new(false);
    match copied(&file, &mut io::sink(), MOST_BYTES.0 + 1, &never).map_err(|why| wrong(&why))? {
        (bytes, _) if bytes > MOST_BYTES => Err(AssetError::TooLong { bytes }),
        (bytes, sha256) => Ok(Asset { suite: suite.into(), name: name.clone(), bytes, sha256 }),
    }
}

/// Writes what the asset `name` of `suite` holds now to `to`, at most `most` bytes, until `stop`.
///
/// # Errors
/// It cannot be opened or read, or `to` takes no more.
pub(super) fn read(
    (suite, name): (&str, &AssetName),
    to: &mut impl io::Write,
    most: u64,
    stop: &AtomicBool,
) -> Result<(Bytes, ContentHash), Fault> {
    let (file, _) = open(suite, name).map_err(|why| Fault::Read(explained(why)))?;
    copied(&file, to, most, stop)
}

/// Opens the asset `name` of `suite`; also the folder of that, as a place only.
///
/// # Errors
/// It is not a regular file below the folder of the suite, or belongs to another user than that folder under another
/// name, too.
pub(super) fn open(suite: &str, name: &AssetName) -> io::Result<(File, OwnedFd)> {
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
    Ok((File::open(format!("/proc/self/fd/{}", found.as_raw_fd()))?, folder))
}

/// Returns whether `file` belongs to the author of `suite`, which lies in `folder`, or the author is the user who runs
/// it. Otherwise commands of another user would read what only this user may, e.g. private files beside the suite in
/// /tmp.
fn is_of_author(file: &File, folder: &OwnedFd, suite: &str) -> io::Result<bool> {
    let own = Path::new(suite).file_name().unwrap_or_default();
    let author = statat(folder, own, AtFlags::empty())?.st_uid;
    Ok(author == geteuid().as_raw() || author == fstat(file)?.st_uid)
}

/// The folder of the suite in the file `suite`.
fn folder(suite: &str) -> PathBuf {
    let folder = Path::new(suite).parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).into()
}

fn explained(error: io::Error) -> io::Error {
    match Errno::from_io_error(&error) {
        Some(Errno::XDEV | Errno::LOOP) => {
            io::Error::other("it leads out of the folder of the suite")
        }
        Some(Errno::NOSYS) => {
            io::Error::other("this kernel cannot keep to a folder (openat2, Linux 5.6)")
        }
        _ => error,
    }
}

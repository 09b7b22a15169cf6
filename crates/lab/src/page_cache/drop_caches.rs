//! Empties the page cache as far as this process may.

use crate::{error::LabError, ownership::private_dir};
use rustix::fs::{Advice, fadvise, syncfs};
use std::{
    fs::{self, File},
    io,
    path::Path,
};

const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Coldness that a target reached. The proof is the residency measured afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coldness {
    /// Unmounted, caches dropped, mounted: neither data nor metadata is left.
    Remounted,
    /// Caches dropped without unmounting: data, inodes and dentries that no process holds are gone.
    Dropped,
    /// Without root only file data was given back; inodes and dentries may remain.
    DataOnly,
    /// It lives in memory and has no device.
    Impossible,
}

/// Drops clean pages, dentries and inodes of the whole machine; root only.
pub fn drop_all() -> Result<(), LabError> {
    let path = Path::new(DROP_CACHES);
    fs::write(path, "3").map_err(LabError::io("write", path))
}

/// Returns true if [`drop_all`] can be tried.
pub(crate) fn can_drop() -> bool {
    fs::OpenOptions::new().write(true).open(DROP_CACHES).is_ok()
}

/// Writes back everything of the file system that holds `dir`.
pub(crate) fn sync(dir: &Path) -> Result<(), LabError> {
    let file = File::open(dir).map_err(LabError::io("open", dir))?;
    syncfs(&file).map_err(LabError::errno("sync", dir))
}

/// Makes every file below `dir` durable and asks the kernel to forget its pages, which needs no
/// root; then drops all caches where allowed.
pub(crate) fn forget_files(dir: &Path) -> Result<Coldness, LabError> {
    sync(dir)?;
    for path in private_dir::files(dir)? {
        let forgotten = File::open(&path).and_then(|file| forget(&file));
        forgotten.map_err(LabError::io("drop from the page cache", &path))?;
    }
    drop_if_allowed()
}

/// Drops all caches where that is allowed, after the pages of files were given back.
pub(crate) fn drop_if_allowed() -> Result<Coldness, LabError> {
    if can_drop() {
        drop_all()?;
        return Ok(Coldness::Dropped);
    }
    Ok(Coldness::DataOnly)
}

/// Makes `file` durable and asks the kernel to forget its pages.
pub(crate) fn forget(file: &File) -> io::Result<()> {
    file.sync_all()?;
    Ok(fadvise(file, 0, None, Advice::DontNeed)?)
}

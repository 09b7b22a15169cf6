//! Folders that tests make for themselves.

use crate::TestError;
use rustix::fs::syncfs;
use std::{
    fs::{self, File},
    io::ErrorKind,
    path::Path,
};

/// Removes `folder` with all in it, if it is there.
///
/// # Errors
/// What the file system reports.
pub(crate) fn remove(folder: &Path) -> Result<(), TestError> {
    match fs::remove_dir_all(folder) {
        Err(why) if why.kind() != ErrorKind::NotFound => Err(TestError::io("remove", folder)(why)),
        _ => Ok(()),
    }
}

/// Makes everything on the file system of `folder` durable. `sync` would wait for other file systems too.
///
/// # Errors
/// What the file system reports.
pub(crate) fn sync(folder: &Path) -> Result<(), TestError> {
    let opened = File::open(folder).map_err(TestError::io("open", folder))?;
    syncfs(&opened).map_err(|error| TestError::io("syncfs", folder)(error.into()))
}

/// Makes `folder` empty.
///
/// # Errors
/// What the file system reports.
pub(crate) fn renew(folder: &Path) -> Result<(), TestError> {
    remove(folder)?;
    fs::create_dir_all(folder).map_err(TestError::io("create", folder))
}

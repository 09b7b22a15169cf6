//! Folders that tests make for themselves.

use crate::TestError;
use std::{fs, io::ErrorKind, path::Path};

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

/// Makes `folder` empty.
///
/// # Errors
/// What the file system reports.
pub(crate) fn renew(folder: &Path) -> Result<(), TestError> {
    remove(folder)?;
    fs::create_dir_all(folder).map_err(TestError::io("create", folder))
}

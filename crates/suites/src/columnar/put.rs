//! Replaces a file and makes it durable; shared by columns and tests.

use super::settings::SetMode;
use crate::TestError;
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

/// Writes `header` and then `body` to a new file, and puts it in the place of `path`. Not synced.
pub(super) fn set(
    path: &Path,
    mode: SetMode,
    header: &[u8],
    body: &mut dyn FnMut(&File) -> Result<(), TestError>,
) -> Result<(), TestError> {
    let written = match mode {
        SetMode::Rename => temporary(path),
        SetMode::Trunc => path.to_path_buf(),
    };
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&written)
        .map_err(TestError::io("create", &written))?;
    file.write_all(header).map_err(TestError::io("write", &written))?;
    body(&file)?;
    drop(file);
    if mode == SetMode::Rename {
        fs::rename(&written, path).map_err(TestError::io("rename to", path))?;
    }
    Ok(())
}

/// The name next to `path` under which a new file is written.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".new");
    path.with_file_name(name)
}

/// `open`, `fsync`, `close` of a file or a directory.
pub(super) fn fsync(path: &Path) -> Result<(), TestError> {
    let file = File::open(path).map_err(TestError::io("open", path))?;
    file.sync_all().map_err(TestError::io("fsync", path))
}

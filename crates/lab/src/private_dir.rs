//! Directories that assay made for itself. Only these are ever removed: the name starts with
//! `assay-` and a marker file inside names the campaign.

use crate::{LabError, mounts};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const PREFIX: &str = "assay-";
const MARKER: &str = ".assay-private";

/// Name of a private directory.
pub(crate) fn name(suffix: &str) -> String {
    format!("{PREFIX}{suffix}")
}

/// Creates `dir`, which must not exist yet, and puts the marker into it.
pub(crate) fn create(dir: &Path, campaign: &str) -> Result<(), LabError> {
    fs::create_dir(dir).map_err(LabError::io("create", dir))?;
    mark(dir, campaign)
}

/// Puts the marker into `dir`, which was just made.
pub(crate) fn mark(dir: &Path, campaign: &str) -> Result<(), LabError> {
    let marker = dir.join(MARKER);
    fs::write(&marker, campaign).map_err(LabError::io("write", &marker))
}

/// Whether `dir` carries the marker of `campaign`.
pub(crate) fn is_ours(dir: &Path, campaign: &str) -> bool {
    let named = dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    named && fs::read_to_string(dir.join(MARKER)).is_ok_and(|text| text == campaign)
}

/// Removes `dir` with all that is in it. Returns whether it was there.
///
/// # Errors
/// It does not carry the marker of `campaign` and is not empty, or something is mounted inside.
pub(crate) fn remove(dir: &Path, campaign: &str) -> Result<bool, LabError> {
    let not_ours = |why: String| LabError::NotOurs { path: dir.into(), why };
    match fs::symlink_metadata(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(LabError::io("look at", dir)(error)),
        Ok(meta) if !meta.is_dir() => return Err(not_ours("it is not a directory".into())),
        Ok(_) => {}
    }
    if let Some(mount_point) = mounts::below(dir)? {
        return Err(not_ours(format!("{} is mounted", mount_point.display())));
    }
    if is_ours(dir, campaign) {
        fs::remove_dir_all(dir).map_err(LabError::io("remove", dir))?;
    } else {
        // Killed between the directory and its marker: it is empty, or it is not ours.
        let why = |_| not_ours(format!("it lacks the marker {MARKER} of {campaign}"));
        fs::remove_dir(dir).map_err(why)?;
    }
    Ok(true)
}

/// Allocated bytes of all files below `dir`.
pub(crate) fn used_bytes(dir: &Path) -> Result<u64, LabError> {
    use std::os::unix::fs::MetadataExt;
    let mut sum = 0;
    for file in files(dir)? {
        sum += fs::symlink_metadata(&file).map_err(LabError::io("look at", &file))?.blocks() * 512;
    }
    Ok(sum)
}

/// Every regular file below `dir`.
pub(crate) fn files(dir: &Path) -> Result<Vec<PathBuf>, LabError> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).map_err(LabError::io("list", &dir))? {
            let entry = entry.map_err(LabError::io("list", &dir))?;
            let kind = entry.file_type().map_err(LabError::io("look at", &dir))?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_directories_are_removed() {
        let top = tempfile::tempdir().unwrap();
        let ours = top.path().join(name("c-1"));
        create(&ours, "c").unwrap();
        fs::create_dir(ours.join("d")).unwrap();
        fs::write(ours.join("d/f"), "x").unwrap();
        assert!(remove(&ours, "other").unwrap_err().to_string().contains("marker"));
        assert!(remove(&ours, "c").unwrap());
        assert!(!remove(&ours, "c").unwrap(), "a second time does nothing");

        let foreign = top.path().join("data");
        create(&foreign, "c").unwrap();
        assert!(remove(&foreign, "c").is_err(), "the name is not ours");
        assert!(foreign.exists());
    }

    #[test]
    fn a_directory_without_marker_goes_only_when_empty() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join(name("c-1"));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("f"), "x").unwrap();
        assert!(remove(&dir, "c").is_err());
        fs::remove_file(dir.join("f")).unwrap();
        assert!(remove(&dir, "c").unwrap());
    }

    #[test]
    fn used_bytes_are_those_of_the_files() {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir(top.path().join("d")).unwrap();
        fs::write(top.path().join("d/f"), vec![1; 8192]).unwrap();
        fs::File::open(top.path().join("d/f")).unwrap().sync_all().unwrap();
        assert_eq!(used_bytes(top.path()).unwrap(), 8192);
    }
}

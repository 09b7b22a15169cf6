//! Where a campaign puts its images, and which disk it works on.

use super::prepare::Prepared;
use model::Target;
use std::path::{Path, PathBuf};

/// Folder of images in the state folder.
pub const IMAGES: &str = "images";

/// Folder in which images are made.
pub fn image_dir(prepared: &Prepared, state: &Path) -> PathBuf {
    prepared.plan.backing.dir.clone().unwrap_or_else(|| state.join(IMAGES))
}

/// The backing that the campaign will use: its first disk, else the directory where images go, or the
/// first target.
pub fn work_dir(prepared: &Prepared, state: &Path) -> PathBuf {
    if let Some(disk) = prepared.plan.backing.devices.first() {
        return disk.clone();
    }
    let dir = if prepared.needs_image() {
        image_dir(prepared, state)
    } else {
        let dirs = prepared.plan.targets.iter().find_map(|target| match target {
            Target::Dir(path) => Some(path.clone()),
            Target::Made { .. } => None,
        });
        dirs.unwrap_or_else(|| state.to_path_buf())
    };
    let mut existing = dir.as_path();
    while !existing.exists() {
        match existing.parent() {
            Some(parent) => existing = parent,
            None => break,
        }
    }
    existing.to_path_buf()
}

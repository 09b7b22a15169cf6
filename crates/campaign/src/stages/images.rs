//! The folder in which a campaign creates its images, and the disk it works on.

use super::Placed;
use model::target::Target;
use std::path::{Path, PathBuf};

/// Folder of images in the state folder.
pub const IMAGES: &str = "images";

/// Folder in which images are made.
pub fn image_dir(placed: &Placed, state: &Path) -> PathBuf {
    placed.plan.backing.dir.clone().unwrap_or_else(|| state.join(IMAGES))
}

/// Returns the backing that the campaign will use: its first disk, else the directory of the images, or the
/// first target.
pub fn work_dir(placed: &Placed, state: &Path) -> PathBuf {
    if let Some(disk) = placed.plan.backing.devices.first() {
        return disk.clone();
    }
    let dir = if placed.needs_image() {
        image_dir(placed, state)
    } else {
        let dirs = placed.plan.targets.iter().find_map(|target| match target {
            Target::Dir(path) => Some(path.clone()),
            Target::Made { .. } => None,
        });
        dirs.unwrap_or_else(|| state.to_path_buf())
    };
    nearest_existing(&dir)
}

/// Returns `dir`, or its nearest existing parent; the current folder for a relative path without any.
fn nearest_existing(dir: &Path) -> PathBuf {
    let above = dir.ancestors().find(|above| above.exists());
    above.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_path_resolves_to_the_nearest_folder() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(nearest_existing(&dir.path().join("a/b")), dir.path());
        assert_eq!(nearest_existing(dir.path()), dir.path());
        assert_eq!(nearest_existing(Path::new("no-such-folder/images")), Path::new("."));
    }
}

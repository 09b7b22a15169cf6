//! Finds a network block device that no client holds.

use std::path::{Path, PathBuf};

/// The folder in which the kernel lists block devices.
const BLOCK: &str = "/sys/block";

/// Returns the first device that no client holds; one that is taken meanwhile is refused.
pub(crate) fn free_device() -> PathBuf {
    free_among(Path::new(BLOCK))
}

fn free_among(block: &Path) -> PathBuf {
    let mut number = 0;
    while block.join(format!("nbd{number}/pid")).exists() {
        number += 1;
    }
    PathBuf::from(format!("/dev/nbd{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_with_a_client_is_passed_over() {
        let block = tempfile::tempdir().unwrap();
        for device in ["nbd0", "nbd1", "nbd2"] {
            std::fs::create_dir(block.path().join(device)).unwrap();
        }
        assert_eq!(free_among(block.path()), Path::new("/dev/nbd0"));
        std::fs::write(block.path().join("nbd0/pid"), "7").unwrap();
        assert_eq!(free_among(block.path()), Path::new("/dev/nbd1"));
    }
}

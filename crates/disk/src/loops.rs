//! Loop devices for the tests of this crate, by losetup(8).

use crate::program;
use std::path::{Path, PathBuf};

/// Attaches `image`; `None` where this machine gives no loop device.
pub(crate) fn attach(image: &Path) -> Option<PathBuf> {
    let ended = program::run("losetup", &["--find", "--show", image.to_str()?]).ok()??;
    ended.status.success().then(|| ended.stdout.trim().into())
}

/// Detaches it.
pub(crate) fn detach(node: &Path) {
    let ended = program::run("losetup", &["--detach", node.to_str().unwrap()]).unwrap().unwrap();
    assert!(ended.status.success(), "{}", ended.failure());
}

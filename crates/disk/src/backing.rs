//! Finds the file behind a loop device.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

const BLOCK: &str = "/sys/block";
/// The suffix that the kernel appends to the name of a deleted backing file.
const DELETED: &[u8] = b" (deleted)";

/// The file behind the loop device called `name`, e.g. `loop0`, by the name that it has or had, and whether it
/// was removed since; `None` for what is not a loop device, or not attached.
pub fn backing_file(name: &OsStr) -> Option<(PathBuf, bool)> {
    parse(&fs::read(Path::new(BLOCK).join(name).join("loop/backing_file")).ok()?)
}

/// Returns true if the loop device `node` is attached to `image`.
pub fn is_on(node: &Path, image: &Path) -> bool {
    let name = node.file_name().unwrap_or_default();
    backing_file(name).is_some_and(|(file, _)| file == image)
}

/// The file that sysfs tells, and whether it was removed.
fn parse(text: &[u8]) -> Option<(PathBuf, bool)> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let (name, is_deleted) = match text.strip_suffix(DELETED) {
        Some(name) => (name, true),
        None => (text, false),
    };
    (!name.is_empty()).then(|| (PathBuf::from(OsStr::from_bytes(name)), is_deleted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backing_files_are_known_even_when_removed() {
        assert_eq!(parse(b"/a/b\n"), Some(("/a/b".into(), false)));
        assert_eq!(parse(b"/a/b (deleted)\n"), Some(("/a/b".into(), true)));
        assert_eq!(parse(b"\n"), None);
    }
}

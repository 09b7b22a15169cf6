//! Loop devices: attached with direct I/O, found again by their image, detached.

use crate::{Cmd, LabError};
use std::{
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

const BLOCK: &str = "/sys/block";
/// What the kernel appends to the name of a backing file that was removed.
const DELETED: &[u8] = b" (deleted)";
/// How long a detached device may take to let go of its image.
const PATIENCE: Duration = Duration::from_secs(5);

/// The commands that attach `image`; the first prints the device that the second sets up.
pub(crate) fn attach_commands(image: &Path, device: &Path) -> [Cmd; 2] {
    [
        Cmd::new("losetup").args(["--find", "--show"]).arg(image),
        Cmd::new("losetup").arg("--direct-io=on").arg(device),
    ]
}

pub(crate) fn detach_command(device: &Path) -> Cmd {
    Cmd::new("losetup").arg("--detach").arg(device)
}

/// An attached image.
#[derive(Clone, Debug)]
pub(crate) struct LoopDevice {
    /// The node, as `/dev/loop0`.
    pub(crate) node: PathBuf,
    /// Whether it goes past the page cache of the host; not every backing file system allows it.
    pub(crate) direct_io: bool,
}

/// Attaches `image` to a free loop device.
pub(crate) fn attach(image: &Path) -> Result<LoopDevice, LabError> {
    let [attach, _] = attach_commands(image, Path::new(""));
    let node = PathBuf::from(attach.run()?.stdout.trim());
    let [_, direct] = attach_commands(image, &node);
    let direct_io = direct.run().is_ok();
    Ok(LoopDevice { node, direct_io })
}

/// Every device whose backing file is or was `image`.
pub(crate) fn find(image: &Path) -> Result<Vec<PathBuf>, LabError> {
    let block = Path::new(BLOCK);
    let entries = fs::read_dir(block).map_err(LabError::io("list", block))?;
    let attached = entries.flatten().filter(|entry| {
        let backing = fs::read(entry.path().join("loop/backing_file")).unwrap_or_default();
        is_image(&backing, image)
    });
    Ok(attached.map(|entry| Path::new("/dev").join(entry.file_name())).collect())
}

/// Whether the loop device `node` is attached to `image`.
pub(crate) fn is_on(node: &Path, image: &Path) -> bool {
    let name = node.file_name().unwrap_or_default();
    let backing = fs::read(Path::new(BLOCK).join(name).join("loop/backing_file"));
    is_image(&backing.unwrap_or_default(), image)
}

fn is_image(backing: &[u8], image: &Path) -> bool {
    let backing = backing.strip_suffix(b"\n").unwrap_or(backing);
    let image = image.as_os_str().as_bytes();
    backing == image || backing.strip_suffix(DELETED) == Some(image)
}

/// Detaches every device of `image`. Returns them.
pub(crate) fn detach(image: &Path) -> Result<Vec<PathBuf>, LabError> {
    let devices = find(image)?;
    for device in &devices {
        detach_command(device).run()?;
    }
    let start = Instant::now();
    // A device that udev looks at lets go only when udev is done.
    while !find(image)?.is_empty() {
        if start.elapsed() > PATIENCE {
            return Err(LabError::StaysBusy {
                path: image.into(),
                seconds: PATIENCE.as_secs(),
                why: "a loop device still holds it".into(),
            });
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(devices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_path_even_when_removed() {
        let image = Path::new("/a/b");
        assert!(is_image(b"/a/b\n", image));
        assert!(is_image(b"/a/b (deleted)\n", image));
        assert!(!is_image(b"/a/bc\n", image));
        assert!(!is_image(b"", image));
    }
}

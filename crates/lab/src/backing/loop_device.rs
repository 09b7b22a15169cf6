//! Loop devices: attached with direct I/O, found again by their image, detached.

use crate::{error::LabError, ownership::mark, programs::Run};
use ::fs::Cmd;
use disk::{lock::Lock, queue};
use model::text::Bytes;
use std::{
    fs::{self, File},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

const BLOCK: &str = "/sys/block";
/// The word in the name of an image's private directory, besides its campaign and a number: an image that
/// is attached here, and one that is left to guests.
pub(crate) const IMAGE: &str = "image";
pub(crate) const GUEST_IMAGE: &str = "guest";
/// Longest time that a detached device may take to release its image.
const PATIENCE: Duration = Duration::from_secs(5);

/// The commands that attach `image`; the first prints the device that the second sets up.
pub(crate) fn attach_commands(image: &Path, device: &Path) -> [Cmd; 2] {
    let sector = queue::sector_bytes(image).map(|bytes| ["--sector-size".into(), bytes]);
    [
        Cmd::new("losetup")
            .args(["--find", "--show"])
            .args(sector.into_iter().flatten())
            .arg(image),
        Cmd::new("losetup").arg("--direct-io=on").arg(device),
    ]
}

pub(crate) fn detach_command(device: &Path) -> Cmd {
    Cmd::new("losetup").arg("--detach").arg(device)
}

/// An attached image.
#[derive(Clone, Debug)]
pub(crate) struct LoopDevice {
    /// The node, e.g. `/dev/loop0`.
    pub(crate) node: PathBuf,
    /// Whether it bypasses the page cache of the host; not every backing file system allows that.
    pub(crate) direct_io: bool,
}

/// Attaches `image` to a free loop device, which is made to look like the disk below.
pub(crate) fn attach(image: &Path) -> Result<LoopDevice, LabError> {
    attach_part(image, None)
}

/// The same, with the first bytes of the image alone, as many as `limit` says.
pub(crate) fn attach_part(image: &Path, limit: Option<Bytes>) -> Result<LoopDevice, LabError> {
    let [attach, _] = attach_commands(image, Path::new(""));
    let limit = limit.map(|limit| ["--sizelimit".to_string(), limit.0.to_string()]);
    let attach = attach.args(limit.into_iter().flatten());
    let node = PathBuf::from(attach.run()?.stdout.trim());
    let [_, direct] = attach_commands(image, &node);
    let direct_io = direct.run().is_ok();
    queue::imitate(&node, image);
    Ok(LoopDevice { node, direct_io })
}

/// Every device whose backing file is or was `image`. A file of the same name in another container is
/// another one.
pub(crate) fn find(image: &Path) -> Result<Vec<PathBuf>, LabError> {
    let named = all()?.into_iter().filter(|attached| attached.image == image);
    Ok(named.filter(Attached::is_here).map(|attached| attached.node).collect())
}

/// A loop device with its backing file.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) node: PathBuf,
    /// The file, by the name that it has or had.
    pub(crate) image: PathBuf,
    /// It was removed since.
    is_deleted: bool,
}

/// Every loop device that is attached.
pub(crate) fn all() -> Result<Vec<Attached>, LabError> {
    let block = Path::new(BLOCK);
    let entries = fs::read_dir(block).map_err(LabError::io("list", block))?;
    let attached = entries.flatten().filter_map(|entry| {
        let (image, is_deleted) = disk::backing_file(&entry.file_name())?;
        Some(Attached { node: Path::new("/dev").join(entry.file_name()), image, is_deleted })
    });
    Ok(attached.collect())
}

impl Attached {
    /// Returns true if the file is the one that has this name here, or lay where this name leads here.
    pub(crate) fn is_here(&self) -> bool {
        let found = match self.is_deleted {
            false => fs::metadata(&self.image).ok(),
            true => None,
        };
        let Some((device, inode)) = self.identity() else { return false };
        match found {
            Some(file) => (file.dev(), file.ino()) == (device, inode),
            None => {
                let above = self.image.ancestors().skip(1).find_map(|dir| fs::metadata(dir).ok());
                above.is_some_and(|dir| dir.dev() == device)
            }
        }
    }

    /// Numbers of the device and of the inode of the backing file, as the kernel holds it.
    fn identity(&self) -> Option<(u64, u64)> {
        let columns = ["--list", "--noheadings", "--output", "BACK-MAJ:MIN,BACK-INO"];
        let listed = Cmd::new("losetup").args(columns).arg(&self.node).run().ok()?;
        let mut words = listed.stdout.split_whitespace();
        let (major, minor) = words.next()?.split_once(':')?;
        let device = rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?);
        Some((device, words.next()?.parse().ok()?))
    }

    /// Returns true if a campaign that runs holds the device by [`hold`].
    pub(crate) fn is_held(&self) -> bool {
        let Ok(device) = File::open(&self.node) else { return false };
        matches!(Lock::take_from_the_dead(device), Ok(None))
    }
}

/// Shows others that a campaign which runs has the device `node`, until the lock is dropped. It is shared,
/// as udev's is.
pub(crate) fn hold(node: &Path) -> Option<Lock> {
    Lock::share(File::open(node).ok()?).ok().flatten()
}

/// The campaign that `image` is called after; `None` for one that is not called as ours are.
pub(crate) fn campaign(image: &Path) -> Option<&str> {
    let dir = image.parent()?.file_name()?.to_str()?;
    let (campaign, kind) = dir.strip_prefix(mark::OURS)?.rsplit_once('-')?;
    let number = kind.strip_prefix(IMAGE).or_else(|| kind.strip_prefix(GUEST_IMAGE))?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && image.file_name()? == "image").then_some(campaign)
}

/// Detaches every device of `image`. Returns them.
pub(crate) fn detach(image: &Path) -> Result<Vec<PathBuf>, LabError> {
    let devices = find(image)?;
    for device in &devices {
        queue::put_back(device, image);
        detach_command(device).run()?;
    }
    let start = Instant::now();
    // A device that udev looks at lets go only when udev is done.
    while !find(image)?.is_empty() {
        if start.elapsed() > PATIENCE {
            return Err(LabError::Disk(disk::Error::StaysBusy {
                path: image.into(),
                seconds: PATIENCE.as_secs(),
                why: "a loop device still uses it".into(),
            }));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(devices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_ours_tell_their_campaign() {
        let of = |path: &'static str| campaign(Path::new(path));
        assert_eq!(of("/x/assay-2026-01-01-a-image0/image"), Some("2026-01-01-a"));
        assert_eq!(of("/x/assay-c-guest12/image"), Some("c"));
        for other in
            ["/x/assay-c-image0/other", "/x/c-image0/image", "/x/assay-c-imagex/image", "/image"]
        {
            assert_eq!(of(other), None, "{other}");
        }
    }
}

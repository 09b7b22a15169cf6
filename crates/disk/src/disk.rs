//! The disks of a lab: what targets are made on.

use crate::{
    Claim, Device, DiskPart, Error, attached::FileId, backing, hold::Hold, lock::Lock, mounts,
    queue,
};
use model::text::Bytes;
use std::{
    fs::{File, OpenOptions},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// Zeroed at both ends before every mkfs, so that no old signature is found.
const PURGED: u64 = 1 << 20;

/// The time a disk may stay busy after it was unmounted.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

/// A block device that targets are made on.
#[derive(Clone, Debug)]
pub struct Disk {
    node: PathBuf,
    size: Bytes,
    ours: Ours,
    /// Open as long as it is used; a part has one of its own in its claim.
    hold: Arc<Hold>,
}

/// Why it may be written to.
#[derive(Clone, Debug)]
enum Ours {
    /// It is a loop device on an image of ours.
    Image(Image),
    /// The user permitted to destroy it, or the part of it that this is.
    Claimed(Arc<Claim>, Option<DiskPart>),
    /// This is a guest, which was given it.
    Guest,
}

/// The file behind a loop device.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its name.
    pub path: PathBuf,
    /// Whether the loop device bypasses the page cache of the host.
    pub direct_io: bool,
    /// Shows others that a running campaign has the device.
    pub held: Option<Arc<Lock>>,
}

impl Disk {
    /// The loop device `node` of `size` bytes, attached to `image`, which is ours to overwrite.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn of_image(node: PathBuf, size: Bytes, image: Image) -> Result<Disk, Error> {
        let hold = Arc::new(Hold::open(&node)?);
        Ok(Disk { node, size, ours: Ours::Image(image), hold })
    }

    /// A claimed disk as a whole.
    pub fn claimed(claim: Claim) -> Disk {
        let (node, size) = (claim.info().node.clone(), claim.info().size);
        let hold = claim.hold();
        Disk { node, size, ours: Ours::Claimed(Arc::new(claim), None), hold }
    }

    /// The disk `node` of the guest that this process runs in.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn of_guest(node: &Path) -> Result<Disk, Error> {
        let hold = Hold::open(node)?;
        Ok(Disk { node: node.into(), size: hold.size(), ours: Ours::Guest, hold: Arc::new(hold) })
    }

    /// Its part `number`, from 0, where it is divided, else itself. The node is there after
    /// [`Disk::purge`].
    pub fn at(&self, number: u32) -> Disk {
        let Ours::Claimed(claim, _) = &self.ours else { return self.clone() };
        let Some(part) = claim.parts().get(number as usize) else { return self.clone() };
        let (node, size) = (part.node(&self.node), Bytes(part.bytes));
        let ours = Ours::Claimed(claim.clone(), Some(*part));
        Disk { node, size, ours, hold: self.hold.clone() }
    }

    /// Its node, e.g. `/dev/loop0`.
    pub fn node(&self) -> &Path {
        &self.node
    }

    /// A name that leads to it whatever its node leads to, as long as it is held. A program that looks its
    /// argument up among the devices of the machine does not take it.
    pub fn held_path(&self) -> PathBuf {
        let part = match &self.ours {
            Ours::Claimed(claim, Some(_)) => claim.held_part(),
            _ => None,
        };
        part.as_ref().unwrap_or(&self.hold).path()
    }

    /// Its size.
    pub fn size(&self) -> Bytes {
        self.size
    }

    /// The image that backs it, if assay made it.
    pub fn image(&self) -> Option<&Image> {
        match &self.ours {
            Ours::Image(image) => Some(image),
            _ => None,
        }
    }

    /// The permission to destroy it, where it is a disk of the user's.
    pub fn claim(&self) -> Option<&Claim> {
        match &self.ours {
            Ours::Claimed(claim, _) => Some(claim),
            _ => None,
        }
    }

    /// Its number.
    pub fn device(&self) -> Option<Device> {
        Device::of_node(&self.node)
    }

    /// Makes sure that it has room for `name`, which needs `needed` bytes, and carries no mount.
    ///
    /// # Errors
    /// It is too small, or mounted.
    pub fn check_free(&self, name: &'static str, needed: Bytes) -> Result<(), Error> {
        if self.size < needed {
            return Err(Error::TooSmall { name, needed, size: self.size });
        }
        match mounts::all()?.into_iter().find(|mount| mount.source == self.node) {
            Some(mount) => {
                Err(Error::Busy { device: self.node.clone(), mount_point: mount.mount_point })
            }
            None => Ok(()),
        }
    }

    /// Makes sure that it is still the disk that targets were made on.
    ///
    /// # Errors
    /// It is gone, or another one has its place.
    pub fn check_there(&self) -> Result<(), Error> {
        match &self.ours {
            Ours::Claimed(claim, _) => claim.check_there(),
            Ours::Image(image) if !backing::is_on(&self.node, &image.path) => {
                Err(self.not_attached(image))
            }
            Ours::Image(_) | Ours::Guest => self.hold.check(),
        }
    }

    fn not_attached(&self, image: &Image) -> Error {
        let why = format!("is no longer attached to {}", image.path.display());
        Error::DiskLost { device: self.node.clone(), why }
    }

    /// See [`wait_free`].
    ///
    /// # Errors
    /// It is still in use after some seconds.
    pub fn wait_free(&self) -> Result<(), Error> {
        wait_free(&self.node)
    }

    /// Its description, for the facts of a target.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let size = self.size.0.to_string();
        match &self.ours {
            Ours::Image(image) => {
                let direct = if image.direct_io { "on" } else { "off" };
                let own = [("image.bytes", size), ("loop.direct_io", direct.into())];
                own.into_iter().chain(queue::facts(&self.node)).collect()
            }
            Ours::Claimed(claim, part) => {
                let purge = claim.purge_policy().to_string();
                let position =
                    |part: DiskPart| format!("{} of {}", part.number, claim.parts().len());
                let part = part.map(|part| (model::result::PART, position(part)));
                let facts = [("device.bytes", size), ("device.purge", purge)];
                facts.into_iter().chain(part).collect()
            }
            Ours::Guest => Vec::new(),
        }
    }

    /// Zeroes both ends, which hold the signatures of all that was made on it before. A disk of the user's
    /// is judged again and emptied by its policy.
    ///
    /// # Errors
    /// It is refused, not ours any more, stays in use, or fails.
    pub fn purge(&self) -> Result<(), Error> {
        match &self.ours {
            Ours::Claimed(claim, None) => return claim.purge(),
            Ours::Claimed(claim, Some(part)) => return claim.purge_part(part),
            Ours::Image(_) | Ours::Guest => {}
        }
        self.wait_free()?;
        let node = &self.node;
        let device = OpenOptions::new().write(true).open(node).map_err(Error::io("open", node))?;
        self.check_ours(&device)?;
        let zeros = vec![0u8; PURGED as usize];
        let last = self.size.0.saturating_sub(PURGED) / 4096 * 4096;
        device
            .write_all_at(&zeros, 0)
            .and_then(|()| {
                device.write_all_at(&zeros[..(self.size.0 - last).min(PURGED) as usize], last)
            })
            .and_then(|()| device.sync_all())
            .map_err(Error::io("purge", node))
    }

    /// Makes sure that `device` is open on it, and that it is the image where it is one.
    fn check_ours(&self, device: &File) -> Result<(), Error> {
        self.check_there()?;
        if !self.hold.is_of(device)? {
            let why = "now leads to another device".into();
            return Err(Error::DiskLost { device: self.node.clone(), why });
        }
        let Some(image) = self.image() else { return Ok(()) };
        let file = self.hold.attached().map(|attached| attached.file);
        let is_it = file.is_some() && file == FileId::of(&image.path);
        is_it.then_some(()).ok_or_else(|| self.not_attached(image))
    }

    /// To be called when what was made on it was taken down.
    pub fn leave(&self) {
        match &self.ours {
            Ours::Claimed(claim, None) => claim.learn(),
            // One that stays is released before the next, or its refusal is reported.
            Ours::Claimed(claim, Some(_)) => drop(claim.forget_parts()),
            Ours::Image(_) | Ours::Guest => {}
        }
    }

    /// Makes what was written to it durable, below the device as well.
    ///
    /// # Errors
    /// It cannot be opened or written back.
    pub fn sync(&self) -> Result<(), Error> {
        let below = self.image().map_or(&self.node, |image| &image.path);
        let file = File::open(below).map_err(Error::io("open", below))?;
        file.sync_all().map_err(Error::io("sync", below))
    }
}

/// Waits until the disk `node` is not in use. A process that created a mount namespace while a target was
/// mounted keeps it mounted there after it was unmounted here; what is mounted next would be the same again,
/// warm, and of a FUSE server that has ended, and a checker would find it half written.
///
/// # Errors
/// It is still in use after some seconds; names the processes, if known.
pub fn wait_free(node: &Path) -> Result<(), Error> {
    let start = Instant::now();
    while is_held(node) {
        if start.elapsed() > PATIENCE {
            let why = mounts::elsewhere(node).unwrap_or("device is busy".into());
            let (path, seconds) = (node.to_path_buf(), PATIENCE.as_secs());
            return Err(Error::StaysBusy { path, seconds, why });
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Returns true if a file system or a driver uses the disk `node`. One that cannot be opened is not in use.
pub fn is_held(node: &Path) -> bool {
    let exclusive = OpenOptions::new().read(true).custom_flags(libc::O_EXCL).open(node);
    exclusive.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops;
    use std::fs;

    #[test]
    fn a_loop_device_that_is_attached_to_something_else_is_not_wiped() {
        if !needs::root_or_skip("a loop device") {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("foreign");
        let content = vec![7; 4 * PURGED as usize];
        fs::write(&path, &content).unwrap();
        let Some(node) = loops::attach(&path) else {
            return needs::skip(needs::Need::Loop, "no loop device can be attached");
        };
        let on = |path: &Path| {
            let image = Image { path: path.into(), direct_io: false, held: None };
            Disk::of_image(node.clone(), Bytes(content.len() as u64), image).unwrap()
        };
        let refused = on(&dir.path().join("image")).purge();
        let kept = fs::read(&path).unwrap() == content;
        let own = on(&path).purge();
        loops::detach(&node);
        assert!(matches!(refused, Err(Error::DiskLost { .. })), "{refused:?}");
        assert!(kept, "it was written to");
        assert!(own.is_ok() && fs::read(&path).unwrap() != content, "{own:?}");
    }
}

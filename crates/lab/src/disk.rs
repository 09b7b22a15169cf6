//! The disks of a lab: what targets are made on.

use crate::{Device, DiskPart, LabError, interlock::Claim, lock::Lock, loop_device, mounts, queue};
use model::Bytes;
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

/// How long one may stay in use after it was unmounted.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

/// A block device that targets are made on.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    /// Its node, as `/dev/loop0`.
    pub(crate) node: PathBuf,
    pub(crate) size: Bytes,
    /// What it is made of, where it is an image of ours.
    pub(crate) image: Option<Image>,
    /// The permission to destroy it, where it is a disk of the user's.
    pub(crate) claim: Option<Arc<Claim>>,
    /// The part of the claimed disk that this is, where it is not the whole.
    pub(crate) part: Option<DiskPart>,
}

/// The file behind a loop device.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) path: PathBuf,
    /// Whether the loop device goes past the page cache of the host.
    pub(crate) direct_io: bool,
    /// Shows others that a running campaign has the device.
    pub(crate) _held: Option<Arc<Lock>>,
}

impl Disk {
    /// A claimed disk as a whole.
    pub(crate) fn claimed(claim: Claim) -> Disk {
        let (node, size) = (claim.info().node.clone(), claim.info().size);
        Disk { node, size, image: None, claim: Some(Arc::new(claim)), part: None }
    }

    /// Its part `number`, from 0, where it is divided, else itself. The node is there after
    /// [`Disk::purge`].
    pub(crate) fn at(&self, number: u32) -> Disk {
        let parts = self.claim.as_ref().map(|claim| claim.parts()).unwrap_or_default();
        match parts.get(number as usize) {
            Some(part) => Disk {
                node: part.node(&self.node),
                size: Bytes(part.bytes),
                part: Some(*part),
                ..self.clone()
            },
            None => self.clone(),
        }
    }

    /// Its number.
    pub(crate) fn device(&self) -> Option<Device> {
        Device::of_node(&self.node)
    }

    /// Makes sure that it has room for `name`, which needs `needed` bytes, and carries no mount.
    pub(crate) fn check_free(&self, name: &'static str, needed: Bytes) -> Result<(), LabError> {
        if self.size < needed {
            return Err(LabError::TooSmall { name, needed, size: self.size });
        }
        match mounts::all()?.into_iter().find(|mount| mount.source == self.node) {
            Some(mount) => {
                Err(LabError::Busy { device: self.node.clone(), mount_point: mount.mount_point })
            }
            None => Ok(()),
        }
    }

    /// Makes sure that it is still the disk that targets were made on.
    ///
    /// # Errors
    /// It is gone, or another one has its place.
    pub(crate) fn check_there(&self) -> Result<(), LabError> {
        if let Some(claim) = &self.claim {
            return claim.check_there();
        }
        match &self.image {
            Some(image) if !loop_device::is_on(&self.node, &image.path) => {
                let why = format!("is not attached to {} any more", image.path.display());
                Err(LabError::DiskLost { device: self.node.clone(), why })
            }
            _ => Ok(()),
        }
    }

    /// As [`wait_free`].
    pub(crate) fn wait_free(&self) -> Result<(), LabError> {
        wait_free(&self.node)
    }

    /// What it is, for the facts of a target.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let size = self.size.0.to_string();
        match (&self.image, &self.claim) {
            (Some(image), _) => {
                let direct = if image.direct_io { "on" } else { "off" };
                let own = [("image.bytes", size), ("loop.direct_io", direct.into())];
                own.into_iter().chain(queue::facts(&self.node)).collect()
            }
            (None, Some(claim)) => {
                let purge = claim.purge_policy().to_string();
                let part = |part: DiskPart| format!("{} of {}", part.number, claim.parts().len());
                let part = self.part.map(|own| (model::PART, part(own)));
                let facts = [("device.bytes", size), ("device.purge", purge)];
                facts.into_iter().chain(part).collect()
            }
            (None, None) => Vec::new(),
        }
    }

    /// Zeroes both ends, which hold the signatures of all that was made on it before. A disk of the user's
    /// is judged again and emptied by its policy.
    pub(crate) fn purge(&self) -> Result<(), LabError> {
        match (&self.claim, &self.part) {
            (Some(claim), None) => return claim.purge(),
            (Some(claim), Some(part)) => return claim.purge_part(part),
            (None, _) => {}
        }
        self.wait_free()?;
        let node = &self.node;
        let device =
            OpenOptions::new().write(true).open(node).map_err(LabError::io("open", node))?;
        // Only now: while it is open, nobody can attach it to something else.
        self.check_there()?;
        let zeros = vec![0u8; PURGED as usize];
        let last = self.size.0.saturating_sub(PURGED) / 4096 * 4096;
        device
            .write_all_at(&zeros, 0)
            .and_then(|()| {
                device.write_all_at(&zeros[..(self.size.0 - last).min(PURGED) as usize], last)
            })
            .and_then(|()| device.sync_all())
            .map_err(LabError::io("purge", node))
    }

    /// To be called when what was made on it was taken down.
    pub(crate) fn leave(&self) {
        match (&self.claim, &self.part) {
            (Some(claim), None) => claim.learn(),
            // One that stays is given up before the next, or its refusal is told.
            (Some(claim), Some(_)) => drop(claim.forget_parts()),
            (None, _) => {}
        }
    }

    /// Makes what was written to it durable, below the device as well.
    pub(crate) fn sync(&self) -> Result<(), LabError> {
        let below = self.image.as_ref().map_or(&self.node, |image| &image.path);
        let file = File::open(below).map_err(LabError::io("open", below))?;
        file.sync_all().map_err(LabError::io("sync", below))
    }
}

/// Waits until nobody uses the disk `node`. Whoever began a mount namespace while a target stood keeps it
/// mounted there after it was unmounted here; what is mounted next would be the same again, warm, and of a
/// FUSE server that has ended, and a checker would find it half written.
///
/// # Errors
/// Somebody still does after some seconds: who, where that is known.
pub(crate) fn wait_free(node: &Path) -> Result<(), LabError> {
    let start = Instant::now();
    while is_held(node) {
        if start.elapsed() > PATIENCE {
            let why = mounts::elsewhere(node).unwrap_or("somebody uses it".into());
            let (path, seconds) = (node.to_path_buf(), PATIENCE.as_secs());
            return Err(LabError::StaysBusy { path, seconds, why });
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Whether a file system or a driver uses the disk `node`. One that cannot be opened is not in use.
pub(crate) fn is_held(node: &Path) -> bool {
    let exclusive = OpenOptions::new().read(true).custom_flags(libc::O_EXCL).open(node);
    exclusive.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY))
}

#[cfg(test)]
#[allow(clippy::print_stdout)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_loop_device_that_is_attached_to_something_else_is_not_wiped() {
        if !needs::root_or_skip("a loop device") {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("somebody-elses");
        let content = vec![7; 4 * PURGED as usize];
        fs::write(&path, &content).unwrap();
        let node = match loop_device::attach(&path) {
            Ok(attached) => attached.node,
            Err(error) => return needs::skip(needs::Need::Loop, error),
        };
        let on = |path: &Path| Disk {
            node: node.clone(),
            size: Bytes(content.len() as u64),
            image: Some(Image { path: path.into(), direct_io: false, _held: None }),
            claim: None,
            part: None,
        };
        let refused = on(&dir.path().join("image")).purge();
        let kept = fs::read(&path).unwrap() == content;
        let own = on(&path).purge();
        loop_device::detach(&path).unwrap();
        assert!(matches!(refused, Err(LabError::DiskLost { .. })), "{refused:?}");
        assert!(kept, "it was written to");
        assert!(own.is_ok() && fs::read(&path).unwrap() != content, "{own:?}");
    }
}

//! Makes a target on loop images that are made for it alone and removed with it: a second file system of the same kind.

use super::Instance;
use crate::{
    backing::{image, loop_device},
    error::LabError,
    ownership::{mark, undo::Undo},
    setup::{Lab, need_root},
};
use ::fs::ResolvedTarget;
use disk::{Disk, Image};
use model::text::Bytes;
use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

/// The first number of such an image: those of the campaign count from 0.
const FIRST: u64 = 1 << 20;

/// An instance on images of its own. Dropping it undoes both.
pub struct InstanceOnImages<'lab> {
    /// Taken down before its images are removed.
    instance: Instance<'lab>,
    images: Images<'lab>,
}

impl<'lab> Deref for InstanceOnImages<'lab> {
    type Target = Instance<'lab>;

    fn deref(&self) -> &Instance<'lab> {
        &self.instance
    }
}

/// Images with what undoes each, in the order of its making.
struct Images<'lab> {
    lab: &'lab Lab,
    undo: Vec<Undo>,
}

impl Lab {
    /// Makes `target` like [`Lab::provision`], on images of `size` below `dir` that are written in full for it alone.
    ///
    /// # Errors
    /// It cannot be made here, `dir` has no room, or `stop` became true; nothing is left of it.
    pub fn provision_on_images(
        &self,
        (dir, size): (&Path, Bytes),
        target: &ResolvedTarget,
        label: &str,
        stop: &AtomicBool,
    ) -> Result<InstanceOnImages<'_>, LabError> {
        need_root("attaching a loop image")?;
        let dir = dir.canonicalize().map_err(LabError::io("find", dir))?;
        image::check_room(&dir, Bytes(size.0.saturating_mul(target.disks() as u64)))?;
        let mut images = Images { lab: self, undo: Vec::new() };
        let disks = (0..target.disks()).map(|_| images.add(&dir, size, stop));
        let disks = disks.collect::<Result<Vec<Disk>, LabError>>()?;
        let instance = self.provision_on_disks(target, disks, label)?;
        Ok(InstanceOnImages { instance, images })
    }
}

impl Images<'_> {
    fn add(&mut self, dir: &Path, size: Bytes, stop: &AtomicBool) -> Result<Disk, LabError> {
        let number = FIRST + u64::from(self.lab.numbers(1));
        let name = format!("{}-{}{number}", self.lab.mark().campaign, loop_device::IMAGE);
        let private = dir.join(mark::own_name(&name));
        let path = private.join("image");
        self.undo.push(Undo::RemoveDir { path: private.clone() });
        self.lab.create_private(&private)?;
        image::write(&path, size, stop, &mut |_| {})?;
        self.attach(path, size)
    }

    fn attach(&mut self, path: PathBuf, size: Bytes) -> Result<Disk, LabError> {
        let detach = Undo::DetachLoop { image: path.clone() };
        self.lab.record(&detach)?;
        self.undo.push(detach);
        let attached = loop_device::attach(&path)?;
        let held = loop_device::hold(&attached.node).map(Arc::new);
        let image = Image { path, direct_io: attached.direct_io, held };
        Ok(Disk::of_image(attached.node, size, image)?)
    }

    fn remove(&mut self) -> Result<(), LabError> {
        while let Some(undo) = self.undo.pop() {
            undo.apply(self.lab.mark())?;
        }
        Ok(())
    }
}

impl Drop for Images<'_> {
    fn drop(&mut self) {
        // What fails here is tried again by the lab, and reported by `assay cleanup`.
        let _ = self.remove();
    }
}

impl InstanceOnImages<'_> {
    /// Undoes it now.
    ///
    /// # Errors
    /// It stays busy, or an image cannot be removed.
    pub fn teardown(self) -> Result<(), LabError> {
        let InstanceOnImages { instance, mut images } = self;
        instance.teardown()?;
        images.remove()
    }
}

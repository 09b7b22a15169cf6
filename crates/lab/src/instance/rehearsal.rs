//! Rehearses a target: makes and mounts it once on sparse files of its least size and takes it down again, so that what
//! its options do not allow is known in the words of its tools before anything is written for it.

use crate::{
    backing::{image, loop_device},
    error::LabError,
    ownership::{mark, private_dir, undo::Undo},
    setup::{Lab, need_root},
};
use disk::{Disk, Image};
use fs::{Part, ResolvedTarget};
use model::text::Bytes;
use std::path::{Path, PathBuf};

/// Larger files are not tried: mkfs writes more the more there is to describe.
const MOST: Bytes = Bytes(1 << 40);
/// Name of its mount point.
const REHEARSED: &str = "rehearsal";

impl Lab {
    /// Makes and mounts `target` once on sparse files under `dir`, and takes it down. They have its least size, or
    /// `size` where that is too small for its options.
    ///
    /// # Errors
    /// It cannot be made: what its tools say. Nothing is left of it.
    pub fn rehearse(
        &self,
        target: &ResolvedTarget,
        dir: &Path,
        size: Bytes,
    ) -> Result<(), LabError> {
        let parts = target.parts();
        let least = Bytes(parts.iter().map(|part| part.fs.about().min_bytes).sum());
        let size = size.min(MOST);
        let at_least = self.rehearse_on(parts, dir, least);
        match at_least {
            Err(_) if size > least && disks(parts) > 0 => self.rehearse_on(parts, dir, size),
            tried => tried,
        }
    }

    fn rehearse_on(&self, parts: &[Part], dir: &Path, size: Bytes) -> Result<(), LabError> {
        let files: Result<Vec<SparseDisk<'_>>, LabError> =
            (0..disks(parts)).map(|_| SparseDisk::attach(self, dir, size)).collect();
        let files = files?;
        let disks: Vec<Disk> = files.iter().filter_map(|file| file.disk.clone()).collect();
        let stack = self.stack_of(parts, &disks, None, REHEARSED);
        if stack.top().is_some_and(|top| top.mount().is_empty()) {
            return Ok(());
        }
        need_root("mounting a file system")?;
        self.make_sites(&stack)?;
        // Nothing is measured on the sparse files, so they stay sparse.
        let made = stack.make(&disks, |_| Ok(()));
        let down = stack.take_down(0, self.mark());
        // What was not made may have left half a mount, which the journal knows.
        let removed =
            down.and_then(|()| stack.parts().iter().try_for_each(|part| part.remove(self.mark())));
        drop((stack, disks));
        let detached = files.into_iter().try_for_each(SparseDisk::detach);
        made?;
        removed.and(detached)
    }
}

fn disks(parts: &[Part]) -> usize {
    parts.first().map_or(0, Part::disks)
}

/// A sparse file on a loop device.
struct SparseDisk<'lab> {
    lab: &'lab Lab,
    dir: PathBuf,
    disk: Option<Disk>,
}

impl<'lab> SparseDisk<'lab> {
    fn attach(lab: &'lab Lab, dir: &Path, size: Bytes) -> Result<SparseDisk<'lab>, LabError> {
        need_root("attaching a loop image")?;
        let dir = dir.canonicalize().map_err(LabError::io("find", dir))?;
        let name = format!("{}-{}{}", lab.mark().campaign, loop_device::IMAGE, lab.numbers(1));
        let dir = dir.join(mark::own_name(&name));
        lab.create_private(&dir)?;
        let path = dir.join("image");
        image::sparse(&path, size)?;
        lab.record(&Undo::DetachLoop { image: path.clone() })?;
        let node = loop_device::attach(&path)?.node;
        let image = Image { path, direct_io: false, held: None };
        let disk = Disk::of_image(node, size, image)?;
        Ok(SparseDisk { lab, dir, disk: Some(disk) })
    }

    /// Detaches and removes it.
    fn detach(mut self) -> Result<(), LabError> {
        // Held, it would stay attached.
        let image = self.disk.take().and_then(|disk| disk.image().map(|image| image.path.clone()));
        if let Some(image) = image {
            loop_device::detach(&image)?;
        }
        private_dir::remove(&self.dir, self.lab.mark()).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> ResolvedTarget {
        text.parse().unwrap()
    }

    #[test]
    fn slow_targets_and_those_elsewhere_are_left_out_with_the_reason() {
        let why = |text: &str| target(text).unrehearsed().map(|why| why.to_string());
        assert_eq!(why("xfs[noatime]"), None);
        assert_eq!(why("crypt(ext4)"), None);
        assert!(why("dir:/mnt").unwrap().contains("is a directory"));
        assert!(why("nfs[server=host:/x]").unwrap().contains("remote server"));
        assert_eq!(why("zfs[recordsize=16k]").unwrap(), "zfs takes seconds to start");
    }

    #[test]
    fn bare_target_has_no_options_anywhere() {
        assert_eq!(
            target("crypt[cipher=aes-xts-plain64](xfs[agcount=4,noatime])")
                .bare()
                .unwrap()
                .to_string(),
            "crypt(xfs)"
        );
        assert_eq!(target("dir:/mnt").bare().unwrap().to_string(), "dir:/mnt");
    }
}

//! A mirror on some disks: all of its legs, or as many as are left.

use super::{Mirror, failed};
use crate::faults::{
    FaultsError,
    mount::{How, Mounted},
};
use ::fs::{Cmd, Site};
use lab::{
    error::LabError,
    recording::{Layers, Present, RecordingDisk, btrfs},
};
use rustix::io::Errno;
use std::path::Path;

/// The answer of an array, volume or pool that is not started on the disks that are there.
const NOT_STARTED: Errno = Errno::NODEV;

/// How a mirror is brought up on some disks.
#[derive(Debug)]
pub(super) struct Assembly<'a> {
    layers: Layers<'a>,
    /// How what is on the layers is mounted; `None` where they mount it themselves.
    how: Option<How>,
    /// Where the part is that keeps everything.
    site: Site,
    /// The directory where it is mounted if the layers do so.
    root: &'a Path,
}

/// A mirror that is up and mounted. Dropping it unmounts it; its layers are taken down with its assembly.
#[derive(Debug)]
pub(super) struct Up<'a> {
    mounted: Option<Mounted>,
    assembly: &'a Assembly<'a>,
}

/// The last step of bringing a mirror up, which any thread can take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mounting<'a> {
    how: Option<&'a How>,
    root: &'a Path,
}

impl Mirror<'_> {
    /// On all of its legs.
    pub(super) fn whole(&self) -> Result<Assembly<'_>, FaultsError> {
        self.on(&self.legs.iter().collect::<Vec<_>>())
    }

    /// On all of these legs, as many as it has.
    pub(super) fn on(&self, legs: &[&RecordingDisk]) -> Result<Assembly<'_>, FaultsError> {
        let disks: Vec<&Path> = legs.iter().map(|leg| leg.device()).collect();
        self.assembly(&disks, Present::All)
    }

    /// On `disks` alone, though others are missing.
    pub(super) fn degraded(&self, disks: &[&Path]) -> Result<Assembly<'_>, FaultsError> {
        self.assembly(disks, Present::Some)
    }

    fn assembly(&self, disks: &[&Path], present: Present) -> Result<Assembly<'_>, FaultsError> {
        let parts = self.target.parts();
        let mounts = usize::from(self.is_mounted_here);
        let on = (disks, self.bytes, present);
        let layers = Layers::new(self.lab, parts, &self.places, on, parts.len() - mounts);
        let site = layers.site(self.number).clone();
        let top = layers.site(parts.len() - 1);
        let how = match (parts.last().filter(|_| self.is_mounted_here), present) {
            (None, _) => None,
            (Some(part), Present::All) => Some(How::of(part, top)?),
            (Some(part), Present::Some) => Some(How::degraded(part, top)?),
        };
        Ok(Assembly { layers, how, site, root: &self.root })
    }

    /// Brings it up with all legs, before any fault, and does `act`.
    pub(super) fn up<T>(
        &self,
        act: impl FnOnce(&Up<'_>) -> Result<T, FaultsError>,
    ) -> Result<T, FaultsError> {
        self.up_on(&self.whole()?, act)
    }

    /// The same with `assembly`, which has to be possible.
    pub(super) fn up_on<T>(
        &self,
        assembly: &Assembly<'_>,
        act: impl FnOnce(&Up<'_>) -> Result<T, FaultsError>,
    ) -> Result<T, FaultsError> {
        let up = assembly.up()?;
        let up = up.map_err(|errno| FaultsError::Mount { target: self.name(), errno })?;
        let done = act(&up);
        self.take_down(up)?;
        done
    }

    /// Takes it down, and waits until nothing uses the disks.
    pub(super) fn take_down(&self, up: Up<'_>) -> Result<(), FaultsError> {
        let Up { mounted, assembly } = up;
        drop(mounted);
        assembly.stop()?;
        self.wait_free()
    }

    pub(super) fn wait_free(&self) -> Result<(), FaultsError> {
        Ok(self.devices().try_for_each(disk::wait_free)?)
    }

    /// Has the kernel forget all disks, if it remembers them: it would take those for legs of what is mounted next.
    pub(super) fn forget(&self) -> Result<(), FaultsError> {
        let remembered = self.devices().filter(|_| self.redundancy.is_remembered);
        for device in remembered {
            btrfs::forget(device).map_err(failed("forget", device))?;
        }
        Ok(())
    }

    fn devices(&self) -> impl Iterator<Item = &Path> {
        let copies = self.copies.iter().map(|copy| copy.device());
        self.disks().map(RecordingDisk::device).chain(copies)
    }
}

impl<'a> Assembly<'a> {
    /// Where the part is that keeps everything.
    pub(super) fn site(&self) -> &Site {
        &self.site
    }

    /// Makes all parts.
    pub(super) fn make(&self) -> Result<(), FaultsError> {
        self.layers.make()?;
        Ok(self.layers.take_down()?)
    }

    /// The same, mounted to be read alone.
    pub(super) fn read_only(mut self) -> Self {
        self.how = self.how.map(|how| how.with(&["ro"]));
        self
    }

    /// Brings it up, without times of access where it is mounted here. The inner error is what the kernel says of what
    /// is on the disks.
    ///
    /// # Errors
    /// The machine is at fault.
    pub(super) fn up(&self) -> Result<Result<Up<'_>, Errno>, FaultsError> {
        if let Err(errno) = self.start()? {
            return Ok(Err(errno));
        }
        match self.mounting().mount()? {
            Ok(mounted) => Ok(Ok(Up { mounted, assembly: self })),
            Err(errno) => {
                self.stop()?;
                Ok(Err(errno))
            }
        }
    }

    /// Brings up its layers. The inner error is what they say of what is on the disks.
    pub(super) fn start(&self) -> Result<Result<(), Errno>, FaultsError> {
        match self.layers.bring_up() {
            Ok(()) => Ok(Ok(())),
            Err(LabError::Disk(disk::Error::Command { .. })) => {
                self.stop()?;
                Ok(Err(NOT_STARTED))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Takes its layers down.
    pub(super) fn stop(&self) -> Result<(), FaultsError> {
        Ok(self.layers.take_down()?)
    }

    /// How it is mounted once its layers are up.
    pub(super) fn mounting(&self) -> Mounting<'_> {
        Mounting { how: self.how.as_ref(), root: self.root }
    }
}

impl<'a> Mounting<'a> {
    /// Mounts it, if its layers have not. The inner error is what the kernel says of what is on the disks.
    ///
    /// # Errors
    /// The machine is at fault.
    pub(super) fn mount(&self) -> Result<Result<Option<Mounted>, Errno>, FaultsError> {
        let mounted = self.how.map(|how| how.without_access_times().mount()).transpose()?;
        Ok(mounted.transpose())
    }

    /// Its root, where it is `mounted`.
    pub(super) fn root<'m>(self, mounted: &'m Option<Mounted>) -> &'m Path
    where
        'a: 'm,
    {
        mounted.as_ref().map_or(self.root, Mounted::root)
    }
}

impl Up<'_> {
    /// Its root.
    pub(super) fn root(&self) -> &Path {
        self.assembly.mounting().root(&self.mounted)
    }

    /// Where the part is that keeps everything.
    pub(super) fn site(&self) -> &Site {
        self.assembly.site()
    }
}

/// Returns true if `commands` are one mount(8), which can be done without it.
pub(super) fn is_one_mount(commands: &[Cmd]) -> bool {
    matches!(commands, [one] if one.program == "mount")
}

//! Holds one freshly made candidate: workers run on it; it is checked, made cold and measured.

pub(crate) mod held;
pub(crate) mod held_dir;
pub(crate) mod persistence;
pub(crate) mod quiesce;

mod cold;
mod facts;
mod in_effect;
mod on_images;
mod options;
mod provision;
mod rebuilt;
mod rehearsal;
mod upkeep;

pub use cold::{Cold, look_from_here};
pub use on_images::InstanceOnImages;
pub use persistence::{Flushes, Persisted, Persistence};
pub use quiesce::Waited;
pub use upkeep::{Check, Upkeep};

use crate::{
    backing::{image, throttle::Controller},
    error::LabError,
    mounts,
    observe::Below,
    ownership::{private_dir, undo::Undo},
    page_cache::{Residency, drop_caches, folios, kept::Kept, residency},
    setup::Lab,
    stack::Stack,
};
use ::fs::{Cap, End};
use cold::SinceRemount;
use disk::{Device, Disk};
use held::Held;
use held_dir::NamedDir;
use model::{figure::Unproven, plan::User, result::Environment};
use quiesce::IdleProof;
use std::{
    cell::{OnceCell, RefCell},
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Name of an own directory in the file system.
const WORK: &str = "work";
/// Time after an error in which the end of a server counts as its cause.
const LOSS_TIME: Duration = Duration::from_millis(500);

/// Place of the workers' directories.
#[derive(Debug)]
pub(crate) enum WorkDir {
    /// In a file system that the lab mounted here.
    Mounted { dir: PathBuf },
    /// In this private directory, which no other user can reach.
    Plain { dir: PathBuf },
    /// In a private directory of a directory of the user's, or of an export that the lab mounted.
    Held(Held),
}

/// A provisioned target. It lives no longer than its lab; dropping it undoes it.
pub struct Instance<'lab> {
    lab: &'lab Lab,
    work_dir: WorkDir,
    /// Its parts, from the bottom to the top; empty for a plain directory.
    stack: Stack,
    disks: Vec<Disk>,
    root: PathBuf,
    /// `st_dev` of the root of a plain directory.
    number: u64,
    devices: Vec<Device>,
    persistence: Option<Persistence>,
    facts: Environment,
    mkfs_ms: f64,
    mount_ms: f64,
    /// Space in use when it was made.
    fresh_bytes: u64,
    /// Entries that lift the caps on the devices.
    caps: Vec<Undo>,
    idle: IdleProof,
    /// Its mounts as they were made.
    mounted: RefCell<Vec<mounts::Mount>>,
    since_remount: RefCell<Option<SinceRemount>>,
    /// Programs that a remount needs, kept in memory.
    kept: OnceCell<Kept>,
    down: bool,
}

impl<'lab> Instance<'lab> {
    /// Makes and mounts `stack` on `disks`. On an error what was done is torn down.
    pub(crate) fn start(
        lab: &'lab Lab,
        work_dir: WorkDir,
        stack: Stack,
        disks: Vec<Disk>,
    ) -> Result<Instance<'lab>, LabError> {
        let root = match &work_dir {
            // Below the mount point: with the mount gone, workers find no directory and write nothing.
            WorkDir::Mounted { dir } => dir.join(WORK),
            WorkDir::Plain { dir } => dir.clone(),
            WorkDir::Held(held) => held.path().into(),
        };
        let facts = Environment::default();
        let mut instance = Instance {
            lab,
            work_dir,
            stack,
            disks,
            root,
            number: 0,
            devices: Vec::new(),
            persistence: None,
            facts,
            mkfs_ms: 0.0,
            mount_ms: 0.0,
            fresh_bytes: 0,
            caps: Vec::new(),
            idle: IdleProof::default(),
            mounted: RefCell::default(),
            since_remount: RefCell::default(),
            kept: OnceCell::new(),
            down: false,
        };
        instance.bring_up()?;
        Ok(instance)
    }

    fn bring_up(&mut self) -> Result<(), LabError> {
        self.disks.iter().try_for_each(Disk::check_there)?;
        let (made, mounted) = self.stack.make(&self.disks, image::complete_after_mkfs)?;
        self.disks.iter().try_for_each(Disk::check_there)?;
        self.await_rebuild()?;
        self.mkfs_ms = made.as_secs_f64() * 1e3;
        self.mount_ms = mounted.as_secs_f64() * 1e3;
        self.make_root()?;
        self.devices = match self.work_dir {
            // What the disks below an object store elsewhere do proves nothing of it: they have the client's cache.
            WorkDir::Mounted { .. } if self.stack.is_outside() => Vec::new(),
            WorkDir::Mounted { .. } => self.disks.iter().filter_map(Disk::device).collect(),
            WorkDir::Plain { .. } | WorkDir::Held(_) => {
                Device::under(&self.root)?.into_iter().collect()
            }
        };
        self.persistence = Some(match self.stack.parts().is_empty() || self.devices.is_empty() {
            true => Persistence::of_dir(&self.root)?,
            false => Persistence::of_stack(&self.stack, self.devices.clone())?,
        });
        if self.rebuilding()?.is_some() {
            // What its disks write is of both.
            self.persistence = self.persistence.take().map(|own| own.hidden_by(Unproven::Rebuilt));
        }
        self.number = number(&self.root)?;
        self.note_options()?;
        self.facts = self.gather_facts()?;
        self.quiesce()?;
        self.fresh_bytes = self.used_bytes()?;
        self.check()
    }

    /// Makes its root, where that could not be made before it was mounted.
    fn make_root(&self) -> Result<(), LabError> {
        match (&self.work_dir, self.stack.top()) {
            (WorkDir::Mounted { .. }, _) => {
                fs::create_dir(&self.root).map_err(LabError::io("create", &self.root))
            }
            (WorkDir::Held(held), Some(export)) => {
                held.make(NamedDir::open(&export.site.dir)?, self.lab.mark())
            }
            (WorkDir::Held(_) | WorkDir::Plain { .. }, _) => Ok(()),
        }
    }

    /// Imposes `caps` on each of its devices until it is taken down.
    pub(crate) fn impose(&mut self, caps: &[Cap]) -> Result<(), LabError> {
        let devices: Vec<Device> = self.disks.iter().filter_map(Disk::device).collect();
        if caps.is_empty() || devices.is_empty() {
            return Ok(());
        }
        let controller = Controller::find()?.ok_or(LabError::NoThrottle)?;
        let campaign = &self.lab.mark().campaign;
        // Control groups know disks, not partitions.
        for device in devices.iter().map(|device| device.disk().to_string()) {
            let undo = controller.undo(caps, &device, campaign);
            undo.iter().try_for_each(|undo| self.lab.record(undo))?;
            self.caps.extend(undo);
            controller.impose(caps, &device, campaign)?;
        }
        Ok(())
    }

    /// Returns true if the I/O of its devices is capped.
    pub fn has_caps(&self) -> bool {
        !self.caps.is_empty()
    }

    /// The end of a transfer that it is; `None` for a plain directory.
    pub fn end(&self) -> Option<End<'_>> {
        Some(End { site: &self.stack.top()?.site, root: &self.root })
    }

    /// The directory in which workers get their directories.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The user in whose name workers work here; `None` for that of this process.
    pub fn user(&self) -> Option<User> {
        match &self.work_dir {
            WorkDir::Held(held) => held.user(),
            _ => None,
        }
    }

    /// Makes the directory `path` of a worker, which is in [`Instance::root`].
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_dir(&self, path: &Path) -> Result<(), LabError> {
        match &self.work_dir {
            WorkDir::Held(held) => held.get()?.make_dir(path),
            _ => fs::create_dir_all(path).map_err(LabError::io("create", path)),
        }
    }

    /// Returns the part of `files`, all in [`Instance::root`], that is in the page cache.
    ///
    /// # Errors
    /// One cannot be opened.
    pub fn residency(&self, files: &[PathBuf]) -> Result<Residency, LabError> {
        match &self.work_dir {
            WorkDir::Held(held) => held.get()?.residency(files),
            _ => residency(files),
        }
    }

    /// Returns the median folio, bytes, in which the page cache holds `files`, all in [`Instance::root`] and in the
    /// page cache; `None` where the kernel does not show it, as without root.
    ///
    /// # Errors
    /// One cannot be opened.
    pub fn folio_bytes(&self, files: &[PathBuf]) -> Result<Option<u64>, LabError> {
        let open = |path: &PathBuf| match &self.work_dir {
            WorkDir::Held(held) => held.get()?.open(path),
            _ => fs::File::open(path).map_err(LabError::io("open", path)),
        };
        let opened = files.iter().map(open).collect::<Result<Vec<_>, LabError>>()?;
        folios::median_bytes(&opened)
            .map_err(LabError::io("find the folios of files in", &self.root))
    }

    /// The block devices under it; none in memory or on a network.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Returns true if direct I/O must reach its devices: a file system of the kernel is on
    /// them, and no server that keeps data in its memory.
    pub fn passes_direct_on(&self) -> bool {
        let mount = mounts::holding(&self.root).ok().flatten();
        let mounted = mount.and_then(|mount| ::fs::mounted(&mount.kind));
        let passes = mounted.is_some_and(|mounted| mounted.passes_direct);
        passes && !self.devices.is_empty() && self.servers().is_empty() && !self.has_own_cache()
    }

    /// Returns true if other programs may work on its devices, too: it is a directory of a file system that was
    /// there.
    pub fn shares_devices(&self) -> bool {
        self.disks.is_empty() && !self.devices.is_empty()
    }

    /// Returns where what is written to it ends, as far as that can be seen.
    pub fn persistence(&self) -> Option<&Persistence> {
        self.persistence.as_ref()
    }

    /// The disk below them, where others may be at work; `None` where it is unknown who moves what there.
    ///
    /// # Errors
    /// The mount table cannot be read, or an image is gone.
    pub fn below(&self) -> Result<Option<Below>, LabError> {
        Below::of(&self.disks, self.lab.disks())
    }

    /// The processes of its own servers.
    pub fn servers(&self) -> Vec<u32> {
        self.stack.servers()
    }

    /// Returns true if it caches file data outside the page cache, where residency does not show it. Then only the
    /// device proves that a run was hot.
    pub fn has_own_cache(&self) -> bool {
        self.stack.parts().iter().any(|part| part.fs().about().has_own_cache)
    }

    /// Returns its facts: effective mount options, geometry, versions, the commands that were run.
    pub fn facts(&self) -> &Environment {
        &self.facts
    }

    /// Returns the time of mkfs, milliseconds; 0 if nothing was made.
    pub fn mkfs_ms(&self) -> f64 {
        self.mkfs_ms
    }

    /// Returns the time of the first mount, milliseconds; 0 if nothing was mounted.
    pub fn mount_ms(&self) -> f64 {
        self.mount_ms
    }

    /// Space in use: of the whole file system when it was made here, otherwise of the files in the
    /// private directory, bytes.
    ///
    /// # Errors
    /// It cannot be looked at.
    pub fn used_bytes(&self) -> Result<u64, LabError> {
        match &self.work_dir {
            WorkDir::Mounted { dir } => {
                // An upper part may count in steps of its own: NFS in blocks of a request.
                let mut mounted = self.stack.parts().iter().filter(|part| part.is_mounted());
                let dir = mounted.next().map_or(dir, |lowest| &lowest.site.dir);
                let stat = rustix::fs::statvfs(dir).map_err(LabError::errno("look at", dir))?;
                Ok((stat.f_blocks - stat.f_bfree) * stat.f_frsize)
            }
            WorkDir::Plain { dir } => private_dir::used_bytes(dir),
            WorkDir::Held(held) => held.get()?.used_bytes(),
        }
    }

    /// Makes sure that the target is still what was provisioned; to be called before every case.
    ///
    /// # Errors
    /// The disk, the mount or the directory is gone or another one.
    pub fn check(&self) -> Result<(), LabError> {
        self.disks.iter().try_for_each(Disk::check_there)?;
        if let Some(loss) = self.stack.loss() {
            return Err(loss);
        }
        if let WorkDir::Held(held) = &self.work_dir {
            return held.get()?.check().and_then(|()| self.stack.check());
        }
        let gone = |why: String| LabError::MountGone { path: self.root.clone(), why };
        match fs::metadata(&self.root) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(gone("is not a directory".into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(gone("does not exist".into()));
            }
            Err(error) => return Err(gone(format!("cannot be read: {error}"))),
        }
        let WorkDir::Mounted { dir } = &self.work_dir else {
            let same = number(&self.root)? == self.number;
            return if same { Ok(()) } else { Err(gone("is now on another file system".into())) };
        };
        if number(dir)? == number(dir.parent().unwrap_or(dir))? {
            return Err(gone("is on the file system of its parent directory".into()));
        }
        self.stack.check()
    }

    /// Returns why the target failed under the work, when a server of it has ended: to be asked after an error,
    /// which may be known a moment before the end of the server is.
    pub fn loss(&self) -> Option<LabError> {
        let start = Instant::now();
        loop {
            let loss = self.stack.loss();
            if loss.is_some() || !self.stack.is_served() || start.elapsed() > LOSS_TIME {
                return loss;
            }
            thread::sleep(LOSS_TIME / 20);
        }
    }

    /// Waits until nothing of earlier work is on its way to the device; not at all when that was so
    /// before and the device has moved nothing since. While a mirror is rebuilt only the file system is written back:
    /// measurements run during the rebuild, so it is not waited for.
    ///
    /// # Errors
    /// The file system cannot be written back.
    pub fn quiesce(&self) -> Result<Waited, LabError> {
        let sync = || match &self.work_dir {
            WorkDir::Held(held) => held.get()?.sync(),
            _ => drop_caches::sync(&self.root),
        };
        let is_rebuilt = self.rebuilding()? == Some(true);
        let devices = if is_rebuilt { &[][..] } else { &self.devices };
        self.idle.reach(&self.stack, sync, devices)
    }

    /// Undoes it now.
    ///
    /// # Errors
    /// It stays busy, or its directory cannot be removed.
    pub fn teardown(mut self) -> Result<(), LabError> {
        self.take_down()
    }

    fn take_down(&mut self) -> Result<(), LabError> {
        if self.down {
            return Ok(());
        }
        // Before the rest is written back, which is not measured.
        for undo in &self.caps {
            undo.apply(self.lab.mark())?;
        }
        let mark = self.lab.mark();
        match &self.work_dir {
            WorkDir::Mounted { .. } => {}
            WorkDir::Plain { dir } => {
                private_dir::remove(dir, mark)?;
            }
            WorkDir::Held(held) => held.remove()?,
        }
        match self.stack.take_down(0, mark) {
            // What it held is not needed any more.
            Ok(()) | Err(LabError::ServerKilled { .. }) => {}
            Err(error) => return Err(error),
        }
        self.stack.parts().iter().try_for_each(|part| part.remove(mark))?;
        self.disks.iter().for_each(Disk::leave);
        self.down = true;
        Ok(())
    }
}

impl Drop for Instance<'_> {
    fn drop(&mut self) {
        // What fails here is tried again by the lab, and reported by `assay cleanup`.
        let _ = self.take_down();
    }
}

fn number(path: &Path) -> Result<u64, LabError> {
    Ok(fs::metadata(path).map_err(LabError::io("look at", path))?.dev())
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

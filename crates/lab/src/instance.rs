//! One freshly made candidate: what workers run on, how it is checked, made cold and measured.

mod upkeep;

pub use upkeep::{Check, Upkeep};

use crate::{
    Cmd, Coldness, Device, FileSystem, Lab, LabError, Waited, drop_caches,
    lab::Image,
    mounts, private_dir, quiesce,
    throttle::{Cap, Controller},
    undo::Undo,
};
use model::Environment;
use std::{
    fs::{self, File},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Instant,
};

/// How long an own directory in the file system is called.
const WORK: &str = "work";

/// Where the workers' directories lie.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In a file system that the lab mounted here.
    Mounted { dir: PathBuf },
    /// In this private directory.
    Plain { dir: PathBuf },
}

/// A file system that the lab makes.
pub(crate) struct Made {
    pub(crate) fs: &'static dyn FileSystem,
    pub(crate) source: PathBuf,
    pub(crate) mkfs: Vec<Cmd>,
    pub(crate) mount: Vec<Cmd>,
    pub(crate) image: Option<Image>,
    pub(crate) device: Option<Device>,
}

/// A provisioned target. It lives no longer than its lab; dropping it undoes it.
pub struct Instance<'lab> {
    lab: &'lab Lab,
    place: Place,
    made: Option<Made>,
    root: PathBuf,
    /// `st_dev` of the root of a plain directory.
    number: u64,
    device: Option<Device>,
    facts: Environment,
    mkfs_ms: f64,
    mount_ms: f64,
    /// Space in use when it was made.
    fresh_bytes: u64,
    /// What lifts the caps on the device.
    caps: Vec<Undo>,
    down: bool,
}

impl<'lab> Instance<'lab> {
    /// Makes and mounts it. On an error what was done is undone.
    pub(crate) fn start(
        lab: &'lab Lab,
        place: Place,
        made: Option<Made>,
    ) -> Result<Instance<'lab>, LabError> {
        let root = match &place {
            // Below the mount point: with the mount gone, workers find no directory and write nothing.
            Place::Mounted { dir } => dir.join(WORK),
            Place::Plain { dir } => dir.clone(),
        };
        let facts = Environment::default();
        let mut instance = Instance {
            lab,
            place,
            made,
            root,
            number: 0,
            device: None,
            facts,
            mkfs_ms: 0.0,
            mount_ms: 0.0,
            fresh_bytes: 0,
            caps: Vec::new(),
            down: false,
        };
        instance.bring_up()?;
        Ok(instance)
    }

    fn bring_up(&mut self) -> Result<(), LabError> {
        self.device = match &self.made {
            Some(made) => {
                let start = Instant::now();
                run_all(&made.mkfs)?;
                self.mkfs_ms = milliseconds(start);
                let start = Instant::now();
                run_all(&made.mount)?;
                self.mount_ms = milliseconds(start);
                fs::create_dir(&self.root).map_err(LabError::io("create", &self.root))?;
                made.device
            }
            None => Device::under(&self.root)?,
        };
        self.number = number(&self.root)?;
        self.facts = self.gather_facts()?;
        self.quiesce()?;
        self.fresh_bytes = self.used_bytes()?;
        self.check()
    }

    /// Imposes `caps` on its device until it is taken down.
    pub(crate) fn impose(&mut self, caps: &[Cap]) -> Result<(), LabError> {
        let Some(device) = self.device.filter(|_| !caps.is_empty()) else { return Ok(()) };
        let (device, campaign) = (device.to_string(), self.lab.campaign());
        let controller = Controller::find()?.ok_or(LabError::NoThrottle)?;
        self.caps = controller.undo(caps, &device, campaign);
        self.caps.iter().try_for_each(|undo| self.lab.record(undo))?;
        controller.impose(caps, &device, campaign)
    }

    /// The directory in which workers get their directories.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The block device under it; `None` in memory or on a network.
    pub fn device(&self) -> Option<Device> {
        self.device
    }

    /// What it is: effective mount options, geometry, versions, the commands that were run.
    pub fn facts(&self) -> &Environment {
        &self.facts
    }

    /// How long mkfs took, milliseconds; 0 where nothing was made.
    pub fn mkfs_ms(&self) -> f64 {
        self.mkfs_ms
    }

    /// How long the first mount took, milliseconds; 0 where nothing was mounted.
    pub fn mount_ms(&self) -> f64 {
        self.mount_ms
    }

    /// Space in use: of the whole file system when it was made here, otherwise of the files in the
    /// private directory, bytes.
    ///
    /// # Errors
    /// It cannot be looked at.
    pub fn used_bytes(&self) -> Result<u64, LabError> {
        match &self.place {
            Place::Mounted { dir } => {
                let stat = rustix::fs::statvfs(dir).map_err(LabError::errno("look at", dir))?;
                Ok((stat.f_blocks - stat.f_bfree) * stat.f_frsize)
            }
            Place::Plain { dir } => private_dir::used_bytes(dir),
        }
    }

    /// Makes sure that the target is still what was provisioned; to be called before every case.
    ///
    /// # Errors
    /// The mount or the directory is gone or another one.
    pub fn check(&self) -> Result<(), LabError> {
        let gone = |why: String| LabError::MountGone { path: self.root.clone(), why };
        if !self.root.is_dir() {
            return Err(gone("does not exist".into()));
        }
        let (Place::Mounted { dir }, Some(made)) = (&self.place, &self.made) else {
            let same = number(&self.root)? == self.number;
            return if same { Ok(()) } else { Err(gone("lies on another file system now".into())) };
        };
        let parent = dir.parent().unwrap_or(dir);
        if number(dir)? == number(parent)? {
            return Err(gone("lies on the file system of its parent directory".into()));
        }
        match mounts::at(dir)? {
            Some(mount)
                if mount.source == made.source && Some(&*mount.kind) == made.fs.kernel_name() =>
            {
                Ok(())
            }
            Some(mount) => Err(gone(format!("is {} from {}", mount.kind, mount.source.display()))),
            None => Err(gone("is not a mount point".into())),
        }
    }

    /// Makes it as cold as it can be: writes everything back, unmounts, drops the caches, mounts and
    /// checks. Nobody may have a file open.
    ///
    /// # Errors
    /// The mount stays busy, or it cannot be mounted again.
    pub fn make_cold(&self) -> Result<Coldness, LabError> {
        let (Place::Mounted { dir }, Some(made)) = (&self.place, &self.made) else {
            self.check()?;
            return drop_caches::forget_files(&self.root);
        };
        let Some(image) = &made.image else {
            return Ok(Coldness::Impossible("it lives in memory and has no device"));
        };
        self.check()?;
        drop_caches::sync(dir)?;
        mounts::unmount(dir, &made.fs.unmount(dir))?;
        let file = File::open(&image.path).map_err(LabError::io("open", &image.path))?;
        file.sync_all().map_err(LabError::io("sync", &image.path))?;
        drop_caches::drop_all()?;
        run_all(&made.mount)?;
        self.check()?;
        Ok(Coldness::Remounted)
    }

    /// Drops, where that is allowed, what looking at the files has brought back since `make_cold`:
    /// inodes, dentries, and on Btrfs the data of small files, which lies in their metadata.
    ///
    /// # Errors
    /// The kernel refused.
    pub fn forget_metadata(&self) -> Result<(), LabError> {
        if drop_caches::can_drop() { drop_caches::drop_all() } else { Ok(()) }
    }

    /// Waits until nothing of earlier work is on its way to the device.
    ///
    /// # Errors
    /// The file system cannot be written back.
    pub fn quiesce(&self) -> Result<Waited, LabError> {
        quiesce::quiesce(self.made.as_ref().map(|made| made.fs), &self.root, self.device)
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
        // Before the rest is written back, which nobody measures.
        for undo in &self.caps {
            undo.apply(self.lab.campaign())?;
        }
        match (&self.place, &self.made) {
            (Place::Mounted { dir }, Some(made)) => {
                mounts::unmount(dir, &made.fs.unmount(dir))?;
                fs::remove_dir(dir).map_err(LabError::io("remove", dir))?;
            }
            (Place::Mounted { dir } | Place::Plain { dir }, _) => {
                private_dir::remove(dir, self.lab.campaign())?;
            }
        }
        self.down = true;
        Ok(())
    }

    fn gather_facts(&self) -> Result<Environment, LabError> {
        let mut facts = Environment::default();
        let mut put = |key: &str, value: String| facts.0.insert(key.into(), value);
        let root = self.root.canonicalize().map_err(LabError::io("find", &self.root))?;
        if let Some(mount) = mounts::holding(&root)? {
            put("mount.fstype", mount.kind);
            put("mount.options", mount.options);
            put("mount.source", mount.source.display().to_string());
        }
        if let Some(made) = &self.made {
            for (key, commands) in [("mkfs.command", &made.mkfs), ("mount.command", &made.mount)] {
                if !commands.is_empty() {
                    put(key, commands.iter().map(Cmd::to_string).collect::<Vec<_>>().join("; "));
                }
            }
            if let Some(line) = crate::environment::version(made.fs) {
                put("mkfs.version", line);
            }
            for (key, value) in geometry(made, &self.place) {
                put(&format!("geometry.{key}"), value);
            }
            if let Some(image) = &made.image {
                put("image.bytes", image.size.0.to_string());
                let direct = if image.attached.direct_io { "on" } else { "off" };
                put("loop.direct_io", direct.into());
            }
        }
        Ok(facts)
    }
}

impl Drop for Instance<'_> {
    fn drop(&mut self) {
        // What fails here is tried again by the lab, and told by `assay cleanup`.
        let _ = self.take_down();
    }
}

/// The geometry is a fact for the reader; without it the measurement is as good.
fn geometry(made: &Made, place: &Place) -> Vec<(String, String)> {
    let (Place::Mounted { dir } | Place::Plain { dir }) = place;
    let output = made.fs.geometry(&made.source, dir).and_then(|cmd| cmd.run().ok());
    output.map(|output| made.fs.read_geometry(&output.stdout)).unwrap_or_default()
}

fn run_all(commands: &[Cmd]) -> Result<(), LabError> {
    commands.iter().try_for_each(|cmd| cmd.run().map(drop))
}

fn number(path: &Path) -> Result<u64, LabError> {
    Ok(fs::metadata(path).map_err(LabError::io("look at", path))?.dev())
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

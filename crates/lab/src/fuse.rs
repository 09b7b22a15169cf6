//! File systems of known behaviour, served over FUSE by this process, which measurements must reproduce. Each read of
//! the delayed one takes a given time, and the time that it really took is recorded. The lying one reports syncs that
//! it did not do. Each read of the slowing one takes longer than the one before. The busy one is served by a separate
//! process, which burns CPU time for each read.

mod busy;
mod lying;
mod pass;
mod slowing;
mod tree;

use crate::{error::LabError, mounts, ownership::undo::Undo, programs::Run, setup::Lab};
use ::fs::{BUSY_KIND, Cmd};
use fuser::{Config, Filesystem, KernelConfig, SessionACL};
use rustix::mount::{MountFlags, mount};
use std::{
    ffi::CString,
    fs::{self, File},
    io,
    os::fd::AsRawFd,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};
use tree::Tree;

pub(crate) const DEVICE: &str = "/dev/fuse";

pub use busy::{BURN, serve_busy};
pub use lying::Lying;
pub use slowing::Slowing;

/// A mounted file system whose reads take a given time. Dropping it unmounts it.
#[derive(Debug)]
pub struct Delayed {
    served: Served,
    /// Time that each read spent in it, nanoseconds.
    times_ns: Arc<Mutex<Vec<u64>>>,
}

impl Delayed {
    /// Returns why none can be served here; `None` if one can.
    pub fn missing() -> Option<String> {
        missing()
    }

    /// Mounts one in `lab` that holds `files`, paths and bytes, all zeros. A read takes `delay`; it
    /// is asked for by the kernel in the size in which a program asks, as no cache answers.
    ///
    /// # Errors
    /// No root, no FUSE, or the journal cannot be written.
    pub fn mount(
        lab: &Lab,
        files: &[(PathBuf, u64)],
        delay: Duration,
    ) -> Result<Delayed, LabError> {
        let times_ns = Arc::new(Mutex::new(Vec::with_capacity(1 << 16)));
        let tree = Tree::new(files, delay, Arc::clone(&times_ns));
        let served = Served::mount(lab, "delayed", Path::new("assay-delayed"), tree)?;
        Ok(Delayed { served, times_ns })
    }

    /// Returns the directory of the files.
    pub fn root(&self) -> &Path {
        &self.served.mount_point
    }

    /// Unmounts it, and tells how long each read was in its hands, nanoseconds: from when the request
    /// had come to when the answer was given. The ways of the kernel there and back are not in it.
    ///
    /// # Errors
    /// It stays busy, or could not be served to the end.
    pub fn unmount(mut self) -> Result<Vec<u64>, LabError> {
        self.served.take_down()?;
        Ok(std::mem::take(&mut self.times_ns.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

pub(crate) fn missing() -> Option<String> {
    if !disk::is_root() {
        return Some("mounting needs root".into());
    }
    open_device().err().map(|error| error.to_string())
}

/// A mounted file system and the thread that serves it. Dropping it unmounts it.
#[derive(Debug)]
struct Served {
    mount_point: PathBuf,
    server: Option<JoinHandle<io::Result<()>>>,
}

impl Served {
    /// Mounts `source` at the mount point called `name`, and serves it as `file_system` says.
    fn mount(
        lab: &Lab,
        name: &str,
        source: &Path,
        file_system: impl Filesystem,
    ) -> Result<Served, LabError> {
        let mount_point = lab.mount_point(name);
        fs::create_dir(&mount_point).map_err(LabError::io("create", &mount_point))?;
        let device = open_device()?;
        lab.record(&Undo::Unmount { mount_point: mount_point.clone() })?;
        mount_device(&device, source, &mount_point)?;
        let server = thread::Builder::new()
            .name(name.into())
            .spawn(move || serve(device, file_system))
            .map_err(LabError::io("serve FUSE at", &mount_point))?;
        Ok(Served { mount_point, server: Some(server) })
    }

    /// Unmounts it, and waits for its server.
    fn take_down(&mut self) -> Result<(), LabError> {
        let Some(server) = self.server.take() else { return Ok(()) };
        let dir = &self.mount_point;
        mounts::unmount(dir, &[Cmd::new("umount").arg(dir)])?;
        fs::remove_dir(dir).map_err(LabError::io("remove", dir))?;
        let ended = server.join().unwrap_or_else(|_| Err(io::Error::other("the server panicked")));
        ended.map_err(LabError::io("serve FUSE at", dir))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // What fails here is tried again by the lab, and reported by `assay cleanup`.
        let _ = self.take_down();
    }
}

pub(crate) fn open_device() -> Result<File, LabError> {
    let device = Path::new(DEVICE);
    load_for(device, "fuse");
    File::options().read(true).write(true).open(device).map_err(LabError::io("open", device))
}

/// Has the kernel load `module` where its node is missing: where no service does, as in a guest, nothing else would.
pub(crate) fn load_for(node: &Path, module: &str) {
    if !node.exists() {
        // Without the module the node is missed by who opens it, and named.
        let _ = Cmd::new("modprobe").args(["-q", module]).run();
    }
}

/// Mounts `source`, which is served by `device`.
fn mount_device(device: &File, source: &Path, mount_point: &Path) -> Result<(), LabError> {
    let data = format!("fd={},rootmode=40755,user_id=0,group_id=0", device.as_raw_fd());
    let data = CString::new(data).unwrap_or_default();
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount(source, mount_point, BUSY_KIND, flags, &*data)
        .map_err(LabError::errno("mount FUSE at", mount_point))
}

/// Most bytes of a request that reads or writes.
const REQUEST_BYTES: u32 = 128 << 10;

/// Makes the kernel request exactly what programs request, without read-ahead: less than a page of that is none.
fn ask_as_programs_do(config: &mut KernelConfig) -> io::Result<()> {
    let set = config.set_max_write(REQUEST_BYTES).and_then(|_| config.set_max_readahead(1));
    set.map(drop).map_err(|_| io::ErrorKind::InvalidInput.into())
}

/// Answers what the kernel asks by `device`, one request after the other, until it is unmounted. It is mounted by
/// [`mount_device`], so that the journal knows of it first.
fn serve(device: File, file_system: impl Filesystem) -> io::Result<()> {
    fuser::Session::from_fd(file_system, device.into(), SessionACL::All, Config::default())?.run()
}

#[cfg(test)]
mod tests;

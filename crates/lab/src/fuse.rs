//! File systems of which a truth is known, served by this process over FUSE. Of the delayed one every read takes
//! a given time and, what counts, the time that it really took is written down. The lying one says that it has
//! synced what it has not. Each read of the slowing one takes longer than the one before. The busy one is served by
//! a process of its own, which uses a processor for each read. A measurement must find all of it.

mod busy;
mod lying;
mod pass;
mod protocol;
mod slowing;
mod tree;

use crate::{Cmd, Lab, LabError, fs::BUSY_KIND, mounts, undo::Undo};
use protocol::{Answer, Opcode, Request};
use rustix::{
    io::Errno,
    mount::{MountFlags, mount},
};
use std::{
    ffi::CString,
    fs::{self, File},
    io::{self, Read, Write},
    os::fd::AsRawFd,
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tree::Tree;

const DEVICE: &str = "/dev/fuse";
/// The kernel refuses a buffer that could not hold its largest request.
const REQUEST_BYTES: usize = 64 << 10;

pub use busy::{BURN, serve_busy};
pub use lying::Lying;
pub use slowing::Slowing;

/// A mounted file system whose reads take a given time. Dropping it unmounts it.
#[derive(Debug)]
pub struct Delayed(Served<Vec<u64>>);

impl Delayed {
    /// Why none can be served here; `None` where it can.
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
        let tree = Tree::of(files);
        let serve = move |device| {
            let mut times_ns = Vec::with_capacity(1 << 16);
            serve(device, |request| {
                let start = Instant::now();
                let answer = tree.answer(request);
                if request.opcode == Opcode::READ {
                    thread::sleep(delay);
                    times_ns.push(start.elapsed().as_nanos() as u64);
                }
                answer
            })?;
            Ok(times_ns)
        };
        Served::mount(lab, "delayed", Path::new("assay-delayed"), serve).map(Delayed)
    }

    /// Where the files are.
    pub fn root(&self) -> &Path {
        &self.0.mount_point
    }

    /// Unmounts it, and tells how long each read was in its hands, nanoseconds: from when the request
    /// had come to when the answer was given. The ways of the kernel there and back are not in it.
    ///
    /// # Errors
    /// It stays busy, or could not be served to the end.
    pub fn unmount(mut self) -> Result<Vec<u64>, LabError> {
        self.0.take_down()
    }
}

fn missing() -> Option<String> {
    if !disk::is_root() {
        return Some("mounting needs root".into());
    }
    open_device().err().map(|error| error.to_string())
}

/// A mounted file system and the thread that serves it, which leaves a `T`. Dropping it unmounts it.
#[derive(Debug)]
struct Served<T: Default> {
    mount_point: PathBuf,
    server: Option<JoinHandle<io::Result<T>>>,
}

impl<T: Default + Send + 'static> Served<T> {
    /// Mounts `source`, which `serve` serves by the device that it is given, at the mount point called `name`.
    fn mount(
        lab: &Lab,
        name: &str,
        source: &Path,
        serve: impl FnOnce(File) -> io::Result<T> + Send + 'static,
    ) -> Result<Served<T>, LabError> {
        let mount_point = lab.mount_point(name);
        fs::create_dir(&mount_point).map_err(LabError::io("create", &mount_point))?;
        let device = open_device()?;
        lab.record(&Undo::Unmount { mount_point: mount_point.clone() })?;
        mount_device(&device, source, &mount_point)?;
        let server = thread::Builder::new()
            .name(name.into())
            .spawn(move || serve(device))
            .map_err(LabError::io("serve FUSE at", &mount_point))?;
        Ok(Served { mount_point, server: Some(server) })
    }
}

impl<T: Default> Served<T> {
    /// Unmounts it; what its server leaves.
    fn take_down(&mut self) -> Result<T, LabError> {
        let Some(server) = self.server.take() else { return Ok(T::default()) };
        let dir = &self.mount_point;
        mounts::unmount(dir, &[Cmd::new("umount").arg(dir)])?;
        fs::remove_dir(dir).map_err(LabError::io("remove", dir))?;
        let ended = server.join().unwrap_or_else(|_| Err(io::Error::other("the server panicked")));
        ended.map_err(LabError::io("serve FUSE at", dir))
    }
}

impl<T: Default> Drop for Served<T> {
    fn drop(&mut self) {
        // What fails here is tried again by the lab, and told by `assay cleanup`.
        let _ = self.take_down();
    }
}

fn open_device() -> Result<File, LabError> {
    let device = Path::new(DEVICE);
    File::options().read(true).write(true).open(device).map_err(LabError::io("open", device))
}

/// Mounts `source`, which is served by `device`.
fn mount_device(device: &File, source: &Path, mount_point: &Path) -> Result<(), LabError> {
    let data = format!("fd={},rootmode=40755,user_id=0,group_id=0", device.as_raw_fd());
    let data = CString::new(data).unwrap_or_default();
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount(source, mount_point, BUSY_KIND, flags, &*data)
        .map_err(LabError::errno("mount FUSE at", mount_point))
}

/// Gives what `answer` says until it is unmounted.
fn serve(mut device: File, mut answer: impl FnMut(&Request<'_>) -> Answer) -> io::Result<()> {
    let mut buffer = vec![0; REQUEST_BYTES];
    loop {
        let length = match device.read(&mut buffer) {
            Ok(length) => length,
            Err(error) => match Errno::from_io_error(&error) {
                // The program that asked was killed before its request came.
                Some(Errno::NOENT | Errno::INTR | Errno::AGAIN) => continue,
                Some(Errno::NODEV) => return Ok(()),
                _ => return Err(error),
            },
        };
        let Some(request) = Request::of(&buffer[..length]) else { continue };
        let Some(message) = answer(&request).message(request.unique) else { continue };
        match device.write(&message).map_err(|error| Errno::from_io_error(&error).ok_or(error)) {
            // The program that asked was killed while it waited.
            Ok(_) | Err(Ok(Errno::NOENT)) => {}
            Err(Ok(errno)) => return Err(errno.into()),
            Err(Err(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests;

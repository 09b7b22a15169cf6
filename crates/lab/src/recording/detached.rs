//! A FUSE mount that is in no mount table: it is reached only through its descriptor, and ends when none of its files
//! is held open. So it does not disturb programs that walk the table, and nothing is left of it when its process is
//! killed.

use super::server::Server;
use crate::{error::LabError, fuse, mounts::detached};
use fuser::Config;
use rustix::{
    fs::{Mode, OFlags, openat},
    mount::MountAttrFlags,
};
use std::{
    fs::File,
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::Path,
    thread::{self, JoinHandle},
};

/// Threads that answer: one reads a request while another waits for its delay or its lock.
const SERVERS: usize = 4;

/// A served mount.
#[derive(Debug)]
pub(super) struct Detached {
    mount: Option<OwnedFd>,
    server: Option<JoinHandle<io::Result<()>>>,
}

impl Detached {
    /// Mounts and serves what `server` has. `source` is a name for it.
    ///
    /// # Errors
    /// No FUSE here, or a kernel before Linux 5.2.
    pub(super) fn mount(source: &str, server: Server) -> Result<Detached, LabError> {
        let path = Path::new(fuse::DEVICE);
        let device = fuse::open_device()?;
        let mount = create(source, &device).map_err(LabError::errno("mount by", path))?;
        let mut config = Config::default();
        config.n_threads = Some(SERVERS);
        let failed = || LabError::io("serve by", path);
        let acl = fuser::SessionACL::All;
        let served = fuser::Session::from_fd(server, device.into(), acl, config);
        let served = served.map_err(failed())?;
        let server = thread::Builder::new().name(source.into()).spawn(move || served.run());
        let server = server.map_err(failed())?;
        Ok(Detached { mount: Some(mount), server: Some(server) })
    }

    /// Opens the file `name` for reading and writing.
    ///
    /// # Errors
    /// It is not served any more.
    pub(super) fn open(&self, name: &str) -> Result<File, LabError> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let opened = match &self.mount {
            Some(mount) => openat(mount, name, flags, Mode::empty()),
            None => Err(rustix::io::Errno::NODEV),
        };
        opened.map(File::from).map_err(LabError::errno("open", Path::new(name)))
    }

    /// Gives up the mount and waits for its server, which ends when no file is open any more.
    ///
    /// # Errors
    /// It could not be served to the end.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.mount = None;
        let Some(server) = self.server.take() else { return Ok(()) };
        server.join().unwrap_or_else(|_| Err(io::Error::other("the server panicked")))
    }
}

fn create(source: &str, device: &File) -> rustix::io::Result<OwnedFd> {
    let number = device.as_raw_fd().to_string();
    let options = [
        ("source", source),
        ("fd", &number),
        ("rootmode", "40755"),
        ("user_id", "0"),
        ("group_id", "0"),
    ];
    let options = options.map(|(key, value)| (key, Some(value)));
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    detached::mount("fuse", options, attributes)
}

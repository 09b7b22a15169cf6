//! Mounts a file system where no mount table shows it: it is reached by its descriptor alone, and unmounted when that
//! is closed and no file of it is open. So nothing of it is left when this process is killed. Needs Linux 5.2.

use rustix::{
    io::Errno,
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_flag,
        fsconfig_set_string, fsmount, fsopen,
    },
};
use std::os::fd::OwnedFd;

/// Mounts a file system of this `kind` with `options`, each a key and a value if it has one, and returns the descriptor
/// of its root.
///
/// # Errors
/// What the kernel says.
pub fn mount<'a>(
    kind: &str,
    options: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    attributes: MountAttrFlags,
) -> Result<OwnedFd, Errno> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in options {
        match value {
            Some(value) => fsconfig_set_string(&context, key, value)?,
            None => fsconfig_set_flag(&context, key)?,
        }
    }
    fsconfig_create(&context)?;
    fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

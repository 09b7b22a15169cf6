//! Mounts a file system without an entry in any mount table: it is reached only through its descriptor, and unmounted
//! when that is closed and none of its files is open. So nothing is left of it when this process is killed. Needs Linux
//! 5.2.

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
/// As reported by the kernel.
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

//! Tests in a child process whether this machine supports confinement.

use super::ConfineError;
use rustix::{
    io::Errno,
    mount::{MountFlags, MountPropagationFlags, mount, mount_change},
    process::geteuid,
    thread::{UnshareFlags, unshare_unsafe},
};
use std::io;

/// Checks that programs can be confined, by [`enter`](super::enter), in a child of this process.
///
/// # Errors
/// They cannot; with what the kernel says.
pub fn available() -> Result<(), ConfineError> {
    let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWPID;
    if !geteuid().is_root() {
        flags |= UnshareFlags::NEWUSER;
    }
    // SAFETY: the child makes system calls on constant texts and ends; it allocates nothing and
    // touches no lock that another thread may have held.
    match unsafe { libc::fork() } {
        -1 => Err(ConfineError::of("start a process")(io::Error::last_os_error())),
        0 => {
            let status = attempt(flags).map_or_else(|errno| errno.raw_os_error(), |()| 0);
            // SAFETY: ends the child without running anything of its parent's.
            unsafe { libc::_exit(status.min(255)) }
        }
        child => match wait(child) {
            0 => Ok(()),
            errno => Err(ConfineError::of("create namespaces and mounts")(
                io::Error::from_raw_os_error(errno),
            )),
        },
    }
}

fn attempt(flags: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: this process has one thread and is about to end.
    unsafe { unshare_unsafe(flags) }?;
    mount_change(c"/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    mount(c"tmpfs", c"/proc", c"tmpfs", MountFlags::NOSUID, None)
}

/// Exit status of `child`; that of a child that was killed counts as refused.
fn wait(child: libc::pid_t) -> i32 {
    let mut status = 0;
    // SAFETY: the pointer is to an integer that the call fills.
    while unsafe { libc::waitpid(child, &mut status, 0) } < 0 {
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return libc::ECHILD;
        }
    }
    if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { libc::EPERM }
}

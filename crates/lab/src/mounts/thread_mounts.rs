//! Mounts that only one thread and the programs it starts can see: they use the file system by a path that no other
//! process has. Nothing is left of them when the thread ends.

use ::fs::OURS;
use disk::mounts::{self, Mount};
use rustix::{
    fs::CWD,
    io::Errno,
    mount::{
        MountPropagationFlags, MoveMountFlags, UnmountFlags, mount_change, move_mount, unmount,
    },
    thread::{UnshareFlags, unshare_unsafe},
};
use std::{
    marker::PhantomData,
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
};

/// The mounts of a thread that are visible to it alone.
#[derive(Debug)]
pub struct ThreadMounts {
    at: PathBuf,
    /// Stays with the thread that made it.
    _thread: PhantomData<*const ()>,
}

impl ThreadMounts {
    /// Gives the calling thread mounts of its own for as long as it lives. What is attached will be seen at `at`, a
    /// directory.
    ///
    /// # Errors
    /// What the kernel says: it needs root.
    pub fn enter(at: &Path) -> Result<ThreadMounts, Errno> {
        // SAFETY: the thread gets its own root, working directory and mounts, copies of those of the process; nothing
        // relies on their being shared, and no descriptor changes.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
        // What is unmounted outside is so here, where the machine shares its mounts; a copy would keep its disk busy.
        mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::DOWNSTREAM)?;
        let_go_of_others(at)?;
        Ok(ThreadMounts { at: at.into(), _thread: PhantomData })
    }

    /// Attaches the file system whose root is `mount`, one of [`detached::mount`](super::detached::mount).
    ///
    /// # Errors
    /// What the kernel says.
    pub fn attach(&self, mount: BorrowedFd<'_>) -> Result<Attached<'_>, Errno> {
        move_mount(mount, "", CWD, &self.at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        Ok(Attached { thread_mounts: self })
    }
}

/// Detaches, from the calling thread's mounts, what labs have mounted and `at` is not on: on a machine that does not
/// share its mounts, a copy would keep a lab from giving its disk back.
fn let_go_of_others(at: &Path) -> Result<(), Errno> {
    let mounts = mounts::of_thread().map_err(|_| Errno::IO)?;
    let is_ours = |mount: &&Mount| {
        mount.mount_point.iter().any(|name| name.as_encoded_bytes().starts_with(OURS.as_bytes()))
    };
    // The innermost first.
    for mount in mounts.iter().rev().filter(is_ours) {
        if !at.starts_with(&mount.mount_point) {
            // One that lay on another that has gone went with it.
            let _ = unmount(&mount.mount_point, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW);
        }
    }
    Ok(())
}

/// A file system with a path. Dropping it takes the path away; it is unmounted when its descriptor is closed, too.
#[derive(Debug)]
pub struct Attached<'a> {
    thread_mounts: &'a ThreadMounts,
}

impl Attached<'_> {
    /// Its root, for this thread and what it starts.
    pub fn root(&self) -> &Path {
        &self.thread_mounts.at
    }
}

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        // With a file still open it goes when that is closed.
        let _ = unmount(&self.thread_mounts.at, UnmountFlags::DETACH);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mounts::detached;
    use needs::{Need, skip};
    use rustix::mount::{MountAttrFlags, MountFlags};
    use std::{fs, os::fd::AsFd, process::Command, thread};

    #[test]
    fn what_is_attached_has_a_path_for_one_thread_and_its_programs() {
        if !rustix::process::geteuid().is_root() {
            return skip(Need::Root, "mounts are for root");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_path_buf();
        let inside = thread::spawn(move || {
            let thread_mounts = ThreadMounts::enter(&path).unwrap();
            let mount = detached::mount("tmpfs", [], MountAttrFlags::empty()).unwrap();
            let attached = thread_mounts.attach(mount.as_fd()).unwrap();
            fs::write(attached.root().join("a"), "x").unwrap();
            let shown = Command::new("ls").arg(attached.root()).output().unwrap();
            assert_eq!(shown.stdout, b"a\n");
            drop(attached);
            assert!(!path.join("a").exists());
            // Once more, as each state is.
            let mount = detached::mount("tmpfs", [], MountAttrFlags::empty()).unwrap();
            fs::write(thread_mounts.attach(mount.as_fd()).unwrap().root().join("b"), "x").unwrap();
            assert!(!path.join("b").exists());
        });
        inside.join().unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is seen outside");
    }

    #[test]
    fn a_mount_of_another_lab_is_not_kept() {
        if !rustix::process::geteuid().is_root() {
            return skip(Need::Root, "mounts are for root");
        }
        let dir = tempfile::tempdir().unwrap();
        let [other, own] = ["assay-other", "own"].map(|name| dir.path().join(name));
        for path in [&other, &own] {
            fs::create_dir(path).unwrap();
        }
        // Mounted in a thread's own mounts, from which nothing is left.
        let inside = thread::spawn(move || {
            ThreadMounts::enter(&own).unwrap();
            let names = |path: &Path| fs::read_dir(path).unwrap().count();
            rustix::mount::mount("tmpfs", &other, "tmpfs", MountFlags::empty(), None).unwrap();
            fs::write(other.join("a"), "x").unwrap();
            let seen = thread::scope(|scope| {
                let other_thread = scope.spawn(|| {
                    ThreadMounts::enter(&own).unwrap();
                    names(&other)
                });
                other_thread.join().unwrap()
            });
            assert_eq!([names(&other), seen], [1, 0]);
        });
        inside.join().unwrap();
    }
}

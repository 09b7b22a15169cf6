//! Confines external programs: after [`enter`], this process and everything that it starts can write in one directory
//! and nowhere else, and cannot access any disk.
//!
//! Untrusted jobs, suites and arguments determine what those programs do, and none of it may affect anything but the
//! target. The arguments of a program cannot be judged in general, but its access can be limited: a root directory of
//! its own (`root`), no capabilities and a user that owns nothing else (`rights`), no network and no shared memory of
//! others. With root this needs only the kernel; without root, a user namespace, which some distributions forbid.

mod network;
mod probe;
mod rights;
mod root;

pub use probe::available;
pub use rights::become_user;

use model::plan::User;
use rustix::{
    io::Errno,
    process::{Uid, geteuid, getpid},
    thread::{UnshareFlags, unshare_unsafe},
};
use std::{
    ffi::OsString,
    fs,
    os::fd::RawFd,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether this process has confined itself. Not asked of the kernel: a container may have made the program
/// the first process of a namespace that it shares with others, and taken rights from it, too.
static CONFINED: AtomicBool = AtomicBool::new(false);

/// The rights of a confined process.
#[derive(Debug)]
pub struct Confinement<'a> {
    /// The one directory in which it may write; it exists, and no other program works in it.
    pub dir: &'a Path,
    /// Files that its programs may read besides, and the absolute paths at which they see them, in folders of their
    /// own.
    pub files: &'a [(PathBuf, PathBuf)],
    /// Its program directories besides those of the system, in the form of the variable PATH.
    pub programs: Option<OsString>,
    /// The owner of `dir`, if not root; root continues as this user. Else it gives `dir` to
    /// `nobody` and continues as that, if `dir` can have an owner.
    pub owner: Option<User>,
    /// Descriptors that stay open, besides the three standard streams.
    pub keep: &'a [RawFd],
}

/// Why a process cannot be confined.
#[derive(Debug, thiserror::Error)]
#[error("external programs cannot be confined here: cannot {what}: {source}")]
pub struct ConfineError {
    /// The step that failed.
    pub what: String,
    /// The error from the kernel.
    pub source: std::io::Error,
}

impl ConfineError {
    fn of<E: Into<std::io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> ConfineError {
        let what = what.into();
        move |source| ConfineError { what, source: source.into() }
    }
}

/// Confines this process for the rest of its life. It must have one thread; it should be the first of a
/// process namespace, as [`child::spawn`](crate::child::spawn) makes one, so that it sees no other
/// processes. Ends in the directory `dir`. The death signal of the parent is lost on the way and must be
/// asked for again.
///
/// # Errors
/// The kernel does not allow a step; nothing of others may be run then.
pub fn enter(confinement: &Confinement<'_>) -> Result<(), ConfineError> {
    let is_root = geteuid().is_root();
    close_others(confinement.keep)?;
    leave_namespaces(is_root)?;
    let apart = is_first_process();
    if is_root && !apart {
        // A process of root sees and may end all others of root.
        return Err(ConfineError::of("make a process namespace")(Errno::NOSYS));
    }
    let owner = confinement.owner.filter(|_| is_root);
    root::change(&root::Tree {
        dir: confinement.dir.to_path_buf(),
        source: rights::as_user(owner, || root::open(confinement.dir))?,
        files: root::open_files(confinement.files)?,
        prefixes: root::prefixes(confinement.programs.as_deref()),
        own_proc: apart,
    })?;
    rights::drop_all(confinement.dir, is_root, owner)?;
    CONFINED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Returns true if this process is the first of a process namespace.
pub fn is_first_process() -> bool {
    getpid().is_init()
}

/// Ends what programs have left running: all processes of this namespace but this one. Does nothing
/// unless this process is the first of a namespace and confined.
pub fn end_leftovers() {
    if !is_first_process() || !CONFINED.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: two system calls on integers. The signal goes to the processes of this namespace, which
    // are all created by this process; the reaped children are those that no other code waits for.
    unsafe {
        libc::kill(-1, libc::SIGKILL);
        while libc::waitpid(-1, std::ptr::null_mut(), 0) > 0 {}
    }
}

/// Sends all other processes of this namespace the signal to end; what reaps them is not disturbed. Does nothing
/// unless this process is the first of a namespace and confined.
pub fn kill_others() {
    if is_first_process() && CONFINED.load(Ordering::Relaxed) {
        // SAFETY: a system call on integers; the processes are all of this process's making.
        unsafe { libc::kill(-1, libc::SIGKILL) };
    }
}

/// Leaves all namespaces in which something of others can be reached.
fn leave_namespaces(is_root: bool) -> Result<(), ConfineError> {
    let (uid, gid) = (geteuid(), rustix::process::getegid());
    if !is_root {
        unshare(UnshareFlags::NEWUSER, "make a user namespace")?;
        map_user(uid, gid.as_raw())?;
    }
    unshare(UnshareFlags::NEWNS, "make a mount namespace")?;
    // A kernel that was built without one of these has nothing of the kind to share either, or is a
    // guest of ours.
    for flag in [UnshareFlags::NEWIPC, UnshareFlags::NEWNET] {
        match unshare(flag, "make a namespace for network and shared memory") {
            Err(error) if error.source.raw_os_error() == Some(libc::EINVAL) => {}
            made => made?,
        }
    }
    network::start_loopback();
    Ok(())
}

fn unshare(flags: UnshareFlags, what: &str) -> Result<(), ConfineError> {
    // SAFETY: none of the flags that are used here takes descriptors or memory from under this process.
    unsafe { unshare_unsafe(flags) }.map_err(ConfineError::of(what))
}

/// Maps only this user inside.
fn map_user(uid: Uid, gid: u32) -> Result<(), ConfineError> {
    let uid = uid.as_raw();
    for (file, text) in [
        ("setgroups", "deny".to_string()),
        ("uid_map", format!("{uid} {uid} 1")),
        ("gid_map", format!("{gid} {gid} 1")),
    ] {
        let path = PathBuf::from("/proc/self").join(file);
        fs::write(&path, text).map_err(ConfineError::of(format!("write {}", path.display())))?;
    }
    Ok(())
}

/// Closes every descriptor but the standard streams and `keep`: an open directory would lead out.
fn close_others(keep: &[RawFd]) -> Result<(), ConfineError> {
    let list = fs::read_dir("/proc/self/fd").map_err(ConfineError::of("list /proc/self/fd"))?;
    let open: Vec<RawFd> =
        list.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| *fd > 2 && !keep.contains(fd)) {
        // SAFETY: a number; nothing of this process uses the descriptor any more, as its caller
        // promises by not naming it. That of the list itself is closed already.
        unsafe { libc::close(fd) };
    }
    Ok(())
}

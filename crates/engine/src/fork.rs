//! Runs one job in a forked copy of this process: whatever the job leaves in memory, in open descriptors or in the
//! allocator ends with it, so that every job starts in the same state.

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use std::{fs, io, os::unix::process::ExitStatusExt, process::ExitStatus};

/// The side of a fork that this process is on.
#[derive(Debug)]
pub enum Fork {
    /// The copy.
    Copy,
    /// The one that was copied.
    Original(Copied),
}

/// The copy, as the original holds it.
#[derive(Debug)]
pub struct Copied(libc::pid_t);

/// Makes a copy of this process, which is killed when this one ends.
///
/// # Errors
/// This process has several threads, or the kernel refuses; in the copy: the original is gone.
pub fn fork() -> io::Result<Fork> {
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("a process with several threads cannot be copied"));
    }
    let original = getpid();
    // SAFETY: this is the only thread, so that no lock is held in the copy by a thread that is not there.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => die_with(original).map(|()| Fork::Copy),
        pid => Ok(Fork::Original(Copied(pid))),
    }
}

/// Ties this process to the life of its parent.
fn die_with(parent: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have died before the signal was asked for.
    if getppid() == Some(parent) { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
}

impl Copied {
    /// Waits for its end.
    ///
    /// # Errors
    /// The kernel knows no such child.
    pub fn wait(self) -> io::Result<ExitStatus> {
        let mut status = 0;
        loop {
            // SAFETY: the pointer is to a writable integer, which the call fills.
            if unsafe { libc::waitpid(self.0, &mut status, 0) } >= 0 {
                return Ok(ExitStatus::from_raw(status));
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
}

/// Ends this process as another one ended: by the same exit code or signal.
pub fn end_as(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        // SAFETY: two system calls on integers; the signal has its default action again, which ends
        // this process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_threads_are_not_copied() {
        // The harness runs a test in a thread of its own.
        assert!(fork().is_err());
    }
}

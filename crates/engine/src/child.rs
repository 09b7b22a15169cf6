//! Runs an external program as a child of this process: it ends with this process, nothing that it starts outlives it,
//! and the kernel reports the resources that it used.
//!
//! Killing a process group is not enough for that: fio, for one, calls setsid(2) in each of its jobs.
//! As root a child is therefore the first process of a process namespace, and the kernel
//! kills all of a namespace when its first process ends. Without root the process group must do.

use rustix::{
    mount::{MountFlags, MountPropagationFlags, mount, mount_change},
    process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit},
    thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe},
};
use std::{
    fs::File,
    io,
    os::{
        fd::AsFd,
        unix::process::{CommandExt, ExitStatusExt},
    },
    process::{Child, Command, ExitStatus},
};

/// The end of a child, with the resources used by it and by the children it waited for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChildExit {
    /// Exit status or signal.
    pub status: ExitStatus,
    /// Processor time in user mode, seconds.
    pub user_s: f64,
    /// Processor time in the kernel, seconds.
    pub sys_s: f64,
    /// Peak resident memory of the largest of its processes, bytes. The kernel hands the peak of
    /// this process down to a child, so that it is never below that.
    pub peak_memory_bytes: u64,
}

/// Starts `command`, tied to the life of the calling thread. With `own_proc` it and its children see
/// a /proc of their own, in which the numbers are those that they know of each other; making and
/// unmaking that costs some tenths of a millisecond.
///
/// # Errors
/// The program cannot be started, or this process cannot get back into its own namespace.
pub fn spawn(command: &mut Command, own_proc: bool) -> io::Result<Child> {
    let own = File::open("/proc/self/ns/pid");
    let apart = own.and_then(|own| {
        // SAFETY: a process namespace is of the children to come; nothing of this process changes.
        unsafe { unshare_unsafe(UnshareFlags::NEWPID) }?;
        Ok(own)
    });
    let own_proc = own_proc && apart.is_ok();
    // SAFETY: between fork and exec the closure makes system calls on constant texts only; it
    // allocates nothing and touches no memory of other threads.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            if own_proc {
                show_own_processes();
            }
            Ok(())
        });
    }
    let child = command.spawn();
    if let Ok(own) = apart {
        move_into_link_name_space(own.as_fd(), Some(LinkNameSpaceType::ProcessID))?;
    }
    child
}

/// Makes the kernel end `command`, and all that it starts, when one of them makes a file longer than `bytes`.
pub fn limit_files(command: &mut Command, bytes: u64) {
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    // SAFETY: the closure makes one system call on a value of its own.
    unsafe {
        command.pre_exec(move || {
            // One that was lower before stays.
            let _ = setrlimit(Resource::Fsize, limit);
            Ok(())
        });
    }
}

/// Mounts a /proc that knows the process numbers of the namespace, for this process and its
/// children alone: programs of MPI, for one, look each other up there. Where that is not allowed
/// they see the outer numbers, which most programs never notice.
fn show_own_processes() {
    // SAFETY: the new mount namespace is of this process alone, which is about to become another
    // program and has one thread.
    let apart = unsafe { unshare_unsafe(UnshareFlags::NEWNS) };
    let flags = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    let private = apart.and_then(|()| mount_change(c"/", flags));
    let options = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let _ = private.and_then(|()| mount(c"proc", c"/proc", c"proc", options, None));
}

/// Waits for the end of `child`.
///
/// # Errors
/// The kernel knows no such child.
pub fn wait(child: Child) -> io::Result<ChildExit> {
    let mut status = 0;
    // SAFETY: `rusage` is plain integers, for which all zero bits are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to writable values of the types that the call fills.
        let pid = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut usage) };
        if pid >= 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Ok(ChildExit {
        status: ExitStatus::from_raw(status),
        user_s: seconds(usage.ru_utime),
        sys_s: seconds(usage.ru_stime),
        peak_memory_bytes: usage.ru_maxrss as u64 * 1024,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{BufRead, BufReader},
        process::Stdio,
    };

    fn sh(text: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", text]).stdin(Stdio::null());
        command
    }

    #[test]
    fn one_after_the_other_is_waited_for() {
        for code in [0, 3] {
            let child = spawn(
                &mut sh(&format!("i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; exit {code}")),
                false,
            );
            let ended = wait(child.unwrap()).unwrap();
            assert_eq!(ended.status.code(), Some(code));
            assert!(ended.user_s + ended.sys_s > 0.0 && ended.peak_memory_bytes > 0, "{ended:?}");
        }
        let missing = spawn(&mut Command::new("/no/such/program"), false).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(wait(spawn(&mut sh("exit 0"), false).unwrap()).unwrap().status.success());
    }

    #[test]
    fn numbers_in_proc_are_its_own_when_asked_for() {
        let mut first = sh("read name < /proc/1/comm; test $$ = 1 && test $name = sh");
        let ended = wait(spawn(&mut first, true).unwrap()).unwrap();
        let own_proc = ended.status.success();
        if !rustix::process::geteuid().is_root() {
            needs::skip(needs::Need::Root, "process namespaces need root");
            return;
        }
        assert!(own_proc);
        let mounted = std::fs::read_to_string("/proc/1/comm").unwrap();
        assert_ne!(mounted.trim(), "sh", "the mount must not be seen outside");
    }

    #[test]
    fn what_left_the_process_group_does_not_outlive_it() {
        if !rustix::process::geteuid().is_root() {
            needs::skip(needs::Need::Root, "process namespaces need root");
            return;
        }
        // The shell ends once the one that left its group has told that it is there; the pipe is
        // closed when that process is gone.
        let text = "setsid sh -c 'echo up; exec sleep 600' & read line < /proc/self/fd/0; exit 0";
        let (reader, writer) = io::pipe().unwrap();
        let (gate, opened) = io::pipe().unwrap();
        let mut command = sh(text);
        let child = spawn(command.stdin(gate).stdout(writer), false).unwrap();
        drop(command);
        let mut lines = BufReader::new(reader).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "up");
        drop(opened);
        assert!(wait(child).unwrap().status.success());
        assert!(lines.next().is_none());
    }
}

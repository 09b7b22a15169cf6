//! The processes of a pool, as the coordinator holds them: all in one process group of their own,
//! so that a ^C of the terminal reaches the coordinator only, one system call looks after all of
//! them, and one kill ends them with their children. Confined workers have a group each.
//!
//! A worker gets each job as a line of its stdin, a pipe, and ends when that is closed. What it says goes
//! to files in memory, which cannot fill up and block it.

use crate::{PoolError, WORKER_VERB, stays_after};
use engine::child;
use model::{
    plan::User,
    workload::{Job, Programs},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{MemfdFlags, memfd_create},
    process::{
        Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getrlimit, kill_process_group,
        setrlimit, waitid,
    },
};
use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    os::{fd::RawFd, unix::process::CommandExt},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

/// Look at a process that may have ended, without reaping it: as long as one is not reaped, the
/// group number belongs to no other process, and killing it is safe.
const PEEK: WaitIdOptions =
    WaitIdOptions::EXITED.union(WaitIdOptions::NOHANG).union(WaitIdOptions::NOWAIT);

/// Descriptors that the program may need in addition to those of the workers.
const SPARE_FILES: u64 = 128;

/// The time a killed process may take to die while the kernel works for it.
const LAST_BREATH: Duration = Duration::from_secs(10);

/// One worker process.
#[derive(Debug)]
struct Process {
    child: Child,
    /// The writing end. It has a reader as long as the worker or a copy of it lives.
    stdin: ChildStdin,
    /// Whether it does each job in a copy of itself and stays for the next.
    stays: bool,
    /// Whether it leads a process group.
    leads: bool,
    stdout: File,
    stderr: File,
}

/// All worker processes, by number; killed and reaped when dropped.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    list: Vec<Process>,
    reaped: bool,
}

impl Processes {
    /// Starts one process of `exe` for each job, which works in the name of `user`; they inherit `fd`. They
    /// wait for a job.
    pub(crate) fn start(
        exe: &Path,
        jobs: &[Job],
        fd: RawFd,
        user: Option<User>,
    ) -> Result<Processes, PoolError> {
        allow_files(jobs.len() as u64 * 3 + SPARE_FILES);
        let mut processes = Processes::default();
        for (worker, job) in (0..).zip(jobs) {
            let process = start(exe, job, (fd, worker, user), processes.groups().next())
                .map_err(|source| PoolError::Spawn { worker, exe: exe.to_path_buf(), source })?;
            processes.list.push(process);
        }
        Ok(processes)
    }

    /// Gives each worker its job, and forgets what they said before.
    pub(crate) fn hand_out(&mut self, jobs: &[Job]) {
        for (process, job) in self.list.iter_mut().zip(jobs) {
            // One that cannot be given any has ended, and is missed at the barrier.
            let _ = process.take(job);
        }
    }

    /// Process id of worker `number`.
    pub(crate) fn pid(&self, number: u32) -> u32 {
        self.list.get(number as usize).map_or(0, |process| process.child.id())
    }

    /// Returns true if any process of the pool has ended: one system call, however many there are.
    pub(crate) fn any_ended(&self) -> bool {
        let has_ended = |group: Pid| !matches!(waitid(WaitId::Pgid(Some(group)), PEEK), Ok(None));
        self.groups().any(has_ended)
    }

    /// Returns true if worker `number` has ended.
    pub(crate) fn has_ended(&self, number: u32) -> bool {
        let pid = self.list.get(number as usize).and_then(|process| pid_of(&process.child));
        pid.is_some_and(|pid| !matches!(waitid(WaitId::Pid(pid), PEEK), Ok(None)))
    }

    /// Waits for all, which must be about to end, and returns their exit statuses.
    pub(crate) fn reap(&mut self) -> io::Result<Vec<ExitStatus>> {
        let statuses = self.list.iter_mut().map(|process| process.child.wait()).collect();
        self.reaped = true;
        statuses
    }

    /// Kills all that have not ended, with their children, and returns all exit statuses.
    pub(crate) fn kill(&mut self) -> io::Result<Vec<ExitStatus>> {
        for group in self.groups().filter(|_| !self.reaped) {
            // Fails only if the group is empty.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let statuses = self.reap();
        self.await_copies();
        statuses
    }

    /// Waits for the end of the copies in which jobs were done: they are orphans, and hold files of
    /// the target open until they are dead.
    fn await_copies(&self) {
        let killed = Instant::now();
        for process in self.list.iter().filter(|process| process.stays) {
            let left = LAST_BREATH.saturating_sub(killed.elapsed());
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: 0 };
            // A pipe without a reader reports an error; no event needs to be requested.
            let _ = poll(&mut [PollFd::new(&process.stdin, PollFlags::empty())], Some(&timeout));
        }
    }

    /// The last line that worker `number` wrote to stdout.
    pub(crate) fn answer(&mut self, number: u32) -> Option<String> {
        last_line(&mut self.list.get_mut(number as usize)?.stdout)
    }

    /// The last line that worker `number` wrote to stderr.
    pub(crate) fn complaint(&mut self, number: u32) -> Option<String> {
        last_line(&mut self.list.get_mut(number as usize)?.stderr)
    }

    /// Process groups of the pool: that of the first, or one each where they cannot share one.
    fn groups(&self) -> impl Iterator<Item = Pid> {
        self.list
            .iter()
            .filter(|process| process.leads)
            .filter_map(|process| pid_of(&process.child))
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        // There is no one to report to, and a process that cannot be reaped is no longer ours.
        let _ = self.kill();
    }
}

impl Process {
    fn take(&mut self, job: &Job) -> io::Result<()> {
        for said in [&mut self.stdout, &mut self.stderr] {
            said.set_len(0)?;
            // The position is that of the worker, too.
            said.rewind()?;
        }
        let mut line = serde_json::to_string(job)?;
        line.push('\n');
        self.stdin.write_all(line.as_bytes())
    }
}

fn start(
    exe: &Path,
    job: &Job,
    (fd, slot, user): (RawFd, u32, Option<User>),
    leader: Option<Pid>,
) -> io::Result<Process> {
    let (stdout, stderr) = (memory_file()?, memory_file()?);
    let mut command = Command::new(exe);
    command
        .args([WORKER_VERB, &fd.to_string(), &slot.to_string()])
        // The worker becomes that user itself, who may not be allowed where the program lies.
        .args(user.map(|user| user.to_string()))
        .stdin(Stdio::piped())
        .stdout(Stdio::from(stdout.try_clone()?))
        .stderr(Stdio::from(stderr.try_clone()?));
    let confined = job.programs == Programs::Confined;
    // From a process namespace no group outside can be joined.
    let group = leader.filter(|_| !confined);
    command.process_group(group.map_or(0, Pid::as_raw_pid));
    // A process cannot make itself the first of a process namespace.
    let mut child = if confined { child::spawn(&mut command, false)? } else { command.spawn()? };
    let stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok(Process {
        child,
        stdin,
        stays: stays_after(job, user),
        leads: group.is_none(),
        stdout,
        stderr,
    })
}

fn memory_file() -> io::Result<File> {
    Ok(memfd_create("assay-worker", MemfdFlags::CLOEXEC)?.into())
}

fn last_line(file: &mut File) -> Option<String> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_string)
}

fn pid_of(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id() as i32)
}

/// Raises the soft limit of open files to `wanted`, as far as the hard limit lets it. Where that is
/// not enough, starting a worker fails with the message of the kernel.
fn allow_files(wanted: u64) {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        let current = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(current), ..limit });
    }
}

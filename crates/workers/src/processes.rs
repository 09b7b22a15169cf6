//! The processes of a crew, as the coordinator holds them: all in one process group of their own,
//! so that a ^C of the terminal reaches the coordinator only, one system call looks after all of
//! them, and one kill ends them with their children. Confined workers have a group each.

use crate::{CrewError, WORKER_VERB};
use engine::child;
use model::{Job, Programs, User};
use rustix::{
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
    process::{Child, Command, ExitStatus, Stdio},
};

/// Look at a process that may have ended, without reaping it: as long as one is not reaped, the
/// number of the group belongs to nobody else, and killing it is safe.
const PEEK: WaitIdOptions =
    WaitIdOptions::EXITED.union(WaitIdOptions::NOHANG).union(WaitIdOptions::NOWAIT);

/// Descriptors that the rest of the program may need beside those of the workers.
const SPARE_FILES: u64 = 128;

/// One worker process. Its streams are files in memory: no pipe can fill up and block it.
struct Process {
    child: Child,
    /// Whether it is the first of a process group.
    leads: bool,
    stdout: File,
    stderr: File,
}

/// All worker processes, by number; killed and reaped when dropped.
#[derive(Default)]
pub(crate) struct Processes {
    list: Vec<Process>,
    reaped: bool,
}

impl Processes {
    /// Starts one process of `exe` for each job, which works in the name of `user`; they inherit `fd`.
    pub(crate) fn start(
        exe: &Path,
        jobs: &[Job],
        fd: RawFd,
        user: Option<User>,
    ) -> Result<Processes, CrewError> {
        allow_files(jobs.len() as u64 * 2 + SPARE_FILES);
        let mut processes = Processes::default();
        for (worker, job) in (0..).zip(jobs) {
            let process = start(exe, job, (fd, user), processes.groups().next())
                .map_err(|source| CrewError::Spawn { worker, exe: exe.to_path_buf(), source })?;
            processes.list.push(process);
        }
        Ok(processes)
    }

    /// Process ids, by number of the worker.
    pub(crate) fn pids(&self) -> Vec<u32> {
        self.list.iter().map(|process| process.child.id()).collect()
    }

    /// Whether any process of the crew has ended: one system call, however many there are.
    pub(crate) fn any_ended(&self) -> bool {
        let has_ended = |group: Pid| !matches!(waitid(WaitId::Pgid(Some(group)), PEEK), Ok(None));
        self.groups().any(has_ended)
    }

    /// Whether worker `number` has ended.
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
            // Fails only when nobody is left in the group.
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.reap()
    }

    /// The last line that worker `number` wrote to stdout.
    pub(crate) fn answer(&mut self, number: u32) -> Option<String> {
        last_line(&mut self.list.get_mut(number as usize)?.stdout)
    }

    /// The last line that worker `number` wrote to stderr.
    pub(crate) fn complaint(&mut self, number: u32) -> Option<String> {
        last_line(&mut self.list.get_mut(number as usize)?.stderr)
    }

    /// Process groups of the crew: that of the first, or one each where they cannot share one.
    fn groups(&self) -> impl Iterator<Item = Pid> {
        self.list
            .iter()
            .filter(|process| process.leads)
            .filter_map(|process| pid_of(&process.child))
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        // Nobody is there to be told, and a process that cannot be reaped is no longer ours.
        let _ = self.kill();
    }
}

fn start(
    exe: &Path,
    job: &Job,
    (fd, user): (RawFd, Option<User>),
    leader: Option<Pid>,
) -> io::Result<Process> {
    let (mut stdin, stdout, stderr) = (memory_file()?, memory_file()?, memory_file()?);
    stdin.write_all(serde_json::to_string(job)?.as_bytes())?;
    stdin.rewind()?;
    let mut command = Command::new(exe);
    command
        .args([WORKER_VERB, &fd.to_string()])
        // The worker becomes that user itself, who may not be allowed where the program lies.
        .args(user.map(|user| user.to_string()))
        .stdin(stdin)
        .stdout(Stdio::from(stdout.try_clone()?))
        .stderr(Stdio::from(stderr.try_clone()?));
    let confined = job.programs == Programs::Confined;
    // From a process namespace no group outside can be joined.
    let group = leader.filter(|_| !confined);
    command.process_group(group.map_or(0, Pid::as_raw_pid));
    // A process cannot make itself the first of a process namespace.
    let child = if confined { child::spawn(&mut command, false)? } else { command.spawn()? };
    Ok(Process { child, leads: group.is_none(), stdout, stderr })
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

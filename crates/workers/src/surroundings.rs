//! What a worker stands in before it begins: tied to the life of its coordinator, and confined when its
//! test runs programs of others.

use engine::{
    barrier::Barrier,
    confine::{self, Confinement, NOBODY},
};
use model::{Job, Programs};
use rustix::{
    io::Errno,
    process::{Signal, getppid, set_parent_process_death_signal},
};
use std::{
    fs::File,
    io,
    os::{
        fd::{AsRawFd, RawFd},
        unix::fs::FileExt,
    },
};
use suites::{Test, program};

/// The process that waits for this worker.
pub(crate) struct Coordinator {
    /// Its status in /proc, which cannot be read any more once it has ended. In a process namespace of
    /// its own a worker cannot see its parent otherwise.
    stat: File,
}

impl Coordinator {
    /// Ties this process to the life of the coordinator of `barrier`.
    ///
    /// # Errors
    /// The kernel refuses, or the coordinator is gone: `None` then.
    pub(crate) fn of(barrier: &Barrier) -> Result<Option<Coordinator>, Errno> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        let parent = getppid().map(|parent| parent.as_raw_pid() as u32);
        // The first of a process namespace has no parent there.
        let is_parent = match parent {
            None => confine::is_first_process(),
            Some(parent) => parent == barrier.coordinator(),
        };
        let stat = File::open(format!("/proc/{}/stat", barrier.coordinator())).ok();
        let coordinator = stat.filter(|_| is_parent).map(|stat| Coordinator { stat });
        // It may have died before the signal was asked for.
        Ok(coordinator.filter(Coordinator::is_there))
    }

    /// Whether it is still there.
    fn is_there(&self) -> bool {
        self.stat.read_at(&mut [0], 0).is_ok()
    }
}

/// Confines this process where `test` runs programs of others and `job` does not allow them more.
/// `barrier_fd` stays open.
///
/// # Errors
/// One line that says why `test` must not run.
pub(crate) fn enter(
    test: &dyn Test,
    job: &Job,
    coordinator: &Coordinator,
    barrier_fd: RawFd,
) -> Result<(), String> {
    match (test.runs_programs(), job.programs) {
        (false, _) | (true, Programs::Unconfined) => Ok(()),
        (true, Programs::None) => {
            Err(format!("{} runs programs of others, which this job does not allow", job.test))
        }
        (true, Programs::Confined) => confine(job, coordinator, barrier_fd)
            .map_err(|error| format!("{error}; `--unconfined` runs them with all rights of yours")),
    }
}

fn confine(job: &Job, coordinator: &Coordinator, barrier_fd: RawFd) -> io::Result<()> {
    confine::enter(&Confinement {
        dir: &job.dir,
        programs: Some(program::search_path().into()),
        user: (NOBODY, NOBODY),
        keep: &[barrier_fd, coordinator.stat.as_raw_fd()],
    })
    .map_err(io::Error::other)?;
    // The kernel forgets it when the user changes.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if coordinator.is_there() { Ok(()) } else { Err(Errno::SRCH.into()) }
}

//! Sets up a worker process: tied to the life of its coordinator, and confined if its test runs external programs.

use crate::held;
use engine::{
    barrier::Barrier,
    confine::{self, Confinement},
};
use model::{
    plan::User,
    workload::{AssetFile, Job, Programs},
};
use rustix::{
    io::Errno,
    process::{Signal, getppid, set_parent_process_death_signal},
};
use std::{
    fs::File,
    os::{
        fd::{AsRawFd, RawFd},
        unix::fs::FileExt,
    },
    path::Path,
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

    /// Returns true if it is still there.
    fn is_there(&self) -> bool {
        self.stat.read_at(&mut [0], 0).is_ok()
    }
}

/// The directory in which confined programs see the assets of their job, each under its name.
const ASSETS: &str = "/assay-assets";

/// The work place of a worker.
pub(crate) struct Surroundings<'a> {
    /// Its job.
    pub(crate) job: Job,
    /// The coordinator that waits for it.
    pub(crate) coordinator: &'a Coordinator,
    /// In whose name it works, when that is not the user who started the program.
    pub(crate) user: Option<User>,
    /// Descriptor of the barrier, which stays open.
    pub(crate) barrier_fd: RawFd,
}

impl Surroundings<'_> {
    /// Becomes the user in whose name it works, unless the confinement will do that. Assets lie where that user may
    /// not enter: they are opened before.
    ///
    /// # Errors
    /// One line: an asset cannot be opened, the kernel refuses, or the coordinator is gone.
    pub(crate) fn take_user(&mut self) -> Result<(), String> {
        let Some(user) = self.user.filter(|_| self.job.programs != Programs::Confined) else {
            return Ok(());
        };
        held::hold(&mut self.job.assets)?;
        confine::become_user(user)
            .and_then(|()| self.tie())
            .map_err(|why| format!("cannot become the user of the directory: {why}"))
    }

    /// Confines this process where `test` runs programs of others and the job does not allow them more. Assets are
    /// then shown under their own names.
    ///
    /// # Errors
    /// One line that says why `test` must not run.
    pub(crate) fn confine(&mut self, test: &dyn Test) -> Result<(), String> {
        let Job { test: id, programs, dir, .. } = &self.job;
        match (test.runs_programs(), programs) {
            (false, Programs::Confined) => Err(format!("{id} has no programs to confine")),
            (false, _) | (true, Programs::Unconfined) => Ok(()),
            (true, Programs::None) => {
                Err(format!("{id} runs external programs, which this job does not allow"))
            }
            (true, Programs::Confined) => {
                let shown = |asset: &AssetFile| Path::new(ASSETS).join(asset.name.as_path());
                let files = self.job.assets.iter().map(|asset| (asset.path.clone(), shown(asset)));
                let confined = confine::enter(&Confinement {
                    dir,
                    files: &files.collect::<Vec<_>>(),
                    programs: Some(program::search_path().into()),
                    owner: self.user,
                    keep: &[self.barrier_fd, self.coordinator.stat.as_raw_fd()],
                });
                confined.map_err(|error| {
                    format!("{error}; `--unconfined` runs them with all your rights")
                })?;
                self.job.assets.iter_mut().for_each(|asset| asset.path = shown(asset));
                self.tie().map_err(|why| format!("the coordinator has exited: {why}"))
            }
        }
    }

    /// Asks again for the death signal of the parent, which the kernel forgets when the user changes.
    fn tie(&self) -> Result<(), Errno> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if self.coordinator.is_there() { Ok(()) } else { Err(Errno::SRCH) }
    }
}

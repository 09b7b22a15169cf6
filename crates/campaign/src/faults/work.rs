//! The work that a power cut interrupts, and how to perform it: a workload with a contract, or an application with its
//! own guarantees.

use super::{FaultsError, mount::Mounted, perform::perform};
use ::faults::{
    content::Content,
    contract::{Contract, Expected, Finding, Observed, UnknownMark},
};
use lab::mounts::thread_mounts::ThreadMounts;
use model::result::FaultOnDisk;
use rustix::fs::syncfs;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::{self, File},
    io,
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};
use suites::Application;

/// What is performed, and what must hold.
#[derive(Clone, Copy, Debug)]
pub enum Work<'a> {
    /// The operations of a workload, and what follows from them.
    Contract(&'a Contract),
    /// A program, and what it promises.
    Application(&'a Arc<dyn Application>),
}

/// How much of a work is to be tried, and on what disk.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Of content and states.
    pub seed: u64,
    /// Most distinct states.
    pub states: usize,
    /// What the disk writes whole or not at all: 512 bytes, or 4096.
    pub atomic_bytes: u64,
    /// Each write takes this much longer while the workload runs: on a disk as fast as memory some orders of events
    /// never come up.
    pub slow_writes: Duration,
    /// What the disk is like.
    pub fault: FaultOnDisk,
    /// The checker looks at one state in this many; at none where it is 0.
    pub check_every: u64,
}

impl Work<'_> {
    /// Its name.
    pub(super) fn name(&self) -> String {
        match self {
            Work::Contract(contract) => contract.workload().name.clone(),
            Work::Application(application) => application.name().into(),
        }
    }

    /// Runs `body` with a path of the root of `mounted`. That of an application has no descriptor in it, as programs
    /// resolve their paths, and is one for a thread of its own.
    pub(super) fn at_root<T: Send>(
        &self,
        mounted: &Mounted,
        at: &Path,
        body: impl FnOnce(&Path) -> Result<T, FaultsError> + Send,
    ) -> Result<T, FaultsError> {
        match self {
            Work::Contract(_) => body(mounted.root()),
            Work::Application(_) => thread::scope(|scope| {
                let in_thread = || {
                    let failed = |errno: rustix::io::Errno| FaultsError::Prepare(errno.into());
                    let thread_mounts = ThreadMounts::enter(at).map_err(failed)?;
                    let attached = thread_mounts.attach(mounted.fd()).map_err(failed)?;
                    body(attached.root())
                };
                let thread = scope.spawn(in_thread);
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }),
        }
    }
}

/// Work that is performed in a directory.
pub(super) struct Performance<'a> {
    work: Work<'a>,
    content: Content,
    root: &'a Path,
    held: Vec<File>,
}

impl<'a> Performance<'a> {
    /// Makes the directory `root`, and in it what the work begins with, durably.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn prepare(
        work: Work<'a>,
        content: Content,
        root: &'a Path,
    ) -> Result<Performance<'a>, FaultsError> {
        let sync = || -> io::Result<()> { Ok(syncfs(File::open(root)?)?) };
        fs::create_dir(root).and_then(|()| sync()).map_err(FaultsError::Prepare)?;
        let mut own = Performance { work, content, root, held: Vec::new() };
        match work {
            Work::Contract(contract) => own.operations(contract, true, &|_| ())?,
            Work::Application(application) => {
                application.prepare(root)?;
                sync().map_err(FaultsError::Prepare)?;
            }
        }
        Ok(own)
    }

    /// Performs the rest; `mark` gets the marks.
    ///
    /// # Errors
    /// It fails.
    pub(super) fn run(&mut self, mark: &dyn Fn(u64)) -> Result<(), FaultsError> {
        match self.work {
            Work::Contract(contract) => self.operations(contract, false, mark),
            Work::Application(application) => Ok(application.work(self.root, mark)?),
        }
    }

    fn operations(
        &mut self,
        contract: &Contract,
        is_preparation: bool,
        mark: &dyn Fn(u64),
    ) -> Result<(), FaultsError> {
        let (prepared, all) = (contract.workload().prepared, contract.workload().operations.len());
        let operations = if is_preparation { 0..prepared } else { prepared..all };
        perform(contract, operations, (self.content, self.root), &mut self.held, mark)
    }
}

/// What was found of one state.
#[derive(Debug)]
pub(super) enum Found {
    /// All files.
    Tree(Observed),
    /// What the application says.
    Findings(Vec<Finding>),
}

/// Judges what was found.
pub(super) struct Judge<'a> {
    work: Work<'a>,
    expected: BTreeMap<Option<u64>, Expected<'a>>,
}

impl<'a> Judge<'a> {
    /// One of `work`.
    pub(super) fn new(work: Work<'a>) -> Judge<'a> {
        Judge { work, expected: BTreeMap::new() }
    }

    /// What is wrong, when the mark `acknowledged` was the last one that was set.
    ///
    /// # Errors
    /// The work does not set it.
    pub(super) fn findings(
        &mut self,
        found: Found,
        acknowledged: Option<u64>,
    ) -> Result<Vec<Finding>, UnknownMark> {
        let (found, contract) = match (found, self.work) {
            (Found::Findings(findings), _) => return Ok(findings),
            (Found::Tree(_), Work::Application(_)) => return Ok(Vec::new()),
            (Found::Tree(found), Work::Contract(contract)) => (found, contract),
        };
        let expected = match self.expected.entry(acknowledged) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(contract.expect(acknowledged)?),
        };
        Ok(expected.check(&found))
    }
}

//! The traits between a test and the worker that runs it.

use crate::{bounds::Breach, fault_work::FaultWork};
use engine::{io::EngineError, progress::Progress};
use faults::{contract::Finding, workload::Workload};
use model::{
    figure::{Histogram, Metric, Synced},
    result::Reason,
    text::Bytes,
    workload::{AssetName, CacheNeed, Job, PhaseKind, PoolReport, TestInfo},
};
use std::{
    fmt::Debug,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Why a test could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum TestError {
    /// A system call failed.
    #[error("{what} {path}: {source}")]
    Io {
        /// The act, e.g. `open`.
        what: &'static str,
        /// The object.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The data read back differs from the data written.
    #[error("{path} holds wrong data: {why}")]
    Wrong {
        /// The object.
        path: PathBuf,
        /// The difference and its position.
        why: String,
    },
    /// A program that was run ended with a failure.
    #[error("`{command}` failed ({how}): {last_line}")]
    Program {
        /// The command, shortened.
        command: String,
        /// Its exit status or signal.
        how: String,
        /// The last line that it wrote.
        last_line: String,
    },
    /// A program was killed because it exceeded the plan or would have used the reserve of its file system.
    #[error("`{command}` was killed: {breach}")]
    Bound {
        /// The command, shortened.
        command: String,
        /// The limit that it exceeded.
        breach: Breach,
    },
    /// A program was not started, because its files do not fit next to the reserve of the file system.
    #[error(
        "`{command}` was not started: its files need {planned}, but only {free} are free outside \
         the reserve"
    )]
    NoRoom {
        /// The command, shortened.
        command: String,
        /// The space that its files need.
        planned: Bytes,
        /// The space available for them.
        free: Bytes,
    },
    /// A command cannot be made of its text.
    #[error("cannot build the command: {0}")]
    Command(String),
    /// The lab does it, on a disk of its own.
    #[error("{0} is run by the lab; a worker cannot run it")]
    OfTheLab(String),
    /// The I/O engine could not do it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The pool broke up: another worker failed or the coordinator is gone.
    #[error("stopped: {0}")]
    Stopped(String),
}

impl TestError {
    /// The way of I/O that the target does not support, if that is the reason.
    pub fn refused(&self) -> Option<&'static str> {
        match self {
            TestError::Engine(error) => error.refused(),
            TestError::Io { source, .. } => {
                source.get_ref()?.downcast_ref::<EngineError>()?.refused()
            }
            _ => None,
        }
    }

    /// For `map_err`: an I/O error on `path` during `what`.
    pub fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TestError {
        let path = path.to_path_buf();
        move |source| TestError::Io { what, path, source }
    }
}

/// Holds barrier and clock for a run.
pub trait Meter {
    /// Waits until every worker is here, then runs and times `work` as one phase. Every worker must
    /// call this for the same kinds in the same order.
    fn phase(
        &mut self,
        kind: PhaseKind,
        work: &mut dyn FnMut(Progress<'_>) -> Result<(), TestError>,
    ) -> Result<(), TestError>;
}

/// A prepared test: memory is allocated, data is generated, and nothing that the timed part will read has been touched.
pub trait Run {
    /// The timed phases.
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError>;

    /// Checks what was written or read, after the clock stopped.
    fn verify(&mut self) -> Result<(), TestError>;

    /// Distinct file bytes, in whole pages, that the timed part had to read; 0 for writes.
    fn footprint_bytes(&self) -> u64 {
        0
    }

    /// Returns the data that the timed part made durable; `None` if it synced nothing. Called after `verify`.
    fn synced(&self) -> Option<Synced> {
        None
    }

    /// Length of the original suite's shell command for the sync of this test; 0 where it has none.
    fn command_chars(&self) -> u32 {
        0
    }

    /// Latencies of the operations of the timed part; asked once, after `verify`.
    fn histograms(&mut self) -> Vec<Histogram> {
        Vec::new()
    }

    /// Further numbers of this worker; asked once, after `verify`.
    fn metrics(&mut self) -> Vec<Metric> {
        Vec::new()
    }

    /// Returns the output of the program, if the figures are in it; called once.
    fn output(&mut self) -> String {
        String::new()
    }
}

/// The work of one worker in a test; for plans, free space and time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Bytes written in the timed part.
    pub write_bytes: u64,
    /// Bytes read in the timed part.
    pub read_bytes: u64,
    /// Operations in the timed part that are not moving bulk data.
    pub ops: u64,
    /// Bytes that the files of this test add to the disk and leave there.
    pub disk_bytes: u64,
    /// Further bytes on the disk only while it runs.
    pub scratch_bytes: u64,
    /// Seconds that the timed part takes regardless of the disk, for a test that runs for a given time.
    pub fixed_s: f64,
}

/// The measurements under one test id.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The test, one of `Test::infos`.
    pub test: String,
    /// Its metrics, the ranking one first.
    pub metrics: Vec<Metric>,
    /// Logical bytes, all workers.
    pub bytes: u64,
    /// Operations, all workers.
    pub ops: u64,
    /// First start to last end over its phases, seconds.
    pub seconds: f64,
    /// Latest start minus earliest start of its first phase, milliseconds.
    pub skew_ms: f64,
    /// Share of `seconds` of its main phase in which every worker ran.
    pub overlap: f64,
    /// Indices of its phases in the pool's report, so that device bytes can be charged to it.
    pub phases: std::ops::Range<usize>,
    /// Latencies of its operations, all workers.
    pub histograms: Vec<Histogram>,
    /// Why it is no measurement, when only a part of the run failed.
    pub problem: Option<Reason>,
}

/// The workers of a test for a given number of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workers {
    /// As many workers as asked for.
    Asked,
    /// Always this many, whatever was asked for.
    Fixed(u32),
    /// One worker, which runs a program that starts as many processes as asked for itself.
    Program,
}

/// How a run of a test can be lengthened without becoming a different test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// By its own sizes or time: `Job::scale`, which is not shared.
    Scale,
    /// By more operations or cycles: the factor `Work::times`.
    Times,
    /// By more files like the one of this path, or more directories: `Work::copies`. Tests of one path share them, as
    /// do those of a directory and of what lies in it.
    Copies(&'static str),
    /// By more passes, `Work::times`, over as many files of this path as there are.
    Passes(&'static str),
    /// It follows from the scale of the suite alone: what it makes is the material of other tests.
    Given,
}

/// The worker whose files this one reads if hosts must not read their own data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Its own: it writes in the same run, or programs of others do the work.
    Never,
    /// All it does is to read what was there before: that of the first of `Job::owners`.
    Reads,
    /// The owners in `Job::owners`, as its phases say.
    Phases,
}

/// The parts of a run that a program times itself, and reports only if they are long enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// The shortest that it reports, seconds.
    pub least_s: f64,
    /// The duration to aim for: longer, as candidates differ.
    pub aim_s: f64,
    /// The ids of tests that a larger size lengthens.
    pub ids: Vec<String>,
}

/// The access of a test whose every operation reads at its own random place: from a cold cache
/// each has to wait for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomReads {
    /// By system calls.
    Called,
    /// By touching a mapping: a page that is not in memory is a major fault.
    Mapped,
}

/// A requirement of a test that the machine lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What, e.g. `uv`.
    pub what: String,
    /// The remedy: a package, or a place.
    pub fix: String,
}

/// A program with promises.
pub trait Application: Debug + Send + Sync {
    /// Its name, as in a declaration.
    fn name(&self) -> &str;

    /// Makes what the work begins with in the empty directory `root`. The caller syncs it.
    ///
    /// # Errors
    /// It cannot be made.
    fn prepare(&self, root: &Path) -> Result<(), TestError>;

    /// Does the work; `mark` is called with 0, 1, 2, ... whenever one more piece of it is acknowledged.
    ///
    /// # Errors
    /// It fails.
    fn work(&self, root: &Path, mark: &dyn Fn(u64)) -> Result<(), TestError>;

    /// Checks what is left in `root`, given that `acknowledged` was the last mark that was set. It may modify `root`.
    ///
    /// # Errors
    /// It cannot look, for a reason that is not in `root`: that is no finding.
    fn look(&self, root: &Path, acknowledged: Option<u64>) -> Result<Vec<Finding>, TestError>;
}

/// A tree of files that is sent to another file system.
pub trait SentTree: Debug {
    /// The bytes of its files, about.
    fn bytes(&self) -> u64;

    /// Makes it in the empty directory `root`. Returns the bytes of its files.
    ///
    /// # Errors
    /// It cannot be made.
    fn create(&self, root: &Path) -> Result<u64, TestError>;

    /// Changes it, as a day does. Returns the bytes that were written.
    ///
    /// # Errors
    /// It cannot be changed.
    fn change(&self, root: &Path) -> Result<u64, TestError>;
}

/// The work on a disk until the power fails.
#[derive(Clone, Debug)]
pub enum CutOff {
    /// Operations, from which follows what must hold.
    Workload(Workload),
    /// A program that checks its own data.
    Application(Arc<dyn Application>),
}

/// One kind of work.
pub trait Test: Sync {
    /// The test itself first, then the tests whose figures come from the same run (the sync that
    /// follows a write).
    fn infos(&self) -> Vec<TestInfo>;

    /// The cache state to establish before the timed part.
    fn cache(&self) -> CacheNeed;

    /// Returns the workers that do the work.
    fn workers(&self) -> Workers {
        Workers::Asked
    }

    /// How a run can be lengthened.
    fn stretch(&self) -> Stretch {
        Stretch::Scale
    }

    /// The parts of which each has to be long enough on its own.
    fn parts(&self) -> Option<Parts> {
        None
    }

    /// Bytes that the run of `measured` should move past the page cache, so that the device must transfer them; `None`
    /// if not all of its I/O is direct.
    fn direct_bytes(&self, _job: &Job, _measured: &[Measured]) -> Option<u64> {
        None
    }

    /// Returns true if it runs third-party programs, which a worker must confine.
    fn runs_programs(&self) -> bool {
        false
    }

    /// Returns true if its figures are timed, so that other processes may affect them.
    fn is_clocked(&self) -> bool {
        true
    }

    /// Threads in each worker.
    fn threads(&self, job: &Job) -> u32 {
        job.threads
    }

    /// Returns how it reads, if all it does is read at random places.
    fn random_reads(&self) -> Option<RandomReads> {
        None
    }

    /// Bytes that one worker is declared to read in the timed part, where nothing but the declaration tells: the
    /// files that a program reads are not known, or not all. None of them twice.
    fn declared_read_bytes(&self, _job: &Job) -> Option<u64> {
        None
    }

    /// Returns true if its timed part may pause wherever it adds to its counters: it has nothing in flight
    /// there, and is one thread.
    fn can_be_held(&self, _job: &Job) -> bool {
        false
    }

    /// Returns whose files its workers use if workers are shifted.
    fn shift(&self) -> Shift {
        Shift::Never
    }

    /// The programs that it runs.
    fn programs(&self) -> Vec<String> {
        Vec::new()
    }

    /// The assets of its suite that it needs; each is in `Job::assets`.
    fn assets(&self) -> Vec<AssetName> {
        Vec::new()
    }

    /// Returns the requirement that the machine lacks, if the test cannot run here.
    fn missing(&self) -> Option<Missing> {
        None
    }

    /// The declaration from which a worker makes the test again; `None` for one that is built into
    /// the program and found by its id.
    fn declaration(&self) -> Option<String> {
        None
    }

    /// Returns true if it is done on a disk of its own, made by the lab: no instance of the target is needed for it.
    fn makes_own_disk(&self) -> bool {
        false
    }

    /// Returns the fault, if that is what the test makes: then no worker is started.
    fn fault_work(&self, _job: &Job) -> Option<FaultWork> {
        None
    }

    /// Returns true if it sends a tree to a second file system.
    fn sends_tree(&self) -> bool {
        false
    }

    /// Returns the tree, if it is sent to a second file system: then no worker is started.
    fn sent_tree(&self, _job: &Job) -> Option<Box<dyn SentTree>> {
        None
    }

    /// Returns what is performed, with content of `seed`, where `fault_work` says that the power goes.
    ///
    /// # Errors
    /// What it is made of is missing or broken.
    fn cut_off(&self, _job: &Job, _seed: u64) -> Result<CutOff, TestError> {
        Err(TestError::Command("it is nothing that is cut off".into()))
    }

    /// Creates, untimed, the files of `job` that the timed part needs and that are missing, and syncs
    /// them. Does nothing when they are there with the right size.
    fn fill(&self, job: &Job) -> Result<(), TestError>;

    /// Files that the timed part reads; the residency proof and the warming are about these.
    fn files(&self, job: &Job) -> Vec<PathBuf>;

    /// Prepares a run.
    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError>;

    /// Returns the work of one worker.
    fn estimate(&self, job: &Job) -> Estimate;

    /// The files that exist after the test, regardless of their creator: path under the worker's directory
    /// and bytes. Tests share files, so the space of several tests is the union by path.
    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)>;

    /// Turns a pool's report into figures, one entry for each of `infos`.
    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured>;

    /// The page that `assay explain` prints for `id`, Markdown.
    fn explain(&self, id: &str) -> String;
}

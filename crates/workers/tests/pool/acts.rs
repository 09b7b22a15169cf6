//! Tests that do nothing to a disk and everything to a pool; the id says what.

use engine::progress::Progress;
use model::workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo};
use rustix::process::{Pid, Signal, getpid, kill_process};
use std::{
    env, fs, mem,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use suites::{Estimate, Meter, Run, Test, TestError, test::Measured};

/// What the worker that misbehaves does; the others do their phases as they should.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Nothing wrong.
    Work,
    /// Panics in the second phase.
    Panic,
    /// Returns an error in the second phase.
    Fail,
    /// Returns an error from the verification.
    FailVerify,
    /// Leaves the process in the second phase.
    Exit,
    /// Kills itself in the second phase.
    Kill,
    /// Sleeps for an hour in the second phase.
    Hang,
    /// Has one phase less than the others.
    Skip,
    /// Has another kind of phase than the others.
    Differ,
    /// Works, and counts as one that runs programs of others.
    Foreign,
    /// The same, and sleeps for an hour in the second phase.
    ForeignHang,
    /// Works, as all of its pool, until its directory holds `TOLD`.
    Await,
    /// Works, as all of its pool, and leaves a file open, memory in use and another current directory.
    Litter,
    /// Works, and complains on stderr.
    Complain,
    /// Does `STEPS` steps in its second phase, after each of which it may be held.
    Step,
}

/// File for which a worker waits until the coordinator is notified.
pub(crate) const TOLD: &str = "told";

/// Bytes of memory that are left in use.
pub(crate) const LITTER: usize = 64 << 20;

/// The worker that misbehaves.
pub(crate) const ODD: u32 = 1;

/// Bytes that worker `number` moves in the first phase.
pub(crate) fn bytes_of(number: u32) -> u64 {
    1000 + u64::from(number)
}

/// Steps of [`Act::Step`], and how long each takes.
pub(crate) const STEPS: u32 = 10;
pub(crate) const STEP: Duration = Duration::from_millis(10);

const ACTS: [(&str, Act); 15] = [
    ("work", Act::Work),
    ("panic", Act::Panic),
    ("fail", Act::Fail),
    ("fail-verify", Act::FailVerify),
    ("exit", Act::Exit),
    ("kill", Act::Kill),
    ("hang", Act::Hang),
    ("skip", Act::Skip),
    ("differ", Act::Differ),
    ("foreign", Act::Foreign),
    ("foreign-hang", Act::ForeignHang),
    ("await", Act::Await),
    ("litter", Act::Litter),
    ("complain", Act::Complain),
    ("step", Act::Step),
];

static TESTS: [ActTest; 15] = {
    let mut tests = [ActTest(Act::Work); 15];
    let mut i = 0;
    while i < tests.len() {
        tests[i] = ActTest(ACTS[i].1);
        i += 1;
    }
    tests
};

/// The resolver of the tests.
pub(crate) fn find(job: &Job) -> Result<&'static dyn Test, String> {
    let at = ACTS.iter().position(|(name, _)| *name == job.test);
    at.map(|at| &TESTS[at] as _).ok_or_else(|| format!("test `{}` is not known", job.test))
}

#[derive(Clone, Copy)]
struct ActTest(Act);

impl Test for ActTest {
    fn infos(&self) -> Vec<TestInfo> {
        Vec::new()
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn runs_programs(&self) -> bool {
        matches!(self.0, Act::Foreign | Act::ForeignHang)
    }

    fn can_be_held(&self, _job: &Job) -> bool {
        self.0 == Act::Step
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let path = path_of(job);
        fs::write(&path, [7; 5000]).map_err(TestError::io("write", &path))
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        vec![path_of(job)]
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let all = matches!(self.0, Act::Await | Act::Litter | Act::Step);
        let act = if all || job.worker == ODD { self.0 } else { Act::Work };
        if act == Act::Litter {
            litter(&job.dir)?;
        }
        Ok(Box::new(ActRun { act, worker: job.worker, told: job.dir.join(TOLD) }))
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    fn estimate(&self, _job: &Job) -> Estimate {
        Estimate::default()
    }

    fn measure(&self, _job: &Job, _pool: &PoolReport) -> Vec<Measured> {
        Vec::new()
    }

    fn explain(&self, _id: &str) -> String {
        String::new()
    }
}

fn path_of(job: &Job) -> PathBuf {
    job.dir.join(format!("file-{}", job.worker))
}

struct ActRun {
    act: Act,
    worker: u32,
    told: PathBuf,
}

impl Run for ActRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let (act, worker) = (self.act, self.worker);
        meter.phase(PhaseKind::Write, &mut |progress| work(progress, worker))?;
        if act == Act::Await {
            return meter.phase(PhaseKind::Sync, &mut |progress| {
                progress.add(bytes_of(worker), 1);
                while !self.told.exists() {
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(())
            });
        }
        match act {
            Act::Skip => Ok(()),
            Act::Step => meter.phase(PhaseKind::Sync, &mut |progress| {
                (0..STEPS).for_each(|_| {
                    thread::sleep(STEP);
                    progress.add(1, 1);
                });
                Ok(())
            }),
            Act::Differ => meter.phase(PhaseKind::Read, &mut |_| Ok(())),
            _ => meter.phase(PhaseKind::Sync, &mut |_| misbehave(act)),
        }
    }

    fn verify(&mut self) -> Result<(), TestError> {
        match self.act {
            Act::FailVerify => Err(wrong("seen by the verification")),
            _ => Ok(()),
        }
    }

    fn footprint_bytes(&self) -> u64 {
        4096
    }

    fn command_chars(&self) -> u32 {
        self.worker
    }
}

/// How long the first phase takes: long enough that workers of a small pool overlap.
pub(crate) const WORK: Duration = Duration::from_millis(100);

/// With all bytes moved half-way.
fn work(progress: Progress<'_>, worker: u32) -> Result<(), TestError> {
    thread::sleep(WORK / 2);
    progress.add(bytes_of(worker), 1);
    thread::sleep(WORK / 2);
    Ok(())
}

/// What a job may leave behind at worst.
fn litter(dir: &Path) -> Result<(), TestError> {
    env::set_current_dir(dir).map_err(TestError::io("enter", dir))?;
    let path = dir.join("left-open");
    mem::forget(fs::File::create(&path).map_err(TestError::io("create", &path))?);
    mem::forget(vec![1u8; LITTER]);
    Ok(())
}

fn misbehave(act: Act) -> Result<(), TestError> {
    match act {
        Act::Panic => panic!("this worker\npanics"),
        Act::Fail => return Err(wrong("seen by the test")),
        Act::Exit => std::process::exit(3),
        Act::Kill => kill(getpid()),
        Act::Complain => eprintln!("the weather is bad"),
        Act::Hang | Act::ForeignHang => thread::sleep(Duration::from_secs(3600)),
        _ => {}
    }
    Ok(())
}

/// Kills a process as `kill -9` does.
pub(crate) fn kill(pid: Pid) {
    kill_process(pid, Signal::KILL).unwrap();
}

fn wrong(why: &str) -> TestError {
    TestError::Wrong { path: "/some/file".into(), why: why.into() }
}

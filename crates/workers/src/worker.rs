//! The worker process: takes jobs from stdin, one line each, does them in step with its pool, and answers.
//!
//! A worker that runs external programs is confined permanently, does its one job and ends. Any other worker does each
//! job in a copy of itself and stays for the next, until stdin ends.

use crate::{
    meter::{BarrierMeter, stopped},
    stays_after,
    surroundings::{Coordinator, Surroundings},
};
use engine::{
    barrier::{self, Barrier, BarrierError, Member},
    fork::{Fork, end_as, fork},
    numa::bind_memory,
};
use model::{
    plan::User,
    workload::{Job, JobMode, NumaNode, WorkerReport},
};
use rustix::{
    io::Errno,
    thread::{CpuSet, sched_setaffinity},
};
use std::{
    any::Any,
    fs::File,
    io::{self, BufRead, Read, Write},
    os::fd::{AsRawFd, RawFd},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    process::ExitCode,
};
use suites::{Test, TestError};

/// Finds or makes the test of a job, or says in one line why it cannot.
pub type Resolver = fn(&Job) -> Result<&'static dyn Test, String>;

/// The size of a read that makes a file resident.
const WARM_BYTES: usize = 1 << 20;

/// Why a worker could not even begin.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error(
        "`{}` is internal: assay starts it with a file descriptor and a slot number",
        crate::WORKER_VERB
    )]
    Usage,
    #[error("the coordinator has exited; this worker stops")]
    Orphan,
    #[error(transparent)]
    Barrier(#[from] BarrierError),
    #[error("cannot set the parent-death signal: {0}")]
    DeathSignal(Errno),
    #[error("cannot read the job from stdin: {0}")]
    Job(io::Error),
    #[error("cannot start a process for the job: {0}; check the limit of processes")]
    Fork(io::Error),
    #[error("cannot write the report to stdout: {0}")]
    Report(io::Error),
}

/// Runs this process as a worker, its arguments being `WORKER_VERB`, a file descriptor and its slot in
/// the pool. What fails in the test goes into the report; the exit code tells only whether there is one.
pub fn main(find: Resolver) -> ExitCode {
    match serve(find) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to tell it to when stderr is gone as well.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

fn serve(find: Resolver) -> Result<(), StartError> {
    let (fd, slot, user) = arguments().ok_or(StartError::Usage)?;
    let memory = barrier::inherited(fd)?;
    let barrier_fd = memory.as_raw_fd();
    let barrier = Barrier::attach(memory)?;
    let coordinator = Coordinator::of(&barrier).map_err(StartError::DeathSignal)?;
    let coordinator = coordinator.ok_or(StartError::Orphan)?;
    let first = next_job()?.ok_or(StartError::Orphan)?;
    if first.worker >= first.workers {
        return Err(BarrierError::NoSuchWorker(first.worker, first.workers).into());
    }
    let member = barrier.member(slot)?;
    let mut place = Surroundings { job: first, coordinator: &coordinator, user, barrier_fd };
    let ready = place.take_user();
    if !stays_after(&place.job, user) {
        if work(find, &mut place, ready, member)? {
            member.leave();
        }
        return Ok(());
    }
    // What all jobs need of the list of tests is made once, and not in each copy.
    let _ = find(&place.job);
    loop {
        match fork().map_err(StartError::Fork)? {
            Fork::Copy => {
                member.works_here();
                return work(find, &mut place, ready, member).map(drop);
            }
            Fork::Original(copied) => {
                let status = copied.wait().map_err(StartError::Fork)?;
                if !status.success() {
                    end_as(status);
                }
            }
        }
        if barrier.broken_by().is_some() {
            return Ok(());
        }
        // Only now, when nothing of the job is left.
        member.leave();
        let Some(next) = next_job()? else { return Ok(()) };
        place.job = next;
    }
}

/// The descriptor of the barrier, the place at it, and in whose name to work.
fn arguments() -> Option<(RawFd, u32, Option<User>)> {
    let mut words = std::env::args().skip(2);
    let fd = words.next()?.parse().ok()?;
    let slot = words.next()?.parse().ok()?;
    let user = words.next().map(|text| text.parse()).transpose().ok()?;
    Some((fd, slot, user))
}

/// The next line of stdin; `None` when there will be none.
fn next_job() -> Result<Option<Job>, StartError> {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line).map_err(StartError::Job)? {
        0 => Ok(None),
        _ => serde_json::from_str(&line).map(Some).map_err(|error| StartError::Job(error.into())),
    }
}

/// Does the job of `place` in this process and reports, unless it is not `ready`. Returns true if all went
/// well.
fn work(
    find: Resolver,
    place: &mut Surroundings<'_>,
    ready: Result<(), String>,
    member: Member<'_>,
) -> Result<bool, StartError> {
    let test = ready.and_then(|()| find(&place.job)).and_then(|test| {
        place.job.node.as_ref().map_or(Ok(()), keep_on)?;
        place.confine(test)?;
        Ok(test)
    });
    let report = act(test, &place.job, member);
    let mut line =
        serde_json::to_string(&report).map_err(|error| StartError::Report(error.into()))?;
    line.push('\n');
    io::stdout().write_all(line.as_bytes()).map_err(StartError::Report)?;
    Ok(report.error.is_none())
}

/// Does the job; whatever goes wrong frees the pool and becomes the error of the report.
fn act(test: Result<&dyn Test, String>, job: &Job, member: Member<'_>) -> WorkerReport {
    let mut refused = None;
    let result = test.and_then(|test| {
        // A worker that panicked does nothing more but report, so that broken state is not seen.
        match catch_unwind(AssertUnwindSafe(|| perform(test, job, member))) {
            Ok(result) => result.map_err(|error| {
                refused = error.refused().map(String::from);
                error.to_string()
            }),
            Err(panic) => Err(format!("{} panicked: {}", job.test, message_of(panic.as_ref()))),
        }
    });
    let mut report = result.unwrap_or_else(|error| {
        member.break_up();
        WorkerReport { error: Some(one_line(&error)), refused, ..WorkerReport::default() }
    });
    report.worker = job.worker;
    report
}

fn perform(test: &dyn Test, job: &Job, member: Member<'_>) -> Result<WorkerReport, TestError> {
    match job.mode {
        JobMode::Fill => test.fill(job)?,
        JobMode::Warm => test.files(job).iter().try_for_each(|path| read_through(path))?,
        JobMode::Run => {
            stay_on(job.cpu);
            return measure(test, job, member);
        }
    }
    member.finish().map_err(stopped)?;
    Ok(WorkerReport::default())
}

fn measure(test: &dyn Test, job: &Job, member: Member<'_>) -> Result<WorkerReport, TestError> {
    let mut run = test.start(job)?;
    warm_assets(job)?;
    let mut meter = BarrierMeter::new(member, test.can_be_held(job));
    run.timed(&mut meter)?;
    // Verification would disturb those who still work.
    member.finish().map_err(stopped)?;
    run.verify()?;
    Ok(WorkerReport {
        phases: meter.phases,
        footprint_bytes: run.footprint_bytes(),
        synced: run.synced(),
        command_chars: run.command_chars(),
        metrics: run.metrics(),
        histograms: run.histograms(),
        output: run.output(),
        ..WorkerReport::default()
    })
}

/// Reads the assets of `job` into the page cache, as far as they fit.
fn warm_assets(job: &Job) -> Result<(), TestError> {
    let mut warmed = job.assets.iter().filter(|_| job.warms_assets());
    warmed.try_for_each(|asset| read_through(&asset.path))
}

/// Keeps this process, and what it starts, on the processors and the memory of `node`.
fn keep_on(node: &NumaNode) -> Result<(), String> {
    let refused = |error: io::Error| {
        format!("cannot be kept on NUMA node {}: {error}; run without --numa", node.number)
    };
    sched_setaffinity(None, &set_of(&node.cpus)).map_err(|error| refused(error.into()))?;
    bind_memory(node.number).map_err(refused)
}

/// Keeps this process, and what it starts, on `cpu`.
fn stay_on(cpu: Option<u32>) {
    // A processor that was taken offline meanwhile cannot be pinned to.
    let _ = cpu.map(|cpu| sched_setaffinity(None, &set_of(&[cpu])));
}

/// Returns the set of those of `cpus` that it can name.
fn set_of(cpus: &[u32]) -> CpuSet {
    let mut set = CpuSet::new();
    let named = cpus.iter().map(|cpu| *cpu as usize).filter(|cpu| *cpu < CpuSet::MAX_CPU);
    named.for_each(|cpu| set.set(cpu));
    set
}

fn read_through(path: &Path) -> Result<(), TestError> {
    let mut file = File::open(path).map_err(TestError::io("open", path))?;
    let mut buffer = vec![0; WARM_BYTES];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(TestError::io("read", path)(error)),
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

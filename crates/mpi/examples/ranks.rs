//! A campaign of as many ranks as one likes, all but one of them simulated: `ranks COUNT ARGUMENTS OF ASSAY`. One
//! worker does the job; its report goes out and comes back as the message of every rank, by a clock of every host, and
//! then through merge, store and report. It measures the coordinator's needs at this size, not the ranks' speed.

use anyhow::{Context, Result};
use assay_mpi::{
    clocks::{Clock, Offset},
    merge::{Part, merge},
    orders::{News, Word},
};
use campaign::run::hosts::Hosts;
use model::{
    plan::User,
    workload::{Job, PoolReport, WorkerReport},
};
use std::{env, process::ExitCode, slice, sync::atomic::AtomicBool, time::Duration};
use workers::{LocalPool, Observer, Pool, PoolError, TimeSharing};

/// Ranks of a host.
const EACH: u32 = 64;

/// Number of ranks.
#[derive(Debug)]
struct Simulated(u32);

impl Hosts for Simulated {
    fn pool(&self, timeout: Duration, user: Option<User>) -> Result<Box<dyn Pool + '_>> {
        let pool = LocalPool::this_program(timeout).context("this program is not found")?;
        Ok(Box::new(One(pool.in_the_name_of(user))))
    }

    fn most_workers(&self) -> Option<u32> {
        Some(self.0)
    }

    fn is_many(&self) -> bool {
        true
    }
}

/// A pool of one, of which many report.
struct One(LocalPool);

impl Pool for One {
    fn run_at(
        &self,
        pace: &mut dyn TimeSharing,
        jobs: &[Job],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<PoolReport, PoolError> {
        let Some(first) = jobs.first() else { return self.0.run_at(pace, jobs, observer, stop) };
        let done = self.0.run_at(pace, slice::from_ref(first), observer, stop)?;
        let lost = |error: anyhow::Error| PoolError::Lost { why: format!("{error:#}") };
        let parts: Result<Vec<Part>> = jobs.iter().map(|job| part(job, &done.workers)).collect();
        Ok(merge(parts.map_err(lost)?))
    }
}

/// What the rank of `job` brings, by way of a message.
fn part(job: &Job, workers: &[WorkerReport]) -> Result<Part> {
    let order = serde_json::to_vec(job)?;
    let job: Job = serde_json::from_slice(&order)?;
    let report = workers.first().cloned().context("nothing was reported")?;
    let news = News::Done(Box::new(WorkerReport { worker: job.worker, ..report }));
    let message = serde_json::to_vec(&Word { run: 1, news })?;
    let word: Word = serde_json::from_slice(&message)?;
    let News::Done(report) = word.news else { anyhow::bail!("a report became something else") };
    let host = job.worker / EACH;
    let ahead_ns = i64::from(host) * 1_000;
    let look = Offset { at_ns: 0, offset_ns: ahead_ns, bound_ns: 100 };
    let look = if host == 0 { Offset::default() } else { look };
    let mut report = *report;
    for phase in &mut report.phases {
        phase.start_ns = phase.start_ns.saturating_add_signed(ahead_ns);
        phase.end_ns = phase.end_ns.saturating_add_signed(ahead_ns);
    }
    Ok(Part { report, clock: Clock::of(look, look), host: format!("host{host}") })
}

fn main() -> ExitCode {
    if let Some(status) = assay_program::hidden() {
        return status;
    }
    let mut arguments = env::args_os();
    let name = arguments.next();
    let Some(Ok(count)) = arguments.next().and_then(|word| word.to_str().map(str::parse)) else {
        return ExitCode::from(2);
    };
    assay_program::main_on(&Simulated(count), name.into_iter().chain(arguments))
}

//! Target runs: a target at one process count in one block, made afresh, its tests run one after the other, and
//! torn down. Of several, each test runs on all before the next one, side by side. What happens is reported event by
//! event, so that a target run can run here or in a virtual machine.

use super::{
    case::{self, CaseContext, CaseSlot},
    condition::{self, Condition},
    context::{Event, Events, EventsOf, RunContext, TargetRun, failure, jobs},
    own_disk,
    relay::{self, Relay, RelaySlot, Runner},
    run_end::RunEnd,
    transfer,
};
use crate::{
    machine::{memory, numa, processors, reserve},
    stages::Item,
};
use anyhow::{Context, Result};
use lab::instance::Instance;
use model::{result::known, text::Bytes};
use std::{cell::Cell, sync::atomic::Ordering, time::Duration};
use workers::{Pool, TimeSharing};

/// Runs `target_runs`, which are at one process count: all their targets are made, then each test runs on all of
/// them, then all are torn down. Where there are several, each has a thread of its own and they take turns on the
/// machine. A target that fails is reported as an event, and the others continue; an error is about this machine, or
/// about what could not be torn down.
pub fn run(
    context: &RunContext<'_>,
    target_runs: &[TargetRun<'_>],
    report: &mut EventsOf<'_>,
) -> Result<RunEnd> {
    let Some(first) = target_runs.first() else { return Ok(RunEnd::Done) };
    if let [target_run] = target_runs {
        return run_one(context, target_run, &Relay::of(1, (0, 0)).slot(0), &mut |event| {
            report(0, event)
        });
    }
    let run = |member: usize, slot: &RelaySlot<'_>, report: &mut Events<'_>| {
        run_one(context, &target_runs[member], slot, report)
    };
    relay::side_by_side(target_runs.len(), (context.seed, first.block), run, report)
}

/// Makes the target of `target_run`, runs its tests and undoes it, whatever happens, each when `slot` says so.
///
/// # Errors
/// As those of [`run`].
pub fn run_one(
    context: &RunContext<'_>,
    target_run: &TargetRun<'_>,
    slot: &RelaySlot<'_>,
    report: &mut Events<'_>,
) -> Result<RunEnd> {
    slot.at(target_run.procs, 0).prepare();
    if !context.placed.needs_instances() {
        return own_disk::run(context, target_run, report);
    }
    let mut made = match MadeTarget::make(context, target_run, report)? {
        Made::Target(one) => one,
        Made::Failed => return Ok(RunEnd::Done),
        Made::Stopped => return Ok(RunEnd::Stopped),
    };
    let ended = run_tests(context, &mut made, slot, report);
    let done = matches!(ended, Ok(RunEnd::Done));
    if done {
        // Undoing one has the machine busy while others are measured.
        slot.at(target_run.procs, u32::MAX).prepare();
    }
    let torn_down = made.finish(done, report);
    let ended = ended?;
    torn_down?;
    Ok(ended)
}

fn run_tests(
    context: &RunContext<'_>,
    made: &mut MadeTarget<'_>,
    slot: &RelaySlot<'_>,
    report: &mut Events<'_>,
) -> Result<RunEnd> {
    for (item, number) in context.placed.items_at(made.target_run.procs).zip(1..) {
        if made.run_test(item, slot.at(made.target_run.procs, number), report)? == RunEnd::Stopped {
            return Ok(RunEnd::Stopped);
        }
    }
    Ok(RunEnd::Done)
}

/// A target that was made, with what its tests need.
struct MadeTarget<'a> {
    context: RunContext<'a>,
    target_run: TargetRun<'a>,
    /// Ends before the instance, on which its workers are.
    pool: Box<dyn Pool + 'a>,
    instance: Instance<'a>,
    condition: Condition,
    memory: Bytes,
    /// Cases that are not over.
    left: u64,
}

/// The result of making a target.
enum Made<'a> {
    Target(Box<MadeTarget<'a>>),
    /// It was reported.
    Failed,
    Stopped,
}

impl<'a> MadeTarget<'a> {
    fn make(
        context: &RunContext<'a>,
        target_run: &TargetRun<'a>,
        report: &mut Events<'_>,
    ) -> Result<Made<'a>> {
        let stopped = || context.stop.load(Ordering::Relaxed);
        if stopped() {
            return Ok(Made::Stopped);
        }
        let (label, left) =
            (target_run.label, context.placed.items_at(target_run.procs).count() as u64);
        report(Event::Now(format!("{label} · being created {}", context.placed.plan.condition())))?;
        let (condition, instance) = match make(context, target_run) {
            Ok(made) => made,
            // A signal also reaches mkfs and mount; that is no failure of the target.
            Err(_) if stopped() => return Ok(Made::Stopped),
            Err(error) => {
                report(Event::Failed(failure(context, error, "")))?;
                report(Event::Done(left))?;
                return Ok(Made::Failed);
            }
        };
        let mut facts = instance.facts().clone();
        condition.describe(&mut facts);
        facts.0.extend(transfer::fact(context, target_run));
        let numa = numa::describe(context.placed.plan.numa)?;
        facts.0.extend(numa.map(|how| (numa::FACT.into(), how)));
        report(Event::Facts(facts))?;
        let memory = memory::total()?;
        let timeout = Duration::from_secs(context.placed.plan.case_timeout_s);
        let pool = context.hosts.pool(timeout, instance.user())?;
        let (context, target_run) = (*context, *target_run);
        Ok(Made::Target(Box::new(MadeTarget {
            context,
            target_run,
            instance,
            condition,
            pool,
            memory,
            left,
        })))
    }

    /// Runs one test, unless the target has failed.
    fn run_test(
        &mut self,
        item: &Item,
        runner: Runner<'_>,
        report: &mut Events<'_>,
    ) -> Result<RunEnd> {
        if self.left == 0 {
            return Ok(RunEnd::Done);
        }
        if item.test.makes_own_disk() {
            if item.test.is_clocked() {
                runner.timed(None).wait();
            }
            let ran = own_disk::run_item(&self.context, &self.target_run, item, report)?;
            self.left -= u64::from(ran == RunEnd::Done);
            return Ok(ran);
        }
        let (context, target_run, instance) = (&self.context, &self.target_run, &self.instance);
        let info = &item.test.infos()[0];
        report(Event::Now(format!(
            "{} · {} proc · {}",
            target_run.label, target_run.procs, info.name
        )))?;
        let mut jobs = jobs(context, item, target_run.procs, instance.root(), self.memory);
        processors::assign(item.test, &mut jobs, target_run.block);
        let steps = processors::steps(&jobs, target_run.block);
        numa::bind(context.placed.plan.numa, &mut jobs, steps)?;
        reserve::tell(&mut jobs, target_run.target.target())?;
        let TargetRun { block, position, label, .. } = *target_run;
        let slot = CaseSlot { block, position, label, suite: item.suite };
        let least_s = context.placed.plan.preset.least_s();
        let (hosts, stop) = (context.hosts, context.stop);
        let (pool, others) = (&*self.pool, Cell::default());
        let case_context = CaseContext { instance, pool, hosts, runner, least_s, others, stop };
        let mut once =
            |case_context: &CaseContext<'_>| case::run(item.test, &mut jobs, case_context, &slot);
        let samples = match target_run.retakes {
            Some(retakes) => retakes.run(case_context, &mut once),
            None => once(&case_context),
        };
        let mut samples = match samples {
            Ok(Some(samples)) => samples,
            Ok(None) => return Ok(RunEnd::Stopped),
            Err(_) if context.stop.load(Ordering::Relaxed) => return Ok(RunEnd::Stopped),
            Err(error) => {
                let why = instance.loss().map_or(error, Into::into);
                return self.fail(why, &info.id, report);
            }
        };
        self.condition.mark(&mut samples);
        if context.placed.exchanges_parts(target_run.target) {
            let part = target_run.part;
            case::mark(&mut samples, known::BACKING_PART, part);
        }
        samples.into_iter().try_for_each(|sample| report(Event::Sample(Box::new(sample))))?;
        report(Event::Done(1))?;
        self.left -= 1;
        // Workers that failed make samples invalid; when the target went away under them, it has failed.
        match self.instance.check() {
            Ok(()) => Ok(RunEnd::Done),
            Err(error) => self.fail(error.into(), &info.id, report),
        }
    }

    /// Tells that the target failed by `error`, during the test `at`, and cannot continue.
    fn fail(&mut self, error: anyhow::Error, at: &str, report: &mut Events<'_>) -> Result<RunEnd> {
        report(Event::Failed(failure(&self.context, error, at)))?;
        report(Event::Done(self.left))?;
        self.left = 0;
        Ok(RunEnd::Done)
    }

    /// Undoes it. When all its tests were run, `done`, its checker reads what they left.
    fn finish(self, done: bool, report: &mut Events<'_>) -> Result<()> {
        let label = self.target_run.label;
        drop(self.pool);
        let torn_down = self.instance.finish(self.target_run.last && done);
        let cost =
            torn_down.with_context(|| format!("cannot tear down {label}; run `assay cleanup`"))?;
        cost.map_or(Ok(()), |cost| report(Event::Cost(cost)))
    }
}

fn make<'a>(
    context: &RunContext<'a>,
    target_run: &TargetRun<'_>,
) -> Result<(Condition, Instance<'a>)> {
    let instance =
        context.lab.provision_on(target_run.part, target_run.target, target_run.label)?;
    let seed = (context.seed, target_run.block);
    let condition = condition::bring_about(&context.placed.plan, seed, &instance, context.stop)?;
    Ok((condition, instance))
}

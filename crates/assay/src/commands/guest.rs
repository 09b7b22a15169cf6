//! Runs inside a guest, as a hidden verb: does the task of a file, and writes events to another. The guest's disks are
//! scratch, and everything left behind is discarded with the guest.

use crate::exit::Exit;
use anyhow::{Context, Result};
use campaign::{
    guests::protocol::{REPORTS, Report, TASK, TargetRuns, Task, Work, call},
    messages::with_causes,
    run::{
        context::TargetRun,
        hosts::ThisHost,
        relay::{Relay, Step},
        retake::Retakes,
        target_run,
    },
    stages::{Amount, Ordered},
};
use lab::setup::Lab;
use model::target::Target;
use std::{
    env,
    fs::{self, File},
    io::Write,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

/// How often a guest that waits looks whether it is called.
const CALLS_SEEN_AFTER: Duration = Duration::from_millis(5);
/// Bytes that show that a file system can be written.
static TRIAL: [u8; 1 << 20] = [0x5a; 1 << 20];

/// Does the task in `dir`.
pub fn guest(dir: &Path) -> Result<Exit> {
    let path = dir.join(TASK);
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let task: Task = serde_json::from_slice(&text)?;
    let reporter = Reporter(Mutex::new(File::create(dir.join(REPORTS))?));
    let release = lab::guest::host().kernel;
    reporter.send(&Report::Kernel(release))?;
    let state = env::temp_dir().join("assay");
    let mut lab = Lab::open(&state, &task.campaign)?;
    lab.use_guest_disks(&task.disks)?;
    match task.work {
        Work::Try(targets) => {
            for (number, target) in targets.iter().enumerate() {
                let why = try_out(&lab, target).err().map(|error| with_causes(&error));
                reporter.send(&Report::Tried { target: number, why })?;
            }
        }
        Work::TargetRuns(target_runs) => run_all(&lab, *target_runs, &reporter, dir)?,
    }
    lab.close()?;
    Ok(Exit::Done)
}

/// Makes, writes and undoes `target`.
fn try_out(lab: &Lab, target: &Target) -> Result<()> {
    let instance = lab.provision(&::fs::resolve(target)?, "try")?;
    let path = instance.root().join("file");
    File::create(&path)
        .and_then(|mut file| file.write_all(&TRIAL).and_then(|()| file.sync_all()))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(instance.teardown()?)
}

fn run_all(lab: &Lab, target_runs: TargetRuns, reporter: &Reporter, dir: &Path) -> Result<()> {
    let (plan, unconfined) = (target_runs.plan.clone(), target_runs.unconfined);
    let notes = &crate::terminal::note;
    let amount = Amount { scale: target_runs.scale, sizes: plan.sizes.clone() };
    let ordered = Ordered::in_guest(plan, &target_runs.counts, unconfined, notes)?;
    let stop = AtomicBool::new(false);
    let context = ordered.context((lab, &ThisHost), (target_runs.seed, &amount), &stop);
    let target = &ordered.entrants.first().context("the task names no target")?.target;
    let calls = AtomicU32::new(0);
    let gate = |step: Step| {
        // Who cannot say that it waits is not called either; this side is ended then.
        let _ = reporter.send(&Report::Waits(step));
        let called = dir.join(call(calls.fetch_add(1, Ordering::Relaxed) + 1));
        while !called.exists() {
            thread::sleep(CALLS_SEEN_AFTER);
        }
    };
    let relay = if target_runs.gated { Relay::gated(&gate) } else { Relay::of(1, (0, 0)) };
    let slot = relay.slot(0);
    let retakes = Retakes::of(ordered.plan.preset);
    for &procs in &ordered.counts {
        let target_run = TargetRun {
            block: target_runs.block,
            position: target_runs.position,
            label: &target_runs.label,
            target,
            part: 0,
            procs,
            last: ordered.counts.last() == Some(&procs),
            retakes: retakes.as_ref(),
        };
        let ended = target_run::run_one(&context, &target_run, &slot, &mut |event| {
            reporter.send(&Report::TargetRun(procs, event))
        });
        ended?;
    }
    Ok(())
}

/// Writes lines that the other side reads as they come.
struct Reporter(Mutex<File>);

impl Reporter {
    fn send(&self, report: &Report) -> Result<()> {
        let mut line = serde_json::to_vec(report)?;
        line.push(b'\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).context("cannot report the result")
    }
}

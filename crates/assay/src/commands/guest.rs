//! The hidden verb of this program inside a guest: does the task of a file, and tells what happens in
//! another. The guest's disks hold nothing, and what is left behind is gone with the guest.

use crate::exit::Exit;
use anyhow::{Context, Result};
use campaign::{
    guest::{TASK, TOLD, Task, Told, Turns, Work, call},
    places::Place,
    prepare::Prepared,
    programs,
    relay::{Relay, Step},
    retake::Retakes,
    turn::{self, Stage, Turn},
};
use lab::Lab;
use model::{LabChoice, Plan, Target};
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
    let teller = Teller(Mutex::new(File::create(dir.join(TOLD))?));
    let state = env::temp_dir().join("assay");
    let mut lab = Lab::open(&state, &task.campaign)?;
    lab.use_guest_disks(&task.disks)?;
    match task.work {
        Work::Try(targets) => {
            for (number, target) in targets.iter().enumerate() {
                let why = try_out(&lab, target).err().map(|error| format!("{error:#}"));
                teller.tell(&Told::Tried { target: number, why })?;
            }
        }
        Work::Turns(turns) => run_turns(&lab, *turns, &teller, dir)?,
    }
    lab.close()?;
    Ok(Exit::Done)
}

/// Makes, writes and undoes `target`.
fn try_out(lab: &Lab, target: &Target) -> Result<()> {
    let instance = lab.provision(target, "try")?;
    let path = instance.root().join("file");
    File::create(&path)
        .and_then(|mut file| file.write_all(&TRIAL).and_then(|()| file.sync_all()))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(instance.teardown()?)
}

fn run_turns(lab: &Lab, turns: Turns, teller: &Teller, dir: &Path) -> Result<()> {
    let plan = Plan { lab: LabChoice::Host, ..turns.plan };
    let mut prepared = Prepared::new(plan, &crate::terminal::note)?;
    prepared.settle(vec![Place::Host])?;
    programs::decide(&mut prepared, turns.unconfined, &crate::terminal::note)?;
    prepared.set_counts(&turns.counts);
    let stop = AtomicBool::new(false);
    let stage =
        Stage { prepared: &prepared, lab, seed: turns.seed, scale: turns.scale, stop: &stop };
    let target = prepared.entrants.first().context("the task has no target")?;
    let calls = AtomicU32::new(0);
    let gate = |step: Step| {
        // Who cannot say that it waits is not called either; this side is ended then.
        let _ = teller.tell(&Told::Waits(step));
        let called = dir.join(call(calls.fetch_add(1, Ordering::Relaxed) + 1));
        while !called.exists() {
            thread::sleep(CALLS_SEEN_AFTER);
        }
    };
    let relay = if turns.gated { Relay::gated(&gate) } else { Relay::of(1, (0, 0)) };
    let seat = relay.seat(0);
    let retakes = Retakes::of(prepared.plan.preset);
    for &procs in &prepared.counts {
        let turn = Turn {
            block: turns.block,
            position: turns.position,
            label: &turns.label,
            target,
            part: 0,
            procs,
            last: prepared.counts.last() == Some(&procs),
            retakes: retakes.as_ref(),
        };
        let ended = turn::run_one(&stage, &turn, &seat, &mut |event| {
            teller.tell(&Told::Turn(procs, event))
        });
        ended?;
    }
    Ok(())
}

/// Writes lines that the other side reads as they come.
struct Teller(Mutex<File>);

impl Teller {
    fn tell(&self, told: &Told) -> Result<()> {
        let mut line = serde_json::to_vec(told)?;
        line.push(b'\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).context("cannot tell what happened")
    }
}

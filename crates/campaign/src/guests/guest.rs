//! Runs a target in a guest, and receives its samples. The guest runs this same program, which reads its task from a
//! file and writes events to another, line by line.

use super::{
    protocol::{REPORTS, Report, TASK, TargetRuns, Task, VERB, Work, call},
    reports::{RequestedRuns, plain},
};
use crate::{
    machine::memory,
    run::{
        context::{Event, RunContext},
        relay::RelaySlot,
    },
    stages::Placed,
};
use anyhow::{Context, Result};
use lab::{
    error::LabError,
    guest::{self, Guest, GuestExit, Machine, Shared},
    programs::artifacts,
    setup::Lab,
};
use model::{
    plan::{BackingPlan, Plan},
    target::TargetNames,
    text::Bytes,
    workload::{Programs, TestSize},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Duration,
};

/// Most bytes of a line that a guest reports, and of all of them: samples with their latencies have a few
/// hundred thousand.
const LINE_BYTES: usize = 16 << 20;
const MOST_BYTES: u64 = 1 << 30;
/// Most calls of a guest: each leaves a file, and no campaign has this many steps in a block.
const MOST_CALLS: u32 = 100_000;
/// How a guest is booted.
pub struct Boot<'a> {
    /// The guest.
    pub guest: &'a dyn Guest,
    /// Lab whose directory and journal it uses.
    pub lab: &'a Lab,
    /// Its disks.
    pub images: &'a [PathBuf],
    /// Files of the assets of its campaign.
    pub assets: &'a [PathBuf],
    /// Its slot, where several guests share the machine.
    pub slot: Option<&'a RelaySlot<'a>>,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// It is terminated after this time.
    pub timeout: Duration,
}

/// Runs one target, at every process count, of `context` in one boot of `guest`; `take` gets the events of each process
/// count. `of` is block, position in it, and number of the target. With a `slot` it shares the machine with
/// others, and each of its steps waits until it is called. With a `limit` it ends after this time.
///
/// # Errors
/// The guest failed, which is a [`LabError`], or `take` did.
pub fn run_target(
    context: &RunContext<'_>,
    guest: &dyn Guest,
    campaign: &str,
    of: (u32, u32, usize),
    (slot, limit): (Option<&RelaySlot<'_>>, Option<Duration>),
    take: &mut dyn FnMut(u32, Event) -> Result<()>,
) -> Result<GuestExit> {
    let (placed, lab, stop) = (context.placed, context.lab, context.stop);
    let case_s = placed.plan.case_timeout_s;
    let (block, position, target) = of;
    let together = if slot.is_some() { placed.guests() } else { 1 };
    // The others work while it waits.
    let target_runs = (placed.cases() + 1).saturating_mul(together as u64);
    let timeout = Duration::from_secs(case_s.saturating_mul(target_runs));
    let timeout = limit.map_or(timeout, |limit| limit.min(timeout));
    let images = placed.guest_images(context.seed, block, target);
    let images = lab.guest_images().get(images).unwrap_or_default();
    let files = placed.asset_files().into_iter().map(|asset| asset.path);
    // Two suites may need the same asset.
    let assets: Vec<PathBuf> = files.collect::<BTreeSet<_>>().into_iter().collect();
    let boot = Boot { guest, lab, images, assets: &assets, slot, stop, timeout };
    let asked = RequestedRuns::of(placed, &placed.entrants[target].label, block, position);
    let work = Work::TargetRuns(Box::new(TargetRuns {
        gated: slot.is_some(),
        ..TargetRuns::of(context, of)
    }));
    run(&boot, campaign, work, &mut |report| {
        let strange = |why| {
            let (guest, said) = (guest.venue().to_string(), "no usable event".into());
            LabError::Guest { guest, why, said }
        };
        let (procs, event) = asked.take(report).map_err(strange)?;
        take(procs, event)
    })
}

/// The plan of the guest of the entrant `target`, which is its only candidate: the others have neither names nor prices
/// in it. Its kernel is the one that runs there.
fn plan_of_one(placed: &Placed, target: usize, sizes: Vec<TestSize>) -> Plan {
    Plan {
        targets: vec![placed.entrants[target].target.target().clone().without_kernel()],
        names: TargetNames::new(),
        prices: BTreeMap::new(),
        kernel: None,
        sweeps: Vec::new(),
        aa: None,
        baseline: None,
        backing: BackingPlan::default(),
        sizes,
        ..placed.plan.clone()
    }
}

impl TargetRuns {
    fn of(context: &RunContext<'_>, (block, position, target): (u32, u32, usize)) -> TargetRuns {
        let placed: &Placed = context.placed;
        TargetRuns {
            plan: plan_of_one(placed, target, context.amount.sizes.clone()),
            unconfined: placed.programs == Programs::Unconfined,
            label: placed.entrants[target].label.clone(),
            block,
            position,
            seed: context.seed,
            scale: context.amount.scale,
            gated: false,
            counts: placed.counts_by_test(),
        }
    }
}

/// Boots a guest for `work` of `campaign` and passes on its reports as they arrive.
///
/// # Errors
/// The guest failed, which is a [`LabError`], or `take` did.
pub fn run(
    boot: &Boot<'_>,
    campaign: &str,
    work: Work,
    take: &mut dyn FnMut(Report) -> Result<()>,
) -> Result<GuestExit> {
    let dir = boot.lab.make_guest_dir()?;
    let ended = run_in(boot, campaign, work, &dir, take);
    boot.lab.remove_guest_dir(&dir)?;
    ended
}

fn run_in(
    boot: &Boot<'_>,
    campaign: &str,
    work: Work,
    dir: &Path,
    take: &mut dyn FnMut(Report) -> Result<()>,
) -> Result<GuestExit> {
    let disks = (0..boot.images.len()).map(|number| boot.guest.disk(number)).collect();
    let task = Task { campaign: campaign.into(), disks, work };
    // In a directory that this user keeps, so that the guest does not own its mark.
    let out = dir.join("out");
    fs::create_dir(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let shared = Shared::open(&out)?;
    shared.write(TASK, &serde_json::to_vec(&task)?)?;
    let machine = Machine {
        out,
        program: env::current_exe().context("cannot find this program")?,
        args: vec![VERB.into(), guest::OUT.into()],
        disks: boot.images.to_vec(),
        assets: boot.assets.to_vec(),
        cache: artifacts::dir(),
        memory: memory::of_guest(),
        timeout: boot.timeout,
    };
    let failed = |why: String| LabError::Guest {
        guest: boot.guest.venue().to_string(),
        why,
        said: guest::last_words(&shared),
    };
    let mut tail = Tail { out: &shared, read: 0 };
    let mut calls = 0;
    let mut kernel = KernelCheck::of(boot.guest);
    let ended = guest::run(boot.guest, &machine, boot.stop, &mut || {
        while let Some(lines) = tail.lines()? {
            for line in lines.lines() {
                let report = serde_json::from_str(line);
                let report =
                    report.map_err(|error| failed(format!("sent an invalid event: {error}")))?;
                let Some(report) = kernel.pass(report).map_err(&failed)? else { continue };
                match (report, boot.slot) {
                    (Report::Waits(_), Some(_)) if calls == MOST_CALLS => {
                        return Err(failed("waits more often than it has steps".into()).into());
                    }
                    (Report::Waits(step), Some(slot)) => {
                        settle(boot.images)?;
                        slot.wait(step);
                        calls += 1;
                        shared.write(&call(calls), b"")?;
                    }
                    (report, _) => take(report)?,
                }
            }
        }
        Ok::<(), anyhow::Error>(())
    })?;
    match ended {
        GuestExit::Exit(0) | GuestExit::Stopped => Ok(ended),
        GuestExit::Exit(status) => Err(failed(format!("ended with status {status}")).into()),
    }
}

/// Checks that a guest runs the kernel that it was booted with, before anything that it reports counts.
struct KernelCheck {
    booted: String,
    is_passed: bool,
}

impl KernelCheck {
    fn of(guest: &dyn Guest) -> KernelCheck {
        KernelCheck { booted: guest.venue().kernel, is_passed: false }
    }

    /// Returns `report`, unless it is the one with the right kernel.
    fn pass(&mut self, report: Report) -> Result<Option<Report>, String> {
        match report {
            Report::Kernel(release) if !self.is_passed && release == self.booted => {
                self.is_passed = true;
                Ok(None)
            }
            Report::Kernel(release) if !self.is_passed => {
                Err(format!("runs kernel {} instead of {}", plain(&release), self.booted))
            }
            report if self.is_passed => Ok(Some(report)),
            _ => Err("sent an event before the release of its kernel".into()),
        }
    }
}

/// Syncs the disks of a waiting guest, so that its writeback does not run while others work.
fn settle(images: &[PathBuf]) -> Result<(), LabError> {
    images.iter().try_for_each(|image| {
        let synced = fs::File::open(image).and_then(|file| file.sync_data());
        synced.map_err(LabError::io("sync", image))
    })
}

/// The complete lines that a guest reported, as they arrive.
struct Tail<'s> {
    out: &'s Shared,
    read: u64,
}

impl Tail<'_> {
    /// Returns the next complete lines, each with its end; `None` when there are none yet.
    fn lines(&mut self) -> Result<Option<String>, LabError> {
        let report = self.out.read(REPORTS, self.read, LINE_BYTES)?.unwrap_or_default();
        let whole = report.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.read += whole as u64;
        if self.read > MOST_BYTES || (whole == 0 && report.len() == LINE_BYTES) {
            return Err(LabError::TellsTooMuch {
                most: Bytes(MOST_BYTES),
                line: Bytes(LINE_BYTES as u64),
            });
        }
        Ok((whole > 0).then(|| String::from_utf8_lossy(&report[..whole]).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{stages::Ordered, testing};
    use model::target::Target;
    use std::{fs::File, io::Write, os::unix::fs::symlink};

    #[test]
    fn growing_file_is_read_by_whole_lines() {
        let dir = tempfile::tempdir().unwrap();
        let out = Shared::open(dir.path()).unwrap();
        let mut tail = Tail { out: &out, read: 0 };
        let mut next = || tail.lines().unwrap();
        assert_eq!(next(), None);
        let mut file = File::create(dir.path().join(REPORTS)).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(next().as_deref(), Some("one\n"));
        assert_eq!(next(), None);
        file.write_all(b"o\nthree\n").unwrap();
        assert_eq!(next().as_deref(), Some("two\nthree\n"));
        assert_eq!(next(), None);
    }

    #[test]
    fn guest_takes_its_plan_whatever_names_prices_and_kernels_targets_have() {
        let [old, new] = ["tmpfs@6.1", "tmpfs@6.12"].map(|text| text.parse().unwrap());
        let targets: Vec<Target> = vec![old, new];
        let names = ["old", "new"].map(String::from).into_iter().zip(targets.clone()).collect();
        let prices = [("old".to_string(), "0.08*500GB".parse().unwrap())].into();
        let named = Plan { targets, names, prices, ..Plan::default() };
        let (targets, kernel) = (vec![Target::named("tmpfs")], Some("/boot/vmlinuz".into()));
        let with_image = Plan { targets, kernel, ..Plan::default() };
        for (plan, count) in [(named, 2), (with_image, 1)] {
            let placed = testing::placed(plan);
            for at in 0..count {
                let plan = plan_of_one(&placed, at, Vec::new());
                let taken = Ordered::in_guest(plan, &placed.counts_by_test(), false, &|_| ());
                let taken = taken.map(|taken| taken.plan.targets.clone());
                assert_eq!(taken.map_err(|e| e.to_string()), Ok(vec![Target::named("tmpfs")]));
            }
        }
    }

    #[test]
    fn nothing_counts_before_the_kernel_is_the_right_one() {
        let check = || KernelCheck { booted: "6.12.48".into(), is_passed: false };
        let kernel = |release: &str| Report::Kernel(release.into());
        let tried = || Report::Tried { target: 0, why: None };
        let mut right = check();
        assert!(right.pass(kernel("6.12.48")).unwrap().is_none());
        assert!(matches!(right.pass(tried()), Ok(Some(Report::Tried { .. }))));
        let error = check().pass(kernel("6.12.4\x1b[2J")).unwrap_err();
        assert!(error.starts_with("runs kernel 6.12.4") && error.ends_with("instead of 6.12.48"));
        assert!(!error.contains('\x1b'), "{error:?}");
        assert!(check().pass(tried()).unwrap_err().contains("before the release"));
    }

    #[test]
    fn links_and_endless_lines_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (out, report) = (Shared::open(dir.path()).unwrap(), dir.path().join(REPORTS));
        let lines = || Tail { out: &out, read: 0 }.lines();
        fs::write(dir.path().join("precious"), "{}\n").unwrap();
        symlink("precious", &report).unwrap();
        assert!(lines().is_err());
        fs::remove_file(&report).unwrap();
        File::create(&report).unwrap().set_len(LINE_BYTES as u64 + 1).unwrap();
        let error = lines().unwrap_err().to_string();
        assert!(error.contains("16.0 MiB"), "{error}");
    }
}

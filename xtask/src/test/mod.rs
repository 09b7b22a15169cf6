//! Runs the tests of the workspace: `cargo run -p xtask -- test quick`, `labs` or `all`.
//!
//! Units are a test binary, or a module of a binary of many (`MODULES`). They run in four lanes next to each other: in
//! two those of the program, in one those of the lab on real devices, as both mostly wait for disks, and in one those
//! that compute. A lane that is done helps with the last kind. Some come last, alone (`ALONE`). Every failure is shown;
//! at the end stand the time of each unit, and each skip with its reason. A skip for something that this machine has is
//! a failure.

mod binaries;
mod freezer;
mod report;
mod run;

use crate::root;
use anyhow::{Context, bail};
use binaries::Unit;
use freezer::Seed;
use run::Ran;
use std::{
    iter,
    process::ExitCode,
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Instant,
};

/// Which units are run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Tests that need no guest, have few kills, and end within minutes.
    Quick,
    /// The units of [`LABS`].
    Labs,
    /// Both.
    All,
}

/// Units that are left to `make test-labs`: guests, kills, whole suites on real file systems, what needs the whole
/// machine, long simulations.
/// `CRATE/BINARY`.
const LABS: &[&str] = &[
    "assay/e2e_labs",
    "campaign/applications",
    "campaign/crashes",
    "campaign/failing",
    "campaign/mirrors",
    "campaign/snapshots",
    "campaign/synced",
    "lab/guests",
    "lab/layers",
    "stats/coverage",
    "stats/simulation",
];

/// The unit that tries damaged inputs: for [`LONG`] seconds where the labs are run, else for its own ten.
const FUZZ: &str = "fuzz/damaged";
/// Given to it as `ASSAY_FUZZ_SECONDS`.
const LONG: &str = "20";

/// Long simulations among quick tests, each a unit of the labs: its binary, and with what the names of its tests
/// begin.
const LONG_TESTS: &[(&str, &str)] = &[
    ("report/words", "intervals::a_noisy_target_is_covered"),
    ("report/words", "intervals::the_one_ratio_of_a_campaign_that_ends"),
    ("stats/findings", "race::equal_candidates_stay_equal_in_a_race"),
    ("stats/lib", "kernel::significance::tests::"),
];

/// Units that look at what the whole machine does, and are run when nothing else is. Failed writes are among them, as
/// a sync(2) of another test reaches their disks, too.
const ALONE: &[&str] = &[
    "assay/e2e_labs::contention",
    "assay/e2e_labs::durability",
    "assay/e2e_labs::selftest",
    "assay/e2e_labs::side_by_side",
    "campaign/failing",
    "campaign/synced",
];

/// Quick units that run in real time: with the labs they run once more while their processes are frozen for
/// moments.
const FROZEN: &[&str] = &[
    "assay/e2e::failures",
    "assay/e2e::progress",
    "campaign/lib",
    "engine/lib",
    "lab/machine::writers",
    "workers/pool",
];

/// The unit that tests the freezer, which is never frozen: its process would be taken out of the group that it tests.
const UNFROZEN: &str = "xtask/main";

/// Binaries of which each module is a unit, run alone: its tests disturb those of others.
const MODULES: &[&str] = &["assay/e2e", "assay/e2e_labs", "lab/machine"];

/// Units with a lane of their own, by the beginnings of their names: the tests of the program from outside, and those
/// of the lab on devices.
const LANES: [&str; 2] = ["assay/e2e", "lab/machine::"];

/// Units of the program that measure nothing on the devices of this machine: they run in any lane.
const COMPUTING: &[&str] = &[
    "assay/e2e::advise",
    "assay/e2e::cells",
    "assay/e2e::data",
    "assay/e2e::digits",
    "assay/e2e::dist",
    "assay/e2e::durable",
    "assay/e2e::gate",
    "assay/e2e::imports",
    "assay/e2e::kubernetes",
    "assay/e2e::provenance",
    "assay/e2e::report_files",
    "assay/e2e::studies",
    "assay/e2e_labs::audit",
    "assay/e2e_labs::bare_root",
    "assay/e2e_labs::browser",
    "assay/e2e_labs::faults",
    "assay/e2e_labs::full_disk",
    "assay/e2e_labs::import_memory",
    "assay/e2e_labs::injected",
    "assay/e2e_labs::packages",
];

/// Runs what `args` ask for: a part, optionally `--freeze` or `--freeze=SEED`, and the beginning of units' names.
pub(crate) fn test(args: &[String]) -> anyhow::Result<ExitCode> {
    let (options, names): (Vec<&String>, Vec<&String>) =
        args.iter().partition(|arg| arg.starts_with("--"));
    let (part, named) = match names.split_first() {
        Some((part, named)) => (Part::of(part)?, named),
        None => bail!("name a part: quick, labs or all"),
    };
    let seed = options.into_iter().map(|option| seed(option)).next_back().transpose()?;
    if let Some(Seed(seed)) = seed {
        report::note(&format!("Processes are frozen for moments; again by --freeze={seed}"));
    }
    let start = Instant::now();
    let binaries = binaries::build(&root()).context("build the tests")?;
    let built = start.elapsed();
    let units = binaries::units(&binaries, MODULES, LONG_TESTS)?;
    if let Some(stray) = LABS
        .iter()
        .chain(ALONE)
        .chain(FROZEN)
        .chain(COMPUTING)
        .chain([&FUZZ, &UNFROZEN])
        .find(|name| !units.iter().any(|unit| unit.is_of(name)))
    {
        bail!("`{stray}` in xtask/src/test/mod.rs is no test binary any more");
    }
    let is_asked =
        |name: &str| named.is_empty() || named.iter().any(|n| name.starts_with(n.as_str()));
    let is_labs = |unit: &Unit| unit.is_long || LABS.iter().any(|name| unit.is_of(name));
    let is_fuzz = |unit: &Unit| unit.is_of(FUZZ);
    // Where a seed is given all are frozen anyway.
    let is_frozen =
        |unit: &Unit| part != Part::Quick && seed.is_none() && FROZEN.contains(&unit.name.as_str());
    let is_part = |unit: &Unit| match part {
        Part::Quick => !is_labs(unit),
        Part::Labs => is_labs(unit) || is_fuzz(unit),
        Part::All => true,
    };
    let runs = |unit: &Unit| is_part(unit) || is_frozen(unit);
    if !named.is_empty() && !units.iter().any(|unit| runs(unit) && is_asked(&unit.name)) {
        bail!(
            "no unit of this part begins with {}",
            named.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" or ")
        );
    }
    let asked = units.iter().filter(|unit| is_part(unit) && is_asked(&unit.name));
    let is_alone = |unit: &&Unit| ALONE.contains(&unit.name.as_str());
    let (alone, others): (Vec<_>, Vec<_>) = asked.partition(is_alone);
    let lanes = LANES.map(|name| in_lane(&others, name));
    let common = others.iter().copied().filter(|unit| lane(unit).is_none()).collect();
    let env = |unit: &Unit| {
        (part != Part::Quick && is_fuzz(unit)).then_some(("ASSAY_FUZZ_SECONDS", LONG))
    };
    let start = Instant::now();
    let run = |unit: &Unit| run::run(unit, env(unit), seed.filter(|_| unit.name != UNFROZEN));
    let [program, lab] = lanes;
    let [first, second] =
        [0, 1].map(|from| program.iter().skip(from).step_by(2).copied().collect());
    let mut ran = in_lanes(&[first, second, lab, Vec::new()], common, run)?;
    ran.extend(in_lanes(&[alone], Vec::new(), run)?);
    let frozen: Vec<&Unit> =
        units.iter().filter(|unit| is_frozen(unit) && is_asked(&unit.name)).collect();
    ran.extend(run_frozen(frozen)?);
    Ok(if report::end(&ran, built, start.elapsed()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs `units` with processes frozen by a drawn seed; says why not where this machine cannot freeze.
fn run_frozen(units: Vec<&Unit>) -> anyhow::Result<Vec<Ran>> {
    if units.is_empty() {
        return Ok(Vec::new());
    }
    if let Err(why) = freezer::try_out() {
        report::note(&format!("skipped: {} units with frozen processes: {why:#}", units.len()));
        return Ok(Vec::new());
    }
    let seed = Seed(std::process::id().into());
    report::note(&format!("Processes are frozen for moments; again by quick --freeze={}", seed.0));
    in_lanes(&[units], Vec::new(), |unit| run::run(unit, None, Some(seed)))
}

/// The lane that `unit` must be run in, as it works on devices; `None` if any will do.
fn lane(unit: &Unit) -> Option<&'static str> {
    let own = LANES.into_iter().find(|name| unit.name.starts_with(name));
    own.filter(|_| !COMPUTING.contains(&unit.name.as_str()))
}

/// Those of `units` that are run in the lane `name`.
fn in_lane<'a>(units: &[&'a Unit], name: &str) -> Vec<&'a Unit> {
    units.iter().copied().filter(|unit| lane(unit) == Some(name)).collect()
}

/// Runs each unit of each of `lanes` in its lane, and those in `common` in the lane that is free first. Lanes run
/// next to each other.
fn in_lanes(
    lanes: &[Vec<&Unit>],
    common: Vec<&Unit>,
    run: impl Fn(&Unit) -> anyhow::Result<Ran> + Sync,
) -> anyhow::Result<Vec<Ran>> {
    let (run, (sender, ended)) = (&run, mpsc::channel());
    let common = Mutex::new(common.into_iter());
    let next = || common.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for lane in lanes {
            let sender = sender.clone();
            let all = lane.iter().copied().chain(iter::from_fn(next));
            scope.spawn(move || all.for_each(|unit| _ = sender.send(run(unit))));
        }
        drop(sender);
        let said = |ran: anyhow::Result<Ran>| ran.inspect(report::line);
        ended.iter().map(said).collect()
    })
}

/// The seed of `--freeze`, which is drawn where it has none.
fn seed(option: &str) -> anyhow::Result<Seed> {
    let drawn = || std::process::id().into();
    match option.strip_prefix("--freeze") {
        Some("") => Ok(Seed(drawn())),
        Some(given) if given.starts_with('=') => {
            Ok(Seed(given[1..].parse().with_context(|| format!("{option} has no number"))?))
        }
        _ => bail!("unknown option {option}; the only one is --freeze or --freeze=SEED"),
    }
}

impl Part {
    fn of(name: &str) -> anyhow::Result<Part> {
        Ok(match name {
            "quick" => Part::Quick,
            "labs" => Part::Labs,
            "all" => Part::All,
            _ => bail!("`{name}` is no part of the tests; name quick, labs or all"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_is_given_or_drawn() {
        assert_eq!(seed("--freeze=7").unwrap(), Seed(7));
        assert!(seed("--freeze").is_ok());
        for wrong in ["--freeze=", "--freeze=x", "--frozen", "--fast"] {
            assert!(seed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_part_is_named() {
        assert!(Part::of("quick").is_ok());
        assert!(Part::of("slow").is_err());
    }

    #[test]
    fn every_unit_of_every_lane_is_run() {
        let names = ["a", "b", "c", "d", "e"];
        let units = names.map(Unit::stub);
        let lanes = [vec![&units[0], &units[1]], vec![&units[2]]];
        let common = || vec![&units[3], &units[4]];
        let ran = in_lanes(&lanes, common(), |unit| Ok(Ran::stub(&unit.name))).unwrap();
        let mut found: Vec<&str> = ran.iter().map(|ran| ran.name.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, names);
        assert!(in_lanes(&lanes, common(), |_| anyhow::bail!("it cannot be started")).is_err());
    }

    #[test]
    fn units_on_devices_have_a_lane_and_those_that_compute_have_none() {
        let lane_of = |name| lane(&Unit::stub(name));
        assert_eq!(lane_of("assay/e2e::mirror"), Some("assay/e2e"));
        assert_eq!(lane_of("assay/e2e_labs::suites"), Some("assay/e2e"));
        assert_eq!(lane_of("lab/machine::fuse"), Some("lab/machine::"));
        assert_eq!(lane_of("lab/lib"), None);
        assert_eq!(lane_of("assay/e2e::gate"), None);
        assert_eq!(lane_of("assay/e2e_labs::packages"), None);
    }
}

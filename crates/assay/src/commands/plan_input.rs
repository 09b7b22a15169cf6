//! Builds the plan of `plan` and `run`: from a file or an earlier campaign, overridden by arguments. No file can
//! consent to the destruction of a disk, or pass an unknown option to a program.

use super::{objects, shipped, slips, workload};
use crate::{
    cli::{self, PlanArgs},
    exit, repeat,
};
use anyhow::{Context, Result};
use campaign::{inputs::file, stages::Asked};
use model::{
    plan::Plan,
    target::{Sweep, SweepMode, Swept, Target},
    text::{did_you_mean, line_at},
};
use std::{collections::BTreeMap, path::Path};

/// What the arguments ask for; a campaign of `store` is what `--like` names.
pub fn asked(args: &PlanArgs, store: &Path, state: &Path) -> Result<Asked> {
    let file = args.plan_file().map_err(exit::usage)?;
    let Some(like) = &args.like else {
        let plan = from_args(args)?;
        let named = named(&plan, args)?;
        return Ok(Asked::by_file(plan, file.map(Path::to_path_buf), named));
    };
    // Its mark says that it was begun here, and so checked.
    Ok(Asked::by_user(overridden(repeat::plan(like, store, state)?, args)?))
}

/// The targets of `plan` that the command line names itself, by --on or --sweep.
fn named(plan: &Plan, args: &PlanArgs) -> Result<Vec<Target>> {
    let mut named = if args.candidates().is_empty() { Vec::new() } else { plan.targets.clone() };
    if !args.sweep.is_empty() {
        for sweep in &plan.sweeps {
            let swept = lab::plan::sweep(&sweep.on, sweep.mode);
            named.extend(swept.map_err(|error| exit::usage(error.to_string()))?.variants);
        }
    }
    Ok(named)
}

/// The plan of a file, overridden by arguments.
pub fn from_args(args: &PlanArgs) -> Result<Plan> {
    let plan = match args.plan_file().map_err(exit::usage)? {
        Some(path) => from_file(path)?,
        None => Plan::default(),
    };
    overridden(plan, args)
}

fn overridden(mut plan: Plan, args: &PlanArgs) -> Result<Plan> {
    let candidates = args.candidates();
    if args.like.is_some() && !candidates.is_empty() {
        (plan.sweeps, plan.baseline) = (Vec::new(), None);
    }
    if !candidates.is_empty() {
        let asked = cli::candidates(&candidates).map_err(exit::usage)?;
        plan.names.extend(asked.names);
        plan.names.retain(|_, target| asked.targets.contains(target));
        plan.targets = asked.targets;
        plan.prices.clear();
    }
    plan.prices.extend(args.price.iter().cloned());
    set_names(&mut plan, args);
    set_sweeps(&mut plan, args);
    if !args.tests.is_empty() {
        plan.tests.clone_from(&args.tests);
    }
    if !args.suite.is_empty() {
        plan.suites.clone_from(&args.suite);
    }
    if !args.procs.is_empty() {
        plan.procs.clone_from(&args.procs);
    }
    set(&mut plan.threads, &args.threads);
    set(&mut plan.preset, &args.preset);
    if let Some(profile) = &args.profile {
        (plan.suites, plan.tests) = workload::of(&shipped::profile(profile)?, plan.preset)?;
    }
    set(&mut plan.scale, &args.scale);
    if args.scale.is_some() {
        plan.sizes.clear();
    }
    set(&mut plan.case_timeout_s, &args.case_timeout);
    set(&mut plan.lab, &args.lab);
    set(&mut plan.numa, &args.numa);
    if args.like.is_some() && plan.targets.len() == 1 {
        // What was side by side now runs alone.
        plan.order = None;
    }
    plan.order = args.order.or(plan.order);
    plan.kernel = args.kernel.clone().or(plan.kernel);
    set_extent(&mut plan, args);
    plan.seed = args.seed.or(plan.seed);
    if let Some(data) = &args.data {
        plan.data = data.kind(plan.seed.unwrap_or_default())?;
    }
    plan.age = args.age.or(plan.age);
    plan.fullness = args.fullness.or(plan.fullness);
    plan.baseline = args.baseline.clone().or(plan.baseline);
    args.backing.apply(&mut plan.backing);
    slips::check(&plan)?;
    objects::place(&mut plan)?;
    for knob in &args.knob {
        let (key, value) = knob.split_once('=').ok_or_else(|| {
            exit::usage(format!(
                "`--knob {knob}` has no value; expected \
                                                KEY=VALUE"
            ))
        })?;
        plan.knobs.insert(key.into(), value.into());
    }
    let of_replays = [("pace", &args.pace), ("window", &args.window)];
    for (key, value) in
        of_replays.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)))
    {
        plan.knobs.insert(key.into(), value.clone());
    }
    Ok(plan)
}

/// Name and tags, which are of one campaign and never of another like it.
fn set_names(plan: &mut Plan, args: &PlanArgs) {
    if args.like.is_some() {
        (plan.name, plan.tags) = (None, BTreeMap::new());
    }
    plan.name = args.name.clone().or(plan.name.take());
    plan.tags.extend(args.tag.iter().cloned());
}

/// The sweeps of the arguments in the place of the file's, and how their values are put together.
fn set_sweeps(plan: &mut Plan, args: &PlanArgs) {
    if !args.sweep.is_empty() {
        let sweep = |on: &Swept| Sweep::new(on.clone(), SweepMode::default());
        plan.sweeps = args.sweep.iter().map(sweep).collect();
    }
    if let Some(mode) = args.sweep_mode {
        plan.sweeps.iter_mut().for_each(|sweep| sweep.mode = mode);
    }
}

/// Number of blocks, time for them, and the A/A pair. An argument for one of the first two overrides
/// either of the file.
fn set_extent(plan: &mut Plan, args: &PlanArgs) {
    if args.blocks.is_some() || args.budget.is_some() {
        (plan.blocks, plan.budget_s) = (args.blocks, args.budget);
    }
    let by_argument = match (args.aa, args.no_aa) {
        (false, false) => None,
        (aa, _) => Some(aa),
    };
    plan.aa = Some(by_argument.or(plan.aa).unwrap_or(plan.preset.is_evidence()));
}

fn set<T: Clone>(place: &mut T, given: &Option<T>) {
    if let Some(value) = given {
        place.clone_from(value);
    }
}

/// Refuses what assay itself fills in when a campaign begins: a file that brings it would have candidates, suites or
/// looks that were not requested.
fn check_filled_in(plan: &Plan) -> Result<(), String> {
    let swept = plan.sweeps.iter();
    let filled = [
        ("variants", swept.clone().any(|sweep| !sweep.variants.is_empty())),
        ("left_out", swept.clone().any(|sweep| !sweep.left_out.is_empty())),
        ("files", !plan.files.is_empty()),
        ("assets", !plan.assets.is_empty()),
        ("looked_at", !plan.looked_at.is_empty()),
        ("made", plan.backing.made.is_some()),
    ];
    match filled.iter().find(|(_, is_filled)| *is_filled) {
        None => Ok(()),
        Some((key, _)) => Err(format!(
            "`{key}` cannot be set in a plan file, because assay fills it in when a campaign \
             starts; remove it"
        )),
    }
}

/// Characters that are shown of a line that cannot be read.
const MOST_SHOWN: usize = 60;

fn from_file(path: &Path) -> Result<Plan> {
    let text = file::text(path).with_context(|| {
        format!("cannot read the plan {} (to choose targets, use --on)", path.display())
    })?;
    from_text(&text, path)
}

/// The plan that `text`, which was read from `path`, holds.
pub fn from_text(text: &str, path: &Path) -> Result<Plan> {
    refuse_consent(text, path)?;
    let plan: Plan = toml::from_str(text).map_err(|error| {
        let line = line_at(text, error.span());
        let why = plain(error.message());
        let said = text.lines().nth(line - 1).unwrap_or_default().trim();
        let said: String = said.chars().take(MOST_SHOWN).collect();
        exit::usage(format!("{}:{line}: `{said}`: {why}", path.display()))
    })?;
    check_filled_in(&plan).map_err(|why| exit::usage(format!("{}: {why}", path.display())))?;
    Ok(plan)
}

/// What the reader of TOML says, in the words of who writes it, with the name that may be meant.
fn plain(why: &str) -> String {
    let quoted: Vec<&str> = why.split('`').skip(1).step_by(2).collect();
    let meant = match quoted.split_first() {
        Some((name, known)) if why.starts_with("unknown") => {
            did_you_mean(name, known.iter().copied())
        }
        _ => String::new(),
    };
    let words = [
        ("\n", " "),
        ("expected a sequence", "expected a list in brackets"),
        ("expected a string", "expected text in quotes"),
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        (", expected one of", &format!("{meant}, expected one of")),
    ];
    words.iter().fold(why.to_string(), |said, (theirs, ours)| said.replace(theirs, ours))
}

/// The author of the file cannot give up the disks of this machine.
fn refuse_consent(text: &str, path: &Path) -> Result<()> {
    let Ok(plan) = text.parse::<toml::Table>() else { return Ok(()) };
    let backing = plan.get("backing").and_then(|backing| backing.as_table());
    let given = ["destroy", "wipe_signature", "wipe_signatures", "wipe-signature"]
        .into_iter()
        .find(|key| backing.is_some_and(|backing| backing.contains_key(*key)));
    if backing.is_some_and(|backing| backing.contains_key("object_store")) {
        return Err(exit::usage(format!(
            "{}: a plan file cannot choose the object store that receives your keys; remove \
             `object_store`, and pass --s3-endpoint URL on the command line",
            path.display()
        )));
    }
    given.map_or(Ok(()), |key| {
        Err(exit::usage(format!(
            "{}: a plan file cannot consent to erasing a disk; remove `{key}`, and pass --destroy \
             SERIAL or --wipe-signature TYPE on the command line",
            path.display()
        )))
    })
}

#[cfg(test)]
mod tests;

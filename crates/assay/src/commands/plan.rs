//! `assay plan`: what a run would do, without doing it; and the reading of plans for `run`.

use super::run;
use crate::{
    campaign::{
        prepare::{self, Prepared},
        schedule,
        sizing::{self, Load, Pilot},
    },
    cli::{self, PlanArgs},
    exit::{self, Exit},
    terminal,
};
use anyhow::{Context, Result};
use model::{Bytes, Plan};
use std::{fmt::Write, fs, path::Path};

/// Prints cases, commands, bytes and time.
pub fn plan(args: &PlanArgs, state: &Path) -> Result<Exit> {
    let prepared = Prepared::new(from_args(args)?)?;
    let work = run::work_dir(&prepared, state);
    let pilot = sizing::pilot(&work)?;
    let scale = run::choose_scale(&prepared, &work, || Ok(pilot))?;
    let load = Load::of(&prepared, scale, prepare::memory()?);
    let mut text = cases(&prepared, scale)?;
    text += &commands(&prepared)?;
    text += &cost(&prepared, &load, &pilot, &work)?;
    terminal::out(&text);
    Ok(Exit::Done)
}

fn cases(prepared: &Prepared, scale: f64) -> Result<String> {
    let plan = &prepared.plan;
    let mut text = String::new();
    let counts: Vec<String> = prepared.counts.iter().map(ToString::to_string).collect();
    writeln!(
        text,
        "suite {} · scale {scale} · {} processes",
        plan.suites.join(", "),
        counts.join(", ")
    )?;
    for block in 0..plan.block_count() {
        let seed = plan.seed.unwrap_or_default();
        let order = schedule::block_order(prepared.labels.len(), seed, block);
        let order: Vec<&str> = order.iter().map(|&t| prepared.labels[t].as_str()).collect();
        let note =
            if plan.seed.is_none() { " (order is drawn anew with each run's seed)" } else { "" };
        writeln!(text, "block {}: {}{note}", block + 1, order.join(", "))?;
    }
    writeln!(text, "\ntests, each for every target and process count")?;
    for info in prepared.infos() {
        writeln!(text, "  {:<42} {}", info.id, info.name)?;
    }
    Ok(text)
}

fn commands(prepared: &Prepared) -> Result<String> {
    let mut text = String::new();
    for (label, target) in prepared.labels.iter().zip(&prepared.plan.targets) {
        writeln!(text, "\n{label}")?;
        for command in lab::plan(target, Path::new("IMAGE"), Path::new("MOUNT"))? {
            writeln!(text, "  {command}")?;
        }
    }
    Ok(text)
}

fn cost(prepared: &Prepared, load: &Load, pilot: &Pilot, work: &Path) -> Result<String> {
    let plan = &prepared.plan;
    let turns = prepared.labels.len() as u64 * u64::from(plan.block_count());
    let mut text = String::new();
    writeln!(
        text,
        "\n{} cases · {} written · {} read · about {} · {} free in {}",
        load.cases * turns,
        Bytes(load.write_bytes * turns),
        Bytes(load.read_bytes * turns),
        humantime::format_duration(std::time::Duration::from_secs(
            (load.seconds(pilot) * turns as f64) as u64
        )),
        Bytes(sizing::free_bytes(work)?),
        work.display()
    )?;
    if prepared.needs_image() {
        writeln!(text, "loop image {}", plan.backing.size.unwrap_or_else(|| load.image_bytes()))?;
    }
    for cv in [0.02, 0.05, 0.10] {
        match stats::half_width(cv, plan.block_count()) {
            Some(half) => writeln!(
                text,
                "expected half-width of a ratio's 95 % interval at {:.0} % noise: {:.0} %",
                cv * 100.0,
                half * 100.0
            )?,
            None => return Ok(text + "one block: no interval, every verdict will be unclear\n"),
        }
    }
    Ok(text)
}

/// The plan of a file, overridden by arguments.
pub fn from_args(args: &PlanArgs) -> Result<Plan> {
    let mut plan = match &args.plan {
        Some(path) => from_file(path)?,
        None => Plan::default(),
    };
    if !args.on.is_empty() {
        plan.targets = cli::targets(&args.on).map_err(|e| exit::usage(e.to_string()))?;
    }
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
    set(&mut plan.scale, &args.scale);
    set(&mut plan.data, &args.data);
    set(&mut plan.case_timeout_s, &args.case_timeout);
    plan.blocks = args.blocks.or(plan.blocks);
    plan.seed = args.seed.or(plan.seed);
    plan.baseline = args.baseline.clone().or(plan.baseline);
    plan.backing.dir = args.image_dir.clone().or(plan.backing.dir);
    plan.backing.size = args.image_size.or(plan.backing.size);
    for knob in &args.knob {
        let (key, value) = knob
            .split_once('=')
            .ok_or_else(|| exit::usage(format!("`--knob {knob}` has no value; write KEY=VALUE")))?;
        plan.knobs.insert(key.into(), value.into());
    }
    Ok(plan)
}

fn set<T: Clone>(place: &mut T, given: &Option<T>) {
    if let Some(value) = given {
        place.clone_from(value);
    }
}

fn from_file(path: &Path) -> Result<Plan> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("cannot read the plan {}", path.display()))?;
    toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let why = error.message().replace('\n', " ");
        exit::usage(format!("{}:{line}: {why}", path.display()))
    })
}

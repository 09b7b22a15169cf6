//! `assay check`: checks whether targets meet latency limits that a project states, or that the user gives.

use super::{plan_input, run, shipped};
use crate::{
    checks::Check,
    cli::{CheckArgs, CheckFormat, PlanArgs},
    exit::{self, Exit},
    source, terminal,
};
use ::report::words::{self, CheckedCampaign};
use anyhow::Result;
use campaign::{
    run::hosts::Hosts,
    stages::{Asked, Resolved},
};
use model::{
    figure::LatencyLimit,
    plan::{Plan, Scale},
    result::{CampaignState, Dataset},
    text::pattern_meant,
};
use stats::advice::{AskedLimit, LimitOutcome, limits};
use std::{path::Path, sync::atomic::AtomicBool};
use wildmatch::WildMatch;

/// What a limit of the command line has as its source.
const OWN: &str = "--require";
/// Blocks where no check says how many.
const BLOCKS: u32 = 5;

/// Measures, or takes a stored campaign, and judges it.
pub fn check(args: &CheckArgs, store: &Path, state: &Path, hosts: &dyn Hosts) -> Result<Exit> {
    let check = args.check.as_deref().map(shipped::check).transpose()?;
    let own = own_limits(&args.require, check.as_ref())?;
    let asked = match &check {
        Some(check) => check.asked(&own)?,
        None if own.is_empty() => return Err(exit::usage(nothing_asked())),
        None => own,
    };
    let id = match &args.of {
        Some(id) => id.clone(),
        None => measure(args, check.as_ref(), &asked, (store, state), hosts)?,
    };
    let dataset = source::dataset(&id, store)?;
    if dataset.campaign.state == CampaignState::Open {
        terminal::note(&format!(
            "{} is not finished; this judges the blocks that it has",
            dataset.campaign.id
        ));
    }
    judged(args, check.as_ref(), &asked, (&dataset, source::block_s(&dataset, store)?))
}

fn nothing_asked() -> String {
    format!(
        "name a check ({}), or give limits, e.g. --require 'oltp.log.4k.fsync p99 < 10ms'",
        shipped::check_names().join(", ")
    )
}

/// The limits that the user gives: `TEST LIMIT`, or of a check with a name the limit alone.
fn own_limits(texts: &[String], check: Option<&Check>) -> Result<Vec<AskedLimit>> {
    let all = match check {
        Some(check) => check.ids()?,
        None => known_ids(),
    };
    let mut asked = Vec::new();
    for text in texts {
        let (test, limit) = match (text.trim().split_once(char::is_whitespace), check) {
            (_, Some(_)) if text.parse::<LatencyLimit>().is_ok() => ("*", text.as_str()),
            (Some((test, limit)), _) => (test, limit.trim()),
            (None, _) => (text.as_str(), ""),
        };
        let limit: LatencyLimit = limit.parse().map_err(|why: String| {
            exit::usage(format!("--require '{text}': {why}; write TEST LIMIT"))
        })?;
        let glob = WildMatch::new(test);
        if !all.iter().any(|id| glob.matches(id)) {
            let meant = meant(test, &all);
            let which = match check {
                Some(check) => format!("check {} has {}", check.check.name, all.join(", ")),
                None => "`assay explain SUITE` lists the tests of a suite".into(),
            };
            return Err(exit::usage(format!(
                "--require: no test matches `{test}`{meant}; {which}"
            )));
        }
        asked.push(AskedLimit { test: test.into(), limit: Some(limit), source: OWN.into() });
    }
    Ok(asked)
}

/// For a message about `test`, which no id of `all` fits: the one that is nearly so, or has its parts and others.
fn meant(test: &str, all: &[String]) -> String {
    let near = pattern_meant(test, all.to_vec());
    let has_parts = |id: &&String| {
        let mut own = id.split('.');
        test.split('.').all(|part| own.any(|own| own == part))
    };
    match all.iter().find(has_parts) {
        Some(id) if near.is_empty() => format!(" (did you mean `{id}`?)"),
        _ => near,
    }
}

fn known_ids() -> Vec<String> {
    suites::suites().iter().flat_map(|suite| suite.ids()).collect()
}

/// The id of a new campaign of what is `asked`.
fn measure(
    args: &CheckArgs,
    check: Option<&Check>,
    asked: &[AskedLimit],
    (store, state): (&Path, &Path),
    hosts: &dyn Hosts,
) -> Result<String> {
    if args.on.is_empty() {
        return Err(exit::usage(
            "name what to check with --on: the directory where the data will be, e.g. --on dir:/var/lib, or a file \
             system, e.g. --on ext4",
        ));
    }
    if hosts.most_workers().is_some() {
        return Err(exit::usage(
            "a check measures one machine; run it on each host without mpirun",
        ));
    }
    terminal::notes_for(args.progress());
    if let (Some(check), true) = (check, asked.iter().any(|asked| asked.limit.is_none())) {
        terminal::note(&format!(
            "{} states no limit, so this check cannot pass; give one, e.g. --require 'p99 < 10ms'",
            check.check.name
        ));
    }
    let (plan, named) = plan(args, check, asked)?;
    let never = AtomicBool::new(false);
    let asked = Asked::by_file(plan, None, named);
    let resolved = Resolved::until(&never, asked, &terminal::note)?;
    let (_, id) =
        run::of_resolved(resolved, run::RunSettings::of_check(args), (store, state), hosts)?;
    Ok(id)
}

/// The plan of a check: its own suite, or the tests that limits name, in full.
fn plan(
    args: &CheckArgs,
    check: Option<&Check>,
    asked: &[AskedLimit],
) -> Result<(Plan, Vec<model::target::Target>)> {
    let globs: Vec<WildMatch> = asked.iter().map(|asked| WildMatch::new(&asked.test)).collect();
    let is_asked = |id: &str| globs.iter().any(|glob| glob.matches(id));
    let mut given = PlanArgs {
        on: args.on.clone(),
        name: args.name.clone(),
        tag: args.tag.clone(),
        procs: args.procs.clone(),
        blocks: Some(args.blocks.unwrap_or_else(|| check.map_or(BLOCKS, |c| c.check.blocks))),
        seed: args.seed,
        knob: args.knob.clone(),
        // Tests that are sized for a ratio are too short for a 99th percentile.
        scale: Some(args.scale.unwrap_or(Scale::Factor(1.0))),
        backing: args.backing.clone(),
        programs: args.programs,
        no_aa: true,
        ..PlanArgs::default()
    };
    match check {
        Some(check) => {
            given.suite = vec![check.suite_file()];
            given.tests = check.ids()?.into_iter().filter(|id| is_asked(id)).collect();
        }
        None => {
            for suite in suites::suites() {
                let own: Vec<String> = suite.ids().filter(|id| is_asked(id)).collect();
                if !own.is_empty() {
                    given.suite.push(suite.name.to_string());
                    given.tests.extend(own);
                }
            }
        }
    }
    let mut plan = plan_input::from_args(&given)?;
    if let Some(check) = check {
        plan.files.insert(check.suite_file(), check.suite_text()?);
    }
    let named = plan.targets.clone();
    Ok((plan, named))
}

/// Prints what `dataset` says of what is `asked`; the status tells it, too.
fn judged(
    args: &CheckArgs,
    check: Option<&Check>,
    asked: &[AskedLimit],
    (dataset, block_s): (&Dataset, Option<f64>),
) -> Result<Exit> {
    let findings = limits(dataset, asked);
    let id = &dataset.campaign.id;
    if let Some(asked) = asked.iter().find(|asked| {
        let glob = WildMatch::new(&asked.test);
        !dataset.tests.iter().any(|test| glob.matches(&test.id))
    }) {
        return Err(exit::usage(format!(
            "{id} has no test that matches `{}`; `assay show {id}` lists its tests",
            asked.test
        )));
    }
    let name = check.map_or("check", |check| check.check.name.as_str());
    let mut again = String::from("assay check");
    again.extend(args.check.iter().map(|check| format!(" {check}")));
    again.extend(args.require.iter().map(|limit| format!(" --require '{limit}'")));
    again += &format!(" --of {id}");
    let judged = CheckedCampaign { name, campaign: id, block_s, again: &again };
    let commands = terminal::commands();
    match args.format {
        CheckFormat::Table => {
            terminal::answer(&commands.completed(&words::limits(judged, &findings)))?;
        }
        CheckFormat::Json => {
            terminal::out(&format!("{}\n", ::report::json_of_limits(judged, &findings, &commands)))?
        }
    }
    let line = format!("{} (campaign {id})", words::limits_in_short(name, &findings));
    match words::together(&findings) {
        LimitOutcome::Pass => {
            terminal::note(&line);
            Ok(Exit::Done)
        }
        LimitOutcome::Undecided => Err(exit::blind(line)),
        LimitOutcome::Fail => Err(exit::regression(line)),
    }
}

/// The page of a check: what it does, its limits with their sources, and how to run it.
pub(super) fn page(check: &Check) -> Result<String> {
    use std::fmt::Write;
    let head = &check.check;
    let suite = check.suite()?;
    let mut text =
        format!("# check {}\n\n{} {}\n\n## Limits\n\n", head.name, head.intent, suite.about);
    for limit in &check.limits {
        writeln!(text, "- {} {}: \"{}\" ({})", limit.test, limit.limit, limit.says, limit.source)?;
    }
    for none in &check.unlimited {
        writeln!(
            text,
            "- {}: no limit is stated ({}; {}). The check shows its p99 and can pass only against your own limit.",
            none.test, none.says, none.source
        )?;
    }
    let require = match check.limits.is_empty() {
        true => " --require 'p99 < 10ms'",
        false => "",
    };
    write!(
        text,
        "\nA limit is met if the whole 95 % interval of the latency over the blocks is below it, and exceeded if the\n\
         whole interval is above it. In a test that syncs, a target that may lose synced data fails, and one whose\n\
         durability is not proven cannot pass. Exit status: 0 pass, 6 fail, 5 undecided.\n\n\
         ## Run it\n\n    assay check {}{require} --on dir:PATH\n\n{} blocks. `assay report` shows the campaign in full.\n",
        head.name, head.blocks
    )?;
    for test in suite.tests.iter() {
        for info in test.infos() {
            write!(text, "\n{}", suites::explain(*test, &info.id))?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests;

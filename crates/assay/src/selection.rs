//! Describes for the report the suites of a campaign, and lists the tests of them that it does not run.

use anyhow::Result;
use campaign::{inputs::catalogue, stages::Resolved};
use model::{
    plan::{Plan, Preset},
    result::{SUITES_ABOUT, TESTS_LEFT_OUT},
};
use suites::Suite;

/// The fact of the environment that says it; `None` where every test of every suite runs.
pub fn left_out(resolved: &Resolved) -> Result<Option<(String, String)>> {
    let plan = &resolved.plan;
    let mut parts = Vec::new();
    for name in &plan.suites {
        let suite = catalogue::suite(name, &plan.knobs, &mut plan.files.clone())?;
        let own = resolved.items.iter().filter(|item| item.suite == suite.name);
        let run = own.map(|item| item.test.infos().len()).sum();
        parts.extend(of_suite(suite, plan, run));
    }
    let text = parts.join("; ");
    Ok((!text.is_empty()).then(|| (TESTS_LEFT_OUT.to_string(), text)))
}

/// The fact of the environment that says what the suites of `plan` stand for; `None` where there is none.
pub fn about(plan: &Plan) -> Result<Option<(String, String)>> {
    let mut said = Vec::new();
    for name in &plan.suites {
        said.push(catalogue::suite(name, &plan.knobs, &mut plan.files.clone())?.about.to_string());
    }
    Ok((!said.is_empty()).then(|| (SUITES_ABOUT.to_string(), said.join(" "))))
}

/// `75 of the 96 tests of columnar: the preset quick leaves them out (standard runs all)`, when `run` are run.
fn of_suite(suite: &Suite, plan: &Plan, run: usize) -> Option<String> {
    let all: usize = suite.tests.iter().map(|test| test.infos().len()).sum();
    let lacking = suite.tests.iter().filter(|test| test.missing().is_some()).count();
    let lacks = (lacking > 0).then(|| format!("this machine lacks requirements of {lacking}"));
    let why: Vec<String> = by_plan(suite, plan, lacking > 0).into_iter().chain(lacks).collect();
    let (count, name) = (all.saturating_sub(run), &suite.name);
    (count > 0).then(|| format!("{count} of the {all} tests of {name}: {}", why.join(", ")))
}

/// What in the plan leaves tests out; nothing where that can be what the machine lacks.
fn by_plan(suite: &Suite, plan: &Plan, is_lacking: bool) -> Option<String> {
    if !plan.tests.is_empty() {
        return Some("excluded by --tests".into());
    }
    let names_tests = |preset| !suite.presets.globs(preset).is_empty();
    let hint = if names_tests(Preset::Standard) { "" } else { " (standard runs all)" };
    let preset = word(plan.preset);
    (names_tests(plan.preset) || !is_lacking)
        .then(|| format!("excluded by the preset {preset}{hint}"))
}

fn word(preset: Preset) -> &'static str {
    match preset {
        Preset::Smoke => "smoke",
        Preset::Quick => "quick",
        Preset::Standard => "standard",
        Preset::Publish => "publish",
    }
}

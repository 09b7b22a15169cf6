//! Plans, as `assay plan` and `assay run` read them.

use super::{target, text};
use campaign::{
    inputs::catalogue,
    run::condition,
    stages::{Asked, fillable, sweeps},
    tools,
};
use model::{plan::Plan, text::Bytes};
use std::path::Path;

/// A plan: it is stored and read as the same, and its targets and suites are looked up.
pub fn plan(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let read = assay_program::plan_of_text(text, Path::new("plan.toml"));
    let Ok(plan) = read else { return false };
    let checked = plan.check();
    plan.title();
    assert_without_consent(&plan);
    for target in &plan.targets {
        target::resolved(target);
    }
    let mut asked = Asked::by_file(plan, None, Vec::new());
    if checked.is_err() || asked.plan.targets.is_empty() && asked.plan.sweeps.is_empty() {
        return false;
    }
    let Ok(targets) = asked.targets(&|_| ()) else { return false };
    // Nothing is made that was not looked at, and nothing of it may do anything.
    assert!(targets.iter().all(|target| target.command_line_only().is_none()), "{targets:?}");
    let plan = asked.plan;
    assert!(plan.entrants().iter().all(|e| targets.iter().any(|target| target.target() == e)));
    if fillable::check(&plan, &targets).is_err() {
        return false;
    }
    assert_stored(&plan);
    sweeps::lines(&plan);
    condition::lines(&plan, plan.backing.size.unwrap_or(Bytes(1 << 30)), 1000, 1e9);
    plan.twin();
    plan.looks();
    let named = plan.suites.iter().filter(|name| needs_no_file(&plan, name));
    named
        .map(|name| catalogue::suite(name, &plan.knobs, &mut plan.files.clone()))
        .all(|s| s.is_ok())
}

/// A resumed campaign runs by what is stored.
fn assert_stored(plan: &Plan) {
    let json = serde_json::to_string(plan).unwrap_or_default();
    assert_eq!(serde_json::from_str::<Plan>(&json).as_ref().ok(), Some(plan), "{json}");
}

/// What is given up is said on the command line, whatever a file says.
fn assert_without_consent(plan: &Plan) {
    let backing = serde_json::to_value(&plan.backing).unwrap_or_default();
    for key in ["destroy", "wipe_signature", "wipe_signatures", "consent"] {
        assert!(backing.get(key).is_none(), "{backing}");
    }
}

/// Whether the suite `name` ships, or its file is in the plan.
fn needs_no_file(plan: &Plan, name: &str) -> bool {
    let file = tools::file_of(name).or(name.ends_with(".toml").then_some(name));
    file.is_none_or(|file| plan.files.contains_key(file))
}

//! Selects the suites and tests to which a workload profile gives weight.

use crate::exit;
use anyhow::Result;
use model::{plan::Preset, workload::Profile};
use suites::Suite;
use wildmatch::WildMatch;

/// The suites that have tests of `profile`, and the ids of these: of each kind of work those that `preset` has time
/// for, or all where it would leave none.
///
/// # Errors
/// No suite has a test of it.
pub(super) fn of(profile: &Profile, preset: Preset) -> Result<(Vec<String>, Vec<String>)> {
    let kinds = profile.groups.iter().map(|group| group.tests.clone());
    let ops = profile.ops.iter().map(|op| vec![op.test.clone()]);
    let floors = profile.floors.iter().map(|floor| vec![floor.test.clone()]);
    let (mut names, mut tests) = (Vec::new(), Vec::new());
    for globs in kinds.chain(ops).chain(floors) {
        for suite in suites::suites() {
            let ids = ids(suite, &globs, preset);
            if !ids.is_empty() && !names.contains(&suite.name.to_string()) {
                names.push(suite.name.to_string());
            }
            tests.extend(ids.into_iter().filter(|id| !tests.contains(id)).collect::<Vec<_>>());
        }
    }
    if tests.is_empty() {
        let name = &profile.profile.name;
        return Err(exit::usage(format!(
            "no suite has a test for the profile {name}; `assay explain` lists the suites"
        )));
    }
    Ok((names, tests))
}

/// The tests of `suite` that `globs` name.
fn ids(suite: &Suite, globs: &[String], preset: Preset) -> Vec<String> {
    let matches = |glob: &str, id: &str| WildMatch::new(glob).matches(id);
    let all: Vec<String> =
        suite.ids().filter(|id| globs.iter().any(|glob| matches(glob, id))).collect();
    let core = suite.presets.globs(preset);
    let in_time: Vec<String> =
        all.iter().filter(|id| core.iter().any(|glob| matches(glob, id))).cloned().collect();
    if in_time.is_empty() { all } else { in_time }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::shipped;

    /// Whether a test counts in a score: what a durable rate includes does not.
    fn is_scored(id: &str) -> bool {
        let tests = suites::suites().iter().flat_map(|suite| suite.tests.iter());
        let mut infos = tests.flat_map(|test| test.infos());
        infos.any(|info| info.id == id && info.group.is_scored())
    }

    #[test]
    fn every_kind_of_work_of_every_profile_has_tests() {
        for profile in shipped::profiles().unwrap() {
            for preset in [Preset::Smoke, Preset::Quick, Preset::Publish] {
                let (suites, tests) = of(&profile, preset).unwrap();
                assert!(!suites.is_empty());
                for group in &profile.groups {
                    let is_of = |id: &String| {
                        let is_named =
                            group.tests.iter().any(|glob| WildMatch::new(glob).matches(id));
                        is_named && is_scored(id)
                    };
                    let name = &profile.profile.name;
                    assert!(tests.iter().any(is_of), "{name}: {} at {preset:?}", group.name);
                }
            }
        }
    }

    #[test]
    fn a_preset_has_time_for_some_of_them() {
        let profile = shipped::profile("oltp-database").unwrap();
        let count = |preset| of(&profile, preset).unwrap().1.len();
        assert!(count(Preset::Quick) < count(Preset::Publish));
    }
}

//! The profiles, checks and facts that ship with the program, and the files of users in addition.

use crate::{checks::Check, exit};
use anyhow::{Context, Result};
use campaign::inputs::file;
use model::{
    target::FactSheet,
    text::{did_you_mean, line_at},
    workload::Profile,
};

/// Lists files of a folder by name, with their text.
macro_rules! shipped {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../", $folder, "/", $name, ".toml")))),*]
    };
}

/// Every profile in the order of the list that a person sees.
const PROFILES: &[(&str, &str)] = shipped!(
    "profiles":
    "kdb-tick-ingestion",
    "kdb-end-of-day",
    "kdb-query-hot",
    "kdb-query-cold",
    "kdb-archive",
    "oltp-database",
    "mail-small-files",
    "build-ci",
    "container-host",
    "vm-images",
    "media-streaming",
    "backup-target",
    "hpc-checkpoint",
    "desktop",
);

/// Every check in the order of the list that a person sees.
const CHECKS: &[(&str, &str)] = shipped!(
    "checks":
    "etcd",
    "postgresql",
    "mysql",
    "kafka",
    "prometheus",
    "kdb-tickerplant",
);

/// Names of the checks that ship.
pub(super) fn check_names() -> Vec<&'static str> {
    CHECKS.iter().map(|check| check.0).collect()
}

/// The check called `name`, or the one in the file `NAME.toml`.
pub(super) fn check(name: &str) -> Result<Check> {
    if name.ends_with(".toml") {
        let text = file::text(name)
            .map_err(|why| exit::usage(format!("cannot read the check {name}: {why}")))?;
        return Check::read(name, &text);
    }
    let (name, text) = CHECKS.iter().find(|check| check.0 == name).ok_or_else(|| {
        let meant = did_you_mean(name, check_names());
        let known = check_names().join(", ");
        exit::usage(format!("unknown check `{name}`{meant}; expected {known}, or a file NAME.toml"))
    })?;
    Check::read(name, text)
}

/// The profiles that ship.
pub(super) fn profiles() -> Result<Vec<Profile>> {
    PROFILES.iter().map(|(name, text)| read(name, text)).collect()
}

/// The profile called `name`, or the one in the file `NAME.toml`.
pub(super) fn profile(name: &str) -> Result<Profile> {
    if name.ends_with(".toml") {
        let text = file::text(name)
            .map_err(|why| exit::usage(format!("cannot read the profile {name}: {why}")))?;
        return read(name, &text);
    }
    let known = || PROFILES.iter().map(|p| p.0).collect::<Vec<_>>().join(", ");
    let (name, text) = PROFILES.iter().find(|p| p.0 == name).ok_or_else(|| {
        let meant = did_you_mean(name, PROFILES.iter().map(|profile| profile.0));
        let known = known();
        exit::usage(format!(
            "unknown profile `{name}`{meant}; expected {known}, or a file NAME.toml"
        ))
    })?;
    read(name, text)
}

/// What is known of file systems.
pub(super) fn facts() -> Result<Vec<FactSheet>> {
    let sheet = |(name, text): (&str, &str)| {
        toml::from_str(text).with_context(|| format!("the facts of {name} are damaged"))
    };
    fs::sheets().map(sheet).collect()
}

fn read(name: &str, text: &str) -> Result<Profile> {
    let profile: Profile = toml::from_str(text).map_err(|error| {
        let line = line_at(text, error.span());
        exit::usage(format!("{name}, line {line}: {}", error.message().replace('\n', " ")))
    })?;
    profile.check().map_err(|error| exit::usage(error.to_string()))?;
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, path::Path};

    fn files(folder: &str) -> BTreeSet<String> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let names = std::fs::read_dir(dir).unwrap().flatten().map(|e| e.file_name());
        let names = names.filter_map(|n| Some(n.to_str()?.strip_suffix(".toml")?.to_string()));
        names.collect()
    }

    #[test]
    fn every_file_ships_under_its_name() {
        let listed = |list: &[(&str, &str)]| list.iter().map(|p| p.0.to_string()).collect();
        assert_eq!(files("profiles"), listed(PROFILES));
        assert_eq!(files("checks"), listed(CHECKS));
        for (profile, (name, _)) in profiles().unwrap().iter().zip(PROFILES) {
            assert_eq!(profile.profile.name, *name);
        }
        for (sheet, (name, _)) in facts().unwrap().iter().zip(fs::sheets()) {
            assert_eq!(sheet.file_system, name);
        }
    }

    /// Each glob of each profile finds a test of a suite or importer that ships.
    #[test]
    fn every_glob_finds_a_test() {
        let of = |s: &suites::Suite| -> Vec<String> {
            s.tests.iter().flat_map(|t| t.infos()).map(|info| info.id).collect()
        };
        let mut ids: Vec<String> = suites::suites().iter().flat_map(of).collect();
        ids.extend(formats::tool_tests("mdtest").into_iter().map(|info| info.id));
        for profile in profiles().unwrap() {
            let groups = profile.groups.iter().flat_map(|g| &g.tests);
            for glob in groups.chain(profile.floors.iter().map(|f| &f.test)) {
                let glob = wildmatch::WildMatch::new(glob);
                let found = ids.iter().any(|id| glob.matches(id));
                assert!(found, "{}: {glob}", profile.profile.name);
            }
        }
    }

    #[test]
    fn every_feature_of_a_profile_has_a_fact() {
        let facts = facts().unwrap();
        let known = |feature: &str| {
            let wanted: model::target::Requirement = feature.parse().unwrap();
            facts.iter().flat_map(|s| &s.facts).any(|f| f.feature == wanted.feature)
        };
        for profile in profiles().unwrap() {
            assert!(profile.requires.iter().all(|r| known(&r.feature)));
            assert!(profile.prefers.iter().all(|p| known(&p.feature)));
        }
    }
}

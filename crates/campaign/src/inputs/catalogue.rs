//! Finds a suite or test named on the command line: a built-in one, one in a file of declarations, or another tool.

use super::{file, traces};
use crate::{messages::refusal, tools};
use anyhow::Result;
use model::{target::Options, text::did_you_mean};
use std::{collections::BTreeMap, path::PathBuf};
use suites::{Suite, Test, program};

/// Returns the suite that `name` denotes, with `knobs` set: a built-in suite, `NAME.toml`, a recorded `NAME.trace`, a
/// tool, or a tool with its job, e.g. `fio:JOB.fio`. The text of a file is taken from `files`, or read into it.
pub fn suite(
    name: &str,
    knobs: &Options,
    files: &mut BTreeMap<String, String>,
) -> Result<&'static Suite> {
    let usage = |error: suites::DeclarationError| refusal::usage(error.to_string());
    if name.ends_with(".toml") {
        return suites::from_text(name, &text_of(name, files)?, knobs).map_err(usage);
    }
    // A campaign that is resumed has the text of a trace that may be gone.
    if is_trace(name) || files.contains_key(name) {
        let text = match files.get(name) {
            Some(text) => text.clone(),
            None => traces::declaration(name).map_err(usage)?,
        };
        files.insert(name.into(), text.clone());
        return suites::from_text(name, &text, knobs).map_err(usage);
    }
    let text = tools::file_of(name).map(|file| text_of(file, files)).transpose()?;
    if let Some(suite) = tools::suite(name, text.as_deref(), knobs)? {
        return Ok(suite);
    }
    suites::suite(name, knobs).map_err(usage)?.ok_or_else(|| {
        let names = names();
        let meant = did_you_mean(name, names.iter().map(|name| &**name));
        refusal::usage(format!(
            "unknown suite `{name}`{meant}; expected one of {}, or a file NAME.toml or NAME.trace",
            names.join(", ")
        ))
    })
}

/// Names what in the suite `name` is user-supplied, so that the programs it runs could do anything; `None` for a
/// built-in suite, and for a tool with known arguments only. `files` holds the texts of files.
pub fn foreign(name: &str, knobs: &Options, files: &BTreeMap<String, String>) -> Option<String> {
    if name.ends_with(".toml") {
        return Some(format!("the commands of {name}"));
    }
    let text = tools::file_of(name).and_then(|file| files.get(file)).map(String::as_str);
    tools::unknown(name, text, knobs)
}

/// Returns the test `id` of the built-in suites, or of the suite called `of`.
pub fn test(id: &str, of: Option<&str>) -> Result<&'static dyn Test> {
    let found = match of {
        None => suites::find(id),
        Some(name) => {
            let suite = suite(name, &Options::new(), &mut BTreeMap::new())?;
            suite.tests.iter().copied().find(|test| test.infos().iter().any(|i| i.id == id))
        }
    };
    let hint = match of {
        None => "`assay explain` lists the suites".to_string(),
        Some(name) => format!("`assay explain {name}` lists the tests of this suite"),
    };
    found.ok_or_else(|| {
        let meant = did_you_mean(id, known_ids().iter().map(|id| &**id));
        refusal::usage(format!("unknown test or suite `{id}`{meant}; {hint}"))
    })
}

/// Ids of all built-in tests, and names of their suites.
fn known_ids() -> Vec<String> {
    let ids = suites::suites().iter().flat_map(|suite| suite.ids());
    ids.chain(names().iter().map(ToString::to_string)).collect()
}

/// A program that a suite runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteProgram {
    /// Its name.
    pub name: String,
    /// Its path, if it is installed.
    pub place: Option<PathBuf>,
    /// How to install it; empty if it is installed.
    pub fix: String,
    /// The suites that run it.
    pub suites: Vec<String>,
}

/// Every program that a tool or a built-in suite runs.
pub fn programs() -> Vec<SuiteProgram> {
    let tools = tools::programs().into_iter();
    let tools = tools.map(|(name, suite)| (name.to_string(), suite.to_string()));
    let shipped = suites::suites().iter().flat_map(|suite| {
        let programs = suite.tests.iter().flat_map(|test| test.programs());
        programs.map(|name| (name, suite.name.to_string()))
    });
    let mut all: Vec<SuiteProgram> = Vec::new();
    for (name, suite) in tools.chain(shipped) {
        match all.iter_mut().find(|program| program.name == name) {
            Some(known) if known.suites.contains(&suite) => {}
            Some(known) => known.suites.push(suite),
            None => {
                let fix = program::missing([&*name]).map_or_else(String::new, |lacks| lacks.fix);
                let place = program::find(&name);
                all.push(SuiteProgram { name, place, fix, suites: vec![suite] });
            }
        }
    }
    all
}

/// True when `name` names a recorded trace. What ships goes before a file of the same name.
pub fn is_trace(name: &str) -> bool {
    let ships = || known_ids().iter().any(|known| known == name);
    traces::is_trace(name) && (name.ends_with(".trace") || !ships())
}

/// True when `name` names a suite.
pub fn is_suite(name: &str) -> bool {
    name.ends_with(".toml")
        || is_trace(name)
        || tools::file_of(name).is_some()
        || names().iter().any(|known| known == name)
}

/// The names of all suites and tools.
fn names() -> Vec<String> {
    let shipped = suites::suites().iter().chain([suites::traces::suite()]);
    let shipped = shipped.map(|suite| suite.name.to_string());
    shipped.chain(tools::names()).collect()
}

fn text_of(file: &str, files: &mut BTreeMap<String, String>) -> Result<String> {
    if let Some(text) = files.get(file) {
        return Ok(text.clone());
    }
    let text = file::text(file)
        .map_err(|why| refusal::usage(format!("cannot read the suite {file}: {why}")))?;
    files.insert(file.into(), text.clone());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_listed_once_with_a_fix() {
        let all = programs();
        for name in ["fio", "sysbench", "bonnie++", "mdtest", "ior", "elbencho", "mpirun", "git"] {
            let listed: Vec<_> = all.iter().filter(|program| program.name == name).collect();
            assert_eq!(listed.len(), 1, "{name} in {all:?}");
            assert_eq!(listed[0].place.is_none(), !listed[0].fix.is_empty(), "{name}");
        }
        let mpirun = all.iter().find(|program| program.name == "mpirun").unwrap();
        assert_eq!(mpirun.suites, ["mdtest", "ior"]);
    }
}

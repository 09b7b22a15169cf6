//! `assay explain`: the page of a test, a check or a recorded application, the tests of a suite, or the list of suites
//! and checks.

use super::{application, check, shipped};
use crate::{
    cli::ExplainArgs,
    exit::{self, Exit},
    terminal,
};
use anyhow::Result;
use campaign::{inputs::catalogue, tools};
use model::{plan::Preset, target::Options, text::did_you_mean, workload::TestInfo};
use std::collections::BTreeMap;
use suites::{Suite, Test};
use wildmatch::WildMatch;

/// Prints the page of one test, the tests or the declaration of a suite, or every suite.
pub fn explain(args: &ExplainArgs) -> Result<Exit> {
    let text = match &args.name {
        None => suites()?,
        Some(name) if args.suite.is_none() && !args.toml && catalogue::is_trace(name) => {
            application::page(name)?
        }
        Some(name) if args.suite.is_none() && catalogue::is_suite(name) => {
            let suite = catalogue::suite(name, &Options::new(), &mut BTreeMap::new())?;
            if args.toml { declaration(suite)? } else { tests(suite) }
        }
        Some(name) if args.suite.is_none() && shipped::check_names().contains(&name.as_str()) => {
            check::page(&shipped::check(name)?)?
        }
        Some(id) => suites::explain(test(id, args.suite.as_deref())?, id),
    };
    terminal::prose(&text)?;
    Ok(Exit::Done)
}

/// The test `id` of the suite called `of`, or of those that ship and of the checks.
fn test(id: &str, of: Option<&str>) -> Result<&'static dyn Test> {
    let unknown = match catalogue::test(id, of) {
        Err(error) if of.is_none() => error,
        known => return known,
    };
    if let Some(test) = of_check(id)? {
        return Ok(test);
    }
    let meant = did_you_mean(id, shipped::check_names());
    Err(match meant.is_empty() {
        true => unknown,
        false => exit::usage(format!("unknown test, suite or check `{id}`{meant}")),
    })
}

/// The test `id` of a check.
fn of_check(id: &str) -> Result<Option<&'static dyn Test>> {
    for name in shipped::check_names() {
        let suite = shipped::check(name)?.suite()?;
        let own = |test: &&'static dyn Test| test.infos().iter().any(|info| info.id == id);
        if let Some(test) = suite.tests.iter().copied().find(own) {
            return Ok(Some(test));
        }
    }
    Ok(None)
}

fn suites() -> Result<String> {
    let line = |suite: &Suite| {
        let count = suite.tests.iter().map(|test| test.infos().len()).sum::<usize>();
        format!("{:<12} {count:>4} tests  {}\n", suite.name, suite.about)
    };
    let all = suites::suites().iter().chain([suites::traces::suite()]);
    let lines: String = all.map(line).collect();
    let tools = tools::names().join(", ");
    let mut checks = String::new();
    for name in shipped::check_names() {
        checks += &format!("{name:<16} {}\n", shipped::check(name)?.check.intent);
    }
    Ok(format!(
        "{lines}\n`assay explain SUITE` lists the tests of a suite, `assay explain TEST` explains one.\n\
         External tools, run unmodified if installed: {tools}.\n\nChecks, for `assay check`; `assay explain CHECK` \
         shows the limits with their sources:\n{checks}"
    ))
}

fn tests(suite: &Suite) -> String {
    let is_core = |id: &str| {
        let globs = suite.presets.globs(Preset::Quick);
        globs.iter().any(|glob| WildMatch::new(glob).matches(id))
    };
    let line = |info: TestInfo, core: bool| {
        let mark = if core { " · core" } else { "" };
        format!("{:<42} {} ({}){mark}\n", info.id, info.name, info.testtype)
    };
    let of_test = |test: &&dyn Test| {
        let infos = test.infos();
        let core = infos.iter().any(|info| is_core(&info.id));
        infos.into_iter().map(move |info| line(info, core)).collect::<String>()
    };
    suite.tests.iter().map(of_test).collect()
}

fn declaration(suite: &Suite) -> Result<String> {
    let in_code = || {
        exit::usage(format!(
            "suite {} is written in code, so it has no TOML \
                                          declaration",
            suite.name
        ))
    };
    suite.text.as_deref().map(str::to_owned).ok_or_else(in_code)
}

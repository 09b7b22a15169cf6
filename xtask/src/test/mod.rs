//! Runs the tests of the workspace: `cargo run -p xtask -- test quick`, `labs` or `all`.
//!
//! One unit after the other is run: a test binary, or a module of a binary of many (`MODULES`). Every failure is shown;
//! at the end stand the time of each unit, and each skip with its reason. A skip for something that this machine
//! has is a failure.

mod binaries;
mod report;
mod run;

use crate::root;
use anyhow::{Context, bail};
use std::process::ExitCode;

/// Which units are run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// What needs no guest, kills nobody for long, and ends within minutes.
    Quick,
    /// The units of [`LABS`].
    Labs,
    /// Both.
    All,
}

/// Units that are left to `make test-labs`: guests, kills, whole suites on real file systems, long simulations.
/// `CRATE/BINARY`.
const LABS: &[&str] =
    &["assay/e2e_labs", "lab/guests", "lab/layers", "stats/coverage", "stats/simulation"];

/// Units that try damaged inputs: for [`LONG`] seconds each where the labs are run, else for their own ten.
const FUZZ: &[&str] = &["assay/fuzz", "formats/fuzz"];
/// Given to them as `ASSAY_FUZZ_SECONDS`.
const LONG: &str = "20";

/// Binaries of which each module is a unit, run by itself: its tests disturb those of others.
const MODULES: &[&str] = &["assay/e2e", "assay/e2e_labs"];

/// Runs what `args` ask for: a part, and optionally the beginning of units' names.
pub(crate) fn test(args: &[String]) -> anyhow::Result<ExitCode> {
    let (part, named) = match args.split_first() {
        Some((part, named)) => (Part::of(part)?, named),
        None => bail!("name a part: quick, labs or all"),
    };
    let binaries = binaries::build(&root()).context("build the tests")?;
    let units = binaries::units(&binaries, MODULES)?;
    if let Some(stray) = LABS.iter().find(|name| !units.iter().any(|unit| unit.is_of(name))) {
        bail!("`{stray}` in xtask/src/test/mod.rs is no test binary any more");
    }
    let is_asked = |name: &str| named.is_empty() || named.iter().any(|n| name.starts_with(n));
    let is_labs = |unit: &binaries::Unit| LABS.iter().any(|name| unit.is_of(name));
    let is_fuzz = |unit: &binaries::Unit| FUZZ.iter().any(|name| unit.is_of(name));
    let is_part = |unit: &binaries::Unit| match part {
        Part::Quick => !is_labs(unit),
        Part::Labs => is_labs(unit) || is_fuzz(unit),
        Part::All => true,
    };
    if !named.is_empty() && !units.iter().any(|unit| is_part(unit) && is_asked(&unit.name)) {
        bail!("no unit of this part begins with {}", named.join(" or "));
    }
    let mut ran = Vec::new();
    for unit in units.iter().filter(|unit| is_part(unit) && is_asked(&unit.name)) {
        let is_long = part != Part::Quick && is_fuzz(unit);
        let env = is_long.then_some(("ASSAY_FUZZ_SECONDS", LONG));
        let result = run::run(unit, env)?;
        report::line(&result);
        ran.push(result);
    }
    Ok(if report::end(&ran) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
    fn a_part_is_named() {
        assert!(Part::of("quick").is_ok());
        assert!(Part::of("slow").is_err());
    }
}

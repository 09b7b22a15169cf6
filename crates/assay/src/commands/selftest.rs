//! `assay selftest`: measures known quantities, and reports how far off the figures are.

use crate::{
    cli::SelftestArgs,
    exit::{self, Exit},
    opened,
    selftest::{Bench, CHECKS, Check, Line, table},
    signals, terminal,
};
use anyhow::Result;
use campaign::messages::with_causes;
use model::text::did_you_mean;
use std::{path::Path, sync::atomic::Ordering};

/// Runs every check, or those that `args` name, and prints the table.
pub fn selftest(args: &SelftestArgs, state: &Path) -> Result<Exit> {
    let checks = chosen(&args.only)?;
    let stop = signals::stop_flag()?;
    opened::state(state).map_err(|why| exit::lacking(why.to_string()))?;
    let bench = Bench { state, stop: &stop, quick: args.quick };
    let lines = checks.iter().map(|check| line(*check, &bench)).collect::<Result<Vec<_>>>()?;
    terminal::prose(&table(&lines))?;
    Ok(if lines.iter().any(Line::is_bad) { Exit::Partly } else { Exit::Done })
}

fn chosen(only: &[String]) -> Result<Vec<&'static dyn Check>> {
    let names: Vec<String> = CHECKS.iter().map(|check| check.name()).collect();
    if let Some(name) = only.iter().find(|name| !names.contains(name)) {
        let meant = did_you_mean(name, names.iter().map(String::as_str));
        let known = names.join(", ");
        return Err(exit::usage(format!("unknown check `{name}`{meant}; expected one of {known}")));
    }
    let wanted = |check: &&&dyn Check| only.is_empty() || only.contains(&check.name());
    Ok(CHECKS.iter().filter(wanted).copied().collect())
}

/// A check that cannot be imposed here is skipped, one without a measurement has failed; only a
/// signal ends the whole.
fn line(check: &dyn Check, bench: &Bench<'_>) -> Result<Line> {
    let name = check.name();
    if let Some(why) = check.missing()? {
        return Ok(Line::Skipped(name, why));
    }
    terminal::note(&format!("{name}: {}", check.about()));
    match check.run(bench) {
        Ok(outcome) => Ok(Line::Checked(name, outcome)),
        Err(error) if bench.stop.load(Ordering::Relaxed) => Err(error),
        Err(error) if exit::of(&error) == Exit::Lacking => {
            Ok(Line::Skipped(name, with_causes(&error)))
        }
        Err(error) => Ok(Line::Failed(name, with_causes(&error))),
    }
}

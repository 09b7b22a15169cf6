//! `assay selftest`: the tool measures what is known beforehand, and says how far off it is.

use crate::{
    cli::SelftestArgs,
    exit::{self, Exit},
    opened,
    selftest::{Bench, Line, TRUTHS, Truth, table},
    signals, terminal,
};
use anyhow::Result;
use std::{path::Path, sync::atomic::Ordering};

/// Checks every truth, or those that `args` name, and prints the table.
pub fn selftest(args: &SelftestArgs, state: &Path) -> Result<Exit> {
    let truths = chosen(&args.only)?;
    let stop = signals::stop_flag()?;
    opened::state(state).map_err(|why| exit::lacking(why.to_string()))?;
    let bench = Bench { state, stop: &stop, quick: args.quick };
    let lines = truths.iter().map(|truth| line(*truth, &bench)).collect::<Result<Vec<_>>>()?;
    terminal::out(&table(&lines))?;
    Ok(if lines.iter().any(Line::is_bad) { Exit::Partly } else { Exit::Done })
}

fn chosen(only: &[String]) -> Result<Vec<&'static dyn Truth>> {
    let names: Vec<String> = TRUTHS.iter().map(|truth| truth.name()).collect();
    if let Some(name) = only.iter().find(|name| !names.contains(name)) {
        let known = names.join(", ");
        return Err(exit::usage(format!("there is no truth `{name}`; use one of {known}")));
    }
    let wanted = |truth: &&&dyn Truth| only.is_empty() || only.contains(&truth.name());
    Ok(TRUTHS.iter().filter(wanted).copied().collect())
}

/// A truth that cannot be imposed here is skipped, one without a measurement has failed; only a
/// signal ends the whole.
fn line(truth: &dyn Truth, bench: &Bench<'_>) -> Result<Line> {
    let name = truth.name();
    if let Some(why) = truth.missing()? {
        return Ok(Line::Skipped(name, why));
    }
    terminal::note(&format!("{name}: {}", truth.about()));
    match truth.check(bench) {
        Ok(outcome) => Ok(Line::Checked(name, outcome)),
        Err(error) if bench.stop.load(Ordering::Relaxed) => Err(error),
        Err(error) if exit::of(&error) == Exit::Lacking => {
            Ok(Line::Skipped(name, format!("{error:#}")))
        }
        Err(error) => Ok(Line::Failed(name, format!("{error:#}"))),
    }
}

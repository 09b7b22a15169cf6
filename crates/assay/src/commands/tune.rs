//! `assay tune`: searches for better options of one file system for the work of a campaign.

use super::plan_input;
use crate::{
    cli::{PlanArgs, TuneArgs},
    exit::{self, Exit},
    mark::Key,
    opened, signals, source, terminal,
    tune::{
        bench::{Campaigns, Site},
        outcome::Search,
        variant::{self, Wanted},
    },
};
use anyhow::Result;
use model::plan::{Plan, Scale};
use stats::{description::Settings, tuning::Ending};
use std::{path::Path, time::Duration};

/// Screens, halves and confirms within the budget, and says what to use.
pub fn tune(args: &TuneArgs, store_path: &Path, state: &Path) -> Result<Exit> {
    let wanted = Wanted { only: args.only.clone(), risky: args.allow_unsafe };
    let on = fs::resolve(&args.on).map_err(|error| exit::usage(error.to_string()))?;
    let on = on.target();
    let field = variant::field(on, &wanted)?;
    let work = work(args, store_path, state)?;
    let stop = signals::stop_flag()?;
    let key = Key::of(&opened::state(state)?)?;
    let mut store = opened::store_to_run(store_path, &stop)?;
    let unconfined = args.programs.unconfined;
    let site = Site { store: &mut store, state, key, stop: &stop, unconfined };
    let mut bench = Campaigns::new(work, on.clone(), &args.consent, site, args.budget)?;
    terminal::note(&format!(
        "{} variants of {}, about {:.0} s per candidate and block, within {}",
        field.len(),
        on,
        bench.turn_s(),
        humantime::format_duration(args.budget)
    ));
    let settings = Settings::default();
    let outcome = stats::tuning::search(&field, &mut bench, &settings)?;
    if let Ending::NoTime { turns } = outcome.ending {
        let needed = Duration::from_secs((turns * bench.turn_s() * 1.5) as u64 + 60);
        return Err(exit::usage(format!(
            "{} is too short to measure one variant and confirm it; pass --budget {}, or reduce \
             the work with --tests, --procs or --scale",
            humantime::format_duration(args.budget),
            humantime::format_duration(needed)
        )));
    }
    let Campaigns { ran, failed, .. } = &bench;
    let search = Search { default: on, band: settings.band, ran, failed };
    terminal::answer(&terminal::commands().completed(&search.text(&outcome)))?;
    Ok(if failed.is_empty() { Exit::Done } else { Exit::Partly })
}

/// What is measured: the work of a campaign at its scale, or of a plan file, overridden by arguments.
fn work(args: &TuneArgs, store: &Path, state: &Path) -> Result<Plan> {
    let mut work = match &args.work {
        None if !args.suite.is_empty() => Plan::default(),
        Some(path) if Path::new(path).extension().is_some_and(|e| e == "toml") => {
            plan_input::from_args(&PlanArgs { words: vec![path.clone()], ..PlanArgs::default() })?
        }
        id => {
            let dataset = source::begun_here(id.as_deref().unwrap_or("last"), store, state)?;
            // Its order is one for its candidates, and so is its automatic scale.
            let plan = Plan { order: None, ..dataset.campaign.plan };
            match plan.sizes.is_empty() {
                true => Plan { scale: Scale::Factor(dataset.campaign.scale), ..plan },
                false => plan,
            }
        }
    };
    if !args.suite.is_empty() {
        work.suites.clone_from(&args.suite);
    }
    if !args.tests.is_empty() {
        work.tests.clone_from(&args.tests);
    }
    if !args.procs.is_empty() {
        work.procs.clone_from(&args.procs);
    }
    work.scale = args.scale.unwrap_or(work.scale);
    let is_other = !args.suite.is_empty() || !args.tests.is_empty() || !args.procs.is_empty();
    if is_other || args.scale.is_some() {
        work.sizes.clear();
        work.backing.made = None;
    }
    work.backing.dir = args.image_dir.clone().or(work.backing.dir);
    work.backing.size = args.image_size.or(work.backing.size);
    Ok(Plan {
        targets: Vec::new(),
        sweeps: Vec::new(),
        baseline: None,
        seed: args.seed,
        // Stages have blocks of their own number and no twin; the default is in each of them.
        blocks: None,
        budget_s: None,
        aa: Some(false),
        ..work
    })
}

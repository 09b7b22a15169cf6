//! The verbs, one file each.

mod advise;
mod allocation;
mod application;
mod check;
mod cleanup;
mod compare;
mod completions;
mod doctor;
mod explain;
mod export;
mod forecast;
pub mod guest;
mod import;
mod init;
mod list;
mod man;
mod objects;
pub mod plan;
pub mod plan_input;
mod record;
mod remake;
mod report;
mod rerun;
mod resume;
mod rm;
pub mod run;
mod selftest;
mod shipped;
mod show;
mod slips;
mod tune;
mod workload;

use crate::{
    cli::{Cli, Verb},
    exit::Exit,
    paths,
};
use anyhow::Result;
use campaign::run::hosts::Hosts;

/// Calls the verb; workers of campaigns come from `hosts`.
pub fn dispatch(cli: Cli, hosts: &dyn Hosts) -> Result<Exit> {
    crate::terminal::carry(cli.store.as_deref(), cli.state.as_deref());
    let store = paths::store(cli.store.as_deref())?;
    let state = paths::state(cli.state.as_deref())?;
    match cli.verb {
        Verb::Run(args) => run::run(&args, &store, &state, hosts),
        Verb::Plan(args) => plan::plan(&args, &store, &state, hosts),
        Verb::Resume(args) => resume::resume(&args, &store, &state, hosts),
        Verb::Cleanup(args) => cleanup::cleanup(&args, &store, &state),
        Verb::List(args) => list::list(&args, &store),
        Verb::Rm(args) => rm::rm(&args, &store),
        Verb::Show(args) => show::show(&args, &store),
        Verb::Report(args) => report::report(&args, &store),
        Verb::Check(args) => check::check(&args, &store, &state, hosts),
        Verb::Compare(args) => compare::compare(&args, &store, &state),
        Verb::Tune(args) => tune::tune(&args, &store, &state),
        Verb::Advise(args) => advise::advise(&args, &store),
        Verb::Record(args) => record::record(&args),
        Verb::Remake(args) => remake::remake(&args, &store),
        Verb::Export(args) => export::export(&args, &store, &state),
        Verb::Import(args) => import::import(&args, &store, &state),
        Verb::Doctor(args) => doctor::doctor(&args),
        Verb::Selftest(args) => selftest::selftest(&args, &state),
        Verb::Explain(args) => explain::explain(&args),
        Verb::Init(args) => init::init(&args),
        Verb::Completions(args) => completions::completions(&args),
        Verb::Man(args) => man::man(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// A new verb is entered here, by whether it makes targets. Those that do begin a campaign by the
    /// [`campaign::pipeline`], whose doc tests show that nothing else is taken.
    #[test]
    fn every_verb_that_makes_targets_is_known() {
        let make = ["run", "plan", "resume", "check", "compare", "tune", "selftest"];
        let make_none = [
            "cleanup",
            "list",
            "rm",
            "show",
            "report",
            "advise",
            "export",
            "record",
            "remake",
            "import",
            "doctor",
            "explain",
            "init",
            "completions",
            "man",
        ];
        let mut known = [&make[..], &make_none].concat();
        let mut verbs: Vec<String> =
            Cli::command().get_subcommands().map(|verb| verb.get_name().to_string()).collect();
        known.sort_unstable();
        verbs.sort_unstable();
        assert_eq!(verbs, known);
    }
}

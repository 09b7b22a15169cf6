//! A campaign whose workers are on many hosts: how many there can be, on what they work, and what its reader must
//! know of them. Of this machine alone nothing is said.

use super::plan;
use crate::{cli::PlanArgs, exit};
use anyhow::Result;
use campaign::{hosts::Hosts, prepare::Prepared};
use model::{Campaign, Order, Target};
use std::path::Path;

/// The plan of `args`. Workers of an allocation are there from the start: unasked they are one and all, never more;
/// candidates take turns, and are directories that every host has.
///
/// # Errors
/// As of `plan::prepared`; more workers are asked for than there are, or what only one host could have.
pub fn prepared(
    args: &PlanArgs,
    (store, state): (&Path, &Path),
    hosts: &dyn Hosts,
) -> Result<Prepared> {
    let Some(most) = hosts.most_workers() else { return plan::prepared(args, store, state) };
    let mut prepared = plan::prepared(&with_workers(args, most), store, state)?;
    if let Some(count) = prepared.counts.iter().find(|count| **count > most) {
        return Err(exit::usage(format!(
            "{count} processes are asked for, and {most} ranks were started; start as many by `mpirun -n {count}`"
        )));
    }
    let made = prepared.entrants.iter().find(|entrant| !matches!(entrant, Target::Dir(_)));
    if let Some(made) = made.filter(|_| hosts.is_many()) {
        return Err(exit::usage(format!(
            "{made} would be made on one host, and the others could not see it; name a directory that all hosts \
             have, by --on dir:PATH"
        )));
    }
    prepared.plan.order = Some(Order::InTurn);
    Ok(prepared)
}

fn with_workers(args: &PlanArgs, most: u32) -> PlanArgs {
    let mut counts = if args.procs.is_empty() { vec![1, most] } else { args.procs.clone() };
    counts.dedup();
    PlanArgs { procs: counts, ..args.clone() }
}

/// `campaign` with what is known of its hosts; differences between them come before all other notes.
///
/// # Errors
/// A host does not answer.
pub fn described(mut campaign: Campaign, hosts: &dyn Hosts) -> Result<Campaign> {
    let dir = campaign.plan.targets.iter().find_map(|target| match target {
        Target::Dir(dir) => Some(dir.clone()),
        _ => None,
    });
    let (facts, differences) = hosts.describe(dir.as_deref().unwrap_or(Path::new("/")))?;
    campaign.environment.0.extend(facts.0);
    campaign.notes.splice(0..0, differences);
    Ok(campaign)
}

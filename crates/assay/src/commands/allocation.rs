//! A campaign whose workers are on many hosts: how many there can be, on what they work, and what its reader must
//! know of them. Of this machine alone nothing is said.

use super::plan_input;
use crate::{cli::PlanArgs, exit, process_limit};
use anyhow::Result;
use campaign::{hosts::Hosts, prepare::Prepared};
use model::{Campaign, Order, Target};
use std::path::Path;

/// The plan of `args`. Workers of an allocation are there from the start: unasked they are one and all, never more;
/// candidates take turns, and are directories that every host has.
///
/// # Errors
/// As of `plan_input::prepared`; more workers are asked for than there are, or what only one host could have.
pub fn prepared(
    args: &PlanArgs,
    (store, state): (&Path, &Path),
    hosts: &dyn Hosts,
) -> Result<Prepared> {
    let allocated = hosts.most_workers().map(|most| with_workers(args, most));
    let mut prepared = plan_input::prepared(allocated.as_ref().unwrap_or(args), store, state)?;
    process_limit::check(&prepared, hosts)?;
    if allocated.is_none() {
        return Ok(prepared);
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
    // A plan file has its own.
    let unasked = args.procs.is_empty() && args.plan.is_none() && args.like.is_none();
    let mut counts = if unasked { vec![1, most] } else { args.procs.clone() };
    counts.dedup();
    PlanArgs { procs: counts, ..args.clone() }
}

/// `campaign` with what is known of its hosts; differences between them come before all other notes.
///
/// # Errors
/// A host does not answer.
pub fn described(mut campaign: Campaign, hosts: &dyn Hosts) -> Result<Campaign> {
    let (facts, differences) = hosts.describe(dir_of(&campaign))?;
    campaign.environment.0.extend(facts.0);
    campaign.notes.splice(0..0, differences);
    Ok(campaign)
}

/// What the report must say when `campaign` goes on with `hosts`; nothing when they are those of its begin.
///
/// # Errors
/// They are others, and that was not `allowed`; there are fewer than the plan needs; one does not answer.
pub fn resumed(
    (campaign, prepared): (&Campaign, &Prepared),
    hosts: &dyn Hosts,
    allowed: bool,
) -> Result<Option<String>> {
    process_limit::check(prepared, hosts)?;
    let (facts, _) = hosts.describe(dir_of(campaign))?;
    let [begun, now] = [&campaign.environment, &facts].map(|facts| facts.0.get(HOSTS));
    if begun == now {
        return Ok(None);
    }
    let [begun, now] = [begun, now].map(|hosts| hosts.map_or("one machine, without MPI", |h| h));
    if !allowed {
        return Err(exit::usage(format!(
            "{} was begun on {begun}, and this is {now}; start it there, or take --hosts-changed",
            campaign.id
        )));
    }
    Ok(Some(format!("the hosts changed: begun on {begun}, resumed on {now}")))
}

/// The fact that names the hosts, with the ranks of each.
const HOSTS: &str = "hosts";

/// A directory that the campaign works in.
fn dir_of(campaign: &Campaign) -> &Path {
    let dir = campaign.plan.targets.iter().find_map(|target| match target {
        Target::Dir(dir) => Some(dir.as_path()),
        _ => None,
    });
    dir.unwrap_or(Path::new("/"))
}

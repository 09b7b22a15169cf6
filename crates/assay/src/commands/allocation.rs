//! Campaigns whose workers run on several hosts: how many there can be, which targets they can use, and the notes for
//! the report. A campaign on this machine alone has no such notes.

use super::plan_input;
use crate::{cli::PlanArgs, exit, process_limit, repeat, terminal};
use anyhow::Result;
use campaign::{run::hosts::Hosts, stages::Resolved};
use model::{
    plan::{Order, Plan},
    result::{Campaign, Note},
    target::Target,
    workload::Numa,
};
use report::words;
use std::{path::Path, sync::atomic::AtomicBool};

/// The plan of `args`, read until `stop`. Workers of an allocation are there from the start: unasked they are one and
/// all, never more; candidates take turns, and are directories that every host has.
///
/// # Errors
/// As of [`plan_input::asked`] and [`Resolved::until`]; more workers are asked for than there are, or what only one
/// host could have.
pub fn resolved(
    args: &PlanArgs,
    (store, state): (&Path, &Path),
    hosts: &dyn Hosts,
    stop: &AtomicBool,
) -> Result<Resolved> {
    let allocated = hosts.most_workers().map(|most| with_workers(args, most, hosts.is_shifted()));
    let mut asked = plan_input::asked(allocated.as_ref().unwrap_or(args), store, state)?;
    asked.plan.shift |= hosts.is_shifted();
    if allocated.is_some() {
        asked.plan.order = Some(Order::InTurn);
    }
    let resolved = Resolved::until(stop, asked, &terminal::note)?;
    if let Some(like) = &args.like {
        repeat::check(&resolved, like)?;
    }
    process_limit::check(&resolved, hosts)?;
    check_shift(&resolved, hosts)?;
    check_numa(&resolved, hosts)?;
    let made = resolved.targets.iter().find(|target| target.directory().is_none());
    if let Some(made) = made.filter(|_| allocated.is_some() && hosts.is_many()) {
        return Err(exit::usage(format!(
            "{made} would exist on one host only; use a directory that all hosts share, with --on \
             dir:PATH"
        )));
    }
    Ok(resolved)
}

/// Fails where a host would read what it wrote although the plan wants another to do so.
fn check_shift(resolved: &Resolved, hosts: &dyn Hosts) -> Result<()> {
    let cannot = |count: &&u32| hosts.owners(**count).is_none();
    let Some(count) = resolved.counts.iter().filter(|_| resolved.plan.shift).find(cannot) else {
        return Ok(());
    };
    if hosts.most_workers().is_none() {
        return Err(exit::usage(
            "`shift` needs several hosts, and this is one machine; start assay-mpi under mpirun, \
             or remove `shift` from the plan",
        ));
    }
    let spread = spread(&hosts.names(*count));
    Err(exit::usage(format!(
        "--shift: {} would be on {spread}, so a host would read its own data; choose --procs such \
         that no host runs more than half of them",
        stats::description::processes(*count)
    )))
}

/// Fails where workers that a launcher has placed were to be kept on NUMA nodes.
fn check_numa(resolved: &Resolved, hosts: &dyn Hosts) -> Result<()> {
    let numa = resolved.plan.numa;
    match hosts.most_workers() {
        Some(_) if numa != Numa::None => Err(exit::usage(format!(
            "--numa {numa} is for workers of one machine; ranks are bound by what starts them: leave it out, and see \
             `mpirun --map-by numa --bind-to numa` or `srun --cpu-bind=ldoms`"
        ))),
        _ => Ok(()),
    }
}

/// How many workers each host has, e.g. `node1:4, node2:4`, when `names` has that of each.
pub fn spread(names: &[String]) -> String {
    let count = |host: &String| names.iter().filter(|name| *name == host).count();
    let is_first = |(at, host): &(usize, &String)| !names[..*at].contains(host);
    let hosts = names.iter().enumerate().filter(is_first);
    hosts.map(|(_, host)| format!("{host}:{}", count(host))).collect::<Vec<_>>().join(", ")
}

/// Describes for `plan` how the workers of each process count are spread over the hosts.
///
/// # Errors
/// A host does not answer.
pub fn lines(resolved: &Resolved, hosts: &dyn Hosts) -> Result<Vec<String>> {
    if hosts.most_workers().is_none() {
        return Ok(Vec::new());
    }
    let (_, differences) = hosts.describe(dir_of(&resolved.plan))?;
    let line = |count: &u32| {
        format!("{} on {}", stats::description::processes(*count), spread(&hosts.names(*count)))
    };
    let differences = differences.iter().map(words::note);
    let counts = resolved.counts.iter().map(line);
    let shifted = resolved.plan.shift.then(|| words::note(&Note::Shifted {}));
    Ok(differences.chain(counts).chain(shifted).collect())
}

fn with_workers(args: &PlanArgs, most: u32, is_shifted: bool) -> PlanArgs {
    // A plan file has its own.
    let unasked =
        args.procs.is_empty() && args.like.is_none() && matches!(args.plan_file(), Ok(None));
    let mut counts = match (unasked, is_shifted) {
        (false, _) => args.procs.clone(),
        // A single worker has no other to read from.
        (true, true) => vec![most],
        (true, false) => vec![1, most],
    };
    counts.dedup();
    PlanArgs { procs: counts, ..args.clone() }
}

/// `campaign` with what is known of its hosts; differences between them come before all other notes.
///
/// # Errors
/// A host does not answer.
pub fn described(mut campaign: Campaign, hosts: &dyn Hosts) -> Result<Campaign> {
    let (facts, differences) = hosts.describe(dir_of(&campaign.plan))?;
    campaign.environment.0.extend(facts.0);
    campaign.notes.extend(campaign.plan.shift.then_some(Note::Shifted {}));
    campaign.notes.splice(0..0, differences);
    Ok(campaign)
}

/// The note for the report if `campaign` continues on `hosts`; none if it was started on the same ones.
///
/// # Errors
/// They are others, and that was not `allowed`; there are fewer than the plan needs; one does not answer.
pub fn resumed(
    (campaign, resolved): (&Campaign, &Resolved),
    hosts: &dyn Hosts,
    allowed: bool,
) -> Result<Option<Note>> {
    process_limit::check(resolved, hosts)?;
    check_shift(resolved, hosts)?;
    let (facts, _) = hosts.describe(dir_of(&campaign.plan))?;
    let [begun, now] = [&campaign.environment, &facts].map(|facts| facts.0.get(HOSTS));
    if begun == now {
        return Ok(None);
    }
    let [begun, now] = [begun, now].map(|hosts| hosts.cloned());
    if !allowed {
        let [begun, now] =
            [&begun, &now].map(|hosts| hosts.as_deref().unwrap_or("one machine, without MPI"));
        return Err(exit::usage(format!(
            "{} was started on {begun}, and this is {now}; resume it there, or pass \
             --hosts-changed",
            campaign.id
        )));
    }
    Ok(Some(Note::HostsChanged { begun, now }))
}

/// The fact that names the hosts, with the ranks of each.
const HOSTS: &str = "hosts";

/// A directory that a campaign of `plan` works in.
fn dir_of(plan: &Plan) -> &Path {
    let dir = plan.targets.iter().find_map(|target| match target {
        Target::Dir(dir) => Some(dir.as_path()),
        _ => None,
    });
    dir.unwrap_or(Path::new("/"))
}

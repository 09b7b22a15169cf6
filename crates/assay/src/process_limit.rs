//! Limits the processes of a plan: the number of MPI ranks, or what one machine can start.

use crate::exit;
use anyhow::Result;
use campaign::{run::hosts::Hosts, stages::Resolved};

/// Processes that one machine starts at most.
const MOST_HERE: u32 = 1024;

/// Fails when the plan wants more workers than there can be on `hosts`.
pub fn check(resolved: &Resolved, hosts: &dyn Hosts) -> Result<()> {
    let ranks = hosts.most_workers();
    let most = ranks.unwrap_or(MOST_HERE);
    let Some(count) = resolved.counts.iter().find(|count| **count > most) else { return Ok(()) };
    Err(exit::usage(match ranks {
        Some(_) => format!(
            "{count} processes were requested, but only {most} ranks are running; start them with \
             `mpirun -n {count}`"
        ),
        None => format!("cannot run {count} processes on one machine; use --procs 1 to {most}"),
    }))
}

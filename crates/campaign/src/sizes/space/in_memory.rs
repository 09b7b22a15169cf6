//! Checks that what candidates hold in memory fits into it.

use crate::{machine::memory, messages::refusal, stages::Placed};
use anyhow::Result;
use model::text::Bytes;

/// Fails when a candidate in memory may outgrow the memory of the machine, which would kill other programs.
///
/// # Errors
/// A candidate may, its size is unknown, or the memory cannot be determined.
pub(super) fn check(placed: &Placed) -> Result<()> {
    let memory = memory::total()?;
    placed.targets.iter().try_for_each(|target| {
        let held = target
            .in_memory(lab::machine::memory(memory))
            .map_err(|error| refusal::usage(error.to_string()))?;
        match held.filter(|held| *held > share(memory)) {
            None => Ok(()),
            Some(held) => Err(refusal::usage(format!(
                "{target} may grow to {}, but a candidate may use {} of this machine's {memory} \
                 of memory; give it a smaller size",
                if held.0 == u64::MAX { "any amount".into() } else { held.to_string() },
                share(memory)
            ))),
        }
    })
}

/// Memory that a candidate may use: the rest is for workers, the page cache and all others.
fn share(memory: Bytes) -> Bytes {
    Bytes(memory.0 / 4 * 3)
}

//! Whether candidates stand side by side, where that is left to the program.

use super::{
    prepare::{self, Prepared},
    room,
    sizes::Range,
    sizing,
};
use crate::commands::run;
use anyhow::Result;
use model::{Bytes, Order};
use std::path::Path;

/// Most candidates that are side by side unasked: all hold their files, and their share of the page cache.
const MOST: usize = 6;
/// Memory that each needs for itself.
const LEAST_MEMORY: Bytes = Bytes(1 << 30);

/// Decides the order of `prepared` where its plan leaves it open: interleaved where there are several candidates
/// that can be there at once, and disk and memory hold them all.
///
/// # Errors
/// Room or memory cannot be asked for.
pub fn choose(prepared: &mut Prepared, state: &Path) -> Result<()> {
    if prepared.plan.order.is_some() {
        return Ok(());
    }
    let mut together = prepared.clone();
    together.plan.order = Some(Order::Interleaved);
    let order = match can_be(&together, state)? {
        true => Order::Interleaved,
        false => Order::InTurn,
    };
    prepared.plan.order = Some(order);
    Ok(())
}

fn can_be(together: &Prepared, state: &Path) -> Result<bool> {
    let memory = prepare::memory()?;
    let count = together.at_once();
    if !(2..=MOST).contains(&count) || memory.0 / (count as u64) < LEAST_MEMORY.0 {
        return Ok(false);
    }
    // The parts of a disk are there whatever the order.
    if !together.plan.backing.devices.is_empty() {
        return Ok(true);
    }
    if together.needs_sizes() {
        let free = sizing::room(together, &run::work_dir(together, state))?;
        return Ok(Range::holds(together, free, memory));
    }
    room::fits(together, state)
}

//! Adds up over the blocks of a campaign what was seen of failed writes, of silent damage and of mirrors.

use model::result::{
    AfterFault, Dataset, FailedWrites, FsyncReport, Mirrors, Scrub, Spread, TurnedBits,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was seen on one target of one request that failed, in all blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailedWriteCell {
    /// Stable test id.
    pub test: String,
    /// Display name of the test.
    pub name: String,
    /// Label.
    pub target: String,
    /// What was tried, with each outcome once.
    pub writes: FailedWrites,
    /// Tries in which fsync said that lost data was durable.
    pub lies: u64,
    /// The worst report of fsync to a program; `None` where the target has no such request.
    #[serde(rename = "told")]
    pub fsync_report: Option<FsyncReport>,
}

/// What was read on one target of one kind of silent damage, in all blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnedBitCell {
    /// Stable test id.
    pub test: String,
    /// Display name of the test.
    pub name: String,
    /// Label.
    pub target: String,
    /// What was tried and read; the seed is that of the first block.
    pub bits: TurnedBits,
}

/// What was read on one target of a mirror after one fault of a leg, in all blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MirrorCell {
    /// Stable test id.
    pub test: String,
    /// Display name of the test.
    pub name: String,
    /// Label.
    pub target: String,
    /// What was tried and read; the seed is that of the first block.
    pub mirrors: Mirrors,
}

/// Every cell with a sample of a request that failed, by test in the order of the suite, and target as in `targets`.
pub(crate) fn failed_write_cells(dataset: &Dataset, targets: &[String]) -> Vec<FailedWriteCell> {
    let cell = |at: At, all: Vec<&FailedWrites>| {
        let first = *all.first()?;
        let mut writes = FailedWrites { seen: Vec::new(), ..first.clone() };
        all.iter().flat_map(|own| &own.seen).for_each(|one| writes.note(*one));
        Some(FailedWriteCell {
            test: at.test,
            name: at.name,
            target: at.target,
            lies: writes.lies(),
            fsync_report: writes.seen.iter().map(|one| one.report()).max(),
            writes,
        })
    };
    let all = by_place(dataset, targets, AfterFault::failed_write);
    all.into_iter().filter_map(|(at, own)| cell(at, own)).collect()
}

/// Every cell with a sample of silent damage, in the same order.
pub(crate) fn turned_bit_cells(dataset: &Dataset, targets: &[String]) -> Vec<TurnedBitCell> {
    let cell = |at: At, all: Vec<&TurnedBits>| {
        let bits = added(&all)?;
        Some(TurnedBitCell { test: at.test, name: at.name, target: at.target, bits })
    };
    let all = by_place(dataset, targets, AfterFault::turned_bit);
    all.into_iter().filter_map(|(at, own)| cell(at, own)).collect()
}

fn added(all: &[&TurnedBits]) -> Option<TurnedBits> {
    let first = all.first()?;
    let mut bits = TurnedBits::new(first.fault, first.place, first.seed);
    for own in all {
        bits.tries += own.tries;
        bits.right += own.right;
        bits.repaired += own.repaired;
        bits.wrong += own.wrong;
        own.errors.iter().for_each(|one| bits.note_error(one.errno, one.tries));
    }
    bits.scrub = scrubbed(all.iter().filter_map(|own| own.scrub));
    Some(bits)
}

/// All of these scrubs together; `None` where there are none.
fn scrubbed(all: impl Iterator<Item = Scrub>) -> Option<Scrub> {
    let all: Vec<Scrub> = all.collect();
    let sum = |of: fn(&Scrub) -> u64| all.iter().map(of).sum();
    (!all.is_empty()).then(|| Scrub {
        tries: sum(|own| own.tries),
        detected: sum(|own| own.detected),
        repaired: sum(|own| own.repaired),
        time: Spread::of_blocks(&all.iter().filter_map(|own| own.time).collect::<Vec<_>>()),
    })
}

/// Every cell with a sample of a fault of a leg, in the same order.
pub(crate) fn mirror_cells(dataset: &Dataset, targets: &[String]) -> Vec<MirrorCell> {
    let cell = |at: At, all: Vec<&Mirrors>| {
        let mirrors = added_mirrors(&all)?;
        Some(MirrorCell { test: at.test, name: at.name, target: at.target, mirrors })
    };
    let all = by_place(dataset, targets, AfterFault::mirror);
    all.into_iter().filter_map(|(at, own)| cell(at, own)).collect()
}

fn added_mirrors(all: &[&Mirrors]) -> Option<Mirrors> {
    let first = all.first()?;
    let Mirrors { fault, seed, legs, enough, .. } = **first;
    let mut mirrors = Mirrors { legs, enough, ..Mirrors::new(fault, seed) };
    for own in all {
        mirrors.tries += own.tries;
        mirrors.unmet += own.unmet;
        mirrors.written += own.written;
        mirrors.refused += own.refused;
        own.reads.iter().for_each(|one| mirrors.note(one));
    }
    mirrors.scrub = scrubbed(all.iter().filter_map(|own| own.scrub));
    let rebuilds: Vec<Spread> = all.iter().filter_map(|own| own.rebuild).collect();
    mirrors.rebuild = Spread::of_blocks(&rebuilds);
    Some(mirrors)
}

/// Where a sample is.
pub(super) struct At {
    pub(super) test: String,
    pub(super) name: String,
    pub(super) target: String,
}

/// What `of` finds in the samples, by test in the order of the suite, and target as in `targets`.
pub(super) fn by_place<'a, T>(
    dataset: &'a Dataset,
    targets: &[String],
    of: impl Fn(&'a AfterFault) -> Option<&'a T>,
) -> Vec<(At, Vec<&'a T>)> {
    let mut cells: BTreeMap<(usize, usize), (At, Vec<&'a T>)> = BTreeMap::new();
    for sample in &dataset.samples {
        let Some(found) = sample.evidence.after_fault.as_deref().and_then(&of) else { continue };
        let case = &sample.case;
        let test = dataset.tests.iter().position(|test| test.id == case.test);
        let target = targets.iter().position(|label| *label == case.target);
        let Some((test, target)) = test.zip(target) else { continue };
        let at = || At {
            test: case.test.clone(),
            name: dataset.tests[test].name.clone(),
            target: case.target.clone(),
        };
        cells.entry((test, target)).or_insert_with(|| (at(), Vec::new())).1.push(found);
    }
    cells.into_values().collect()
}

//! Chooses the size of each test, if the plan leaves it open: between the smallest that is still the same test and the
//! largest that fits on the disk, such that, by the trial runs, a timed part is long enough.

use super::{
    free,
    load::TargetLoad,
    pilot::{self, Pilot},
    stretch::{
        FIRST_SCALE, Repeats, Resources, first, largest, length_s, part_s, stretched, units,
    },
};
use crate::{
    machine::memory,
    stages::{Amount, Item, Placed},
};
use anyhow::Result;
use model::{
    text::Bytes,
    workload::{TestSize, Work},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use suites::Stretch;

/// How much longer than aimed for a timed part may be by the rates of the backing, so that a candidate that
/// is faster than these finds room as well.
const HEADROOM: f64 = 2.0;
/// Smallest factor on the large vectors, which then are as small as they may become.
const LEAST_LARGE_SCALE: f64 = 1.0 / 64.0;
/// Time by the rates of the backing for which room is still looked for, seconds.
const LEAST_ROOM_S: f64 = 1e-3;
/// Rate that few backings exceed for files that are written and synced, bytes per second.
const FASTEST: f64 = 2e9;
/// Share of the free space that files or image may take.
const SPACE_SHARE: f64 = 0.8;
/// Most by which a trial makes a test longer at once: how its time grows is not known yet.
const MOST_GROWTH: f64 = 30.0;

/// A test at a process count.
pub type Key = (String, u32);

/// The sizes with which trying begins, and the largest ones, as long as the disk holds them.
#[derive(Clone, Debug)]
pub struct Range {
    /// The sizes of the first trial, for each test and process count.
    pub first: Amount,
    /// The most, in the same order.
    pub most: Amount,
}

impl Range {
    /// The range of `placed` with `resources`.
    pub fn of(placed: &Placed, resources: &Resources) -> Range {
        let mut large_scale = placed.plan.preset.large_scale();
        let aim_s = placed.plan.preset.aim_s();
        let mut headroom = HEADROOM;
        loop {
            let least = each(placed, |item, count| first(item, count, large_scale));
            let largest = |item: &Item, count| {
                let from = first(item, count, large_scale);
                let room_s = length_s(item, aim_s) * headroom;
                largest(placed, item, count, from, (room_s, resources, Repeats::Free))
            };
            let most = each(placed, largest);
            let [first, most] = [least, most].map(|sizes| Amount { scale: large_scale, sizes });
            if aim_s * headroom < LEAST_ROOM_S || fits(placed, &most, resources) {
                return Range { first, most };
            }
            (large_scale, headroom) = ((large_scale / 2.0).max(LEAST_LARGE_SCALE), headroom / 2.0);
        }
    }

    /// Whether the tests of `placed` fit into the room of each target however fast the backing is.
    pub fn holds(placed: &Placed, free: Bytes, memory: Bytes) -> bool {
        let pilot = Pilot { write_bytes_per_s: FASTEST, read_bytes_per_s: FASTEST };
        let range = Range::of(placed, &Resources { pilot, free: Bytes(u64::MAX), memory });
        let resources = Resources { pilot, free, memory };
        fits(placed, &range.most, &resources)
    }

    /// The sizes that are right by the rates of the backing, where nothing is tried.
    fn expected(placed: &Placed, resources: &Resources) -> Amount {
        let range = Range::of(placed, resources);
        let scale = range.first.scale;
        let expected = |item: &Item, count| {
            let from = first(item, count, scale);
            let aim_s = length_s(item, placed.plan.preset.aim_s());
            largest(placed, item, count, from, (aim_s, resources, Repeats::Counted))
        };
        let mut sizes = each(placed, expected);
        share(placed, &mut sizes);
        Amount { scale, sizes }
    }
}

/// The load of `placed` and the rates of its backing `work`, as far as they are known before anything is made: where
/// sizes are left open, those that are right by the rates.
///
/// # Errors
/// The backing cannot be tried, or its room or the memory cannot be asked for.
pub fn expected_load(placed: &Placed, work: &Path) -> Result<(TargetLoad, Pilot)> {
    let (pilot, memory) = (pilot::pilot(work)?, memory::total()?);
    let mut amount = placed.amount();
    if placed.needs_sizes() {
        let resources = Resources { pilot, free: free::room(placed, work)?, memory };
        amount.sizes = Range::expected(placed, &resources).sizes;
    }
    Ok((TargetLoad::of(placed, &amount, memory), pilot))
}

fn each(placed: &Placed, size: impl Fn(&Item, u32) -> TestSize) -> Vec<TestSize> {
    let counts = |item: &'_ Item| item.counts.clone();
    let pairs =
        placed.items.iter().flat_map(|item| counts(item).into_iter().map(move |n| (item, n)));
    pairs.map(|(item, count)| size(item, count)).collect()
}

fn fits(placed: &Placed, most: &Amount, resources: &Resources) -> bool {
    let load = TargetLoad::of(placed, most, resources.memory);
    (load.image_bytes().0 as f64) < resources.free.0 as f64 * SPACE_SHARE
}

/// What was seen of a test at a size on one target.
#[derive(Clone, Debug)]
pub struct TrialResult {
    /// The size.
    pub size: TestSize,
    /// Length of its timed part, or of the shortest of a run that has several.
    pub seconds: f64,
}

/// What was seen of all tests, by target.
#[derive(Debug, Default)]
pub struct Trials(BTreeMap<Key, Vec<TrialResult>>);

impl Trials {
    /// Adds what was seen.
    pub fn add(&mut self, seen: TrialResult) {
        self.0.entry((seen.size.test.clone(), seen.size.procs)).or_default().push(seen);
    }

    /// What the timed parts of one candidate take at `sizes`, by what was seen last of each test, seconds.
    pub fn expected_s(&self, placed: &Placed, sizes: &[TestSize]) -> f64 {
        let of_item = |item: &Item| {
            let own = sizes.iter().filter(|size| size.test == item.test.infos()[0].id);
            let parts = item.test.parts().map_or(1, |parts| parts.ids.len().max(1)) as f64;
            let seconds = own.filter_map(|size| {
                let last = self.0.get(&(size.test.clone(), size.procs))?.last()?;
                Some(last.seconds * units(item, size) / units(item, &last.size) * parts)
            });
            seconds.sum::<f64>()
        };
        placed.items.iter().map(of_item).sum()
    }

    /// The sizes that take `aim_s` by what was seen, within `range`: on the middle of the candidates, and not
    /// much less on the fastest. With `bold` however far it is from what was seen, else step by step.
    pub fn sizes(&self, placed: &Placed, range: &Range, aim_s: f64, bold: bool) -> Vec<TestSize> {
        let mut sizes = Vec::new();
        let mut bounds = range.first.sizes.iter().zip(&range.most.sizes);
        for item in &placed.items {
            for _ in &item.counts {
                let Some((first, most)) = bounds.next() else { break };
                let key = (first.test.clone(), first.procs);
                let wanted = match self.0.get(&key) {
                    Some(seen) => aimed(item, seen, part_s(item, aim_s), bold),
                    None => units(item, first),
                };
                let (least, most) = (units(item, first), units(item, most));
                let factor = wanted.min(most).max(least) / least;
                sizes.push(stretched(item, first, factor));
            }
        }
        share(placed, &mut sizes);
        sizes
    }
}

/// Units that take `aim_s`: by the last of what was seen on each target where trying continues, and by the
/// geometric mean of the targets at its end, where the fastest may stay below, but not by half.
fn aimed(item: &Item, seen: &[TrialResult], aim_s: f64, bold: bool) -> f64 {
    let of_one = |seen: &TrialResult| aim_s * units(item, &seen.size) / seen.seconds.max(1e-6);
    let Some(last) = seen.last() else { return 0.0 };
    let largest = units(item, &last.size);
    if !bold {
        return of_one(last).clamp(largest, largest * MOST_GROWTH);
    }
    // What was seen of much smaller files says little compared with what was seen later. The same files once more take
    // as long as before, so that a slow candidate, tried last, does not hide how fast the others are.
    let is_repeated = matches!(item.test.stretch(), Stretch::Times | Stretch::Passes(_));
    let least = if is_repeated { largest / MOST_GROWTH } else { largest / 4.0 };
    let near = seen.iter().filter(|s| units(item, &s.size) >= least);
    let all: Vec<f64> = near.map(of_one).collect();
    let mean = (all.iter().map(|units| units.ln()).sum::<f64>() / all.len() as f64).exp();
    let fastest = all.iter().copied().fold(0.0, f64::max);
    mean.max(fastest * 0.5)
}

/// Gives tests that share files as many, or as large ones: what an earlier test leaves is what a later one
/// works on.
fn share(placed: &Placed, sizes: &mut [TestSize]) {
    let counts = placed.counts.clone();
    for count in counts {
        share_copies(placed, sizes, count);
        share_scale(placed, sizes, count);
    }
}

fn share_copies(placed: &Placed, sizes: &mut [TestSize], count: u32) {
    // From the last test to the first: who comes before makes at least as many as are needed after it.
    let mut needed = BTreeMap::<&str, u32>::new();
    for item in placed.items_at(count).rev() {
        let Stretch::Copies(path) = item.test.stretch() else { continue };
        let Some(work) = work_of(sizes, item, count) else { continue };
        let later = needed.iter().filter(|(other, _)| is_within(path, other));
        work.copies = later.map(|(_, copies)| *copies).fold(work.copies, u32::max);
        needed.insert(path, work.copies);
    }
    let mut there = BTreeMap::<&str, u32>::new();
    for item in placed.items_at(count) {
        let Some(work) = work_of(sizes, item, count) else { continue };
        match item.test.stretch() {
            Stretch::Copies(path) => drop(there.insert(path, work.copies)),
            Stretch::Passes(path) => {
                let there = there.get(path).copied().unwrap_or(1);
                work.copies = there.min(work.times.floor().max(1.0) as u32);
            }
            _ => {}
        }
    }
}

/// Whether one of two paths lies in the other, or is the other.
fn is_within(a: &str, b: &str) -> bool {
    Path::new(a).starts_with(b) || Path::new(b).starts_with(a)
}

fn work_of<'a>(sizes: &'a mut [TestSize], item: &Item, count: u32) -> Option<&'a mut Work> {
    let test = &item.test.infos()[0].id;
    sizes.iter_mut().find(|size| size.procs == count && size.test == *test)?.work.as_mut()
}

fn share_scale(placed: &Placed, sizes: &mut [TestSize], count: u32) {
    let own = |item: &&Item| item.test.stretch() == Stretch::Scale;
    let items: Vec<&Item> = placed.items_at(count).filter(own).collect();
    let mut owner = BTreeMap::<PathBuf, usize>::new();
    let mut group: Vec<usize> = (0..items.len()).collect();
    for (at, item) in items.iter().enumerate() {
        let job = placed.job(item, count, &Amount::scaled(FIRST_SCALE), Bytes(0));
        for (path, _) in item.test.space(&job) {
            let first = *owner.entry(path).or_insert(at);
            let (from, to) = (group[at].max(group[first]), group[at].min(group[first]));
            group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
        }
    }
    let at = |sizes: &[TestSize], item: &Item| {
        let test = &item.test.infos()[0].id;
        sizes.iter().position(|size| size.procs == count && size.test == *test)
    };
    for of in 0..items.len() {
        let members = items.iter().zip(&group).filter(|(_, g)| **g == of).map(|(item, _)| *item);
        let places: Vec<usize> = members.filter_map(|item| at(sizes, item)).collect();
        let largest = places.iter().map(|&at| sizes[at].scale).fold(0.0, f64::max);
        places.into_iter().for_each(|at| sizes[at].scale = largest);
    }
}

#[cfg(test)]
mod tests;

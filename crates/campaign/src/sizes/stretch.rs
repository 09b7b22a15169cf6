//! The smallest and largest size of one test: how it is lengthened, and how far the rates of the backing allow.

use super::{load::TargetLoad, pilot::Pilot};
use crate::stages::{Amount, Item, Placed};
use model::{
    text::Bytes,
    workload::{Job, TestSize, Work},
};
use suites::Stretch;

/// Share of the original suite's repetitions in the first trial.
pub(crate) const FIRST_TIMES: f64 = 0.001;
/// Scale of the first trial of a test that is lengthened by its sizes.
pub(crate) const FIRST_SCALE: f64 = 0.002;
/// Largest scale and most repetitions, as shares of the original suite's.
const MOST_SCALE: f64 = 1.0;
const MOST_TIMES: f64 = 1e5;
const MOST_COPIES: f64 = 4096.0;
/// Largest scale of an external program that hides short parts.
const MOST_PARTS_SCALE: f64 = 16.0;
/// Share of the memory that the files of one test may take: some tests hold what they read.
const MEMORY_SHARE: f64 = 0.25;

/// Resources of the machine on which a campaign is measured.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Rates of the backing.
    pub pilot: Pilot,
    /// Bytes that each target has for itself.
    pub free: Bytes,
    /// Memory of the machine.
    pub memory: Bytes,
}

/// The smallest size at which a test is still the same test.
pub(crate) fn first(item: &Item, count: u32, large_scale: f64) -> TestSize {
    let test = item.test.infos()[0].id.clone();
    let shared = |times| TestSize {
        test: test.clone(),
        procs: count,
        // All workers together move as much as one would.
        scale: large_scale / f64::from(item.workers(count).1),
        work: Some(Work { times, copies: 1 }),
    };
    match item.test.stretch() {
        Stretch::Scale => TestSize { test, procs: count, scale: FIRST_SCALE, work: None },
        Stretch::Times => shared(FIRST_TIMES),
        Stretch::Copies(_) | Stretch::Passes(_) | Stretch::Given => shared(1.0),
    }
}

/// Cost of repeats over the same files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// Only writes count, as the speed of page cache and kernel is unknown: a bound for trials.
    Free,
    /// As if it read from the backing, and each operation took the usual time: an expectation.
    Counted,
}

/// Returns the most work of a test that fits: it takes `room_s` by the rates of the backing.
pub(crate) fn largest(
    placed: &Placed,
    item: &Item,
    count: u32,
    from: TestSize,
    (room_s, resources, repeats): (f64, &Resources, Repeats),
) -> TestSize {
    let (workers, stretch) = (item.workers(count).0, item.test.stretch());
    let is_free =
        repeats == Repeats::Free && matches!(stretch, Stretch::Times | Stretch::Passes(_));
    let has_parts = item.test.parts().is_some();
    let allowed = |size: &TestSize| {
        let job = placed.job(item, count, &Amount::scaled(size.scale), resources.memory);
        let mut estimate = item.test.estimate(&Job { work: size.work, ..job });
        if is_free {
            (estimate.read_bytes, estimate.ops) = (0, 0);
        }
        let mut load = TargetLoad::default();
        load.add(&estimate, workers, false);
        // External programs keep nothing that they read in memory.
        let read = if has_parts { 0 } else { estimate.read_bytes };
        let held = estimate.disk_bytes.max(read).max(estimate.scratch_bytes);
        let held = held as f64 * f64::from(workers);
        let memory = resources.memory.0 as f64 * MEMORY_SHARE / placed.at_once() as f64;
        load.work_seconds(&resources.pilot) <= room_s && held <= memory
    };
    let most = match stretch {
        Stretch::Scale if has_parts => MOST_PARTS_SCALE / from.scale,
        Stretch::Scale => MOST_SCALE / from.scale,
        Stretch::Copies(_) => MOST_COPIES,
        Stretch::Times | Stretch::Passes(_) => MOST_TIMES / units(item, &from),
        Stretch::Given => 1.0,
    };
    let (mut low, mut high) = (1.0, most);
    while high / low > 1.1 {
        let middle: f64 = (low * high).sqrt();
        if allowed(&stretched(item, &from, middle)) { low = middle } else { high = middle }
    }
    stretched(item, &from, low)
}

/// Length of the shortest part of a run of `item`, seconds, if timed parts are to take `aim_s`.
pub(crate) fn part_s(item: &Item, aim_s: f64) -> f64 {
    item.test.parts().map_or(aim_s, |parts| parts.aim_s.max(aim_s))
}

/// Length of its timed part.
pub(crate) fn length_s(item: &Item, aim_s: f64) -> f64 {
    let parts = item.test.parts().map_or(1, |parts| parts.ids.len().max(1));
    part_s(item, aim_s) * parts as f64
}

/// Unit of a test's size: its scale, its repetitions or its copies.
pub(crate) fn units(item: &Item, size: &TestSize) -> f64 {
    let work = size.work.unwrap_or_default();
    match item.test.stretch() {
        Stretch::Scale => size.scale,
        Stretch::Times | Stretch::Passes(_) => work.times,
        Stretch::Copies(_) => f64::from(work.copies),
        Stretch::Given => 1.0,
    }
}

/// Returns `size` times `factor`.
pub(crate) fn stretched(item: &Item, size: &TestSize, factor: f64) -> TestSize {
    let units = units(item, size) * factor;
    let mut size = size.clone();
    match (item.test.stretch(), &mut size.work) {
        (Stretch::Scale, _) => size.scale = two_digits(units),
        (Stretch::Times | Stretch::Passes(_), Some(work)) => work.times = two_digits(units),
        (Stretch::Copies(_), Some(work)) => work.copies = units.round().max(1.0) as u32,
        _ => {}
    }
    size
}

/// Rounds to two digits, so that the printed number is exact.
pub(crate) fn two_digits(value: f64) -> f64 {
    let digit = 10f64.powf(value.log10().floor() - 1.0);
    ((value / digit).round() * digit * 1e9).round() / 1e9
}

//! How much each test does, where that is left to the program: the least that is still the test, the most
//! that the disk has room for, and what makes a timed part long enough, by what was seen of it.

use super::{
    prepare::{Item, Prepared},
    sizing::{Load, Pilot},
    stretch::{FIRST_SCALE, Ground, Repeats, first, largest, stretched, units},
};
use model::{Bytes, TestSize, Work};
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
    /// Factor on the large vectors.
    pub large_scale: f64,
    /// For each test and count.
    pub first: Vec<TestSize>,
    /// In the same order.
    pub most: Vec<TestSize>,
}

impl Range {
    /// The range of `prepared` at `ground`.
    pub fn of(prepared: &Prepared, ground: &Ground) -> Range {
        let mut large_scale = prepared.plan.preset.large_scale();
        let mut room_s = prepared.plan.preset.aim_s() * HEADROOM;
        loop {
            let least = each(prepared, |item, count| first(item, count, large_scale));
            let largest = |item: &Item, count| {
                let from = first(item, count, large_scale);
                largest(prepared, item, count, from, (room_s, ground, Repeats::Free))
            };
            let most = each(prepared, largest);
            let range = Range { large_scale, first: least, most };
            if room_s < LEAST_ROOM_S || fits(&range.most_of(prepared), large_scale, ground) {
                return range;
            }
            (large_scale, room_s) = ((large_scale / 2.0).max(LEAST_LARGE_SCALE), room_s / 2.0);
        }
    }

    /// Whether the tests of `prepared` fit into the room of each target however fast the backing is.
    pub fn holds(prepared: &Prepared, free: Bytes, memory: Bytes) -> bool {
        let pilot = Pilot { write_bytes_per_s: FASTEST, read_bytes_per_s: FASTEST };
        let range = Range::of(prepared, &Ground { pilot, free: Bytes(u64::MAX), memory });
        let ground = Ground { pilot, free, memory };
        fits(&range.most_of(prepared), range.large_scale, &ground)
    }

    /// The sizes that are right by the rates of the backing, for who may try nothing.
    pub fn expected(prepared: &Prepared, ground: &Ground) -> Vec<TestSize> {
        let range = Range::of(prepared, ground);
        let expected = |item: &Item, count| {
            let from = first(item, count, range.large_scale);
            let aim_s = prepared.plan.preset.aim_s();
            largest(prepared, item, count, from, (aim_s, ground, Repeats::Counted))
        };
        let mut sizes = each(prepared, expected);
        share(prepared, &mut sizes);
        sizes
    }

    /// `prepared` with the largest sizes, for the room that it needs.
    pub fn most_of(&self, prepared: &Prepared) -> Prepared {
        let mut prepared = prepared.clone();
        prepared.plan.sizes.clone_from(&self.most);
        prepared
    }
}

fn each(prepared: &Prepared, size: impl Fn(&Item, u32) -> TestSize) -> Vec<TestSize> {
    let counts = |item: &'_ Item| item.counts.clone();
    let pairs =
        prepared.items.iter().flat_map(|item| counts(item).into_iter().map(move |n| (item, n)));
    pairs.map(|(item, count)| size(item, count)).collect()
}

fn fits(most: &Prepared, large_scale: f64, ground: &Ground) -> bool {
    let load = Load::of(most, large_scale, ground.memory);
    (load.image_bytes().0 as f64) < ground.free.0 as f64 * SPACE_SHARE
}

/// What was seen of a test at a size on one target.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The size.
    pub size: TestSize,
    /// Length of its timed part.
    pub seconds: f64,
}

/// What was seen of all tests, by target.
#[derive(Debug, Default)]
pub struct Trials(BTreeMap<Key, Vec<Seen>>);

impl Trials {
    /// Adds what was seen.
    pub fn add(&mut self, seen: Seen) {
        self.0.entry((seen.size.test.clone(), seen.size.procs)).or_default().push(seen);
    }

    /// The sizes that take `aim_s` by what was seen, within `range`: on the middle of the candidates, and not
    /// much less on the fastest. With `bold` however far it is from what was seen, else step by step.
    pub fn sizes(
        &self,
        prepared: &Prepared,
        range: &Range,
        aim_s: f64,
        bold: bool,
    ) -> Vec<TestSize> {
        let mut sizes = Vec::new();
        let mut bounds = range.first.iter().zip(&range.most);
        for item in &prepared.items {
            for _ in &item.counts {
                let Some((first, most)) = bounds.next() else { break };
                let key = (first.test.clone(), first.procs);
                let wanted = match self.0.get(&key) {
                    Some(seen) => aimed(item, seen, aim_s, bold),
                    None => units(item, first),
                };
                let (least, most) = (units(item, first), units(item, most));
                let factor = wanted.min(most).max(least) / least;
                sizes.push(stretched(item, first, factor));
            }
        }
        share(prepared, &mut sizes);
        sizes
    }

    /// The tests that cannot do more, because `range` ends, and whose timed part is shorter than `floor_s` with
    /// it, by the last that was seen of them.
    pub fn short(
        &self,
        prepared: &Prepared,
        (sizes, range): (&[TestSize], &Range),
        floor_s: f64,
    ) -> Vec<(Key, f64)> {
        let item = |test: &str| prepared.items.iter().find(|item| item.test.infos()[0].id == test);
        let length = |(size, most): (&TestSize, &TestSize)| {
            let (key, item) = ((size.test.clone(), size.procs), item(&size.test)?);
            let last = self.0.get(&key)?.last()?;
            let is_most = units(item, size) >= units(item, most);
            let seconds = last.seconds / units(item, &last.size) * units(item, size);
            (is_most && seconds < floor_s).then_some((key, seconds))
        };
        sizes.iter().zip(&range.most).filter_map(length).collect()
    }
}

/// Units that take `aim_s`: by the last of what was seen on each target where trying goes on, and by the
/// geometric mean of the targets at its end, where the fastest may stay below, but not by half.
fn aimed(item: &Item, seen: &[Seen], aim_s: f64, bold: bool) -> f64 {
    let of_one = |seen: &Seen| aim_s * units(item, &seen.size) / seen.seconds.max(1e-6);
    let Some(last) = seen.last() else { return 0.0 };
    let largest = units(item, &last.size);
    if !bold {
        return of_one(last).clamp(largest, largest * MOST_GROWTH);
    }
    // What was seen of much smaller files says little beside what was seen later. The same files once more take
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
fn share(prepared: &Prepared, sizes: &mut [TestSize]) {
    let counts = prepared.counts.clone();
    for count in counts {
        share_copies(prepared, sizes, count);
        share_scale(prepared, sizes, count);
    }
}

fn share_copies(prepared: &Prepared, sizes: &mut [TestSize], count: u32) {
    // From the last test to the first: who comes before makes at least as many as are needed after it.
    let mut needed = BTreeMap::<&str, u32>::new();
    for item in prepared.items_at(count).collect::<Vec<_>>().into_iter().rev() {
        let Stretch::Copies(path) = item.test.stretch() else { continue };
        let Some(work) = work_of(sizes, item, count) else { continue };
        let later = needed.iter().filter(|(other, _)| is_within(path, other));
        work.copies = later.map(|(_, copies)| *copies).fold(work.copies, u32::max);
        needed.insert(path, work.copies);
    }
    let mut there = BTreeMap::<&str, u32>::new();
    for item in prepared.items_at(count) {
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

fn share_scale(prepared: &Prepared, sizes: &mut [TestSize], count: u32) {
    let own = |item: &&Item| item.test.stretch() == Stretch::Scale;
    let items: Vec<&Item> = prepared.items_at(count).filter(own).collect();
    let mut owner = BTreeMap::<PathBuf, usize>::new();
    let mut group: Vec<usize> = (0..items.len()).collect();
    for (at, item) in items.iter().enumerate() {
        let job = prepared.job(item, count, FIRST_SCALE, Bytes(0));
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
mod tests {
    use super::*;
    use crate::places::Place;
    use crate::stretch::FIRST_TIMES;
    use model::{Plan, Preset};

    const GROUND: Ground = Ground {
        pilot: Pilot { write_bytes_per_s: 5e8, read_bytes_per_s: 1e9 },
        free: Bytes(50 << 30),
        memory: Bytes(16 << 30),
    };

    fn prepared(suite: &str, procs: Vec<u32>, preset: Preset) -> Prepared {
        let targets = vec!["ext4".parse().unwrap(), "xfs".parse().unwrap()];
        let plan = Plan { targets, suites: vec![suite.into()], procs, preset, ..Plan::default() };
        let mut prepared = Prepared::new(plan, &|_| ()).unwrap();
        prepared.settle(vec![Place::Host; prepared.places.len()]).unwrap();
        prepared
    }

    fn size<'a>(sizes: &'a [TestSize], test: &str, procs: u32) -> &'a TestSize {
        sizes.iter().find(|size| size.test == test && size.procs == procs).unwrap()
    }

    /// As if each run took `unit_s` for each unit on the one target, and `other` times that on the other.
    fn trials(prepared: &Prepared, range: &Range, unit_s: f64, other: f64) -> Trials {
        let mut trials = Trials::default();
        for factor in [1.0, other] {
            for size in &range.first {
                let named = |item: &&Item| item.test.infos()[0].id == size.test;
                let item = prepared.items.iter().find(named).unwrap();
                let seconds = units(item, size) * unit_s * factor;
                trials.add(Seen { size: size.clone(), seconds });
            }
        }
        trials
    }

    #[test]
    fn every_size_has_room_and_can_be_stored() {
        for suite in ["columnar", "files", "metadata", "mixed", "stream", "oltp", "matrix"] {
            for preset in [Preset::Smoke, Preset::Quick, Preset::Standard, Preset::Publish] {
                let prepared = prepared(suite, vec![1, 8], preset);
                let range = Range::of(&prepared, &GROUND);
                assert!(fits(&range.most_of(&prepared), range.large_scale, &GROUND), "{suite}");
                let plan = Plan { sizes: range.most.clone(), ..Plan::default() };
                plan.check().unwrap();
                let cases: usize = prepared.items.iter().map(|item| item.counts.len()).sum();
                assert_eq!((range.first.len(), range.most.len()), (cases, cases));
            }
        }
    }

    #[test]
    fn a_plan_expects_cases_as_long_as_they_are_aimed_at() {
        let prepared = prepared("columnar", vec![1, 8], Preset::Quick);
        let mut sized = prepared.clone();
        sized.plan.sizes = Range::expected(&prepared, &GROUND);
        let load = Load::of(&sized, Preset::Quick.large_scale(), GROUND.memory);
        let each_s = load.work_seconds(&GROUND.pilot) / load.cases as f64;
        let aim_s = Preset::Quick.aim_s();
        assert!((0.3 * aim_s..2.0 * aim_s).contains(&each_s), "{each_s} s, not {aim_s} s");
    }

    #[test]
    fn where_there_is_little_room_large_vectors_shrink_and_no_test_is_another() {
        let prepared = prepared("columnar", vec![8], Preset::Publish);
        let ground = Ground { free: Bytes(8 << 30), ..GROUND };
        let range = Range::of(&prepared, &ground);
        assert!(range.large_scale < Range::of(&prepared, &GROUND).large_scale);
        let bytes = |test: &str| {
            let mut sized = prepared.clone();
            sized.plan.sizes.clone_from(&range.first);
            let item = sized.items.iter().find(|item| item.test.infos()[0].id == test).unwrap();
            item.test.estimate(&sized.job(item, 8, 1.0, ground.memory)).write_bytes
        };
        let tests =
            ["tiny", "small", "medium"].map(|name| bytes(&format!("columnar.write.int.{name}")));
        let float = bytes("columnar.write.float.large");
        let huge = bytes("columnar.write.int.huge");
        assert_eq!(tests, [2047 * 8 + 16, 64512 * 8 + 16, 520192 * 8 + 16]);
        assert!(float >= 2 * tests[2] - 16 && huge >= 4 * float - 64, "{float} {huge}");
    }

    #[test]
    fn the_fastest_is_not_far_below_what_is_aimed_for() {
        let prepared = prepared("columnar", vec![1], Preset::Quick);
        let range = Range::of(&prepared, &GROUND);
        let at = |other| {
            let trials = trials(&prepared, &range, 1.0, other);
            let sizes = trials.sizes(&prepared, &range, 10.0, true);
            size(&sizes, "columnar.openclose", 1).work.unwrap().times
        };
        assert_eq!(at(1.0), 10.0);
        // The mean of 1 and 1/4 is 1/2; that of 1 and 1/100 would leave the fast one a tenth.
        assert_eq!(at(0.25), 20.0);
        assert_eq!(at(0.01), 500.0);
    }

    #[test]
    fn a_slow_candidate_tried_last_does_not_hide_a_fast_one() {
        let prepared = prepared("columnar", vec![1], Preset::Quick);
        let range = Range::of(&prepared, &GROUND);
        let times = |test: &str| {
            let first = range.first.iter().find(|size| size.test == test).unwrap();
            let mut trials = Trials::default();
            for (times, seconds) in [(0.03, 0.0045), (0.4, 0.8)] {
                let work = first.work.map(|work| Work { times, ..work });
                trials.add(Seen { size: TestSize { work, ..first.clone() }, seconds });
            }
            size(&trials.sizes(&prepared, &range, 0.15, true), test, 1).work.unwrap().times
        };
        // The fast one takes 0.15 s for 1.0, the slow one for 0.075: half of the former.
        assert_eq!(times("columnar.replace.int.small"), 0.5);
    }

    #[test]
    fn a_trial_grows_step_by_step() {
        let prepared = prepared("columnar", vec![1], Preset::Quick);
        let range = Range::of(&prepared, &GROUND);
        let trials = trials(&prepared, &range, 1e-9, 1.0);
        let sizes = trials.sizes(&prepared, &range, 1.0, false);
        let times = size(&sizes, "columnar.openclose", 1).work.unwrap().times;
        assert_eq!(times, FIRST_TIMES * MOST_GROWTH);
    }

    #[test]
    fn what_later_tests_read_is_made_by_those_before() {
        let prepared = prepared("columnar", vec![1], Preset::Quick);
        let range = Range::of(&prepared, &GROUND);
        let mut trials = trials(&prepared, &range, 1.0, 1.0);
        let read = size(&range.first, "columnar.read.float.large", 1).clone();
        (0..2).for_each(|_| trials.add(Seen { size: read.clone(), seconds: 0.1 }));
        let sizes = trials.sizes(&prepared, &range, 0.5, true);
        let copies = |test: &str| size(&sizes, test, 1).work.unwrap().copies;
        let wanted = copies("columnar.read.float.large");
        assert!(wanted > 1);
        assert_eq!(copies("columnar.write.float.large"), wanted);
        assert_eq!(copies("columnar.append.float.large"), wanted);
        // Who sorts tables needs both columns, who reads one of them does not need the other.
        assert_eq!(copies("columnar.append.sym.large"), copies("columnar.sort"));
        assert_eq!(copies("columnar.sort"), 1);
        assert_eq!(copies("columnar.write.int.small"), 1);
        assert!(copies("columnar.reread.float.large") <= wanted);
    }

    #[test]
    fn what_is_read_again_is_there() {
        let prepared = prepared("columnar", vec![1], Preset::Quick);
        let range = Range::of(&prepared, &GROUND);
        let mut trials = trials(&prepared, &range, 1.0, 1.0);
        let mut seen = |test: &str, seconds| {
            let size = size(&range.first, test, 1).clone();
            (0..2).for_each(|_| trials.add(Seen { size: size.clone(), seconds }));
        };
        // More columns are written than grow and are read, which are then as many as are read again.
        seen("columnar.write.float.large", 0.02);
        seen("columnar.read.float.large", 0.1);
        seen("columnar.reread.float.large", 0.01);
        let sizes = trials.sizes(&prepared, &range, 0.5, true);
        let copies = |test: &str| size(&sizes, test, 1).work.unwrap().copies;
        let read = copies("columnar.read.float.large");
        assert!(copies("columnar.write.float.large") > read);
        assert_eq!(copies("columnar.reread.float.large"), read);
    }

    #[test]
    fn tests_of_the_same_files_have_the_same_scale() {
        let prepared = prepared("files", vec![1], Preset::Quick);
        let mut sizes = Range::of(&prepared, &GROUND).first;
        sizes[0].scale *= 3.0;
        let largest = sizes[0].scale;
        let shares = |item: &Item| {
            let job = prepared.job(item, 1, FIRST_SCALE, Bytes(0));
            item.test.space(&job).into_iter().map(|(path, _)| path).collect::<Vec<_>>()
        };
        let of_first = shares(&prepared.items[0]);
        share(&prepared, &mut sizes);
        for (item, size) in prepared.items.iter().zip(&sizes) {
            let together = shares(item).iter().any(|path| of_first.contains(path));
            assert_eq!(size.scale == largest, together || size.test == sizes[0].test);
        }
    }

    #[test]
    fn what_stays_short_is_named() {
        let prepared = prepared("columnar", vec![1], Preset::Quick);
        let range = Range::of(&prepared, &GROUND);
        let trials = trials(&prepared, &range, 1e-12, 1.0);
        let sizes = trials.sizes(&prepared, &range, 1.0, true);
        let short = trials.short(&prepared, (&sizes, &range), 0.1);
        assert!(short.iter().any(|((test, _), _)| test == "columnar.append.int.small"));
    }
}

//! Sizes of tests follow from the lengths of their trials.

use super::*;
use crate::sizes::stretch::FIRST_TIMES;
use model::plan::{Plan, Preset};

const RESOURCES: Resources = Resources {
    pilot: Pilot { write_bytes_per_s: 5e8, read_bytes_per_s: 1e9 },
    free: Bytes(50 << 30),
    memory: Bytes(16 << 30),
};

fn placed(suite: &str, procs: Vec<u32>, preset: Preset) -> Placed {
    let targets = vec!["ext4".parse().unwrap(), "xfs".parse().unwrap()];
    let plan = Plan { targets, suites: vec![suite.into()], procs, preset, ..Plan::default() };
    crate::testing::placed(plan)
}

fn size<'a>(sizes: &'a [TestSize], test: &str, procs: u32) -> &'a TestSize {
    model::workload::size_of(sizes, test, procs).unwrap()
}

/// As if each run took `unit_s` for each unit on the one target, and `other` times that on the other.
fn trials(placed: &Placed, range: &Range, unit_s: f64, other: f64) -> Trials {
    let mut trials = Trials::default();
    for factor in [1.0, other] {
        for size in &range.first.sizes {
            let named = |item: &&Item| item.test.infos()[0].id == size.test;
            let item = placed.items.iter().find(named).unwrap();
            let seconds = units(item, size) * unit_s * factor;
            trials.add(TrialResult { size: size.clone(), seconds });
        }
    }
    trials
}

#[test]
fn every_size_fits_and_can_be_stored() {
    for suite in ["columnar", "files", "metadata", "mixed", "stream", "oltp", "matrix"] {
        for preset in [Preset::Smoke, Preset::Quick, Preset::Standard, Preset::Publish] {
            let placed = placed(suite, vec![1, 8], preset);
            let range = Range::of(&placed, &RESOURCES);
            assert!(fits(&placed, &range.most, &RESOURCES), "{suite}");
            let plan = Plan { sizes: range.most.sizes.clone(), ..Plan::default() };
            plan.check().unwrap();
            let cases: usize = placed.items.iter().map(|item| item.counts.len()).sum();
            assert_eq!((range.first.sizes.len(), range.most.sizes.len()), (cases, cases));
        }
    }
}

#[test]
fn plan_expects_cases_of_the_target_length() {
    let placed = placed("columnar", vec![1, 8], Preset::Quick);
    let load = TargetLoad::of(&placed, &Range::expected(&placed, &RESOURCES), RESOURCES.memory);
    let each_s = load.work_seconds(&RESOURCES.pilot) / load.cases as f64;
    let aim_s = Preset::Quick.aim_s();
    assert!((0.3 * aim_s..2.0 * aim_s).contains(&each_s), "{each_s} s, not {aim_s} s");
}

#[test]
fn little_space_shrinks_large_vectors_only() {
    let placed = placed("columnar", vec![8], Preset::Publish);
    let resources = Resources { free: Bytes(8 << 30), ..RESOURCES };
    let range = Range::of(&placed, &resources);
    assert!(range.first.scale < Range::of(&placed, &RESOURCES).first.scale);
    let bytes = |test: &str| {
        let item = placed.items.iter().find(|item| item.test.infos()[0].id == test).unwrap();
        item.test.estimate(&placed.job(item, 8, &range.first, resources.memory)).write_bytes
    };
    let tests =
        ["tiny", "small", "medium"].map(|name| bytes(&format!("columnar.write.int.{name}")));
    let float = bytes("columnar.write.float.large");
    let huge = bytes("columnar.write.int.huge");
    assert_eq!(tests, [2047 * 8 + 16, 64512 * 8 + 16, 520192 * 8 + 16]);
    assert!(float >= 2 * tests[2] - 16 && huge >= 4 * float - 64, "{float} {huge}");
}

#[test]
fn fastest_target_takes_at_least_half_the_aim() {
    let placed = placed("columnar", vec![1], Preset::Quick);
    let range = Range::of(&placed, &RESOURCES);
    let at = |other| {
        let trials = trials(&placed, &range, 1.0, other);
        let sizes = trials.sizes(&placed, &range, 10.0, true);
        size(&sizes, "columnar.openclose", 1).work.unwrap().times
    };
    assert_eq!(at(1.0), 10.0);
    // The mean of 1 and 1/4 is 1/2; that of 1 and 1/100 would leave the fast one a tenth.
    assert_eq!(at(0.25), 20.0);
    assert_eq!(at(0.01), 500.0);
}

#[test]
fn slow_candidate_tried_last_does_not_hide_a_fast_one() {
    let placed = placed("columnar", vec![1], Preset::Quick);
    let range = Range::of(&placed, &RESOURCES);
    let times = |test: &str| {
        let first = range.first.sizes.iter().find(|size| size.test == test).unwrap();
        let mut trials = Trials::default();
        for (times, seconds) in [(0.03, 0.0045), (0.4, 0.8)] {
            let work = first.work.map(|work| Work { times, ..work });
            trials.add(TrialResult { size: TestSize { work, ..first.clone() }, seconds });
        }
        size(&trials.sizes(&placed, &range, 0.15, true), test, 1).work.unwrap().times
    };
    // The fast one takes 0.15 s for 1.0, the slow one for 0.075: half of the former.
    assert_eq!(times("columnar.replace.int.small"), 0.5);
}

#[test]
fn trial_grows_step_by_step() {
    let placed = placed("columnar", vec![1], Preset::Quick);
    let range = Range::of(&placed, &RESOURCES);
    let trials = trials(&placed, &range, 1e-9, 1.0);
    let sizes = trials.sizes(&placed, &range, 1.0, false);
    let times = size(&sizes, "columnar.openclose", 1).work.unwrap().times;
    assert_eq!(times, FIRST_TIMES * MOST_GROWTH);
}

#[test]
fn earlier_tests_create_files_read_later() {
    let placed = placed("columnar", vec![1], Preset::Quick);
    let range = Range::of(&placed, &RESOURCES);
    let mut trials = trials(&placed, &range, 1.0, 1.0);
    let read = size(&range.first.sizes, "columnar.read.float.large", 1).clone();
    (0..2).for_each(|_| trials.add(TrialResult { size: read.clone(), seconds: 0.1 }));
    let sizes = trials.sizes(&placed, &range, 0.5, true);
    let copies = |test: &str| size(&sizes, test, 1).work.unwrap().copies;
    let wanted = copies("columnar.read.float.large");
    assert!(wanted > 1);
    assert_eq!(copies("columnar.write.float.large"), wanted);
    assert_eq!(copies("columnar.append.float.large"), wanted);
    // Sorting tables needs both columns; reading one of them does not need the other.
    assert_eq!(copies("columnar.append.sym.large"), copies("columnar.sort"));
    assert_eq!(copies("columnar.sort"), 1);
    assert_eq!(copies("columnar.write.int.small"), 1);
    assert!(copies("columnar.reread.float.large") <= wanted);
}

#[test]
fn rereads_use_as_many_files_as_reads() {
    let placed = placed("columnar", vec![1], Preset::Quick);
    let range = Range::of(&placed, &RESOURCES);
    let mut trials = trials(&placed, &range, 1.0, 1.0);
    let mut seen = |test: &str, seconds| {
        let size = size(&range.first.sizes, test, 1).clone();
        (0..2).for_each(|_| trials.add(TrialResult { size: size.clone(), seconds }));
    };
    // More columns are written than appended to and read; as many are reread as read.
    seen("columnar.write.float.large", 0.02);
    seen("columnar.read.float.large", 0.1);
    seen("columnar.reread.float.large", 0.01);
    let sizes = trials.sizes(&placed, &range, 0.5, true);
    let copies = |test: &str| size(&sizes, test, 1).work.unwrap().copies;
    let read = copies("columnar.read.float.large");
    assert!(copies("columnar.write.float.large") > read);
    assert_eq!(copies("columnar.reread.float.large"), read);
}

#[test]
fn tests_of_the_same_files_have_the_same_scale() {
    let placed = placed("files", vec![1], Preset::Quick);
    let mut sizes = Range::of(&placed, &RESOURCES).first.sizes;
    sizes[0].scale *= 3.0;
    let largest = sizes[0].scale;
    let shares = |item: &Item| {
        let job = placed.job(item, 1, &Amount::scaled(FIRST_SCALE), Bytes(0));
        item.test.space(&job).into_iter().map(|(path, _)| path).collect::<Vec<_>>()
    };
    let of_first = shares(&placed.items[0]);
    share(&placed, &mut sizes);
    for (item, size) in placed.items.iter().zip(&sizes) {
        let together = shares(item).iter().any(|path| of_first.contains(path));
        assert_eq!(size.scale == largest, together || size.test == sizes[0].test);
    }
}

#[test]
fn parts_of_a_tool_reach_its_shortest_reported_length() {
    if !needs::program_or_skip("bonnie++") {
        return;
    }
    let placed = placed("bonnie++", vec![1], Preset::Smoke);
    let range = Range::of(&placed, &RESOURCES);
    let test = range.first.sizes[0].test.clone();
    let mut trials = Trials::default();
    let at =
        |trials: &Trials, bold| size(&trials.sizes(&placed, &range, 0.08, bold), &test, 1).scale;
    assert_eq!(at(&trials, false), FIRST_SCALE);
    // The shortest phase was 20 ms: 50 times as much takes the target length of a second.
    trials.add(TrialResult { size: range.first.sizes[0].clone(), seconds: 0.02 });
    assert_eq!(at(&trials, false), FIRST_SCALE * MOST_GROWTH);
    assert_eq!(at(&trials, true), 0.1);
}

//! Advice by a mix of operations that a profile counts: scored by the time for all of them.

use crate::advise::{QUIET, ask, of, profile};
use model::{
    figure::{Better, Metric},
    result::Dataset,
    workload::{MixOp, Procs, Profile},
};
use stats::advice::Counsel;

/// A profile of this many operations of tests.
fn mix(counts: &[(&str, f64)]) -> Profile {
    let op = |&(test, count): &(&str, f64)| MixOp {
        name: None,
        test: test.into(),
        count,
        cache: None,
        procs: Procs::All,
    };
    Profile { ops: counts.iter().map(op).collect(), ..profile(vec![]) }
}

/// Of t0 xfs does 1000 a second and ext4 500; of t1 xfs 100 and ext4 125. A block differs a little.
fn counted() -> Dataset {
    let mut data = QUIET.dataset(&[("ext4", 1.0), ("xfs", 1.0)], 2, 5, 4);
    for s in &mut data.samples {
        let of_target = if s.case.target == "xfs" { [1000, 100] } else { [500, 125] };
        s.figures.ops = of_target[usize::from(s.case.test == "t1")];
        s.figures.seconds =
            1.0 + 0.001 * f64::from(s.block) + if s.case.target == "xfs" { 1e-4 } else { 0.0 };
    }
    data
}

#[test]
fn counted_operations_are_scored_by_their_time() {
    let data = counted();
    // By hand: xfs 10 x 1 ms + 1 x 10 ms = 20 ms, ext4 10 x 2 ms + 1 x 8 ms = 28 ms: 1.4 times.
    let advice = ask(&data, &mix(&[("t0", 10.0), ("t1", 1.0)]), &[]).unwrap();
    assert_eq!((advice.counsel, advice.leaders[0].as_str()), (Counsel::Clear, "xfs"));
    assert!((advice.lead.unwrap().point - 1.4).abs() < 0.002, "{:?}", advice.lead);
    let mix_s = |target| of(&advice, target).mix_s.unwrap();
    assert!((mix_s("xfs") - 0.02).abs() < 1e-4 && (mix_s("ext4") - 0.028).abs() < 1e-4);
    // Shares of the time: 10 of 20 and 20 of 28 ms, so 0.607 on average.
    assert!((advice.groups[0].weight - 0.607).abs() < 0.001, "{:?}", advice.groups);
    assert!(advice.notes[0].starts_with("Scored by the total time"), "{:?}", advice.notes);
    // With ten times as many of the other kind the order turns: 110 against 100 ms.
    let advice = ask(&data, &mix(&[("t0", 10.0), ("t1", 10.0)]), &[]).unwrap();
    assert_eq!(advice.leaders, ["ext4"], "{}", advice.sentence);
    assert!((advice.lead.unwrap().point - 1.1).abs() < 0.002);
}

#[test]
fn a_mix_without_one_of_its_tests_has_no_time() {
    let advice = ask(&counted(), &mix(&[("t0", 10.0), ("gone", 1.0)]), &[]).unwrap();
    assert_eq!(advice.counsel, Counsel::NothingMeasured);
    assert!(advice.notes.iter().any(|n| n.contains("no such test")), "{:?}", advice.notes);
    let mut scheduled = counted();
    for s in scheduled.samples.iter_mut().filter(|s| s.case.test == "t1") {
        s.push(Metric::new("latency_mean_us", 80.0, "us", Better::Lower));
    }
    let advice = ask(&scheduled, &mix(&[("t0", 10.0), ("t1", 1.0)]), &[]).unwrap();
    assert_eq!(advice.counsel, Counsel::NothingMeasured);
    let mut uncounted = counted();
    uncounted
        .samples
        .iter_mut()
        .filter(|s| s.case.target == "ext4")
        .for_each(|s| s.figures.ops = 0);
    let advice = ask(&uncounted, &mix(&[("t0", 10.0), ("t1", 1.0)]), &[]).unwrap();
    // Nothing was ruled out, so nothing is left either.
    assert_eq!((advice.counsel, advice.leaders.len()), (Counsel::NoChoice, 0));
    assert!(
        advice.sentence.contains("only xfs has a valid sample of its tests"),
        "{}",
        advice.sentence
    );
    assert!(advice.notes.iter().any(|n| n == "ext4 has no block with all operations."));
}

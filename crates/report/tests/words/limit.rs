//! Limits in a line and a sentence.

use report::words::{self, CheckedCampaign};
use stats::{
    advice::{LatencyEstimate, LimitFinding, LimitOutcome, LimitReason},
    description::Durability,
};

const JUDGED: CheckedCampaign<'_> = CheckedCampaign {
    name: "etcd",
    campaign: "c1",
    block_s: Some(21.4),
    again: "assay check etcd --of c1",
};

fn finding(outcome: LimitOutcome, why: LimitReason) -> LimitFinding {
    LimitFinding {
        test: "etcd.wal".into(),
        procs: 1,
        target: "dir:/x".into(),
        quantile: model::figure::Quantile::P99,
        value: Some(LatencyEstimate { us: 5000.0, low_us: Some(4210.0), high_us: Some(5938.0) }),
        limit: "p99 < 10ms".parse().ok(),
        source: "https://etcd.io/".into(),
        blocks: 5,
        operations: 10_000,
        contended: 1,
        outcome,
        why,
    }
}

#[test]
fn a_line_has_the_value_the_limit_and_its_source() {
    let pass = finding(LimitOutcome::Pass, LimitReason::Interval);
    let line = "PASS       dir:/x  etcd.wal  p99 5.00 ms (95 % CI 4.21-5.94 ms)  p99 < 10ms  https://etcd.io/";
    assert_eq!(words::limit_line(&pass), line);
    let sentence = "The whole interval over 5 blocks is below the limit.";
    assert_eq!(words::limit(JUDGED, &pass), sentence);
    let none = LimitFinding { value: None, limit: None, procs: 4, ..pass.clone() };
    let line = words::limit_line(&none);
    assert!(line.contains("etcd.wal, 4 processes  p99 unknown  no limit stated"), "{line}");
    assert_eq!(words::limits_in_short("etcd", &[pass]), "etcd: PASS, 1 of 1 limits met");
}

#[test]
fn busy_machine_is_named_next_to_the_outcome() {
    let fail = finding(LimitOutcome::Fail, LimitReason::Interval);
    let busy = LimitFinding { contended: 2, ..fail.clone() };
    let sentence = words::limit(JUDGED, &busy);
    assert!(sentence.contains("in 2 of 5 blocks other programs used more than"), "{sentence}");
    assert!(!words::limit(JUDGED, &fail).contains("other programs"), "one of five is tolerated");
}

#[test]
fn what_would_decide_is_said() {
    let of = |outcome, why| words::limit(JUDGED, &finding(outcome, why));
    let more = of(LimitOutcome::Undecided, LimitReason::Inside(Some(8)));
    assert!(more.contains("about 8 more, 171 s, would decide"), "{more}");
    let commands = "`assay resume c1 --blocks +8`, then `assay check etcd --of c1`.";
    assert!(more.ends_with(commands), "{more}");
    let lost = LimitReason::NotDurable(Durability::Loses("barrier=0".into()));
    let lost = of(LimitOutcome::Fail, lost);
    assert!(lost.starts_with("dir:/x may lose synced data on power loss (barrier=0): "), "{lost}");
    let none = of(LimitOutcome::Undecided, LimitReason::NoLimit);
    assert!(none.contains("--require 'etcd.wal p99 < TIME'"), "{none}");
}

#[test]
fn the_worst_outcome_is_that_of_all() {
    let of = |outcome| finding(outcome, LimitReason::Interval);
    let (pass, open, fail) =
        (of(LimitOutcome::Pass), of(LimitOutcome::Undecided), of(LimitOutcome::Fail));
    assert_eq!(words::together(&[pass.clone(), fail.clone(), open.clone()]), LimitOutcome::Fail);
    assert_eq!(words::together(&[pass.clone(), open]), LimitOutcome::Undecided);
    assert_eq!(words::together(&[pass]), LimitOutcome::Pass);
    assert_eq!(words::together(&[]), LimitOutcome::Undecided);
}

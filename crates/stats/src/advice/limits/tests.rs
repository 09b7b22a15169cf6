//! Limits on exact figures: kept, not kept, undecided, and what else prevents a decision.

use super::*;
use model::{
    figure::{Better, Durability as Proof, Metric, Unproven},
    plan::{LabKind, Plan},
    result::{
        Campaign, CampaignState, Environment, NOT_DURABLE, Origin, TargetRecord, TargetState,
        Validity, known,
    },
    workload::{CacheState, Case, Group, TestInfo},
};

const TARGET: &str = "dir:/x";

fn sample(block: u32, p99_us: f64) -> Sample {
    let case = Case {
        target: TARGET.into(),
        suite: "etcd".into(),
        test: "etcd.wal".into(),
        procs: 1,
        threads: 1,
        cache: CacheState::Any,
    };
    let metric = |name: &str, value| Metric::new(name, value, "us", Better::Lower);
    let metrics = vec![metric("commits_rate", 100.0), metric("service_p99_us", p99_us)];
    let mut sample = Sample::bare(block, 0, case, metrics).timed(2_300_000, 1000, 10.0);
    sample.evidence.durability = Some(Proof::Proven);
    sample
}

fn dataset(p99_us: &[f64]) -> Dataset {
    let campaign = Campaign {
        id: "a".into(),
        created: String::new(),
        title: String::new(),
        origin: Origin::Run,
        state: CampaignState::Done,
        assay_version: String::new(),
        plan: Plan::default(),
        scale: 1.0,
        seed: 1,
        environment: Environment::default(),
        notes: Vec::new(),
    };
    let target = TargetRecord {
        label: TARGET.into(),
        target: TARGET.into(),
        lab: LabKind::Host,
        state: TargetState::Ok,
        facts: Environment::default(),
    };
    let test = TestInfo {
        id: "etcd.wal".into(),
        suite: "etcd".into(),
        name: "log".into(),
        testtype: "durable append".into(),
        group: Group::Transactions,
        metric: "commits_rate".into(),
        unit: "1/s".into(),
        better: Better::Higher,
        shape: None,
    };
    let samples = p99_us.iter().zip(0..).map(|(us, block)| sample(block, *us)).collect();
    Dataset { campaign, targets: vec![target], tests: vec![test], samples }
}

fn found(dataset: &Dataset, limit: Option<&str>) -> LimitFinding {
    let limit = limit.map(|text| text.parse().unwrap());
    let asked = AskedLimit { test: "etcd.*".into(), limit, source: "https://x".into() };
    let mut all = limits(dataset, &[asked]);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn of(p99_us: &[f64], limit: &str) -> (LimitOutcome, LimitReason) {
    let found = found(&dataset(p99_us), Some(limit));
    (found.outcome, found.why)
}

#[test]
fn the_whole_interval_decides() {
    // Without scatter the interval is the point.
    let pass = (LimitOutcome::Pass, LimitReason::Interval);
    let fail = (LimitOutcome::Fail, LimitReason::Interval);
    assert_eq!(of(&[9999.0; 3], "p99 < 10ms"), pass);
    assert_eq!(of(&[10_001.0; 3], "p99 < 10ms"), fail);
    assert_eq!((of(&[1e4; 3], "p99 < 10ms"), of(&[1e4; 3], "p99 <= 10ms")), (fail, pass));
    // exp(mean of ln(4000, 5000, 6250) +- t.ppf(.975, 2) * ln(1.25) / sqrt(3)) = 2872.3 to 8703.8
    let scatter = found(&dataset(&[4000.0, 5000.0, 6250.0]), Some("p99 < 10ms"));
    let value = scatter.value.unwrap();
    assert!((value.us - 5000.0).abs() < 1e-6, "{value:?}");
    let ends = (value.low_us.unwrap(), value.high_us.unwrap());
    let t = 4.302_652_729_911_275_f64;
    let half = t * 1.25_f64.ln() / 3_f64.sqrt();
    assert!((ends.0 / (5000.0 * (-half).exp()) - 1.0).abs() < 1e-9, "{ends:?}");
    assert!((ends.1 / (5000.0 * half.exp()) - 1.0).abs() < 1e-9, "{ends:?}");
    assert_eq!(scatter.outcome, LimitOutcome::Pass);
    assert_eq!((scatter.blocks, scatter.operations), (3, 3000));
}

#[test]
fn blocks_during_other_programs_are_counted() {
    let mut busy = dataset(&[5000.0; 5]);
    for sample in &mut busy.samples[..2] {
        sample.set(known::FOREIGN_CPU_PCT, 90.0);
    }
    busy.samples[2].set(known::FOREIGN_CPU_PCT, 9.0);
    let found = found(&busy, Some("p99 < 10ms"));
    assert_eq!((found.contended, found.is_contended()), (2, true));
    assert_eq!(found.outcome, LimitOutcome::Pass);
}

#[test]
fn a_limit_inside_the_interval_needs_more_blocks() {
    let (outcome, why) = of(&[4000.0, 5000.0, 6250.0], "p99 < 8ms");
    assert_eq!(outcome, LimitOutcome::Undecided);
    let LimitReason::Inside(Some(near)) = why else { panic!("{why:?}") };
    let (_, why) = of(&[4000.0, 5000.0, 6250.0], "p99 < 6ms");
    let LimitReason::Inside(Some(nearer)) = why else { panic!("{why:?}") };
    assert!(near >= 1 && nearer > near, "{near}, {nearer}");
    // At the limit itself no number of blocks decides.
    let at = of(&[4000.0, 5000.0, 6250.0], "p99 < 5ms");
    assert_eq!(at, (LimitOutcome::Undecided, LimitReason::Inside(None)));
    assert_eq!(of(&[1.0], "p99 < 10ms"), (LimitOutcome::Undecided, LimitReason::OneBlock));
}

#[test]
fn a_sync_that_may_not_reach_the_medium_does_not_pass() {
    let mut data = dataset(&[100.0; 3]);
    for sample in &mut data.samples {
        sample.evidence.durability = Some(Proof::NotProven(Unproven::NotFlushed));
    }
    let doubtful = found(&data, Some("p99 < 10ms"));
    assert_eq!(doubtful.outcome, LimitOutcome::Undecided);
    assert!(matches!(doubtful.why, LimitReason::NotDurable(Durability::NotProven(_))));
    data.targets[0].facts.0.insert(NOT_DURABLE.into(), "nobarrier".into());
    let lost = found(&data, Some("p99 < 10ms"));
    assert_eq!(lost.outcome, LimitOutcome::Fail);
    assert!(matches!(lost.why, LimitReason::NotDurable(Durability::Loses(_))));
    // What is too slow fails for that.
    assert_eq!(found(&data, Some("p99 < 50us")).why, LimitReason::Interval);
    // Reads have nothing to lose.
    data.samples.iter_mut().for_each(|sample| sample.evidence.durability = None);
    assert_eq!(found(&data, Some("p99 < 10ms")).outcome, LimitOutcome::Pass);
}

#[test]
fn what_cannot_be_judged_is_undecided() {
    let undecided = |data: &Dataset, limit| {
        let found = found(data, limit);
        assert_eq!(found.outcome, LimitOutcome::Undecided);
        found.why
    };
    let limit = Some("p99 < 10ms");
    assert_eq!(undecided(&dataset(&[100.0; 3]), None), LimitReason::NoLimit);
    assert_eq!(undecided(&dataset(&[]), limit), LimitReason::NoSample(None));
    let mut data = dataset(&[100.0; 3]);
    assert_eq!(undecided(&data, Some("max < 10ms")), LimitReason::NoLatency);
    data.samples[1].figures.ops = 99;
    let few = LimitReason::FewOperations { operations: 99, of: 100 };
    assert_eq!(undecided(&data, limit), few);
    for sample in &mut data.samples {
        *sample.evidence.validity = Validity::Invalid(Reason::said("no space"));
    }
    assert_eq!(undecided(&data, limit), LimitReason::NoSample(Some(Reason::said("no space"))));
}

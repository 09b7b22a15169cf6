//! A small campaign with something of everything: three targets, two process counts, five blocks,
//! one test without a valid sample on one target, one lukewarm sample.

#[allow(dead_code, unreachable_pub)] // not every test chooses values
pub mod study;

use model::{
    figure::{Better, Metric},
    plan::{LabKind, Plan},
    random::Rng,
    result::{
        Campaign, CampaignState, Covariates, Dataset, Environment, Evidence, Figures, Limiter,
        Note, Numbers, Origin, Reason, Sample, TargetRecord, TargetState, Validity,
    },
    workload::{CacheState, Case, Group, Shape, TestInfo},
};

const TESTS: [(&str, &str, &str, Group); 5] = [
    ("columnar.write.float.large", "write float large", "write disk", Group::WriteCritical),
    ("columnar.append.mid", "open append mid float, sync once", "write disk", Group::WriteCritical),
    ("columnar.sort.disk", "disk sort", "read write disk", Group::WriteCritical),
    ("columnar.read.cold", "sequential read", "read disk", Group::ReadCold),
    ("columnar.read.random", "random read 64k", "read disk", Group::ReadCold),
];

const TARGETS: [&str; 3] = ["ext4", "xfs", "btrfs[compress=zstd:3]"];

/// Rates in MB/s of each test on each target.
const RATES: [[f64; 3]; 5] = [
    [1038.0, 1290.0, 560.0],
    [411.0, 420.0, 300.0],
    [105.0, 97.0, 9.5],
    [2210.0, 2220.0, 2900.0],
    [0.82, 0.85, 0.61],
];

fn sample(block: u32, target: usize, test: usize, procs: u32, rng: &mut Rng) -> Sample {
    let noise = 1.0 + 0.03 * (rng.unit() + rng.unit() - 1.0);
    let rate = RATES[test][target] * noise * f64::from(procs).sqrt();
    Sample {
        block,
        position: (target as u32 + block) % TARGETS.len() as u32,
        case: Case {
            target: TARGETS[target].into(),
            suite: "columnar".into(),
            test: TESTS[test].0.into(),
            procs,
            threads: 1,
            cache: CacheState::Any,
        }
        .into(),
        lab: LabKind::Host,
        figures: Figures {
            metrics: vec![Metric::new("rate", rate, "MB/s", Better::Higher)],
            bytes: 1 << 28,
            ops: 64,
            seconds: 1.5,
            ..Figures::default()
        },
        covariates: Covariates {
            skew_ms: 0.1,
            overlap: 0.99,
            device_read_bytes: Some(0),
            device_write_bytes: Some(1 << 28),
            cpu_user_s: 0.2,
            cpu_sys_s: 0.7,
            ..Covariates::default()
        },
        evidence: Evidence {
            limiter: Limiter::Device,
            validity: validity(block, target, test).into(),
            ..Evidence::default()
        },
        numbers: Numbers::default(),
    }
}

fn validity(block: u32, target: usize, test: usize) -> Validity {
    match (target, test) {
        (2, 4) => {
            Validity::Invalid(Reason::said(format!("no space left after {} MB", 17 * (block + 1))))
        }
        (1, 3) if block == 0 => Validity::Lukewarm(Reason::said("12.5 % was resident before")),
        _ => Validity::Valid,
    }
}

fn tests() -> Vec<TestInfo> {
    let info = |(id, name, testtype, group): (&str, &str, &str, Group)| TestInfo {
        id: id.into(),
        suite: "columnar".into(),
        name: name.into(),
        testtype: testtype.into(),
        group,
        metric: "rate".into(),
        unit: "MB/s".into(),
        better: Better::Higher,
        shape: Some(Shape { only_writes: testtype == "write disk", cell: None }),
    };
    TESTS.map(info).into()
}

fn facts(pairs: &[(&str, &str)]) -> Environment {
    Environment(pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect())
}

/// The campaign.
pub(crate) fn campaign(blocks: u32) -> Dataset {
    let mut rng = Rng::new(11);
    let mut samples = Vec::new();
    for block in 0..blocks {
        for target in 0..TARGETS.len() {
            for (test, procs) in (0..TESTS.len()).flat_map(|t| [(t, 1), (t, 64)]) {
                samples.push(sample(block, target, test, procs, &mut rng));
            }
        }
    }
    Dataset { campaign: identity(), targets: targets(), tests: tests(), samples }
}

fn targets() -> Vec<TargetRecord> {
    let record = |label: &str| TargetRecord {
        label: label.into(),
        target: label.into(),
        lab: LabKind::Host,
        state: TargetState::Ok,
        facts: facts(&[("mkfs", &format!("mkfs.{label} <image>")), ("mount", "rw,relatime")]),
    };
    TARGETS.map(record).into()
}

fn identity() -> Campaign {
    Campaign {
        id: "c7".into(),
        created: "2025-11-21T05:00:00Z".into(),
        title: "ext4, xfs & btrfs <on> a loop image".into(),
        origin: Origin::Run,
        state: CampaignState::Done,
        assay_version: "0.1.0".into(),
        plan: Plan::default(),
        scale: 0.2,
        seed: 7,
        environment: facts(&[
            ("kernel.release", "6.18.2"),
            ("backing.device.model", "P5510"),
            ("backing.fstype", "ext4"),
            ("cpu.model", "two cores of a processor with a rather long name that needs some room"),
        ]),
        notes: vec![Note::Said(
            "loop-backed: compares candidates on this machine, not comparable with a device."
                .into(),
        )],
    }
}

/// Only what a fault left: no test has a score.
#[allow(dead_code)] // not every test is about faults
pub(crate) fn faults_alone(mut data: Dataset) -> Dataset {
    data.samples.retain(|sample| sample.evidence.after_fault.is_some());
    let kept: Vec<String> = data.samples.iter().map(|s| s.case.test.clone()).collect();
    data.tests.retain(|test| kept.contains(&test.id));
    data.tests.iter_mut().for_each(|test| test.group = Group::AfterFaults);
    data
}

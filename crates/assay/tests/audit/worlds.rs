//! Campaigns whose truth is known, each world with one kind of trouble.

use model::{
    figure::{Better, Metric},
    plan::{LabKind, Plan, Preset},
    random::Rng,
    result::{
        Campaign, CampaignState, Dataset, Environment, Origin, Reason, Sample, TargetRecord,
        TargetState, Validity,
    },
    workload::{CacheState, Case, Group, TestInfo},
};
use std::f64::consts::TAU;

/// Tests of a campaign, in two groups.
const TESTS: usize = 8;
/// Process counts.
const PROCS: [u32; 2] = [1, 8];
/// What happens to a block happens to all of its targets, logarithmic.
const BLOCK_SD: f64 = 0.05;

/// What troubles a campaign. All noise is logarithmic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nothing: each sample has noise of its own, 5 %.
    Iid,
    /// Each instance of a target, one in a block, has noise that all its cells share, 6 %; samples 2 %.
    Instances,
    /// As instances, the last target with three times that noise.
    UnequalInstances,
    /// The machine slows down by 30 % over the campaign, steadily; samples 3 %.
    Drift,
    /// What runs last in a block is 10 % slower than what runs first; samples 3 %.
    Place,
    /// A tenth of the samples takes half as long again; the others have 5 %.
    Outliers,
    /// Instances by Student's t with three degrees of freedom, scaled to 4 %; samples 2 %.
    HeavyTails,
    /// As iid with 3 %, and each target has a level of its own in the whole campaign, 3 %: what differs between
    /// two runs of the same campaign and not between blocks.
    BetweenRuns,
    /// As instances of 3 %, and other work takes half of the speed of the last target in every sample.
    OneContended,
    /// The same in a fifth of its samples.
    OneSide,
    /// As instances of 3 % with samples of 15 %, and of the last target the slower half of the samples is invalid.
    SlowHalf,
    /// As instances of 3 %, and the last target stands still in three of ten samples.
    Zeros,
    /// As instances of 3 %, and the last target is given up in the middle of its first block.
    GivenUp,
}

impl Trouble {
    /// Those that leave nothing out and disturb all alike.
    pub(crate) const USUAL: [Trouble; 8] = [
        Trouble::Iid,
        Trouble::Instances,
        Trouble::UnequalInstances,
        Trouble::Drift,
        Trouble::Place,
        Trouble::Outliers,
        Trouble::HeavyTails,
        Trouble::BetweenRuns,
    ];

    /// Those in which the samples are the wrong ones to judge the last target by.
    pub(crate) const WRONG: [Trouble; 5] = [
        Trouble::OneContended,
        Trouble::OneSide,
        Trouble::SlowHalf,
        Trouble::Zeros,
        Trouble::GivenUp,
    ];

    pub(crate) fn is_wrong(self) -> bool {
        Trouble::WRONG.contains(&self)
    }

    /// Noise of one sample.
    fn of_sample(self, rng: &mut Rng) -> f64 {
        match self {
            Trouble::Iid => 0.05 * normal(rng),
            Trouble::Outliers => {
                0.05 * normal(rng) - if rng.unit() < 0.1 { 1.5_f64.ln() } else { 0.0 }
            }
            Trouble::Drift | Trouble::Place | Trouble::BetweenRuns => 0.03 * normal(rng),
            Trouble::SlowHalf => 0.15 * normal(rng),
            _ => 0.02 * normal(rng),
        }
    }

    /// Noise that all samples of an instance share.
    fn of_instance(self, is_last: bool, rng: &mut Rng) -> f64 {
        match self {
            Trouble::Instances => 0.06 * normal(rng),
            _ if self.is_wrong() => 0.03 * normal(rng),
            Trouble::UnequalInstances => 0.04 * normal(rng) * if is_last { 3.0 } else { 1.0 },
            Trouble::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
                0.04 * normal(rng) / squares.sqrt()
            }
            _ => 0.0,
        }
    }

    /// What a time, from 0 to 1 over the campaign, and a place, from 0 to 1 in a block, do to a target.
    fn of_time_and_place(self, time: f64, place: f64) -> f64 {
        match self {
            Trouble::Drift => 0.7_f64.ln() * time,
            Trouble::Place => 0.9_f64.ln() * place,
            _ => 0.0,
        }
    }

    /// What a target keeps for the whole campaign.
    fn of_run(self, rng: &mut Rng) -> f64 {
        if self == Trouble::BetweenRuns { 0.03 * normal(rng) } else { 0.0 }
    }
}

/// Standard normal by Box and Muller.
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (TAU * rng.unit()).cos()
}

/// The labels of a campaign's targets; the first is the baseline.
pub(crate) fn label(target: usize) -> String {
    format!("fs{target}")
}

/// A campaign of `levels` over `blocks`, whose orders are turned by one from block to block.
pub(crate) fn campaign(trouble: Trouble, levels: &[f64], blocks: u32, seed: u64) -> Dataset {
    let (mut rng, k) = (Rng::new(seed), levels.len());
    let runs: Vec<f64> = levels.iter().map(|_| trouble.of_run(&mut rng)).collect();
    let first = (rng.unit() * k as f64) as usize;
    let mut samples = Vec::new();
    for block in 0..blocks {
        let of_block = BLOCK_SD * normal(&mut rng);
        for position in 0..k {
            let target = (first + position + block as usize) % k;
            let time = (block as usize * k + position) as f64 / (blocks as usize * k - 1) as f64;
            let place = position as f64 / (k - 1) as f64;
            let shared = levels[target].ln()
                + runs[target]
                + of_block
                + trouble.of_time_and_place(time, place)
                + trouble.of_instance(target == k - 1, &mut rng);
            for (test, procs) in cells() {
                let value = 100.0 * (shared + trouble.of_sample(&mut rng)).exp();
                samples.push(sample(target, test, procs, (block, position as u32), value));
            }
        }
    }
    let mut all = Dataset {
        campaign: identity(trouble, k, blocks, seed),
        targets: (0..k).map(record).collect(),
        tests: (0..TESTS).map(info).collect(),
        samples,
    };
    trouble.strike(&mut all, &label(k - 1), &mut rng);
    all
}

impl Trouble {
    /// Does to the samples of the target `last` what it does to no other.
    fn strike(self, data: &mut Dataset, last: &str, rng: &mut Rng) {
        let own = |sample: &&mut Sample| sample.case.target == last;
        match self {
            Trouble::OneContended | Trouble::OneSide => {
                let share = if self == Trouble::OneSide { 0.2 } else { 1.0 };
                let count = data.samples.iter().filter(|s| s.case.target == last).count();
                let mut hit: Vec<bool> =
                    (0..count).map(|at| (at as f64) < share * count as f64).collect();
                rng.shuffle(&mut hit);
                for (sample, hit) in data.samples.iter_mut().filter(own).zip(hit) {
                    let used_pct = if hit { 60.0 } else { 0.0 };
                    sample.figures.metrics[0].value *= if hit { 0.5 } else { 1.0 };
                    sample.push(Metric::new("foreign_cpu_pct", used_pct, "%", Better::Lower));
                }
            }
            Trouble::SlowHalf => {
                let mut values: Vec<f64> = data
                    .samples
                    .iter_mut()
                    .filter(own)
                    .map(|s| s.figures.metrics[0].value)
                    .collect();
                values.sort_by(f64::total_cmp);
                let middle = values[values.len() / 2];
                for sample in data.samples.iter_mut().filter(own) {
                    if sample.figures.metrics[0].value < middle {
                        *sample.evidence.validity = Validity::Invalid(Reason::said("timed out"));
                    }
                }
            }
            Trouble::Zeros => {
                for sample in data.samples.iter_mut().filter(own) {
                    sample.figures.metrics[0].value *= if rng.unit() < 0.3 { 0.0 } else { 1.0 };
                }
            }
            Trouble::GivenUp => {
                let tests: Vec<String> = (0..TESTS / 2).map(id).collect();
                data.samples.retain(|s| {
                    s.case.target != last || (s.block == 0 && tests.contains(&s.case.test))
                });
                let failed = TargetState::Failed("dropped after 3 failures in a row".into());
                data.targets
                    .iter_mut()
                    .filter(|t| t.label == last)
                    .for_each(|t| t.state = failed.clone());
            }
            _ => {}
        }
    }
}

fn cells() -> impl Iterator<Item = (usize, u32)> {
    (0..TESTS).flat_map(|test| PROCS.map(|procs| (test, procs)))
}

fn sample(
    target: usize,
    test: usize,
    procs: u32,
    (block, position): (u32, u32),
    value: f64,
) -> Sample {
    let case = Case {
        target: label(target),
        suite: "audit".into(),
        test: id(test),
        procs,
        threads: 1,
        cache: CacheState::Any,
    };
    let rate = Metric::new("rate", value, "MB/s", Better::Higher);
    let bare = Sample::bare(block, position, case, vec![rate]);
    bare.timed(1 << 30, 1 << 10, 1.0)
}

fn id(test: usize) -> String {
    format!("audit.t{test}")
}

fn info(test: usize) -> TestInfo {
    TestInfo {
        id: id(test),
        suite: "audit".into(),
        name: format!("test {test}"),
        testtype: "read".into(),
        group: if test < TESTS / 2 { Group::ReadCold } else { Group::ReadHot },
        metric: "rate".into(),
        unit: "MB/s".into(),
        better: Better::Higher,
        shape: None,
    }
}

fn record(target: usize) -> TargetRecord {
    TargetRecord {
        label: label(target),
        target: label(target),
        lab: LabKind::Host,
        state: TargetState::Ok,
        facts: Environment::default(),
    }
}

fn identity(trouble: Trouble, targets: usize, blocks: u32, seed: u64) -> Campaign {
    Campaign {
        id: format!("audit-{seed}"),
        created: "2026-11-21T05:00:00Z".into(),
        title: format!("{trouble:?}, {targets} targets, {blocks} blocks"),
        origin: Origin::Run,
        state: CampaignState::Done,
        assay_version: "0.1.0".into(),
        plan: Plan { preset: Preset::Smoke, blocks: Some(blocks), ..Plan::default() },
        scale: 1.0,
        seed,
        environment: Environment::default(),
        notes: Vec::new(),
    }
}

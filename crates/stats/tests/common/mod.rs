//! Datasets whose truth is known.
#![allow(dead_code)] // each test file uses a part

use model::{
    figure::{Better, Metric},
    plan::{LabKind, Plan},
    random::Rng,
    result::{
        Campaign, CampaignState, Covariates, Dataset, Environment, Evidence, Figures, Limiter,
        Numbers, Origin, Sample, TargetRecord, TargetState,
    },
    workload::{CacheState, Case, Group, Procs, Profile, ProfileHead, TestInfo, WorkGroup},
};

/// A test of group `group`, ranked by `rate`, more is better.
pub(crate) fn test(id: &str, group: Group) -> TestInfo {
    TestInfo {
        id: id.into(),
        suite: "columnar".into(),
        name: format!("{id} by name"),
        testtype: "write disk".into(),
        group,
        metric: "rate".into(),
        unit: "MB/s".into(),
        better: Better::Higher,
        shape: None,
    }
}

/// A profile called `name` in which all tests called `t` and something weigh the same.
pub(crate) fn profile(name: &str) -> Profile {
    Profile {
        profile: ProfileHead {
            name: name.into(),
            intent: "A test.".into(),
            device_class: "ssd".into(),
            tier: None,
        },
        groups: vec![WorkGroup {
            name: "all".into(),
            weight: 1.0,
            tests: vec!["t*".into()],
            cache: None,
            procs: Procs::All,
        }],
        ops: vec![],
        floors: vec![],
        requires: vec![],
        prefers: vec![],
    }
}

/// A valid sample with one metric, `rate`.
pub(crate) fn sample(target: &str, test: &str, block: u32, value: f64) -> Sample {
    Sample {
        block,
        position: 0,
        case: Case {
            target: target.into(),
            suite: "columnar".into(),
            test: test.into(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        }
        .into(),
        lab: LabKind::Host,
        figures: Figures {
            metrics: vec![Metric::new("rate", value, "MB/s", Better::Higher)],
            bytes: 1 << 30,
            ops: 1,
            seconds: 1.0,
            ..Figures::default()
        },
        covariates: Covariates {
            overlap: 1.0,
            cpu_user_s: 0.1,
            cpu_sys_s: 0.1,
            ..Covariates::default()
        },
        evidence: Evidence { limiter: Limiter::Device, ..Evidence::default() },
        numbers: Numbers::default(),
    }
}

/// A campaign of these targets, tests and samples.
pub(crate) fn dataset(targets: &[&str], tests: Vec<TestInfo>, samples: Vec<Sample>) -> Dataset {
    let record = |label: &&str| TargetRecord {
        label: label.to_string(),
        target: label.to_string(),
        lab: LabKind::Host,
        state: TargetState::Ok,
        facts: Environment::default(),
    };
    Dataset {
        campaign: Campaign {
            id: "c1".into(),
            created: "2025-11-21T05:00:00Z".into(),
            title: "a test".into(),
            origin: Origin::Run,
            state: CampaignState::Done,
            assay_version: "0.1.0".into(),
            plan: Plan::default(),
            scale: 1.0,
            seed: 7,
            environment: Environment::default(),
            notes: Vec::new(),
        },
        targets: targets.iter().map(record).collect(),
        tests,
        samples,
    }
}

/// `tests` x `blocks` samples of every target: level times block noise times own noise.
pub(crate) struct Noise {
    /// Standard deviation of the noise that a block of one target shares, logarithmic.
    pub(crate) block_sd: f64,
    /// Standard deviation of the noise of a sample, logarithmic.
    pub(crate) own_sd: f64,
}

impl Noise {
    /// Samples of targets with these levels.
    pub(crate) fn samples(
        &self,
        levels: &[(&str, f64)],
        tests: usize,
        blocks: u32,
        seed: u64,
    ) -> Vec<Sample> {
        let mut rng = Rng::new(seed);
        let mut samples = Vec::new();
        for block in 0..blocks {
            for (target, level) in levels {
                let shared = self.block_sd * normal(&mut rng);
                for test in 0..tests {
                    let log = shared + self.own_sd * normal(&mut rng);
                    samples.push(sample(target, &format!("t{test}"), block, level * log.exp()));
                }
            }
        }
        samples
    }

    /// The same as a dataset.
    pub(crate) fn dataset(
        &self,
        levels: &[(&str, f64)],
        tests: usize,
        blocks: u32,
        seed: u64,
    ) -> Dataset {
        let labels: Vec<&str> = levels.iter().map(|l| l.0).collect();
        let infos = (0..tests).map(|t| test(&format!("t{t}"), Group::WriteCritical)).collect();
        dataset(&labels, infos, self.samples(levels, tests, blocks, seed))
    }
}

/// Standard normal by Box and Muller: not the method of the crate under test.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

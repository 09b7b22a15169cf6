//! Prints how long all statistics of a campaign take: `statistics [SAMPLES]`, 100 000 by default.
//!
//! The campaign is drawn: six targets, 170 tests, two process counts, as many blocks as the number of
//! samples asks for. Prints the median and the longest of eleven rounds in milliseconds, for the
//! findings and for the comparison of the campaign with another.
#![allow(clippy::print_stdout)]

use model::{
    figure::{Better, Metric},
    plan::{LabKind, Plan},
    random::Rng,
    result::{
        Campaign, CampaignState, Dataset, Environment, Origin, Sample, TargetRecord, TargetState,
    },
    workload::{CacheState, Case, Group, TestInfo},
};
use stats::{
    description::Settings,
    evaluation::{compare, findings},
};
use std::{env, error::Error, hint::black_box, time::Instant};

const TARGETS: u32 = 6;
const TESTS: usize = 170;
const PROCS: [u32; 2] = [1, 64];
const ROUNDS: usize = 11;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: usize = env::args().nth(1).as_deref().unwrap_or("100000").parse()?;
    let per_block = TARGETS as usize * TESTS * PROCS.len();
    let blocks = wanted.div_ceil(per_block) as u32;
    let (a, b) = (campaign("a", blocks), campaign("b", blocks));
    let settings = Settings::default();
    let found = findings(&a, &settings)?;
    println!("{} samples, {blocks} blocks, {} tables", a.samples.len(), found.tables.len());
    print("findings", || findings(&a, &settings).is_ok());
    print("compare with as many", || {
        compare(std::slice::from_ref(&a), std::slice::from_ref(&b), &settings).is_ok()
    });
    Ok(())
}

/// Milliseconds of [`ROUNDS`] calls.
fn print(what: &str, mut work: impl FnMut() -> bool) {
    let mut times_ms: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times_ms.sort_by(f64::total_cmp);
    println!(
        "{what}: median {:.1} ms, longest {:.1} ms",
        times_ms[ROUNDS / 2],
        times_ms[ROUNDS - 1]
    );
}

fn campaign(id: &str, blocks: u32) -> Dataset {
    let mut rng = Rng::new(u64::from(id.as_bytes()[0]));
    let tests: Vec<TestInfo> = (0..TESTS).map(info).collect();
    let targets: Vec<String> = (0..TARGETS).map(|i| format!("target{i}")).collect();
    let mut samples = Vec::new();
    for block in 0..blocks {
        for (position, target) in (0..).zip(&targets) {
            for (test, procs) in tests.iter().flat_map(|t| PROCS.map(|procs| (t, procs))) {
                let case = Case {
                    target: target.clone(),
                    suite: test.suite.clone(),
                    test: test.id.clone(),
                    procs,
                    threads: 1,
                    cache: CacheState::Any,
                };
                let rate = Metric::new("rate", 100.0 + 10.0 * rng.unit(), "MB/s", Better::Higher);
                samples.push(Sample::bare(block, position, case, vec![rate]));
            }
        }
    }
    let records = targets.into_iter().map(record).collect();
    Dataset { campaign: identity(id), targets: records, tests, samples }
}

fn info(index: usize) -> TestInfo {
    TestInfo {
        id: format!("drawn.{index}"),
        suite: "drawn".into(),
        name: format!("test {index}"),
        testtype: "drawn".into(),
        group: Group::ALL[index % Group::ALL.len()],
        metric: "rate".into(),
        unit: "MB/s".into(),
        better: Better::Higher,
        shape: None,
    }
}

fn record(label: String) -> TargetRecord {
    let (target, state) = (label.clone(), TargetState::Ok);
    TargetRecord { label, target, lab: LabKind::Host, state, facts: Environment::default() }
}

fn identity(id: &str) -> Campaign {
    Campaign {
        id: id.into(),
        created: String::new(),
        title: String::new(),
        origin: Origin::Run,
        state: CampaignState::Done,
        assay_version: String::new(),
        plan: Plan::default(),
        scale: 1.0,
        seed: 7,
        environment: Environment::default(),
        notes: Vec::new(),
    }
}

//! Sweeps of known truth.
#![allow(clippy::unwrap_used)]

use crate::common;
use common::{dataset, sample, test};
use model::{
    result::Dataset,
    target::{Sweep, SweepMode},
    workload::Group,
};
use stats::{
    description::{Comparison, Settings},
    evaluation::findings,
    tuning::SweepEffects,
};

/// xfs and three variants over five blocks; a block is as fast as it is for all of them.
fn campaign(rates: [[f64; 2]; 4]) -> Dataset {
    let names = ["ext4", "xfs", "xfs[a=1]", "xfs[a=2]", "xfs[b=1]"];
    let tests = vec![test("w", Group::WriteCritical), test("r", Group::ReadCold)];
    let mut samples = Vec::new();
    for block in 0..5 {
        let noise = 1.0 + 0.1 * f64::from(block % 3);
        for (name, rates) in names[1..].iter().zip(rates) {
            let own = 1.0 + 0.001 * f64::from(block % 2) * name.len() as f64;
            for (test, rate) in ["w", "r"].iter().zip(rates).filter(|(_, rate)| *rate > 0.0) {
                samples.push(sample(name, test, block, rate * noise * own));
            }
        }
        // A candidate that is no part of the sweep, and has but one test.
        samples.push(sample("ext4", "w", block, 500.0));
    }
    let mut data = dataset(&names, tests, samples);
    let variants = names[1..].iter().map(|name| name.parse().unwrap()).collect();
    let sweep = Sweep::new("xfs[a=1,2;b=1]".parse().unwrap(), SweepMode::OneAtATime);
    data.campaign.plan.sweeps = vec![Sweep { variants, ..sweep }];
    data
}

fn swept(data: &Dataset) -> SweepEffects {
    findings(data, &Settings::default()).unwrap().sweeps.swap_remove(0)
}

#[test]
fn variants_are_ordered_by_effect_over_their_own_default() {
    let sweep = swept(&campaign([[100.0, 50.0], [100.0, 50.0], [120.0, 75.0], [90.0, 20.0]]));
    assert_eq!((sweep.default.as_str(), sweep.blocks, sweep.cells), ("xfs", 5, 2));
    let order: Vec<&str> = sweep.variants.iter().map(|v| v.target.as_str()).collect();
    assert_eq!(order, ["xfs[a=2]", "xfs[a=1]", "xfs[b=1]"]);
    let [best, same, worst] = &sweep.variants[..] else { panic!("{sweep:?}") };
    assert!((best.ratio.point - (1.2f64 * 1.5).sqrt()).abs() < 0.01, "{best:?}");
    assert!((worst.ratio.point - (0.9f64 * 0.4).sqrt()).abs() < 0.01, "{worst:?}");
    assert_eq!(
        [best, same, worst].map(|v| v.comparison),
        [Comparison::Better, Comparison::Same, Comparison::Worse]
    );
    assert!(best.holm && worst.holm);
    let gain = best.gain.as_ref().unwrap();
    assert_eq!((gain.cell.test.as_str(), gain.comparison), ("r", Comparison::Better));
    assert_eq!(best.loss, None, "it loses nowhere");
    assert_eq!(worst.loss.as_ref().unwrap().cell.test, "r");
    assert_eq!(worst.gain, None);
}

#[test]
fn what_was_not_measured_is_named_and_empties_no_score() {
    let sweep = swept(&campaign([[100.0, 50.0], [0.0, 0.0], [120.0, 0.0], [90.0, 20.0]]));
    assert_eq!(sweep.unmeasured, ["xfs[a=1]"]);
    assert_eq!((sweep.variants.len(), sweep.cells, sweep.of_cells), (2, 1, 2));
    let without = swept(&campaign([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]));
    assert_eq!((without.variants.len(), without.unmeasured.len()), (0, 3));
}

#[test]
fn campaigns_without_a_sweep_have_none() {
    let mut data = campaign([[1.0, 1.0]; 4]);
    data.campaign.plan.sweeps.clear();
    assert!(findings(&data, &Settings::default()).unwrap().sweeps.is_empty());
}

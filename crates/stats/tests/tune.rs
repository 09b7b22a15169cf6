//! The search for better options on simulated machines whose truth is known.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::Noise;
use model::result::{Dataset, Reason, Validity};
use stats::{
    description::{Comparison, Settings, StatsError},
    tuning::{Bench, Confirmation, Ending, SearchOutcome, Stage, StageKind, search},
};

/// Variants are positions in `levels`, their true speeds over the default.
struct Simulated {
    levels: Vec<f64>,
    noise: f64,
    turns: f64,
    seed: u64,
    stages: Vec<Stage>,
    /// Level of the combination, where there is one.
    combined: Option<f64>,
}

impl Simulated {
    fn new(levels: &[f64], noise: f64, turns: f64, seed: u64) -> Simulated {
        let (levels, stages) = (levels.to_vec(), Vec::new());
        Simulated { levels, noise, turns, seed, stages, combined: None }
    }

    fn search(&mut self) -> SearchOutcome<usize> {
        let field: Vec<usize> = (0..self.levels.len()).collect();
        self.levels.extend(self.combined);
        search(&field, self, &Settings::default()).unwrap()
    }
}

impl Bench for Simulated {
    type Variant = usize;
    type Error = StatsError;

    fn turns_left(&self) -> f64 {
        self.turns
    }

    fn measure(&mut self, stage: &Stage, variants: &[usize]) -> Result<Dataset, StatsError> {
        assert_eq!(stage.variants, variants.len());
        self.turns -= (variants.len() + 1) as f64 * f64::from(stage.blocks);
        let names: Vec<String> = variants.iter().map(|v| format!("v{v}")).collect();
        let named = names.iter().zip(variants).map(|(n, &v)| (n.as_str(), self.levels[v]));
        let levels: Vec<(&str, f64)> = std::iter::once(("default", 1.0)).chain(named).collect();
        let noise = Noise { block_sd: self.noise, own_sd: self.noise / 2.0 };
        let seed = self.seed * 1_000 + self.stages.len() as u64;
        self.stages.push(*stage);
        Ok(noise.dataset(&levels, 4, stage.blocks, seed))
    }

    fn combine(&self, _: &[usize]) -> Option<usize> {
        self.combined.map(|_| self.levels.len() - 1)
    }
}

fn confirmation(outcome: &SearchOutcome<usize>) -> Option<&Confirmation> {
    match &outcome.ending {
        Ending::Confirmed(confirmation) => Some(confirmation),
        _ => None,
    }
}

/// The variant that should replace the default.
fn chosen(outcome: &SearchOutcome<usize>) -> Option<usize> {
    let confirmation = confirmation(outcome)?;
    let finalist = &confirmation.finalists[confirmation.chosen?];
    Some(outcome.last[finalist.variant])
}

/// Twelve variants that change nothing, 5 % noise: the default is given up in no more campaigns
/// than the error rate of Holm's procedure, 5 %.
#[test]
fn without_a_better_variant_the_default_is_kept() {
    let runs = 1_000;
    let changed = (0..runs)
        .filter(|&seed| {
            let mut machine = Simulated::new(&[1.0; 12], 0.05, 100.0, seed);
            chosen(&machine.search()).is_some()
        })
        .count();
    let share = changed as f64 / runs as f64;
    assert!(share <= 0.05, "{share}");
}

#[test]
fn a_true_gain_of_a_fifth_is_found() {
    let mut levels = [1.0; 12];
    levels[7] = 1.2;
    let runs = 300;
    let found = (0..runs)
        .filter(|&seed| chosen(&Simulated::new(&levels, 0.05, 100.0, seed).search()) == Some(7))
        .count();
    assert!(found as f64 / f64::from(runs as u32) >= 0.95, "{found} of {runs}");
}

/// The interval of the confirmation is not shifted by the selection before it.
#[test]
fn the_confirmed_effect_is_not_inflated_by_the_selection() {
    let runs = 1_000;
    let mut inside = 0;
    let mut judged = 0;
    for seed in 0..runs {
        let outcome = Simulated::new(&[1.0; 12], 0.05, 100.0, seed).search();
        for finalist in confirmation(&outcome).into_iter().flat_map(|c| &c.finalists) {
            judged += 1;
            let (low, high) = (finalist.ratio.low.unwrap(), finalist.ratio.high.unwrap());
            inside += usize::from(low <= 1.0 && 1.0 <= high);
        }
    }
    let coverage = inside as f64 / judged as f64;
    assert!(judged > 1_500 && (0.93..=0.97).contains(&coverage), "{coverage} of {judged}");
}

#[test]
fn a_combination_wins_when_gains_add_up() {
    let mut levels = [1.0; 10];
    (levels[2], levels[5]) = (1.1, 1.1);
    let mut machine = Simulated::new(&levels, 0.02, 150.0, 3);
    machine.combined = Some(1.21);
    assert_eq!(chosen(&machine.search()), Some(10));
}

#[test]
fn stages_grow_and_stay_within_the_budget() {
    let mut levels = [1.0; 16];
    (levels[1], levels[2], levels[3]) = (1.3, 1.2, 1.1);
    let mut machine = Simulated::new(&levels, 0.02, 160.0, 1);
    let outcome = machine.search();
    assert_eq!(chosen(&outcome), Some(1));
    assert!(machine.turns >= 0.0);
    let kinds: Vec<StageKind> = machine.stages.iter().map(|s| s.kind).collect();
    assert_eq!(kinds[0], StageKind::Screening);
    assert_eq!(*kinds.last().unwrap(), StageKind::Confirmation);
    let sizes: Vec<usize> = machine.stages.iter().map(|s| s.variants).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b) && sizes[0] == 16, "{sizes:?}");
    assert!(machine.stages.is_sorted_by(|a, b| a.blocks < b.blocks), "{:?}", machine.stages);
}

#[test]
fn a_budget_without_room_tells_how_much_would_do() {
    let outcome = Simulated::new(&[1.5; 8], 0.02, 8.0, 1).search();
    assert_eq!(outcome.ending, Ending::NoTime { turns: 12.0 });
    assert_eq!(outcome.untried, 8);
}

#[test]
fn variants_that_are_all_slower_end_the_search() {
    let outcome = Simulated::new(&[0.8; 8], 0.02, 100.0, 1).search();
    assert_eq!(outcome.ending, Ending::NothingPromising);
}

/// A gain inside the band is no reason to change anything.
#[test]
fn a_gain_too_small_to_act_on_keeps_the_default() {
    let outcome = Simulated::new(&[1.03], 0.002, 40.0, 1).search();
    let confirmation = confirmation(&outcome).unwrap();
    assert_eq!(confirmation.chosen, None);
    assert!(confirmation.finalists[0].holm);
    assert_eq!(confirmation.finalists[0].comparison, Comparison::Same);
}

/// The default cannot be measured: no ratio can be told.
#[test]
fn a_default_without_a_valid_sample_is_an_error() {
    struct Broken(Simulated);
    impl Bench for Broken {
        type Variant = usize;
        type Error = StatsError;
        fn turns_left(&self) -> f64 {
            self.0.turns_left()
        }
        fn measure(&mut self, stage: &Stage, variants: &[usize]) -> Result<Dataset, StatsError> {
            let mut dataset = self.0.measure(stage, variants)?;
            let of_default = |s: &&mut model::result::Sample| s.case.target == "default";
            for sample in dataset.samples.iter_mut().filter(of_default) {
                *sample.evidence.validity = Validity::Invalid(Reason::said("no space"));
            }
            Ok(dataset)
        }
        fn combine(&self, _: &[usize]) -> Option<usize> {
            None
        }
    }
    let mut machine = Broken(Simulated::new(&[1.2; 6], 0.02, 100.0, 1));
    let error = search(&[0, 1, 2, 3, 4, 5], &mut machine, &Settings::default()).unwrap_err();
    assert!(error.to_string().contains("default has no valid sample"), "{error}");
}

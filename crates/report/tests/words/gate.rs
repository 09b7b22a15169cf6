//! The gate for continuous integration: what is a regression, what is not, and what could not be seen.

use crate::common::{Noise, dataset, normal, sample, test};
use model::{
    figure::{Better, Metric},
    random::Rng,
    result::Dataset,
    workload::Group,
};
use report::words;
use stats::{
    comparison::{CampaignComparison, Gate, GateOutcome},
    description::{Comparison, Settings},
    evaluation::compare,
};
use std::slice;

fn campaign(id: &str, levels: &[(&str, f64)], own_sd: f64, blocks: u32, seed: u64) -> Dataset {
    let mut data = Noise { block_sd: 0.0, own_sd }.dataset(levels, 4, blocks, seed);
    data.campaign.id = id.into();
    data
}

fn compared(a: &Dataset, b: &Dataset, band: f64) -> CampaignComparison {
    let settings = Settings { band, ..Settings::default() };
    compare(slice::from_ref(a), slice::from_ref(b), &settings).unwrap().1.comparison.unwrap()
}

/// What varies from run to run, logarithmic.
#[derive(Clone, Copy)]
struct Runs {
    /// Shared by all cells of a campaign.
    shared: f64,
    /// Of each cell separately.
    own: f64,
}

impl Runs {
    /// `count` campaigns of `cells` cells and five blocks, whose blocks vary by 1 %; the first `hit` cells at
    /// `level`.
    fn side(
        &self,
        name: &str,
        (count, cells): (usize, usize),
        level: (usize, f64),
        seed: u64,
    ) -> Vec<Dataset> {
        (0..count as u64)
            .map(|i| self.campaign(format!("{name}{i}"), cells, level, seed * 100 + i))
            .collect()
    }

    fn campaign(&self, id: String, cells: usize, (hit, level): (usize, f64), seed: u64) -> Dataset {
        let mut rng = Rng::new(seed);
        let shared = self.shared * normal(&mut rng);
        let mut samples = Vec::new();
        for cell in 0..cells {
            let of_run = shared + self.own * normal(&mut rng);
            let level = if cell < hit { level } else { 1.0 };
            samples.extend((0..5).map(|block| {
                let log = of_run + 0.01 * normal(&mut rng);
                sample("xfs", &format!("t{cell}"), block, 100.0 * level * log.exp())
            }));
        }
        let infos = (0..cells).map(|t| test(&format!("t{t}"), Group::WriteCritical)).collect();
        let mut data = dataset(&["xfs"], infos, samples);
        data.campaign.id = id;
        data
    }
}

fn of_sides(a: &[Dataset], b: &[Dataset], limit: f64) -> CampaignComparison {
    let usual = Settings::default();
    let settings = Settings { band: usual.band.min(limit), ..usual };
    compare(a, b, &settings).unwrap().1.comparison.unwrap()
}

/// The gate of campaigns in which the first `hit` of the cells of B are at `level`.
fn gate_of(
    runs: Runs,
    sizes: (usize, usize),
    (level, limit): ((usize, f64), f64),
    seed: u64,
) -> Gate {
    let a = runs.side("a", sizes, (0, 1.0), 2 * seed);
    let b = runs.side("b", sizes, level, 2 * seed + 1);
    of_sides(&a, &b, limit).gate(limit).unwrap()
}

/// Shares of gates that passed, found a regression, and could not tell.
fn shares(count: u64, gate: impl Fn(u64) -> GateOutcome) -> [f64; 3] {
    let all: Vec<GateOutcome> = (0..count).map(gate).collect();
    [GateOutcome::Passed, GateOutcome::Regressed, GateOutcome::Blind]
        .map(|of| all.iter().filter(|o| **o == of).count() as f64 / count as f64)
}

const EQUAL: (usize, f64) = (0, 1.0);

/// An effect of 2 to 3 % between runs.
const RUNS: [Runs; 3] = [
    Runs { shared: 0.03, own: 0.0 },
    Runs { shared: 0.0, own: 0.03 },
    Runs { shared: 0.02, own: 0.02 },
];

/// By the blocks of one campaign on each side something is certainly worse by 2 % and more nearly always, though
/// nothing is: that is what a gate must not rest on.
#[test]
fn by_blocks_equal_campaigns_whose_runs_differ_would_fail() {
    for runs in RUNS {
        let fails = |seed: &u64| {
            let a = runs.side("a", (1, 60), EQUAL, 2 * seed);
            let b = runs.side("b", (1, 60), EQUAL, 2 * seed + 1);
            let look = of_sides(&a, &b, 0.02);
            assert_eq!(look.gate(0.02).unwrap().outcome, GateOutcome::Blind);
            look.differences.iter().any(|d| d.holm && d.comparison == Comparison::Worse)
        };
        let share = (0..60).filter(fails).count() as f64 / 60.0;
        println!("by blocks, {} shared, {} own: {share} would fail", runs.shared, runs.own);
        assert!(share > 0.2, "{share}");
    }
}

/// The promise of the gate: runs that differ by 2 to 3 %, all cells together or each separately, make it fail in
/// one of twenty at most.
#[test]
fn equal_sides_whose_runs_differ_seldom_fail() {
    for runs in RUNS {
        for count in [2, 3, 5] {
            let outcome = |seed| gate_of(runs, (count, 60), (EQUAL, 0.02), seed).outcome;
            let [_, failed, _] = shares(120, outcome);
            println!(
                "{count} on each side, {} shared, {} own: {failed} fail",
                runs.shared, runs.own
            );
            assert!(failed <= 0.05, "{count}: {failed}");
        }
    }
}

#[test]
fn a_loss_of_every_cell_is_found_or_the_gate_is_blind() {
    for runs in RUNS {
        for (count, limit) in [(2, 0.05), (3, 0.05), (3, 0.1), (5, 0.05), (5, 0.1)] {
            let outcome = |seed| gate_of(runs, (count, 60), ((60, 1.0 / 1.1), limit), seed).outcome;
            let [passed, found, blind] = shares(50, outcome);
            println!(
                "{count} on each side, limit {limit}, {} shared, {} own: {found} found, {blind} blind, {passed} passed",
                runs.shared, runs.own
            );
            assert!(passed <= 0.05, "{count}, {limit}: {passed}");
        }
    }
}

/// What the power says is true: a loss as large as the gate tells is found in eight of ten.
#[test]
fn reported_loss_is_found_with_80_percent() {
    let runs = Runs { shared: 0.0, own: 0.03 };
    for count in [3, 6] {
        // se = 0.03 sqrt(2 / n) with the noise of blocks in it; one cell, one-sided 5 %.
        let se = ((0.03_f64.powi(2) + 0.01_f64.powi(2) / 5.0) * 2.0 / count as f64).sqrt();
        // Where the noncentral t with 2 (n - 1) degrees of freedom exceeds its critical value in 80 %.
        let loss = se * if count == 3 { 3.04 } else { 2.67 };
        let hit = (1, (-loss).exp());
        let outcome = |seed| gate_of(runs, (count, 1), (hit, 0.001), seed);
        let gates: Vec<Gate> = (0..400).map(outcome).collect();
        let found =
            gates.iter().filter(|g| g.outcome == GateOutcome::Regressed).count() as f64 / 400.0;
        println!("{count} on each side: {found} found");
        assert!((0.72..=0.86).contains(&found), "{count}: {found}");
    }
}

#[test]
fn a_gate_that_passes_tells_what_it_would_have_found() {
    let quiet = Runs { shared: 0.002, own: 0.002 };
    let passed = gate_of(quiet, (3, 4), (EQUAL, 0.1), 1);
    assert_eq!(passed.outcome, GateOutcome::Passed, "{}", words::gate(&passed));
    let said = "no regression beyond 10 %: none of 5 means and ratios of B over A on the same \
                target is significantly worse by more; a loss of ";
    assert!(words::gate(&passed).starts_with(said), "{}", words::gate(&passed));
    let power = "in the worst would have been found with 80 % power";
    assert!(words::gate(&passed).ends_with(power), "{}", words::gate(&passed));
    let noisy = Runs { shared: 0.0, own: 0.2 };
    let blind = gate_of(noisy, (3, 4), (EQUAL, 0.1), 1);
    assert_eq!(blind.outcome, GateOutcome::Blind, "{}", words::gate(&blind));
    let said = "no significant regression, but a loss of 10 % would have gone undetected in ";
    assert!(words::gate(&blind).starts_with(said), "{}", words::gate(&blind));
    assert!(blind.regressions.is_empty());
}

#[test]
fn one_campaign_on_each_side_is_no_more_than_a_look() {
    let a = campaign("a", &[("xfs", 100.0)], 0.002, 5, 1);
    let b = campaign("b", &[("xfs", 50.0)], 0.002, 5, 2);
    let gate = compared(&a, &b, 0.05).gate(0.05).unwrap();
    assert_eq!((gate.outcome, gate.regressions.len()), (GateOutcome::Blind, 0));
    assert!(
        words::gate(&gate).contains("do not cover the variation between runs"),
        "{}",
        words::gate(&gate)
    );
    // Nor is one against several enough: what the one varies by is not known.
    let several = Runs { shared: 0.0, own: 0.002 }.side("c", (3, 4), EQUAL, 1);
    let gate = of_sides(&several, &[b], 0.05).gate(0.05).unwrap();
    assert_eq!(gate.outcome, GateOutcome::Blind);
    assert!(words::gate(&gate).contains("a single value"), "{}", words::gate(&gate));
}

#[test]
fn a_loss_that_is_certain_and_may_be_beyond_the_limit_does_not_pass() {
    // 4 % less, known to 1 to 2 %: 5 % can neither be told nor ruled out.
    let runs = Runs { shared: 0.0, own: 0.008 };
    let outcome = |seed| gate_of(runs, (4, 1), ((1, 1.0 / 1.042), 0.05), seed);
    let gates: Vec<Gate> = (0..40).map(outcome).collect();
    let doubtful =
        gates.iter().filter(|g| words::gate(g).contains("inconclusive whether beyond 5 %"));
    assert!(doubtful.clone().count() > 10);
    assert!(doubtful.clone().all(|g| g.outcome == GateOutcome::Blind));
}

#[test]
fn only_decided_losses_of_the_same_target_beyond_the_limit_count() {
    let side = |name: &str, levels: &[(&str, f64)], seed| -> Vec<Dataset> {
        (0..3_u64).map(|i| campaign(&format!("{name}{i}"), levels, 0.002, 5, seed + i)).collect()
    };
    let a = side("a", &[("ext4", 100.0), ("xfs", 100.0)], 1);
    let b = side("b", &[("ext4", 160.0), ("xfs", 80.0)], 11);
    let comparison = of_sides(&a, &b, 0.05);
    let gate = comparison.gate(0.05).unwrap();
    assert_eq!(gate.outcome, GateOutcome::Regressed);
    assert!(gate.regressions.iter().all(|r| r.target == "B:xfs"));
    assert_eq!(gate.regressions.iter().filter(|r| r.cell.is_some()).count(), 4);
    assert!(words::gate(&gate).contains("B:xfs is 0.80x A:xfs"), "{}", words::gate(&gate));
    assert!(
        words::gate(&gate).contains("; ratios beyond the limit: 5; a loss of "),
        "{}",
        words::gate(&gate)
    );
    // 0.80 is a loss of 25 % in this scale, on which 1/1.25 is as far from 1 as 1.25.
    assert_eq!(comparison.gate(0.3).unwrap().outcome, GateOutcome::Passed);
    // The other way round only ext4 is worse.
    let back = of_sides(&b, &a, 0.05);
    assert!(back.gate(0.05).unwrap().regressions.iter().all(|r| r.target == "B:ext4"));
}

#[test]
fn a_busy_machine_is_named_where_nothing_is_judged() {
    let side = |name: &str, level, seed| -> Vec<Dataset> {
        (0..3_u64)
            .map(|i| campaign(&format!("{name}{i}"), &[("xfs", level)], 0.002, 3, seed + i))
            .collect()
    };
    let (a, mut b) = (side("a", 100.0, 1), side("b", 100.0, 11));
    for s in b.iter_mut().flat_map(|b| &mut b.samples) {
        let used = if s.case.test <= "t1".into() { 60.0 } else { 1.0 };
        s.push(Metric::new("foreign_cpu_pct", used, "%", Better::Lower));
    }
    let gate = of_sides(&a, &b, 0.05).gate(0.05).unwrap();
    assert_eq!(gate.outcome, GateOutcome::Blind);
    assert!(words::gate(&gate).contains("in 3 of 5"), "{}", words::gate(&gate));
    assert!(
        words::gate(&gate).contains("where other processes competed for CPU or disk"),
        "{}",
        words::gate(&gate)
    );
}

#[test]
fn cells_that_b_lacks_are_reported() {
    let quiet = Runs { shared: 0.0, own: 0.002 };
    let (a, mut b) = (quiet.side("a", (3, 4), EQUAL, 1), quiet.side("b", (3, 4), EQUAL, 2));
    b.iter_mut().for_each(|b| b.samples.retain(|s| s.case.test != "t3"));
    let gate = of_sides(&a, &b, 0.1).gate(0.1).unwrap();
    let said = "B has no row of t3 by name, 1 process: measure them in B";
    assert_eq!(gate.outcome, GateOutcome::Blind, "{}", words::gate(&gate));
    assert!(words::gate(&gate).contains(said), "{}", words::gate(&gate));
    // Beside a regression it is no more than a remark.
    b.iter_mut().flat_map(|b| &mut b.samples).for_each(|s| s.figures.metrics[0].value *= 0.5);
    let gate = of_sides(&a, &b, 0.1).gate(0.1).unwrap();
    let said = "; not evaluated, because B has no counterpart: 1 of A's cells";
    assert!(
        gate.outcome == GateOutcome::Regressed && words::gate(&gate).ends_with(said),
        "{}",
        words::gate(&gate)
    );
    // What one campaign of B lacks is judged by the others.
    let mut b = quiet.side("b", (3, 4), EQUAL, 2);
    b[0].samples.retain(|s| s.case.test != "t3");
    let gate = of_sides(&a, &b, 0.1).gate(0.1).unwrap();
    assert!(
        gate.outcome == GateOutcome::Passed && !words::gate(&gate).contains("not judged"),
        "{}",
        words::gate(&gate)
    );
}

/// Of all that there is no more than 100 % can be lost.
#[test]
fn a_loss_of_more_than_half_is_said_by_its_factor() {
    let noisy = Runs { shared: 0.0, own: 0.6 };
    let gate = gate_of(noisy, (3, 4), (EQUAL, 0.05), 1);
    let said = words::gate(&gate);
    assert!(said.contains("a loss by a factor of "), "{said}");
    let percents = said.split(" %").filter_map(|part| part.rsplit(' ').next()?.parse::<f64>().ok());
    assert!(percents.into_iter().all(|percent| percent < 100.0), "{said}");
}

#[test]
fn without_a_common_target_there_is_no_gate() {
    let a = campaign("a", &[("xfs", 100.0)], 0.002, 3, 1);
    let b = campaign("b", &[("ext4", 50.0)], 0.002, 3, 2);
    assert_eq!(compared(&a, &b, 0.05).gate(0.05), None);
}

//! What is said under a table, and that it never says more than the table.

use crate::common::{Noise, dataset, normal, sample, test};
use model::{Dataset, Group, Metric, Rng, Sample};
use proptest::prelude::*;
use report::words::{Observation, observations};
use stats::{Comparison, Findings, Settings, Table, findings};

fn judged(data: &Dataset) -> Findings {
    findings(data, &Settings::default()).unwrap()
}

fn texts(findings: &Findings) -> Vec<String> {
    observations(findings, &findings.tables[0]).into_iter().map(|o| o.text).collect()
}

/// Five blocks of each test; the levels are those of xfs over ext4.
fn levels(levels: &[f64]) -> Vec<Sample> {
    let wiggle = [1.0, 1.01, 0.99, 1.005, 0.995];
    let mut samples = Vec::new();
    for (i, level) in levels.iter().enumerate() {
        for block in 0..5 {
            let id = format!("t{i}");
            let drift = wiggle[(block + i) % 5];
            samples.push(sample("ext4", &id, block as u32, 100.0));
            samples.push(sample("xfs", &id, block as u32, 100.0 * level * drift));
        }
    }
    samples
}

fn two(samples: Vec<Sample>, tests: usize) -> Dataset {
    let infos = (0..tests).map(|i| test(&format!("t{i}"), Group::WriteCritical)).collect();
    dataset(&["ext4", "xfs"], infos, samples)
}

#[test]
fn differences_come_first_then_what_is_the_same() {
    let said = texts(&judged(&two(levels(&[2.1, 0.5, 1.0, 1.0]), 4)));
    assert_eq!(
        said,
        [
            "With 1 process xfs is 2.10x faster than ext4 in t0 by name (2.08 to 2.12).",
            "With 1 process ext4 is 2.00x faster than xfs in t1 by name (1.98 to 2.02).",
            "With 1 process xfs and ext4 are the same within 5 % over 4 tests.",
            "With 1 process xfs and ext4 are the same within 5 % in t2 by name and t3 by name.",
        ]
    );
}

#[test]
fn what_is_unclear_is_left_to_the_table() {
    let mut samples = levels(&[1.0; 6]);
    // Half as fast in one block, twice in another: no interval is narrow.
    samples.iter_mut().filter(|s| s.case.target == "xfs").for_each(|s| {
        s.metrics[0].value *= [1.0, 0.5, 2.0, 1.1, 0.9][s.block as usize];
    });
    let found = judged(&two(samples, 6));
    assert!(
        found.tables[0].rows.iter().all(|row| row.cells[1].comparison == Some(Comparison::Unclear))
    );
    assert_eq!(texts(&found), [""; 0]);
}

#[test]
fn a_busy_machine_is_named_and_nothing_else() {
    let mut samples = levels(&[2.0]);
    let busy = Metric::new("foreign_cpu_pct", 80.0, "%", model::Better::Lower);
    samples.iter_mut().for_each(|s| s.metrics.push(busy.clone()));
    let said = texts(&judged(&two(samples, 1)));
    let busy = "With 1 process xfs and ext4 are not judged in t0 by name: the machine was busy with \
                other work.";
    assert_eq!(said, [busy]);
}

#[test]
fn single_runs_say_nothing() {
    let mut samples = levels(&[2.0, 0.5]);
    samples.retain(|s| s.block == 0);
    assert_eq!(texts(&judged(&two(samples, 2))), [""; 0]);
}

#[test]
fn what_is_no_rate_is_better_and_not_faster() {
    let mut data = two(levels(&[2.0]), 1);
    data.tests[0].unit = "%".into();
    assert!(texts(&judged(&data))[0].contains("xfs is 2.00x better than ext4 in"));
}

/// The verdicts that the table has for what the observation speaks of.
fn verdicts(table: &Table, observation: &Observation) -> Vec<Comparison> {
    let column = table.footers.iter().position(|f| f.target == observation.target).unwrap();
    if observation.tests.is_empty() {
        return vec![table.footers[column].comparison.unwrap()];
    }
    let row = |id: &String| table.rows.iter().find(|r| r.test == *id).unwrap();
    observation.tests.iter().map(|id| row(id).cells[column].comparison.unwrap()).collect()
}

/// The words that a verdict allows.
fn is_worded(claim: Comparison, text: &str) -> bool {
    let unclear = text.contains("not judged");
    let said = (text.contains("faster"), text.contains("slightly"), text.contains("same"), unclear);
    said == match claim {
        Comparison::Better | Comparison::Worse => (true, false, false, false),
        Comparison::SlightlyBetter | Comparison::SlightlyWorse => (true, true, false, false),
        Comparison::Same => (false, false, true, false),
        Comparison::Unclear => (false, false, false, true),
    }
}

/// Names the better first, with the ends of the interval that the table has.
fn is_quoted(table: &Table, observation: &Observation, baseline: &str) -> bool {
    let column = table.footers.iter().position(|f| f.target == observation.target).unwrap();
    let ratio = match observation.tests.first() {
        None => table.footers[column].ratio.unwrap(),
        Some(id) => table.rows.iter().find(|r| r.test == *id).unwrap().cells[column].ratio.unwrap(),
    };
    let (low, high) = (ratio.low.unwrap(), ratio.high.unwrap());
    let ahead = low > 1.0;
    let (first, low, high) =
        if ahead { (&*observation.target, low, high) } else { (baseline, 1.0 / high, 1.0 / low) };
    let interval = format!("({low:.2} to {high:.2})");
    low > 1.0
        && observation.text.contains(&format!("process {first} is "))
        && observation.text.contains(&interval)
}

fn noisy(seed: u64, tests: usize, blocks: u32, own_sd: f64, spread: f64) -> Dataset {
    let mut rng = Rng::new(seed);
    let noise = Noise { block_sd: 0.01, own_sd };
    let mut data = noise.dataset(&[("a", 50.0), ("b", 50.0), ("c", 55.0)], tests, blocks, seed);
    let shift: Vec<f64> = (0..3 * tests).map(|_| (spread * normal(&mut rng)).exp()).collect();
    for sample in &mut data.samples {
        let test: usize = sample.case.test[1..].parse().unwrap();
        let target = ["a", "b", "c"].iter().position(|t| *t == sample.case.target).unwrap();
        sample.metrics[0].value *= shift[3 * test + target];
    }
    data
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_sentence_is_stronger_than_its_cells(
        seed in any::<u64>(),
        tests in 1usize..9,
        blocks in 1u32..7,
        own_sd in prop::sample::select(vec![0.002, 0.02, 0.1]),
        spread in prop::sample::select(vec![0.0, 0.03, 0.3]),
    ) {
        let found = judged(&noisy(seed, tests, blocks, own_sd, spread));
        let table = &found.tables[0];
        let said = observations(&found, table);
        prop_assert!(said.len() <= 8 && (blocks > 1 || said.is_empty()), "{said:?}");
        for observation in &said {
            let of_cells = verdicts(table, observation);
            prop_assert!(of_cells.iter().all(|v| *v == observation.claim), "{observation:?}: {of_cells:?}");
            prop_assert!(is_worded(observation.claim, &observation.text), "{observation:?}");
            if !matches!(observation.claim, Comparison::Same | Comparison::Unclear) {
                prop_assert!(is_quoted(table, observation, "a"), "{observation:?}");
                let column = table.footers.iter().position(|f| f.target == observation.target).unwrap();
                let of = |id: &String| table.rows.iter().find(|r| r.test == *id).unwrap();
                prop_assert!(observation.tests.iter().all(|id| of(id).cells[column].holm));
            }
        }
        let size = |o: &Observation| {
            let column = table.footers.iter().position(|f| f.target == o.target).unwrap();
            let one = |id: &String| table.rows.iter().find(|r| r.test == *id).unwrap().cells[column].ratio;
            let ratio = o.tests.first().map_or(table.footers[column].ratio, one);
            ratio.unwrap().point.ln().abs()
        };
        let differences: Vec<f64> = said
            .iter()
            .filter(|o| !matches!(o.claim, Comparison::Same | Comparison::Unclear))
            .map(size)
            .collect();
        prop_assert!(differences.is_sorted_by(|a, b| a >= b), "{differences:?}");
    }
}

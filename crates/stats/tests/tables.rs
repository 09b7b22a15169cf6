//! Tests of tables: which samples enter, the direction of ratios, missing values.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{Noise, dataset, sample, test};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Numbers, Reason, Sample, Validity, known},
    workload::Group,
};
use proptest::prelude::*;
use stats::{
    description::{
        Amount, Comparison, Contention, Excluded, Settings, StatsError, Table, Unjudged,
    },
    evaluation::findings,
};

fn first_table(data: &Dataset) -> Table {
    findings(data, &Settings::default()).unwrap().tables.remove(0)
}

fn series(target: &str, id: &str, values: &[f64]) -> Vec<Sample> {
    values.iter().zip(0..).map(|(v, block)| sample(target, id, block, *v)).collect()
}

fn two_targets(samples: Vec<Sample>) -> Dataset {
    dataset(
        &["xfs", "ext4"],
        vec![test("t0", Group::ReadCold), test("t1", Group::ReadCold)],
        samples,
    )
}

#[test]
fn a_published_table_is_reproduced() {
    // Rates in MB/s of one run; the ratio column and the footers follow from them.
    let rows =
        [("add attribute", 259.0, 231.0), ("disk sort", 105.0, 97.0), ("append", 1038.0, 870.0)];
    let infos = rows.iter().map(|r| test(r.0, Group::WriteCritical)).collect();
    let samples = rows
        .iter()
        .flat_map(|r| [sample("ext4", r.0, 0, r.2), sample("xfs", r.0, 0, r.1)])
        .collect();
    let table = first_table(&dataset(&["ext4", "xfs"], infos, samples));
    let printed: Vec<String> =
        table.rows.iter().map(|r| format!("{:.2}", r.cells[1].ratio.unwrap().point)).collect();
    assert_eq!(printed, ["1.12", "1.08", "1.19"]);
    let footer = &table.footers[1];
    assert_eq!(
        format!("{:.0} {:.3}", footer.geometric_mean.unwrap(), footer.ratio.unwrap().point),
        "304 1.131"
    );
    assert_eq!(footer.max_ratio.as_ref().unwrap().test, "append");
    assert_eq!(footer.min_ratio.as_ref().unwrap().test, "disk sort");
    assert_eq!((footer.counts.unclear, footer.tests, footer.of_tests), (3, 3, 3));
}

#[test]
fn above_one_is_better_also_when_less_is_better() {
    let mut data = two_targets(
        [series("xfs", "t0", &[10.0, 11.0, 10.5]), series("ext4", "t0", &[5.0, 5.5, 5.2])].concat(),
    );
    data.tests[0].better = Better::Lower;
    let cell = &first_table(&data).rows[0].cells[1];
    assert_eq!((cell.comparison, cell.n), (Some(Comparison::Better), 3));
    assert!(cell.ratio.unwrap().point > 1.9 && (cell.value.unwrap() - 5.229).abs() < 1e-3);
}

#[test]
fn what_is_not_valid_leaves_its_reason_and_no_value() {
    let mut samples = series("xfs", "t0", &[10.0, 11.0]);
    samples.extend(series("ext4", "t0", &[10.0, 11.0, 12.0]));
    *samples[2].evidence.validity = Validity::Invalid(Reason::said("no space"));
    *samples[3].evidence.validity = Validity::Lukewarm(Reason::said("12 % resident"));
    samples[4].figures.metrics[0].value = 0.0;
    samples.extend(series("xfs", "t1", &[10.0, 11.0]));
    samples.extend(series("ext4", "t1", &[20.0, 22.0]));
    let table = first_table(&two_targets(samples));
    let cell = &table.rows[0].cells[1];
    assert_eq!((cell.value, cell.ratio, cell.comparison, cell.lukewarm), (None, None, None, 1));
    let zero = Reason::NotAboveZero { metric: "rate".into(), value: 0.0.into() };
    let one = |why| Excluded { why, samples: 1 };
    assert_eq!(cell.invalid_reasons, [one(zero), one(Reason::said("no space"))]);
    // The geometric means of both targets rest on the one test that both have.
    let footers = &table.footers;
    assert_eq!((footers[0].tests, footers[1].tests, footers[1].of_tests), (1, 1, 2));
    assert!((footers[1].ratio.unwrap().point - 2.0).abs() < 1e-12);
    assert!((footers[0].geometric_mean.unwrap() - 110.0_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn the_overlap_rate_is_used_only_when_all_have_it() {
    let overlap = |value| Metric::new("overlap_rate", value, "MB/s", Better::Higher);
    let mut samples =
        [series("xfs", "t0", &[10.0, 10.0]), series("ext4", "t0", &[10.0, 10.0])].concat();
    samples.iter_mut().skip(1).for_each(|s| s.push(overlap(40.0)));
    let partial = first_table(&two_targets(samples.clone()));
    assert_eq!(
        (partial.rows[0].basis.as_str(), partial.rows[0].cells[1].value.unwrap().round()),
        ("rate", 10.0)
    );
    samples[0].push(overlap(40.0));
    let full = first_table(&two_targets(samples));
    assert_eq!(
        (full.rows[0].basis.as_str(), full.rows[0].cells[1].value.unwrap().round()),
        ("overlap_rate", 40.0)
    );
}

#[test]
fn contention_makes_a_cell_unclear() {
    let mut samples = [series("xfs", "t0", &[10.0; 5]), series("ext4", "t0", &[20.0; 5])].concat();
    let busy = Metric::new("foreign_cpu_pct", 35.0, "%", Better::Lower);
    samples[0].push(busy.clone());
    let one_of_five = first_table(&two_targets(samples.clone()));
    assert_eq!(one_of_five.rows[0].cells[1].comparison, Some(Comparison::Better));
    // The five of the other, which were not disturbed, do not make up for it.
    samples[1].push(busy);
    let two_of_five = first_table(&two_targets(samples));
    let cell = &two_of_five.rows[0].cells[1];
    assert_eq!(
        (cell.comparison, cell.reason, cell.holm),
        (Some(Comparison::Contended), Some(Unjudged::Contended), false)
    );
}

#[test]
fn a_disk_that_others_used_makes_a_cell_unclear_and_says_what_they_did() {
    let mut samples = [series("xfs", "t0", &[10.0; 5]), series("ext4", "t0", &[20.0; 5])].concat();
    let quiet =
        Numbers::default().with(known::FOREIGN_CPU_PCT, 3.0).with(known::FOREIGN_DISK_PCT, 10.0);
    samples.iter_mut().for_each(|s| s.numbers = quiet.clone());
    let data = two_targets(samples.clone());
    assert_eq!(first_table(&data).rows[0].cells[1].comparison, Some(Comparison::Better));
    assert!(data.samples.iter().all(|s| Contention::of(&data, 10.0).why(s).is_none()));
    for sample in samples.iter_mut().take(3) {
        sample.numbers = Numbers::default()
            .with(known::FOREIGN_CPU_PCT, 31.4)
            .with(known::FOREIGN_DISK_PCT, 66.0)
            .with(known::FOREIGN_READ_BYTES, 0.0)
            .with(known::FOREIGN_WRITE_BYTES, f64::from(212u32 << 20));
    }
    let data = two_targets(samples);
    let cell = &first_table(&data).rows[0].cells[1];
    assert_eq!(
        (cell.comparison, cell.reason),
        (Some(Comparison::Contended), Some(Unjudged::Contended))
    );
    let reasons: Vec<_> =
        data.samples.iter().filter_map(|s| Contention::of(&data, 10.0).why(s)).collect();
    assert_eq!(
        reasons,
        ["other processes used 31 % of the processors meanwhile; other processes wrote 212 MiB to \
          the disk below meanwhile, and used it 66 % of the time"; 3]
    );
}

#[test]
fn a_sample_too_short_to_tell_is_judged_by_the_others_of_its_turn() {
    let values = [[10.0; 5], [20.0; 5]];
    let judged = |busy_pct: f64| {
        let mut samples = Vec::new();
        for (target, values) in ["xfs", "ext4"].into_iter().zip(&values) {
            samples.extend(series(target, "short", values));
            let mut long = series(target, "long", values);
            let busy = Metric::new("foreign_cpu_pct", busy_pct, "%", Better::Lower);
            long.iter_mut().for_each(|s| s.push(busy.clone()));
            samples.extend(long);
        }
        let infos = ["short", "long"].iter().map(|id| test(id, Group::ReadHot)).collect();
        first_table(&dataset(&["xfs", "ext4"], infos, samples)).rows[0].cells[1].comparison
    };
    assert_eq!(judged(2.0), Some(Comparison::Better));
    assert_eq!(judged(40.0), Some(Comparison::Contended));
}

#[test]
fn rows_are_grouped_by_type_and_tables_by_group_and_procs() {
    let mut infos: Vec<_> = ["a", "b", "c"].iter().map(|id| test(id, Group::ReadHot)).collect();
    infos[1].testtype = "read mem".into();
    infos.push(test("w", Group::WriteCritical));
    let mut samples: Vec<Sample> =
        ["c", "b", "a", "w"].iter().map(|id| sample("xfs", id, 0, 1.0)).collect();
    samples.push(samples[0].clone());
    samples[4].case.procs = 64;
    let tables = findings(&dataset(&["xfs"], infos, samples), &Settings::default()).unwrap().tables;
    let shape: Vec<(Group, u32)> = tables.iter().map(|t| (t.group, t.procs)).collect();
    assert_eq!(shape, [(Group::WriteCritical, 1), (Group::ReadHot, 1), (Group::ReadHot, 64)]);
    let order: Vec<&str> = tables[1].rows.iter().map(|r| r.test.as_str()).collect();
    assert_eq!(order, ["a", "c", "b"]);
}

#[test]
fn mistakes_are_named() {
    let data = two_targets(series("xfs", "t0", &[1.0]));
    let settings = Settings { baseline: Some("zfs".into()), ..Settings::default() };
    let error = findings(&data, &settings).unwrap_err();
    let said = "unknown target `zfs` (did you mean `xfs`?); choose the baseline from: xfs, ext4";
    assert_eq!(error.to_string(), said);
    let stray = two_targets(series("btrfs", "t0", &[1.0]));
    assert!(matches!(
        findings(&stray, &Settings::default()),
        Err(StatsError::Unlisted { what: "target", .. })
    ));
    let empty = dataset(&[], Vec::new(), Vec::new());
    assert!(matches!(findings(&empty, &Settings::default()), Err(StatsError::NoTargets { .. })));
}

fn opposite(verdict: Comparison) -> Comparison {
    match verdict {
        Comparison::Better => Comparison::Worse,
        Comparison::Worse => Comparison::Better,
        Comparison::SlightlyBetter => Comparison::SlightlyWorse,
        Comparison::SlightlyWorse => Comparison::SlightlyBetter,
        same => same,
    }
}

proptest! {
    #[test]
    fn a_unit_changes_no_ratio(seed in 0_u64..1_000, scale in 1e-6..1e6_f64) {
        let noise = Noise { block_sd: 0.1, own_sd: 0.1 };
        let data = noise.dataset(&[("a", 1.0), ("b", 1.1)], 3, 4, seed);
        let mut scaled = data.clone();
        scaled.samples.iter_mut().for_each(|s| s.figures.metrics[0].value *= scale);
        for (one, other) in first_table(&data).rows.iter().zip(first_table(&scaled).rows) {
            let (a, b) = (one.cells[1].ratio.unwrap(), other.cells[1].ratio.unwrap());
            prop_assert!((a.point / b.point - 1.0).abs() < 1e-9);
            prop_assert!((a.low.unwrap() / b.low.unwrap() - 1.0).abs() < 1e-9);
            let values = (one.cells[1].value.unwrap(), other.cells[1].value.unwrap());
            prop_assert!((values.0 * scale / values.1 - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn exchanging_the_baseline_inverts(seed in 0_u64..1_000, gap in 0.8..1.25_f64) {
        let noise = Noise { block_sd: 0.02, own_sd: 0.02 };
        let data = noise.dataset(&[("a", 1.0), ("b", gap)], 3, 4, seed);
        let settings = Settings { baseline: Some("b".into()), ..Settings::default() };
        let forward = first_table(&data);
        let back = findings(&data, &settings).unwrap().tables.remove(0);
        for (one, other) in forward.rows.iter().zip(&back.rows) {
            let (a, b) = (one.cells[1].ratio.unwrap(), other.cells[1].ratio.unwrap());
            prop_assert!((a.point * b.point - 1.0).abs() < 1e-12);
            prop_assert!((a.low.unwrap() * b.high.unwrap() - 1.0).abs() < 1e-12);
            prop_assert_eq!(one.cells[1].comparison.unwrap(), opposite(other.cells[1].comparison.unwrap()));
        }
    }
}

#[test]
fn a_row_tells_the_median_of_its_valid_samples() {
    let mut samples = series("xfs", "t0", &[10.0, 11.0, 12.0]);
    samples.extend(series("ext4", "t0", &[10.0, 11.0, 12.0]));
    let work = [(40, 0.2), (50, 0.3), (60, 0.4), (44, 0.1), (52, 0.5), (9999, 9.0)];
    for (sample, (bytes, seconds)) in samples.iter_mut().zip(work) {
        (sample.figures.bytes, sample.figures.ops, sample.figures.seconds) = (bytes, 7, seconds);
    }
    *samples[5].evidence.validity = Validity::Invalid(Reason::said("no space"));
    samples.extend(series("xfs", "t1", &[10.0]));
    samples[6].figures.seconds = 0.0;
    let rows = first_table(&two_targets(samples)).rows;
    assert_eq!(rows[0].amount, Some(Amount { bytes: 50.0, ops: 7.0, seconds: 0.3 }));
    assert_eq!(rows[1].amount, None, "a table of others tells no time");
}

/// A target that could not be made in one block is compared with all the same: it has samples in every cell.
#[test]
fn one_failure_of_the_baseline_makes_no_other_target_the_baseline() {
    let quiet = Noise { block_sd: 0.01, own_sd: 0.01 };
    let mut data = quiet.dataset(&[("ext4", 1.0), ("xfs", 1.2)], 6, 4, 1);
    data.samples.retain(|s| s.case.target != "ext4" || s.block != 1);
    data.targets[0].state = model::result::TargetState::Failed("block 1: no space".into());
    let found = findings(&data, &Settings::default()).unwrap();
    assert_eq!((found.baseline.as_str(), found.targets[0].as_str()), ("ext4", "ext4"));
}

/// One that has samples in few cells would leave most without a ratio. Another one takes its place, and says so.
#[test]
fn a_baseline_that_lacks_most_cells_is_replaced_and_that_is_said() {
    let quiet = Noise { block_sd: 0.01, own_sd: 0.01 };
    let mut data = quiet.dataset(&[("ext4", 1.0), ("xfs", 1.2), ("btrfs", 0.9)], 6, 4, 1);
    data.samples.retain(|s| s.case.target != "ext4" || s.case.test == "t3");
    let found = findings(&data, &Settings::default()).unwrap();
    assert_eq!(found.baseline, "xfs");
    let why = "ext4, the first target, has a valid sample in 1 of 6 cells";
    assert_eq!(found.baseline_instead.as_deref(), Some(why));
    // It is available on request, with ratios where it has samples and none elsewhere.
    data.campaign.plan.baseline = Some("ext4".into());
    let asked = findings(&data, &Settings::default()).unwrap();
    assert_eq!((asked.baseline.as_str(), asked.baseline_instead), ("ext4", None));
    let rows = &asked.tables[0].rows;
    let with_ratio = rows.iter().filter(|row| row.cells[1].ratio.is_some()).count();
    assert_eq!((rows.len(), with_ratio), (6, 1));
}

//! The shipped tables against their own summary rows: what is recomputed from the cells must agree
//! with what was printed, within the rounding of both.
#![allow(clippy::unwrap_used)]

use formats::{SummaryKind, SummaryRow, published, summary_rows};
use model::{
    figure::Metric,
    result::{Dataset, Imported, Note, OtherEdition, Validity},
    workload::Group,
};

/// The values that a printed number may stand for; never below 0.
#[derive(Clone, Copy, Debug)]
struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    fn of(printed: &str) -> Interval {
        let decimals = printed.split_once('.').map_or(0, |(_, digits)| digits.len());
        let half = 0.5 * 10f64.powi(-(decimals as i32));
        let value: f64 = printed.parse().unwrap();
        Interval { low: (value - half).max(0.0), high: value + half }
    }

    fn meets(self, other: Interval) -> bool {
        // A hair of room for the arithmetic of logarithms.
        self.low <= other.high * (1.0 + 1e-9) && other.low <= self.high * (1.0 + 1e-9)
    }

    fn combine(cells: &[Interval], kind: SummaryKind) -> Interval {
        let of = |bound: fn(&Interval) -> f64| {
            let values = cells.iter().map(bound);
            match kind {
                SummaryKind::GeometricMean => {
                    (values.map(f64::ln).sum::<f64>() / cells.len() as f64).exp()
                }
                SummaryKind::Max => values.fold(0.0, f64::max),
            }
        };
        Interval { low: of(|cell| cell.low), high: of(|cell| cell.high) }
    }
}

/// The printed cells of a column, given back from the samples.
fn column(data: &Dataset, row: &SummaryRow, name: &str) -> Vec<Interval> {
    // The source has what was left to sync among the writes, and in their means.
    let stands = |group| if group == Group::Sync { Group::WriteOther } else { group };
    let of_group = data.tests.iter().filter(|test| stands(test.group) == row.group);
    of_group.filter_map(|test| cell(data, row.procs, &test.id, name)).collect()
}

fn value(data: &Dataset, procs: u32, test: &str, target: &str) -> Option<Option<f64>> {
    let case = |s: &&model::result::Sample| {
        s.case.procs == procs && s.case.test == test && s.case.target == target
    };
    data.samples.iter().find(case).map(|sample| sample.figures.metrics.first().map(|m| m.value))
}

fn cell(data: &Dataset, procs: u32, test: &str, name: &str) -> Option<Interval> {
    if let Some(target) = name.strip_suffix("_mb_s") {
        return value(data, procs, test, target)?.map(|rate| Interval::of(&format!("{rate:.0}")));
    }
    if let Some(target) = name.strip_prefix("xfs_over_") {
        let ratio = value(data, procs, test, target)?.map_or(0.0, f64::recip);
        return Some(Interval::of(&format!("{ratio:.1}")));
    }
    // The first study prints the ratios of its two columns.
    let (xfs, ext4) = (cell(data, procs, test, "xfs_mb_s")?, cell(data, procs, test, "ext4_mb_s")?);
    Some(Interval { low: xfs.low / ext4.high, high: xfs.high / ext4.low })
}

#[test]
fn what_ran_is_what_the_studies_say() {
    for data in published().unwrap() {
        let id = data.campaign.id.as_str();
        let (procs, threads) = match id {
            _ if id.contains("nano") => (None, Some(8)),
            _ if id.ends_with("mdtest-ops") => (Some(2), Some(1)),
            _ if id.contains("matrix") => (Some(1), None),
            _ => (Some(1), Some(1)),
        };
        for sample in &data.samples {
            let case = &sample.case;
            assert!(procs.is_none_or(|procs| case.procs == procs), "{id}: {case:?}");
            assert!(threads.is_none_or(|threads| case.threads == threads), "{id}: {case:?}");
        }
    }
}

#[test]
fn printed_summaries_follow_from_the_cells() {
    let campaigns = published().unwrap();
    let rows = summary_rows().unwrap();
    let mut checked = 0;
    for row in &rows {
        let data = campaigns.iter().find(|data| data.campaign.id == row.campaign).unwrap();
        for (name, printed) in &row.cells {
            let cells = column(data, row, name);
            assert!(cells.len() >= 9, "{row:?}");
            let computed = Interval::combine(&cells, row.kind);
            assert!(computed.meets(Interval::of(printed)), "{name} {computed:?} {row:?}");
            checked += 1;
        }
    }
    assert_eq!((rows.len(), checked), (64, 2 * (16 * 3 + 16 * 4)));
}

#[test]
fn every_cell_is_a_sample_and_every_test_is_known() {
    let campaigns = published().unwrap();
    let counts: Vec<_> =
        campaigns.iter().map(|d| (d.targets.len(), d.tests.len(), d.samples.len())).collect();
    let nano = [(2, 54, 2 * 108), (5, 53, 5 * 106)];
    let cloud = [(7, 2, 6 * 2 + 1), (9, 1, 9), (7, 10, 7 * 10)];
    let earlier = [(2, 43, 2 * 86), (5, 42, 5 * 84)];
    let raid1 = [(3, 12, 3 * 12), (3, 1, 3), (3, 1, 3), (3, 8, 3 * 8)];
    let matrix = [(3, 192, 3 * 192)];
    assert_eq!(counts, [&nano[..], &cloud, &matrix, &earlier, &raid1].concat());
    for data in &campaigns {
        assert_eq!(data.campaign.plan.baseline.as_ref(), Some(&data.targets[0].label));
        assert!(
            data.campaign
                .notes
                .iter()
                .any(|note| note.said().is_some_and(|said| said.starts_with("One run per cell")))
        );
    }
    let nano = campaigns.iter().filter(|data| data.campaign.id.contains("nano"));
    let mut bounds = Vec::new();
    for data in nano {
        for test in &data.tests {
            assert!(!test.id.contains("other"), "{test:?}");
            assert_ne!(test.group, Group::Meta, "{test:?}");
        }
        for sample in &data.samples {
            assert_eq!(sample.evidence.validity, Validity::Valid, "{sample:?}");
            assert!(sample.figures.metrics.iter().all(|m| m.value.is_finite() && m.value > 0.0));
        }
        let is_bound = |s: &&model::result::Sample| s.metric(Metric::AT_LEAST).is_some();
        bounds.push(data.samples.iter().filter(is_bound).count());
    }
    assert_eq!(bounds, [0, 9, 0, 1]);
}

#[test]
fn what_bonnie_did_not_time_is_no_figure() {
    let campaigns = published().unwrap();
    let raid1 = campaigns.iter().find(|d| d.campaign.id.contains("bonnie")).unwrap();
    let hidden: Vec<_> = raid1.samples.iter().filter(|s| !s.evidence.validity.is_valid()).collect();
    assert_eq!(hidden.len(), 8);
    for sample in hidden {
        assert!(sample.figures.metrics.is_empty(), "{sample:?}");
        let why = Imported::BonnieHidPhase {}.into();
        assert_eq!(sample.evidence.validity, Validity::Invalid(why));
    }
}

#[test]
fn zero_means_what_the_mean_of_its_table_leaves() {
    let campaigns = published().unwrap();
    let of = |test| value(&campaigns[1], 64, test, "ext4").unwrap().unwrap();
    let [random, sorted] =
        ["columnar.replace.int.huge", "columnar.replace_sorted.int.huge"].map(of);
    // Both were printed as 0.0 and stand for more than 20, which alone gives a mean of 0.8 where 0.5 was printed.
    assert!(random > 500.0 && sorted > 500.0, "{random} {sorted}");
    assert_eq!(random, sorted);
}

fn edition(note: &Note) -> Option<&OtherEdition> {
    match note {
        Note::OtherEdition(other) => Some(other),
        _ => None,
    }
}

#[test]
fn two_editions_tell_how_far_they_are_apart() {
    let campaigns = published().unwrap();
    let note = |id: &str| {
        let data = campaigns.iter().find(|data| data.campaign.id == id).unwrap();
        data.campaign.notes.iter().find_map(edition).unwrap().clone()
    };
    let [one, other] = ["nano", "nano-6.4.0"]
        .map(|name| note(&format!("published-{name}-2025-09-ubuntu2404-pm1743")));
    assert!(one.title.contains("KX Nano 6.4.0"), "{one:?}");
    assert!(other.title.contains("KX Nano 6.4.5"), "{other:?}");
    for note in [one, other] {
        assert_eq!((note.ratios, &*note.baseline, note.reversed), (326, "xfs", 33), "{note:?}");
        assert!(note.median_factor > 1.0 && note.most_factor > note.median_factor, "{note:?}");
    }
    let alone = campaigns.iter().filter(|d| !d.campaign.id.contains("nano"));
    assert!(alone.flat_map(|d| &d.campaign.notes).all(|note| edition(note).is_none()));
}

#[test]
fn variants_of_one_server_are_judged_alike() {
    for data in published().unwrap() {
        for target in data.targets.iter().filter(|t| t.label.starts_with("zerofs")) {
            let losses: Vec<_> =
                fs::layers(target).iter().filter_map(|layer| layer.loss()).collect();
            assert_eq!(losses, [""; 0], "{}", target.label);
        }
    }
}

#[test]
fn a_cell_that_was_looked_up_by_hand_is_there() {
    let campaigns = published().unwrap();
    let rate = value(&campaigns[0], 64, "columnar.read.binary", "xfs");
    assert_eq!(rate, Some(Some(99058.0)));
    let relative = value(&campaigns[1], 1, "columnar.write.int.huge", "zfs");
    assert_eq!(relative, Some(Some(1.0 / 2.6)));
    let bound = value(&campaigns[1], 64, "columnar.sync.int.huge", "btrfs").unwrap().unwrap();
    assert!(bound > 20.0, "{bound}");
}

#[test]
fn the_later_tables_hold_what_was_printed() {
    let campaigns = published().unwrap();
    let of = |start: &str| campaigns.iter().find(|d| d.campaign.id.starts_with(start)).unwrap();
    let apps = of("published-cloud-2025-07-apps");
    assert_eq!(value(apps, 1, "apps.uv.sync", "fsx-lustre"), Some(Some(113.82)));
    assert_eq!(value(apps, 1, "apps.uv.remove", "zerofs-nfs"), Some(Some(51.176)));
    assert_eq!(apps.tests[0].metric, "wall_s");
    let fio = of("published-cloud-2025-07-fio");
    assert_eq!(value(fio, 1, "mixed.randrw50.4k.qd64", "fsx-openzfs"), Some(Some(14300.0)));
    assert_eq!(fio.samples[0].metric("read_rate"), Some(124.0 * 1.048576));
    let mdtest = of("published-cloud-2025-07-mdtest");
    assert_eq!(mdtest.tests, formats::tool_tests("mdtest"));
    assert_eq!(value(mdtest, 2, "mdtest.tree.remove", "zerofs-nbd-10g"), Some(Some(6019.0)));
    let matrix = of("published-fsdevel");
    assert_eq!(value(matrix, 1, "matrix.seqrd.16k.t4", "ext4"), Some(Some(16367.0)));
    let ends: Vec<_> = matrix.samples.iter().map(|s| s.case.threads).collect();
    assert_eq!((ends.iter().min(), ends.iter().max()), (Some(&1), Some(&128)));
}

/// fio counts reads and writes of 4 KiB, so that rates and operations check each other.
#[test]
fn the_rates_of_fio_are_those_of_its_operations() {
    let campaigns = published().unwrap();
    let fio = campaigns.iter().find(|d| d.campaign.id.contains("randrw50")).unwrap();
    for sample in &fio.samples {
        let rate = sample.metric("read_rate").unwrap() + sample.metric("write_rate").unwrap();
        let ratio = rate * 1e6 / 4096.0 / sample.metric("iops").unwrap();
        assert!((0.8..1.2).contains(&ratio), "{sample:?}");
    }
}

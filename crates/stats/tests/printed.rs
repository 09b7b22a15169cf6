//! Tests of printed studies: bounds, syncs among writes, and targets measured in some of the tests.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common::{dataset, sample, test};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Origin, Reason, Validity},
    workload::Group,
};
use stats::{
    description::Settings,
    evaluation::{Findings, compare, findings},
    kernel::Bound,
    verdict::Note,
};

/// A campaign in which the target `t` of each name measured the value given for each test; `NaN` is lukewarm.
fn study(tests: &[(&str, Group)], targets: &[(&str, &[f64])]) -> Dataset {
    let labels: Vec<&str> = targets.iter().map(|target| target.0).collect();
    let mut samples = Vec::new();
    for (label, values) in targets {
        for ((id, _), value) in tests.iter().zip(*values) {
            let mut own = sample(label, id, 0, *value);
            if value.is_nan() {
                own.figures.metrics.clear();
                *own.evidence.validity = Validity::Lukewarm(Reason::said("resident"));
            }
            samples.push(own);
        }
    }
    dataset(&labels, tests.iter().map(|(id, group)| test(id, *group)).collect(), samples)
}

fn judged(data: &Dataset) -> Findings {
    findings(data, &Settings::default()).unwrap()
}

const COLD: [(&str, Group); 4] = [
    ("t0", Group::ReadCold),
    ("t1", Group::ReadCold),
    ("t2", Group::ReadCold),
    ("t3", Group::ReadCold),
];

#[test]
fn a_target_with_half_of_the_cells_takes_none_from_the_others() {
    let half: &[f64] = &[8.0, 8.0, f64::NAN, f64::NAN];
    let data =
        study(&COLD, &[("ext4", &[1.0; 4]), ("btrfs", half), ("xfs", &[2.0, 2.0, 8.0, 8.0])]);
    let found = judged(&data);
    assert_eq!((found.verdict.cells, found.verdict.of_cells), (4, 4));
    let ranked: Vec<&str> = found.verdict.candidates.iter().map(|c| c.target.as_str()).collect();
    assert_eq!(ranked, ["xfs", "ext4"]);
    let note = Note::Partial { target: "btrfs".into(), cells: 2, of: 4 };
    assert_eq!(found.verdict.notes, [note]);
    assert!((found.verdict.candidates[0].ratio.point - 4.0).abs() < 1e-9);
    // What it has is in its cells.
    let cell = found.tables[0].rows[0].cells.iter().find(|cell| cell.target == "btrfs").unwrap();
    assert!((cell.ratio.unwrap().point - 8.0).abs() < 1e-9);
}

#[test]
fn two_targets_are_compared_in_what_both_have() {
    let half: &[f64] = &[8.0, 8.0, f64::NAN, f64::NAN];
    let found = judged(&study(&COLD, &[("ext4", &[1.0; 4]), ("btrfs", half)]));
    assert_eq!((found.verdict.cells, found.verdict.candidates.len()), (2, 2));
    assert_eq!(found.verdict.notes, []);
}

#[test]
fn bound_is_shown_as_one_and_its_estimate_is_in_means() {
    let mut data = study(
        &COLD,
        &[
            ("xfs", &[1.0; 4]),
            ("ext4", &[1000.0, 1.0, 1.0, 1.0]),
            ("zfs", &[10_000.0, 1.0, 1.0, 1.0]),
        ],
    );
    for own in data.samples.iter_mut().filter(|s| s.figures.metrics[0].value > 1.0) {
        own.push(Metric::new(Metric::AT_LEAST, 20.0, "MB/s", Better::Higher));
    }
    let row = &judged(&data).tables[0].rows[0];
    let [xfs, ext4, zfs] = [0, 1, 2].map(|at| &row.cells[at]);
    assert_eq!((xfs.at_least, xfs.bound), (None, None));
    let is = |bound: Option<Bound>, least: f64| match bound {
        Some(Bound::AtLeast(ratio)) | Some(Bound::AtMost(ratio)) => (ratio - least).abs() < 1e-9,
        _ => false,
    };
    assert!(is(ext4.bound, 20.0) && is(zfs.bound, 20.0), "{:?}", ext4.bound);
    assert!((ext4.at_least.unwrap() - 20.0).abs() < 1e-9);
    assert!((ext4.ratio.unwrap().point - 20.0).abs() < 1e-9);
    let settings = Settings { baseline: Some("ext4".into()), ..Settings::default() };
    let over = findings(&data, &settings).unwrap();
    let cells = &over.tables[0].rows[0].cells;
    let of = |label: &str| cells.iter().find(|cell| cell.target == label).unwrap();
    assert!(is(of("xfs").bound, 0.05), "{:?}", of("xfs"));
    assert_eq!((of("zfs").bound, of("zfs").ratio), (Some(Bound::Unknown), None));
    let mean = over.tables[0].footers.iter().find(|footer| footer.target == "xfs").unwrap();
    assert!((mean.ratio.unwrap().point - 1000f64.powf(-0.25)).abs() < 1e-9);
}

#[test]
fn the_original_rate_has_means_with_the_syncs_among_the_writes() {
    let tests = [("w0", Group::WriteOther), ("w1", Group::WriteOther), ("s0", Group::Sync)];
    let mut data = study(&tests, &[("ext4", &[1.0, 4.0, 1000.0]), ("xfs", &[2.0, 8.0, 10.0])]);
    assert!(judged(&data).tables.iter().all(|table| table.with_syncs.is_empty()));
    for own in &mut data.samples {
        own.figures.metrics[0].name = "nano_rate".into();
    }
    data.tests.iter_mut().for_each(|test| test.metric = "nano_rate".into());
    let found = judged(&data);
    let table = found.tables.iter().find(|table| table.group == Group::WriteOther).unwrap();
    assert!((table.footers[1].ratio.unwrap().point - 2.0).abs() < 1e-9);
    let [ext4, xfs] = &table.with_syncs[..] else { panic!("{:?}", table.with_syncs) };
    assert!((ext4.geometric_mean.unwrap() - 4000f64.cbrt()).abs() < 1e-9);
    assert!((xfs.ratio.unwrap().point - 0.04f64.cbrt()).abs() < 1e-9);
    assert_eq!((xfs.tests, found.tables.len()), (3, 2));
}

#[test]
fn work_that_differs_from_that_of_a_study_is_named_knob_by_knob() {
    let mut published = study(&COLD, &[("ext4", &[1.0; 4])]);
    published.campaign.id = "published".into();
    published.campaign.origin = Origin::Published;
    published.campaign.plan.knobs =
        [("size", "500M"), ("runtime_s", "0")].map(|(k, v)| (k.into(), v.into())).into();
    let mut own = study(&COLD, &[("ext4", &[2.0; 4])]);
    own.campaign.id = "own".into();
    own.campaign.environment.0.insert("kernel.release".into(), "6.1".into());
    own.campaign.plan.knobs = [("size".to_string(), "1G".to_string())].into();
    let compared = |own: &Dataset| {
        compare(std::slice::from_ref(&published), std::slice::from_ref(own), &Settings::default())
    };
    let (_, found) = compared(&own).unwrap();
    let knob = |key: &str| {
        let all = &found.comparison.as_ref().unwrap().changed;
        let changed = all.iter().find(|changed| changed.key == format!("knob {key}")).unwrap();
        (changed.a.clone(), changed.b.clone())
    };
    assert_eq!(knob("size"), (Some("500M".into()), Some("1G".into())));
    assert_eq!(knob("runtime_s"), (Some("0".into()), None));
    own.campaign.scale = 0.5;
    let why = compared(&own).unwrap_err().to_string();
    for part in ["scale 0.5", "size `500M` and `1G`", "runtime_s `0` and its default"] {
        assert!(why.contains(part), "{part}: {why}");
    }
}

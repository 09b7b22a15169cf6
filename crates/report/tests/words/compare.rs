//! Two campaigns side by side: which cells are the same, what became better, what changed.

use crate::common::{Noise, dataset, sample, test};
use model::{
    figure::Metric,
    result::{Dataset, Note, Sample, Side},
    workload::{Group, TestInfo, TestSize, Work},
};
use report::words::verdict;
use stats::{
    comparison::CampaignComparison,
    description::{Comparison, Settings, StatsError},
    evaluation::{Findings, compare},
    verdict::VerdictKind,
};
use std::slice;

const QUIET: Noise = Noise { block_sd: 0.002, own_sd: 0.002 };

fn campaign(id: &str, levels: &[(&str, f64)], blocks: u32, seed: u64) -> Dataset {
    let mut data = QUIET.dataset(levels, 4, blocks, seed);
    data.campaign.id = id.into();
    data
}

fn compared(a: &Dataset, b: &Dataset) -> (Dataset, Findings, CampaignComparison) {
    let (joined, findings) =
        compare(slice::from_ref(a), slice::from_ref(b), &Settings::default()).unwrap();
    let comparison = findings.comparison.clone().unwrap();
    (joined, findings, comparison)
}

#[test]
fn targets_of_the_same_label_are_set_against_each_other() {
    let a = campaign("a", &[("ext4", 100.0), ("xfs", 130.0)], 5, 1);
    let b = campaign("b", &[("xfs", 195.0), ("ext4", 100.0)], 3, 2);
    let (joined, findings, comparison) = compared(&a, &b);
    assert_eq!(findings.targets, ["A:ext4", "A:xfs", "B:xfs", "B:ext4"]);
    assert_eq!(joined.samples.len(), a.samples.len() + b.samples.len());
    let pairs: Vec<_> =
        comparison.pairs.iter().map(|p| (&*p.a, &*p.b, p.comparison.unwrap())).collect();
    let expected = [("A:ext4", "B:ext4", Comparison::Same), ("A:xfs", "B:xfs", Comparison::Better)];
    assert_eq!(pairs, expected);
    let mean = comparison.pairs[1].ratio.unwrap();
    assert!((mean.point - 1.5).abs() < 0.03 && mean.low.unwrap() < 1.5 && mean.high.unwrap() > 1.5);
    assert_eq!(comparison.differences.len(), 4);
    assert!(
        comparison.differences.iter().all(|d| d.a == "A:xfs" && d.holm && d.value_b > d.value_a)
    );
    assert_eq!((comparison.sides[0][0].blocks, comparison.sides[1][0].blocks), (5, 3));
    assert_eq!((findings.blocks_of("A:xfs"), findings.blocks_of("B:xfs")), (5, 3));
    assert_eq!(findings.verdict.kind, VerdictKind::Insufficient);
    let sentence = "Of 8 ratios of B over A, 4 are better, 0 worse, 4 the same, 0 unclear.";
    assert_eq!(verdict(&findings), sentence);
}

#[test]
fn ratios_inside_a_campaign_stay_paired_and_those_between_are_not() {
    let loud = Noise { block_sd: 0.0, own_sd: 0.0 };
    let mut a = loud.dataset(&[("ext4", 100.0), ("xfs", 110.0)], 1, 4, 1);
    // A block shifts both targets: paired, the ratio has no noise; unpaired, it has all of it.
    a.samples
        .iter_mut()
        .for_each(|s| s.figures.metrics[0].value *= [1.0, 1.3, 0.8, 1.1][s.block as usize]);
    let mut b = a.clone();
    b.campaign.id = "b".into();
    let (_, findings, _) = compared(&a, &b);
    let cells = &findings.tables[0].rows[0].cells;
    let width =
        |i: usize| cells[i].ratio.unwrap().high.unwrap() / cells[i].ratio.unwrap().low.unwrap();
    assert_eq!(cells[1].target, "A:xfs");
    assert!((width(1) - 1.0).abs() < 1e-9 && width(2) > 1.5 && width(3) > 1.5);
    assert_eq!(
        (cells[1].comparison, cells[3].comparison),
        (Some(Comparison::Better), Some(Comparison::Unclear))
    );
    let footer = &findings.tables[0].footers[3];
    assert!(footer.ratio.unwrap().low.unwrap() < 1.0, "{footer:?}");
}

fn named(id: &str, suite: &str, name: &str, testtype: &str) -> TestInfo {
    TestInfo {
        suite: suite.into(),
        name: name.into(),
        testtype: testtype.into(),
        ..test(id, Group::Meta)
    }
}

/// One sample for each block from 0.
fn series(target: &str, id: &str, values: &[f64]) -> Vec<Sample> {
    values.iter().zip(0..).map(|(v, block)| sample(target, id, block, *v)).collect()
}

#[test]
fn a_test_is_found_by_name_in_another_suite() {
    let infos = vec![
        named("metadata.file.create", "metadata", "File creation", "files"),
        named("metadata.dir.create", "metadata", "Directory creation", "directories"),
        named("metadata.only", "metadata", "Only here", "files"),
    ];
    let mut samples = series("xfs", "metadata.file.create", &[10.0, 10.1, 9.9]);
    samples.extend(series("xfs", "metadata.dir.create", &[5.0, 5.1, 5.2]));
    samples.extend(series("xfs", "metadata.only", &[5.0, 5.1, 5.2]));
    let a = dataset(&["xfs"], infos, samples);
    let infos = vec![
        named("mdtest.file.create", "mdtest", "File creation", "files"),
        named("mdtest.dir.create", "mdtest", "Directory creation", "tree"),
    ];
    let samples = vec![
        sample("lustre", "mdtest.file.create", 0, 20.0),
        sample("lustre", "mdtest.dir.create", 0, 1.0),
    ];
    let mut b = dataset(&["lustre"], infos, samples);
    b.campaign.id = "published".into();
    let (joined, findings, comparison) = compared(&a, &b);
    let ids: Vec<_> = joined.tests.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(ids, ["metadata.file.create"]);
    let cell = &findings.tables[0].rows[0].cells[1];
    assert_eq!((cell.target.as_str(), cell.comparison), ("B:lustre", Some(Comparison::Unclear)));
    assert!((cell.ratio.unwrap().point - 2.0).abs() < 0.01 && cell.ratio.unwrap().low.is_none());
    let only = |side: usize| -> Vec<_> {
        comparison.unmatched[side].iter().map(|u| u.test.as_str()).collect()
    };
    assert_eq!(only(0), ["metadata.dir.create", "metadata.only"]);
    assert_eq!(only(1), ["mdtest.dir.create"]);
    // No label is shared: the targets of B stand against the baseline.
    assert_eq!(
        (comparison.pairs[0].a.as_str(), comparison.pairs[0].b.as_str()),
        ("A:xfs", "B:lustre")
    );
    assert!(comparison.differences.is_empty());
    assert!(verdict(&findings).starts_with("1 ratio of B over A, none with an interval"));
}

#[test]
fn the_same_id_with_another_figure_is_not_the_same_test() {
    let a = campaign("a", &[("xfs", 1.0)], 3, 1);
    let mut b = campaign("b", &[("xfs", 1.0)], 3, 1);
    b.campaign.origin = model::result::Origin::Import;
    b.tests[0].unit = "IOPS".into();
    b.samples.retain(|s| s.case.test != "t1");
    let (joined, _, comparison) = compared(&a, &b);
    assert_eq!(joined.tests.len(), 2);
    let why: Vec<_> = comparison.unmatched[0].iter().map(|u| (&*u.test, &*u.why)).collect();
    let at = "the other has no sample of it at this process count";
    assert_eq!(why, [("t0", "the other ranks it by rate in IOPS"), ("t1", at)]);
    assert_eq!(comparison.unmatched[1].iter().map(|u| &*u.test).collect::<Vec<_>>(), ["t0"]);
}

/// What the refusal to compare two campaigns of `xfs` says, of which the second was `changed`.
fn refusal(changed: impl Fn(&mut Dataset)) -> String {
    let a = campaign("a", &[("xfs", 1.0)], 3, 1);
    let mut b = campaign("b", &[("xfs", 1.0)], 3, 2);
    changed(&mut b);
    compare(&[a], &[b], &Settings::default()).unwrap_err().to_string()
}

#[test]
fn other_work_is_refused_and_the_difference_named() {
    let said = refusal(|b| b.campaign.scale = 0.02);
    let start =
        "a and b did different work, so their ratios would be meaningless: scale 1 and 0.02; ";
    assert!(said.starts_with(start) && said.contains("`assay run --like a`"), "{said}");
    let said = refusal(|b| b.campaign.plan.data = model::workload::DataKind::Zeros);
    assert!(said.contains(": data random and zeros; "), "{said}");
    let said = refusal(|b| b.samples.iter_mut().for_each(|s| s.case.threads = 2));
    assert!(said.contains(": threads 1 and 2; "), "{said}");
    let said = refusal(|b| b.tests[2].metric = "cache_rate".into());
    let metric = ": metric: t2 is ranked by rate in MB/s and cache_rate in MB/s; ";
    assert!(said.contains(metric) && said.contains("--metric NAME"), "{said}");
    let said = refusal(|b| {
        b.campaign.scale = 2.0;
        b.campaign.plan.data = model::workload::DataKind::Zeros;
    });
    assert!(said.contains(": scale 1 and 2; data random and zeros; "), "{said}");
}

#[test]
fn sizes_of_other_tests_decide_nothing_and_those_of_the_same_do() {
    let sizes = |scale: f64, times: f64| -> Vec<TestSize> {
        let work = Some(Work { times, copies: 2 });
        let size = |test: &str, work| TestSize { test: test.into(), procs: 1, scale, work };
        vec![size("t0", None), size("t1", work), size("t9", None)]
    };
    let sized = |id: &str, scale, times| {
        let mut data = campaign(id, &[("xfs", 1.0)], 3, 1);
        data.campaign.plan.sizes = sizes(scale, times);
        data
    };
    let (a, mut b) = (sized("a", 0.5, 3.0), sized("b", 0.5, 3.0));
    b.campaign.plan.sizes[2].scale = 0.1;
    // The factor on the large vectors is within the sizes.
    b.campaign.scale = 0.3;
    compare(slice::from_ref(&a), slice::from_ref(&b), &Settings::default()).unwrap();
    b.campaign.plan.sizes[1].work = Some(Work { times: 4.0, copies: 2 });
    let error = compare(slice::from_ref(&a), &[b], &Settings::default()).unwrap_err().to_string();
    let said =
        "size: t1, 1 process has scale 0.5, 3 times, copies 2 and scale 0.5, 4 times, copies 2; ";
    assert!(error.contains(said), "{error}");
    let plain = campaign("b", &[("xfs", 1.0)], 3, 1);
    let error = compare(&[a], &[plain], &Settings::default()).unwrap_err().to_string();
    assert!(error.contains("a size for each test and scale 1 for all"), "{error}");
}

/// Results of other tools have no sizes, and can be compared with anything.
#[test]
fn sources_that_tell_no_sizes_are_compared() {
    let (a, mut b) = (campaign("a", &[("xfs", 1.0)], 3, 1), campaign("b", &[("xfs", 1.0)], 3, 2));
    b.campaign.origin = model::result::Origin::Published;
    b.campaign.scale = 0.1;
    compared(&a, &b);
}

#[test]
fn where_the_metric_alone_differs_it_is_said() {
    let a = campaign("a", &[("xfs", 1.0)], 3, 1);
    let mut b = campaign("published", &[("ssd", 1.0)], 1, 2);
    b.campaign.origin = model::result::Origin::Published;
    b.tests.iter_mut().for_each(|t| t.metric = "nano_rate".into());
    b.samples.iter_mut().for_each(|s| s.figures.metrics[0].name = "nano_rate".into());
    let none = compare(slice::from_ref(&a), slice::from_ref(&b), &Settings::default()).unwrap_err();
    assert!(none.to_string().ends_with("; they have no metric in common"), "{none}");
    let mut a = a;
    let nano = Metric::new("nano_rate", 2.0, "MB/s", model::figure::Better::Higher);
    a.samples.iter_mut().for_each(|s| s.push(nano.clone()));
    let error = compare(&[a], &[b], &Settings::default()).unwrap_err().to_string();
    let said = "a and published have 4 tests in common but rank them by different metrics, e.g. \
                rate in MB/s and nano_rate in MB/s; ";
    assert!(
        error.starts_with(said) && error.ends_with("common metric: --metric nano_rate"),
        "{error}"
    );
}

/// Three campaigns on each side, whose runs differ by more than their blocks.
#[test]
fn with_several_campaigns_each_of_them_is_one_value() {
    let side = |name: &str, levels: [f64; 3], seed| -> Vec<Dataset> {
        let named = levels.into_iter().zip(seed..);
        named.map(|(l, seed)| campaign(&format!("{name}{seed}"), &[("xfs", l)], 5, seed)).collect()
    };
    let (a, b) = (side("a", [100.0, 106.0, 95.0], 1), side("b", [104.0, 92.0, 101.0], 4));
    let (joined, findings) = compare(&a, &b, &Settings::default()).unwrap();
    let comparison = findings.comparison.as_ref().unwrap();
    assert_eq!(comparison.sides.each_ref().map(Vec::len), [3, 3]);
    assert_eq!(joined.samples.iter().map(|s| s.block).max(), Some(5));
    assert_eq!(findings.blocks_of("A:xfs"), 3);
    assert_eq!(findings.tables[0].rows[0].cells[0].n, 3);
    // Welch's interval of the logarithms of the levels, 3.907 degrees of freedom, by another program.
    let mean = comparison.pairs[0].ratio.unwrap();
    let got = [mean.point, mean.low.unwrap(), mean.high.unwrap()];
    for (got, expected) in got.into_iter().zip([0.98637, 0.86061, 1.13050]) {
        assert!((got / expected - 1.0).abs() < 0.01, "{got}, {expected}");
    }
    assert!(comparison.differences.is_empty(), "{:?}", comparison.differences);
    // By the blocks of the first two nothing would be more certain.
    let (_, _, look) = compared(&a[1], &b[1]);
    assert!(look.is_look() && look.differences.iter().all(|d| d.holm));
    assert_eq!(look.differences.len(), 4);
}

#[test]
fn side_of_two_kinds_is_reported() {
    let of_kernel = |id: &str, release: &str| {
        let mut data = campaign(id, &[("xfs", 1.0)], 3, 1);
        data.campaign.environment.0.insert("kernel.release".into(), release.into());
        data
    };
    let (a, b) = (
        [of_kernel("a", "6.1"), of_kernel("b", "6.2")],
        [of_kernel("c", "6.2"), of_kernel("d", "6.2")],
    );
    let (joined, _) = compare(&a, &b, &Settings::default()).unwrap();
    let facts = vec!["machine kernel.release".into()];
    assert_eq!(joined.campaign.notes, [Note::CampaignsDiffer { side: Side::A, facts }]);
}

#[test]
fn a_campaign_counts_once() {
    let a = campaign("a", &[("xfs", 1.0)], 3, 1);
    let twice = compare(
        &[a.clone(), a.clone()],
        &[campaign("b", &[("xfs", 1.0)], 3, 1)],
        &Settings::default(),
    );
    assert!(matches!(twice, Err(StatsError::SameCampaign { .. })));
    assert!(matches!(compare(&[a], &[], &Settings::default()), Err(StatsError::NoCampaign)));
}

/// A write, and the sync that ends it as a row of its own. From A to B work moves from the one to the other.
fn written(id: &str, write_s: f64, sync_s: f64) -> Dataset {
    let info =
        |id: &str, metric: &str| TestInfo { metric: metric.into(), ..test(id, Group::WriteOther) };
    let infos = vec![info("columnar.write.int", "durable_rate"), info("columnar.sync.int", "rate")];
    let row = |test: &str, block, metric: &str, seconds: f64| {
        let mut sample = sample("xfs", test, block, 1.0).lasting(seconds);
        sample.figures.metrics =
            vec![Metric::new(metric, 100.0 / seconds, "MB/s", model::figure::Better::Higher)];
        sample
    };
    let samples = (0..3).flat_map(|block| {
        let all_s = write_s + sync_s + 1e-3 * f64::from(block);
        let write = row("columnar.write.int", block, "durable_rate", all_s);
        [write, row("columnar.sync.int", block, "rate", sync_s)]
    });
    let mut data = dataset(&["xfs"], infos, samples.collect());
    data.campaign.id = id.into();
    data
}

#[test]
fn work_that_moves_from_write_to_sync_is_no_difference() {
    let (joined, findings, comparison) = compared(&written("a", 1.0, 3.0), &written("b", 3.0, 1.0));
    let ids: Vec<&str> = joined.tests.iter().map(|t| &*t.id).collect();
    assert_eq!(ids, ["columnar.write.int"]);
    assert_eq!(comparison.pairs[0].counts.same, 1);
    assert!(comparison.differences.is_empty());
    assert!(comparison.unmatched.iter().all(Vec::is_empty));
    assert!(findings.tables.iter().all(|t| t.rows.len() == 1));
    assert_eq!(joined.campaign.notes.last(), Some(&Note::SyncsOmitted { rows: 1 }));
}

#[test]
fn what_changed_is_listed_and_what_did_not_is_kept() {
    let a = |key: &str, value: &str| {
        let mut data = campaign("a", &[("xfs", 1.0)], 3, 1);
        data.campaign.environment.0.insert("cpu.count".into(), "2".into());
        data.campaign.environment.0.insert(key.into(), value.into());
        let mount = format!("mount -o {value} /dev/loop{} /mnt/{value}-a/xfs", value.len());
        data.targets[0].facts.0.insert("mount".into(), mount);
        data
    };
    let (one, mut other) = (a("kernel.release", "6.1"), a("kernel.release", "6.18"));
    other.campaign.id = "6.18-a".into();
    other.campaign.plan.age = Some(100);
    other.campaign.notes = vec![Note::Said("loop-backed".into()), Note::Shifted {}];
    let (joined, _, comparison) = compared(&one, &other);
    let changed: Vec<_> = comparison
        .changed
        .iter()
        .map(|c| (&*c.of, &*c.key, c.a.as_deref().unwrap(), c.b.as_deref().unwrap()))
        .collect();
    let expected = [
        ("settings", "condition", "fresh", "aged by 100 cycles"),
        ("machine", "kernel.release", "6.1", "6.18"),
        (
            "target xfs",
            "mount",
            "mount -o 6.1 <loop device> <mount point>",
            "mount -o 6.18 <loop device> <mount point>",
        ),
    ];
    assert_eq!(changed, expected);
    assert_eq!(joined.campaign.environment.0.len(), 1);
    let of_b = |note: &Note| Note::OfSide { side: Side::B, note: Box::new(note.clone()) };
    assert_eq!(joined.campaign.notes, Vec::from_iter(other.campaign.notes.iter().map(of_b)));
}

#[test]
fn one_block_against_many_decides_nothing() {
    let (a, b) = (campaign("a", &[("xfs", 1.0)], 5, 1), campaign("b", &[("xfs", 3.0)], 1, 2));
    let (_, _, comparison) = compared(&a, &b);
    assert_eq!(comparison.pairs[0].counts.unclear, 4);
    assert!(comparison.pairs[0].ratio.unwrap().low.is_none() && comparison.differences.is_empty());
}

#[test]
fn contention_decides_nothing_either() {
    let (a, mut b) = (campaign("a", &[("xfs", 1.0)], 5, 1), campaign("b", &[("xfs", 3.0)], 5, 2));
    let busy = Metric::new("foreign_cpu_pct", 60.0, "%", model::figure::Better::Lower);
    b.samples.iter_mut().for_each(|s| s.push(busy.clone()));
    let (_, _, comparison) = compared(&a, &b);
    assert_eq!(comparison.pairs[0].comparison, Some(Comparison::Contended));
    assert!(comparison.differences.is_empty());
}

#[test]
fn a_baseline_may_be_named_with_or_without_the_letter() {
    let a = campaign("a", &[("ext4", 1.0), ("xfs", 1.0)], 3, 1);
    let b = campaign("b", &[("ext4", 1.0), ("btrfs", 1.0)], 3, 2);
    let first = |label: &str| {
        let settings = Settings { baseline: Some(label.into()), ..Settings::default() };
        compare(slice::from_ref(&a), slice::from_ref(&b), &settings)
            .map(|(_, findings)| findings.baseline)
    };
    assert_eq!(first("xfs").unwrap(), "A:xfs");
    assert_eq!(first("btrfs").unwrap(), "B:btrfs");
    assert_eq!(first("B:ext4").unwrap(), "B:ext4");
    assert!(matches!(first("zfs"), Err(StatsError::UnknownBaseline { .. })));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let a = campaign("a", &[("xfs", 1.0)], 3, 1);
    let again =
        compare(slice::from_ref(&a), slice::from_ref(&a), &Settings::default()).unwrap_err();
    assert_eq!(again.to_string(), "a is named twice; each campaign may appear once, on one side");
    let mut b = campaign("b", &[("xfs", 1.0)], 3, 2);
    b.samples.iter_mut().for_each(|s| s.case.procs = 64);
    let error =
        compare(slice::from_ref(&a), slice::from_ref(&b), &Settings::default()).unwrap_err();
    assert!(error.to_string().starts_with("a and b have no test in common at the same number"));
}

#[test]
fn exchanging_the_campaigns_inverts_every_ratio() {
    let a = campaign("a", &[("xfs", 1.0)], 5, 1);
    let b = campaign("b", &[("xfs", 1.3)], 4, 2);
    let (forward, back) = (compared(&a, &b).2, compared(&b, &a).2);
    let (one, other) = (forward.pairs[0].ratio.unwrap(), back.pairs[0].ratio.unwrap());
    assert!((one.point * other.point - 1.0).abs() < 1e-12);
    assert!((one.low.unwrap() * other.high.unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn a_source_with_another_number_of_processes_is_matched_and_says_so() {
    let (a, mut b) = (campaign("a", &[("xfs", 1.0)], 3, 1), campaign("b", &[("ssd", 1.0)], 1, 2));
    b.samples.iter_mut().for_each(|s| s.case.procs = 8);
    assert!(compare(slice::from_ref(&a), slice::from_ref(&b), &Settings::default()).is_err());
    // Nor one of assay that was imported, which tells the processes as well.
    let of_assay = [("kernel.release".to_string(), "6.1".to_string())];
    b.campaign.origin = model::result::Origin::Import;
    b.campaign.environment.0 = of_assay.into();
    assert!(compare(slice::from_ref(&a), slice::from_ref(&b), &Settings::default()).is_err());
    b.campaign.origin = model::result::Origin::Published;
    let (joined, findings, comparison) = compared(&a, &b);
    assert_eq!(
        findings.tables.iter().map(|t| (t.procs, t.rows.len())).collect::<Vec<_>>(),
        [(1, 4)]
    );
    let note = Note::OtherProcesses { tests: 4, a_procs: 1, b_procs: 8 };
    assert_eq!(joined.campaign.notes[0], note);
    assert!(comparison.changed.iter().any(|c| c.key == "processes" && c.b.as_deref() == Some("8")));
    // With a choice of numbers nothing is guessed.
    b.samples[0].case.procs = 16;
    b.samples.push(b.samples[0].clone());
    b.samples[0].case.procs = 8;
    assert_eq!(compared(&a, &b).0.tests.len(), 3);
}

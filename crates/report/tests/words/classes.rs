//! Campaigns of several labs: each class is judged separately, and nothing is ranked across.

use crate::{
    common::{Noise, dataset},
    worded::{Worded, reasons, worded},
};
use model::{
    plan::LabKind,
    result::{Dataset, TargetRecord, TargetState},
    target::Target,
    workload::Group,
};
use report::words::{self, verdict};
use stats::{
    advice::{Counsel, Eligibility, Question},
    description::{Settings, StatsError, precision},
    evaluation::{compare, findings},
};
use std::slice;

const QUIET: Noise = Noise { block_sd: 0.002, own_sd: 0.002 };

/// A campaign whose targets were measured where `labs` says.
fn campaign(id: &str, levels: &[(&str, f64, LabKind)]) -> Dataset {
    let plain: Vec<(&str, f64)> = levels.iter().map(|l| (l.0, l.1)).collect();
    let mut data = QUIET.dataset(&plain, 4, 5, 1);
    data.campaign.id = id.into();
    for (label, _, lab) in levels {
        data.targets.iter_mut().filter(|t| t.label == *label).for_each(|t| t.lab = *lab);
        let own = data.samples.iter_mut().filter(|s| s.case.target == *label);
        own.for_each(|s| s.lab = *lab);
    }
    data
}

fn mixed() -> Dataset {
    use LabKind::{Host, Uml};
    let levels = [("ext4", 100.0, Host), ("f2fs", 900.0, Uml), ("xfs", 130.0, Host)];
    campaign("mixed", &[&levels[..], &[("jfs", 600.0, Uml)]].concat())
}

fn judged(
    data: &Dataset,
    baseline: Option<&str>,
) -> Result<stats::evaluation::Findings, StatsError> {
    let settings = Settings { baseline: baseline.map(Into::into), ..Settings::default() };
    findings(data, &settings)
}

#[test]
fn the_only_one_of_a_lab_is_called_so_with_its_lab() {
    let levels = [("btrfs[raid1]", 1.0, LabKind::Host), ("zfs", 2.0, LabKind::Kvm)];
    let host = judged(&campaign("one-each", &levels), None).unwrap();
    let said = "only btrfs[raid1] has a valid sample on the host that may be ranked (zfs is not comparable with it)";
    assert!(verdict(&host).contains(said), "{}", verdict(&host));
    let guest = verdict(&host.others[0]);
    assert!(
        guest.contains("only zfs has a valid sample on this machine in QEMU with KVM;"),
        "{guest}"
    );
}

#[test]
fn each_lab_has_tables_baseline_and_call_of_its_own() {
    let host = judged(&mixed(), None).unwrap();
    assert_eq!((host.lab, &host.targets[..]), (LabKind::Host, &["ext4".into(), "xfs".into()][..]));
    assert!(verdict(&host).contains("xfs is best") && !verdict(&host).contains("f2fs"));
    let [uml] = &host.others[..] else { panic!("{} other classes", host.others.len()) };
    assert_eq!((uml.lab, uml.baseline.as_str()), (LabKind::Uml, "f2fs"));
    assert_eq!(uml.targets, ["f2fs", "jfs"]);
    let ratio = uml.tables[0].rows[0].cells[1].ratio.unwrap();
    assert!((ratio.point - 600.0 / 900.0).abs() < 0.02, "{ratio:?}");
    let said = "on this machine in User-Mode Linux, f2fs is best";
    assert!(verdict(uml).contains(said), "{}", verdict(uml));
}

#[test]
fn a_class_is_what_it_would_be_alone() {
    let mut alone = mixed();
    alone.targets.retain(|t| t.lab == LabKind::Uml);
    alone.samples.retain(|s| s.lab == LabKind::Uml);
    let whole = judged(&mixed(), None).unwrap();
    assert_eq!(whole.others, [judged(&alone, None).unwrap()]);
}

#[test]
fn a_baseline_counts_in_its_class_and_an_unknown_one_nowhere() {
    let baselines = |asked| {
        let findings = judged(&mixed(), asked).unwrap();
        findings.classes().map(|f| f.baseline.clone()).collect::<Vec<_>>()
    };
    assert_eq!(baselines(Some("jfs")), ["ext4", "jfs"]);
    assert_eq!(baselines(Some("xfs")), ["xfs", "f2fs"]);
    let mut planned = mixed();
    planned.campaign.plan.baseline = Some("jfs".into());
    let findings = judged(&planned, None).unwrap();
    assert_eq!((&*findings.baseline, &*findings.others[0].baseline), ("ext4", "jfs"));
    assert!(matches!(judged(&mixed(), Some("zfs")), Err(StatsError::UnknownBaseline { .. })));
}

#[test]
fn a_target_that_moved_to_another_lab_is_two() {
    let mut data =
        campaign("moved", &[("ext4", 100.0, LabKind::Host), ("xfs", 90.0, LabKind::Host)]);
    data.samples.iter_mut().filter(|s| s.block > 2).for_each(|s| s.lab = LabKind::Kvm);
    let findings = judged(&data, None).unwrap();
    let counts: Vec<_> = findings
        .classes()
        .map(|f| (f.lab, f.campaign.blocks, f.targets.len(), f.tables[0].rows[0].cells[1].n))
        .collect();
    assert_eq!(counts, [(LabKind::Host, 3, 2, 3), (LabKind::Kvm, 2, 2, 2)]);
}

#[test]
fn target_without_samples_is_where_its_record_says_else_first() {
    let mut data = mixed();
    let failed = |label: &str, lab| TargetRecord {
        label: label.into(),
        target: label.into(),
        lab,
        state: TargetState::Failed("no module".into()),
        facts: model::result::Environment::default(),
    };
    data.targets.extend([failed("nilfs2", LabKind::Uml), failed("zfs", LabKind::Kvm)]);
    let findings = judged(&data, None).unwrap();
    assert_eq!(findings.targets, ["ext4", "xfs", "zfs"]);
    assert_eq!(findings.others[0].targets, ["f2fs", "jfs", "nilfs2"]);
    data.samples.clear();
    let nothing = judged(&data, None).unwrap();
    assert_eq!((nothing.targets.len(), nothing.others.len()), (6, 0));
}

#[test]
fn a_pair_that_is_torn_apart_is_no_pair() {
    let levels = [("ext4", 100.0, LabKind::Host), ("ext4#2", 50.0, LabKind::Uml)];
    let mut data = campaign("torn", &levels);
    data.campaign.plan.targets = vec![Target::named("ext4")];
    data.campaign.plan.aa = Some(true);
    assert!(data.twin().is_some());
    let findings = judged(&data, None).unwrap();
    assert!(findings.classes().all(|f| f.selfcheck.aa.is_none()));
    assert_eq!(findings.others[0].targets, ["ext4#2"]);
}

#[test]
fn precision_counts_the_ratios_inside_labs() {
    let all = precision(&mixed(), &Settings::default()).unwrap();
    assert_eq!((all.ratios, all.resolved), (8, 8));
    let apart = campaign("c", &[("ext4", 100.0, LabKind::Host), ("f2fs", 900.0, LabKind::Uml)]);
    assert_eq!(precision(&apart, &Settings::default()).unwrap().ratios, 0);
}

#[test]
fn campaigns_of_different_labs_stand_side_by_side() {
    let on = |lab| campaign(lab_id(lab), &[("ext4", 100.0, lab), ("xfs", 130.0, lab)]);
    let (_, findings) =
        compare(&[on(LabKind::Host)], &[on(LabKind::Uml)], &Settings::default()).unwrap();
    let comparison = findings.comparison.as_ref().unwrap();
    assert!(comparison.pairs.is_empty() && comparison.differences.is_empty());
    assert_eq!(comparison.gate(0.05), None);
    let lab = comparison.changed.iter().find(|c| c.key == "lab").unwrap();
    assert_eq!((lab.a.as_deref(), lab.b.as_deref()), (Some("host"), Some("uml")));
    let apart = comparison.incomparable.as_ref().unwrap();
    let columns: Vec<_> = apart.columns.iter().map(|p| (&*p.target, p.lab)).collect();
    let (host, uml) = (LabKind::Host, LabKind::Uml);
    assert_eq!(columns, [("A:ext4", host), ("B:ext4", uml), ("A:xfs", host), ("B:xfs", uml)]);
    assert_eq!(apart.rows.len(), 4);
    assert!(apart.rows.iter().flat_map(|row| &row.values).all(Option::is_some));
    let said = "A:ext4 was measured on the host and B:ext4 was measured in User-Mode Linux: figures \
                of different labs are not comparable";
    assert!(verdict(&findings).starts_with(said), "{}", verdict(&findings));
    let blocks = comparison.sides.each_ref().map(|side| side[0].blocks);
    assert_eq!(blocks, [5, 5]);
}

fn lab_id(lab: LabKind) -> &'static str {
    lab.as_str()
}

#[test]
fn what_shares_a_lab_is_compared_and_the_rest_is_named() {
    let (a, mut b) = (mixed(), mixed());
    b.campaign.id = "other".into();
    let moved = |t: &str| t == "xfs";
    b.targets.iter_mut().filter(|t| moved(&t.label)).for_each(|t| t.lab = LabKind::Kvm);
    b.samples.iter_mut().filter(|s| moved(&s.case.target)).for_each(|s| s.lab = LabKind::Kvm);
    let (_, findings) =
        compare(slice::from_ref(&a), slice::from_ref(&b), &Settings::default()).unwrap();
    let comparison = findings.comparison.as_ref().unwrap();
    let pairs: Vec<_> = comparison.pairs.iter().map(|p| p.a.as_str()).collect();
    assert_eq!(pairs, ["A:ext4", "A:f2fs", "A:jfs"]);
    let apart: Vec<_> = comparison
        .incomparable
        .as_ref()
        .unwrap()
        .columns
        .iter()
        .map(|p| p.target.as_str())
        .collect();
    assert_eq!(apart, ["A:xfs", "B:xfs"]);
    let gate = comparison.gate(0.05).unwrap();
    let named = "not evaluated, because measured in different labs: A:xfs, B:xfs";
    assert!(words::gate(&gate).ends_with(named), "{}", words::gate(&gate));
}

fn advised(data: &Dataset) -> Worded {
    let profile = crate::common::profile("writes");
    let question = Question { profile: &profile, facts: &[], requirements: &[], block_s: None };
    worded(data, &question).unwrap()
}

#[test]
fn advice_is_decided_inside_one_lab_and_lists_the_others() {
    let standings = |data: &Dataset| {
        let advice = advised(data);
        let all = advice.candidates.iter().map(|c| (c.target.clone(), c.standing));
        (advice.counsel, all.collect::<Vec<_>>())
    };
    let (counsel, all) = standings(&mixed());
    assert_eq!(counsel, Counsel::Clear);
    let expected = [
        ("xfs", Eligibility::Eligible),
        ("ext4", Eligibility::Eligible),
        ("f2fs", Eligibility::NotComparable),
        ("jfs", Eligibility::NotComparable),
    ];
    assert_eq!(all, expected.map(|(target, standing)| (target.to_string(), standing)));
    // One target on the host decides nothing: the lab that measured two does.
    let mut one = mixed();
    one.targets.retain(|t| t.label != "xfs");
    one.samples.retain(|s| s.case.target != "xfs");
    let (_, all) = standings(&one);
    let (first, last) = (all.first().unwrap(), all.last().unwrap());
    assert_eq!((first.0.as_str(), last.0.as_str()), ("f2fs", "ext4"));
    assert_eq!(last.1, Eligibility::NotComparable);
    assert_eq!(reasons(advised(&one).candidates.last().unwrap()), ["measured on the host"]);
}

#[test]
fn an_empty_campaign_is_an_error() {
    let empty = dataset(&[], vec![crate::common::test("t0", Group::Meta)], Vec::new());
    assert!(matches!(judged(&empty, None), Err(StatsError::NoTargets { .. })));
}

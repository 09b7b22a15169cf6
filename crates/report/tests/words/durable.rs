//! Tests that targets that may lose synced data are never ranked with durable ones.

use crate::{
    common::Noise,
    worded::{Worded, reasons, worded},
};
use model::{
    figure::Unproven,
    plan::LabKind,
    result::{Dataset, NOT_DURABLE},
    target::{Fact, FactSheet, FactValue, Sweep},
    workload::{Profile, Require},
};
use report::words::{self, verdict};
use stats::{
    advice::{Counsel, Eligibility, Question},
    description::{Durability, Settings, durability},
    evaluation::{compare, findings, part},
    tuning::{self, Bench, Ending, Stage},
    verdict::{VerdictKind, look},
};

const QUIET: Noise = Noise { block_sd: 0.002, own_sd: 0.002 };
const LOSER: &str = "zfs[sync=disabled]";

/// As an import has it: labels and samples, no fact of a mount.
fn campaign(id: &str, levels: &[(&str, f64)]) -> Dataset {
    let mut data = QUIET.dataset(levels, 4, 5, 1);
    data.campaign.id = id.into();
    data
}

fn mixed() -> Dataset {
    campaign("mixed", &[("ext4", 100.0), (LOSER, 758.0), ("xfs", 130.0), ("tmpfs", 900.0)])
}

fn judged(data: &Dataset) -> stats::evaluation::Findings {
    findings(data, &Settings::default()).unwrap()
}

#[test]
fn what_loses_has_tables_of_its_own_and_no_rank() {
    let data = mixed();
    let keeps = judged(&data);
    assert_eq!((&keeps.targets[..], keeps.is_ranked), (&["ext4".into(), "xfs".into()][..], true));
    assert!(verdict(&keeps).contains("xfs is best"), "{}", verdict(&keeps));
    let [loses] = &keeps.others[..] else { panic!("{} other classes", keeps.others.len()) };
    assert_eq!(loses.targets, [LOSER, "tmpfs"]);
    assert!(matches!(loses.durability, Durability::Loses(_)) && !loses.is_ranked);
    assert_eq!(
        (loses.verdict.kind, loses.verdict.candidates.len()),
        (VerdictKind::Insufficient, 0)
    );
    let said = "Not ranked: zfs[sync=disabled] may lose synced data on power loss (zfs: \
                sync=disabled answers a sync at once); tmpfs may lose";
    assert!(verdict(loses).starts_with(said), "{}", verdict(loses));
    assert!(loses.next.is_none() && loses.leaders.is_none());
    assert!(loses.costs.iter().all(|cost| cost.speed.is_none() && cost.dominated_by.is_none()));
    let rows = || loses.tables.iter().flat_map(|table| &table.rows);
    assert!(rows().count() == 4 && rows().all(|row| row.lead.is_none()));
    assert!(rows().all(|row| row.cells.iter().all(|cell| cell.value.is_some())), "shown");
    let labels: Vec<String> = part(&data, loses).targets.iter().map(|t| t.label.clone()).collect();
    assert_eq!(labels, [LOSER, "tmpfs"]);
}

#[test]
fn the_only_one_that_may_be_ranked_is_not_called_the_only_one_measured() {
    let data = campaign("two", &[("ext4", 100.0), ("tmpfs", 900.0)]);
    let sentence = verdict(&judged(&data));
    let said = "only ext4 has a valid sample on this machine that may be ranked (tmpfs is not comparable with it)";
    assert!(sentence.contains(said), "{sentence}");
}

#[test]
fn what_keeps_is_judged_as_if_the_others_were_not_there() {
    let mut alone = mixed();
    let keeps = |label: &str| matches!(label, "ext4" | "xfs");
    alone.targets.retain(|t| keeps(&t.label));
    alone.samples.retain(|s| keeps(&s.case.target));
    let mut beside = judged(&mixed());
    beside.others.clear();
    assert_eq!(beside, judged(&alone));
}

#[test]
fn targets_of_unknown_durability_are_not_ranked_with_durable_ones() {
    let mut data = campaign("lying", &[("ext4", 100.0), ("dir:/mnt/fuse", 267.0), ("xfs", 130.0)]);
    for (number, sample) in data.samples.iter_mut().enumerate() {
        let lies = sample.case.target.starts_with("dir:");
        // Now and then a sample of the others is not proven either.
        let unproven = lies || number % 5 == 0;
        sample.evidence.durability = Some(match unproven {
            true => model::figure::Durability::NotProven(Unproven::NotFlushed),
            false => model::figure::Durability::Proven,
        });
    }
    let keeps = judged(&data);
    assert_eq!(keeps.targets, ["ext4", "xfs"]);
    assert!(verdict(&keeps).contains("xfs is best"), "{}", verdict(&keeps));
    let [doubtful] = &keeps.others[..] else { panic!("{} other classes", keeps.others.len()) };
    assert!(matches!(doubtful.durability, Durability::NotProven(_)) && !doubtful.is_ranked);
    let said = "Not ranked: dir:/mnt/fuse is not proven to keep what it synced (";
    assert!(verdict(doubtful).starts_with(said), "{}", verdict(doubtful));
}

#[test]
fn what_loses_in_another_lab_is_not_ranked_either() {
    let mut data = mixed();
    for label in [LOSER, "tmpfs"] {
        data.targets.iter_mut().filter(|t| t.label == label).for_each(|t| t.lab = LabKind::Kvm);
        data.samples
            .iter_mut()
            .filter(|s| s.case.target == label)
            .for_each(|s| s.lab = LabKind::Kvm);
    }
    let findings = judged(&data);
    assert!(findings.is_ranked && findings.others.iter().all(|class| !class.is_ranked));
    assert_eq!(advised(&data, &[]).candidates[0].target, "xfs");
    // One that keeps decides before two that do not, wherever those were measured.
    data.targets.retain(|t| t.label != "xfs");
    data.samples.retain(|s| s.case.target != "xfs");
    assert_eq!(advised(&data, &["durable"]).leaders, ["ext4"]);
}

#[test]
fn unproven_targets_are_not_ranked_with_proven_ones() {
    let mut data = mixed();
    let xfs = data.targets.iter_mut().find(|t| t.label == "xfs").unwrap();
    xfs.facts.0.insert("lab.durable".into(), "not shown".into());
    let findings = judged(&data);
    let kinds: Vec<_> = findings.classes().map(|f| (f.durability.as_str(), f.is_ranked)).collect();
    assert_eq!(kinds, [("keeps", true), ("not-proven", false), ("loses", false)]);
    assert_eq!(findings.targets, ["ext4"]);
    let said = "Not ranked: xfs is not proven to keep what it synced (measured on the host, whose \
                fsync is not proven to reach the disk)";
    assert!(verdict(&findings.others[0]).starts_with(said), "{}", verdict(&findings.others[0]));
}

#[test]
fn those_that_all_lose_are_compared_and_the_call_says_so() {
    let all = judged(&campaign("all", &[(LOSER, 100.0), ("tmpfs", 130.0)]));
    assert!(all.others.is_empty() && all.is_ranked);
    let said = verdict(&all);
    assert!(said.contains("tmpfs is best"), "{said}");
    assert!(said.ends_with("All of them may lose synced data on power loss."), "{said}");
}

#[test]
fn what_a_lab_found_counts_as_what_was_written() {
    let mut data = campaign("run", &[("ext4", 100.0), ("xfs", 200.0)]);
    let facts = &mut data.targets[1].facts.0;
    facts.insert(NOT_DURABLE.into(), "xfs: the cache of the device is not flushed".into());
    assert!(matches!(durability(&data, "xfs"), Durability::Loses(_)));
    let findings = judged(&data);
    assert_eq!(
        (&*findings.targets, &*findings.others[0].targets),
        (&["ext4".into()][..], &["xfs".into()][..])
    );
    // What the mount table shows of a campaign from before that fact was kept.
    data.targets[1].facts.0 = [("mount.options".to_string(), "rw,nobarrier".to_string())].into();
    assert!(matches!(durability(&data, "xfs"), Durability::Loses(_)));
}

#[test]
fn no_race_is_settled_by_what_loses() {
    let look = look(&mixed(), &Settings::default()).unwrap();
    assert_eq!(look.verdicts, [stats::verdict::Standoff::Decided("xfs".into())]);
    assert!(look.behind.iter().all(|behind| behind.leader == "xfs"));
}

#[test]
fn a_sweep_does_not_set_what_loses_against_its_default() {
    let mut data =
        campaign("sweep", &[("ext4", 100.0), ("ext4[barrier=0]", 300.0), ("ext4[noatime]", 101.0)]);
    let variants = data.targets.iter().map(|t| t.label.parse().unwrap()).collect();
    let sweep: Sweep = Sweep {
        on: "ext4[barrier=0,1;noatime]".parse().unwrap(),
        mode: model::target::SweepMode::default(),
        variants,
        left_out: vec![],
    };
    data.campaign.plan.sweeps = vec![sweep];
    let findings = judged(&data);
    let effects = &findings.sweeps[0];
    let variants: Vec<&str> = effects.variants.iter().map(|v| v.target.as_str()).collect();
    assert_eq!((variants, effects.unmeasured.len()), (vec!["ext4[noatime]"], 0));
}

/// Every stage measures the default at 100 and the variants as they are called.
struct Levels(u32);

impl Bench for Levels {
    type Variant = (&'static str, f64);
    type Error = stats::description::StatsError;

    fn turns_left(&self) -> f64 {
        if self.0 == 0 { 100.0 } else { 50.0 }
    }

    fn measure(
        &mut self,
        stage: &Stage,
        variants: &[Self::Variant],
    ) -> Result<Dataset, Self::Error> {
        self.0 += 1;
        let levels = [&[("ext4", 100.0)], variants].concat();
        Ok(QUIET.dataset(&levels, 4, stage.blocks, u64::from(self.0)))
    }

    fn combine(&self, _: &[Self::Variant]) -> Option<Self::Variant> {
        None
    }
}

#[test]
fn a_search_never_chooses_what_loses() {
    let field = [("ext4[barrier=0]", 500.0), ("ext4[noatime]", 120.0)];
    let outcome = tuning::search(&field, &mut Levels(0), &Settings::default()).unwrap();
    let Ending::Confirmed(confirmation) = outcome.ending else { panic!("{outcome:?}") };
    let chosen = &confirmation.finalists[confirmation.chosen.unwrap()];
    assert_eq!(outcome.last[chosen.variant].0, "ext4[noatime]");
    assert_eq!(confirmation.finalists.len(), 1);
}

#[test]
fn campaigns_are_compared_promise_by_promise() {
    let a = campaign("a", &[("ext4", 100.0), ("xfs", 100.0)]);
    let mut b = campaign("b", &[("ext4", 100.0), ("xfs", 300.0)]);
    b.targets[1].facts.0.insert(NOT_DURABLE.into(), "set by a test".into());
    let (_, findings) = compare(&[a], &[b], &Settings::default()).unwrap();
    let comparison = findings.comparison.as_ref().unwrap();
    let pairs: Vec<&str> = comparison.pairs.iter().map(|p| p.a.as_str()).collect();
    assert_eq!(pairs, ["A:ext4"]);
    let apart = comparison.incomparable.as_ref().unwrap();
    assert_eq!(
        apart.columns.iter().map(|p| p.target.as_str()).collect::<Vec<_>>(),
        ["A:xfs", "B:xfs"]
    );
    assert!(apart.rows.iter().flat_map(|row| &row.values).all(Option::is_some));
    let said = "A:xfs (durable) and B:xfs (may lose synced data): figures with different \
                durability guarantees are not comparable";
    assert!(verdict(&findings).contains(said), "{}", verdict(&findings));
    let gate = words::gate(&comparison.gate(0.05).unwrap());
    assert!(gate.ends_with("because their durability guarantees differ: A:xfs, B:xfs"), "{gate}");
}

fn advised(data: &Dataset, requires: &[&str]) -> Worded {
    let profile = Profile {
        requires: requires.iter().map(|f| Require { feature: f.to_string() }).collect(),
        ..crate::common::profile("writes")
    };
    let sheet = |name: &str| FactSheet {
        file_system: name.into(),
        facts: vec![Fact {
            feature: "durable".into(),
            value: FactValue::Has(true),
            scope: "Linux".into(),
            only_with: None,
            unless: vec![],
            with: vec![],
            but: None,
            source: "a manual page".into(),
            as_of: "2026-11-21".into(),
            checked_by: "a test".into(),
        }],
    };
    let facts = ["ext4", "xfs", "zfs"].map(sheet);
    let question = Question { profile: &profile, facts: &facts, requirements: &[], block_s: None };
    worded(data, &question).unwrap()
}

#[test]
fn advice_never_ranks_lossy_targets_with_durable_ones() {
    for (requires, standing) in
        [(&["durable"][..], Eligibility::RuledOut), (&[][..], Eligibility::NotComparable)]
    {
        let advice = advised(&mixed(), requires);
        assert_eq!(advice.counsel, Counsel::Clear);
        assert!(advice.sentence.contains("xfs is best"), "{}", advice.sentence);
        let loser = advice.candidates.iter().find(|c| c.target == LOSER).unwrap();
        assert_eq!(
            (loser.standing, loser.ratio, loser.p_best, loser.ranks),
            (standing, None, None, None)
        );
        let reasons = reasons(loser);
        let reason = reasons.last().unwrap();
        assert!(
            reason.starts_with(
                "not ranked: it may lose synced data on power \
                                    loss"
            ),
            "{reason}"
        );
    }
}

#[test]
fn a_single_target_that_keeps_is_what_is_left() {
    let data = campaign("two", &[("ext4", 100.0), (LOSER, 758.0)]);
    let advice = advised(&data, &["durable"]);
    assert_eq!(
        (advice.counsel, &advice.leaders[..]),
        (Counsel::OnlyOne, &["ext4".to_string()][..])
    );
    assert!(advice.sentence.contains("only ext4 is left"), "{}", advice.sentence);
    // Losing data is not forbidden, but it is still not ranked with ext4.
    assert_eq!(advised(&data, &[]).counsel, Counsel::NoChoice);
}

#[test]
fn those_that_all_lose_are_advised_unless_that_is_forbidden() {
    let data = campaign("all", &[(LOSER, 100.0), ("tmpfs", 130.0)]);
    let said = advised(&data, &[]).sentence;
    assert!(said.contains("tmpfs is best") && said.contains("All of them may lose"), "{said}");
    assert_eq!(advised(&data, &["durable"]).counsel, Counsel::NoneLeft);
}

//! Plans as text, and what is refused of them.

use super::*;
use crate::target::SweepMode;

#[test]
fn precision_decides_unless_the_number_is_given() {
    let plan = |preset, blocks, budget_s| Plan { preset, blocks, budget_s, ..Plan::default() };
    assert_eq!(plan(Preset::Standard, None, None).looks(), [5, 8, 12, 20]);
    assert_eq!(plan(Preset::Publish, None, None).looks(), [12, 20]);
    assert_eq!(plan(Preset::Smoke, None, Some(60)).looks(), [5, 8, 12, 20]);
    assert!(plan(Preset::Smoke, None, None).looks().is_empty());
    for budget_s in [None, Some(60)] {
        let quick = plan(Preset::Quick, None, budget_s);
        assert_eq!((quick.looks(), quick.block_count()), (QUICK_LOOKS, 20));
        assert_eq!((quick.budget(), quick.seeks_a_verdict()), (budget_s.or(Some(590)), true));
    }
    let three = plan(Preset::Quick, Some(3), None);
    assert_eq!((three.block_count(), three.budget(), three.is_looked_at()), (3, None, false));
    assert!(Plan { looked_at: vec![3], ..three }.is_looked_at());
    let exact = plan(Preset::Publish, Some(7), None);
    assert_eq!((exact.looks().len(), exact.block_count()), (0, 7));
    assert_eq!(plan(Preset::Quick, Some(7), Some(1)).check(), Err(PlanError::BlocksAndBudget));
}

#[test]
fn the_twin_is_the_baseline_again_and_no_candidate() {
    let targets = vec![Target::named("xfs"), Target::named("ext4"), Target::named("ext4")];
    let plan = |aa, baseline: &str| Plan {
        targets: targets.clone(),
        aa,
        baseline: Some(baseline.into()),
        ..Plan::default()
    };
    let twin = plan(Some(true), "ext4").twin().unwrap();
    assert_eq!((twin.of.as_str(), twin.label.as_str()), ("ext4", "ext4#3"));
    assert_eq!(plan(Some(true), "xfs").twin().unwrap().label, "xfs#2");
    assert_eq!(plan(Some(true), "xfs").candidates(), ["xfs", "ext4", "ext4#2"]);
    assert_eq!((plan(None, "xfs").twin(), plan(Some(false), "xfs").entrants().len()), (None, 3));
}

#[test]
fn impossible_counts_are_refused() {
    let of = |count| Plan { procs: vec![1, count], ..Plan::default() };
    assert_eq!(of(0).check(), Err(PlanError::Procs(0)));
    assert_eq!(of(4096).check(), Ok(()), "ranks of many hosts");
    assert_eq!(of(65_537).check(), Err(PlanError::Procs(65_537)));
    let filled = |fullness| Plan { fullness: Some(fullness), ..Plan::default() };
    assert_eq!(filled(99).check(), Err(PlanError::Fullness(99)));
    assert_eq!(filled(0).check(), Err(PlanError::Fullness(0)));
    assert_eq!(filled(95).check(), Ok(()));
    let aged = Plan { age: Some(10_001), ..Plan::default() };
    assert_eq!(aged.check(), Err(PlanError::Age(10_001)));
}

#[test]
fn what_is_occupied_is_the_fuller_of_both() {
    let share = |age, fullness| Plan { age, fullness, ..Plan::default() }.occupied_share();
    assert_eq!(share(None, None), 0.0);
    assert_eq!([share(Some(0), None), share(Some(300), Some(80))], [AGED_SHARE, 0.8]);
    let words = |age, fullness| Plan { age, fullness, ..Plan::default() }.condition();
    assert_eq!([words(None, None), words(None, Some(50))], ["fresh", "50 % full"]);
    assert_eq!(words(Some(0), Some(80)), "aged by 0 cycles, 80 % full");
}

#[test]
fn targets_with_kernels_are_only_in_guests() {
    let plan = |targets: &[&str]| Plan {
        targets: targets.iter().map(|target| target.parse().unwrap()).collect(),
        ..Plan::default()
    };
    let both = || plan(&["xfs@6.12", "xfs@6.18"]);
    assert_eq!(both().check(), Ok(()));
    assert_eq!(Plan { lab: LabChoice::Uml, ..both() }.check(), Ok(()));
    let refused = |plan: Plan| plan.check().unwrap_err().to_string();
    let on_host = refused(Plan { lab: LabChoice::Host, ..both() });
    assert!(
        on_host.starts_with("xfs@6.12 is measured in a guest") && on_host.contains("--lab qemu")
    );
    let devices = vec!["/dev/sdx".into()];
    let backing = BackingPlan { devices, ..BackingPlan::default() };
    assert!(refused(Plan { backing, ..both() }).contains("drop --device"));
    let kernel = Some("/boot/vmlinuz".into());
    assert!(refused(Plan { kernel: kernel.clone(), ..both() }).contains("--kernel names another"));
    assert_eq!(Plan { kernel: kernel.clone(), ..plan(&["xfs"]) }.check(), Ok(()));
    let sweep = Sweep::new("xfs[agcount=4,16]@6.12".parse().unwrap(), SweepMode::default());
    let swept = Plan { sweeps: vec![sweep], kernel, ..plan(&["xfs"]) };
    assert!(refused(swept).contains("xfs[agcount=4,16]@6.12 is measured"));
}

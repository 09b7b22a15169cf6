//! The look at a campaign under way, and campaigns of known truth that are looked at, lose candidates and end
//! early: is the best still in the race, is a best named where there is none, and do intervals cover?

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{dataset, normal, sample, test};
use model::{
    figure::Metric,
    plan::QUICK_LOOKS,
    random::Rng,
    result::{Dataset, Sample},
    target::Target,
    workload::{Group, TestInfo},
};
use stats::{
    description::{Settings, precision},
    evaluation::findings,
    verdict::{InterimVerdicts, Standoff, VerdictKind, look},
};

const GROUPS: [Group; 4] = [Group::WriteCritical, Group::ReadCold, Group::ReadHot, Group::Meta];
const TESTS_OF_A_GROUP: usize = 3;
const PROCS: [u32; 2] = [1, 8];

/// A campaign that is looked at.
struct World {
    /// Levels of the candidates, `a` first, which is the baseline.
    levels: Vec<f64>,
    /// Noise of an instance of a target in a block, logarithmic.
    block_sd: f64,
    /// Noise of a cell.
    own_sd: f64,
}

impl World {
    fn labels(&self) -> Vec<&'static str> {
        ["a", "b", "c", "d"][..self.levels.len()].to_vec()
    }

    /// Samples of all candidates in `blocks` blocks.
    fn samples(&self, blocks: u32, seed: u64) -> Vec<Sample> {
        let mut rng = Rng::new(seed);
        let mut samples = Vec::new();
        for block in 0..blocks {
            for (label, level) in self.labels().into_iter().zip(&self.levels) {
                for procs in PROCS {
                    let instance = self.block_sd * normal(&mut rng);
                    for info in tests() {
                        let log = instance + self.own_sd * normal(&mut rng);
                        let mut sample = sample(label, &info.id, block, level * log.exp());
                        sample.case.procs = procs;
                        samples.push(sample);
                    }
                }
            }
        }
        samples
    }

    fn campaign(&self, samples: Vec<Sample>) -> Dataset {
        let mut data = dataset(&self.labels(), tests(), samples);
        data.campaign.plan.targets = self.labels().into_iter().map(Target::named).collect();
        assert!(data.campaign.plan.is_looked_at());
        data
    }
}

fn tests() -> Vec<TestInfo> {
    let of = |g: usize| (0..TESTS_OF_A_GROUP).map(move |t| test(&format!("g{g}.t{t}"), GROUPS[g]));
    (0..GROUPS.len()).flat_map(of).collect()
}

/// How a campaign ended.
struct Ended {
    data: Dataset,
    look: InterimVerdicts,
    blocks: u32,
}

impl Ended {
    fn left(&self) -> Vec<&str> {
        let left = self.data.targets.iter().filter(|t| t.left_after().is_some());
        left.map(|t| t.label.as_str()).collect()
    }
}

/// Runs a campaign as the program does: at each look it may end, and candidates may leave.
fn run(world: &World, seed: u64) -> Ended {
    let all = world.samples(20, seed);
    let mut data = world.campaign(Vec::new());
    for &blocks in QUICK_LOOKS {
        let left = |sample: &Sample| {
            let own = data.targets.iter().find(|t| t.label == sample.case.target);
            own.and_then(|t| t.left_after()).is_some_and(|after| sample.block >= after)
        };
        data.samples =
            all.iter().filter(|s| s.block < blocks && !left(s)).cloned().collect::<Vec<_>>();
        let look = look(&data, &Settings::default()).unwrap();
        if look.is_settled() || blocks == 20 {
            return Ended { data, look, blocks };
        }
        for behind in look.behind {
            let target = data.targets.iter_mut().find(|t| t.label == behind.target).unwrap();
            target.leave_after(blocks);
        }
    }
    unreachable!("20 is the last look")
}

/// Cells whose interval over the baseline holds the truth, and cells.
fn covered(world: &World, data: &Dataset) -> (usize, usize) {
    let found = findings(data, &Settings::default()).unwrap();
    let truth = |target: &str| {
        let at = world.labels().iter().position(|label| *label == target).unwrap();
        world.levels[at] / world.levels[0]
    };
    let cells = || found.tables.iter().flat_map(|t| &t.rows).flat_map(|row| &row.cells[1..]);
    let hit = |cell: &&stats::description::Cell| {
        let (ratio, truth) = (cell.ratio.unwrap(), truth(&cell.target));
        ratio.low.unwrap() <= truth && truth <= ratio.high.unwrap()
    };
    (cells().filter(hit).count(), cells().count())
}

/// What came of many campaigns of one world, shares of them.
#[derive(Debug, Default)]
struct Found {
    /// The best, or one of equals, was called best.
    best: f64,
    /// One that is worse than another was.
    wrong: f64,
    /// The best, or one of equals, left.
    best_left: f64,
    /// The worst left, of the campaigns that continued after the first look.
    worst_left: f64,
    /// Cells over the baseline, whose interval holds the truth.
    covered: f64,
    blocks: f64,
    /// Turns of a candidate in a block, of those that there were without a race.
    turns: f64,
}

fn simulate(world: &World, campaigns: u64) -> Found {
    let n = campaigns as f64;
    let best = world.levels.iter().copied().fold(0.0, f64::max);
    let worst = world.levels.iter().copied().fold(f64::INFINITY, f64::min);
    let level = |label: &str| {
        let at = world.labels().iter().position(|own| *own == label).unwrap();
        world.levels[at]
    };
    let mut found = Found::default();
    let (mut hits, mut cells, mut went_on, mut turns, mut all_turns) = (0, 0, 0.0, 0, 0);
    for seed in 0..campaigns {
        let ended = run(world, seed);
        if let [Standoff::Decided(called)] = &ended.look.verdicts[..] {
            *(if level(called) == best { &mut found.best } else { &mut found.wrong }) += 1.0 / n;
        }
        let left = ended.left();
        found.best_left += f64::from(u8::from(left.iter().any(|l| level(l) == best))) / n;
        if ended.blocks > QUICK_LOOKS[0] {
            went_on += 1.0;
            found.worst_left += f64::from(u8::from(left.iter().any(|l| level(l) == worst)));
        }
        let (hit, all) = covered(world, &ended.data);
        (hits, cells) = (hits + hit, cells + all);
        found.blocks += f64::from(ended.blocks) / n;
        let own = |t: &model::result::TargetRecord| t.left_after().unwrap_or(ended.blocks);
        turns += ended.data.targets.iter().map(own).sum::<u32>();
        all_turns += ended.blocks * world.levels.len() as u32;
    }
    found.worst_left /= f64::max(went_on, 1.0);
    found.covered = hits as f64 / cells as f64;
    found.turns = f64::from(turns) / f64::from(all_turns);
    found
}

/// Three equal candidates: one is called best, or sent away, in less than 5 % of campaigns, and the intervals
/// of the cells cover as they say although the campaign ended when it liked.
#[test]
fn equal_candidates_stay_equal_in_a_race() {
    for (block_sd, own_sd) in [(0.02, 0.03), (0.05, 0.1)] {
        let found = simulate(&World { levels: vec![1.0; 3], block_sd, own_sd }, 200);
        assert!(found.best <= 0.05 && found.best_left <= 0.03, "{found:?}");
        assert!((0.935..=0.975).contains(&found.covered), "{found:?}");
    }
}

/// Three near ones and one that is far behind: that one leaves soon, the best never does, and any that is
/// called best is it.
#[test]
fn race_drops_clear_losers_and_keeps_the_best() {
    let levels = vec![1.0, 1.06, 0.98, 0.6];
    let found = simulate(&World { levels, block_sd: 0.03, own_sd: 0.06 }, 150);
    assert!(found.best >= 0.9 && found.wrong <= 0.02 && found.best_left <= 0.01, "{found:?}");
    assert!(found.worst_left >= 0.85 && found.turns <= 0.92, "{found:?}");
    assert!((0.93..=0.975).contains(&found.covered), "{found:?}");
}

/// Prints what METHODS.md tells: `cargo test -p assay-stats --test race -- --ignored --nocapture`.
#[test]
#[ignore = "prints figures and asserts nothing"]
fn figures() {
    for levels in [vec![1.0; 2], vec![1.0; 3], vec![1.0, 1.05, 0.7], vec![1.0, 1.1, 1.0, 0.6]] {
        for (block_sd, own_sd) in [(0.02, 0.05), (0.05, 0.1)] {
            let world = World { levels: levels.clone(), block_sd, own_sd };
            println!("{levels:?} {block_sd} {own_sd}: {:.3?}", simulate(&world, 1_000));
        }
    }
}

const QUIET: f64 = 0.01;

fn quiet(levels: &[f64], blocks: u32) -> Dataset {
    let world = World { levels: levels.to_vec(), block_sd: 0.004, own_sd: QUIET };
    world.campaign(world.samples(blocks, 5))
}

fn looked(data: &Dataset) -> InterimVerdicts {
    look(data, &Settings::default()).unwrap()
}

#[test]
fn a_look_says_what_the_call_has_come_to() {
    let decided = looked(&quiet(&[1.0, 1.3, 0.8], 3));
    assert_eq!(decided.verdicts, [Standoff::Decided("b".into())]);
    let same = looked(&quiet(&[1.0, 1.001, 0.5], 3));
    let [Standoff::Same(mut leaders)] = <[_; 1]>::try_from(same.verdicts.clone()).unwrap() else {
        panic!("{same:?}")
    };
    leaders.sort();
    assert!(same.is_settled() && leaders == ["a", "b"], "{leaders:?}");
    let open = looked(&quiet(&[1.0, 1.3, 0.8], 1));
    assert_eq!((open.verdicts.as_slice(), open.behind.len()), ([Standoff::Open].as_slice(), 0));
    let alone = looked(&quiet(&[1.0], 3));
    assert!(alone.verdicts.is_empty() && alone.is_settled());
    let mut busy = quiet(&[1.0, 1.3, 0.8], 3);
    let foreign = Metric::new("foreign_cpu_pct", 60.0, "%", model::figure::Better::Lower);
    busy.samples.iter_mut().for_each(|s| s.push(foreign.clone()));
    let busy = looked(&busy);
    assert_eq!((busy.verdicts.as_slice(), busy.behind.len()), ([Standoff::Open].as_slice(), 0));
}

#[test]
fn a_certain_lead_that_is_too_small_for_a_best_is_the_same() {
    let close = looked(&quiet(&[1.0, 1.02, 0.7], 8));
    let expected = Standoff::Same(vec!["b".into(), "a".into()]);
    assert!(close.verdicts == [expected] && close.is_settled(), "{close:?}");
}

#[test]
fn a_look_and_the_verdict_of_the_same_samples_agree() {
    let mut found = [0; 3];
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let mut level = || (0.04 * normal(&mut rng)).exp();
        let levels = vec![1.0, level(), level()];
        let block_sd = [0.005, 0.02, 0.05][seed as usize % 3];
        let world = World { levels, block_sd, own_sd: 0.02 };
        let data = world.campaign(world.samples(8, seed));
        let [seen] = <[_; 1]>::try_from(looked(&data).verdicts).unwrap();
        let kind = findings(&data, &Settings::default()).unwrap().verdict.kind;
        match seen {
            Standoff::Decided(_) => assert_eq!(kind, VerdictKind::Clear, "{seed}"),
            Standoff::Same(_) => assert_eq!(kind, VerdictKind::Equivalent, "{seed}"),
            Standoff::Open => assert!(
                !matches!(kind, VerdictKind::Clear | VerdictKind::Equivalent),
                "{seed}: {kind:?}"
            ),
        }
        found[match seen {
            Standoff::Decided(_) => 0,
            Standoff::Same(_) => 1,
            Standoff::Open => 2,
        }] += 1;
    }
    assert!(found.iter().all(|count| *count > 3), "each kind has to be tried: {found:?}");
}

#[test]
fn race_never_drops_the_baseline() {
    let data = quiet(&[0.7, 1.0, 1.001, 0.8], 3);
    let behind = looked(&data).behind;
    let labels: Vec<&str> = behind.iter().map(|b| b.target.as_str()).collect();
    assert_eq!(labels, ["d"], "the baseline is behind as well, and stays");
    assert_eq!(behind[0].tables, GROUPS.len() * PROCS.len());
    // Ahead in one table of eight.
    let mut ahead = data.clone();
    let one = |s: &&mut Sample| {
        s.case.target == "d" && s.case.procs == 8 && s.case.test.starts_with("g2")
    };
    ahead.samples.iter_mut().filter(one).for_each(|s| s.figures.metrics[0].value *= 2.0);
    assert_eq!(looked(&ahead).behind, []);
}

#[test]
fn the_default_of_a_sweep_stays() {
    let mut data = quiet(&[1.2, 1.0, 1.201, 0.8], 3);
    data.campaign.plan.sweeps = vec![model::target::Sweep {
        on: "d[x={1,2}]".parse().unwrap(),
        variants: vec![Target::named("d"), Target::named("b")],
        mode: Default::default(),
        left_out: Vec::new(),
    }];
    let labels: Vec<String> = looked(&data).behind.into_iter().map(|b| b.target).collect();
    assert_eq!(labels, ["b"]);
}

/// After a candidate left, the others have more blocks: their pair is compared over all of these, pairs with
/// the one that left over those that it has.
#[test]
fn pairs_are_compared_over_the_blocks_that_they_share() {
    let mut data = quiet(&[1.0, 1.2, 0.5], 8);
    data.samples.retain(|s| s.case.target != "c" || s.block < 3);
    data.targets[2].leave_after(3);
    let found = findings(&data, &Settings::default()).unwrap();
    let verdict = &found.verdict;
    assert_eq!((verdict.kind, verdict.blocks), (VerdictKind::Clear, 8));
    let of = |label: &str| verdict.candidates.iter().find(|c| c.target == label).unwrap();
    assert_eq!((of("b").ranks, of("c").ranks), (Some((1, 1)), Some((3, 3))));
    assert!(of("c").p_best.unwrap() < 0.01 && of("b").p_best.unwrap() > 0.99);
    let row = &found.tables[0].rows[0];
    assert_eq!([row.cells[1].n, row.cells[2].n], [8, 3]);
    assert_eq!(found.selfcheck.drift.as_ref().unwrap().blocks, 8);
    // The pair has its blocks, whatever the third has and whether that was noted.
    let mut unsaid = data.clone();
    unsaid.targets[2].facts.0.clear();
    let unsaid = findings(&unsaid, &Settings::default()).unwrap().verdict;
    assert_eq!((unsaid.blocks, unsaid.lead), (8, verdict.lead));
    let precision = precision(&data, &Settings::default()).unwrap();
    assert_eq!(precision.ratios, tests().len() * PROCS.len(), "of b alone");
}

/// The leader before the look, which others are compared with, may be the one that left.
#[test]
fn one_that_left_and_leads_all_the_same_is_compared_over_what_it_has() {
    let mut data = quiet(&[1.0, 1.2, 1.3], 6);
    data.samples.retain(|s| s.case.target != "c" || s.block < 3);
    data.targets[2].leave_after(3);
    let verdict = findings(&data, &Settings::default()).unwrap().verdict;
    assert_eq!((verdict.candidates[0].target.as_str(), verdict.blocks), ("c", 3));
}

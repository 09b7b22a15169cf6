//! Two equal targets on a machine that becomes steadily slower: a directory entered twice, served by a file
//! system each of whose reads takes longer than the one before it. A target that went first in every block
//! would be faster by the cost of a turn; with balanced orders none is ahead.

use super::{Bench, Check, CheckOutcome, trial};
use anyhow::{Context, Result};
use lab::{fuse::Slowing, setup::Lab};
use model::plan::Plan;
use stats::{description::Settings, verdict::VerdictKind};
use std::time::Duration;

const TEST: &str = "selftest.slowing";
/// Reads of a turn, as the suite declares them.
const READS: f64 = 400.0;
/// Of the first read; several times what a sleep is longer than asked for.
const DELAY: Duration = Duration::from_micros(500);
/// What a turn takes over the one before it.
const GROWTH: f64 = 1.25;
/// Two candidates in four blocks go AB BA BA AB, or the other way round.
const BLOCKS: u32 = 4;
const TURNS_IN_BLOCK: i32 = 2;

/// The pair.
pub struct SlowPair;

pub static SLOW_PAIR: SlowPair = SlowPair;

impl SlowPair {
    fn plan(dir: &str) -> Result<Plan> {
        let mut plan = trial::plan(&format!("dir:{dir}"), TEST, 0.0)?;
        plan.targets.push(plan.targets[0].clone());
        plan.blocks = Some(BLOCKS);
        // It ends with its reads.
        plan.knobs.clear();
        Ok(plan)
    }
}

impl Check for SlowPair {
    fn name(&self) -> String {
        "pair.slowing".into()
    }

    fn about(&self) -> String {
        "two equal targets, each turn taking 25 % longer than the one before".into()
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(Slowing::missing())
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        let lab = Lab::open(bench.state, "selftest-slowing")?;
        let below = lab.provision(&"null".parse()?, "below")?;
        let slowing = Slowing::mount(&lab, below.root(), DELAY, GROWTH.powf(1.0 / READS))?;
        let dir = slowing.root().to_str().context(
            "the name of the state folder is not valid \
                                                   UTF-8",
        )?;
        let dataset = trial::run("selftest-pair.slowing", SlowPair::plan(dir)?, bench)?;
        slowing.unmount()?;
        below.teardown()?;
        lab.close()?;
        let findings = stats::evaluation::findings(&dataset, &Settings::default())?;
        let drift = findings.selfcheck.drift.context("the campaign reports no drift")?;
        let lead = findings.verdict.lead.and_then(|lead| lead.low.zip(lead.high));
        let (low, high) = lead.context("no result for the pair")?;
        let winner = findings.verdict.kind == VerdictKind::Clear || low > 1.0 || high < 1.0;
        let turns = TURNS_IN_BLOCK * (BLOCKS as i32 - 1);
        let imposed = GROWTH.powi(-turns) - 1.0;
        Ok(CheckOutcome::Drift { imposed, measured: drift.last_over_first - 1.0, winner })
    }
}

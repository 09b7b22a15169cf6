//! A/A check: a target next to its twin. Both are identical, so every difference that a table shows is false: at 95 %
//! confidence one cell in twenty may show one. The cells of a block share its noise, so how many may together is
//! determined by flipping the signs of blocks, as the report does with the A/A pair of a campaign.

use super::{Bench, Check, CheckOutcome, trial};
use anyhow::{Context, Result};
use lab::machine::Availability;
use model::plan::Plan;
use stats::description::Settings;

/// The fewest whose 32 patterns of signs say something.
const BLOCKS: u32 = 6;
const RUNTIME_S: f64 = 0.15;

/// A target that has a twin, with what runs on both.
pub struct Pair {
    target: &'static str,
    suite: Suite,
}

/// What runs.
enum Suite {
    /// The suite `null`, whose figures are the same to the last bit.
    Null,
    /// Reads and writes.
    Io,
}

pub static EXACT: Pair = Pair { target: "null", suite: Suite::Null };
pub static LOOP: Pair = Pair { target: "ext4", suite: Suite::Io };

impl Pair {
    fn plan(&self, quick: bool) -> Result<Plan> {
        let test = match (&self.suite, quick) {
            (Suite::Null, _) => "null.*",
            (Suite::Io, true) => "selftest.pair.*.4k",
            (Suite::Io, false) => "selftest.pair.*",
        };
        let mut plan = trial::plan(self.target, test, RUNTIME_S)?;
        plan.aa = Some(true);
        plan.blocks = Some(BLOCKS);
        if matches!(self.suite, Suite::Null) {
            plan.suites = vec!["null".into()];
            plan.knobs.clear();
        }
        Ok(plan)
    }
}

impl Check for Pair {
    fn name(&self) -> String {
        format!("pair.{}", self.target)
    }

    fn about(&self) -> String {
        match self.suite {
            Suite::Null => "a target without a disk, measured twice".into(),
            Suite::Io => format!("{} on a loop device, measured twice", self.target),
        }
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(match lab::machine::available(fs::find(self.target)?) {
            Availability::Ready => None,
            Availability::Missing { what, .. } => Some(what),
        })
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        let dataset =
            trial::run(&format!("selftest-{}", self.name()), self.plan(bench.quick)?, bench)?;
        // Other work makes both noisier, and neither better.
        let settings = Settings { contention_limit_pct: f64::INFINITY, ..Settings::default() };
        let findings = stats::evaluation::findings(&dataset, &settings)?;
        let pair = findings.selfcheck.aa.context("the campaign has no A/A pair")?;
        let (cells, marked) = (pair.cells, pair.marked);
        let most = match self.suite {
            Suite::Null => 0,
            Suite::Io => pair.limit,
        };
        let by_chance = pair.passes() == Some(true);
        Ok(CheckOutcome::Marks { cells, marked, most, by_chance })
    }
}

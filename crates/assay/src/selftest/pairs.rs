//! A target entered twice. Both are the same, so every difference that a table shows is false: at
//! 95 % confidence one cell in twenty may.

use super::{Bench, Outcome, Truth, trial};
use anyhow::Result;
use lab::Availability;
use model::Plan;
use stats::Settings;

const BLOCKS: u32 = 5;
const RUNTIME_S: f64 = 0.15;

/// A target to be entered twice, with what runs on it.
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
        plan.targets.push(plan.targets[0].clone());
        plan.blocks = Some(BLOCKS);
        if matches!(self.suite, Suite::Null) {
            plan.suites = vec!["null".into()];
            plan.knobs.clear();
        }
        Ok(plan)
    }
}

impl Truth for Pair {
    fn name(&self) -> String {
        format!("pair.{}", self.target)
    }

    fn about(&self) -> String {
        match self.suite {
            Suite::Null => "a target without a disk, entered twice".into(),
            Suite::Io => format!("{} on a loop device, entered twice", self.target),
        }
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(match lab::available(lab::fs::find(self.target)?) {
            Availability::Ready => None,
            Availability::Missing { what, .. } => Some(what),
        })
    }

    fn check(&self, bench: &Bench<'_>) -> Result<Outcome> {
        let dataset =
            trial::run(&format!("selftest-{}", self.name()), self.plan(bench.quick)?, bench)?;
        let findings = stats::findings(&dataset, &Settings::default())?;
        let rows = findings.tables.iter().flat_map(|table| &table.rows);
        let ratios = rows.flat_map(|row| row.cells.iter().skip(1)).filter_map(|cell| cell.ratio);
        let intervals: Vec<(f64, f64)> = ratios.filter_map(|r| r.low.zip(r.high)).collect();
        let apart = intervals.iter().filter(|(low, high)| *low > 1.0 || *high < 1.0).count();
        let cells = intervals.len();
        let most = match self.suite {
            Suite::Null => 0,
            Suite::Io => stats::chance_limit(cells),
        };
        Ok(Outcome::Marks { cells, marked: apart, most })
    }
}

//! One test in a table, with a cell for each target.

use crate::{
    description::{Amount, Comparison, Moved},
    kernel::{Bound, Interval, Ratio, modes::Mode},
};
use model::{result::Reason, workload::GridCell};
use serde::Serialize;

/// Why a ratio with an interval is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unjudged {
    /// Other work had the processors or the disk in too many of the samples.
    Contended,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Stable test id.
    pub test: String,
    /// Suite of the test.
    pub suite: String,
    /// Display name.
    pub name: String,
    /// Test type.
    pub testtype: String,
    /// Its place in a grid of block sizes and threads, where it has one.
    #[serde(skip)]
    pub grid: Option<GridCell>,
    /// Unit of the values.
    pub unit: String,
    /// Metric that the values come from.
    pub basis: String,
    /// What one sample of it did, and how long that took; `None` where no valid sample tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Amount>,
    /// What was taken out of the values for the order in which candidates were measured in a block: the last over the
    /// first, above 1 where the last had the better value; `None` where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_over_first: Option<f64>,
    /// One cell for each target.
    pub cells: Vec<Cell>,
    /// Which target is ahead of all others; `None` when fewer than two have a value.
    pub lead: Option<Lead>,
}

/// The best target of a row against the second. It was picked for being the best, so the ratio is
/// rather too large than too small.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// Label of the best.
    pub target: String,
    /// Label of the second.
    pub second: String,
    /// Best over second.
    pub ratio: Ratio,
    /// What the ratio allows to say.
    #[serde(rename = "verdict")]
    pub comparison: Comparison,
}

/// Samples that are left out for a reason of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Excluded {
    /// That of the first of them.
    pub why: Reason,
    /// Their number.
    pub samples: usize,
}

/// One test on one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// Label of the target.
    pub target: String,
    /// Geometric mean over blocks; `None` without a valid sample.
    pub value: Option<f64>,
    /// The 95 % interval of `value`, from the variation between its blocks; `None` below two blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_interval: Option<Interval>,
    /// Blocks with a valid sample.
    pub n: usize,
    /// Coefficient of variation between blocks, a share: their standard deviation (n-1) over their mean; `None`
    /// below two blocks. Unlike a range it does not grow with their number.
    pub cv: Option<f64>,
    /// Target over baseline; for the baseline itself 1 without an interval.
    pub ratio: Option<Ratio>,
    /// Blocks in which the baseline has a valid sample as well: where they are two or more, the ratio is from them.
    pub pairs: usize,
    /// The two groups in which the samples lie, the worse first, where nothing is between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<[Mode; 2]>,
    /// The 95 % interval of the plain t, from the noise of this cell alone: what the ratio's would be had
    /// nothing been learnt from the other cells. `None` for the baseline and with a single block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Interval>,
    /// What the ratio allows to say; `None` for the baseline and without a ratio.
    #[serde(rename = "verdict")]
    pub comparison: Option<Comparison>,
    /// Why the verdict is unclear although there is an interval.
    pub reason: Option<Unjudged>,
    /// True when the difference holds among all ratios of this table (Holm, 5 %).
    pub holm: bool,
    /// Reasons of invalid samples, by kind.
    pub invalid_reasons: Vec<Excluded>,
    /// Samples that were asked cold and were not.
    pub lukewarm: usize,
    /// Valid samples of a sustained run that had not reached a steady state.
    pub unsteady: usize,
    /// Whether the usual timed part is below the floor of its preset; see [`Row::is_short`].
    #[serde(skip_serializing_if = "is_false")]
    pub short: bool,
    /// Share of the operations that found in memory what others had made the kernel read, percent, where samples
    /// are cold, read ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ahead_pct: Option<f64>,
    /// Of a sync after a write, where some file system had written a part of the data before: the share that it wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    /// What the device moved for each byte.
    #[serde(flatten)]
    pub moved: Moved,
    /// Valid samples that synced and of which durability is not proven.
    #[serde(skip_serializing_if = "is_none")]
    pub unproven: usize,
    /// The least that the value is, where its source printed no more than a bound: `value` is an estimate then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// What is known of the ratio, where either value is such a bound: `ratio` is an estimate then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Row {
    /// Whether the timed part of any target is short, so that the row enters no mean, score and verdict. It leaves
    /// for all of them: without the short ones alone, the tests in which a target is fast would be missing.
    pub fn is_short(&self) -> bool {
        self.cells.iter().any(|cell| cell.short)
    }
}

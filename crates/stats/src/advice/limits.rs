//! Judges limits on latencies, target by target: what `assay check` decides. Unlike a floor of a profile, a limit is
//! absolute: no target is compared with another.

use super::floors;
use crate::{
    description::{Contention, Durability, Settings, durability, is_too_much},
    kernel::{power::Noise, ratio::Estimate},
};
use model::{
    figure::{LatencyLimit, Quantile},
    result::{Dataset, Reason, Sample},
};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;
use wildmatch::WildMatch;

/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// A limit on the tests that a glob names, or without one a figure to show of them.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedLimit {
    /// Glob over test ids.
    pub test: String,
    /// The limit; `None` where none is stated, and the 99th percentile is shown.
    pub limit: Option<LatencyLimit>,
    /// Who states it, a URL, or that it was given on the command line.
    pub source: String,
}

/// The outcome of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitOutcome {
    /// The whole interval keeps it.
    Pass,
    /// Neither, so far.
    Undecided,
    /// The whole interval is beyond it, or what was synced may be lost.
    Fail,
}

/// Why an outcome is what it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "reason", content = "detail")]
pub enum LimitReason {
    /// The whole interval is on one side of the limit.
    Interval,
    /// The limit is inside the interval; after about this many more blocks it would not be, `None` if a campaign
    /// cannot have as many.
    Inside(Option<usize>),
    /// One block has no interval.
    OneBlock,
    /// A block has fewer operations than the quantile needs.
    FewOperations {
        /// The fewest of a block.
        operations: u64,
        /// How many it needs.
        of: u64,
    },
    /// No valid sample, with the most recent reason.
    NoSample(Option<Reason>),
    /// No sample has this latency.
    NoLatency,
    /// The limit is kept, and what is known of the syncs forbids to say so.
    NotDurable(Durability),
    /// No limit is stated.
    NoLimit,
}

/// A latency with its interval, microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LatencyEstimate {
    /// Geometric mean over the blocks.
    pub us: f64,
    /// Lower end of the 95 % interval; `None` with one block.
    pub low_us: Option<f64>,
    /// Upper end.
    pub high_us: Option<f64>,
}

/// A limit on one test of one target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitFinding {
    /// Stable test id.
    pub test: String,
    /// Worker processes.
    pub procs: u32,
    /// Label of the target.
    pub target: String,
    /// Which latency.
    #[serde(serialize_with = "as_text")]
    pub quantile: Quantile,
    /// Its value.
    pub value: Option<LatencyEstimate>,
    /// The limit.
    pub limit: Option<LatencyLimit>,
    /// Who states it.
    pub source: String,
    /// Blocks with a value.
    pub blocks: usize,
    /// Operations in all of them.
    pub operations: u64,
    /// Valid samples during which other programs had too much of the processors or of the disk.
    pub contended: usize,
    /// Whether it is kept.
    pub outcome: LimitOutcome,
    /// Why.
    pub why: LimitReason,
}

impl LimitFinding {
    /// Whether more than a fifth of the samples were contended: the latency is then that of the target while other
    /// programs run.
    pub fn is_contended(&self) -> bool {
        is_too_much(self.contended, self.blocks)
    }
}

fn as_text<S: Serializer>(quantile: &Quantile, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(quantile.as_str())
}

/// What `dataset` says of each of `asked`, test by test, process count by process count and target by target.
pub fn limits(dataset: &Dataset, asked: &[AskedLimit]) -> Vec<LimitFinding> {
    let contention = Contention::of(dataset, Settings::default().contention_limit_pct);
    let mut all = Vec::new();
    for asked in asked {
        let glob = WildMatch::new(&asked.test);
        for test in dataset.tests.iter().filter(|test| glob.matches(&test.id)) {
            let own = || dataset.samples.iter().filter(|sample| sample.case.test == test.id);
            let mut counts: BTreeSet<u32> = own().map(|sample| sample.case.procs).collect();
            if counts.is_empty() {
                counts.insert(1);
            }
            for procs in counts {
                for target in &dataset.targets {
                    let samples = own()
                        .filter(|s| s.case.procs == procs && s.case.target == target.label)
                        .collect::<Vec<_>>();
                    let of = (&*test.id, procs, &*target.label);
                    let mut finding = finding(dataset, asked, of, &samples);
                    let valid = samples.iter().filter(|s| s.evidence.validity.is_valid());
                    finding.contended = valid.filter(|s| contention.during(s)).count();
                    all.push(finding);
                }
            }
        }
    }
    all
}

fn finding(
    dataset: &Dataset,
    asked: &AskedLimit,
    (test, procs, target): (&str, u32, &str),
    samples: &[&Sample],
) -> LimitFinding {
    let quantile = asked.limit.as_ref().map_or(Quantile::P99, LatencyLimit::quantile);
    let valid: Vec<&Sample> =
        samples.iter().copied().filter(|s| s.evidence.validity.is_valid()).collect();
    let points = floors::latencies(quantile, valid.iter().copied());
    let logs: Vec<f64> = points.iter().map(|point| point.log).collect();
    let estimate = Estimate::of_sample(&logs);
    let of = |limit: &LatencyLimit, estimate: &Estimate| {
        let over = Estimate { mean: estimate.mean - limit.us.ln(), ..*estimate };
        side(limit, &over, logs.len(), operations(&valid, quantile))
    };
    let syncs = valid.iter().any(|sample| sample.evidence.durability.is_some());
    let (outcome, why) = match (&estimate, &asked.limit) {
        (None, _) if valid.is_empty() => {
            (LimitOutcome::Undecided, LimitReason::NoSample(last_reason(samples)))
        }
        (None, _) => (LimitOutcome::Undecided, LimitReason::NoLatency),
        (Some(_), None) => (LimitOutcome::Undecided, LimitReason::NoLimit),
        (Some(estimate), Some(limit)) => match of(limit, estimate) {
            kept @ (LimitOutcome::Pass | LimitOutcome::Undecided, _) if syncs => {
                not_durable(durability(dataset, target)).unwrap_or(kept)
            }
            other => other,
        },
    };
    LimitFinding {
        test: test.into(),
        procs,
        target: target.into(),
        quantile,
        value: estimate.map(latency),
        limit: asked.limit.clone(),
        source: asked.source.clone(),
        blocks: logs.len(),
        operations: valid.iter().map(|sample| sample.figures.ops).sum(),
        contended: 0,
        outcome,
        why,
    }
}

/// A latency below the limit says nothing where the device was not waited for: what surely may be lost fails, what is
/// not proven does not pass.
fn not_durable(durability: Durability) -> Option<(LimitOutcome, LimitReason)> {
    let outcome = match durability {
        Durability::Keeps => return None,
        Durability::NotProven(_) => LimitOutcome::Undecided,
        Durability::Loses(_) => LimitOutcome::Fail,
    };
    Some((outcome, LimitReason::NotDurable(durability)))
}

/// On which side of `limit` the interval of `over`, the latency over the limit, lies. Only its side of a strict limit
/// keeps one that an end touches.
fn side(
    limit: &LatencyLimit,
    over: &Estimate,
    blocks: usize,
    few: Option<(u64, u64)>,
) -> (LimitOutcome, LimitReason) {
    let Some(half) = over.half_width_at(CONFIDENCE) else {
        return (LimitOutcome::Undecided, LimitReason::OneBlock);
    };
    let (low, high) = (over.mean - half, over.mean + half);
    let (keeps, breaks) = match limit.is_strict {
        true => (high < 0.0, low >= 0.0),
        false => (high <= 0.0, low > 0.0),
    };
    if breaks {
        return (LimitOutcome::Fail, LimitReason::Interval);
    }
    if let Some((operations, of)) = few {
        return (LimitOutcome::Undecided, LimitReason::FewOperations { operations, of });
    }
    if keeps {
        return (LimitOutcome::Pass, LimitReason::Interval);
    }
    let all = Noise::of(over, blocks).and_then(|noise| noise.blocks(over.mean.abs(), CONFIDENCE));
    let more = all.map(|all| all.saturating_sub(blocks).max(1));
    (LimitOutcome::Undecided, LimitReason::Inside(more))
}

/// The fewest operations of a sample, and how many `quantile` needs, where these are more.
fn operations(valid: &[&Sample], quantile: Quantile) -> Option<(u64, u64)> {
    let of = quantile.least_operations();
    let fewest = valid.iter().map(|sample| sample.figures.ops).min()?;
    (fewest < of).then_some((fewest, of))
}

fn latency(estimate: Estimate) -> LatencyEstimate {
    let half = estimate.half_width_at(CONFIDENCE);
    LatencyEstimate {
        us: estimate.mean.exp(),
        low_us: half.map(|half| (estimate.mean - half).exp()),
        high_us: half.map(|half| (estimate.mean + half).exp()),
    }
}

fn last_reason(samples: &[&Sample]) -> Option<Reason> {
    samples.iter().rev().find_map(|sample| sample.evidence.validity.why().cloned())
}

#[cfg(test)]
mod tests;

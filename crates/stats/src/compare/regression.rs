//! Did anything become worse by more than somebody is willing to accept, and could that have been seen? The
//! gate of a continuous integration, in one sentence.

use super::{Comparison, PREFIXES, power};
use crate::{Ratio, holm::holm_at, names::processes, ratio::Estimate};

/// Chance that a gate fails where nothing became worse. It is shared by the means and the cells.
const ALPHA: f64 = 0.05;

/// What a gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing became worse by more than the limit, and what had would have been found.
    Passed,
    /// Something did.
    Regressed,
    /// Nothing is certain, and a loss of the limit would not have been found.
    Blind,
}

/// What a gate found.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What it says.
    pub outcome: Outcome,
    /// What became worse by more than the limit, the largest loss first.
    pub regressions: Vec<Regression>,
    /// What was found, naming the largest, and what could have been.
    pub sentence: String,
}

/// Something that became worse.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// Label of the target of B.
    pub target: String,
    /// The cell; `None` for the mean over all cells of the target.
    pub cell: Option<AskedCell>,
    /// B over A.
    pub ratio: Ratio,
}

/// A cell that a gate asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedCell {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
}

/// A target of B against one of A, in the mean or in a cell, before anything is judged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) a: String,
    pub(super) b: String,
    /// `None` for the mean over all cells.
    pub(super) cell: Option<AskedCell>,
    /// B over A, where both have a value.
    pub(super) estimate: Option<Estimate>,
    /// Whether the machine was too busy with other work for any verdict.
    pub(super) contended: bool,
}

/// One of them under its limits.
struct Judged<'a> {
    asked: &'a Asked,
    /// It is worse, by Holm's procedure.
    is_worse: bool,
    /// The loss that is found with 80 % power, logarithmic; infinite where none can be.
    width: f64,
}

impl Asked {
    /// Probability of a mean as low as this or lower where nothing became worse.
    fn p_of_loss(&self) -> Option<f64> {
        let estimate = self.estimate.filter(|_| !self.contended)?;
        estimate.error.map(|_| estimate.above_zero())
    }

    /// The loss that is found with 80 % power at `alpha`, logarithmic.
    fn detectable(&self, alpha: f64) -> f64 {
        match self.estimate.filter(|_| !self.contended).and_then(|estimate| estimate.error) {
            None => f64::INFINITY,
            Some((0.0, _)) => 0.0,
            Some((se, df)) => se * power::detectable(df, alpha),
        }
    }

    fn name(&self) -> String {
        match &self.cell {
            None => "the mean of all tests".into(),
            Some(AskedCell { name, procs, .. }) => format!("{name}, {}", processes(*procs)),
        }
    }
}

impl Comparison {
    /// Judges B against the same targets of A: the mean of each target, and each of its cells. What is
    /// certainly worse by one-sided t tests under Holm's procedure, half of 5 % for the means and half for the
    /// cells, and by more than `limit`, a share, is a regression. Without any the gate has passed only if a
    /// loss of `limit` would have been found with 80 % power in all of them, and none that is certain may be as
    /// large. One campaign on each side knows nothing of what differs between runs and decides nothing. `None`
    /// when A and B share no target.
    pub fn gate(&self, limit: f64) -> Option<Gate> {
        let judged = self.judged();
        if judged.is_empty() {
            return None;
        }
        let edge = limit.ln_1p();
        let worse = |j: &&Judged<'_>| j.is_worse && j.mean() < -edge;
        let mut regressions: Vec<&Judged<'_>> = judged.iter().filter(worse).collect();
        regressions.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
        let perhaps = judged.iter().find(|j| j.is_worse && j.low() < -edge);
        let blind: Vec<&Judged<'_>> = judged.iter().filter(|j| !j.is_found(edge)).collect();
        let (outcome, what) = if self.is_look() {
            (Outcome::Blind, look())
        } else if let Some(largest) = regressions.first() {
            (Outcome::Regressed, failed(largest, regressions.len(), limit))
        } else if let Some(largest) = blind.iter().max_by(|a, b| a.width.total_cmp(&b.width)) {
            (Outcome::Blind, not_found(largest, (blind.len(), judged.len()), limit))
        } else if let Some(one) = perhaps {
            (Outcome::Blind, doubtful(one, limit))
        } else {
            (Outcome::Passed, passed(judged.len(), limit))
        };
        let regressions = match outcome {
            Outcome::Regressed => regressions.iter().filter_map(|j| j.regression()).collect(),
            _ => Vec::new(),
        };
        let power = told(&judged).filter(|_| !self.is_look());
        let power = power.map_or_else(String::new, |text| format!("; {text}"));
        Some(Gate { outcome, regressions, sentence: what + &power + &self.not_judged() })
    }

    /// The losses that would have been found with 80 % power, in words; `None` where no ratio of a target over
    /// itself has an interval.
    pub fn power(&self) -> Option<String> {
        told(&self.judged())
    }

    /// The same target in both, under the levels of the family.
    fn judged(&self) -> Vec<Judged<'_>> {
        let same = || self.asked.iter().filter(|asked| is_same(&asked.a, &asked.b));
        let (means, cells): (Vec<&Asked>, Vec<&Asked>) = same().partition(|a| a.cell.is_none());
        let level = if means.is_empty() { ALPHA } else { ALPHA / 2.0 };
        family(means, level).into_iter().chain(family(cells, level)).collect()
    }

    /// What else A has, as the rest of a sentence.
    fn not_judged(&self) -> String {
        let apart = self.apart.as_ref().map(|apart| {
            let labels: Vec<&str> = apart.columns.iter().map(|p| p.target.as_str()).collect();
            let why = match apart.is_of_one_lab() {
                true => "they do not keep alike what they synced",
                false => "measured in different labs",
            };
            format!("; not judged, because {why}: {}", labels.join(", "))
        });
        let missing = match self.unmatched[0].len() {
            0 => None,
            n => Some(format!("; not judged, because B has none like them: {n} of A's cells")),
        };
        missing.into_iter().chain(apart).collect()
    }
}

fn family<'a>(all: Vec<&'a Asked>, level: f64) -> Vec<Judged<'a>> {
    let p_values: Vec<Option<f64>> = all.iter().map(|asked| asked.p_of_loss()).collect();
    let alpha = level / all.len().max(1) as f64;
    let marks = holm_at(level, &p_values);
    let judged = |(asked, is_worse): (&'a Asked, bool)| Judged {
        asked,
        is_worse,
        width: asked.detectable(alpha),
    };
    all.into_iter().zip(marks).map(judged).collect()
}

/// The losses that would have been found with 80 % power, of the worst mean, half of the cells and the worst.
fn told(judged: &[Judged<'_>]) -> Option<String> {
    let widths = |of_cells: bool| -> Vec<f64> {
        let own = judged.iter().filter(|j| j.asked.cell.is_some() == of_cells);
        let mut widths: Vec<f64> = own.map(|j| j.width).collect();
        widths.sort_by(f64::total_cmp);
        widths
    };
    let (means, cells) = (widths(false), widths(true));
    let mean = means.last().map(|worst| format!("{} in the mean of all tests, ", loss(*worst)));
    let cell = cells.last().map(|worst| match cells.len() {
        1 => loss(*worst),
        n => {
            format!("{} in half of the cells and {} in the worst", loss(cells[n / 2]), loss(*worst))
        }
    });
    let all: String = mean.into_iter().chain(cell).collect();
    let is_any = cells.iter().any(|width| width.is_finite());
    is_any.then(|| format!("a loss of {all} would have been found with 80 % power"))
}

impl Judged<'_> {
    fn mean(&self) -> f64 {
        self.asked.estimate.map_or(0.0, |estimate| estimate.mean)
    }

    /// Lower end of the 95 % interval.
    fn low(&self) -> f64 {
        let half = self.asked.estimate.and_then(|estimate| estimate.half_width());
        self.mean() - half.unwrap_or(f64::INFINITY)
    }

    fn is_found(&self, edge: f64) -> bool {
        self.width <= edge
    }

    fn regression(&self) -> Option<Regression> {
        Some(Regression {
            target: self.asked.b.clone(),
            cell: self.asked.cell.clone(),
            ratio: self.asked.estimate?.to_ratio(),
        })
    }

    /// The name of it, and the ratio with its interval.
    fn told(&self) -> String {
        let Asked { a, b, estimate, .. } = self.asked;
        let ratio = estimate.map(Estimate::to_ratio);
        let text =
            ratio.map_or_else(String::new, |r| format!("{:.2}x {a} ({})", r.point, interval(&r)));
        format!("{}: {b} is {text}", self.asked.name())
    }
}

/// Whether the labels are of one target in either campaign.
fn is_same(a: &str, b: &str) -> bool {
    a.strip_prefix(PREFIXES[0]) == b.strip_prefix(PREFIXES[1])
}

fn look() -> String {
    "nothing is judged: one campaign on each side is no more than a look, as its intervals know nothing of what \
     differs between runs; measure each side again, two times at least, better three, and compare A1,A2,A3 \
     B1,B2,B3"
        .into()
}

fn failed(largest: &Judged<'_>, all: usize, limit: f64) -> String {
    format!("regression beyond {}: {}; worse by that much: {all}", percent(limit), largest.told())
}

fn not_found(widest: &Judged<'_>, (blind, all): (usize, usize), limit: f64) -> String {
    let why = match (widest.asked.contended, widest.asked.estimate) {
        (true, _) => "where the machine was busy with other work".to_string(),
        (false, None) => "where a side has no valid sample".to_string(),
        (false, Some(estimate)) if estimate.error.is_none() => {
            "where a side has a single value; measure it in two campaigns at least".to_string()
        }
        _ => format!(
            "where only a loss of {} would be; more campaigns find smaller ones, and fewer tests (--tests)",
            loss(widest.width)
        ),
    };
    format!(
        "nothing is certainly worse, but a loss of {} would not have been found in {blind} of {all}, as in {} of \
         {}, {why}",
        percent(limit),
        widest.asked.name(),
        widest.asked.b
    )
}

fn doubtful(one: &Judged<'_>, limit: f64) -> String {
    format!(
        "worse, and it cannot be told whether beyond {}: {}; more campaigns would tell",
        percent(limit),
        one.told()
    )
}

fn passed(all: usize, limit: f64) -> String {
    format!(
        "no regression beyond {}: of {all} {} of B over A on the same target none is certainly worse by more",
        percent(limit),
        if all == 1 { "ratio" } else { "means and ratios" }
    )
}

fn interval(ratio: &Ratio) -> String {
    ratio.span_of_decimals().map_or_else(|| "no interval".into(), |span| format!("95 % CI {span}"))
}

/// As many digits as the limit has: 5 %, 2.5 %.
fn percent(share: f64) -> String {
    format!("{} %", (1e6 * share).round() / 1e4)
}

/// A loss on the scale of limits, two digits.
fn loss(log: f64) -> String {
    let percent = 100.0 * log.exp_m1();
    match percent {
        p if !p.is_finite() || p >= 1000.0 => "none".into(),
        p if p >= 10.0 => format!("{p:.0} %"),
        p => format!("{p:.1} %"),
    }
}

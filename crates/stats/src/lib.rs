//! Pure statistics: a dataset into findings. No clock, no I/O, no state: the same dataset and the
//! same settings give the same findings to the last bit, so an old campaign can be judged again.
//!
//! Data goes one way: `select` groups samples into cells, `noise` learns from all of them what the variance
//! of one probably is, `ratio` compares two series of a cell, `verdict` and `holm` judge the comparison, `footer` sums a table up, `decide` makes the call.

mod aa;
mod advise;
mod amount;
mod bar;
mod baseline;
mod blocks;
mod board;
mod classes;
mod compare;
mod contention;
mod cost;
mod decide;
mod draw;
mod drift;
mod durable;
mod effect;
mod footer;
mod holm;
mod latency;
mod leaders;
mod model_fit;
mod next;
mod noise;
mod observations;
mod place;
mod power;
mod precision;
mod prior;
mod proof;
mod race;
mod ratio;
mod select;
mod selfcheck;
mod sentence;
mod short;
mod steady;
mod sweep;
mod table;
mod timed;
pub mod tune;
mod verdict;
mod versus;

pub use aa::AaCheck;
pub use advise::{
    Advice, Advised, Choice, Counsel, GroupCover, GroupLead, Question, Sensitivity, Share,
    Standing, Support, Tipping, Without, advise,
};
pub use amount::Amount;
pub use classes::part;
pub use compare::{
    Apart, AskedCell, Beside, Changed, Comparison, Difference, Gate, Outcome, Pair, Placed,
    Regression, Unmatched, compare,
};
pub use contention::{Contention, shared_pct};
pub use cost::Cost;
pub use decide::{Call, CallKind, Candidate, CellRatio};
pub use drift::Drift;
pub use durable::{Durability, doubtful, durability};
pub use effect::Affected;
pub use footer::{Counts, Extreme, Footer};
pub use latency::{Latencies, TargetLatency};
pub use leaders::{Contrast, Leaders};
pub use next::Next;
pub use observations::{Observation, observations};
pub use precision::{Forecast, Precision, Wide, forecast, precision};
pub use proof::{Doubt, doubt};
pub use race::{Behind, Look, Standoff, look};
pub use ratio::{Interval, Ratio, half_width, log_ratio};
pub use selfcheck::SelfCheck;
pub use sentence::{list, processes};
pub use steady::{Rounds, Steadiness};
pub use sweep::{SweepEffects, VariantEffect};
pub use table::{CampaignFacts, Cell, Failure, Findings, Lead, Row, Table};
pub use timed::{Timed, timed};
pub use verdict::{Verdict, judge};

use bar::Bar;
use classes::{Class, classes};
use model::Dataset;

/// How to judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Label of the target that the others are compared with; `None` takes the plan's, else the
    /// first target that has valid samples in most cells.
    pub baseline: Option<String>,
    /// Half-width of the practical band as a share: with 0.05 a ratio from 1/1.05 to 1.05 is too
    /// small to act on.
    pub band: f64,
    /// A sample is contended when others had more than this share of the machine's processor time, or of
    /// the disk below its devices, percent.
    pub contention_limit_pct: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { baseline: None, band: 0.05, contention_limit_pct: 10.0 }
    }
}

/// A dataset or settings that cannot be judged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatsError {
    /// No target has the label asked for.
    #[error(
        "no target is called `{label}`{}; choose the baseline from: {known}",
        model::did_you_mean(label, known.split(", "))
    )]
    UnknownBaseline {
        /// The label asked for.
        label: String,
        /// The labels that exist.
        known: String,
    },
    /// A campaign without candidates.
    #[error("campaign {campaign} has no target; run it, or import files that name one")]
    NoTargets {
        /// Its id.
        campaign: String,
    },
    /// A sample of something that the campaign does not list.
    #[error(
        "a sample names the {what} `{name}`, which campaign {campaign} does not list; import it again"
    )]
    Unlisted {
        /// `target` or `test`.
        what: &'static str,
        /// The name in the sample.
        name: String,
        /// Id of the campaign.
        campaign: String,
    },
    /// A side without a campaign.
    #[error("a side has no campaign; name one at least on each")]
    NoCampaign,
    /// A campaign set against itself, or counted twice.
    #[error("{campaign} is named twice; each campaign stands on one side, once")]
    SameCampaign {
        /// Its id.
        campaign: String,
    },
    /// Two campaigns that measured nothing alike.
    #[error(
        "{a} and {b} have no test in common at the same number of processes; compare campaigns of one suite, or of tests with the same name, type and metric"
    )]
    NothingInCommon {
        /// Id of the one.
        a: String,
        /// Id of the other.
        b: String,
    },
    /// Campaigns that did not do the same work.
    #[error(
        "{one} and {other} did not do the same work, so their ratios would say nothing: {what}; measure the second \
         with `assay run --like {one}`, or rank both by one metric with --metric NAME"
    )]
    Unlike {
        /// Id of the one.
        one: String,
        /// Id of the other.
        other: String,
        /// What differs, the one's first.
        what: String,
    },
    /// Two campaigns that rank the same tests by other metrics.
    #[error("{a} and {b} {how}; {remedy}")]
    OtherMetric {
        /// Id of the one.
        a: String,
        /// Id of the other.
        b: String,
        /// How many tests, and by what each ranks the first of them.
        how: String,
        /// What to do.
        remedy: String,
    },
    /// A stage of a search in which the default failed.
    #[error(
        "{label} has no valid sample in {campaign}, so nothing can be compared with it; `assay report {campaign}` says why"
    )]
    NothingToCompareWith {
        /// Id of the campaign.
        campaign: String,
        /// Label of the default.
        label: String,
    },
    /// A requirement that no fact of any file system speaks of.
    #[error("no file system has a fact on `{feature}`; known are: {known}")]
    UnknownFeature {
        /// What was required.
        feature: String,
        /// The features that facts speak of.
        known: String,
    },
    /// A band that is not a share.
    #[error("a band of {band} makes no sense; use a share such as 0.05")]
    Band {
        /// The band asked for.
        band: String,
    },
}

/// Everything that can be concluded from `dataset`: ratio tables with intervals and verdicts, and
/// the call. What was measured in different labs, or does not keep what was synced while others do, is judged
/// apart: the findings are those of the preferred class, with those of each other one beside them.
pub fn findings(dataset: &Dataset, settings: &Settings) -> Result<Findings, StatsError> {
    let classes = classes(dataset, settings)?;
    let all: Vec<Findings> =
        classes.iter().map(|class| Ok(judged(class)?.0)).collect::<Result<_, StatsError>>()?;
    together(all).ok_or_else(|| StatsError::NoTargets { campaign: dataset.campaign.id.clone() })
}

/// The first of `all` with the others beside it.
fn together(all: Vec<Findings>) -> Option<Findings> {
    let mut all = all.into_iter();
    let first = all.next()?;
    Some(Findings { others: all.collect(), ..first })
}

/// The findings of one class with the cells that they stand on.
fn judged(class: &Class<'_>) -> Result<(Findings, Vec<select::CellData>), StatsError> {
    let (dataset, settings) = (class.dataset.as_ref(), &class.settings);
    if !(settings.band > 0.0 && settings.band < 1.0) {
        return Err(StatsError::Band { band: settings.band.to_string() });
    }
    let targets = target_order(dataset, settings)?;
    let cells = select::select(dataset, &targets, settings.contention_limit_pct)?;
    let selfcheck = selfcheck::selfcheck(dataset, &targets, &cells, settings)?;
    let mut tables = table::tables(dataset, &targets, &cells, settings);
    if !class.is_ranked {
        tables.iter_mut().flat_map(|table| &mut table.rows).for_each(|row| row.lead = None);
    }
    let sweeps = sweep::sweeps(dataset, &targets, &cells, settings);
    let call = decide::call(class, &targets, &cells);
    let leaders = leaders::leaders(dataset, &targets, &cells, &call, settings);
    let next = match in_one_order(dataset, &call) {
        true => None,
        false => next::next(&targets, &cells, &call, Bar::of(&dataset.campaign), settings),
    };
    let columns: Vec<usize> = (0..targets.len()).collect();
    let findings = Findings {
        lab: class.lab,
        durability: class.durability.clone(),
        is_ranked: class.is_ranked,
        campaign: CampaignFacts::of(dataset, &cells, &columns),
        baseline: targets[0].clone(),
        baseline_instead: baseline::instead(dataset, &targets[0], settings),
        failures: table::failures(dataset),
        latencies: latency::latencies(dataset, &targets),
        costs: cost::costs(dataset, &targets, &call, settings)?,
        steadiness: steady::steadiness(dataset, &targets),
        doubts: proof::doubts(dataset, &targets),
        targets,
        band: settings.band,
        contention_limit_pct: settings.contention_limit_pct,
        tables,
        call,
        next,
        leaders,
        selfcheck,
        sweeps,
        comparison: None,
        advice: None,
        timed: None,
        others: Vec::new(),
    };
    Ok((findings, cells))
}

/// Whether the first two went in one order in every block: more blocks of the kind would be no remedy.
fn in_one_order(dataset: &Dataset, call: &Call) -> bool {
    let [first, second, ..] = call.candidates.as_slice() else { return false };
    place::same_in_all(dataset, &first.target, &second.target)
}

/// Labels in the order of the columns: the baseline, then the others as planned. The twin of an A/A
/// pair is no candidate.
fn target_order(dataset: &Dataset, settings: &Settings) -> Result<Vec<String>, StatsError> {
    let twin = dataset.twin().map(|twin| twin.label);
    let labels: Vec<&String> =
        dataset.targets.iter().map(|t| &t.label).filter(|l| twin.as_ref() != Some(*l)).collect();
    let baseline = match baseline::asked(dataset, settings) {
        Some(label) if labels.contains(&label) => label,
        Some(label) => {
            let known = labels.iter().map(|l| l.as_str()).collect::<Vec<_>>().join(", ");
            return Err(StatsError::UnknownBaseline { label: label.clone(), known });
        }
        None => baseline::default(dataset)?,
    };
    let others = labels.iter().filter(|l| **l != baseline);
    Ok(std::iter::once(baseline).chain(others.copied()).cloned().collect())
}

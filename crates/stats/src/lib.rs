//! Pure statistics: a dataset into findings. No clock, no I/O, no state: the same dataset and the
//! same settings give the same findings to the last bit, so an old campaign can be judged again.
//!
//! Data goes one way: `select` groups samples into cells, `noise` learns from all of them what the variance of one
//! probably is, `ratio` compares two series of a cell, `comparison` and `holm` judge them, `footer` sums a table up,
//! `decide` reaches the verdict.

mod aa;
mod advise;
mod amount;
mod bar;
mod baseline;
mod blocks;
mod board;
mod bound;
mod cell;
mod classes;
mod compare;
mod comparison;
mod contention;
mod cost;
mod decide;
mod design;
mod disks;
mod draw;
mod drift;
mod durable;
mod effect;
mod error;
mod evidence;
mod facts;
mod findings;
mod footer;
mod holm;
mod hosts;
mod io500;
mod latency;
mod leaders;
mod left;
mod logs;
mod missing;
mod model_fit;
mod modes;
mod names;
mod next;
mod noise;
mod partial;
mod place;
mod point;
mod posterior;
mod power;
mod precision;
mod prior;
mod proof;
mod race;
mod ratio;
mod row;
mod scaling;
mod select;
mod selfcheck;
mod short;
mod steady;
mod sweep;
mod table;
mod table_lead;
mod timed;
pub mod tune;
mod versus;
mod with_syncs;
mod workloads;

pub use aa::AaCheck;
pub use advise::{
    Advice, Advised, Basis, BlockTime, Choice, Counsel, Eligibility, FloorFinding, GroupCover,
    GroupLead, Merit, More, Objection, Question, Refusal, Remark, Sensitivity, Share, Shortfall,
    Support, Tipping, Without, WorkCells, Workload, Workloads,
};
pub use amount::{Amount, Moved};
pub use bar::{CLEAR_LEAD, LEADS_P};
pub use bound::Bound;
pub use compare::{
    Apart, AskedCell, Beside, Blindness, CampaignComparison, Changed, Difference, Finding, Gate,
    Loss, Outcome, Pair, Placed, Power, Regression, Unmatched,
};
pub use comparison::{Comparison, judge};
pub use contention::{Contention, shared_pct};
pub use cost::{Cost, Priced};
pub use decide::{Candidate, CellLoss, CellRatio, Compared, Note, Reason, Verdict, VerdictKind};
pub use disks::{DiskCell, DiskRate, DiskTotal, disk_totals};
pub use drift::Drift;
pub use durable::{Doubtful, Durability, doubtful, durability};
pub use effect::Affected;
pub use error::StatsError;
pub use facts::CampaignFacts;
pub use findings::{Failure, Findings, part};
pub use footer::{Counts, Extreme, Footer};
pub use hosts::{HostCell, HostRate, HostTotal, host_totals};
pub use io500::{Io500, Io500Score};
pub use latency::{Latencies, TargetLatency};
pub use leaders::{Contrast, Leaders, Lost};
pub use logs::{
    BlockLogs, Confidence, LogRow, LogTable, LogTest, VECTORS, VariancePrior, block_logs,
};
pub use missing::Missing;
pub use modes::Mode;
pub use names::{list, processes};
pub use next::Next;
pub use precision::{Forecast, Precision, Wide, forecast, precision};
pub use proof::{Doubt, doubt};
pub use race::{Behind, Look, Standoff, look};
pub use ratio::{Interval, Ratio, decimals, half_width, log_ratio};
pub use row::{Cell, Lead, Row, Unjudged};
pub use scaling::{Scaling, Step, TargetScaling};
pub use select::with_reasons;
pub use selfcheck::SelfCheck;
pub use steady::{Rounds, Steadiness};
pub use sweep::{SweepEffects, VariantEffect};
pub use table::Table;
pub use timed::{Timed, timed};
pub use with_syncs::WithSyncs;
pub use workloads::workloads;

use bar::Bar;
use cell::CellData;
use classes::{Class, classes};
use compare::Columns;
use model::{Dataset, Price};
use std::collections::BTreeMap;

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
    /// What targets cost in a month, by label, in one currency: in the place of what the plan says.
    pub prices: BTreeMap<String, Price>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { baseline: None, band: 0.05, contention_limit_pct: 10.0, prices: BTreeMap::new() }
    }
}

/// Everything that can be concluded from `dataset`: ratio tables with intervals and verdicts, and
/// the verdict. What was measured in different labs, or does not keep what was synced while others do, is judged
/// apart: the findings are those of the preferred class, with those of each other one beside them.
pub fn findings(dataset: &Dataset, settings: &Settings) -> Result<Findings, StatsError> {
    let classes = classes(dataset, settings)?;
    let all: Vec<Findings> =
        classes.iter().map(|class| Ok(judged(class)?.0)).collect::<Result<_, StatsError>>()?;
    together(all).ok_or_else(|| StatsError::NoTargets { campaign: dataset.campaign.id.clone() })
}

/// Judges the campaign by the question. The findings carry the advice and no tables: those are what
/// [`findings`](crate::findings) gives. It decides among the targets of one lab: the host where that
/// has two or more, else the lab with most; in it among those that keep what was synced, where there are
/// such. The others are listed as ruled out or not comparable.
pub fn advise(
    dataset: &Dataset,
    question: &Question<'_>,
    settings: &Settings,
) -> Result<Findings, StatsError> {
    let (mut findings, cells) = advised(dataset, question, settings)?;
    let touched: Vec<String> = findings
        .targets
        .iter()
        .enumerate()
        .filter(|(at, _)| cells.iter().any(|cell| cell.series[*at].contended > 0))
        .map(|(_, label)| label.clone())
        .collect();
    if let (false, Some(advice)) = (touched.is_empty(), &mut findings.advice) {
        let calm = contention::without(dataset, settings.contention_limit_pct);
        if let Some(calm) = advised(&calm, question, settings)?.0.advice {
            advice.refuse_unless(&calm, touched);
        }
    }
    Ok(findings)
}

/// The same by all samples, with the cells that it stands on.
fn advised(
    dataset: &Dataset,
    question: &Question<'_>,
    settings: &Settings,
) -> Result<Judged, StatsError> {
    let classes = classes(dataset, settings)?;
    let class = advise::decisive(&classes)
        .ok_or_else(|| StatsError::NoTargets { campaign: dataset.campaign.id.clone() })?;
    let (mut findings, cells) = judged(class)?;
    let columns = (findings.targets.as_slice(), cells.as_slice());
    findings.advice = Some(advise::answer(&classes, class, columns, question)?);
    findings.tables.clear();
    findings.latencies.clear();
    Ok((findings, cells))
}

/// The cells that all of `all`, which are campaigns of equal machines, have in common as one campaign, of which each of
/// them is one block.
///
/// # Errors
/// There is none, one is named twice, or they are of other machines, have nothing in common or did other work.
pub fn pooled(all: &[Dataset]) -> Result<Dataset, StatsError> {
    compare::pooled(all)
}

/// The cells that the campaigns of `a` and `b` have in common as one dataset, with targets called `A:xfs` and
/// `B:xfs`, and its findings. Tests are the same when id, metric, unit and direction are, else when name,
/// type, metric, unit and direction are. With several campaigns on a side each is one block of the dataset. A
/// baseline may be named with or without the letter.
///
/// # Errors
/// A campaign is named twice, has no cell in common with the first of `a` or did other work, a side is empty, or
/// the settings make no sense.
pub fn compare(
    a: &[Dataset],
    b: &[Dataset],
    settings: &Settings,
) -> Result<(Dataset, Findings), StatsError> {
    let joined = compare::joined(a, b)?;
    let baseline = compare::baseline(&joined.dataset, settings);
    let settings = Settings { baseline, ..settings.clone() };
    let classes = classes(&joined.dataset, &settings)?;
    let classes: Vec<Judged> = classes.iter().map(judged).collect::<Result<_, _>>()?;
    let columns: Vec<Columns<'_>> = classes.iter().map(columns).collect();
    let comparison = compare::comparison((a, b), &joined, &columns, &settings);
    let findings = joint(classes, comparison);
    let findings =
        findings.ok_or_else(|| StatsError::NoTargets { campaign: a[0].campaign.id.clone() });
    Ok((joined.dataset, findings?))
}

/// Findings with the cells that they stand on.
type Judged = (Findings, Vec<CellData>);

fn columns((findings, cells): &Judged) -> Columns<'_> {
    let Findings { lab, durability, targets, .. } = findings;
    Columns { lab: *lab, durability, targets, cells }
}

/// The findings of all classes. The first tells of the comparison, the others of its sides alone.
fn joint(classes: Vec<Judged>, comparison: CampaignComparison) -> Option<Findings> {
    let sides = comparison.sides_alone();
    let cells = classes.iter().map(|(_, cells)| cells.len()).sum();
    let verdict = no_verdict(&comparison, cells);
    let own = |(findings, _): Judged| Findings {
        verdict: verdict.clone(),
        next: None,
        leaders: None,
        comparison: Some(sides.clone()),
        ..findings
    };
    let findings = together(classes.into_iter().map(own).collect())?;
    Some(Findings { comparison: Some(comparison), ..findings })
}

fn compared(CampaignComparison { pairs, apart, .. }: &CampaignComparison) -> Compared {
    let mut counts = Counts::default();
    pairs.iter().for_each(|pair| counts.merge(&pair.counts));
    Compared {
        counts: (!pairs.is_empty()).then_some(counts),
        replicated: pairs.iter().any(|pair| pair.ratio.is_some_and(|ratio| ratio.low.is_some())),
        apart: apart.clone(),
    }
}

/// A comparison recommends nothing: it says what is different.
fn no_verdict(comparison: &CampaignComparison, cells: usize) -> Verdict {
    Verdict {
        kind: VerdictKind::Insufficient,
        reason: Reason::Compared(compared(comparison)),
        notes: Vec::new(),
        candidates: Vec::new(),
        scored_over: String::new(),
        lead: None,
        largest_loss: None,
        blocks: 0,
        cells,
        of_cells: cells,
    }
}

/// The first of `all` with the others beside it.
fn together(all: Vec<Findings>) -> Option<Findings> {
    let mut all = all.into_iter();
    let first = all.next()?;
    Some(Findings { others: all.collect(), ..first })
}

/// The findings of one class with the cells that they stand on.
fn judged(class: &Class<'_>) -> Result<(Findings, Vec<CellData>), StatsError> {
    let (dataset, settings) = (class.dataset.as_ref(), &class.settings);
    if !(settings.band > 0.0 && settings.band < 1.0) {
        return Err(StatsError::Band { band: settings.band.to_string() });
    }
    let targets = target_order(dataset, settings)?;
    let cells = select::select(dataset, &targets, settings.contention_limit_pct)?;
    let selfcheck = selfcheck::selfcheck(dataset, &targets, &cells, settings)?;
    let mut tables = table::tables(dataset, &targets, &cells, settings);
    if !class.is_ranked {
        tables.iter_mut().for_each(|table| table.lead = None);
        tables.iter_mut().flat_map(|table| &mut table.rows).for_each(|row| row.lead = None);
    }
    let sweeps = sweep::sweeps(dataset, &targets, &cells, settings);
    let calm = select::undisturbed(dataset, &targets, settings.contention_limit_pct, &cells)?;
    let verdict = decide::verdict(class, &targets, &cells, calm.as_deref());
    let leaders = leaders::leaders(dataset, &targets, &cells, &verdict, settings);
    let next = next::next(&verdict, Bar::of(&dataset.campaign), settings);
    let columns: Vec<usize> = (0..targets.len()).collect();
    let findings = Findings {
        lab: class.lab,
        durability: class.durability.clone(),
        is_ranked: class.is_ranked,
        campaign: CampaignFacts::of(dataset, &cells, &columns),
        baseline: targets[0].clone(),
        baseline_instead: baseline::instead(dataset, &targets[0], settings),
        failures: findings::failures(dataset),
        latencies: latency::latencies(dataset, &targets),
        scalings: scaling::scalings(dataset, &targets, &cells),
        io500: io500::scores(dataset, &targets, &cells),
        costs: cost::costs(dataset, &targets, &verdict, settings)?,
        steadiness: steady::steadiness(dataset, &targets),
        hosts: hosts::host_cells(dataset, &targets),
        disks: disks::disk_cells(dataset, &targets),
        doubts: proof::doubts(dataset, &targets),
        targets,
        band: settings.band,
        contention_limit_pct: settings.contention_limit_pct,
        tables,
        verdict,
        next,
        leaders,
        selfcheck,
        sweeps,
        comparison: None,
        advice: None,
        timed: None,
        workloads: Workloads::default(),
        others: Vec::new(),
    };
    Ok((findings, cells))
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

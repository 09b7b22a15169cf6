//! The tables: one for each group of tests and process count, a row for each test, a cell for each
//! target.

use crate::{
    Advice, Amount, Call, Comparison, Cost, Doubt, Durability, Footer, Interval, Latencies,
    Leaders, Next, Ratio, SelfCheck, Settings, Steadiness, SweepEffects, Timed, Verdict, amount,
    bar::Bar,
    footer, holm,
    ratio::variance,
    select::{CellData, Series, mean},
    versus::{Versus, versus},
};
use model::{Dataset, GridCell, Group, LabKind, TargetRecord, TargetState};
use serde::Serialize;
use std::collections::BTreeSet;

/// Everything that was concluded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// In which kind of lab everything here was measured.
    #[serde(skip_serializing_if = "is_host")]
    pub lab: LabKind,
    /// Whether the targets of everything here keep what was synced to them.
    #[serde(skip_serializing_if = "Durability::is_kept")]
    pub durability: Durability,
    /// False where others of the lab keep more of what was synced: then nothing here is ranked.
    #[serde(skip_serializing_if = "is_true")]
    pub is_ranked: bool,
    /// Which campaign.
    pub campaign: CampaignFacts,
    /// Labels in the order of the cells of every row: the baseline first.
    pub targets: Vec<String>,
    /// Label of the baseline.
    pub baseline: String,
    /// Why it is not the first target, where nobody asked for another: the rest of a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_instead: Option<String>,
    /// Targets that could not be made, or failed on the way, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Half-width of the practical band, a share.
    pub band: f64,
    /// Share of others in processors or disk above which a sample is contended, percent.
    pub contention_limit_pct: f64,
    /// Tables by group, then by processes.
    pub tables: Vec<Table>,
    /// Which target to choose, if that can be said.
    pub call: Call,
    /// What would settle the call, where it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    /// Where the first two candidates differ most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaders: Option<Leaders>,
    /// How long operations took, where it was recorded.
    pub latencies: Vec<Latencies>,
    /// What each target costs, where it was measured.
    pub costs: Vec<Cost>,
    /// Whether sustained runs had reached a steady state, where they were long enough to tell.
    pub steadiness: Vec<Steadiness>,
    /// Targets of which it was not seen in every sample that what they synced reached the medium.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// What the campaign says of itself.
    pub selfcheck: SelfCheck,
    /// What the options of a file system do, for each sweep of the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sweeps: Vec<SweepEffects>,
    /// What lies between two campaigns, when the dataset is two of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// What a profile advises, when that was asked instead of tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// How much of the campaign's time was measured, where the time of its blocks is known: that is no part of
    /// a dataset, so whoever has the store adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed: Option<Timed>,
    /// The findings of the other classes of the campaign: of other labs, and of targets that do not keep what
    /// was synced. Nothing is ranked across classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Findings>,
}

fn is_host(lab: &LabKind) -> bool {
    *lab == LabKind::Host
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

fn is_true(flag: &bool) -> bool {
    *flag
}

/// A target that could not be made, or not every time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Label of the target.
    pub target: String,
    /// Why, in one line.
    pub why: String,
}

/// Every failure in `dataset`, in the order of its targets.
pub(crate) fn failures(dataset: &Dataset) -> Vec<Failure> {
    let failure = |record: &TargetRecord| match &record.state {
        TargetState::Failed(why) => {
            Some(Failure { target: record.label.clone(), why: why.clone() })
        }
        TargetState::Ok => None,
    };
    dataset.targets.iter().filter_map(failure).collect()
}

impl Findings {
    /// The same, knowing where the time of the blocks went.
    pub fn with_time(mut self, timed: Option<Timed>) -> Findings {
        self.timed = timed;
        self.others.iter_mut().for_each(|class| class.timed = timed);
        self
    }

    /// These findings, then those of each other class.
    pub fn classes(&self) -> impl Iterator<Item = &Findings> {
        std::iter::once(self).chain(&self.others)
    }

    /// Why the target called `label` failed; `None` where it did not.
    pub fn failure_of(&self, label: &str) -> Option<&str> {
        self.failures.iter().find(|f| f.target == label).map(|f| f.why.as_str())
    }

    /// Whether these and those of the other classes are of several labs.
    pub fn has_labs(&self) -> bool {
        self.others.iter().any(|class| class.lab != self.lab)
    }

    /// What tells these findings from those of the other classes, for headings, as `in User-Mode Linux, may lose
    /// what it synced`: of `whole`, which holds them; `None` where nothing does.
    pub fn class_name(&self, whole: &Findings) -> Option<String> {
        let lab = whole.has_labs().then(|| self.lab.place());
        let of_lab = whole.classes().filter(|class| class.lab == self.lab).count();
        let words = self.durability.words().filter(|_| of_lab > 1);
        let parts: Vec<&str> = lab.into_iter().chain(words).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Blocks of the campaign that the target called `label` is of.
    pub fn blocks_of(&self, label: &str) -> usize {
        self.comparison.as_ref().map_or(self.campaign.blocks, |c| c.blocks_of(label))
    }
}

/// What a reader of a table must know of the campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CampaignFacts {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// RFC 3339.
    pub created: String,
    /// Where it came from.
    pub origin: model::Origin,
    /// Suites, separated by commas.
    pub suite: String,
    /// Blocks with at least one valid sample.
    pub blocks: usize,
    /// Factor on the sizes.
    pub scale: f64,
}

impl CampaignFacts {
    /// Of the campaign whose targets have these columns of `cells`.
    pub(crate) fn of(dataset: &Dataset, cells: &[CellData], columns: &[usize]) -> CampaignFacts {
        let campaign = &dataset.campaign;
        let series = cells.iter().flat_map(|c| columns.iter().map(|&column| &c.series[column]));
        let points = series.flat_map(|s| &s.points);
        CampaignFacts {
            id: campaign.id.clone(),
            title: campaign.title.clone(),
            created: campaign.created.clone(),
            origin: campaign.origin,
            suite: dataset.suites(),
            blocks: points.map(|p| p.block).collect::<BTreeSet<_>>().len(),
            scale: campaign.scale,
        }
    }
}

/// The tests of one group at one process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Group of the tests.
    pub group: Group,
    /// Worker processes.
    pub procs: u32,
    /// Rows by test type, then in the order of the suite.
    pub rows: Vec<Row>,
    /// One footer for each target.
    pub footers: Vec<Footer>,
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
    pub verdict: Verdict,
}

/// One test on one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// Label of the target.
    pub target: String,
    /// Geometric mean over blocks; `None` without a valid sample.
    pub value: Option<f64>,
    /// Blocks with a valid sample.
    pub n: usize,
    /// Coefficient of variation between blocks, a share: their standard deviation (n-1) over their mean; `None`
    /// below two blocks. Unlike a range it does not grow with their number.
    pub cv: Option<f64>,
    /// Target over baseline; for the baseline itself 1 without an interval.
    pub ratio: Option<Ratio>,
    /// The 95 % interval of the plain t, from the noise of this cell alone: what the ratio's would be had
    /// nothing been learnt from the other cells. `None` for the baseline and with a single block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Interval>,
    /// What the ratio allows to say; `None` for the baseline and without a ratio.
    pub verdict: Option<Verdict>,
    /// Why the verdict is unclear although there is an interval, as `contended`.
    pub reason: Option<String>,
    /// True when the difference holds among all ratios of this table (Holm, 5 %).
    pub holm: bool,
    /// Reasons of invalid samples, with their number.
    pub invalid_reasons: Vec<String>,
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
    /// Valid samples that synced and of which durability is not proven.
    #[serde(skip_serializing_if = "is_none")]
    pub unproven: usize,
}

/// Every table that has a row.
pub(crate) fn tables(
    dataset: &Dataset,
    labels: &[String],
    cells: &[CellData],
    settings: &Settings,
) -> Vec<Table> {
    let amounts = amount::amounts(dataset, labels);
    let (mut places, mut tables) = (Vec::new(), Vec::new());
    for group in Group::ALL {
        let of_group: Vec<&CellData> =
            cells.iter().filter(|c| dataset.tests[c.test].group == group).collect();
        let counts: BTreeSet<u32> = of_group.iter().map(|c| c.procs).collect();
        for procs in counts {
            let mut cells: Vec<&CellData> =
                of_group.iter().copied().filter(|c| c.procs == procs).collect();
            sort_by_type(dataset, &mut cells);
            let mut rows = rows(dataset, labels, &cells, settings);
            for (row, cell) in rows.iter_mut().zip(&cells) {
                row.amount = amounts.get(&(cell.test, cell.procs)).copied();
            }
            places.push((group, procs));
            tables.push((rows, cells));
        }
    }
    let footers = footer::footers(&tables, Bar::of(&dataset.campaign), settings);
    let whole = places.into_iter().zip(tables).zip(footers);
    whole
        .map(|(((group, procs), (rows, _)), footers)| Table { group, procs, rows, footers })
        .collect()
}

/// Test types in the order in which the suite first has them, tests in the order of the suite.
fn sort_by_type(dataset: &Dataset, cells: &mut [&CellData]) {
    let first_of_type = |c: &CellData| {
        let own = &dataset.tests[c.test].testtype;
        dataset.tests.iter().position(|t| t.testtype == *own)
    };
    cells.sort_by_key(|c| (first_of_type(c), c.test));
}

fn rows(
    dataset: &Dataset,
    labels: &[String],
    cells: &[&CellData],
    settings: &Settings,
) -> Vec<Row> {
    let mut rows: Vec<Row> = cells.iter().map(|c| row(dataset, c, labels, settings)).collect();
    mark(&mut rows);
    rows
}

fn row(dataset: &Dataset, data: &CellData, labels: &[String], settings: &Settings) -> Row {
    let info = &dataset.tests[data.test];
    let cells = labels.iter().enumerate().map(|(i, label)| cell(data, i, label, settings));
    Row {
        test: info.id.clone(),
        suite: info.suite.clone(),
        name: info.name.clone(),
        testtype: info.testtype.clone(),
        grid: info.shape().cell,
        unit: data.unit.clone(),
        basis: data.basis.clone(),
        amount: None,
        cells: cells.collect(),
        lead: lead(data, labels, settings),
    }
}

fn lead(data: &CellData, labels: &[String], settings: &Settings) -> Option<Lead> {
    let mut order: Vec<usize> = (0..labels.len()).filter(|&c| data.valid_for([c])).collect();
    order.sort_by(|&a, &b| data.level(b).total_cmp(&data.level(a)));
    let (&first, &second) = (order.first()?, order.get(1)?);
    let Versus { ratio, verdict, .. } = versus(data, first, second, settings)?;
    Some(Lead { target: labels[first].clone(), second: labels[second].clone(), ratio, verdict })
}

fn cell(data: &CellData, column: usize, label: &str, settings: &Settings) -> Cell {
    let series = &data.series[column];
    let judged = if column == 0 { None } else { versus(data, column, 0, settings) };
    let is_base = column == 0 && !series.points.is_empty();
    let contended = judged.is_some_and(|v| v.contended);
    let invalid = series.invalid.iter();
    Cell {
        target: label.to_string(),
        value: data.mean_value(column),
        n: series.points.len(),
        cv: cv(series, data),
        ratio: judged.map(|v| v.ratio).or(is_base.then_some(Ratio::ONE)),
        plain: judged.and_then(|v| v.alone),
        verdict: judged.map(|v| v.verdict),
        reason: contended.then(|| "contended".to_string()),
        holm: false,
        invalid_reasons: invalid.map(|(why, n)| format!("{why} ({n})")).collect(),
        lukewarm: series.lukewarm,
        unsteady: series.unsteady,
        short: series.short,
        read_ahead_pct: series.read_ahead_pct,
        unproven: series.unproven,
    }
}

fn cv(series: &Series, data: &CellData) -> Option<f64> {
    let values: Vec<f64> = series.points.iter().map(|p| data.value(p.log)).collect();
    (values.len() > 1).then(|| variance(&values).sqrt() / mean(&values))
}

/// Holm over every ratio of the table, so that 5 % of tables without a difference carry a mark.
fn mark(rows: &mut [Row]) {
    let mut cells: Vec<&mut Cell> =
        rows.iter_mut().flat_map(|r| r.cells.iter_mut().skip(1)).collect();
    let p_values: Vec<Option<f64>> = cells.iter().map(|c| c.ratio.and_then(|r| r.p)).collect();
    for (cell, mark) in cells.iter_mut().zip(holm::holm(&p_values)) {
        cell.holm = mark && cell.reason.is_none();
    }
}

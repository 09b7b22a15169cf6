//! The studies made with KX Nano, with the summary rows that were printed under their tables.

use super::{
    Study,
    fit::{Figure, Printed, fit},
};
use crate::{
    FormatError, ImportOptions,
    campaign::{campaign, records, remarks},
    columnar::{NANO_RATE, RATE_NOTE, Ranked, declared_cache, test_info},
    table::{Row, Table},
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Sample},
    workload::{Case, Group, Numa, TestInfo},
};
use std::collections::BTreeMap;

/// The text after the name of a target in the columns of rates.
const RATE: &str = "_mb_s";
/// The text between two targets in the columns of ratios, those of tables of rates behind `ratio_`.
const OVER: &str = "_over_";

/// All of these studies ran q with `-s 8`.
const SECONDARY_THREADS: u32 = 8;

/// All of them kept process i on NUMA node i modulo their number.
const NUMA: Numa = Numa::RoundRobin;

/// Columns that say which row it is.
const KEYS: usize = 4;

const RELATIVE: Ranked =
    Ranked { name: "relative_rate", unit: "relative to xfs", better: Better::Higher };

const NOTES: [&str; 5] = [
    RATE_NOTE,
    "One run per cell: the spread between runs is unknown.",
    "Cache states are as declared by the source; residency was not proven.",
    "Bytes, times, start skew and overlap are not in the source and are recorded as 0.",
    "Figures are as printed; if a printed ratio or mean does not follow from them, they are \
     adjusted within the rounding of their digits so that it does.",
];

const RATIOS_NOTE: &str = "The source prints ratios with one decimal and no rates; xfs is 1. A \
                           ratio printed as 0.0 is a bound, from 0 to 0.05: if its table's mean \
                           was printed, the value is derived from that mean.";

/// What a summary row of a published table sums up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryKind {
    /// The geometric mean of the column.
    GeometricMean,
    /// The largest value of the column.
    Max,
}

/// A summary row as printed: no sample, but a check on them.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// Id of the published campaign.
    pub campaign: &'static str,
    /// Number of processes.
    pub procs: u32,
    /// The table it is under.
    pub group: Group,
    /// What it sums up.
    pub kind: SummaryKind,
    /// Columns by name with the number as printed, digits and all.
    pub cells: Vec<(String, String)>,
}

/// The summary rows of all shipped tables that have such, in their order.
pub fn summary_rows() -> Result<Vec<SummaryRow>, FormatError> {
    let mut summaries = Vec::new();
    for study in super::STUDIES {
        let table = study.table()?;
        if table.has(&["procs", "table", "testtype", "test"]) {
            for row in &table.rows {
                summaries.extend(summary(study, &table, row)?);
            }
        }
    }
    Ok(summaries)
}

fn summary(study: &Study, table: &Table<'_>, row: &Row) -> Result<Option<SummaryRow>, FormatError> {
    let Some(kind) = summary_kind(table, row)? else { return Ok(None) };
    let mut cells = Vec::new();
    for column in &table.header[KEYS..] {
        cells.push((column.clone(), table.text(row, column)?.to_owned()));
    }
    let (procs, group) = (table.get(row, "procs")?, group(table, row)?);
    Ok(Some(SummaryRow { campaign: study.id, procs, group, kind, cells }))
}

/// The word of a table's column `table` as a group.
fn group(table: &Table<'_>, row: &Row) -> Result<Group, FormatError> {
    match table.text(row, "table")? {
        "read-disk" => Ok(Group::ReadCold),
        "read-memory" => Ok(Group::ReadHot),
        _ => table.get(row, "table"),
    }
}

fn summary_kind(table: &Table<'_>, row: &Row) -> Result<Option<SummaryKind>, FormatError> {
    Ok(match table.text(row, "testtype")? {
        "GEOMETRIC MEAN" => Some(SummaryKind::GeometricMean),
        "MAX RATIO" => Some(SummaryKind::Max),
        _ => None,
    })
}

/// The campaign.
pub(super) fn read(study: &Study) -> Result<Dataset, FormatError> {
    let table = study.table()?;
    let columns = Columns::of(&table)?;
    let values = columns.values(&table)?;
    let (mut tests, mut samples): (Vec<TestInfo>, Vec<Sample>) = Default::default();
    for (at, row) in table.rows.iter().enumerate() {
        if summary_kind(&table, row)?.is_some() {
            continue;
        }
        let info = info(&table, row, columns.ranked())?;
        for (position, target) in columns.targets.iter().enumerate() {
            let case = Case {
                target: target.clone(),
                suite: info.suite.clone(),
                test: info.id.clone(),
                procs: table.get(row, "procs")?,
                threads: SECONDARY_THREADS,
                cache: declared_cache(&info),
            };
            let metrics = columns.metrics(values.get(&(at, position)).copied());
            samples.push(Sample::bare(0, position as u32, case, metrics));
        }
        if !tests.contains(&info) {
            tests.push(info);
        }
    }
    samples.sort_by_key(|sample| (sample.block, sample.position));
    let targets = records(columns.targets.iter().map(String::as_str));
    let options =
        ImportOptions { target: None, created: study.created.into(), ..Default::default() };
    let ratios = columns.base.as_ref().map(|_| RATIOS_NOTE);
    let notes = remarks(NOTES.into_iter().chain(ratios).chain(study.notes.iter().copied()));
    let campaign = campaign(study.id, study.title, &targets, &options, notes);
    let mut data = Dataset { campaign, targets, tests, samples };
    study.name(&mut data);
    data.campaign.plan.numa = NUMA;
    Ok(data)
}

fn info(table: &Table<'_>, row: &Row, ranked: &Ranked) -> Result<TestInfo, FormatError> {
    let known = test_info(table.text(row, "testtype")?, table.text(row, "test")?, ranked);
    // The source has what was left to sync among the writes.
    let group = if known.group.is_scored() { group(table, row)? } else { known.group };
    Ok(TestInfo { group, ..known })
}

/// A figure of a row, and whether it was printed as 0.
#[derive(Clone, Copy)]
struct Value {
    figure: f64,
    is_bound: bool,
}

/// What the columns of a table are.
struct Columns {
    targets: Vec<String>,
    /// The target whose rates were printed over those of each other; `None` of a table of rates.
    base: Option<String>,
    /// Columns with a figure, and the position of its target.
    figures: Vec<(String, usize)>,
}

impl Columns {
    fn of(table: &Table<'_>) -> Result<Columns, FormatError> {
        let names = &table.header[KEYS.min(table.header.len())..];
        let rates = names.iter().filter_map(|name| name.strip_suffix(RATE));
        let rates: Vec<String> = rates.map(str::to_owned).collect();
        if !rates.is_empty() {
            let figures = rates.iter().map(|target| format!("{target}{RATE}")).zip(0..).collect();
            return Ok(Columns { targets: rates, base: None, figures });
        }
        let pairs: Vec<(&str, &str)> =
            names.iter().filter_map(|name| name.split_once(OVER)).collect();
        let base = pairs.first().map(|pair| pair.0.to_owned());
        let base = base.ok_or_else(|| FormatError::file(table.file, "has no column of figures"))?;
        let others = pairs.iter().map(|pair| pair.1.to_owned());
        let targets = std::iter::once(base.clone()).chain(others).collect();
        Ok(Columns { targets, base: Some(base), figures: names.iter().cloned().zip(1..).collect() })
    }

    fn ranked(&self) -> &'static Ranked {
        if self.base.is_some() { &RELATIVE } else { &NANO_RATE }
    }

    /// The metrics of a cell. A ratio is of the base over the target, so that the target is its inverse; that of
    /// the base has no column.
    fn metrics(&self, value: Option<Value>) -> Vec<Metric> {
        let Ranked { name, unit, better } = self.ranked();
        let over = |figure: f64| if self.base.is_some() { 1.0 / figure } else { figure };
        let value = value.unwrap_or(Value { figure: 1.0, is_bound: false });
        let mut metrics = vec![Metric::new(name, over(value.figure), unit, *better)];
        if value.is_bound {
            metrics.push(Metric::new(Metric::AT_LEAST, over(LARGEST_ZERO), unit, *better));
        }
        metrics
    }

    /// The figure of each row and target, within what was printed of all.
    fn values(&self, table: &Table<'_>) -> Result<BTreeMap<(usize, usize), Value>, FormatError> {
        let mut sheet = Sheet::default();
        let mut firsts: BTreeMap<(u32, Group), usize> = BTreeMap::new();
        for (at, row) in table.rows.iter().enumerate() {
            let place = (table.get(row, "procs")?, group(table, row)?);
            let first = *firsts.entry(place).or_insert(at);
            match summary_kind(table, row)? {
                None => self.figures(&mut sheet, table, (at, row))?,
                Some(SummaryKind::GeometricMean) => {
                    self.mean(&mut sheet, table, (first..at, row))?
                }
                Some(SummaryKind::Max) => {}
            }
        }
        if !fit(&mut sheet.figures, &sheet.printed) {
            return Err(FormatError::file(table.file, "the printed values contradict each other"));
        }
        Ok(sheet.values())
    }

    /// The figures of a row, and its ratios where it has both.
    fn figures(
        &self,
        sheet: &mut Sheet,
        table: &Table<'_>,
        (at, row): (usize, &Row),
    ) -> Result<(), FormatError> {
        for (column, target) in &self.figures {
            let text = table.text(row, column)?;
            let figure =
                Figure::of(text).ok_or_else(|| table.bad(row, column, "is not a figure"))?;
            sheet.places.insert((at, *target), (sheet.figures.len(), table.number(row, column)?));
            sheet.figures.push(figure);
        }
        self.ratio(table, row, |one, other| {
            Some(vec![(sheet.at(at, one)?, 1.0), (sheet.at(at, other)?, -1.0)])
        })
        .map(|ratio| sheet.printed.extend(ratio))
    }

    /// The means of a table, whose rows are `rows`.
    fn mean(
        &self,
        sheet: &mut Sheet,
        table: &Table<'_>,
        (rows, row): (std::ops::Range<usize>, &Row),
    ) -> Result<(), FormatError> {
        let parts = |target: usize, sign: f64| -> Vec<(usize, f64)> {
            let factor = sign / rows.len() as f64;
            rows.clone().filter_map(|at| Some((sheet.at(at, target)?, factor))).collect()
        };
        let mut means = Vec::new();
        for (column, target) in &self.figures {
            means.extend(Printed::of(table.text(row, column)?, parts(*target, 1.0)));
        }
        means.extend(self.ratio(table, row, |one, other| {
            Some([parts(one, 1.0), parts(other, -1.0)].concat())
        })?);
        sheet.printed.extend(means);
        Ok(())
    }

    /// What a table of rates prints of the ratio of two targets, whose parts `parts` gives.
    fn ratio(
        &self,
        table: &Table<'_>,
        row: &Row,
        parts: impl Fn(usize, usize) -> Option<Vec<(usize, f64)>>,
    ) -> Result<Vec<Printed>, FormatError> {
        let at = |name: &str| self.targets.iter().position(|target| target == name);
        let mut all = Vec::new();
        for column in &table.header[KEYS..] {
            let pair = column.strip_prefix("ratio_").and_then(|names| names.split_once(OVER));
            let Some((one, other)) = pair else { continue };
            let parts = at(one).zip(at(other)).and_then(|(one, other)| parts(one, other));
            all.extend(parts.and_then(|parts| Printed::of(table.text(row, column).ok()?, parts)));
        }
        Ok(all)
    }
}

/// The most that a ratio printed as 0.0 may be.
const LARGEST_ZERO: f64 = 0.05 * (1.0 - 1e-6);

/// All figures of a table, and all that was printed of them.
#[derive(Default)]
struct Sheet {
    /// Row and target of each figure, with its index and as it was printed.
    places: BTreeMap<(usize, usize), (usize, f64)>,
    figures: Vec<Figure>,
    printed: Vec<Printed>,
}

impl Sheet {
    fn at(&self, row: usize, target: usize) -> Option<usize> {
        self.places.get(&(row, target)).map(|place| place.0)
    }

    /// Figures that did not move are those that were printed, to the last bit.
    fn values(&self) -> BTreeMap<(usize, usize), Value> {
        let value = |(place, &(at, printed)): (&(usize, usize), &(usize, f64))| {
            let log = self.figures[at].value;
            let figure = if log == printed.ln() { printed } else { log.exp() };
            (*place, Value { figure, is_bound: printed == 0.0 })
        };
        self.places.iter().map(value).collect()
    }
}

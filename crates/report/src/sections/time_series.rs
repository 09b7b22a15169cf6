//! Shows the rate per second of longer runs, one small plot per target and one line per run, so that dips, drifts and
//! slow starts are visible that a mean hides.

use crate::{
    block::{Block, Cell, Column, Panel, Row, Table, TimeSeries},
    number,
    sections::Section,
};
use model::{
    figure::series,
    result::{Dataset, Sample},
    workload::TestInfo,
};
use stats::evaluation::Findings;
use std::collections::BTreeMap;

/// Runs of fewer seconds have no time series.
const LEAST_SECONDS: usize = 4;
/// What is left at the end of a run is no second.
const SHORTEST_S: f64 = 0.5;
/// Tests that are plotted; a report of hundreds of tests would be nothing else.
const MOST_PLOTS: usize = 24;
/// Points of a line; longer runs are drawn by the means of some seconds.
const MOST_POINTS: usize = 120;

pub(crate) struct RatesOverTime;

impl Section for RatesOverTime {
    fn title(&self) -> &'static str {
        "Over time"
    }

    fn build(&self, dataset: &Dataset, _: &Findings) -> Option<Vec<Block>> {
        let cells = cells(dataset);
        if cells.is_empty() {
            return None;
        }
        let left_out = cells.len().saturating_sub(MOST_PLOTS);
        let more = match left_out {
            0 => String::new(),
            n => format!(" {n} further tests have no plot; the table and the export have them."),
        };
        let mut blocks = vec![
            Block::Prose(format!(
                "Rates per second of runs of at least {LEAST_SECONDS} s. Each run is one line; \
                 all plots of a test share axes.{more}"
            )),
            Block::Table(table(&cells)),
        ];
        let plots = cells.iter().take(MOST_PLOTS);
        blocks.extend(plots.map(|cell| Block::TimeSeries(cell.time_series())));
        Some(blocks)
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// Whether `sample` has rates that can be drawn here.
pub(super) fn is_shown(sample: &Sample) -> bool {
    [BYTES, OPS, DEVICE].iter().any(|quantity| quantity.run(sample).is_some())
}

/// The end of a second in a run, and the rate in it.
type Run = Vec<(f64, f64)>;

/// One test at one process count.
struct OfTest {
    name: String,
    unit: &'static str,
    /// Label and runs, in the order of the campaign.
    targets: Vec<(String, Vec<Run>)>,
}

impl OfTest {
    fn time_series(&self) -> TimeSeries {
        let panel = |(name, runs): &(String, Vec<Run>)| Panel {
            name: name.clone(),
            lines: runs.iter().map(|run| thinned(run)).collect(),
        };
        TimeSeries {
            caption: format!("{}, {}", self.name, self.unit),
            panels: self.targets.iter().map(panel).collect(),
        }
    }
}

/// Every test with runs that were long enough, in the order of the suite.
fn cells(dataset: &Dataset) -> Vec<OfTest> {
    let mut by_case: BTreeMap<(usize, u32), Vec<&Sample>> = BTreeMap::new();
    for sample in dataset
        .samples
        .iter()
        .filter(|s| s.evidence.validity.is_valid() && s.figures.series.is_some())
    {
        let Some(test) = dataset.tests.iter().position(|t| t.id == sample.case.test) else {
            continue;
        };
        by_case.entry((test, sample.case.procs)).or_default().push(sample);
    }
    by_case
        .into_iter()
        .filter_map(|((test, procs), samples)| of_test(dataset, test, procs, &samples))
        .collect()
}

fn of_test(dataset: &Dataset, test: usize, procs: u32, samples: &[&Sample]) -> Option<OfTest> {
    let test = &dataset.tests[test];
    let quantity = Quantity::of(test, samples)?;
    let runs_of = |label: &str| -> Vec<Run> {
        let own = samples.iter().filter(|sample| sample.case.target == label);
        own.filter_map(|sample| quantity.run(sample)).collect()
    };
    let targets = dataset.targets.iter().map(|t| (t.label.clone(), runs_of(&t.label)));
    let targets: Vec<_> = targets.filter(|(_, runs)| !runs.is_empty()).collect();
    let name = format!("{}, {}", test.name, stats::description::processes(procs));
    (!targets.is_empty()).then_some(OfTest { name, unit: quantity.unit, targets })
}

/// What is drawn of a test.
struct Quantity {
    columns: &'static [&'static str],
    unit: &'static str,
    per_unit: f64,
}

const BYTES: Quantity = Quantity { columns: &[series::BYTES], unit: "MB/s", per_unit: 1e6 };
const OPS: Quantity = Quantity { columns: &[series::OPS], unit: "operations/s", per_unit: 1.0 };
const DEVICE: Quantity = Quantity {
    columns: &["device_read_bytes", "device_write_bytes"],
    unit: "MB/s at the device",
    per_unit: 1e6,
};

impl Quantity {
    /// Bytes where the test ranks by them, else operations; of tests that count neither while they
    /// run, what the device moved.
    fn of(test: &TestInfo, samples: &[&Sample]) -> Option<&'static Quantity> {
        let order = match test.unit.as_str() {
            "MB/s" => [&BYTES, &OPS, &DEVICE],
            _ => [&OPS, &BYTES, &DEVICE],
        };
        let moves = |quantity: &&Quantity| {
            let mut runs = samples.iter().filter_map(|sample| quantity.run(sample)).flatten();
            runs.any(|(_, rate)| rate > 0.0)
        };
        order.into_iter().find(moves)
    }

    /// The seconds of `sample`; `None` when it has too few, or does not tell this quantity.
    fn run(&self, sample: &Sample) -> Option<Run> {
        let series = sample.figures.series.as_ref()?;
        let mut run = Run::new();
        for column in self.columns {
            let rates = series.rates(column)?;
            run.resize(rates.len(), (0.0, 0.0));
            for (sum, (end_s, rate)) in run.iter_mut().zip(rates) {
                *sum = (end_s, sum.1 + rate / self.per_unit);
            }
        }
        let begins = [0.0].into_iter().chain(run.iter().map(|point| point.0)).collect::<Vec<_>>();
        let mut begins = begins.into_iter();
        run.retain(|(end_s, _)| begins.next().is_some_and(|begin_s| end_s - begin_s >= SHORTEST_S));
        (run.len() >= LEAST_SECONDS).then_some(run)
    }
}

/// At most `MOST_POINTS`, each the mean of as many seconds.
fn thinned(run: &[(f64, f64)]) -> Run {
    let size = run.len().div_ceil(MOST_POINTS).max(1);
    let point = |seconds: &[(f64, f64)]| {
        let sum: f64 = seconds.iter().map(|second| second.1).sum();
        (seconds[seconds.len() - 1].0, sum / seconds.len() as f64)
    };
    run.chunks(size).map(point).collect()
}

fn table(cells: &[OfTest]) -> Table {
    let mut rows = Vec::new();
    for cell in cells {
        rows.push(Row::title(format!("{}, {}", cell.name, cell.unit)));
        rows.extend(cell.targets.iter().map(|(label, runs)| row(label, runs)));
    }
    Table {
        caption: "Rates of single seconds, all valid runs together".into(),
        columns: vec![
            Column::words("Target"),
            Column::numbers("", "runs"),
            Column::numbers("", "seconds"),
            Column::numbers("", "slowest"),
            Column::numbers("", "median"),
            Column::numbers("", "fastest"),
            Column::numbers("", "slowest / median"),
        ],
        rows,
        footnotes: Vec::new(),
    }
}

fn row(label: &str, runs: &[Run]) -> Row {
    let mut rates: Vec<f64> = runs.iter().flatten().map(|second| second.1).collect();
    rates.sort_by(f64::total_cmp);
    let at = |place: usize| rates.get(place).copied().unwrap_or_default();
    let (slowest, fastest) = (at(0), at(rates.len().saturating_sub(1)));
    // Of an even number the mean of the two in the middle.
    let median = (at(rates.len().saturating_sub(1) / 2) + at(rates.len() / 2)) / 2.0;
    let dip = if median > 0.0 { number::ratio(slowest / median) } else { "-".into() };
    let figures = [number::value(slowest), number::value(median), number::value(fastest), dip];
    let counts = [label.to_owned(), runs.len().to_string(), rates.len().to_string()];
    Row::body(counts.into_iter().chain(figures).map(Cell::plain))
}

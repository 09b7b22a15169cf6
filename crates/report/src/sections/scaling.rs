//! Shows how rates scale with processes: speed-up over the smallest count as lines next to the ideal, and in a table
//! with the efficiency. Not ranked.

use crate::{
    block::{Block, Cell, Column, LinePanel, Lines, Row, Span, Table},
    number,
    sections::{Section, cells::limited},
};
use model::result::{Dataset, Sample};
use stats::{
    description::{Scaling, Step, TargetScaling},
    evaluation::Findings,
};
use std::collections::HashMap;

/// Panels of a drawing; a report of hundreds of tests would be nothing else.
const MOST_PANELS: usize = 24;

pub(crate) struct Scale;

impl Section for Scale {
    fn title(&self) -> &'static str {
        "Scaling"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if !findings.is_of_campaign() || findings.scalings.is_empty() {
            return None;
        }
        let mut kinds: Vec<Vec<&Scaling>> = Vec::new();
        for one in &findings.scalings {
            match kinds.iter_mut().find(|kind| kind[0].procs == one.procs) {
                Some(kind) => kind.push(one),
                None => kinds.push(vec![one]),
            }
        }
        let by_cell = by_cell(dataset);
        let of_kind = |kind: &Vec<&Scaling>| {
            let lines = lines(kind, findings, (cpus(dataset), &by_cell));
            [Block::Lines(lines), Block::Behind(table(kind, dataset))]
        };
        Some(kinds.iter().flat_map(of_kind).collect())
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// What the first count is called.
fn least(kind: &[&Scaling]) -> String {
    stats::description::processes(kind[0].procs[0])
}

/// Its name, after its group where another of the same name is there.
fn name(one: &Scaling, kind: &[&Scaling]) -> String {
    match kind.iter().filter(|other| other.name == one.name).count() {
        0 | 1 => one.name.clone(),
        _ => format!("{}: {}", one.group.title(), one.name),
    }
}

/// Valid samples by test, processes and target.
type ByCell<'a> = HashMap<(&'a str, u32, &'a str), Vec<&'a Sample>>;

fn by_cell(dataset: &Dataset) -> ByCell<'_> {
    let mut all = ByCell::new();
    for sample in dataset.samples.iter().filter(|sample| sample.evidence.validity.is_valid()) {
        let case = &sample.case;
        all.entry((&case.test, case.procs, &case.target)).or_default().push(sample);
    }
    all
}

fn lines(
    kind: &[&Scaling],
    findings: &Findings,
    (cpus, by_cell): (Option<u32>, &ByCell<'_>),
) -> Lines {
    let procs = &kind[0].procs;
    let panel = |one: &&Scaling| {
        let steps_of = |label: &String| {
            one.targets.iter().find(|t| t.target == *label).map(|t| t.steps.as_slice())
        };
        let step = |label: &String, at: usize| steps_of(label).and_then(|steps| steps[at]);
        let line = |label: &String| (0..procs.len()).map(|at| step(label, at).map(span)).collect();
        let detail = |label: &String, at: usize| {
            let samples = by_cell.get(&(&*one.test, procs[at], &**label)).map(Vec::as_slice);
            step(label, at).map_or_else(String::new, |step| {
                detail(step, &one.unit, samples.unwrap_or_default())
            })
        };
        let details = |label: &String| (0..procs.len()).map(|at| detail(label, at)).collect();
        LinePanel {
            name: name(one, kind),
            lines: findings.targets.iter().map(line).collect(),
            details: findings.targets.iter().map(details).collect(),
        }
    };
    let left_out = match kind.len().saturating_sub(MOST_PANELS) {
        0 => String::new(),
        more => format!("; {more} more tests are in the table"),
    };
    Lines {
        caption: format!("Rate relative to {}, 95 % intervals{left_out}", least(kind)),
        across: "processes".into(),
        places: procs.iter().map(u32::to_string).collect(),
        names: findings.targets.clone(),
        ideal: ideal(procs, cpus),
        panels: kind.iter().take(MOST_PANELS).map(panel).collect(),
    }
}

/// As many times the rate as there are processes, up to the processors: from there on they share them. Nothing where
/// fewer than two counts are within.
fn ideal(procs: &[u32], cpus: Option<u32>) -> Vec<f64> {
    let is_within = |count: &&u32| cpus.is_none_or(|cpus| **count <= cpus);
    let within = procs.iter().take_while(is_within);
    let all: Vec<f64> = within.map(|n| f64::from(*n) / f64::from(procs[0].max(1))).collect();
    if all.len() > 1 { all } else { Vec::new() }
}

/// Its rate, blocks and limiter.
fn detail(step: Step, unit: &str, samples: &[&Sample]) -> String {
    let limiter = limited(samples);
    format!("{} {unit}, n={}, limiter {limiter}", number::value(step.value), samples.len())
}

fn span(step: Step) -> Span {
    let speedup = step.speedup;
    Span { point: speedup.point, ends: speedup.low.zip(speedup.high) }
}

fn table(kind: &[&Scaling], dataset: &Dataset) -> Table {
    let procs = &kind[0].procs;
    let mut columns = vec![Column::words("Target"), Column::numbers(&least(kind), "rate")];
    for count in &procs[1..] {
        let group = stats::description::processes(*count);
        columns
            .extend(["rate", "speed-up", "efficiency"].map(|head| Column::numbers(&group, head)));
    }
    let mut rows = Vec::new();
    for one in kind {
        rows.push(Row::title(format!("{}, {}", name(one, kind), one.unit)));
        rows.extend(one.targets.iter().map(row));
    }
    Table {
        caption: format!("Rates over process counts, compared with {}", least(kind)),
        columns,
        rows,
        footnotes: vec![format!(
            "Speed-up: the rate relative to that with the fewest processes, on the same target in \
             the same blocks, with its 95 % interval; the rates shown are over all valid blocks \
             of each count, so their quotient may differ. Efficiency: speed-up divided by the \
             increase in processes; {}.",
            sharing(procs, dataset)
        )],
    }
}

/// Processors of the machine, where one did it all.
fn cpus(dataset: &Dataset) -> Option<u32> {
    let facts = &dataset.campaign.environment.0;
    let is_one = !facts.keys().any(|key| key.starts_with("host."));
    facts.get("cpu.count").filter(|_| is_one).and_then(|count| count.parse().ok())
}

/// What keeps the efficiency below 100 % whatever the file system does, with the figure where one machine did it all.
fn sharing(procs: &[u32], dataset: &Dataset) -> String {
    let most = procs.last().copied().unwrap_or_default();
    match cpus(dataset) {
        Some(count) if procs[0] <= count && count < most => format!(
            "this machine has {count} processors, so {} that never wait reach about {:.0} %, and \
             more only if they wait for something",
            stats::description::processes(most),
            100.0 * f64::from(count) / f64::from(most)
        ),
        _ => "processes in excess of the processors share them".into(),
    }
}

fn row(target: &TargetScaling) -> Row {
    let mut cells = vec![Cell::plain(&target.target)];
    for (at, step) in target.steps.iter().enumerate() {
        let known = |text: fn(&Step) -> String| Cell::plain(step.as_ref().map_or("-".into(), text));
        cells.push(known(|step| number::value(step.value)));
        if at > 0 {
            let note = step.map_or_else(String::new, |step| number::interval(&step.speedup));
            cells.push(Cell { note, ..known(|step| number::ratio(step.speedup.point)) });
            cells.push(known(|step| format!("{:.0} %", 100.0 * step.efficiency)));
        }
    }
    Row::body(cells)
}

//! Shows how rates scale with processes: speed-up over the smallest count as lines next to the ideal, and in a table
//! with the efficiency. Not ranked.

use crate::{
    block::{Block, Cell, Column, LinePanel, Lines, Row, Span, Table},
    number,
    sections::Section,
};
use model::result::Dataset;
use stats::{
    description::{Scaling, Step, TargetScaling},
    evaluation::Findings,
};

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
        let of_kind = |kind: &Vec<&Scaling>| {
            [Block::Lines(lines(kind, findings)), Block::Behind(table(kind, dataset))]
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

fn lines(kind: &[&Scaling], findings: &Findings) -> Lines {
    let procs = &kind[0].procs;
    let panel = |one: &&Scaling| {
        let line = |label: &String| {
            let steps = one.targets.iter().find(|t| t.target == *label).map(|t| t.steps.as_slice());
            let span = |at: usize| steps.and_then(|steps| steps[at]).map(span);
            (0..procs.len()).map(span).collect()
        };
        LinePanel { name: name(one, kind), lines: findings.targets.iter().map(line).collect() }
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
        ideal: procs.iter().map(|count| f64::from(*count) / f64::from(procs[0].max(1))).collect(),
        panels: kind.iter().take(MOST_PANELS).map(panel).collect(),
    }
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

/// What keeps the efficiency below 100 % whatever the file system does, with the figure where one machine did it all.
fn sharing(procs: &[u32], dataset: &Dataset) -> String {
    let facts = &dataset.campaign.environment.0;
    let is_one = !facts.keys().any(|key| key.starts_with("host."));
    let count = facts.get("cpu.count").filter(|_| is_one).and_then(|count| count.parse().ok());
    let most = procs.last().copied().unwrap_or_default();
    match count {
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

//! Every group of tests on a line for each candidate, its process counts side by side.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::{Brief, Section, ratios},
};
use model::{result::Dataset, workload::Group};
use stats::{description::Footer, evaluation::Findings};
use std::collections::BTreeSet;

pub(crate) struct Overview;

impl Section for Overview {
    fn title(&self) -> &'static str {
        "Overview"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let head = if findings.targets.len() > 1 { "ratio" } else { "value" };
        Some(vec![Block::Table(table(findings, usize::MAX, head)?)])
    }

    fn brief(&self, _: &Dataset, findings: &Findings, brief: Brief) -> Option<Vec<Block>> {
        let rows = brief.rows;
        Some(vec![Block::Table(table(findings, rows, "").filter(|_| rows > 0)?)])
    }
}

/// A table of `most` rows or less: of each group as many of the best candidates as fit, or, where even one of each
/// does not, of the first groups one. `head` is under each process count. `None` where there is nothing to
/// sum up.
fn table(findings: &Findings, most: usize, head: &str) -> Option<Table> {
    if !findings.is_of_campaign() || findings.tables.is_empty() {
        return None;
    }
    let labels = shown(findings);
    let is_there = |g: &Group| g.is_scored() && findings.tables.iter().any(|t| t.group == *g);
    let groups: Vec<Group> = Group::ALL.into_iter().filter(is_there).collect();
    if groups.is_empty() {
        return None;
    }
    let each = (most / groups.len().max(1)).clamp(1, labels.len().max(1));
    let counts: BTreeSet<u32> = findings.tables.iter().map(|table| table.procs).collect();
    let rows: Vec<Row> = groups
        .iter()
        .flat_map(|group| labels.iter().take(each).map(move |label| (*group, *label)))
        .take(most)
        .map(|(group, label)| row(findings, (group, label), &counts))
        .collect();
    let left_out = groups.len() * labels.len() - rows.len();
    let of_counts =
        counts.iter().map(|n| Column::numbers(&stats::description::processes(*n), head));
    let key = Column::words("Group: target");
    Some(Table {
        caption: caption(findings, left_out),
        columns: std::iter::once(key).chain(of_counts).collect(),
        rows,
        footnotes: Vec::new(),
    })
}

fn caption(findings: &Findings, left_out: usize) -> String {
    let what = match findings.targets.len() {
        1 => "Geometric means of the values".to_string(),
        _ => format!("Geometric means of the ratios over {}", names::baseline(findings)),
    };
    let more = match left_out {
        0 => String::new(),
        1 => "; 1 more line".into(),
        n => format!("; {n} more lines"),
    };
    format!("{what}, by group{more}")
}

/// The candidates in the order of the verdict, without the baseline, of which all ratios are 1; with it where it is
/// alone. What was not compared comes last.
fn shown(findings: &Findings) -> Vec<&str> {
    let ranked = findings.verdict.candidates.iter().map(|candidate| candidate.target.as_str());
    let mut labels: Vec<&str> = ranked.collect();
    let others: Vec<&str> =
        findings.targets.iter().map(String::as_str).filter(|l| !labels.contains(l)).collect();
    labels.extend(others);
    if labels.len() > 1 {
        labels.retain(|label| *label != findings.baseline);
    }
    labels
}

fn row(findings: &Findings, (group, label): (Group, &str), counts: &BTreeSet<u32>) -> Row {
    let cell = |procs: &u32| {
        let table = findings.tables.iter().find(|t| t.group == group && t.procs == *procs);
        let footer = table.and_then(|t| t.footers.iter().find(|f| f.target == label));
        footer.map_or_else(|| Cell::plain("-"), |footer| sum(footer, findings, table))
    };
    let key = Cell::plain(format!("{}: {label}", group.title()));
    Row::body(std::iter::once(key).chain(counts.iter().map(cell)))
}

/// The ratio over the baseline, or of a target alone its value.
fn sum(footer: &Footer, findings: &Findings, table: Option<&stats::description::Table>) -> Cell {
    if findings.targets.len() > 1 {
        let dash = || Cell::plain("-");
        let worded = |ratio| ratios::worded(ratio, footer.comparison);
        return footer.ratio.as_ref().map_or_else(dash, worded);
    }
    let unit = table.and_then(|t| t.rows.first()).map_or("", |row| row.unit.as_str());
    let value = footer.geometric_mean.map(|v| format!("{} {unit}", number::value(v)));
    Cell::plain(value.unwrap_or_else(|| "-".into()))
}

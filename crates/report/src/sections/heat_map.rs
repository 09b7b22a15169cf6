//! Formats the cells of the overview: every test on every candidate on one screen, the ratio in words and colour. Each
//! cell links to its samples. Tests of a grid are in the map of that grid, which has fewer rows.

use crate::{
    block::{Block, Fill, HeatCell, HeatGroup, HeatMap, HeatRow},
    names, number,
    sections::{Section, cells, ratios},
    words::unscored,
};
use model::result::Dataset;
use stats::evaluation::Findings;
use std::collections::BTreeSet;

pub(crate) struct Heat;

impl Section for Heat {
    fn title(&self) -> &'static str {
        "Every test"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if !findings.is_of_campaign() || findings.targets.len() < 2 || findings.tables.is_empty() {
            return None;
        }
        let map = heat_map(dataset, findings);
        (!map.groups.is_empty()).then(|| vec![Block::HeatMap(map)])
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// Places of a row in the findings, one for each process count.
type Places = Vec<Option<(usize, usize)>>;

fn heat_map(dataset: &Dataset, findings: &Findings) -> HeatMap {
    let with_drawer = cells::chosen(dataset, findings);
    let counts: BTreeSet<u32> = findings.tables.iter().map(|table| table.procs).collect();
    let mut groups: Vec<(bool, HeatGroup)> = Vec::new();
    for (at, table) in findings.tables.iter().enumerate() {
        let is_scored = table.group.is_scored();
        let title = unscored::heading(table.group);
        if groups.iter().any(|(_, group)| group.title == title) {
            continue;
        }
        let rows = rows(findings, at, &counts)
            .into_iter()
            .map(|(name, places)| row(name, &places, findings, &with_drawer));
        let rows: Vec<HeatRow> = rows.collect();
        groups.extend((!rows.is_empty()).then_some((is_scored, HeatGroup { title, rows })));
    }
    // What is not scored comes last, so that it is not mistaken for the answer.
    groups.sort_by_key(|(is_scored, _)| !is_scored);
    HeatMap {
        caption: format!(
            "Ratio over {}: blue is better, orange worse, hatched unclear, plain not scored",
            names::baseline(findings)
        ),
        head: "Test".into(),
        candidates: findings.targets.iter().skip(1).cloned().collect(),
        procs: counts.iter().map(|procs| stats::description::processes(*procs)).collect(),
        groups: groups.into_iter().map(|(_, group)| group).collect(),
        is_computed: true,
    }
}

/// Name and places of every test in the group of the table at `first`, whatever process counts it has.
fn rows(findings: &Findings, first: usize, counts: &BTreeSet<u32>) -> Vec<(String, Places)> {
    let group = findings.tables[first].group;
    let mut rows: Vec<(&str, String, Places)> = Vec::new();
    for (table_at, table) in findings.tables.iter().enumerate().filter(|(_, t)| t.group == group) {
        let column = counts.iter().position(|procs| *procs == table.procs);
        let alone = table.rows.iter().enumerate().filter(|(_, row)| row.grid.is_none());
        for (row_at, row) in alone {
            let known = rows.iter().position(|(test, ..)| *test == row.test);
            let at = known.unwrap_or_else(|| {
                rows.push((&row.test, names::of_row(row, table), vec![None; counts.len()]));
                rows.len() - 1
            });
            if let Some(column) = column {
                rows[at].2[column] = Some((table_at, row_at));
            }
        }
    }
    rows.into_iter().map(|(_, name, places)| (name, places)).collect()
}

fn row(
    name: String,
    places: &Places,
    findings: &Findings,
    with_drawer: &BTreeSet<(usize, usize)>,
) -> HeatRow {
    let cell = |candidate: usize, place: &Option<(usize, usize)>| match *place {
        Some((table, row)) => {
            let drawer =
                with_drawer.contains(&(table, row)).then(|| cells::anchor(findings, (table, row)));
            let table = &findings.tables[table];
            let cell = heat(&table.rows[row], candidate, findings, drawer);
            match table.group.is_scored() {
                true => cell,
                false => HeatCell { fill: Fill::Empty, word: String::new(), ..cell },
            }
        }
        None => HeatCell::empty("-"),
    };
    let candidates = 1..findings.targets.len();
    let cells = candidates.flat_map(|candidate| places.iter().map(move |place| (candidate, place)));
    HeatRow { name, cells: cells.map(|(candidate, place)| cell(candidate, place)).collect() }
}

/// A cell with its ratio, its word, what is to be said against it and, where there are samples on the page, the anchor
/// of their drawer.
pub(super) fn heat(
    row: &stats::description::Row,
    candidate: usize,
    findings: &Findings,
    drawer: Option<String>,
) -> HeatCell {
    let cell = &row.cells[candidate];
    let Some(ratio) = &cell.ratio else {
        // Without a value of the baseline there is no ratio either.
        let text = cell.value.map_or_else(|| ratios::absence(cell, findings), |_| "-");
        return HeatCell { drawer, told: told(cell, row, findings), ..HeatCell::empty(text) };
    };
    let judged = ratios::worded(ratio, cell.comparison);
    let fill = match (judged.shade, cell.comparison) {
        _ if row.is_short() => Fill::Empty,
        (Some(shade), _) => Fill::Decided(shade),
        (None, Some(open)) if open.is_open() => Fill::Unclear,
        _ => Fill::Empty,
    };
    let note = note(cell, row, findings);
    let told = told(cell, row, findings);
    HeatCell { text: judged.text, word: judged.word, note, fill, drawer, told }
}

/// What a cell is, in the words of its drawer: `xfs. MB/s: 1290; over ext4: 1.24 1.21-1.27; blocks: 5`.
fn told(
    cell: &stats::description::Cell,
    row: &stats::description::Row,
    findings: &Findings,
) -> String {
    let value = ratios::value(cell, "", findings).text;
    let ratio = cell.ratio.as_ref().map_or_else(String::new, |ratio| {
        let interval = number::span_of(ratio).map_or_else(String::new, |span| format!(" {span}"));
        format!("; over {}: {}{interval}", findings.baseline, number::ratio(ratio.point))
    });
    let blocks = if cell.comparison.is_some() { cell.pairs } else { cell.n };
    format!("{}. {}: {value}{ratio}; blocks: {blocks}", cell.target, row.unit)
}

/// Of every cell that has any, by the places of its table, its row and its column: what is to be said against its
/// ratio, or why there is none.
pub(crate) fn notes_of_cells(findings: &Findings) -> Vec<(usize, usize, usize, Vec<String>)> {
    let mut all = Vec::new();
    for (at, table) in findings.tables.iter().enumerate() {
        for (own, row) in table.rows.iter().enumerate() {
            let notes = row.cells.iter().map(|cell| match cell.value {
                Some(_) => marks(cell, row, findings),
                None => vec![ratios::absence(cell, findings).to_string()],
            });
            let told = notes.enumerate().filter(|(_, notes)| !notes.is_empty());
            all.extend(told.map(|(column, notes)| (at, own, column, notes)));
        }
    }
    all
}

/// The caveats on the ratio of a cell: its blocks where they are not all, then what is said of its own value, then what
/// else of that of the baseline: `n=7 short baseline noisy`.
fn note(
    cell: &stats::description::Cell,
    row: &stats::description::Row,
    findings: &Findings,
) -> String {
    let mut own = marks(cell, row, findings);
    let mut more = marks(&row.cells[0], row, findings);
    let counts = |mark: &String| mark.starts_with("n=");
    let is_less = own.iter().chain(&more).any(counts);
    own.retain(|mark| !counts(mark));
    // How much was left to either sync explains their ratio.
    let is_new = |mark: &String| {
        mark.starts_with("left ") || own.iter().all(|known| kind(known) != kind(mark))
    };
    more.retain(|mark| !counts(mark) && is_new(mark));
    if is_less {
        own.insert(0, format!("n={}", cell.pairs));
    }
    own.extend((!more.is_empty()).then(|| format!("baseline {}", more.join(" "))));
    own.join(" ")
}

/// A mark without its figure.
fn kind(mark: &str) -> &str {
    mark.split(|c: char| c == '=' || c.is_ascii_digit()).next().unwrap_or_default()
}

/// What makes a value less than others, in a row that may be short as a whole.
fn marks(
    cell: &stats::description::Cell,
    row: &stats::description::Row,
    findings: &Findings,
) -> Vec<String> {
    let own = ratios::marks(cell, findings).concat();
    let short = row.is_short() && !cell.short;
    short.then(|| "short".into()).into_iter().chain(own).collect()
}

//! IOPS by block size and threads, as studies of file systems print them: for each pattern a map of the ratios, which
//! target leads where, then the figures of each target.

mod order;

use crate::{
    block::{Block, Cell, Column, HeatCell, HeatGroup, HeatMap, HeatRow, Row, Shade, Table},
    names, number,
    sections::{
        Section,
        cells::{self, CellPosition},
        heat_map, ratios,
    },
};
use model::{
    result::Dataset,
    text::{Bytes, counted},
    workload::Group,
};
use stats::{description::Comparison, evaluation::Findings};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Matrix;

/// The rows of one grid of a suite at one process count, by block size and threads.
#[derive(Default)]
struct Grid<'a> {
    /// Test type, e.g. `random read`.
    title: String,
    /// Unit of all figures.
    unit: String,
    suite: String,
    /// The group of its tables.
    group: Option<Group>,
    cells: BTreeMap<(u64, u32), &'a stats::description::Row>,
    /// Where the rows are found in the findings.
    places: BTreeMap<(u64, u32), CellPosition>,
}

impl Section for Matrix {
    fn title(&self) -> &'static str {
        "Matrix"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let mut blocks = Vec::new();
        let with_drawer = cells::chosen(dataset, findings);
        let grids = grids(findings);
        for (&(_, procs), grid) in &grids {
            let together = if procs == 1 {
                ""
            } else {
                &format!(", {}", stats::description::processes(procs))
            };
            blocks.push(Block::Heading(format!("{}{together}", grid.title)));
            blocks.extend(map(grid, findings, &with_drawer).map(Block::HeatMap));
            if grid.cells.values().any(|row| row.lead.is_some()) {
                blocks.push(Block::Table(leads(grid)));
            }
            let columns = 0..findings.targets.len();
            let tables = columns.filter_map(|column| figures(grid, column, findings));
            blocks.extend(tables.map(Block::Table));
        }
        let orders = order::tables(&grids, findings);
        if !orders.is_empty() {
            blocks.push(Block::Heading("Random versus sequential".into()));
            blocks.extend(orders.into_iter().map(Block::Table));
        }
        (!blocks.is_empty()).then_some(blocks)
    }
}

/// Every grid, in the order of its first table.
fn grids(findings: &Findings) -> BTreeMap<(usize, u32), Grid<'_>> {
    let mut order: Vec<(&str, &str)> = Vec::new();
    let mut grids: BTreeMap<(usize, u32), Grid<'_>> = BTreeMap::new();
    for (table_at, table) in findings.tables.iter().enumerate() {
        for (row_at, row) in table.rows.iter().enumerate() {
            let Some(cell) = &row.grid else { continue };
            let name = (row.suite.as_str(), cell.grid.as_str());
            let place = order.iter().position(|known| *known == name).unwrap_or_else(|| {
                order.push(name);
                order.len() - 1
            });
            let grid = grids.entry((place, table.procs)).or_default();
            grid.title = ratios::sentence_case(&row.testtype);
            grid.unit.clone_from(&row.unit);
            grid.suite.clone_from(&row.suite);
            grid.group = Some(table.group);
            grid.cells.insert((cell.block_bytes, cell.threads), row);
            grid.places.insert((cell.block_bytes, cell.threads), (table_at, row_at));
        }
    }
    grids
}

/// The ratio of every candidate over the baseline; `None` where there is none.
fn map(
    grid: &Grid<'_>,
    findings: &Findings,
    with_drawer: &BTreeSet<CellPosition>,
) -> Option<HeatMap> {
    let has_ratio =
        |row: &stats::description::Row| row.cells.iter().any(|cell| cell.ratio.is_some());
    if !grid.cells.values().any(|row| has_ratio(row)) {
        return None;
    }
    let (blocks, threads) = sides(grid);
    let cell = |key: (u64, u32), candidate: usize| match grid.cells.get(&key) {
        Some(row) => {
            let place = grid.places.get(&key).filter(|place| with_drawer.contains(place));
            let drawer = place.map(|place| cells::anchor(findings, *place));
            heat_map::heat(row, candidate, findings, drawer)
        }
        None => HeatCell::empty("-"),
    };
    let row = |block: &u64| {
        let candidates = 1..findings.targets.len();
        let keys = candidates.flat_map(|at| threads.iter().map(move |n| ((*block, *n), at)));
        let cells = keys.map(|(key, candidate)| cell(key, candidate)).collect();
        HeatRow { name: Bytes(*block).short(), cells }
    };
    let heads = threads.iter().map(|n| counted(*n, "thread", "threads"));
    Some(HeatMap {
        caption: format!(
            "{}: ratio over {}; blue is better, orange worse, hatched unclear",
            grid.title,
            names::baseline(findings)
        ),
        head: "Block".into(),
        candidates: findings.targets.iter().skip(1).cloned().collect(),
        procs: heads.collect(),
        groups: vec![HeatGroup { title: String::new(), rows: blocks.iter().map(row).collect() }],
        is_computed: false,
    })
}

/// Block sizes and numbers of threads.
fn sides(grid: &Grid<'_>) -> (BTreeSet<u64>, BTreeSet<u32>) {
    grid.cells.keys().copied().unzip()
}

fn leads(grid: &Grid<'_>) -> Table {
    let with_words =
        grid.cells.values().filter_map(|r| r.lead.as_ref()).any(|l| l.ratio.low.is_some());
    let none = "One run per cell: no ratio has an interval.";
    let words = "The best is selected as the best, so its ratio is likely overstated. ?: the 95 % \
                 interval of the ratio includes 1; contended: other processes used the machine.";
    Table {
        caption: format!("{}: which target leads, and by how much over the second", grid.title),
        footnotes: vec![if with_words { words } else { none }.into()],
        ..table(grid, |row| lead(row, with_words))
    }
}

fn lead(row: &stats::description::Row, with_word: bool) -> Cell {
    let Some(lead) = &row.lead else { return Cell::plain("-") };
    let word = match lead.comparison {
        open if open.is_open() => ratios::word(Some(open)),
        Comparison::Same => "same".into(),
        _ => String::new(),
    };
    let decided = matches!(lead.comparison, Comparison::Better);
    Cell {
        text: format!("{} {}", lead.target, number::ratio(lead.ratio.point)),
        word: if with_word { word } else { String::new() },
        note: number::interval(&lead.ratio),
        shade: decided.then(|| Shade::of_ratio(lead.ratio.point)),
        ..Cell::default()
    }
}

/// The figures of one target; `None` where it has none.
fn figures(grid: &Grid<'_>, column: usize, findings: &Findings) -> Option<Table> {
    let measured = |row: &&stats::description::Row| row.cells[column].value.is_some();
    grid.cells.values().any(measured).then(|| Table {
        caption: format!("{}, {}, {}", grid.title, findings.targets[column], grid.unit),
        ..table(grid, |row| ratios::value(&row.cells[column], "", findings))
    })
}

/// Block sizes down, threads across.
fn table(grid: &Grid<'_>, cell: impl Fn(&stats::description::Row) -> Cell) -> Table {
    let (blocks, threads) = sides(grid);
    let row = |block: &u64| {
        let at = |threads: &u32| {
            grid.cells.get(&(*block, *threads)).map_or_else(|| Cell::plain("-"), |row| cell(row))
        };
        let cells = std::iter::once(Cell::plain(Bytes(*block).short()));
        Row::body(cells.chain(threads.iter().map(at)))
    };
    let heads = threads.iter().map(|n| Column::numbers("threads", &n.to_string()));
    Table {
        columns: std::iter::once(Column::words("Block")).chain(heads).collect(),
        rows: blocks.iter().map(row).collect(),
        ..Table::default()
    }
}

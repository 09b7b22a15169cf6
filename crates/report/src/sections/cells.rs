//! Selects the cells that have a drawer with all their details. If a campaign has more samples than a page can hold,
//! only the tests with the largest differences and the most noise have one, and the section says so.

mod drawer;

pub(super) use drawer::limited;

use crate::{block::Block, sections::Section};
use model::result::{Dataset, Sample};
use stats::evaluation::Findings;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Samples in all drawers together: at some 250 bytes each they take a good half of a page of 1.5 MB.
const MOST_SAMPLES: usize = 3500;

/// Drawers up to which each has the curves of its latencies, some 2 kB a picture; those of more are under Latency
/// alone.
const MOST_WITH_CURVES: usize = 150;

pub(crate) struct Cells;

/// Table and row in the findings.
pub(super) type CellPosition = (usize, usize);

/// Samples of each test at each process count.
type ByCase<'d> = BTreeMap<(&'d str, u32), Vec<&'d Sample>>;

impl Section for Cells {
    fn title(&self) -> &'static str {
        "Samples"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let all: usize = findings.tables.iter().map(|table| table.rows.len()).sum();
        let chosen = chosen(dataset, findings);
        if chosen.is_empty() {
            return None;
        }
        let samples = by_case(dataset);
        let with_curves = chosen.len() <= MOST_WITH_CURVES;
        let mut blocks = vec![Block::Prose(introduction(dataset, chosen.len(), all))];
        let mut group = None;
        for place in chosen {
            let own = findings.tables[place.0].group;
            if group.replace(own) != Some(own) {
                blocks.push(Block::Heading(own.title().into()));
            }
            blocks.push(Block::Drawer(drawer::drawer(
                dataset,
                findings,
                place,
                &samples,
                with_curves,
            )));
        }
        Some(blocks)
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// Where the samples of a row are found in the page: classes differ in lab and in what a sync promises.
pub(super) fn anchor(findings: &Findings, (table, row): CellPosition) -> String {
    format!("{}-{table}-{row}", anchors(findings))
}

/// What the places of all rows of `findings` begin with.
pub(crate) fn anchors(findings: &Findings) -> String {
    format!("s-{}-{}", findings.lab.as_str(), findings.durability.as_str()).replace(' ', "-")
}

/// The rows that have a drawer: all, or those with the largest differences and the most noise. None of a
/// comparison, where two campaigns have blocks of the same numbers, and of an advice.
pub(super) fn chosen(dataset: &Dataset, findings: &Findings) -> BTreeSet<CellPosition> {
    if !findings.is_of_campaign() {
        return BTreeSet::new();
    }
    let mut count: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    for sample in &dataset.samples {
        *count.entry((&sample.case.test, sample.case.procs)).or_default() += 1;
    }
    let mut rows: Vec<(u64, CellPosition, usize)> = Vec::new();
    for (at, table) in findings.tables.iter().enumerate() {
        rows.extend(table.rows.iter().enumerate().map(|(row_at, row)| {
            let samples = count.get(&(row.test.as_str(), table.procs)).copied().unwrap_or_default();
            (interest(row), (at, row_at), samples)
        }));
    }
    rows.sort_by_key(|(interest, place, _)| (Reverse(*interest), *place));
    let mut room = MOST_SAMPLES;
    let fits = |(_, _, samples): &(u64, CellPosition, usize)| {
        let is_shown = *samples <= room;
        room = room.saturating_sub(*samples);
        is_shown
    };
    rows.into_iter().take_while(fits).map(|(_, place, _)| place).collect()
}

/// How far a row is from "all the same, and quiet": the largest logarithm of a ratio or variation between blocks, in
/// millionths.
fn interest(row: &stats::description::Row) -> u64 {
    let of = |cell: &stats::description::Cell| {
        let ratio = cell.ratio.as_ref().map_or(0.0, |ratio| ratio.point.ln().abs());
        ratio.max(cell.cv.unwrap_or_default())
    };
    (1e6 * row.cells.iter().map(of).fold(0.0, f64::max)) as u64
}

fn introduction(dataset: &Dataset, shown: usize, all: usize) -> String {
    let what = "The samples of each cell. Dots are samples in order of time, relative to the mean \
                of their candidate; crosses are excluded from means.";
    match shown < all {
        true => format!(
            "{what} {shown} of {all} tests are shown, those with the largest differences and the \
             most noise; for the others, run `assay export {}`",
            dataset.campaign.id
        ),
        false => what.into(),
    }
}

fn by_case(dataset: &Dataset) -> ByCase<'_> {
    let mut all = ByCase::new();
    for sample in &dataset.samples {
        all.entry((&sample.case.test, sample.case.procs)).or_default().push(sample);
    }
    all.values_mut().for_each(|own| own.sort_by_key(|sample| (sample.block, sample.position)));
    all
}

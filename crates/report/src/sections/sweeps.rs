//! Shows the effect of options: one table per sweep, variants against the default, by size of the effect.

mod lines;

use crate::{
    block::{Block, Cell, Column, Row, Table},
    flat, names, number,
    sections::{Section, ratios},
};
use model::{result::Dataset, target::LeftOut};
use stats::{
    evaluation::Findings,
    tuning::{Affected, SweepEffects, VariantEffect},
};

pub(crate) struct Sweeps;

impl Section for Sweeps {
    fn title(&self) -> &'static str {
        "Options"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if findings.sweeps.is_empty() || !findings.is_of_campaign() {
            return None;
        }
        Some(findings.sweeps.iter().flat_map(|sweep| blocks(sweep, dataset, findings)).collect())
    }
}

fn blocks(sweep: &SweepEffects, dataset: &Dataset, findings: &Findings) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        lines::of(sweep, dataset).into_iter().map(|own| flat::drawn(own, findings.band)).collect();
    if !sweep.variants.is_empty() {
        blocks.push(Block::Table(effects(sweep)));
    }
    if !sweep.unmeasured.is_empty() {
        blocks.push(Block::Prose(not_compared(sweep, findings)));
    }
    if !sweep.left_out.is_empty() {
        blocks.push(Block::Table(left_out(sweep)));
    }
    blocks
}

fn effects(sweep: &SweepEffects) -> Table {
    let row = |variant: &VariantEffect| {
        let verdict = Some(variant.comparison);
        let word = ratios::starred(ratios::word(verdict), verdict, variant.holm);
        let cells = vec![
            Cell::plain(&sweep.default),
            Cell::plain(&variant.target),
            ratios::judged(&variant.ratio, verdict, word),
            Cell::plain(most_affected(variant)),
        ];
        Row::body(cells)
    };
    Table {
        caption: format!(
            "{}: variants against the default over {} of {} cells and {}, all groups of tests \
             weighted equally",
            sweep.sweep,
            sweep.cells,
            sweep.of_cells,
            names::blocks(sweep.blocks)
        ),
        columns: vec![
            Column::words("Default"),
            Column::words("Variant"),
            Column::numbers("", "Ratio"),
            Column::words("Most affected tests"),
        ],
        rows: sweep.variants.iter().map(row).collect(),
        footnotes: vec![
            "* significant among all variants of the table (Holm, 5 %). The tests named are the \
             largest gain and the largest loss of many, so their ratios exaggerate."
                .into(),
        ],
    }
}

/// The largest gain and the largest loss, the larger of them first.
fn most_affected(variant: &VariantEffect) -> String {
    let mut affected: Vec<&Affected> = variant.gain.iter().chain(&variant.loss).collect();
    let size = |affected: &Affected| affected.cell.ratio.point.ln().abs();
    affected.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let said = |affected: &&Affected| {
        let cell = &affected.cell;
        let word = ratios::word(Some(affected.comparison));
        format!(
            "{}, {}: {} {word}",
            cell.name,
            stats::description::processes(cell.procs),
            number::ratio(cell.ratio.point)
        )
    };
    affected.iter().map(said).collect::<Vec<_>>().join("; ")
}

/// Which variants are not in the table, and what failed.
fn not_compared(sweep: &SweepEffects, findings: &Findings) -> String {
    let mut text = format!("Not compared with {}: {}.", sweep.default, sweep.unmeasured.join(", "));
    for label in std::iter::once(&sweep.default).chain(&sweep.unmeasured) {
        if let Some(why) = findings.failure_of(label) {
            text += &format!(" {label} failed: {}.", why.trim_end_matches('.'));
        }
    }
    text
}

fn left_out(sweep: &SweepEffects) -> Table {
    let row =
        |left: &LeftOut| Row::body([Cell::plain(left.variant.to_string()), Cell::plain(&left.why)]);
    Table {
        caption: format!("{}: impossible variants", sweep.sweep),
        columns: vec![Column::words("Left out"), Column::words("Why")],
        rows: sweep.left_out.iter().map(row).collect(),
        footnotes: Vec::new(),
    }
}

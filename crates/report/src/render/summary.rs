//! The short form: the answer on one screen. Every section that belongs to it is given as many rows as let all of
//! them fit.

use super::{
    assembled,
    terminal::render,
    terminal_text::{TerminalOptions, at_least, strong, wrap},
    title,
};
use crate::{
    Commands,
    block::Block,
    sections::{Brief, SECTIONS, Section},
};
use model::{result::Dataset, text::printable};
use stats::evaluation::Findings;

/// Lines of the short form.
const MOST_LINES: usize = 40;
/// Rows that a table gets where there is room.
const MOST_ROWS: usize = 24;
/// Notes on the campaign where there is room.
const MOST_NOTES: usize = 4;

/// The answer in at most 40 lines of a terminal: the verdict, what it reaches, what would settle it, the candidates,
/// each group of tests, where the leaders differ, what was left out. `closing` says where the rest is.
pub fn summary(
    dataset: &Dataset,
    findings: &Findings,
    commands: &Commands,
    options: &TerminalOptions,
    closing: &str,
) -> String {
    let options = at_least(options);
    let closing = commands.of(dataset).completed(closing).into_owned();
    let closing = wrap(&printable(&closing), options.width);
    let room = MOST_LINES.saturating_sub(closing.lines().count());
    let brief = |brief| body((dataset, findings), commands, options, brief);
    let with = |rows| brief(Brief { rows, notes: MOST_NOTES });
    let fits = |body: &str| body.lines().count() <= room;
    // By halving, as each try builds all of it.
    let tries: Vec<usize> = (1..=MOST_ROWS).collect();
    let whole = with(tries.partition_point(|rows| fits(&with(*rows))));
    if fits(&whole) {
        return whole + &closing;
    }
    // Candidates come before notes on the campaign.
    let short = |notes| brief(Brief { rows: 0, notes });
    if let Some(fitting) = (0..MOST_NOTES).rev().map(short).find(|body| fits(body)) {
        return fitting + &closing;
    }
    // The rest of the prose alone is longer.
    let least = short(0);
    let cut = least.lines().take(room.saturating_sub(1)).map(|line| format!("{line}\n"));
    cut.chain(["…\n".to_string(), closing]).collect()
}

/// All of it but the closing, each section with as much as `brief` says.
fn body(
    found: (&Dataset, &Findings),
    commands: &Commands,
    options: TerminalOptions,
    brief: Brief,
) -> String {
    let build = |s: &dyn Section, data: &Dataset, found: &Findings| s.brief(data, found, brief);
    let sections = assembled(found, commands, SECTIONS, &build);
    let mut out = strong(&wrap(&title(found.0), options.width), options);
    let mut apart = true;
    for block in sections.iter().flat_map(|own| &own.blocks) {
        // Air around tables alone: every line counts.
        let is_table = matches!(block, Block::Table(_) | Block::Behind(_));
        out.push_str(if apart || is_table { "\n" } else { "" });
        out.push_str(&render(block, options, &mut false));
        apart = is_table;
    }
    out + if apart { "\n" } else { "" }
}

//! The report for a terminal of a given width: words first, colour as an extra.

use super::{
    built, terminal_table,
    terminal_text::{TerminalOptions, at_least, strong, wrap},
    title,
};
use crate::{Commands, block::Block};
use model::result::Dataset;
use stats::evaluation::Findings;

/// The verdict, the ratio tables and what was invalid. Environment and method are left to the other
/// formats.
pub fn terminal(
    dataset: &Dataset,
    findings: &Findings,
    commands: &Commands,
    options: &TerminalOptions,
) -> String {
    let options = at_least(options);
    let mut out = strong(&wrap(&title(dataset), options.width), options);
    let mut notes_left_out = false;
    let chapters = built(dataset, findings, commands, |s| s.in_terminal());
    for block in chapters.iter().flat_map(|own| &own.blocks) {
        if block.is_drawing() {
            continue;
        }
        out.push('\n');
        out.push_str(&render(block, options, &mut notes_left_out));
    }
    if notes_left_out {
        let text = "At this width some tables omit intervals and notes; all other formats have \
                    them.";
        out.push('\n');
        out.push_str(&wrap(text, options.width));
    }
    out
}

/// One block; true is in `notes_left_out` afterwards when a table lost some.
pub(super) fn render(block: &Block, options: TerminalOptions, notes_left_out: &mut bool) -> String {
    match block {
        Block::Heading(text) | Block::Callout(text) => strong(&wrap(text, options.width), options),
        Block::Prose(text) => wrap(text, options.width),
        Block::Signs(signs) => wrap(&signs.text(), options.width),
        Block::Chart(_)
        | Block::Scatter(_)
        | Block::Bars(_)
        | Block::TimeSeries(_)
        | Block::Lines(_)
        | Block::Timeline(_)
        | Block::Forest(_)
        | Block::HeatMap(_)
        | Block::Dots(_)
        | Block::Drawer(_) => String::new(),
        Block::Table(table) | Block::Behind(table) => {
            let notes = table.footnotes.iter().map(|note| wrap(note, options.width));
            let caption = strong(&wrap(&table.caption, options.width), options);
            let (pieces, shortened) = terminal_table::render(table, options);
            *notes_left_out |= shortened;
            [caption, pieces.join("\n")].into_iter().chain(notes).collect()
        }
    }
}

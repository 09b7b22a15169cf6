//! The report for a terminal of a given width: words first, colour as an extra.

use super::{built, terminal_table, title};
use crate::block::Block;
use model::{Dataset, is_unprintable};
use stats::Findings;

/// Narrower terminals are written to as if they had this many columns.
const LEAST_WIDTH: usize = 40;

/// How to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalOptions {
    /// Columns of the terminal.
    pub width: usize,
    /// Shade ratios with ANSI colours.
    pub color: bool,
}

impl Default for TerminalOptions {
    fn default() -> TerminalOptions {
        TerminalOptions { width: 120, color: false }
    }
}

/// The call, the ratio tables and what was invalid. Environment and method are left to the other
/// formats.
pub fn terminal(dataset: &Dataset, findings: &Findings, options: &TerminalOptions) -> String {
    let options = at_least(options);
    let mut out = strong(&wrap(&title(dataset), options.width), options);
    let mut notes_left_out = false;
    for block in built(dataset, findings, |s| s.in_terminal()).iter().flat_map(|(_, b)| b) {
        if block.is_drawing() {
            continue;
        }
        out.push('\n');
        out.push_str(&render(block, options, &mut notes_left_out));
    }
    if notes_left_out {
        let text = "At this width intervals and notes are left out of some tables; every format but \
                    this one has them.";
        out.push('\n');
        out.push_str(&wrap(text, options.width));
    }
    out
}

/// The options of a terminal that is not too narrow for anything.
pub(super) fn at_least(options: &TerminalOptions) -> TerminalOptions {
    TerminalOptions { width: options.width.max(LEAST_WIDTH), ..*options }
}

/// One block; true stands in `notes_left_out` afterwards when a table lost some.
pub(super) fn render(block: &Block, options: TerminalOptions, notes_left_out: &mut bool) -> String {
    match block {
        Block::Heading(text) | Block::Callout(text) => strong(&wrap(text, options.width), options),
        Block::Prose(text) => wrap(text, options.width),
        Block::Chart(_)
        | Block::Scatter(_)
        | Block::Courses(_)
        | Block::Forest(_)
        | Block::HeatMap(_)
        | Block::Dots(_)
        | Block::Drawer(_) => String::new(),
        Block::Table(table) => {
            let notes = table.footnotes.iter().map(|note| wrap(note, options.width));
            let caption = strong(&wrap(&table.caption, options.width), options);
            let (pieces, shortened) = terminal_table::render(table, options);
            *notes_left_out |= shortened;
            [caption, pieces.join("\n")].into_iter().chain(notes).collect()
        }
    }
}

pub(super) fn strong(lines: &str, options: TerminalOptions) -> String {
    if !options.color {
        return lines.to_string();
    }
    lines.lines().map(|line| format!("\x1b[1m{line}\x1b[0m\n")).collect()
}

/// Lines of at most `width` characters, broken at spaces; a longer word is broken inside.
pub(super) fn wrap(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in text.split_whitespace().flat_map(|word| chunks(&printable(word), width)) {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            out.push('\n');
            used = 0;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(&word);
        used += length;
    }
    out + "\n"
}

/// `text` in pieces of at most `width` characters.
pub(super) fn chunks(text: &str, width: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(width).map(|chunk| chunk.iter().collect()).collect()
}

/// `text` on one line. What would command a terminal was [made harmless](super::clean) before.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|&c| !is_unprintable(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_broken_at_spaces_and_long_words_inside() {
        assert_eq!(wrap("one two three", 8), "one two\nthree\n");
        assert_eq!(wrap("abcdefghijkl mn", 5), "abcde\nfghij\nkl mn\n");
        assert_eq!(wrap("a\x1b[31mred", 20), "a[31mred\n");
    }
}

//! Text on a terminal of a given width: paragraphs, and what stands out.

use model::text::{is_unprintable, pieces};

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

/// The options of a terminal that is not too narrow for anything.
pub(super) fn at_least(options: &TerminalOptions) -> TerminalOptions {
    TerminalOptions { width: options.width.max(LEAST_WIDTH), ..*options }
}

pub(super) fn strong(lines: &str, options: TerminalOptions) -> String {
    if !options.color {
        return lines.to_string();
    }
    lines.lines().map(|line| format!("\x1b[1m{line}\x1b[0m\n")).collect()
}

/// Lines of at most `width` characters, broken at spaces. A longer word is broken inside, but no command.
pub(super) fn wrap(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    let parts = |piece: &str| match printable(piece) {
        command if command.contains('`') => vec![command],
        word => chunks(&word, width),
    };
    for word in pieces(text).filter(|piece| !piece.is_empty()).flat_map(parts) {
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

    #[test]
    fn command_that_is_to_be_pasted_is_on_one_line() {
        assert_eq!(wrap("To repeat it: `assay run a`.", 12), "To repeat\nit:\n`assay run a`.\n");
    }
}

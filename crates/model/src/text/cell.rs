//! A text as a cell of a table that a spreadsheet may open. Spreadsheets compute what begins with `=`,
//! `+`, `-` or `@`, regardless of its origin; after an apostrophe it is text. Numbers are not guarded.

use std::borrow::Cow;

/// `text`, behind an apostrophe where a spreadsheet would compute it. [`unguarded`] gives it back.
pub fn guarded(text: &str) -> Cow<'_, str> {
    if begins_formula(text) { format!("'{text}").into() } else { text.into() }
}

/// The text of a cell that [`guarded`] gave.
pub fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if begins_formula(text) => text,
        _ => cell,
    }
}

/// Apostrophes before the formula count as part of the text, so that each of them comes back.
fn begins_formula(text: &str) -> bool {
    let formula = ['=', '+', '-', '@', '\t', '\r', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    text.trim_start_matches('\'').starts_with(formula)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_stand_behind_an_apostrophe() {
        assert_eq!(guarded("=HYPERLINK(\"x\")"), "'=HYPERLINK(\"x\")");
        assert_eq!(guarded("'=1"), "''=1");
        for text in ["ext4", "", "'", "it's", "1-2"] {
            assert_eq!(guarded(text), text);
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in "'{0,3}[=+@\t-]?.{0,8}") {
            let cell = guarded(&text).into_owned();
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{}", cell);
            prop_assert_eq!(unguarded(&cell), text);
        }
    }
}

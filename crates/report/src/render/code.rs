//! Shows commands within a text as code.

use maud::{Markup, html as markup};

/// Characters of a command that is not broken at its hyphens: as many as the narrowest screen holds.
const UNBROKEN: usize = 32;

/// The parts of `text`, each with whether it is between backquotes; all of it is one where one quote is alone.
pub(super) fn parts(text: &str) -> Vec<(bool, &str)> {
    match text.matches('`').count().is_multiple_of(2) {
        true => text.split('`').enumerate().map(|(at, part)| (at % 2 == 1, part)).collect(),
        false => vec![(false, text)],
    }
}

/// `text` with what is between backquotes as code.
pub(super) fn with_code(text: &str) -> Markup {
    markup! {
        @for (is_code, part) in parts(text) {
            @if is_code { code class=[(part.len() <= UNBROKEN).then_some("whole")] { (part) } } @else { (part) }
        }
    }
}

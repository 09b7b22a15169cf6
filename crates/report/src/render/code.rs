//! Shows commands within a text as code.

use maud::{Markup, html as markup};

/// Characters of a command that is not broken at its hyphens: as many as the narrowest screen holds.
const UNBROKEN: usize = 32;

/// `text` with what stands between backquotes as code.
pub(super) fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return markup! { (text) };
    }
    markup! {
        @for (at, part) in parts.into_iter().enumerate() {
            @if at % 2 == 1 { code class=[(part.len() <= UNBROKEN).then_some("whole")] { (part) } } @else { (part) }
        }
    }
}

//! Draws checks as a row of marks, each followed by its consequence; unfavourable ones are annotated.

use super::code::with_code;
use crate::block::{NOT_KNOWN, Sign, Signs};
use maud::{Markup, html as markup};

/// The question, a mark for each check, and all in words where it is opened.
pub(super) fn render(signs: &Signs) -> Markup {
    markup! {
        details class="signs" {
            summary {
                strong { (signs.question) }
                @for sign in &signs.signs { " " (mark(sign)) }
            }
            dl {
                @for sign in &signs.signs {
                    dt { (sign.name) }
                    dd { (with_code(&format!("{}: {}.", sign.found, sign.so_what))) }
                }
            }
        }
    }
}

/// Its colour, a sign for who sees no colour, and its name.
fn mark(sign: &Sign) -> Markup {
    let shape = match sign.is_good {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "?",
    };
    markup! {
        span class=(format!("sign {}", sign.answer())) title=(sign.so_what.replace('`', "")) {
            (shape) " " (sign.name) @if sign.is_good != Some(true) && sign.found != NOT_KNOWN { ": " (sign.found) }
        }
    }
}

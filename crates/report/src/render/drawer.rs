//! A drawer of the page: closed at first, opened by its line, by a link to it, and on paper.

use crate::block::{Block, Drawer};
use maud::{Markup, html as markup};

/// `render_block` writes what is in it. The place that links lead to lies inside, because a browser opens a drawer
/// for a link into it.
pub(super) fn render(drawer: &Drawer, render_block: impl Fn(&Block) -> Markup) -> Markup {
    markup! {
        details {
            summary { (drawer.title) }
            div id=(drawer.anchor) {
                @for block in &drawer.blocks { (render_block(block)) }
                @for (what, command) in &drawer.commands { p { (what) ": " code { (command) } } }
            }
        }
    }
}

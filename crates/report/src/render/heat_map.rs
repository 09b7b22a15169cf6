//! Renders the map of every test: a table with row and column headers, so that screen readers read it as one; each cell
//! has its ratio and its word, and links to its drawer.

use crate::block::{Fill, HeatCell, HeatMap, HeatRow};
use maud::{Markup, html as markup};

/// `class_of` gives the class of a step of shade; drawers are linked where `linked`.
pub(super) fn render(
    map: &HeatMap,
    linked: bool,
    class_of: impl Fn(crate::block::Shade) -> &'static str,
) -> Markup {
    let columns = 1 + map.candidates.len() * map.procs.len();
    markup! {
        div class="wide many" {
            table class="heat" {
                caption { (map.caption) }
                thead {
                    tr {
                        th scope="col" rowspan="2" { (map.head) }
                        @for name in &map.candidates { th scope="colgroup" colspan=(map.procs.len()) { (name) } }
                    }
                    tr { @for _ in &map.candidates { @for procs in &map.procs { th scope="col" class="n" { (procs) } } } }
                }
                @for group in &map.groups {
                    tbody {
                        @if !group.title.is_empty() {
                            tr { th scope="rowgroup" colspan=(columns) class="t" { (group.title) } }
                        }
                        @for row in &group.rows { (render_row(row, linked, &class_of)) }
                    }
                }
            }
        }
    }
}

fn render_row(
    row: &HeatRow,
    linked: bool,
    class_of: &impl Fn(crate::block::Shade) -> &'static str,
) -> Markup {
    markup! {
        tr {
            th scope="row" { (row.name) }
            @for cell in &row.cells {
                td class=(match cell.fill {
                    Fill::Decided(shade) => class_of(shade),
                    Fill::Unclear => "n u",
                    Fill::Empty => "n",
                }) {
                    @match cell.drawer.as_ref().filter(|_| linked) {
                        Some(anchor) => { a href=(format!("#{anchor}")) { (said(cell)) } }
                        None => { (said(cell)) }
                    }
                }
            }
        }
    }
}

fn said(cell: &HeatCell) -> Markup {
    markup! {
        (cell.text)
        @if !cell.word.is_empty() { " " b { (cell.word) } }
        @if !cell.note.is_empty() { " " small { (cell.note) } }
    }
}

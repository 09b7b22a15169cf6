//! Renders the map of every test: a table with row and column headers, so that screen readers read it as one; each cell
//! has its ratio and its word, and links to its drawer.

use super::stacked;
use crate::block::{Fill, HeatCell, HeatMap, HeatRow};
use maud::{Markup, html as markup};

/// How cells say what they are.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    /// By a link to their drawer, where they have one.
    pub(super) links: bool,
    /// In words, where they have no link.
    pub(super) words: bool,
}

/// `class_of` gives the class of a step of shade.
pub(super) fn render(
    map: &HeatMap,
    shown: Shown,
    class_of: impl Fn(crate::block::Shade) -> &'static str,
) -> Markup {
    let columns = 1 + map.candidates.len() * map.procs.len();
    let heads = map
        .candidates
        .iter()
        .flat_map(|name| map.procs.iter().map(move |procs| format!("{name} {procs}")));
    let heads = std::iter::once(map.head.clone()).chain(heads);
    markup! {
        div class=(format!("wide many {}", stacked::class(&lengths(map)))) {
            table class="heat" data-h=(stacked::heads(heads)) {
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
                        @for row in &group.rows { (render_row(row, shown, &class_of)) }
                    }
                }
            }
        }
    }
}

/// Characters of the longest word of each column.
fn lengths(map: &HeatMap) -> Vec<usize> {
    let rows = || map.groups.iter().flat_map(|group| &group.rows);
    let names = rows().map(|row| stacked::longest(&row.name)).max();
    let width = |cell: &HeatCell| {
        [&cell.text, &cell.word, &cell.note].map(|text| stacked::longest(text)).into_iter().max()
    };
    let figures = (0..map.candidates.len() * map.procs.len()).map(|at| {
        let head = map.procs.get(at % map.procs.len()).map(|head| stacked::longest(head));
        rows().filter_map(|row| width(row.cells.get(at)?)).chain(head).max().unwrap_or_default()
    });
    names.into_iter().chain(figures).collect()
}

fn render_row(
    row: &HeatRow,
    shown: Shown,
    class_of: &impl Fn(crate::block::Shade) -> &'static str,
) -> Markup {
    markup! {
        tr {
            th scope="row" { (row.name) }
            @for cell in &row.cells {
                @let link = cell.drawer.as_ref().filter(|_| shown.links);
                @let is_told = shown.words && link.is_none() && !cell.told.is_empty();
                td class=(match cell.fill {
                    Fill::Decided(shade) => class_of(shade),
                    Fill::Unclear => "n u",
                    Fill::Empty => "n",
                }) title=[is_told.then_some(&cell.told)] {
                    @match link {
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

//! Renders the report as one HTML file: no requests, readable in any browser without its script, in print and by a
//! screen reader.

use super::{
    Chapter, bars, built, chart, code::with_code, dots, drawer, forest, header, heat_map, legend,
    lines, scatter, script, signs, stacked, time_series, timeline, title,
};
use crate::{
    Commands,
    block::{Block, Cell, Column, HeatMap, Row, RowKind, Shade, Table},
};
use maud::{DOCTYPE, Markup, PreEscaped, html as markup};
use model::{result::Dataset, text::printable};
use stats::evaluation::Findings;

/// Size above which intervals and curves are left out, bytes.
const MOST_BYTES: usize = 1_500_000;

/// Columns above which a table scrolls in a window of its own.
const MOST_COLUMNS: usize = 7;

const STYLE: &str = include_str!("report.css");

/// How much of the report a page shows, so that it stays small.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// The samples.
    drawers: bool,
    /// What the script computes other choices from.
    logs: bool,
    /// Intervals and curves.
    notes: bool,
    /// Intervals of values, and what points of lines say.
    asides: bool,
    /// Whether the script has what it computes cells from.
    is_computed: bool,
}

/// The part of a campaign that is shown next to another one: samples and choices are in the page of each.
pub(super) const SIDE_BY_SIDE: Extent =
    Extent { drawers: false, logs: false, is_computed: false, ..Extent::WHOLE };

impl Extent {
    const WHOLE: Extent =
        Extent { asides: true, drawers: true, logs: true, notes: true, is_computed: true };

    /// All of it first.
    const ALL: [Extent; 5] = [
        Extent::WHOLE,
        Extent { asides: false, ..Extent::WHOLE },
        Extent { asides: false, drawers: false, ..Extent::WHOLE },
        Extent { asides: false, drawers: false, logs: false, ..Extent::WHOLE },
        Extent { asides: false, drawers: false, logs: false, notes: false, ..Extent::WHOLE },
    ];

    /// How cells of `map` say what they are.
    fn of_map(self, map: &HeatMap) -> heat_map::Shown {
        heat_map::Shown { links: self.drawers, words: !(self.is_computed && map.is_computed) }
    }

    /// What it leaves out, if anything.
    fn left_out(self) -> Option<&'static str> {
        match self {
            Extent { notes: false, .. } => Some("Samples, other baselines, intervals and curves"),
            Extent { logs: false, .. } => Some("Samples and other baselines"),
            Extent { drawers: false, .. } => Some("Samples"),
            Extent { asides: false, .. } => Some("Intervals of values"),
            Extent { asides: true, .. } => None,
        }
    }

    /// Whether it shows a section with these blocks.
    pub(super) fn has(self, blocks: &[Block]) -> bool {
        self.drawers || !blocks.iter().any(|block| matches!(block, Block::Drawer(_)))
    }
}

/// The whole report. A file above 1.5 MB is written again without intervals of values, then without its samples, then
/// without what other choices are computed from, then without other intervals and curves, and says so.
pub fn html(dataset: &Dataset, findings: &Findings, commands: &Commands) -> String {
    let chapters = with_tables_behind(built(dataset, findings, commands, |_| true));
    let logs = script::logs(dataset, findings, &commands.of(dataset));
    let mut text = String::new();
    for extent in Extent::ALL {
        let logs = logs.as_deref().filter(|_| extent.logs);
        // Of several classes the script has the first.
        let is_computed = logs.is_some() && findings.others.is_empty();
        let extent = Extent { is_computed, ..extent };
        text = page(dataset, findings, &chapters, (extent, logs)).into_string();
        if text.len() <= MOST_BYTES {
            break;
        }
    }
    text
}

/// The sections without one that is a table alone after a forest plot: its figures are those of the plot, and stand
/// behind that.
pub(super) fn with_tables_behind(chapters: Vec<Chapter>) -> Vec<Chapter> {
    let mut all: Vec<Chapter> = Vec::new();
    for mut chapter in chapters {
        match (all.last_mut(), chapter.blocks.as_mut_slice()) {
            (Some(before), [Block::Table(table)])
                if matches!(before.blocks.as_slice(), [Block::Forest(_)]) =>
            {
                before.blocks.push(Block::Behind(std::mem::take(table)));
            }
            _ => all.push(chapter),
        }
    }
    all
}

/// `logs` are what other choices are computed from.
fn page(
    dataset: &Dataset,
    findings: &Findings,
    chapters: &[Chapter],
    (extent, logs): (Extent, Option<&str>),
) -> Markup {
    let shown: Vec<_> = chapters.iter().filter(|chapter| extent.has(&chapter.blocks)).collect();
    let headings = shown.iter().map(|chapter| chapter.heading.as_str());
    let main = markup! {
        (contents(headings.chain([legend::HEADING])))
        @if let Some(what) = extent.left_out() {
            p { (what) " are omitted to keep this file small; they are in the CSV and the JSON." }
        }
        @for Chapter { heading, in_print, blocks } in shown {
            section id=(anchor(heading)) class=[(!in_print).then_some("more")] {
                h2 { (heading) }
                @for block in blocks { (render(block, extent)) }
            }
        }
        p class="short" {
            "Printed in short. The file has every test and sample: choose " b { "Print: everything" } " in it."
        }
        (legend::render(&anchor(legend::HEADING), findings.band, (extent.drawers, logs.is_some())))
    };
    let campaign = &dataset.campaign;
    let (version, id) = (printable(&campaign.assay_version), printable(&campaign.id));
    let footer = format!("assay {version}, campaign {id}");
    let (tab, lines) = (header::tab(dataset, findings), header::lines(dataset, findings));
    document((&title(dataset), &tab), &lines, &main, &footer, logs)
}

/// Links to the sections.
pub(super) fn contents<'h>(headings: impl Iterator<Item = &'h str>) -> Markup {
    markup! {
        nav aria-label="Sections" {
            @for heading in headings { a href=(format!("#{}", anchor(heading))) { (heading) } " " }
        }
    }
}

/// What the section called `heading` is linked by.
pub(super) fn anchor(heading: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("at-{}", heading.chars().map(letter).collect::<String>())
}

/// The file around `main`, with `lines` below its title, which the tab of a browser has as `tab`; `logs` are what the
/// script computes other choices from.
pub(super) fn document(
    (title, tab): (&str, &str),
    lines: &[String],
    main: &Markup,
    footer: &str,
    logs: Option<&str>,
) -> Markup {
    let (main, style) = stacked::shared(&main.0);
    markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(script::POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (tab) }
                style { (PreEscaped(STYLE)) (PreEscaped(style)) }
            }
            body {
                header {
                    h1 { (title) }
                    @for line in lines { p { (line) } }
                }
                main { (PreEscaped(main)) }
                footer { p { (footer) } }
                (script::render(logs))
            }
        }
    }
}

/// One block.
pub(super) fn render(block: &Block, extent: Extent) -> Markup {
    let notes = extent.notes;
    match block {
        Block::Heading(text) => markup! { h3 { (text) } },
        Block::Prose(text) => markup! { p { (with_code(text)) } },
        Block::Callout(text) => markup! { p class="call" { strong { (with_code(text)) } } },
        Block::Signs(signs) => signs::render(signs),
        Block::Table(table) => render_table(table, extent),
        Block::Behind(table) => markup! {
            details class="behind" { summary { "The figures as a table" } (render_table(table, extent)) }
        },
        Block::Forest(forest) => forest::render(forest),
        Block::Drawer(drawer) => drawer::render(drawer, |inner| render(inner, extent)),
        Block::HeatMap(map) if notes => heat_map::render(map, extent.of_map(map), class),
        Block::Chart(chart) if notes => chart::render(chart),
        Block::Scatter(scatter) if notes => scatter::render(scatter),
        Block::Bars(bars) if notes => bars::render(bars),
        Block::TimeSeries(series) if notes => time_series::render(series),
        Block::Dots(dots) if notes => dots::render(dots),
        Block::Lines(lines) if notes => lines::render(lines, extent.asides),
        Block::Timeline(timeline) if notes => timeline::render(timeline),
        Block::HeatMap(_) | Block::Chart(_) | Block::Scatter(_) => markup! {},
        Block::Bars(_) | Block::TimeSeries(_) | Block::Dots(_) | Block::Lines(_) => markup! {},
        Block::Timeline(_) => markup! {},
    }
}

fn render_table(table: &Table, extent: Extent) -> Markup {
    let grouped = table.columns.iter().any(|c| !c.group.is_empty());
    let many = if table.columns.len() > MOST_COLUMNS { " many" } else { "" };
    markup! {
        div class=(format!("wide{many} {}", stacked::class(&lengths(table, extent)))) {
            table data-h=(stacked::heads(table.columns.iter().map(whole_head))) {
                caption { (table.caption) }
                thead {
                    @if grouped { tr { (group_heads(&table.columns)) } }
                    tr {
                        @for column in &table.columns {
                            th scope="col" class=[column.numeric.then_some("n")] { (column.head) }
                        }
                    }
                }
                (bodies(table, extent))
            }
        }
        @for note in &table.footnotes { p class="note" { (note) } }
    }
}

/// The head of a column with that of its group.
fn whole_head(column: &Column) -> String {
    format!("{} {}", column.group, column.head).trim().into()
}

/// Characters of the longest word of each column.
fn lengths(table: &Table, extent: Extent) -> Vec<usize> {
    let shown = |cell: &Cell| {
        let asides = if extent.asides { &*cell.aside } else { "" };
        let notes = if extent.notes { &*cell.note } else { "" };
        [&*cell.text, &*cell.word, asides, notes].map(stacked::longest).into_iter().max()
    };
    let rows = || table.rows.iter().filter(|row| row.kind != RowKind::Title);
    let column = |(at, column): (usize, &Column)| {
        let cells = rows().filter_map(|row| shown(row.cells.get(at)?));
        cells.chain([stacked::longest(&column.head)]).max().unwrap_or_default()
    };
    table.columns.iter().enumerate().map(column).collect()
}

fn group_heads(columns: &[Column]) -> Markup {
    markup! {
        @for run in columns.chunk_by(|a, b| a.group == b.group) {
            @if run[0].group.is_empty() {
                td colspan=[(run.len() > 1).then_some(run.len())] {}
            } @else {
                th scope="colgroup" colspan=(run.len()) { (run[0].group) }
            }
        }
    }
}

/// One `tbody` for each title row, because the title is the heading of its group of rows.
fn bodies(table: &Table, extent: Extent) -> Markup {
    let (body, foot): (Vec<&Row>, Vec<&Row>) =
        table.rows.iter().partition(|r| r.kind != RowKind::Footer);
    markup! {
        @for group in body.chunk_by(|_, next| next.kind != RowKind::Title) {
            tbody { @for row in group { (render_row(row, table, extent)) } }
        }
        @if !foot.is_empty() {
            tfoot { @for row in &foot { (render_row(row, table, extent)) } }
        }
    }
}

fn render_row(row: &Row, table: &Table, extent: Extent) -> Markup {
    let (first, others) = (row.cells.first(), row.cells.iter().zip(&table.columns).skip(1));
    markup! {
        tr {
            @if row.kind == RowKind::Title {
                th scope="rowgroup" colspan=(table.columns.len()) class="t" { (text(first)) }
            } @else {
                th scope="row" { (text(first)) }
                @for (cell, column) in others { (render_cell(cell, column, extent)) }
                @for _ in row.cells.len()..table.columns.len() { td {} }
            }
        }
    }
}

fn text(cell: Option<&Cell>) -> &str {
    cell.map_or("", |c| &c.text)
}

fn render_cell(cell: &Cell, column: &Column, extent: Extent) -> Markup {
    let class = match (cell.shade.map(class), column.numeric) {
        (Some(class), _) => class,
        (None, true) if column.aside => "n a",
        (None, true) => "n",
        (None, false) => "",
    };
    markup! {
        td class=[(!class.is_empty()).then_some(class)] {
            (cell.text)
            @if !cell.word.is_empty() { " " b { (cell.word) } }
            @if extent.asides && !cell.aside.is_empty() { " " small { (cell.aside) } }
            @if extent.notes && !cell.note.is_empty() { " " small { (cell.note) } }
        }
    }
}

fn class(shade: Shade) -> &'static str {
    match shade.step() {
        -3 => "n w3",
        -2 => "n w2",
        -1 => "n w1",
        1 => "n b1",
        2 => "n b2",
        3 => "n b3",
        _ => "n s",
    }
}

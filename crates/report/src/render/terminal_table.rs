//! A table on a terminal. A table that does not fit first loses the notes next to values; then its less important
//! columns become a paragraph below it; then it loses the notes of comparisons, which are intervals; then the table is
//! split into pieces that each repeat the first column. A cell of a grouped table is never wrapped, and its titles run
//! over all columns.

use super::terminal_text::{TerminalOptions, chunks, printable, wrap};
use crate::block::{Cell, Row, RowKind, Table};
use comfy_table::{
    Attribute, Cell as Drawn, CellAlignment, Color, ColumnConstraint, ContentArrangement,
    LineStyle, TableStyle, Width, presets,
};
use std::ops::Range;

/// Width to which a long target label is broken in the heading.
const LABEL_WIDTH: usize = 12;
/// Least width of the first column.
const KEY_WIDTH: usize = 12;
/// Least width of a wrapped last column.
const LEAST_LAST: usize = 24;
/// Most lines of a heading.
const MOST_HEAD_LINES: usize = 4;
/// Blanks that the style adds to a column.
const PADDING: usize = 2;

/// Which notes of cells are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notes {
    All,
    /// Those of columns with a word, a verdict.
    OfVerdicts,
    None,
}

/// What is drawn, from all of it to the least; the second says whether columns next to the point are in it.
const LEVELS: [(Notes, bool); 6] = [
    (Notes::All, true),
    (Notes::OfVerdicts, true),
    (Notes::All, false),
    (Notes::OfVerdicts, false),
    (Notes::None, true),
    (Notes::None, false),
];

/// The table, as one or several pieces; true with them when something was left out.
pub(super) fn render(table: &Table, options: TerminalOptions) -> (Vec<String>, bool) {
    if table.columns.iter().all(|c| c.group.is_empty()) {
        return (vec![flowing(table, options)], false);
    }
    let main = table.columns.iter().take_while(|column| !column.aside).count();
    for (notes, with_aside) in LEVELS {
        let end = if with_aside { table.columns.len() } else { main };
        let sheet = Sheet::new(table, notes);
        if sheet.width(&(1..end)) <= options.width {
            let drawn = sheet.draw(&(1..end), options) + &listed(table, end, options);
            return (vec![drawn], notes != Notes::All);
        }
    }
    let short = Sheet::new(table, Notes::None).with_key_that_fits(main, options.width);
    let pieces = short.pieces(main, options.width);
    let mut drawn: Vec<String> = pieces.iter().map(|piece| short.draw(piece, options)).collect();
    drawn.extend(Some(listed(table, main, options)).filter(|text| !text.is_empty()));
    (drawn, true)
}

/// The columns from `first` on, a paragraph each: `head: key cell; key cell; ...`
fn listed(table: &Table, first: usize, options: TerminalOptions) -> String {
    let body = || table.rows.iter().filter(|row| row.kind == RowKind::Body);
    let paragraph = |column: usize| {
        let cells = body().filter_map(|row| Some((row.cells.first()?, row.cells.get(column)?)));
        let said: Vec<String> = cells
            .filter(|(_, cell)| !cell.text.is_empty())
            .map(|(key, cell)| format!("{} {}", said(key), said(cell)))
            .collect();
        let text = format!("{}: {}.", table.columns[column].head, said.join("; "));
        dim(&wrap(&text, options.width), options)
    };
    (first..table.columns.len()).map(paragraph).collect()
}

/// The lines with less weight than others.
fn dim(lines: &str, options: TerminalOptions) -> String {
    if !options.color {
        return lines.to_string();
    }
    lines.lines().map(|line| format!("\u{1b}[2m{line}\u{1b}[0m\n")).collect()
}

/// A table of words. Where it is too wide the headings are broken, then the last column is wrapped; where
/// that would leave it too little room, each row becomes a paragraph.
fn flowing(table: &Table, options: TerminalOptions) -> String {
    let in_lines = |lines| words(table, |column| head_in(table, column, lines), options);
    let fits = |drawn: &comfy_table::Table| {
        let widths = drawn.column_max_content_widths();
        widths.iter().map(|w| usize::from(*w) + PADDING).sum::<usize>() <= options.width
    };
    let mut drawn = in_lines(1);
    for lines in 2..=MOST_HEAD_LINES {
        if fits(&drawn) {
            break;
        }
        drawn = in_lines(lines);
    }
    let widths = drawn.column_max_content_widths();
    let (last, others) = widths.split_last().map_or((0, 0), |(last, others)| {
        (usize::from(*last), others.iter().map(|w| usize::from(*w) + PADDING).sum())
    });
    let room = options.width.saturating_sub(others + PADDING);
    if last > room {
        if room < LEAST_LAST || table.columns.last().is_some_and(|c| c.numeric) {
            return paragraphs(table, options);
        }
        if let Some(column) = drawn.column_mut(widths.len() - 1) {
            let width = u16::try_from(room + PADDING).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
    }
    drawn.trim_fmt() + "\n"
}

/// The table under headings that `head` gives by column, nothing wrapped.
fn words(
    table: &Table,
    head: impl Fn(usize) -> String,
    options: TerminalOptions,
) -> comfy_table::Table {
    let mut drawn = base(options);
    drawn.set_content_arrangement(ContentArrangement::Disabled);
    drawn.set_header((0..table.columns.len()).map(|column| strong(&head(column), options)));
    for row in &table.rows {
        let cells = row.cells.iter().zip(&table.columns).map(|(cell, column)| {
            let align = if column.numeric { CellAlignment::Right } else { CellAlignment::Left };
            Drawn::new(said(cell)).set_alignment(align)
        });
        drawn.add_row(cells.collect::<Vec<_>>());
    }
    drawn
}

/// The heading of a column, broken between words into at most this many lines, as narrow as that
/// allows.
fn head_in(table: &Table, column: usize, lines: usize) -> String {
    let head = printable(&table.columns[column].head);
    let broken = (1..length(&head)).map(|width| wrap(&head, width)).find(|text| {
        let whole = text.lines().flat_map(str::split_whitespace).eq(head.split_whitespace());
        whole && text.lines().count() <= lines
    });
    broken.map_or(head, |text| text.trim_end().to_string())
}

fn said(cell: &Cell) -> String {
    let parts = [&cell.text, &cell.word, &cell.note].into_iter().filter(|p| !p.is_empty());
    printable(&parts.map(String::as_str).collect::<Vec<_>>().join(" "))
}

/// `first cell: heading cell, heading cell, ...`
fn paragraphs(table: &Table, options: TerminalOptions) -> String {
    let paragraph = |row: &Row| {
        let key = row.cells.first().map(said).unwrap_or_default();
        let others = row.cells.iter().zip(&table.columns).skip(1);
        let facts: Vec<String> = others.map(|(c, h)| format!("{} {}", h.head, said(c))).collect();
        wrap(&format!("{key}: {}", facts.join(", ")), options.width)
    };
    table.rows.iter().map(paragraph).collect()
}

fn base(options: TerminalOptions) -> comfy_table::Table {
    const STYLE: TableStyle = presets::NOTHING.header_separator(LineStyle::none().fill('-'));
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(STYLE);
    if options.color {
        drawn.enforce_styling();
    } else {
        drawn.force_no_tty();
    }
    drawn
}

fn strong(text: &str, options: TerminalOptions) -> Drawn {
    let cell = Drawn::new(text);
    if options.color { cell.add_attribute(Attribute::Bold) } else { cell }
}

/// A table with every cell laid out: number to the right, word to the left, note to the right.
struct Sheet<'a> {
    table: &'a Table,
    /// Lines of the heading of each column.
    heads: Vec<Vec<String>>,
    /// `cells[row][column]`, each as wide as its column.
    cells: Vec<Vec<String>>,
    widths: Vec<usize>,
}

impl<'a> Sheet<'a> {
    fn new(table: &'a Table, notes: Notes) -> Sheet<'a> {
        let count = table.columns.len();
        let parts: Vec<[usize; 3]> = (0..count).map(|c| part_widths(table, c, notes)).collect();
        let heads: Vec<Vec<String>> = (0..count).map(|c| head(table, c)).collect();
        let cells: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|row| {
                row.cells
                    .iter()
                    .zip(&parts)
                    .enumerate()
                    .map(|(c, (cell, p))| laid_out(cell, *p, c))
                    .collect()
            })
            .collect();
        let body = || table.rows.iter().zip(&cells).filter(|(row, _)| !spans(row));
        let widths = (0..count).map(|c| {
            let body = body().filter_map(|(_, texts)| texts.get(c)).map(|text| length(text));
            body.chain(heads[c].iter().map(|line| length(line))).max().unwrap_or(0)
        });
        let widths = widths.collect();
        Sheet { table, heads, cells, widths }
    }

    /// Width of the first column and `columns` together.
    fn width(&self, columns: &Range<usize>) -> usize {
        let others: usize = self.widths[columns.clone()].iter().map(|w| w + PADDING).sum();
        self.widths[0] + PADDING + others
    }

    /// Columns up to `end` that stay together: those of one target, or each alone where these do not fit.
    fn groups(&self, end: usize, width: usize) -> Vec<Range<usize>> {
        let mut groups: Vec<Range<usize>> = Vec::new();
        for column in 1..end {
            let same = |g: &Range<usize>| {
                self.table.columns[g.start].group == self.table.columns[column].group
            };
            match groups.last_mut().filter(|g| same(g)) {
                Some(group) => group.end = column + 1,
                None => groups.push(column..column + 1),
            }
        }
        let fits = |g: &Range<usize>| {
            self.width(g) - self.widths[0] + KEY_WIDTH.min(self.widths[0]) <= width
        };
        if groups.iter().all(fits) { groups } else { (1..end).map(|c| c..c + 1).collect() }
    }

    /// Shortens the first column until the widest group has room next to it.
    fn with_key_that_fits(mut self, end: usize, width: usize) -> Sheet<'a> {
        let widest = self.groups(end, width).iter().map(|g| self.width(g)).max().unwrap_or(0);
        let over = widest.saturating_sub(width);
        let key = self.widths[0].saturating_sub(over).max(KEY_WIDTH.min(self.widths[0]));
        let cut = |text: &str| -> String {
            if length(text) <= key {
                return text.to_string();
            }
            text.chars().take(key - 1).chain(['…']).collect()
        };
        for (row, texts) in self.table.rows.iter().zip(&mut self.cells) {
            texts[0] = if spans(row) { texts[0].clone() } else { cut(&texts[0]) };
        }
        self.heads[0] = self.heads[0].iter().map(|line| cut(line)).collect();
        self.widths[0] = key;
        self
    }

    fn pieces(&self, end: usize, width: usize) -> Vec<Range<usize>> {
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for group in self.groups(end, width) {
            match pieces.last_mut().filter(|p| self.width(&(p.start..group.end)) <= width) {
                Some(piece) => piece.end = group.end,
                None => pieces.push(group),
            }
        }
        pieces
    }

    fn draw(&self, columns: &Range<usize>, options: TerminalOptions) -> String {
        let mut drawn = base(options);
        let shown = || std::iter::once(0).chain(columns.clone());
        let head =
            |c: usize| strong(&self.heads[c].join("\n"), options).set_alignment(self.align(c));
        drawn.set_header(shown().map(head).collect::<Vec<_>>());
        for (row, texts) in self.table.rows.iter().zip(&self.cells) {
            let cell = |c: usize| match spans(row) {
                true => Drawn::new(""),
                false => self.cell(row, texts, c, options),
            };
            drawn.add_row(shown().map(cell).collect::<Vec<_>>());
        }
        self.with_spans(&drawn.trim_fmt(), options)
    }

    /// The drawn table with the rows that span it, which know no columns, on their lines.
    fn with_spans(&self, drawn: &str, options: TerminalOptions) -> String {
        // A row is a line; what is above them depends on which headings are in this piece.
        let lines: Vec<&str> = drawn.split('\n').collect();
        let above = lines.len().saturating_sub(self.table.rows.len());
        let rows = std::iter::repeat_n(None, above).chain(self.table.rows.iter().map(Some));
        let line = |(line, row): (&&str, Option<&Row>)| match row.filter(|row| spans(row)) {
            Some(row) => format!(" {}\n", self.span(row, options)),
            None => format!("{line}\n"),
        };
        lines.iter().zip(rows).map(line).collect()
    }

    fn span(&self, row: &Row, options: TerminalOptions) -> String {
        let text = row.cells.first().map_or_else(String::new, |cell| printable(&cell.text));
        let text: String = text.chars().take(options.width.saturating_sub(PADDING)).collect();
        if options.color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text }
    }

    fn align(&self, column: usize) -> CellAlignment {
        if self.table.columns[column].numeric { CellAlignment::Right } else { CellAlignment::Left }
    }

    fn cell(&self, row: &Row, texts: &[String], column: usize, options: TerminalOptions) -> Drawn {
        let Some(text) = texts.get(column) else { return Drawn::new("") };
        let heading = row.kind != RowKind::Body && column == 0;
        let cell = if heading { strong(text, options) } else { Drawn::new(text) };
        let dim = options.color && self.table.columns[column].aside;
        let cell = if dim { cell.add_attribute(Attribute::Dim) } else { cell };
        let cell = cell.set_alignment(self.align(column));
        match row.cells[column].shade.map(|s| s.step()).and_then(colours).filter(|_| options.color)
        {
            Some((back, front)) => cell.bg(back).fg(front),
            None => cell,
        }
    }
}

/// Whether a row is a heading over all columns.
fn spans(row: &Row) -> bool {
    row.kind == RowKind::Title
}

/// Orange for worse, blue for better, from the 256 colours that every terminal has.
fn colours(step: i8) -> Option<(Color, Color)> {
    let (back, front) = match step {
        -3 => (130, 231),
        -2 => (215, 16),
        -1 => (223, 16),
        1 => (153, 16),
        2 => (75, 16),
        3 => (25, 231),
        _ => return None,
    };
    Some((Color::AnsiValue(back), Color::AnsiValue(front)))
}

/// Widths of number, word and note over the rows of a column.
fn part_widths(table: &Table, column: usize, notes: Notes) -> [usize; 3] {
    let cells = || table.rows.iter().filter_map(move |row| row.cells.get(column));
    let widest = |part: fn(&Cell) -> &String| {
        cells().map(|c| length(&printable(part(c)))).max().unwrap_or(0)
    };
    let (text, word) = (widest(|c| &c.text), widest(|c| &c.word));
    let noted = match notes {
        Notes::All => true,
        Notes::OfVerdicts => word > 0,
        Notes::None => false,
    };
    [text, word, if noted { widest(|c| &c.note) } else { 0 }]
}

fn laid_out(cell: &Cell, [text, word, note]: [usize; 3], column: usize) -> String {
    if column == 0 {
        return printable(&cell.text);
    }
    let mut out = format!("{:>text$}", printable(&cell.text));
    if word > 0 {
        out += &format!(" {:<word$}", printable(&cell.word));
    }
    if note > 0 {
        out += &format!(" {:>note$}", printable(&cell.note));
    }
    out
}

/// A target label in lines of at most [`LABEL_WIDTH`], broken between its words and behind its punctuation.
fn label_lines(label: &str) -> Vec<String> {
    let parts = label.split_inclusive([' ', '[', '(', ',', '=', '/', ':', '-', ']', ')']);
    let mut lines: Vec<String> = Vec::new();
    for part in parts.flat_map(|part| chunks(part, LABEL_WIDTH)) {
        match lines.last_mut().filter(|line| length(line) + length(&part) <= LABEL_WIDTH) {
            Some(line) => line.push_str(&part),
            None => lines.push(part),
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

/// The heading of a column; the first of a group carries the label, broken if it is long.
fn head(table: &Table, column: usize) -> Vec<String> {
    let own = &table.columns[column];
    let first = column == 0 || table.columns[column - 1].group != own.group;
    let label = if first { label_lines(&printable(&own.group)) } else { Vec::new() };
    let grouped = !own.group.is_empty() && own.head.is_empty();
    label.into_iter().chain((!grouped).then(|| printable(&own.head))).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_broken_between_words_and_behind_punctuation() {
        assert_eq!(label_lines("4096 processes"), ["4096", "processes"]);
        assert_eq!(label_lines("1 process"), ["1 process"]);
        assert_eq!(label_lines("btrfs[compress=zstd:3]"), ["btrfs[", "compress=", "zstd:3]"]);
        assert_eq!(label_lines("averyverylongword"), ["averyverylon", "gword"]);
    }
}

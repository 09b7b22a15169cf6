//! The report as Markdown (GitHub's tables), for issues and mails.

use super::{Chapter, built, code::parts, title};
use crate::{
    Commands,
    block::{Block, Cell, Column, Row, RowKind, Table},
};
use model::result::Dataset;
use stats::evaluation::Findings;
use std::iter;

/// The whole report.
pub fn markdown(dataset: &Dataset, findings: &Findings, commands: &Commands) -> String {
    let mut out = format!("# {}\n", escape(&title(dataset)));
    let sections = built(dataset, findings, commands, |_| true);
    // A heading over drawings alone would stand over nothing.
    let has_text = |own: &&Chapter| !own.blocks.iter().all(Block::is_drawing);
    for Chapter { heading, blocks, .. } in sections.iter().filter(has_text) {
        out.push_str(&format!("\n## {heading}\n"));
        blocks.iter().for_each(|b| out.push_str(&block(b)));
    }
    out
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("\n### {}\n", escape(text)),
        Block::Prose(text) => format!("\n{}\n", prose(text)),
        Block::Callout(text) => format!("\n> **{}**\n", prose(text)),
        Block::Signs(signs) => format!("\n{}\n", prose(&signs.text())),
        Block::Table(table) | Block::Behind(table) => render(table),
        Block::Chart(_)
        | Block::Scatter(_)
        | Block::Bars(_)
        | Block::TimeSeries(_)
        | Block::Lines(_)
        | Block::Timeline(_)
        | Block::Forest(_)
        | Block::HeatMap(_)
        | Block::Dots(_)
        | Block::Drawer(_) => String::new(),
    }
}

fn render(table: &Table) -> String {
    let rule = table.columns.iter().map(|c| if c.numeric { "--:" } else { "---" }.to_string());
    let rows = table.rows.iter().map(|r| line(row(r, table.columns.len())));
    let mut out = format!("\n**{}**\n\n", escape(&table.caption));
    out.push_str(&line(table.columns.iter().map(head)));
    out.push_str(&line(rule));
    out.extend(rows);
    out.extend(table.footnotes.iter().map(|note| format!("\n{}\n", escape(note))));
    out
}

fn head(column: &Column) -> String {
    escape(format!("{} {}", column.group, column.head).trim())
}

fn row(row: &Row, columns: usize) -> Vec<String> {
    let cells = row.cells.iter().map(|cell| match row.kind {
        RowKind::Body => text(cell),
        RowKind::Title | RowKind::Footer if cell.text.is_empty() => String::new(),
        RowKind::Title | RowKind::Footer => format!("**{}**", text(cell)),
    });
    cells.chain(iter::repeat_n(String::new(), columns - row.cells.len())).collect()
}

fn text(cell: &Cell) -> String {
    let note = if cell.note.is_empty() { String::new() } else { format!("({})", cell.note) };
    let parts = [&cell.text, &note, &cell.word];
    let said: Vec<String> =
        parts.into_iter().filter(|p| !p.is_empty()).map(|p| escape(p)).collect();
    said.join(" ")
}

fn line(cells: impl IntoIterator<Item = String>) -> String {
    format!("| {} |\n", cells.into_iter().collect::<Vec<_>>().join(" | "))
}

/// A paragraph, with what is between backquotes as code, from which it can be copied as it is.
fn prose(text: &str) -> String {
    let part = |(is_code, part): (bool, &str)| match is_code {
        true if part.is_empty() => r"\`\`".into(),
        true => format!("`{}`", part.replace(['\n', '\r'], " ")),
        false => escape(part),
    };
    parts(text).into_iter().map(part).collect()
}

/// Keeps what would be markup, an entity or a link as text, and every cell on its line.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = '\n';
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        // Addresses become links without any markup.
        let link = rest.starts_with("://") || before == 'w' && rest.starts_with('.') || c == '@';
        match c {
            '\\' | '|' | '<' | '>' | '*' | '_' | '`' | '#' | '[' | ']' | '&' | '~' => {
                out.extend(['\\', c]);
            }
            '\n' | '\r' => out.push(' '),
            _ if link => out.extend(['\\', c]),
            // At the beginning these make a list or a line.
            '-' | '+' | '=' if out.is_empty() => out.extend(['\\', c]),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_stays_text() {
        assert_eq!(escape("ext4[a_b|c]\n<b>"), "ext4\\[a\\_b\\|c\\] \\<b\\>");
        assert_eq!(escape("![x](y) `z` &lt; ~~s~~"), "!\\[x\\](y) \\`z\\` \\&lt; \\~\\~s\\~\\~");
        assert_eq!(escape("http://a.b www.c d@e.f"), "http\\://a.b www\\.c d\\@e.f");
        assert_eq!(prose("a_b `c_d | *` e_f"), "a\\_b `c_d | *` e\\_f");
        assert_eq!((prose("a ` b"), prose("``")), ("a \\` b".into(), "\\`\\`".into()));
        assert_eq!((escape("- a"), escape("1-2 = 3")), ("\\- a".into(), "1-2 = 3".into()));
    }
}

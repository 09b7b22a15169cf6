//! Plain columns on a terminal, for text that is not a table of a report.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Blanks between two columns.
const GAP: u16 = 2;

/// A line for each of `rows`, in columns as wide as their longest cell. Those of `right`, counted from 0, end at the
/// same place, the others begin there.
pub fn columns<T: AsRef<[String]>>(rows: &[T], right: &[usize]) -> String {
    let mut drawn = Table::new();
    drawn.load_style(presets::NOTHING).force_no_tty();
    drawn.set_content_arrangement(ContentArrangement::Disabled);
    for row in rows {
        drawn.add_row(row.as_ref());
    }
    for (place, column) in drawn.column_iter_mut().enumerate() {
        column.set_padding((0, GAP));
        if right.contains(&place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if rows.is_empty() { String::new() } else { drawn.trim_fmt() + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let row = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect::<Vec<_>>();
        let rows = [row(&["  größer", "1", "x"]), row(&["  a", "200", ""]), row(&["  b"])];
        assert_eq!(columns(&rows, &[1]), "  größer    1  x\n  a       200\n  b\n");
        assert_eq!(columns::<Vec<String>>(&[], &[]), "");
    }
}

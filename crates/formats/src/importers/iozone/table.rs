//! The table of a run in one process: a row for each size of record and of file. What was not run is blank,
//! so that a figure is known by where it stands, or by the tests that were asked for.

use super::TESTS;
use crate::{FormatError, text::Line};

/// Characters of each figure, so that it ends at a multiple of this behind the size of a record.
const WIDTH: usize = 9;

/// Columns that each number behind `-i` fills.
const ASKED: [&[usize]; 8] = [&[0, 1], &[2, 3], &[4, 5], &[6], &[7], &[8], &[9, 10], &[11, 12]];

/// Whether a line is the last of the head.
pub(super) fn heading(text: &str) -> bool {
    let mut words = text.split_whitespace();
    matches!(words.next(), Some("kB" | "KB")) && words.next() == Some("reclen")
}

/// A row: sizes in KiB, and figures by places in [`TESTS`].
pub(super) struct Row {
    pub(super) file_kib: u64,
    pub(super) record_kib: u64,
    pub(super) figures: Vec<(usize, f64)>,
}

/// The words of a line with where each ends.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - start + word.len(), word))
}

/// A row; `None` for a line that is none.
pub(super) fn row(line: &Line<'_>, asked: &[usize]) -> Result<Option<Row>, FormatError> {
    let cells: Vec<(usize, &str)> = words(&line.text).collect();
    let is_figure = |cell: &str| cell.bytes().all(|byte| byte.is_ascii_digit());
    if cells.len() < 3 || !cells.iter().all(|(_, cell)| is_figure(cell)) {
        return Ok(None);
    }
    let size = |(_, cell): &(usize, &str)| {
        cell.parse().map_err(|_| line.bad("a size is not a valid number"))
    };
    let (file_kib, record_kib) = (size(&cells[0])?, size(&cells[1])?);
    let figures = &cells[2..];
    let asked: Vec<usize> =
        asked.iter().filter_map(|&i| ASKED.get(i)).copied().flatten().copied().collect();
    let columns = match figures.len() {
        all if all == TESTS.len() => Some((0..all).collect()),
        count if count == asked.len() => Some(asked),
        _ => placed(cells[1].0, figures),
    };
    let columns = columns.ok_or_else(|| {
        line.bad(format!(
            "{} figures, and neither their columns nor the command say of what; import the table \
             as iozone printed it",
            figures.len()
        ))
    })?;
    let figure =
        |(test, (_, cell)): (usize, &(usize, &str))| Ok((test, line.number(TESTS[test].0, cell)?));
    let figures =
        columns.into_iter().zip(figures).map(figure).collect::<Result<_, FormatError>>()?;
    Ok(Some(Row { file_kib, record_kib, figures }))
}

/// The columns of figures by where they end behind the size of a record.
fn placed(record: usize, figures: &[(usize, &str)]) -> Option<Vec<usize>> {
    let column = |(end, _): &(usize, &str)| {
        let behind = end.checked_sub(record)?;
        let column = (behind / WIDTH).checked_sub(1)?;
        (behind % WIDTH == 0 && column < TESTS.len()).then_some(column)
    };
    let columns: Vec<usize> = figures.iter().map(column).collect::<Option<_>>()?;
    columns.is_sorted_by(|a, b| a < b).then_some(columns)
}

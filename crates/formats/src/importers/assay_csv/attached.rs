//! Tables whose rows are about the samples of `samples.csv`, in the same order.

use super::FileRows;
use crate::{
    FormatError,
    table::{Columns, Row},
};
use model::result::Sample;
use std::iter::Peekable;

/// Such a table, read up to the sample that is at hand.
pub(super) struct Attached<'a> {
    columns: Columns<'a>,
    rows: Peekable<FileRows<'a>>,
    /// Samples that it was given.
    samples: usize,
}

impl<'a> Attached<'a> {
    pub(super) fn new(
        (columns, rows): (Columns<'a>, FileRows<'a>),
    ) -> Result<Attached<'a>, FormatError> {
        Ok(Attached { columns, rows: rows.peekable(), samples: 0 })
    }

    /// Name of the file.
    pub(super) fn file(&self) -> &'a str {
        self.columns.file
    }

    /// Gives the rows about `sample`, which is the next of `samples.csv`, to `add`.
    pub(super) fn attach(
        &mut self,
        sample: &mut Sample,
        add: fn(&Columns<'_>, &Row, &mut Sample) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let number = self.samples;
        self.samples += 1;
        let columns = &self.columns;
        while let Some(row) = self.rows.next_if(|row| is_due(columns, row, number)) {
            let row = row?;
            check(columns, &row, number, sample)?;
            add(columns, &row, sample)?;
        }
        Ok(())
    }

    /// Fails when a row is left behind the last sample.
    pub(super) fn check_end(&mut self) -> Result<(), FormatError> {
        let Some(row) = self.rows.next() else { return Ok(()) };
        let why = "names a sample that is not in samples.csv";
        Err(self.columns.bad(&row?, "sample", why))
    }
}

/// Whether a row is about the sample `number`, or wrong.
fn is_due(columns: &Columns<'_>, row: &Result<Row, FormatError>, number: usize) -> bool {
    let named = row.as_ref().map_or(Ok(0), |row| columns.get::<usize>(row, "sample"));
    named.is_ok_and(|named| named <= number) || row.is_err()
}

/// Fails unless a row is about `sample`. Its number counts the samples of `samples.csv`; its name must
/// fit, lest figures land on another sample when that file was edited.
fn check(
    columns: &Columns<'_>,
    row: &Row,
    number: usize,
    sample: &Sample,
) -> Result<(), FormatError> {
    let named: usize = columns.get(row, "sample")?;
    if named != number {
        let why = "belongs to an earlier sample than the row above; sort the rows by sample";
        return Err(columns.bad(row, "sample", why));
    }
    let case = &sample.case;
    let (block, procs) = (sample.block.to_string(), case.procs.to_string());
    let names = [
        ("block", block.as_str()),
        ("target", &case.target),
        ("test", &case.test),
        ("procs", &procs),
        ("cache", case.cache.as_str()),
    ];
    for (column, name) in names {
        if columns.text(row, column)? != name {
            let why = "differs from the sample of that number; export both files together";
            return Err(columns.bad(row, column, why));
        }
    }
    Ok(())
}

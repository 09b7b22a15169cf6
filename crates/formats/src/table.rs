//! Tables with a header line, whole or row by row: cells by column name, and errors that name file, line
//! and column.

use crate::FormatError;
use csv::{ByteRecord, Reader, ReaderBuilder};
use model::text::cell::unguarded;
use std::{
    fmt::Display,
    io::{self, BufRead, BufReader, Read},
    ops::Deref,
    str::FromStr,
};

/// What is known of a table besides its rows.
pub(crate) struct Columns<'a> {
    pub(crate) file: &'a str,
    pub(crate) header: Vec<String>,
    /// Its cells were [guarded](model::text::cell) against spreadsheets when they were written.
    pub(crate) guarded: bool,
}

/// A whole table in memory.
pub(crate) struct Table<'a> {
    columns: Columns<'a>,
    pub(crate) rows: Vec<Row>,
}

impl<'a> Deref for Table<'a> {
    type Target = Columns<'a>;
    fn deref(&self) -> &Columns<'a> {
        &self.columns
    }
}

/// One line of it; cells are read through [`Columns`].
pub(crate) struct Row {
    pub(crate) line: u64,
    cells: ByteRecord,
}

/// The rows of a table, one by one.
pub(crate) struct Rows<'a, R> {
    file: &'a str,
    reader: Reader<LastLineEnded<R>>,
    /// Its lines end in `\r\n`, as that of its header does.
    crlf: bool,
}

impl<R: Read> Rows<'_, R> {
    /// The line on which the row just read begins. The reader's own count has it where the row before ended, ahead
    /// of empty lines, and in a file with `\r\n` ahead of the `\n` of that.
    fn line(&self, cells: &ByteRecord) -> u64 {
        let within = cells.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.reader.position().line().saturating_sub(u64::from(!self.crlf) + within).max(1)
    }
}

/// A file whose last line ends as the others do.
struct LastLineEnded<R> {
    inner: BufReader<R>,
    /// The last byte so far.
    last: Option<u8>,
    end: u8,
}

impl<R: Read> Read for LastLineEnded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut read = self.inner.read(into)?;
        let is_open = self.last.is_some_and(|byte| byte != b'\n' && byte != self.end);
        if let Some(first) = into.first_mut().filter(|_| read == 0 && is_open) {
            *first = self.end;
            read = 1;
        }
        self.last = into[..read].last().copied().or(self.last);
        Ok(read)
    }
}

impl<R: Read> Iterator for Rows<'_, R> {
    type Item = Result<Row, FormatError>;
    fn next(&mut self) -> Option<Self::Item> {
        let mut cells = ByteRecord::new();
        match self.reader.read_byte_record(&mut cells) {
            Ok(false) => None,
            Ok(true) => Some(Ok(Row { line: self.line(&cells), cells })),
            Err(error) => {
                let why = plain(error.kind());
                Some(Err(FormatError::line(self.file, self.line(&cells), why)))
            }
        }
    }
}

impl<'a> Table<'a> {
    /// Reads a table whose cells are parted by `delimiter`.
    pub(crate) fn read(
        file: &'a str,
        bytes: &[u8],
        delimiter: u8,
    ) -> Result<Table<'a>, FormatError> {
        let (columns, rows) = Columns::open(file, bytes, delimiter)?;
        Ok(Table { columns, rows: rows.collect::<Result<_, _>>()? })
    }
}

impl<'a> Columns<'a> {
    /// Begins to read a table whose cells are parted by `delimiter`.
    pub(crate) fn open<R: Read>(
        file: &'a str,
        reader: R,
        delimiter: u8,
    ) -> Result<(Columns<'a>, Rows<'a, R>), FormatError> {
        let mut inner = BufReader::new(reader);
        // A header that is longer than what this shows would be none of ours.
        let head = inner.fill_buf().unwrap_or_default();
        let header = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let crlf = header.ends_with(b"\r");
        let ended = LastLineEnded { inner, last: None, end: if crlf { b'\r' } else { b'\n' } };
        let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(ended);
        let header = reader.headers().map_err(|error| bad_line(file, &error))?;
        let header = header.iter().map(str::to_owned).collect();
        Ok((Columns { file, header, guarded: false }, Rows { file, reader, crlf }))
    }

    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.column(name).is_some())
    }

    /// The text of the cell in column `name`; a column that is missing is an error.
    pub(crate) fn text<'r>(&self, row: &'r Row, name: &str) -> Result<&'r str, FormatError> {
        let column = self.column(name);
        let column = column
            .ok_or_else(|| FormatError::file(self.file, format!("column `{name}` is missing")))?;
        let cell = row.cells.get(column).unwrap_or_default();
        let text = std::str::from_utf8(cell).map_err(|_| self.bad(row, name, "is not UTF-8"))?;
        Ok(if self.guarded { unguarded(text) } else { text })
    }

    /// The cell in column `name` as a value.
    pub(crate) fn get<T: FromStr<Err: Display>>(
        &self,
        row: &Row,
        name: &str,
    ) -> Result<T, FormatError> {
        let text = self.text(row, name)?;
        text.parse().map_err(|why| self.bad(row, name, format_args!("is `{}`: {why}", short(text))))
    }

    /// The same, where an empty cell or a missing column stands for nothing.
    pub(crate) fn optional<T: FromStr<Err: Display>>(
        &self,
        row: &Row,
        name: &str,
    ) -> Result<Option<T>, FormatError> {
        if self.column(name).is_none() || self.text(row, name)?.is_empty() {
            return Ok(None);
        }
        self.get(row, name).map(Some)
    }

    /// The cell in column `name` as a finite number.
    pub(crate) fn number(&self, row: &Row, name: &str) -> Result<f64, FormatError> {
        let number: f64 = self.get(row, name)?;
        if number.is_finite() { Ok(number) } else { Err(self.bad(row, name, "is not finite")) }
    }

    /// The error of a cell.
    pub(crate) fn bad(&self, row: &Row, name: &str, why: impl Display) -> FormatError {
        FormatError::line(self.file, row.line, format!("column `{name}` {why}"))
    }
}

/// Enough of a text to find it by; error messages stay on one line.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

fn bad_line(file: &str, error: &csv::Error) -> FormatError {
    let line = error.position().map_or(1, |position| position.line());
    FormatError::line(file, line, plain(error.kind()))
}

fn plain(kind: &csv::ErrorKind) -> String {
    match kind {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} columns where the header has {expected_len}; the file may be truncated")
        }
        csv::ErrorKind::Utf8 { .. } => "the line is not UTF-8".into(),
        csv::ErrorKind::Io(why) => format!("cannot be read: {why}"),
        _ => "the line cannot be parsed".into(),
    }
}

//! Tables of `iostat`: their headings and rows, with the name of the device in front or, with `--pretty`, at the end,
//! and with the units of `--human`.

use crate::{
    FormatError,
    importers::iostat::{Cell, Device},
    table::short,
    text::{Line, number},
};

/// The first columns of the tables into which `-h` divides a report of `-x`, the first of which begins it.
const PARTS: [&str; 4] = ["r/s", "w/s", "d/s", "f/s"];

/// The head of a table.
pub(super) struct Heading {
    /// The columns but that of the device.
    pub(super) columns: Vec<String>,
    /// The device is last.
    name_last: bool,
}

impl Heading {
    /// `Device  tps  kB_read/s` and the like, or `tps  kB_read/s  Device`.
    pub(super) fn of(text: &str) -> Option<Heading> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (columns, name_last) = match words.split_first()? {
            (&("Device" | "Device:"), columns) => (columns, false),
            _ => (words.strip_suffix(&["Device"])?, true),
        };
        let has = |name: &str| columns.contains(&name);
        let is_part = name_last && columns.first().is_some_and(|first| PARTS.contains(first));
        let is_it = is_part || (has("r/s") && has("w/s")) || has("tps");
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        is_it.then_some(Heading { columns, name_last })
    }

    /// Whether a report begins with it.
    pub(super) fn begins(&self) -> bool {
        self.columns.iter().any(|column| column == "tps" || column == PARTS[0])
    }

    /// The row of `line`; `None` where the table has ended.
    pub(super) fn row(&self, line: &Line<'_>) -> Result<Option<Row>, FormatError> {
        let mut cells: Vec<&str> = line.text.split_whitespace().collect();
        let place = if self.name_last { cells.len().saturating_sub(1) } else { 0 };
        let is_figure = |cell: &&str| cell.starts_with(|c: char| c.is_ascii_digit());
        if cells.len() < 2 {
            return Ok(None);
        }
        let name = cells.remove(place);
        if !cells.iter().all(is_figure) {
            return Ok(None);
        }
        if cells.len() != self.columns.len() {
            let (got, want) = (cells.len() + 1, self.columns.len() + 1);
            let why = format!("{got} cells where the header has {want}; the text may be truncated");
            return Err(line.bad(why));
        }
        // The name of a group has a blank before it.
        let before = line.text.trim_end().strip_suffix(name).unwrap_or_default();
        let is_group =
            if self.name_last { before.ends_with("  ") } else { line.text.starts_with(' ') };
        let cells = cells.into_iter().map(str::to_owned);
        Ok(Some(Row {
            line: line.number,
            name: if is_group { format!(" {name}") } else { name.into() },
            cells: self.columns.iter().cloned().zip(cells).collect(),
        }))
    }
}

/// A row, or the rows of one device in the tables of a report.
pub(super) struct Row {
    /// The first of its lines.
    pub(super) line: u64,
    name: String,
    /// Columns and what is there.
    cells: Vec<(String, String)>,
}

/// The rows of the tables of one report, one of each device.
pub(super) fn together(rows: Vec<Row>) -> Vec<Row> {
    let mut devices: Vec<Row> = Vec::new();
    for row in rows {
        let is_new = |known: &Row| known.cells.iter().any(|cell| cell.0 == row.cells[0].0);
        match devices.iter_mut().find(|known| known.name == row.name && !is_new(known)) {
            Some(known) => known.cells.extend(row.cells),
            None => devices.push(row),
        }
    }
    devices
}

impl Row {
    /// The device that it is of.
    pub(super) fn device(&self, file: &str) -> Result<Device, FormatError> {
        let bad = |why: String| FormatError::line(file, self.line, why);
        let device = Device::of_columns(&self.name, |column| {
            let cell = self.cells.iter().find(|cell| cell.0 == column);
            let read = |(_, text): &(String, String)| {
                cell_of(column, text).ok_or_else(|| {
                    bad(format!("{column} is `{}`, not a number; leave out --human", short(text)))
                })
            };
            cell.map(read).transpose()
        })?;
        match device.iops() {
            Some(_) => Ok(device),
            None => Err(bad(format!(
                "device `{}` has neither r/s and w/s nor tps; the text may be truncated",
                short(&self.name)
            ))),
        }
    }
}

/// The figure in `column`. iostat's `--human` writes sizes with a unit, whatever that of the column is, and percents
/// with their sign.
fn cell_of(column: &str, text: &str) -> Option<Cell> {
    // Some languages write a comma.
    let text = text.replacen(',', ".", 1);
    let text = text.strip_suffix('%').filter(|_| column.starts_with('%')).unwrap_or(&text);
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" => 1.0,
        unit => unit_bytes(unit)? / column_bytes(column)?,
    };
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let half_step = 0.5 * 0.1_f64.powi(i32::try_from(decimals).ok()?);
    Some(Cell { value: number(digits)? * factor, half_step: half_step * factor })
}

/// Bytes of a unit of `--human`.
fn unit_bytes(unit: &str) -> Option<f64> {
    let power = ["B", "k", "M", "G", "T", "P"].iter().position(|known| *known == unit)?;
    Some(1024_f64.powi(i32::try_from(power).ok()?))
}

/// Bytes of the unit of a column of sizes.
fn column_bytes(column: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 5] = [
        ("kB", 1024.0),
        ("areq-sz", 1024.0),
        ("MB", 1_048_576.0),
        ("sec/s", 512.0),
        ("Blk_", 512.0),
    ];
    UNITS.iter().find(|(part, _)| column.contains(part)).map(|(_, bytes)| *bytes)
}

//! The tables of `csv` as Parquet (<https://parquet.apache.org/docs/file-format>), with types instead of text: an empty
//! cell is null, and no text follows an apostrophe. One page for each column of a row group, plain and compressed by
//! gzip, which every reader knows; repeated names then take no more room than in a dictionary.

mod column;
mod thrift;

use self::{
    column::{Cell, Chunk, ColumnType, page},
    thrift::Struct,
};
use super::{Exporter, csv::csv};
use crate::{FormatError, NamedBytes};
use ::csv::{Reader, StringRecord};
use model::{result::Dataset, text::cell::unguarded};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "parquet",
    help: "The tables of csv, typed and compressed, for DuckDB and pandas",
    files: |dataset, _| parquet(dataset),
};

/// What a file begins and ends with.
const MAGIC: &[u8] = b"PAR1";

/// Rows of a row group, which are in memory together and may be read apart.
const GROUP_ROWS: usize = 250_000;

/// A file for each table, and `campaign.json` as it is.
fn parquet(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let of_table = |(name, bytes): NamedBytes| match name.strip_suffix(".csv") {
        Some(table) => Ok((format!("{table}.parquet"), file(table, &bytes, GROUP_ROWS)?)),
        None => Ok((name, bytes)),
    };
    csv(dataset)?.into_iter().map(of_table).collect()
}

/// What a column of a table holds. All are integers that are named nowhere.
fn kind(table: &str, column: &str) -> ColumnType {
    match (table, column) {
        ("samples", "value") => ColumnType::Double,
        (_, "seconds" | "skew_ms" | "overlap" | "cpu_user_s" | "cpu_sys_s") => ColumnType::Double,
        (_, "only_writes") => ColumnType::Boolean,
        (_, "campaign" | "target" | "suite" | "test" | "cache" | "metric" | "unit" | "better") => {
            ColumnType::Text
        }
        (_, "limiter" | "validity" | "lab" | "durability" | "after_fault") => ColumnType::Text,
        (_, "op" | "latency" | "column") => ColumnType::Text,
        ("tests", "name" | "testtype" | "group" | "grid") => ColumnType::Text,
        _ => ColumnType::Integer,
    }
}

/// The CSV of `table` as a file, in groups of this many rows.
fn file(table: &str, csv: &[u8], group_rows: usize) -> Result<Vec<u8>, FormatError> {
    let mut reader = Reader::from_reader(csv);
    let header = reader.headers().map_err(failed)?;
    let columns: Vec<_> = header.iter().map(|name| (name.to_string(), kind(table, name))).collect();
    let rows: Vec<StringRecord> =
        reader.into_records().collect::<Result<_, _>>().map_err(failed)?;
    let mut file = MAGIC.to_vec();
    let mut groups = Vec::new();
    for rows in rows.chunks(group_rows) {
        groups.push(group(&columns, rows, &mut file)?);
    }
    let footer = footer(&columns, rows.len(), &groups);
    let length = footer.len() as u32;
    file.extend(footer);
    file.extend(length.to_le_bytes());
    file.extend(MAGIC);
    Ok(file)
}

fn failed(why: impl ToString) -> FormatError {
    FormatError::Export { format: "parquet", why: why.to_string() }
}

/// Appends `rows`, column by column, to `file`; gives their `RowGroup`.
fn group(
    columns: &[(String, ColumnType)],
    rows: &[StringRecord],
    file: &mut Vec<u8>,
) -> Result<Struct, FormatError> {
    let mut chunks = Vec::new();
    let mut plain_bytes = 0;
    for (at, (name, kind)) in columns.iter().enumerate() {
        let of = |why| failed(format!("column {name}: {why}"));
        let cells = rows.iter().map(|row| cell(row, at, *kind)).collect::<Result<Vec<_>, _>>();
        let page = page(&cells.map_err(of)?).map_err(failed)?;
        let chunk = Chunk { name, kind: *kind, rows: rows.len(), at: file.len() };
        chunks.push(chunk.described(&page));
        plain_bytes += page.plain_bytes;
        file.extend(page.bytes);
    }
    let group = Struct::new().structs(1, &chunks);
    Ok(group.i64(2, plain_bytes as i64).i64(3, rows.len() as i64))
}

/// The cell of `row` at `at`.
fn cell(row: &StringRecord, at: usize, kind: ColumnType) -> Result<Cell, String> {
    let text = row.get(at).unwrap_or_default();
    let off = |_| format!("`{text}` does not fit into 64 bits");
    Ok(match kind {
        _ if text.is_empty() => Cell::Null,
        ColumnType::Integer => Cell::Integer(text.parse().map_err(off)?),
        ColumnType::Double => Cell::Double(text.parse().map_err(|_| {
            format!(
                "`{text}` is not a \
                                                            number"
            )
        })?),
        ColumnType::Boolean => Cell::Boolean(text == "true"),
        ColumnType::Text => Cell::Text(unguarded(text).into()),
    })
}

/// `FileMetaData`.
fn footer(columns: &[(String, ColumnType)], rows: usize, groups: &[Struct]) -> Vec<u8> {
    let root = Struct::new().text(4, "table").i32(5, columns.len() as i32);
    let mut schema = vec![root];
    schema.extend(columns.iter().map(|(name, kind)| kind.element(name)));
    let by = concat!("assay version ", env!("CARGO_PKG_VERSION"));
    let footer = Struct::new().i32(1, 1).structs(2, &schema).i64(3, rows as i64);
    footer.structs(4, groups).text(6, by).ended()
}

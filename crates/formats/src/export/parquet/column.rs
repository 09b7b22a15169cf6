//! A column of a row group: its cells as one page, and what the schema and the footer say of it.

use super::thrift::{Struct, varint};
use flate2::{Compression, write::GzEncoder};
use std::io::{self, Write};

/// `Encoding`s.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
/// `CompressionCodec`.
const GZIP: i32 = 2;
/// `FieldRepetitionType`.
const OPTIONAL: i32 = 1;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    Integer,
    Double,
    Boolean,
    Text,
}

impl ColumnType {
    /// `Type`.
    fn number(self) -> i32 {
        match self {
            ColumnType::Boolean => 0,
            ColumnType::Integer => 2,
            ColumnType::Double => 5,
            ColumnType::Text => 6,
        }
    }

    /// `SchemaElement` of the column `name`.
    pub(super) fn element(self, name: &str) -> Struct {
        let element = Struct::new().i32(1, self.number()).i32(3, OPTIONAL).text(4, name);
        match self {
            // `ConvertedType` and `LogicalType` of UTF-8.
            ColumnType::Text => {
                element.i32(6, 0).inner(10, &Struct::new().inner(1, &Struct::new()))
            }
            _ => element,
        }
    }
}

/// One cell.
pub(super) enum Cell {
    Null,
    Integer(i64),
    Double(f64),
    Boolean(bool),
    Text(String),
}

/// The cells of a column, as they are in the file.
pub(super) struct Page {
    pub(super) bytes: Vec<u8>,
    /// Bytes before compression, those of the header included.
    pub(super) plain_bytes: usize,
}

/// Where in the file a column of a row group is.
pub(super) struct Chunk<'a> {
    pub(super) name: &'a str,
    pub(super) kind: ColumnType,
    pub(super) rows: usize,
    pub(super) at: usize,
}

impl Chunk<'_> {
    /// `ColumnChunk`.
    pub(super) fn described(&self, page: &Page) -> Struct {
        let about = Struct::new().i32(1, self.kind.number()).i32s(2, &[PLAIN, RLE]);
        let about = about.texts(3, &[self.name]).i32(4, GZIP).i64(5, self.rows as i64);
        let about = about.i64(6, page.plain_bytes as i64).i64(7, page.bytes.len() as i64);
        Struct::new().i64(2, self.at as i64).inner(3, &about.i64(9, self.at as i64))
    }
}

/// The page of `cells`: which are there, then those that are.
pub(super) fn page(cells: &[Cell]) -> io::Result<Page> {
    let levels = levels(cells);
    let mut body = (levels.len() as u32).to_le_bytes().to_vec();
    body.extend(levels);
    plain(cells, &mut body);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&body)?;
    let packed = packed.finish()?;
    let about = Struct::new().i32(1, cells.len() as i32).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    // `PageHeader` of a data page.
    let length = |bytes: &[u8]| i32::try_from(bytes.len()).map_err(io::Error::other);
    let header = Struct::new().i32(1, 0).i32(2, length(&body)?).i32(3, length(&packed)?);
    let mut bytes = header.inner(5, &about).ended();
    let plain_bytes = bytes.len() + body.len();
    bytes.extend(packed);
    Ok(Page { bytes, plain_bytes })
}

/// Runs of cells that are there, 1, and that are null, 0.
fn levels(cells: &[Cell]) -> Vec<u8> {
    let mut levels = Vec::new();
    let is_null = |cell: &Cell| matches!(cell, Cell::Null);
    for run in cells.chunk_by(|a, b| is_null(a) == is_null(b)) {
        varint(&mut levels, (run.len() as u64) << 1);
        levels.push(u8::from(!is_null(&run[0])));
    }
    levels
}

fn plain(cells: &[Cell], body: &mut Vec<u8>) {
    let mut bits = 0;
    for cell in cells {
        match cell {
            Cell::Null => {}
            Cell::Integer(value) => body.extend(value.to_le_bytes()),
            Cell::Double(value) => body.extend(value.to_le_bytes()),
            Cell::Text(text) => {
                body.extend((text.len() as u32).to_le_bytes());
                body.extend(text.as_bytes());
            }
            Cell::Boolean(value) => {
                if bits % 8 == 0 {
                    body.push(0);
                }
                if let Some(last) = body.last_mut() {
                    *last |= u8::from(*value) << (bits % 8);
                }
                bits += 1;
            }
        }
    }
}

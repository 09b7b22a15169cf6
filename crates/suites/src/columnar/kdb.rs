//! Reads and writes the header of a kdb+ column file. Little endian.
//!
//! - vectors of fixed width: `fe 20`, type, attribute, 4 bytes, count as i64 at 8, data at 16
//! - symbols as text: `ff 01`, type, attribute, count as i32 at 4, NUL-terminated strings at 8
//! - enumerated symbols: a page with `fd 20`, the domain's name at 16, `fd 00 14`, attribute at 4083,
//!   count as i64 at 4088; then i64 indices

use std::{fs::File, io, os::unix::fs::FileExt};

/// The layout of a column in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// 64-bit integers.
    Long,
    /// 64-bit floating-point numbers.
    Float,
    /// Symbols as text; names have four letters here.
    Text,
    /// Symbols as indices in the file `sym`.
    Enumerated,
}

/// Attribute byte of a sorted column.
pub(super) const SORTED: u8 = 1;
/// Attribute byte of a column whose equal values are adjacent.
pub(super) const PARTED: u8 = 3;

const PAGE: usize = 4096;

impl Format {
    /// Bytes before the data.
    pub(crate) fn header_bytes(self) -> u64 {
        match self {
            Format::Long | Format::Float => 16,
            Format::Text => 8,
            Format::Enumerated => PAGE as u64,
        }
    }

    /// Bytes of one row.
    pub(super) fn row_bytes(self) -> u64 {
        if self == Format::Text { 5 } else { 8 }
    }

    /// Place of the count, where appends keep it right: text columns leave theirs stale.
    pub(super) fn count_at(self) -> Option<u64> {
        match self {
            Format::Long | Format::Float => Some(8),
            Format::Text => None,
            Format::Enumerated => Some(4088),
        }
    }

    /// The bytes before the data of `rows` rows.
    pub(crate) fn header(self, attribute: u8, rows: u64) -> Vec<u8> {
        let mut bytes = vec![0; self.header_bytes() as usize];
        match self {
            Format::Long | Format::Float => {
                bytes[..4].copy_from_slice(&[0xfe, 0x20, self.type_byte(), attribute]);
                bytes[8..].copy_from_slice(&rows.to_le_bytes());
            }
            Format::Text => {
                bytes[..4].copy_from_slice(&[0xff, 0x01, self.type_byte(), attribute]);
                // The field is advisory and has 32 bits; longer columns store the low ones.
                bytes[4..].copy_from_slice(&(rows as u32).to_le_bytes());
            }
            Format::Enumerated => {
                bytes[..2].copy_from_slice(&[0xfd, 0x20]);
                bytes[16..19].copy_from_slice(b"sym");
                bytes[4080..4084].copy_from_slice(&[0xfd, 0x00, self.type_byte(), attribute]);
                bytes[4088..].copy_from_slice(&rows.to_le_bytes());
            }
        }
        bytes
    }

    fn type_byte(self) -> u8 {
        match self {
            Format::Long => 7,
            Format::Float => 9,
            Format::Text => 11,
            Format::Enumerated => 20,
        }
    }
}

/// The header of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The layout in the file.
    pub(super) format: Format,
    /// Attribute byte: 0 none, 1 sorted, 2 unique, 3 parted, 4 grouped.
    pub(super) attribute: u8,
    /// The count field; stale after appends to text columns and through handles.
    pub(super) count: u64,
}

/// Reads the header of an open column.
pub(super) fn read_header(file: &File) -> io::Result<Header> {
    let mut magic = [0; 16];
    let got = file.read_at(&mut magic, 0)?;
    let unknown = || io::Error::new(io::ErrorKind::InvalidData, "not a column of kdb+");
    let long = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    let header = match (magic[0], magic[1], magic[2]) {
        (0xfe, 0x20, kind @ (7 | 9)) if got >= 16 => Header {
            format: if kind == 7 { Format::Long } else { Format::Float },
            attribute: magic[3],
            count: long(&magic[8..]),
        },
        (0xff, 0x01, 11) if got >= 8 => {
            Header { format: Format::Text, attribute: magic[3], count: long(&magic[4..8]) }
        }
        (0xfd, 0x20, _) => {
            let mut tail = [0; 16];
            file.read_exact_at(&mut tail, 4080)?;
            if tail[..3] != [0xfd, 0x00, 20] {
                return Err(unknown());
            }
            Header { format: Format::Enumerated, attribute: tail[3], count: long(&tail[8..]) }
        }
        _ => return Err(unknown()),
    };
    Ok(header)
}

/// A file of a few symbols, as `.d` and `sym`.
pub(super) fn symbol_file<'a>(attribute: u8, names: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut body = Vec::new();
    let mut rows = 0;
    for name in names {
        body.extend_from_slice(name);
        body.push(0);
        rows += 1;
    }
    let mut bytes = Format::Text.header(attribute, rows);
    bytes.append(&mut body);
    bytes
}

/// The names in the bytes of a file of symbols; `None` when they are not one.
pub(super) fn parse_symbols(bytes: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let body = bytes.strip_prefix(&[0xff, 0x01, 11])?.get(5..)?;
    let complete = body.is_empty() || body.ends_with(&[0]);
    complete.then(|| body.split_inclusive(|&b| b == 0).map(|name| &name[..name.len() - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(bytes: &[u8]) -> io::Result<Header> {
        let dir = tempfile::tempdir()?;
        std::fs::write(dir.path().join("column"), bytes)?;
        read_header(&File::open(dir.path().join("column"))?)
    }

    #[test]
    fn headers_are_read_as_written() {
        for format in [Format::Long, Format::Float, Format::Text, Format::Enumerated] {
            let header = parsed(&format.header(PARTED, 123_456)).unwrap();
            assert_eq!(header, Header { format, attribute: PARTED, count: 123_456 });
        }
        assert!(parsed(b"").is_err());
        assert!(parsed(b"\xfe\x20\x07").is_err());
        assert!(parsed(&[0xfd; 4096]).is_err());
    }

    #[test]
    fn sizes_are_those_of_published_listings() {
        // `.d` of the columns cars, price and qty is 23 bytes.
        let names: [&[u8]; 3] = [b"cars", b"price", b"qty"];
        let bytes = symbol_file(0, names.into_iter());
        assert_eq!(bytes.len(), 23);
        assert_eq!(parse_symbols(&bytes).unwrap().collect::<Vec<_>>(), names);
        assert!(parse_symbols(b"\xff\x01\x0b\0\0\0\0\0abc").is_none());
        assert!(parse_symbols(b"\xfe\x20").is_none());
    }
}

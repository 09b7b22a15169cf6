//! Columns of symbols as ids: read from their file and written to it, in either format.

use super::{column::Column, kdb::Format};
use crate::TestError;
use engine::{
    data::{Domain, SYMBOLS},
    progress::Progress,
};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
};

const READ_BYTES: u64 = 16 << 20;

/// Reads all of a column; the symbols come out as ids.
pub(super) fn read_ids(column: &Column) -> Result<Vec<u16>, TestError> {
    let path = &column.path;
    let mut file = File::open(path).map_err(TestError::io("open", path))?;
    rustix::fs::fstat(&file).map_err(|e| TestError::io("stat", path)(e.into()))?;
    let start = SeekFrom::Start(column.format.header_bytes());
    file.seek(start).map_err(TestError::io("seek", path))?;
    let row_bytes = column.format.row_bytes() as usize;
    let mut ids = Vec::with_capacity(column.rows as usize);
    let mut buffer = vec![0; (READ_BYTES as usize / row_bytes) * row_bytes];
    let mut left = column.data_bytes() as usize;
    while left > 0 {
        let chunk = &mut buffer[..left.min(READ_BYTES as usize / row_bytes * row_bytes)];
        file.read_exact(chunk).map_err(TestError::io("read", path))?;
        for row in chunk.chunks_exact(row_bytes) {
            let id = id_of(column, row).ok_or_else(|| {
                column.wrong(format!("row {} holds no symbol: {row:02x?}", ids.len()))
            })?;
            ids.push(id);
        }
        left -= chunk.len();
    }
    Ok(ids)
}

fn id_of(column: &Column, row: &[u8]) -> Option<u16> {
    if column.format == Format::Text {
        let (end, name) = row.split_last()?;
        return column.domain.as_ref().filter(|_| *end == 0)?.id_of_name(name);
    }
    let id = u64::from_le_bytes(row.try_into().ok()?);
    (id < SYMBOLS as u64).then_some(id as u16)
}

/// Turns ids into the bytes of a column, a chunk at a time.
pub(super) struct SymbolWriter<'a> {
    column: &'a Column,
    domain: Option<&'a Domain>,
    chunk: Vec<u8>,
    chunk_bytes: usize,
}

impl<'a> SymbolWriter<'a> {
    /// A writer that calls write(2) with about `chunk_bytes`.
    pub(super) fn new(column: &'a Column, chunk_bytes: u64) -> SymbolWriter<'a> {
        let domain = column.domain.as_ref().filter(|_| column.format == Format::Text);
        let chunk_bytes = chunk_bytes as usize;
        SymbolWriter { column, domain, chunk: Vec::with_capacity(chunk_bytes + 8), chunk_bytes }
    }

    /// Writes all `ids` at the file's position.
    pub(super) fn write(
        &mut self,
        file: &File,
        ids: impl Iterator<Item = u64>,
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        for id in ids {
            match self.domain {
                Some(domain) => self.chunk.extend_from_slice(&domain.text(id)),
                None => self.chunk.extend_from_slice(&id.to_le_bytes()),
            }
            if self.chunk.len() >= self.chunk_bytes {
                self.flush(file, progress)?;
            }
        }
        self.flush(file, progress)
    }

    fn flush(&mut self, file: &File, progress: Progress<'_>) -> Result<(), TestError> {
        self.column
            .out(file)
            .write_all(&self.chunk)
            .map_err(TestError::io("write", &self.column.path))?;
        progress.add(self.chunk.len() as u64, 1);
        self.chunk.clear();
        Ok(())
    }
}

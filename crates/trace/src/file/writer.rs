//! Writes a trace, chunk by chunk: whatever has been written is readable, however the recorder ends.

use super::{BLOCK_CALLS, MAGIC, chunk, chunk::Kind, columns, error::TraceError, names, start};
use crate::{
    call::Call,
    header::{End, Header},
    path::Paths,
    start::{StartEntry, StartHandle},
};
use std::io::Write;

/// A trace that is being written. Dropping it without [`Writer::end`] leaves one that says of itself that it was cut.
pub struct Writer<W: Write> {
    out: W,
    names: usize,
    bytes: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a trace.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(mut out: W, header: &Header) -> Result<Self, TraceError> {
        out.write_all(&MAGIC)?;
        let mut writer = Writer { out, names: 0, bytes: MAGIC.len() as u64 };
        writer.json(Kind::Header, header)?;
        Ok(writer)
    }

    /// Writes the paths that were added since the last time. What names a path comes after it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn names(&mut self, paths: &Paths) -> Result<(), TraceError> {
        while self.names < paths.len() {
            let to = paths.len().min(self.names + names::CHUNK_PATHS);
            let raw = names::encode(paths, self.names, to);
            self.chunk(Kind::Names, to - self.names, (0, 0), &[raw])?;
            self.names = to;
        }
        Ok(())
    }

    /// Writes what the disk held; may be called at any time, and repeatedly, with what is not yet written.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn start(
        &mut self,
        entries: &[StartEntry],
        handles: &[StartHandle],
    ) -> Result<(), TraceError> {
        for part in entries.chunks(start::CHUNK_ENTRIES) {
            self.chunk(Kind::StartEntries, part.len(), (0, 0), &[start::encode_entries(part)])?;
        }
        for part in handles.chunks(start::CHUNK_ENTRIES) {
            self.chunk(Kind::StartHandles, part.len(), (0, 0), &[start::encode_handles(part)])?;
        }
        Ok(())
    }

    /// Writes calls, at most [`BLOCK_CALLS`] in a block. Those of a thread are in their order; across threads they are
    /// in the order in which they began, but for one that lasted longer than the recorder waits, which is later.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn calls(&mut self, calls: &[Call]) -> Result<(), TraceError> {
        for part in calls.chunks(BLOCK_CALLS) {
            let times = part.iter().map(|call| call.at_ns);
            let times = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
            self.chunk(Kind::Calls, part.len(), times, &columns::encode(part))?;
        }
        Ok(())
    }

    /// Ends the trace, and hands its file back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn end(mut self, end: &End) -> Result<W, TraceError> {
        self.json(Kind::End, end)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Passes what was written on to the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn flush(&mut self) -> Result<(), TraceError> {
        Ok(self.out.flush()?)
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn json(&mut self, kind: Kind, value: &impl serde::Serialize) -> Result<(), TraceError> {
        let raw = serde_json::to_vec(value).map_err(std::io::Error::from)?;
        self.chunk(kind, 1, (0, 0), &[raw])
    }

    fn chunk(
        &mut self,
        kind: Kind,
        count: usize,
        times: (u64, u64),
        parts: &[Vec<u8>],
    ) -> Result<(), TraceError> {
        self.bytes += chunk::write(&mut self.out, kind, count, times, parts)?;
        Ok(())
    }
}

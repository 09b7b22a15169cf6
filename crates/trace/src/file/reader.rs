//! Reads a trace: everything but its calls at once, those block by block.

use super::{
    BLOCK_CALLS, MAGIC, MOST_START_HANDLES, chunk,
    chunk::{HEAD_BYTES, Head, Kind},
    columns,
    error::{Damage, TraceError},
    names, start,
};
use crate::{
    call::{Call, Field, NONE},
    header::{End, Header},
    path::Paths,
    start::{StartEntry, StartHandle},
};
use std::io::{BufReader, Read, Seek, SeekFrom};

/// A block of calls, not yet read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    at: u64,
    head: Head,
}

impl Block {
    /// Its calls.
    pub fn calls(&self) -> usize {
        self.head.count as usize
    }

    /// When the first of its calls began, nanoseconds since the start of the recording.
    pub fn first_ns(&self) -> u64 {
        self.head.first_ns
    }

    /// When the last of its calls began.
    pub fn last_ns(&self) -> u64 {
        self.head.last_ns
    }
}

/// An open trace. What is whole up to a damaged part is there; [`Trace::is_cut`] says whether that is all.
pub struct Trace<R> {
    input: BufReader<R>,
    header: Header,
    contents: Contents,
    raw: Vec<u8>,
}

/// What the calls of a trace name, and what was there before them.
#[derive(Clone, Copy, Debug)]
pub struct Named<'t> {
    /// Every path.
    pub paths: &'t Paths,
    /// What was on the disk.
    pub entries: &'t [StartEntry],
    /// What was open.
    pub handles: &'t [StartHandle],
}

/// Reads the calls of a trace.
pub struct Calls<'t, R> {
    input: &'t mut BufReader<R>,
    raw: &'t mut Vec<u8>,
    blocks: &'t [Block],
    paths: usize,
}

impl<'t, R: Read + Seek> Calls<'t, R> {
    /// The blocks, in their order.
    pub fn blocks(&self) -> &'t [Block] {
        self.blocks
    }

    /// As [`Trace::read`].
    ///
    /// # Errors
    /// As there.
    pub fn read(&mut self, block: &Block, calls: &mut Vec<Call>) -> Result<(), TraceError> {
        let at = block.at;
        calls.clear();
        self.input.seek(SeekFrom::Start(at + HEAD_BYTES as u64))?;
        chunk::read(&mut *self.input, at, &block.head, self.raw)?;
        let read = columns::decode(self.raw, block.calls(), calls);
        if read.is_none() || !calls.iter().all(|call| names_paths_below(call, self.paths)) {
            calls.clear();
            return Err(Damage::new(at, "its calls are broken").into());
        }
        Ok(())
    }
}

#[derive(Default)]
struct Contents {
    paths: Paths,
    name_bytes: usize,
    entries: Vec<StartEntry>,
    handles: Vec<StartHandle>,
    blocks: Vec<Block>,
    end: Option<End>,
    damage: Option<Damage>,
}

impl<R: Read + Seek> Trace<R> {
    /// Reads all of a trace but its calls.
    ///
    /// # Errors
    /// It is not a trace, one of a later version, or has no whole header; or it cannot be read.
    pub fn open(input: R) -> Result<Self, TraceError> {
        let mut input = BufReader::new(input);
        let len = input.seek(SeekFrom::End(0))?;
        input.rewind()?;
        check_magic(&mut input)?;
        let mut raw = Vec::new();
        let mut at = MAGIC.len() as u64;
        let first = next(&mut input, at, len).map_err(as_header)?;
        let header = match first {
            Some(head) if head.kind == Kind::Header => {
                chunk::read(&mut input, at, &head, &mut raw).map_err(as_header)?;
                serde_json::from_slice(&raw)
                    .map_err(|error| TraceError::Header(Damage::new(at, error.to_string())))?
            }
            _ => return Err(TraceError::Header(Damage::new(at, "the first part is another"))),
        };
        at = input.stream_position()?;
        let mut trace = Trace { input, header, contents: Contents::default(), raw };
        while trace.contents.end.is_none() {
            match trace.read_next(&mut at, len) {
                Ok(true) => {}
                Ok(false) => break,
                Err(TraceError::Damaged(damage)) => {
                    trace.contents.damage = Some(damage);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(trace)
    }

    /// How and where it was recorded.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The paths that it names.
    pub fn paths(&self) -> &Paths {
        &self.contents.paths
    }

    /// What the disk held at the start.
    pub fn start_entries(&self) -> &[StartEntry] {
        &self.contents.entries
    }

    /// Descriptors that were open at the start.
    pub fn start_handles(&self) -> &[StartHandle] {
        &self.contents.handles
    }

    /// How the recording ended; `None` where the trace is cut.
    pub fn end(&self) -> Option<&End> {
        self.contents.end.as_ref()
    }

    /// Whether the end is missing.
    pub fn is_cut(&self) -> bool {
        self.contents.end.is_none()
    }

    /// What is wrong where the readable part ends; `None` where it ends between two parts.
    pub fn damage(&self) -> Option<&Damage> {
        self.contents.damage.as_ref()
    }

    /// Its blocks of calls, in their order.
    pub fn blocks(&self) -> &[Block] {
        &self.contents.blocks
    }

    /// How many calls it has.
    pub fn calls(&self) -> u64 {
        self.contents.blocks.iter().map(|block| u64::from(block.head.count)).sum()
    }

    /// Reads a block into `calls`, in place of what is there.
    ///
    /// # Errors
    /// The block is damaged, which leaves the others readable; or the file cannot be read.
    pub fn read(&mut self, block: &Block, calls: &mut Vec<Call>) -> Result<(), TraceError> {
        self.split().1.read(block, calls)
    }

    /// Splits it into the names and the initial state, and the reader of calls, so that one can be used while the other
    /// is borrowed.
    pub fn split(&mut self) -> (Named<'_>, Calls<'_, R>) {
        let Trace { input, contents, raw, .. } = self;
        let Contents { paths, entries, handles, blocks, .. } = contents;
        (Named { paths, entries, handles }, Calls { input, raw, blocks, paths: paths.len() })
    }

    /// Reads the chunk at `at` and moves behind it; false at the end of the file.
    fn read_next(&mut self, at: &mut u64, len: u64) -> Result<bool, TraceError> {
        let begin = *at;
        let Some(head) = next(&mut self.input, begin, len)? else { return Ok(false) };
        *at += HEAD_BYTES as u64 + u64::from(head.stored);
        if head.kind == Kind::Calls {
            if head.count as usize > BLOCK_CALLS {
                return Err(Damage::new(begin, "it has too many calls").into());
            }
            self.contents.blocks.push(Block { at: begin, head });
            self.input.seek_relative(head.stored.into())?;
            return Ok(true);
        }
        chunk::read(&mut self.input, begin, &head, &mut self.raw)?;
        let roots = self.header.roots.len();
        self.contents.take(&head, &self.raw, roots).map_err(|what| Damage::new(begin, what))?;
        Ok(true)
    }
}

impl Contents {
    fn take(&mut self, head: &Head, raw: &[u8], roots: usize) -> Result<(), String> {
        let (count, paths) = (head.count as usize, self.paths.len());
        match head.kind {
            Kind::Names => {
                names::decode(raw, count, roots, &mut self.paths, &mut self.name_bytes)?;
            }
            Kind::StartEntries => {
                let more =
                    start::decode_entries(raw, count, paths).ok_or("its entries are broken")?;
                // An entry for each path, and as many for those that were written twice.
                if self.entries.len() + more.len() > 2 * paths {
                    return Err("it has more entries than paths".into());
                }
                self.entries.extend(more);
            }
            Kind::StartHandles => {
                let more =
                    start::decode_handles(raw, count, paths).ok_or("its descriptors are broken")?;
                if self.handles.len() + more.len() > MOST_START_HANDLES {
                    return Err("it has too many descriptors".into());
                }
                self.handles.extend(more);
            }
            Kind::End => {
                self.end = Some(serde_json::from_slice(raw).map_err(|error| error.to_string())?);
            }
            Kind::Header | Kind::Calls => return Err("it is a second header".into()),
        }
        Ok(())
    }
}

fn check_magic(input: &mut impl Read) -> Result<(), TraceError> {
    let mut magic = [0; MAGIC.len()];
    if input.read_exact(&mut magic).is_err() || magic[..7] != MAGIC[..7] {
        return Err(TraceError::NotATrace);
    }
    if magic[7] == MAGIC[7] { Ok(()) } else { Err(TraceError::Version(magic[7])) }
}

/// The head at byte `at` of a file of `len` bytes, whose chunk is within the file; `None` at its end.
fn next(input: &mut impl Read, at: u64, len: u64) -> Result<Option<Head>, TraceError> {
    let rest = len.saturating_sub(at);
    if rest == 0 {
        return Ok(None);
    }
    let mut bytes = [0; HEAD_BYTES];
    if rest < HEAD_BYTES as u64 {
        return Err(Damage::new(at, "the file ends").into());
    }
    input.read_exact(&mut bytes)?;
    let head = Head::parse(&bytes).ok_or_else(|| Damage::new(at, "its head is broken"))?;
    if rest - (HEAD_BYTES as u64) < u64::from(head.stored) {
        return Err(Damage::new(at, "the file ends").into());
    }
    Ok(Some(head))
}

fn as_header(error: TraceError) -> TraceError {
    match error {
        TraceError::Damaged(damage) => TraceError::Header(damage),
        other => other,
    }
}

fn names_paths_below(call: &Call, paths: usize) -> bool {
    call.op.fields().iter().all(|field| match field {
        Field::Path => call.path == NONE || (call.path as usize) < paths,
        Field::Path2 => call.path2 == NONE || (call.path2 as usize) < paths,
        _ => true,
    })
}

//! The engine of copies from and to a shared mapping.
//!
//! The length of a file is looked up when it is mapped, and nothing beyond it is touched. Only a file
//! that is truncated meanwhile, or a hole for which the disk has no space, still ends the worker with
//! SIGBUS; its pool notices.

use super::{
    Advice, EngineError, EngineOptions, Op, buffers::Buffers, drive::Engine, error::fault,
};
use crate::map::{ReadMap, Sharing, WriteMap};
use rustix::mm;
use std::{fs::File, io};

#[derive(Debug)]
enum Map {
    Read(ReadMap),
    Write(WriteMap),
}

impl Map {
    fn new(file: &File, writes: bool, advise: Option<Advice>) -> io::Result<Map> {
        let len = file.metadata()?.len();
        let map = if writes {
            Map::Write(WriteMap::new(file, len)?)
        } else {
            Map::Read(ReadMap::new(file, len, Sharing::Shared, false)?)
        };
        let advice = match advise {
            None => return Ok(map),
            Some(Advice::Normal) => mm::Advice::Normal,
            Some(Advice::Random) => mm::Advice::Random,
            Some(Advice::Sequential) => mm::Advice::Sequential,
            Some(Advice::WillNeed) => mm::Advice::WillNeed,
        };
        match &map {
            Map::Read(read) => read.advise(advice)?,
            Map::Write(write) => write.advise(advice)?,
        }
        Ok(map)
    }
}

/// One copy at a time.
#[derive(Debug)]
pub(super) struct Mapped<'a> {
    files: &'a [File],
    maps: Box<[Map]>,
    pub(super) buffers: Buffers,
    done: Option<u32>,
}

impl<'a> Mapped<'a> {
    pub(super) fn new(
        options: &EngineOptions,
        files: &'a [File],
        writes: bool,
        buffers: Buffers,
    ) -> Result<Mapped<'a>, EngineError> {
        let map = |file| {
            Map::new(file, writes, options.advise)
                .map_err(|source| EngineError::file("map", file, source))
        };
        let maps = files.iter().map(map).collect::<Result<_, _>>()?;
        Ok(Mapped { files, maps, buffers, done: None })
    }
}

impl Engine for Mapped<'_> {
    /// Does it at once, as the engine of `pread` does.
    #[inline]
    fn stage(&mut self, slot: u32, op: Op) -> Result<(), EngineError> {
        let copied = match (self.maps.get_mut(op.file as usize), op.write) {
            (Some(Map::Read(map)), false) => map.read(op.offset, self.buffers.read_block(0)),
            (Some(Map::Write(map)), false) => map.read(op.offset, self.buffers.read_block(0)),
            (Some(Map::Write(map)), true) => map.write(op.offset, self.buffers.write_block(0)),
            _ => return Err(fault(self.files, op, &[], Ok(0))),
        };
        // The mapping refuses nothing but what lies beyond its end.
        copied.map_err(|_| {
            fault(self.files, Op { write: false, ..op }, self.buffers.read_block(0), Ok(0))
        })?;
        self.done = Some(slot);
        Ok(())
    }

    #[inline]
    fn submit(&mut self, _: u32, _: Option<u64>) -> Result<(), EngineError> {
        Ok(())
    }

    #[inline]
    fn completed(&mut self) -> Result<Option<u32>, EngineError> {
        Ok(self.done.take())
    }
}

//! The engine of `pread` and `pwrite`: an operation is done when it is staged.

use super::{
    EngineError, EngineOptions, Op, buffers::Buffers, drive::Engine, error::fault,
    file::RWF_DONTCACHE,
};
use rustix::io::{ReadWriteFlags, pread, preadv2, pwrite, pwritev2};
use std::{
    fs::File,
    io::{IoSlice, IoSliceMut},
};

/// One operation at a time.
#[derive(Debug)]
pub(super) struct Sync<'a> {
    files: &'a [File],
    pub(super) buffers: Buffers,
    done: Option<u32>,
    /// Of every call; with none, the calls without flags are used.
    flags: ReadWriteFlags,
}

impl<'a> Sync<'a> {
    pub(super) fn new(options: &EngineOptions, files: &'a [File], buffers: Buffers) -> Sync<'a> {
        let flags = if options.dontcache { RWF_DONTCACHE } else { ReadWriteFlags::empty() };
        Sync { files, buffers, done: None, flags }
    }
}

impl Engine for Sync<'_> {
    /// Does it at once: kept until it is submitted, an operation would be stored in parts and loaded as a
    /// whole, for which the processor has to wait.
    #[inline]
    fn stage(&mut self, slot: u32, op: Op) -> Result<(), EngineError> {
        let Some(file) = self.files.get(op.file as usize) else {
            return Err(fault(self.files, op, &[], Ok(0)));
        };
        let (block, moved) = if op.write {
            let block = self.buffers.write_block(0);
            let moved = match self.flags.is_empty() {
                true => pwrite(file, block, op.offset),
                false => pwritev2(file, &[IoSlice::new(block)], op.offset, self.flags),
            };
            (block, moved)
        } else {
            let block = self.buffers.read_block(0);
            let moved = match self.flags.is_empty() {
                true => pread(file, &mut *block, op.offset),
                false => preadv2(file, &mut [IoSliceMut::new(block)], op.offset, self.flags),
            };
            (&*block, moved)
        };
        match moved {
            Ok(moved) if moved == block.len() && moved > 0 => {
                self.done = Some(slot);
                Ok(())
            }
            moved => Err(fault(self.files, op, block, moved.map_err(Into::into))),
        }
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

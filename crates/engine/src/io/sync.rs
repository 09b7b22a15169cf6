//! The engine of `pread` and `pwrite`: an operation is done when it is staged.

use super::{EngineError, Op, buffers::Buffers, drive::Engine, error::fault};
use rustix::io::{pread, pwrite};
use std::fs::File;

/// One operation at a time.
#[derive(Debug)]
pub(super) struct Sync<'a> {
    files: &'a [File],
    pub(super) buffers: Buffers,
    done: Option<u32>,
}

impl<'a> Sync<'a> {
    pub(super) fn new(files: &'a [File], buffers: Buffers) -> Sync<'a> {
        Sync { files, buffers, done: None }
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
            (block, pwrite(file, block, op.offset))
        } else {
            let block = self.buffers.read_block(0);
            let moved = pread(file, &mut *block, op.offset);
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

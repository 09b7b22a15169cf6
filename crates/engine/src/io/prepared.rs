//! Sets up an engine: everything that must not be timed.

use super::{
    Done, EngineError, EngineKind, EngineOptions, Latencies, OpSource, Work,
    buffers::Buffers,
    drive::{Slots, drive},
    file::check,
    mapped::Mapped,
    null::Null,
    sync::Sync,
    uring::Uring,
};
use crate::data::Pattern;
use std::{fs::File, thread::available_parallelism};

enum AnyEngine<'a> {
    Sync(Sync<'a>),
    Uring(Box<Uring<'a>>),
    Mapped(Mapped<'a>),
    Null(Null),
}

/// An engine with its files and memory. Belongs to the thread that made it.
pub struct Prepared<'a> {
    kind: AnyEngine<'a>,
    slots: Slots,
    block_bytes: u32,
}

impl std::fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("slots", &self.slots).finish_non_exhaustive()
    }
}

impl<'a> Prepared<'a> {
    /// Sets an engine up for operations of `block_bytes` on `files`, which [`super::open`] opened as
    /// `options` say. What is written comes from `content`; without it there are no writes.
    ///
    /// # Errors
    /// For options that make no sense together, a kernel without io_uring, and files that do not
    /// take such operations.
    pub fn new(
        options: &EngineOptions,
        files: &'a [File],
        block_bytes: u32,
        content: Option<&Pattern>,
    ) -> Result<Prepared<'a>, EngineError> {
        if let Some(problem) = options.problem(available_parallelism().map_or(1, Into::into)) {
            return Err(EngineError::Options(problem));
        }
        if options.kind != EngineKind::Null {
            files.iter().try_for_each(|file| check(file, options, block_bytes))?;
        }
        let buffers = || Buffers::new(options.depth, block_bytes, content);
        let kind = match options.kind {
            EngineKind::Null => AnyEngine::Null(Null::new(options.delay_ns)),
            EngineKind::Sync => AnyEngine::Sync(Sync::new(options, files, buffers()?)),
            EngineKind::IoUring => {
                AnyEngine::Uring(Box::new(Uring::new(options, files, block_bytes, buffers()?)?))
            }
            EngineKind::Mmap => {
                AnyEngine::Mapped(Mapped::new(options, files, content.is_some(), buffers()?)?)
            }
        };
        Ok(Prepared { kind, slots: Slots::new(options.depth, options.batch), block_bytes })
    }

    /// The timed part. May be called again, also after an error.
    ///
    /// # Errors
    /// The first operation that fails ends it: nothing is in flight any more when this returns, and
    /// what was done until then is in `latencies` and in the progress.
    pub fn run<S: OpSource>(
        &mut self,
        work: Work<'_, S>,
        latencies: &mut Latencies,
    ) -> Result<Done, EngineError> {
        let (slots, block_bytes) = (&mut self.slots, self.block_bytes);
        match &mut self.kind {
            AnyEngine::Sync(engine) => drive(engine, slots, block_bytes, work, latencies),
            AnyEngine::Uring(engine) => drive(&mut **engine, slots, block_bytes, work, latencies),
            AnyEngine::Mapped(engine) => drive(engine, slots, block_bytes, work, latencies),
            AnyEngine::Null(engine) => drive(engine, slots, block_bytes, work, latencies),
        }
    }
}

//! A sequential read of one file of each set, from a cold cache.

use super::{
    overwrite::extent_metrics,
    set::CloneSets,
    settings::{CHUNK_BYTES, Which},
};
use crate::{Meter, Run, TestError};
use engine::{aligned::Aligned, extents::Extents, progress::Progress};
use model::{figure::Metric, workload::PhaseKind};
use std::{fs::File, os::unix::fs::FileExt};

/// The parts of a run.
pub(super) struct ReadRun<'a> {
    which: Which,
    sets: CloneSets<'a>,
    buffer: Aligned,
    extents: Vec<Extents>,
}

impl<'a> ReadRun<'a> {
    pub(super) fn new(which: Which, sets: CloneSets<'a>) -> ReadRun<'a> {
        let buffer = Aligned::new(CHUNK_BYTES as usize);
        ReadRun { which, sets, buffer, extents: Vec::new() }
    }

    fn read(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        for copy in 0..self.sets.copies {
            let path = self.sets.path(self.which, copy);
            let file = File::open(&path).map_err(TestError::io("open", &path))?;
            let mut at = 0;
            while at < self.sets.file_bytes {
                let read = file.read_at(self.buffer.bytes(), at);
                let got = read.map_err(TestError::io("read", &path))?;
                if got == 0 {
                    let why = format!("{at} bytes instead of {}", self.sets.file_bytes);
                    return Err(TestError::Wrong { path, why });
                }
                at += got as u64;
                progress.add(got as u64, 1);
            }
        }
        Ok(())
    }
}

impl Run for ReadRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Read, &mut |progress| self.read(progress))
    }

    fn verify(&mut self) -> Result<(), TestError> {
        for copy in 0..self.sets.copies {
            self.sets.check(self.which, copy)?;
        }
        self.extents = self.sets.extents(self.which);
        Ok(())
    }

    fn footprint_bytes(&self) -> u64 {
        self.sets.copies * self.sets.file_bytes
    }

    fn metrics(&mut self) -> Vec<Metric> {
        extent_metrics(self.which, &self.extents)
    }
}

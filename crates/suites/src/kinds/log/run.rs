//! The timed part of a log: records into the file, and what the file must hold after them.

use super::{Space, Sync};
use crate::{Meter, Run, TestError, commits::Client};
use engine::{clock::now_ns, data::Data};
use model::{
    figure::{Histogram, Metric, Synced},
    workload::PhaseKind,
};
use rustix::fs::{FallocateFlags, fallocate};
use std::{
    fs::{self, File},
    ops::Range,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

pub(super) fn allocate(file: &File, path: &Path, bytes: u64) -> Result<(), TestError> {
    fallocate(file, FallocateFlags::empty(), 0, bytes)
        .map_err(|errno| TestError::io("fallocate", path)(errno.into()))
}

/// The file, and how records get into it.
pub(super) struct Log {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) sync: Sync,
    pub(super) space: Space,
    pub(super) record: u64,
    pub(super) segment: u64,
}

impl Log {
    /// Appends record `k`; returns when it was durable.
    pub(super) fn append(&self, k: u64, bytes: &[u8]) -> Result<u64, TestError> {
        let at = k * self.record % self.segment;
        if at == 0 && k > 0 {
            self.begin_again()?;
        }
        self.file.write_all_at(bytes, at).map_err(TestError::io("write", &self.path))?;
        match self.sync {
            Sync::Fdatasync => self.file.sync_data(),
            Sync::Fsync => self.file.sync_all(),
            Sync::ODsync | Sync::None => Ok(()),
        }
        .map_err(TestError::io("sync", &self.path))?;
        Ok(now_ns())
    }

    fn begin_again(&self) -> Result<(), TestError> {
        if self.space == Space::Written {
            return Ok(());
        }
        self.file.set_len(0).map_err(TestError::io("truncate", &self.path))?;
        match self.space {
            Space::Fallocate => allocate(&self.file, &self.path, self.segment),
            Space::Grow | Space::Written => Ok(()),
        }
    }

    /// The records that the file holds after `count` were appended, and its size.
    pub(super) fn holds(&self, count: u64) -> (Range<u64>, u64) {
        let per_segment = self.segment / self.record;
        let begun = count.saturating_sub(1) / per_segment * per_segment;
        match self.space {
            Space::Written => (count.saturating_sub(per_segment)..count, self.segment),
            Space::Fallocate => (begun..count, self.segment),
            Space::Grow => (begun..count, (count - begun) * self.record),
        }
    }
}

pub(super) struct LogRun {
    pub(super) client: Client,
    pub(super) data: Data,
    /// Share of the data that no compressor can save.
    pub(super) incompressible_share: f64,
    pub(super) log: Log,
}

impl LogRun {
    fn wrong(&self, why: String) -> TestError {
        TestError::Wrong { path: self.log.path.clone(), why }
    }
}

/// Record `k`. Each begins a run of whole words in `data`; of the last one bytes may be left out.
pub(super) fn record(data: &Data, k: u64, bytes: u64) -> &[u8] {
    let words = bytes.div_ceil(8);
    let run = data.piece_bytes(k * words, words);
    &run[..run.len().min(bytes as usize)]
}

impl Run for LogRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let LogRun { client, data, log, .. } = self;
        meter.phase(PhaseKind::Operate, &mut |progress| {
            client.run(now_ns(), |k| {
                let durable_ns = log.append(k, record(data, k, log.record))?;
                progress.add(log.record, 1);
                Ok(durable_ns)
            })
        })?;
        meter.phase(PhaseKind::Sync, &mut |_| {
            log.file.sync_all().map_err(TestError::io("fsync", &log.path))
        })
    }

    fn verify(&mut self) -> Result<(), TestError> {
        let Log { file, path, record: size, segment, .. } = &self.log;
        let (records, expected) = self.log.holds(self.client.commits);
        let found = file.metadata().map_err(TestError::io("stat", path))?.len();
        if found != expected {
            return Err(self.wrong(format!("{found} bytes instead of {expected}")));
        }
        let mut read = vec![0; *size as usize];
        for k in records {
            file.read_exact_at(&mut read, k * size % segment)
                .map_err(TestError::io("read", path))?;
            if read != record(&self.data, k, *size) {
                return Err(self.wrong(format!("record {k} is not what was committed")));
            }
        }
        fs::remove_file(path).map_err(TestError::io("remove", path))
    }

    /// Overwritten and truncated data is not counted.
    fn synced(&self) -> Option<Synced> {
        let (records, _) = self.log.holds(self.client.commits);
        let bytes = (records.end - records.start) * self.log.record;
        let data = Synced::data(bytes, self.incompressible_share);
        Some(Synced { throughout: self.log.sync != Sync::None, ..data })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        self.client.histograms()
    }

    fn metrics(&mut self) -> Vec<Metric> {
        self.client.metrics()
    }
}

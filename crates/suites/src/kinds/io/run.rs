//! A run: open, do the work, make it durable, and check it afterwards.

use super::{
    files,
    layout::{FOLDER, Layout, Share, shares},
    load::{ThreadWork, Threads},
    replay,
    settings::{Fsync, Settings},
};
use crate::{Meter, Run, TestError};
use engine::io::EngineKind;
use model::{
    figure::{Better, Histogram, Metric, Synced},
    result::BUFFERED_BELOW,
    workload::{CacheNeed, Job, PhaseKind},
};
use std::{
    fs::{self, File},
    path::PathBuf,
};

pub(super) struct IoRun<'a> {
    settings: &'a Settings,
    job: &'a Job,
    layout: Layout,
    paths: Vec<PathBuf>,
    files: Vec<File>,
    shares: Vec<Share>,
    ended: Vec<ThreadWork>,
    /// The block size from which the file system supports direct I/O, if these blocks go through the page cache.
    buffered_below: Option<u32>,
}

impl<'a> IoRun<'a> {
    pub(super) fn new(settings: &'a Settings, job: &'a Job) -> Result<IoRun<'a>, TestError> {
        let layout = Layout::new(settings, job);
        let paths = files::paths(&layout, job);
        let files = files::open(&layout, &paths, settings.rw.writes(), settings.direct)?;
        let is_uncached = settings.dontcache && settings.cache() == CacheNeed::Any;
        if settings.direct || is_uncached {
            files::forget(&paths)?;
        }
        let shares = shares(settings, &layout, job);
        let block = u32::try_from(settings.block.0).unwrap_or(u32::MAX);
        let buffered_below = match files.first().filter(|_| settings.direct) {
            Some(file) => engine::io::buffered_below(file, block)?,
            None => None,
        };
        let ended = Vec::new();
        Ok(IoRun { settings, job, layout, paths, files, shares, ended, buffered_below })
    }

    fn kind(&self) -> PhaseKind {
        match (self.settings.rw.reads(), self.settings.rw.writes()) {
            (true, false) => PhaseKind::Read,
            (false, true) => PhaseKind::Write,
            _ => PhaseKind::Operate,
        }
    }

    fn check_lengths(&self) -> Result<(), TestError> {
        for (nth, path) in self.paths.iter().enumerate() {
            let bytes = fs::metadata(path).map_err(TestError::io("stat", path))?.len();
            let end = || replay::end_of_file(&self.shares, &self.ended, nth);
            // How far others came in a new file that is shared is not known here.
            let expected = match (self.layout.new, self.layout.slice) {
                (true, Some(_)) => end()..=self.layout.file_bytes,
                (true, None) => end()..=end(),
                (false, _) => self.layout.file_bytes..=self.layout.file_bytes,
            };
            if !expected.contains(&bytes) {
                let why = format!("{bytes} bytes instead of {}", expected.start());
                return Err(TestError::Wrong { path: path.clone(), why });
            }
        }
        Ok(())
    }
}

/// Files of a run that failed go as well; what remains then, the next fill removes.
impl Drop for IoRun<'_> {
    fn drop(&mut self) {
        if !self.layout.stays() {
            let _ = files::remove_new(&self.job.dir.join(FOLDER));
        }
    }
}

impl Run for IoRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let threads = Threads {
            options: self.settings.engine_options(),
            files: &self.files,
            paths: &self.paths,
            shares: &self.shares,
        };
        self.ended = threads.run(self.kind(), meter)?;
        if self.settings.fsync() != Fsync::End {
            return Ok(());
        }
        meter.phase(PhaseKind::Sync, &mut |progress| {
            files::sync(&self.layout, &self.files, &self.paths)?;
            progress.add(0, 0);
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<(), TestError> {
        if self.settings.engine == EngineKind::Null {
            return Ok(());
        }
        self.check_lengths()?;
        if self.settings.rw.writes() {
            replay::verify(&self.shares, &self.ended, &self.paths, self.settings)?;
        }
        if self.settings.direct {
            files::forget(&self.paths)?;
        }
        match self.layout.stays() {
            true => Ok(()),
            false => files::remove_new(&self.job.dir.join(FOLDER)),
        }
    }

    fn footprint_bytes(&self) -> u64 {
        // The proof of cold alone asks for it.
        match self.settings.cache() {
            CacheNeed::Cold => replay::footprint_bytes(&self.shares, &self.ended, &self.layout),
            _ => 0,
        }
    }

    fn synced(&self) -> Option<Synced> {
        let fsync = self.settings.fsync();
        if !self.settings.rw.writes() || fsync == Fsync::Never || self.paths.is_empty() {
            return None;
        }
        // What was written before the timed part may have gone before it, too.
        let written = match self.settings.ramp_s > 0.0 {
            true => 0,
            false => replay::written_bytes(&self.shares, &self.ended, &self.layout),
        };
        let data = Synced::data(written, self.job.data.incompressible_share());
        Some(Synced { throughout: fsync != Fsync::End, ..data })
    }

    fn metrics(&mut self) -> Vec<Metric> {
        let below = self.buffered_below.map(f64::from);
        below
            .map(|bytes| Metric::new(BUFFERED_BELOW, bytes, "B", Better::Lower))
            .into_iter()
            .collect()
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        Histogram::merged(self.ended.iter().flat_map(|ended| &ended.histograms))
    }
}

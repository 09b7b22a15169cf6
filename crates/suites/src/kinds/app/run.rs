//! One timed run of a command.

use super::AppTest;
use crate::{
    Meter, Run, TestError,
    program::{self, Program, Ran},
};
use model::{
    figure::{Better, Metric, Synced},
    workload::{Job, PhaseKind},
};
use std::{
    fs::{self, File},
    path::Path,
};

/// Size of a page, in which files are read.
const PAGE_BYTES: u64 = 4096;

/// A command that is ready to run.
pub(super) struct AppRun<'a> {
    test: &'a AppTest,
    job: &'a Job,
    command: Program,
    home: File,
    ran: Ran,
    cleaned: bool,
}

impl<'a> AppRun<'a> {
    /// Opens the directory and reads the programs, which a cold cache has lost too: they are on
    /// another file system, whose speed is not the question.
    pub(super) fn new(test: &'a AppTest, job: &'a Job) -> Result<AppRun<'a>, TestError> {
        let home = test.home(job);
        let programs = test.settings.needs.iter().filter_map(|name| program::find(name));
        for path in programs.chain([Path::new("/bin/sh").to_path_buf()]) {
            fs::read(&path).map_err(TestError::io("read", &path))?;
        }
        Ok(AppRun {
            test,
            job,
            command: test.program(&test.settings.command, job)?,
            home: File::open(&home).map_err(TestError::io("open", &home))?,
            ran: Ran::default(),
            cleaned: false,
        })
    }

    fn clean_up(&mut self) -> Result<(), TestError> {
        self.cleaned = true;
        let marker = self.test.prepared(self.job);
        if marker.exists() {
            fs::remove_file(&marker).map_err(TestError::io("remove", &marker))?;
        }
        self.test.run_untimed(&self.test.settings.cleanup, self.job)
    }
}

impl Run for AppRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Operate, &mut |progress| {
            self.ran = self.command.run()?;
            progress.add(0, 1);
            Ok(())
        })?;
        if !self.test.settings.sync {
            return Ok(());
        }
        meter.phase(PhaseKind::Sync, &mut |progress| {
            sync(&self.home, &self.test.home(self.job))?;
            progress.add(0, 1);
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<(), TestError> {
        let verified = self.test.run_untimed(&self.test.settings.verify, self.job);
        let cleaned = self.clean_up();
        verified.and(cleaned)
    }

    fn footprint_bytes(&self) -> u64 {
        let files = self.test.files_of(&self.test.settings.reads, self.job);
        let sizes = files.iter().filter_map(|path| path.metadata().ok()).map(|meta| meta.len());
        sizes.map(|bytes| bytes.next_multiple_of(PAGE_BYTES)).sum()
    }

    /// The bytes that the command wrote are unknown.
    fn synced(&self) -> Option<Synced> {
        self.test.settings.sync.then_some(Synced { throughout: true, ..Synced::FLUSH })
    }

    fn metrics(&mut self) -> Vec<Metric> {
        let lower =
            |name: &str, value: f64, unit: &str| Metric::new(name, value, unit, Better::Lower);
        vec![
            lower("user_s", self.ran.user_s, "s"),
            lower("sys_s", self.ran.sys_s, "s"),
            lower("peak_memory_mb", self.ran.peak_memory_bytes as f64 / 1e6, "MB"),
        ]
    }
}

impl Drop for AppRun<'_> {
    /// A command that failed leaves no more behind than one that did not; its error is the one to
    /// tell.
    fn drop(&mut self) {
        if !self.cleaned {
            let _ = self.clean_up();
        }
    }
}

/// Makes all that was done on the file system of `dir` durable.
pub(super) fn sync_file_system(dir: &Path) -> Result<(), TestError> {
    let file = File::open(dir).map_err(TestError::io("open", dir))?;
    sync(&file, dir)
}

fn sync(file: &File, dir: &Path) -> Result<(), TestError> {
    rustix::fs::syncfs(file).map_err(|why| TestError::io("sync", dir)(why.into()))
}

//! Writing whole columns: the ancestor's `set`, and the sync after it.

use super::{
    column::{self, Column, ColumnFile, Payload, create_parent, remove},
    explain,
    measure::{self, Basis},
    row::Row,
    settings::SetMode,
    sizes::Sizes,
    sync::Durable,
};
use crate::{Estimate, Measured, Meter, Run, Stretch, Test, TestError};
use model::{CacheNeed, CrewReport, Job, PhaseKind, Synced, TestInfo};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

/// Writes `header` and then `body` to a new file, and puts it in the place of `path`. Not synced.
pub(super) fn set(
    path: &Path,
    mode: SetMode,
    header: &[u8],
    body: &mut dyn FnMut(&File) -> Result<(), TestError>,
) -> Result<(), TestError> {
    let written = match mode {
        SetMode::Rename => temporary(path),
        SetMode::Trunc => path.to_path_buf(),
    };
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&written)
        .map_err(TestError::io("create", &written))?;
    file.write_all(header).map_err(TestError::io("write", &written))?;
    body(&file)?;
    drop(file);
    if mode == SetMode::Rename {
        fs::rename(&written, path).map_err(TestError::io("rename to", path))?;
    }
    Ok(())
}

/// The name beside `path` under which a new file is written.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".new");
    path.with_file_name(name)
}

/// `set` of one column that is not there before, or of several.
pub(super) struct SetTest {
    pub(super) row: Row,
    pub(super) sync: Row,
    pub(super) file: ColumnFile,
}

impl SetTest {
    fn rows(&self, job: &Job) -> u64 {
        Column::new(self.file, job).rows * u64::from(Sizes::new(job).copies())
    }
}

impl Test for SetTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.rate("durable_rate"), self.sync.sync()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    /// Removes what an earlier run left: replacing a file costs more than creating one.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        column::paths(self.file, job).iter().try_for_each(|path| {
            create_parent(path)?;
            remove(path)
        })
    }

    fn stretch(&self) -> Stretch {
        Stretch::Copies(self.file.material())
    }

    /// Between two operations nothing is under way.
    fn can_be_held(&self, job: &Job) -> bool {
        self.threads(job) <= 1
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let columns = Column::copies(self.file, job);
        columns.iter().try_for_each(|column| create_parent(&column.path))?;
        let durable = Durable::of(&columns, job);
        let payloads = columns.iter().map(Column::payload).collect();
        Ok(Box::new(SetRun { columns, payloads, durable }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let copies = u64::from(Sizes::new(job).copies());
        let bytes = copies * Column::new(self.file, job).file_bytes();
        let ops = copies - 1;
        Estimate { write_bytes: bytes, disk_bytes: bytes, ops, ..Estimate::default() }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        column::space(&[self.file], job)
    }

    fn measure(&self, job: &Job, crew: &CrewReport) -> Vec<Measured> {
        let elements = self.rows(job);
        vec![
            measure::write(self.row.id, crew, elements, Basis::WRITE),
            measure::sync(self.sync.id, crew, elements, Basis::SYNC),
        ]
    }

    fn explain(&self, id: &str) -> String {
        explain::set(self, id)
    }
}

struct SetRun {
    columns: Vec<Column>,
    payloads: Vec<Payload>,
    durable: Durable,
}

impl Run for SetRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Write, &mut |progress| {
            let mut columns = self.columns.iter().zip(&self.payloads);
            columns.try_for_each(|(column, payload)| column.set(payload, progress))
        })?;
        self.durable.phases(meter)
    }

    fn verify(&mut self) -> Result<(), TestError> {
        self.columns.iter().try_for_each(|column| column.check(0))
    }

    fn synced(&self) -> Option<Synced> {
        self.durable.synced()
    }

    fn command_chars(&self) -> u32 {
        self.durable.command_chars()
    }
}

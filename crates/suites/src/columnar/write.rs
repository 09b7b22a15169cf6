//! Writing whole columns: the original suite's `set`, and the sync after it.

use super::{
    column::{self, Column, ColumnFile, Payload, create_parent, remove},
    explain,
    measure::{self, Basis},
    page::{Figures, Page},
    row::Row,
    sizes::Sizes,
    sync::Durable,
};
use crate::{Estimate, Measured, Meter, Run, Stretch, Test, TestError};
use model::{
    figure::Synced,
    workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo},
};
use std::path::PathBuf;

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
        Stretch::Copies(self.file.path)
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
        let payloads = column::payloads(&columns);
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

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let elements = self.rows(job);
        vec![
            measure::write(self.row.id, pool, elements, Basis::WRITE),
            measure::sync(self.sync.id, pool, elements, Basis::SYNC),
        ]
    }

    fn explain(&self, id: &str) -> String {
        page_of(self, id)
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

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &SetTest, id: &str) -> String {
    let syncs = id == test.sync.id;
    let mut page = Page::new(if syncs { test.sync } else { test.row }, test.cache());
    page.about(&format!(
        "A whole column is written to a new file `{}`, as kdb+ does when a table is saved (`set`), and then synced. The column holds {}.",
        test.file.path,
        explain::column_calls(&test.file)
    ));
    page.steps(
        "Write",
        &[
            "open a temporary file next to the target (`O_WRONLY|O_CREAT|O_TRUNC`)",
            "write(2) the header, then the data in chunks of `write_chunk`",
            "close, then rename over the target; nothing is synced yet",
        ],
    );
    explain::sync_steps(&mut page, "the file");
    explain::vector(&mut page, test.file);
    page.longer(test.stretch());
    page.figures(if syncs { Figures::Sync } else { Figures::Write });
    page.reading(if syncs {
        "This is what the page cache still owed when the write returned. A file system that starts to write early shows a fast sync after a slower write; judge the two together by the durable rate of the write."
    } else {
        "A high `cache_rate` next to a low `durable_rate` means that memory was measured, not storage. Tiny and small vectors are ruled by the cost of creating, renaming and syncing one file; large ones by allocation and bandwidth."
    });
    if syncs {
        page.caveats(&[explain::INFLATED, explain::SPAWNED]);
    } else {
        page.caveats(&[
            "The target does not exist before, so no old file is replaced; the sort tests measure that.",
            "`nano_rate` counts 8 bytes for every row, also where a symbol takes 5, and adds the rates of the workers.",
        ]);
    }
    page.guesses(
        "That `set` goes through a temporary file is inferred from the calls that its vendor lists; the size of its writes is not known.",
        &["set_mode", "write_chunk", "sym", "dontcache"],
    );
    page.text()
}

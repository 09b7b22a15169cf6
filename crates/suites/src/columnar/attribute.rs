//! Marking the sorted column as parted.

use super::{
    column::{self, Column, SYM_TABLE, create_parent},
    explain,
    kdb::{Format, PARTED, SORTED},
    measure::{self, Basis},
    page::{Figures, Page},
    put::fsync,
    put::set,
    row::Row,
    settings::Settings,
    sizes::Sizes,
    symbols::{SymbolWriter, read_ids},
    sync::Durable,
};
use crate::{Estimate, Measured, Meter, Run, Stretch, Test, TestError};
use engine::{
    data::SYMBOLS,
    progress::{Counters, Progress},
};
use model::{
    figure::Synced,
    workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo},
};
use std::{io::Write, path::PathBuf};

/// `p#`: the sorted column read, checked and written again with another mark.
pub(super) struct AttributeTest {
    pub(super) row: Row,
    pub(super) sync: Row,
}

impl Test for AttributeTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.rate("durable_rate"), self.sync.sync()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        Column::copies(SYM_TABLE, job).iter().try_for_each(|column| fill_sorted(column, job))
    }

    fn stretch(&self) -> Stretch {
        Stretch::Copies(SYM_TABLE.path)
    }

    /// Between two operations nothing is under way.
    fn can_be_held(&self, job: &Job) -> bool {
        self.threads(job) <= 1
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        column::paths(SYM_TABLE, job)
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let columns = Column::copies(SYM_TABLE, job);
        // Equal symbols are adjacent.
        let durable = Durable { incompressible_share: 0.0, ..Durable::of(&columns, job) };
        Ok(Box::new(AttributeRun { columns, settings: Settings::new(job), durable }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let bytes = Column::new(SYM_TABLE, job).file_bytes();
        let copies = u64::from(Sizes::new(job).copies());
        Estimate {
            write_bytes: copies * bytes,
            read_bytes: copies * bytes,
            scratch_bytes: bytes,
            ..Default::default()
        }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        column::space(&[SYM_TABLE], job)
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let copies = u64::from(Sizes::new(job).copies());
        let elements = Column::new(SYM_TABLE, job).rows * copies;
        vec![
            measure::write(self.row.id, pool, elements, Basis::WRITE),
            measure::sync(self.sync.id, pool, elements, Basis::SYNC),
        ]
    }

    fn explain(&self, id: &str) -> String {
        page_of(self, id)
    }
}

/// Makes the sorted column that is missing.
fn fill_sorted(column: &Column, job: &Job) -> Result<(), TestError> {
    if column.open_checked(SORTED).is_ok() {
        return Ok(());
    }
    create_parent(&column.path)?;
    let mut counts = vec![0u64; SYMBOLS];
    (0..column.rows).for_each(|row| counts[column.word(row) as usize] += 1);
    let ids = counts.iter().enumerate().flat_map(|(id, &n)| (0..n).map(move |_| id as u64));
    let settings = Settings::new(job);
    let mut writer = SymbolWriter::new(column, settings.write_chunk_bytes);
    let (mut ids, unseen) = (Some(ids), Counters::default());
    let header = column.format.header(SORTED, column.rows);
    set(&column.path, settings.set_mode, &header, &mut |file| {
        ids.take().map_or(Ok(()), |ids| writer.write(file, ids, Progress::new(&unseen)))
    })?;
    fsync(&column.path)
}

struct AttributeRun {
    columns: Vec<Column>,
    settings: Settings,
    durable: Durable,
}

impl AttributeRun {
    fn add(&self, sym: &Column, progress: Progress<'_>) -> Result<(), TestError> {
        /// Bytes of the index that a fixed-width column carries for each distinct value.
        const INDEX_BYTES: usize = 24;
        let ids = read_ids(sym)?;
        let distinct = parted(&ids).ok_or_else(|| sym.wrong("it is not parted".into()))?;
        let header = sym.format.header(PARTED, sym.rows);
        let mut writer = SymbolWriter::new(sym, self.settings.write_chunk_bytes);
        set(&sym.path, self.settings.set_mode, &header, &mut |mut file| {
            writer.write(file, ids.iter().map(|&id| u64::from(id)), progress)?;
            if sym.format == Format::Enumerated {
                let index = vec![0; INDEX_BYTES * distinct];
                file.write_all(&index).map_err(TestError::io("write", &sym.path))?;
            }
            Ok(())
        })
    }
}

/// The number of distinct ids when equal ones are adjacent.
fn parted(ids: &[u16]) -> Option<usize> {
    let mut seen = vec![false; SYMBOLS];
    let mut parts = ids.chunk_by(|a, b| a == b);
    parts.try_fold(0, |n, part| {
        (!std::mem::replace(&mut seen[usize::from(part[0])], true)).then_some(n + 1)
    })
}

impl Run for AttributeRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Write, &mut |progress| {
            self.columns.iter().try_for_each(|sym| self.add(sym, progress))
        })?;
        self.durable.phases(meter)
    }

    fn verify(&mut self) -> Result<(), TestError> {
        self.columns.iter().try_for_each(|sym| sym.open_checked(PARTED).map(drop))
    }

    fn synced(&self) -> Option<Synced> {
        self.durable.synced()
    }

    fn command_chars(&self) -> u32 {
        self.durable.command_chars()
    }
}

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &AttributeTest, id: &str) -> String {
    let syncs = id == test.sync.id;
    let mut page = Page::new(if syncs { test.sync } else { test.row }, test.cache());
    page.about("The sorted symbol column gets the mark that equal values stand together (`p#`). One byte changes, and yet the whole file is replaced: published times leave no other reading.");
    page.steps(
        "Write",
        &[
            "read all of the column with read(2)",
            "check that equal symbols stand together",
            "write it with the new mark to a temporary file, rename it over the old one",
        ],
    );
    explain::sync_steps(&mut page, "the column");
    page.size("rows", |job| Column::new(super::column::SYM_TABLE, job).rows);
    page.size("bytes written", |job| test.estimate(job).write_bytes);
    page.longer(test.stretch());
    page.figures(if syncs { Figures::Sync } else { Figures::Write });
    page.reading("A file is read from the page cache and replaced. On ext4 the rename waits for the data of the new file; XFS leaves that to the sync. Compare durable rates.");
    page.caveats(&[
        "The column is in the page cache after the sort; run alone, it is made and left there.",
        if syncs { explain::INFLATED } else { "`nano_rate` counts 8 bytes a row, 5 are written." },
        explain::SPAWNED,
    ]);
    page.guesses("Enumerated columns get an index of 24 zero bytes for each distinct symbol: its true content is not public, its size hardly matters.", &["set_mode", "write_chunk", "sym", "dontcache"]);
    page.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parted_means_together_not_sorted() {
        assert_eq!(parted(&[2, 2, 1, 5, 5]), Some(3));
        assert_eq!(parted(&[2, 1, 2]), None);
        assert_eq!(parted(&[]), Some(0));
    }
}

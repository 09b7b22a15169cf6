//! Sorting the table on disk by its symbols.

use super::{
    column::{
        self, Column, ColumnFile, DOMAIN, FLOAT_TABLE, SYM_TABLE, TABLE_DIR, TABLE_NAMES, domain,
        path_of_copy,
    },
    get::{gather, get_resident},
    kdb::{self, SORTED},
    measure::{self, Basis},
    page::{Figures, Page},
    put::fsync,
    put::set,
    row::Row,
    settings::{SetMode, Settings},
    sizes::Sizes,
    symbols::{SymbolWriter, read_ids},
    sync::{Durable, mean_share},
};
use crate::{Estimate, Measured, Meter, Run, Stretch, Test, TestError};
use engine::{
    data::{SYMBOLS, bytes_of},
    map::PAGE_BYTES,
    progress::{Counters, Progress},
};
use model::{
    figure::Synced,
    workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo},
};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

const TABLE: [ColumnFile; 2] = [SYM_TABLE, FLOAT_TABLE];

/// Rows of the sorted table that verification looks at.
const CHECKED_ROWS: u64 = 64;

/// `xasc`: both columns in the order of the symbols, then the sorted mark.
pub(super) struct SortTest {
    pub(super) row: Row,
    pub(super) sync: Row,
}

impl Test for SortTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.rate("durable_rate"), self.sync.sync()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Cold
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        TABLE.iter().try_for_each(|file| column::fill(&Column::copies(*file, job)))?;
        let names: [&[u8]; 2] = [b"sym", b"floatcol"];
        for table in tables(job) {
            write_synced(&table.names, &kdb::symbol_file(0, names.into_iter()))?;
        }
        let domain = domain(job);
        let symbols = kdb::symbol_file(2, domain.names().iter().map(|name| &name[..]));
        write_synced(&job.dir.join(DOMAIN), &symbols)
    }

    fn stretch(&self) -> Stretch {
        Stretch::Copies(TABLE_DIR)
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        TABLE.iter().flat_map(|file| column::paths(*file, job)).collect()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let tables = tables(job);
        let columns: Vec<Column> =
            tables.iter().flat_map(|table| [table.sym.clone(), table.float.clone()]).collect();
        // The original suite syncs the directory alone.
        let spawned = if job.work.is_none() { vec![job.dir.join(TABLE_DIR)] } else { Vec::new() };
        // Equal symbols are adjacent when they are sorted.
        let sorted_share = |column: &Column| match column.domain {
            Some(_) => 0.0,
            None => column.incompressible_share,
        };
        let incompressible_share = mean_share(&columns, sorted_share);
        let durable = Durable { spawned, incompressible_share, ..Durable::of(&columns, job) };
        Ok(Box::new(SortRun {
            tables,
            settings: Settings::new(job),
            threads: job.threads,
            durable,
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let [sym, float] = TABLE.map(|file| Column::new(file, job).file_bytes());
        let tables = u64::from(Sizes::new(job).copies());
        Estimate {
            // The symbols are read and written again to mark them.
            write_bytes: tables * (2 * sym + float),
            read_bytes: tables * (2 * sym + float),
            disk_bytes: 0,
            scratch_bytes: sym.max(float),
            ..Estimate::default()
        }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        column::space(&TABLE, job)
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let elements = 2 * Column::new(SYM_TABLE, job).rows * u64::from(Sizes::new(job).copies());
        vec![
            measure::write(self.row.id, pool, elements, Basis::WRITE),
            measure::sync(self.sync.id, pool, elements, Basis::SORTED),
        ]
    }

    fn explain(&self, id: &str) -> String {
        page_of(self, id)
    }
}

/// One table, and what became of it.
struct Table {
    dir: PathBuf,
    names: PathBuf,
    sym: Column,
    float: Column,
    /// Some rows of the sorted table with the rows that they were before.
    sample: Vec<(u64, u64)>,
}

/// The table of `job` and its copies.
fn tables(job: &Job) -> Vec<Table> {
    let path = |of, number| job.dir.join(path_of_copy(of, number));
    let table = |number| Table {
        dir: path(TABLE_DIR, number),
        names: path(TABLE_NAMES, number),
        sym: Column::copy(SYM_TABLE, job, number),
        float: Column::copy(FLOAT_TABLE, job, number),
        sample: Vec::new(),
    };
    (0..Sizes::new(job).copies()).map(table).collect()
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), TestError> {
    fs::write(path, bytes).map_err(TestError::io("write", path))?;
    fsync(path)
}

struct SortRun {
    tables: Vec<Table>,
    settings: Settings,
    threads: u32,
    durable: Durable,
}

/// The parameters of sorting tables.
#[derive(Clone, Copy)]
struct How<'a> {
    settings: &'a Settings,
    threads: u32,
}

impl Table {
    fn sort(&mut self, how: How<'_>, progress: Progress<'_>) -> Result<(), TestError> {
        fs::read(&self.names).map_err(TestError::io("read", &self.names))?;
        let ids = read_ids(&self.sym)?;
        let (order, counts) = stable_order(&ids);
        drop(ids);
        let ids = || counts.iter().enumerate().flat_map(|(id, &n)| (0..n).map(move |_| id as u64));
        self.write_symbols(how, 0, ids(), progress)?;
        self.write_floats(how, &order, progress)?;
        let last = order.len() as u64 - 1;
        self.sample = (0..CHECKED_ROWS)
            .map(|i| last * i / (CHECKED_ROWS - 1))
            .map(|rank| (rank, u64::from(order[rank as usize])))
            .collect();
        drop(order);
        let again = read_ids(&self.sym)?;
        let unseen = Counters::default();
        self.write_symbols(how, SORTED, again.into_iter().map(u64::from), Progress::new(&unseen))
    }

    fn write_symbols(
        &self,
        how: How<'_>,
        attribute: u8,
        ids: impl Iterator<Item = u64>,
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        let mut writer = SymbolWriter::new(&self.sym, how.settings.write_chunk_bytes);
        let mut ids = Some(ids);
        let header = self.sym.format.header(attribute, self.sym.rows);
        set(&self.sym.path, how.settings.set_mode, &header, &mut |file| {
            ids.take().map_or(Ok(()), |ids| writer.write(file, ids, progress))
        })
    }

    /// Gathers and writes chunk by chunk; all is gathered first where the file that is mapped will
    /// be truncated.
    fn write_floats(
        &self,
        how: How<'_>,
        order: &[u32],
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        let path = &self.float.path;
        let map = get_resident(path, how.settings, how.threads, |_| ())?;
        let header = self.float.format.header(0, self.float.rows);
        let base = self.float.format.header_bytes();
        let mut gathered = order
            .chunks((how.settings.write_chunk_bytes / 8) as usize)
            .map(|part| part.iter().map(|&row| u64::from(row)).collect::<Vec<_>>())
            .map(|rows| gather(&map, base, &rows, how.threads));
        let ahead = match how.settings.set_mode {
            SetMode::Rename => Vec::new(),
            SetMode::Trunc => gathered.by_ref().collect(),
        };
        let mut parts = ahead.into_iter().chain(gathered);
        set(path, how.settings.set_mode, &header, &mut |file| {
            parts.try_for_each(|words| {
                for words in words.map_err(TestError::io("read", path))? {
                    let bytes = bytes_of(&words);
                    self.float.out(file).write_all(bytes).map_err(TestError::io("write", path))?;
                    progress.add(bytes.len() as u64, 1);
                }
                Ok(())
            })
        })
    }
}

/// The rows in the order of their ids, equal ones as they were, by counting; and the counts.
fn stable_order(ids: &[u16]) -> (Vec<u32>, Vec<u64>) {
    let mut counts = vec![0u64; SYMBOLS];
    ids.iter().for_each(|&id| counts[usize::from(id)] += 1);
    let mut next: Vec<u64> = counts
        .iter()
        .scan(0, |sum, &count| {
            *sum += count;
            Some(*sum - count)
        })
        .collect();
    let mut order = vec![0; ids.len()];
    for (row, &id) in ids.iter().enumerate() {
        let place = &mut next[usize::from(id)];
        order[*place as usize] = row as u32;
        *place += 1;
    }
    (order, counts)
}

impl Table {
    fn verify(&self) -> Result<(), TestError> {
        let sym = self.sym.open_checked(SORTED)?;
        let float = self.float.open_checked(0)?;
        let mut before = 0;
        for &(rank, row) in &self.sample {
            let id = self.sym.word(row);
            if id < before {
                return Err(self.sym.wrong(format!("row {rank} is out of order")));
            }
            before = id;
            self.sym.expect(&sym, rank, id, &[])?;
            self.float.expect(&float, rank, self.float.word(row), &[column::REPLACED_FLOAT])?;
        }
        Ok(())
    }
}

impl Run for SortRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let how = How { settings: &self.settings, threads: self.threads };
        let tables = &mut self.tables;
        meter.phase(PhaseKind::Write, &mut |progress| {
            tables.iter_mut().try_for_each(|table| table.sort(how, progress))
        })?;
        meter.phase(PhaseKind::SyncDir, &mut |progress| {
            tables.iter().try_for_each(|table| fsync(&table.dir))?;
            progress.add(0, tables.len() as u64);
            Ok(())
        })?;
        self.durable.phases(meter)
    }

    fn verify(&mut self) -> Result<(), TestError> {
        self.tables.iter().try_for_each(Table::verify)
    }

    fn footprint_bytes(&self) -> u64 {
        let columns = self.tables.iter().flat_map(|table| [&table.sym, &table.float]);
        columns.map(|c| c.file_bytes().next_multiple_of(PAGE_BYTES)).sum()
    }

    fn synced(&self) -> Option<Synced> {
        self.durable.synced()
    }

    fn command_chars(&self) -> u32 {
        self.durable.command_chars()
    }
}

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &SortTest, id: &str) -> String {
    let syncs = id == test.sync.id;
    let mut page = Page::new(if syncs { test.sync } else { test.row }, test.cache());
    page.about("A table of two columns, symbols and floats, is sorted on disk by its symbols (`xasc`): the end of a day in a kdb+ system. Every column is replaced by a new file.");
    page.steps("Write (it reads too)", &[
        "read `.d` and all of the symbol column with read(2); sort the rows by counting, stably",
        "write the sorted symbols to a temporary file and rename it over the old one",
        "map the float column, load every page in order, gather it in the new order, write and rename",
        "read the symbols again and replace the file once more with the mark that it is sorted",
    ]);
    page.steps(
        "Sync of the directory",
        &["open the table's directory, fsync, close: all that the original suite syncs"],
    );
    page.steps("Sync", &["open, fsync and close each column"]);
    page.steps("Spawned sync, timed separately", &["`/bin/sh -c \"sync DIRECTORY\"`"]);
    page.size("rows", |job| Column::new(super::column::SYM_TABLE, job).rows);
    page.size("bytes written", |job| test.estimate(job).write_bytes);
    page.longer(test.stretch());
    page.figures(if syncs { Figures::SortSync } else { Figures::Write });
    page.reading("ext4 writes a file out when it is renamed over another (`auto_da_alloc`), XFS does not: one pays in the sort, the other in the sync. Only the durable rate, which has both, compares them.");
    page.caveats(&[
        "The original suite's sync after the sort is of the directory alone: the columns stay dirty, and its published rate (terabytes a second) is of nothing. `nano_rate` repeats it; `sync_ms` is of the columns.",
        "The original suite reads the symbol column before its clock starts. Here the sort starts cold for both columns.",
        "The original suite spends most of this test in its own sort; figures are not comparable with its, ratios between file systems are.",
        "Bytes are those of both columns once; the second copy of the symbols counts in time only.",
    ]);
    page.guesses("The order of the columns and the second rewrite follow the public source of older versions and published times.", &["set_mode", "write_chunk", "touch", "get_map", "sym", "dontcache"]);
    page.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_keep_their_order() {
        let (order, counts) = stable_order(&[3, 1, 3, 0, 1]);
        assert_eq!(order, [3, 1, 4, 0, 2]);
        assert_eq!(counts[..4], [1, 2, 0, 2]);
    }
}

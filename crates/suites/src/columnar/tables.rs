//! Tables that a power failure interrupts: one per day, each with a symbol column, a float column and their names, and
//! one file with all symbols, written as the suite writes them.

use super::{
    column::{self, Column, FLOAT, Payload, SYM, domain},
    kdb,
    put::{fsync, set},
    settings::SetMode,
};
use crate::{Application, TestError};
use engine::progress::{Counters, Progress};
use faults::contract::Finding;
use model::{result::Harm, workload::Job};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
};

/// Rows of the table of a day.
const ROWS: u64 = 3000;
/// Symbols that a day adds to those of all.
const ADDED: u64 = 5;
/// Below the directory of the work: the database, and its symbols.
const DATABASE: &str = "db";
const SYMBOLS: &str = "db/sym";
/// The table, below the directory of its day.
const TABLE: &str = "trade";

/// A database that gets a table a day.
#[derive(Debug)]
pub(crate) struct Tables {
    name: &'static str,
    days: u64,
    seed: u64,
    /// Whether each day is synced before it is acknowledged.
    is_synced: bool,
}

/// A file with all that it is to hold.
struct Whole {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Tables {
    pub(crate) fn new(name: &'static str, days: u64, seed: u64, is_synced: bool) -> Tables {
        Tables { name, days, seed, is_synced }
    }

    /// The columns of the table of a day.
    fn columns(&self, root: &Path, day: u64) -> [Column; 2] {
        let mut job = Job::of(self.name, root);
        job.seed = self.seed.wrapping_add(day);
        job.scale = 0.001;
        job.knobs.insert("sym".into(), "enum".into());
        [(SYM, "sym"), (FLOAT, "price")].map(|(file, name)| {
            let mut column = Column::new(file, &job);
            column.path = table(root, day).join(name);
            column.rows = ROWS;
            column
        })
    }

    fn names(&self) -> Vec<u8> {
        let names: [&[u8]; 2] = [b"sym", b"price"];
        kdb::symbol_file(0, names.into_iter())
    }

    /// The file of all symbols, as it is after `days`.
    fn symbols(&self, days: u64) -> Vec<u8> {
        let job = Job { seed: self.seed, ..Job::of(self.name, "") };
        let names = domain(&job);
        let names = names.names().iter().map(|name| &name[..]).take(ROWS as usize);
        let mut bytes = kdb::symbol_file(0, names);
        (0..days).for_each(|day| bytes.extend(added(day)));
        bytes
    }

    /// Writes the table of a day.
    fn write(&self, root: &Path, day: u64) -> Result<(), TestError> {
        let directory = table(root, day);
        fs::create_dir_all(&directory).map_err(TestError::io("create", &directory))?;
        let unseen = Counters::default();
        for column in self.columns(root, day) {
            column.set(&column.payload(), Progress::new(&unseen))?;
        }
        set(&directory.join(".d"), SetMode::Rename, &self.names(), &mut |_| Ok(()))?;
        let symbols = root.join(SYMBOLS);
        let file = OpenOptions::new().append(true).open(&symbols);
        let mut file = file.map_err(TestError::io("open", &symbols))?;
        file.write_all(&added(day)).map_err(TestError::io("append to", &symbols))
    }

    /// Makes the table of a day durable: files, then the directories that name them.
    fn sync(&self, root: &Path, day: u64) -> Result<(), TestError> {
        let directory = table(root, day);
        let files = ["sym", "price", ".d"].map(|name| directory.join(name));
        let above = [directory.clone(), above(root, day), root.join(DATABASE)];
        [root.join(SYMBOLS)].iter().chain(&files).chain(&above).try_for_each(|path| fsync(path))
    }

    /// The files of a day, as they are to be.
    fn files(&self, root: &Path, day: u64) -> Result<Vec<Whole>, TestError> {
        let directory = table(root, day);
        let mut files = vec![Whole { path: directory.join(".d"), bytes: self.names() }];
        for column in self.columns(root, day) {
            let unseen = Counters::default();
            let mut bytes = column.format.header(0, column.rows);
            let payload: Payload = column.payload();
            column.write_rows(&mut bytes, &payload, 0..column.rows, Progress::new(&unseen))?;
            files.push(Whole { path: column.path, bytes });
        }
        Ok(files)
    }
}

/// What a day adds to the file of all symbols.
fn added(day: u64) -> Vec<u8> {
    (0..ADDED).flat_map(|nth| format!("d{day}n{nth}\0").into_bytes()).collect()
}

fn above(root: &Path, day: u64) -> PathBuf {
    root.join(DATABASE).join(format!("day{day}"))
}

fn table(root: &Path, day: u64) -> PathBuf {
    above(root, day).join(TABLE)
}

/// What is wrong with a file of which at least the first `least` bytes of `whole` must be there and nothing else may.
fn wrong(path: &Path, root: &Path, (least, whole): (usize, &[u8]), must: bool) -> Option<Finding> {
    let find = |harm, detail: String| {
        let path = path.strip_prefix(root).unwrap_or(path).display().to_string();
        Some(Finding { harm, path, detail })
    };
    let found = match fs::read(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if must { find(Harm::NameGone, error.to_string()) } else { None };
        }
        Err(error) => return find(Harm::Unreadable, error.to_string()),
    };
    let places = found.iter().zip(whole).enumerate();
    let first = places.filter(|(_, (own, to_be))| own != to_be).map(|(at, _)| at).next();
    // What is behind the part that must be there may be in flight.
    if let Some(at) = first.filter(|at| *at < least) {
        let to_be = whole.len().min(found.len());
        let zeros = run(&found, at..to_be);
        return if zeros > 0 {
            find(Harm::Zeros, format!("zeros at bytes {at} to {}", at + zeros))
        } else {
            find(Harm::Foreign, format!("byte {at} is {:#04x}, not {:#04x}", found[at], whole[at]))
        };
    }
    if found.len() < least {
        let harm = if must { Harm::Lost } else { Harm::Torn };
        let harm = if found.is_empty() && !must { Harm::Empty } else { harm };
        return find(harm, format!("{} of {least} bytes are there", found.len()));
    }
    if found.len() > whole.len() {
        return find(
            Harm::Size,
            format!("{} bytes, and never more than {}", found.len(), whole.len()),
        );
    }
    None
}

/// How many bytes of `range` are zeros from its start on.
fn run(bytes: &[u8], range: Range<usize>) -> usize {
    bytes[range].iter().take_while(|byte| **byte == 0).count()
}

impl Application for Tables {
    fn name(&self) -> &str {
        self.name
    }

    fn prepare(&self, root: &Path) -> Result<(), TestError> {
        let symbols = root.join(SYMBOLS);
        column::create_parent(&symbols)?;
        set(&symbols, SetMode::Rename, &self.symbols(0), &mut |_| Ok(()))
    }

    fn work(&self, root: &Path, mark: &dyn Fn(u64)) -> Result<(), TestError> {
        for day in 0..self.days {
            self.write(root, day)?;
            if self.is_synced {
                self.sync(root, day)?;
            }
            mark(day);
        }
        Ok(())
    }

    fn look(&self, root: &Path, acknowledged: Option<u64>) -> Result<Vec<Finding>, TestError> {
        let done = acknowledged.map_or(0, |mark| mark + 1);
        let mut findings = Vec::new();
        // A day that is not synced may be there in part, column by column.
        let last = if self.is_synced { done } else { (done + 1).min(self.days) };
        for day in 0..last {
            for file in self.files(root, day)? {
                let whole = (file.bytes.len(), &file.bytes[..]);
                findings.extend(wrong(&file.path, root, whole, self.is_synced));
            }
        }
        let kept = self.symbols(if self.is_synced { done } else { 0 }).len();
        let all = self.symbols((done + 1).min(self.days));
        findings.extend(wrong(&root.join(SYMBOLS), root, (kept, &all), true));
        Ok(findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harms(tables: &Tables, root: &Path, mark: Option<u64>) -> Vec<Harm> {
        let findings = tables.look(root, mark).unwrap();
        findings.into_iter().map(|finding| finding.harm).collect()
    }

    fn made(is_synced: bool) -> (tempfile::TempDir, Tables) {
        let dir = tempfile::tempdir().unwrap();
        let tables = Tables::new("columnar", 3, 5, is_synced);
        tables.prepare(dir.path()).unwrap();
        assert_eq!(harms(&tables, dir.path(), None), []);
        tables.work(dir.path(), &|_| ()).unwrap();
        assert_eq!(harms(&tables, dir.path(), Some(2)), []);
        (dir, tables)
    }

    #[test]
    fn each_loss_of_a_synced_table_is_named() {
        let (dir, tables) = made(true);
        let root = dir.path();
        assert_eq!(harms(&tables, root, Some(0)), [Harm::Size], "symbols of the day after next");
        let price = table(root, 1).join("price");
        let whole = fs::read(&price).unwrap();
        fs::write(&price, &whole[..9000]).unwrap();
        assert_eq!(harms(&tables, root, Some(2)), [Harm::Lost]);
        let mut zeros = whole.clone();
        zeros[4096..8192].fill(0);
        fs::write(&price, &zeros).unwrap();
        assert_eq!(harms(&tables, root, Some(2)), [Harm::Zeros]);
        assert_eq!(harms(&tables, root, None), [Harm::Size], "the day is not acknowledged");
        fs::remove_file(&price).unwrap();
        assert_eq!(harms(&tables, root, Some(2)), [Harm::NameGone]);
        fs::write(&price, &whole).unwrap();
        fs::write(root.join(SYMBOLS), tables.symbols(2)).unwrap();
        assert_eq!(harms(&tables, root, Some(1)), []);
        assert_eq!(harms(&tables, root, Some(2)), [Harm::Lost]);
    }

    #[test]
    fn a_column_that_is_not_synced_may_be_missing_and_not_empty() {
        let (dir, tables) = made(false);
        let root = dir.path();
        let price = table(root, 2).join("price");
        fs::remove_file(&price).unwrap();
        assert_eq!(harms(&tables, root, Some(2)), []);
        fs::write(&price, "").unwrap();
        assert_eq!(harms(&tables, root, Some(2)), [Harm::Empty]);
        assert_eq!(harms(&tables, root, Some(1)), [Harm::Empty], "it may have begun");
        fs::write(&price, [0; 24_016]).unwrap();
        assert_eq!(harms(&tables, root, Some(2)), [Harm::Zeros]);
    }
}

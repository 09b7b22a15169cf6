//! The files of the suite: where each lies, what every row of it holds, how it is made and checked.

use super::{
    kdb::{self, Format},
    put::set,
    settings::{SetMode, Settings},
    sizes::{Length, Sizes},
};
use crate::TestError;
use engine::{
    data::{Data, Domain, Pattern, SYMBOLS, Text, derive_seed},
    io::Stream,
    progress::{Counters, Progress},
};
use model::workload::{DataKind, Job};
use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    ops::Range,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// The value that replaces integers.
pub(super) const REPLACED_INT: u64 = 42;
/// The value that replaces floats: the 3.14 of the original suite, not pi.
#[allow(clippy::approx_constant)]
pub(super) const REPLACED_FLOAT: u64 = 3.14f64.to_bits();
/// The value that replaces integers in ascending order.
pub(super) const REPLACED_SORTED: u64 = 1089;
const REPLACED: [u64; 3] = [REPLACED_INT, REPLACED_FLOAT, REPLACED_SORTED];
/// Pieces below this are merged in untimed writes, bytes: a network file system would need minutes,
/// and its server gigabytes, for tens of thousands of small ones.
const GATHERED: usize = 1 << 20;

/// Rows that a check looks at.
const CHECKED_ROWS: u64 = 16;

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Int,
    Float,
    Symbol,
}

/// One file of the suite.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnFile {
    /// Under the worker's directory.
    pub(super) path: &'static str,
    pub(super) value: Value,
    pub(super) length: Length,
    /// Rows that are always written in one call; `None`: as many as a chunk holds.
    pub(super) run: Option<Length>,
}

const fn ints(path: &'static str, length: Length) -> ColumnFile {
    ColumnFile { path, value: Value::Int, length, run: None }
}

const fn random_file(path: &'static str) -> ColumnFile {
    ColumnFile { run: Some(Length::Small), ..ints(path, Length::RandomFile) }
}

pub(super) const TINY: ColumnFile = ints("seqreadTiny", Length::Tiny);
pub(super) const SMALL: ColumnFile = ints("seqreadSmall", Length::Small);
pub(super) const MEDIUM: ColumnFile = ints("seqreadMedium", Length::Medium);
pub(super) const HUGE: ColumnFile = ints("seqreadHuge", Length::Huge);
/// The symbol column as first written, and after the appends.
pub(super) const SYM: ColumnFile =
    ColumnFile { path: "kdbdb/tbl/sym", value: Value::Symbol, length: Length::Large, run: None };
pub(super) const SYM_TABLE: ColumnFile = ColumnFile { length: Length::Table, ..SYM };
/// The float column as first written, and after the appends.
pub(super) const FLOAT: ColumnFile = ColumnFile {
    path: "kdbdb/tbl/floatcol",
    value: Value::Float,
    length: Length::Large,
    run: None,
};
pub(super) const FLOAT_TABLE: ColumnFile = ColumnFile { length: Length::Table, ..FLOAT };
pub(super) const RANDOM: [ColumnFile; 4] = [
    random_file("randomread0"),
    random_file("randomread1"),
    random_file("randomread2"),
    random_file("randomread3"),
];
pub(super) const BINARY: ColumnFile = ints("readbinary", Length::Binary);
pub(super) const COUNTED: ColumnFile = ints("fhcount", Length::Large);
pub(super) const MAPPED: ColumnFile = ints("mmap", Length::Small);
pub(super) const OPENED: ColumnFile = ints("openclose", Length::Small);

/// Folder of the table, under the worker's directory or in a copy of it.
pub(super) const TABLE_DIR: &str = "kdbdb/tbl";
/// Under the worker's directory: the names of the table's columns, and the distinct symbols.
pub(super) const TABLE_NAMES: &str = "kdbdb/tbl/.d";
pub(super) const DOMAIN: &str = "kdbdb/sym";

/// A file of one job.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) path: PathBuf,
    pub(super) rows: u64,
    pub(super) format: Format,
    pub(super) domain: Option<Domain>,
    set_mode: SetMode,
    dontcache: bool,
    pattern: Pattern,
    /// Share of the bytes of its rows, in their first order, that no compressor can save.
    pub(super) incompressible_share: f64,
}

/// Copies of short files start at a multiple of this many rows of their sequence.
const BLOCK_ROWS: u64 = 512;

/// The distinct symbols of a campaign, the same for every worker.
pub(super) fn domain(job: &Job) -> Domain {
    Domain::new(derive_seed(job.seed, "symbols"))
}

/// Returns the path of copy `number` of the file `path`: the first under that name, the others in a directory
/// or under a name of their own, as the partitions of a database are.
pub(super) fn path_of_copy(path: &str, number: u32) -> String {
    if number == 0 {
        return path.into();
    }
    let (first, rest) = path.split_once('/').map_or((path, None), |(dir, rest)| (dir, Some(rest)));
    let name = format!("{first}.{number}");
    rest.map_or(name.clone(), |rest| format!("{name}/{rest}"))
}

/// Entropy of a row over its stored bits: a symbol is one of N, whatever its name is (Shannon 1948).
fn entropy_share(value: Value, format: Format) -> f64 {
    match value {
        Value::Symbol => (SYMBOLS as f64).log2() / (8 * format.row_bytes()) as f64,
        Value::Int | Value::Float => 1.0,
    }
}

impl Column {
    /// The file itself, of which there may be copies.
    pub(super) fn new(file: ColumnFile, job: &Job) -> Column {
        Column::copy(file, job, 0)
    }

    /// All that a test of `job` works on: the file and its copies.
    pub(super) fn copies(file: ColumnFile, job: &Job) -> Vec<Column> {
        (0..Sizes::new(job).copies()).map(|number| Column::copy(file, job, number)).collect()
    }

    /// Copy `number` of the file, whose data continue where those of the copy before it end.
    pub(super) fn copy(file: ColumnFile, job: &Job, number: u32) -> Column {
        let path = path_of_copy(file.path, number);
        let (sizes, settings) = (Sizes::new(job), Settings::new(job));
        let format = match file.value {
            Value::Int => Format::Long,
            Value::Float => Format::Float,
            Value::Symbol if settings.enumerated => Format::Enumerated,
            Value::Symbol => Format::Text,
        };
        let chunk_rows = settings.write_chunk_bytes / format.row_bytes();
        let run_rows = file.run.map_or(chunk_rows, |length| sizes.rows(length));
        // Writes that end where the file is aligned leave larger folios in the page cache, as the
        // original suite's one large write does; maps of the file then fault less.
        let aligned = file.run.is_none() && file.value != Value::Symbol;
        let lead = if aligned { format.header_bytes() / format.row_bytes() } else { 0 };
        // The original suite draws its symbols at random, whatever its numbers are.
        let kind = match (file.value, &job.data) {
            (Value::Symbol, DataKind::Ancestor) => &DataKind::Random,
            (_, kind) => kind,
        };
        let rows = sizes.rows(file.length);
        // One that is shorter than a write leaves no gap before the next.
        let run_rows = run_rows.min((rows + lead).next_multiple_of(BLOCK_ROWS));
        let seed = derive_seed(job.seed, file.path);
        let pattern = Pattern::new(kind, seed, job.worker, run_rows).after(lead);
        Column {
            path: job.dir.join(path),
            rows,
            format,
            domain: (file.value == Value::Symbol).then(|| domain(job)),
            set_mode: settings.set_mode,
            dontcache: settings.dontcache,
            incompressible_share: kind.incompressible_share() * entropy_share(file.value, format),
            pattern: pattern.behind(number.into(), rows),
        }
    }

    /// Bytes of all rows.
    pub(super) fn data_bytes(&self) -> u64 {
        self.rows * self.format.row_bytes()
    }

    /// Length of the file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.format.header_bytes() + self.data_bytes()
    }

    /// The word of a row: its number, or the id of its symbol.
    pub(super) fn word(&self, row: u64) -> u64 {
        let word = self.pattern.word(row);
        if self.domain.is_some() { Domain::id_of_word(word) } else { word }
    }

    /// The bytes of a row whose word is `word`.
    pub(super) fn row_of(&self, word: u64) -> Vec<u8> {
        match (&self.domain, self.format) {
            (Some(domain), Format::Text) => domain.text(word).to_vec(),
            _ => word.to_le_bytes().to_vec(),
        }
    }

    /// All rows, ready to be written.
    pub(super) fn payload(&self) -> Payload {
        let pattern = self.pattern.clone();
        match (&self.domain, self.format) {
            (Some(domain), Format::Text) => Payload::Text(Text::of(domain, pattern, self.rows)),
            (Some(_), _) => Payload::Words(Data::mapped(pattern, self.rows, Domain::id_of_word)),
            (None, _) => Payload::Words(Data::of(pattern, self.rows)),
        }
    }

    /// Writes the whole column as the original suite's `set` does.
    pub(super) fn set(&self, payload: &Payload, progress: Progress<'_>) -> Result<(), TestError> {
        self.set_by(&mut |file| self.write_rows(self.out(file), payload, 0..self.rows, progress))
    }

    fn set_by(
        &self,
        body: &mut dyn FnMut(&File) -> Result<(), TestError>,
    ) -> Result<(), TestError> {
        set(&self.path, self.set_mode, &self.format.header(0, self.rows), body)
    }

    /// What a timed part writes rows of the open file through.
    pub(super) fn out<'a>(&self, file: &'a File) -> Stream<'a> {
        Stream::new(file, self.dontcache)
    }

    /// Writes rows at the file's position, one call for each run.
    pub(super) fn write_rows(
        &self,
        mut file: impl Write,
        payload: &Payload,
        rows: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        let mut row = rows.start;
        while row < rows.end {
            let bytes = payload.piece(row, rows.end - row);
            file.write_all(bytes).map_err(TestError::io("write", &self.path))?;
            progress.add(bytes.len() as u64, 1);
            row += bytes.len() as u64 / self.format.row_bytes();
        }
        Ok(())
    }

    /// Creates the file and syncs it, unless it is there and right.
    pub(super) fn fill(&self) -> Result<(), TestError> {
        fill(std::slice::from_ref(self))
    }

    fn make(&self, payload: &Payload) -> Result<(), TestError> {
        create_parent(&self.path)?;
        let unseen = Counters::default();
        self.set_by(&mut |file| {
            let mut gathered = BufWriter::with_capacity(GATHERED, file);
            self.write_rows(&mut gathered, payload, 0..self.rows, Progress::new(&unseen))?;
            gathered.flush().map_err(TestError::io("write", &self.path))
        })?;
        super::put::fsync(&self.path)
    }

    /// Checks length, header and some rows of a column that may have been replaced in places.
    pub(super) fn check(&self, attribute: u8) -> Result<(), TestError> {
        let file = self.open_checked(attribute)?;
        let places = (0..CHECKED_ROWS).map(|i| (self.rows - 1) * i / (CHECKED_ROWS - 1));
        for row in places {
            self.expect(&file, row, self.word(row), &REPLACED)?;
        }
        Ok(())
    }

    /// Opens the file and checks its length and header.
    pub(super) fn open_checked(&self, attribute: u8) -> Result<File, TestError> {
        let file = File::open(&self.path).map_err(TestError::io("open", &self.path))?;
        let len = file.metadata().map_err(TestError::io("stat", &self.path))?.len();
        if len < self.file_bytes() || (attribute == 0 && len > self.file_bytes()) {
            return Err(self.wrong(format!("{len} bytes instead of {}", self.file_bytes())));
        }
        let header = kdb::read_header(&file).map_err(TestError::io("read", &self.path))?;
        if header.format != self.format || header.attribute != attribute {
            return Err(self.wrong(format!(
                "it is {:?} with attribute {} instead of {:?} with {attribute}",
                header.format, header.attribute, self.format
            )));
        }
        Ok(file)
    }

    /// Checks that a row holds the word `word`, or one of `also` where the row is a number.
    pub(super) fn expect(
        &self,
        file: &File,
        row: u64,
        word: u64,
        also: &[u64],
    ) -> Result<(), TestError> {
        let expected = self.row_of(word);
        let mut found = vec![0; expected.len()];
        let at = self.format.header_bytes() + row * self.format.row_bytes();
        file.read_exact_at(&mut found, at).map_err(TestError::io("read", &self.path))?;
        let allowed = self.domain.is_none() && also.iter().any(|w| w.to_le_bytes()[..] == found);
        if found == expected || allowed {
            return Ok(());
        }
        Err(self.wrong(format!("row {row} is {found:02x?} instead of {expected:02x?}")))
    }

    /// True when `word` is what row `row` may hold after any of the replace tests.
    pub(super) fn allows(&self, row: u64, word: u64) -> bool {
        word == self.word(row) || REPLACED.contains(&word)
    }

    pub(super) fn wrong(&self, why: String) -> TestError {
        TestError::Wrong { path: self.path.clone(), why }
    }
}

/// The rows of a column in memory.
#[derive(Debug)]
pub(super) enum Payload {
    Words(Data),
    Text(Text),
}

/// Returns the payloads of all rows of `columns`; a file and its copies share a buffer.
pub(super) fn payloads(columns: &[Column]) -> Vec<Payload> {
    let mut payloads: Vec<Payload> = Vec::with_capacity(columns.len());
    // The last copy first, as its buffer holds what is before it.
    for column in columns.iter().rev() {
        let shared = payloads.last().and_then(|last| last.sharing(column));
        payloads.push(shared.unwrap_or_else(|| column.payload()));
    }
    payloads.reverse();
    payloads
}

/// Creates those files of `columns` that are not there, or not right, and syncs them.
pub(super) fn fill(columns: &[Column]) -> Result<(), TestError> {
    let is_missing = |column: &&Column| column.check(0).is_err();
    let missing: Vec<Column> = columns.iter().filter(is_missing).cloned().collect();
    let payloads = payloads(&missing);
    missing.iter().zip(&payloads).try_for_each(|(column, payload)| column.make(payload))
}

impl Payload {
    fn sharing(&self, column: &Column) -> Option<Payload> {
        let (pattern, rows) = (&column.pattern, column.rows);
        match self {
            Payload::Words(data) => data.sharing(pattern, rows).map(Payload::Words),
            Payload::Text(text) => text.sharing(pattern, rows).map(Payload::Text),
        }
    }

    /// The bytes of the rows from `row` on: at most `max` rows, not beyond the run.
    pub(super) fn piece(&self, row: u64, max: u64) -> &[u8] {
        match self {
            Payload::Words(data) => data.piece_bytes(row, max),
            Payload::Text(text) => text.piece_bytes(row, max),
        }
    }
}

/// Creates the directory in which `path` lies.
pub(super) fn create_parent(path: &Path) -> Result<(), TestError> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent).map_err(TestError::io("create directory", parent))
}

/// Removes a file if it is there.
pub(super) fn remove(path: &Path) -> Result<(), TestError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(TestError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// The files and their copies, relative to the worker's directory, with the bytes that they take.
pub(super) fn space(files: &[ColumnFile], job: &Job) -> Vec<(PathBuf, u64)> {
    let of_one = |file: &ColumnFile| {
        let (path, bytes) = (file.path, Column::new(*file, job).file_bytes());
        (0..Sizes::new(job).copies()).map(move |n| (path_of_copy(path, n).into(), bytes))
    };
    files.iter().flat_map(of_one).collect()
}

/// Paths of a file and its copies.
pub(super) fn paths(file: ColumnFile, job: &Job) -> Vec<PathBuf> {
    let path = |number| job.dir.join(path_of_copy(file.path, number));
    (0..Sizes::new(job).copies()).map(path).collect()
}

//! Reads what mdtest prints, versions 1.9 to 4.x: the table `SUMMARY rate` of each run. The mean of
//! the iterations is the figure; only the table knows it, because the lines that `-v` prints are of
//! rank 0 alone.

mod columns;

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Printer,
    gather::{Gather, Reading},
    known::{Known, OPS_RATE},
    text::{Line, lines, work},
};
use columns::Columns;
use model::{
    figure::{Better, Metric},
    result::{Dataset, Reason},
    workload::Group,
};

/// The importer.
pub(crate) struct Importer;

pub(crate) const SUITE: &str = "mdtest";

macro_rules! known {
    ($($key:literal $name:literal $testtype:literal)*) => {
        [$(Known { key: $key, name: $name, testtype: $testtype, group: Group::Meta, ranked: &OPS_RATE }),*]
    };
}

/// What mdtest prints, in its order.
pub(crate) const TESTS: [Known; 10] = known! {
    "dir.create" "Directory creation" "directories"
    "dir.stat" "Directory stat" "directories"
    "dir.rename" "Directory rename" "directories"
    "dir.remove" "Directory removal" "directories"
    "file.create" "File creation" "files"
    "file.stat" "File stat" "files"
    "file.read" "File read" "files"
    "file.remove" "File removal" "files"
    "tree.create" "Tree creation" "tree"
    "tree.remove" "Tree removal" "tree"
};

const NOTES: [&str; 4] = [
    "ops_rate is mdtest's mean over its iterations on one instance; ops_rate_sd is their spread, \
     not a spread between fresh file systems.",
    "Phases that mdtest printed as 0.000 were not run and are omitted.",
    "With -e 0, the default, `File read` only opens and closes; with -w 0, `File creation` \
     creates empty files.",
    "Cache states, times and bytes are not in the source.",
];

/// Options that say where, how often or how loudly, and do not change what is done.
const IGNORED: [&str; 3] = ["-d", "-i", "-x"];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "mdtest"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        head.lines().any(|line| line.starts_with("mdtest-") && line.contains(" was launched with "))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let mut run = Run::default();
            let mut last = 1;
            for line in lines(file, bytes) {
                last = line.number;
                run.line(&line, &mut gather)?;
            }
            if run.open {
                let why = "mdtest's last line `-- finished` is missing; the run was interrupted \
                           or the file is truncated";
                return Err(FormatError::line(file, last, why));
            }
        }
        gather.finish(&NOTES)
    }
}

/// Which table the lines are of.
#[derive(Default)]
enum Table {
    #[default]
    None,
    Rates,
    /// Times, as `-Z` prints; they rank nothing that the rates do not.
    Times,
}

/// One launch of mdtest.
#[derive(Default)]
struct Run {
    tasks: u32,
    work: String,
    place: String,
    table: Table,
    columns: Columns,
    printer: Printer,
    /// Where its measurements begin.
    run_start: usize,
    /// Begun and not finished.
    open: bool,
}

impl Run {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = spoken(&line.text);
        self.printer.add(text.as_bytes());
        if let Some((version, rest)) = launch(text) {
            gather.version(version);
            *self = Run {
                tasks: line.count("the number of tasks", rest)?,
                open: true,
                run_start: gather.run_start(),
                ..Run::default()
            };
        } else if let Some(command) = line.value("Command line used") {
            self.work = work(command, &IGNORED);
            gather.fact(line.file, None, "command", command);
        } else if let Some(path) = line.value("Path") {
            self.place = path.into();
        } else if let Some(tasks) = tasks(text) {
            self.tasks = line.count("the number of tasks", tasks)?;
        } else if let Some(of) = text.strip_prefix("SUMMARY") {
            self.table =
                if of.trim_start().starts_with("time") { Table::Times } else { Table::Rates };
        } else if let Some(errors) = wrong_data(text) {
            gather.disown(self.run_start, &Reason::said(errors));
        } else if text.starts_with("-- finished") {
            let run = std::mem::take(self);
            gather.end_run(line.file, run.run_start, run.printer.print());
        } else if let (Table::Rates, Some(heads)) = (&self.table, text.strip_prefix("Operation")) {
            self.columns = Columns::of(heads).map_err(|why| line.bad(why))?;
        } else if let Table::Rates = self.table {
            self.row(line, text, gather)?;
        }
        Ok(())
    }

    /// A row of the table; other lines between rows are not.
    fn row(&self, line: &Line<'_>, text: &str, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let Some((test, cells)) = row(text) else { return Ok(()) };
        let cells: Vec<&str> = cells.split_whitespace().collect();
        if cells.len() != self.columns.len() {
            let (name, columns) = (test.name, self.columns.len());
            return Err(line.bad(format!("`{name}` has {} figures, not {columns}", cells.len())));
        }
        let numbers: Vec<f64> =
            cells.iter().map(|cell| line.number(test.name, cell)).collect::<Result<_, _>>()?;
        if numbers.iter().all(|number| *number == 0.0) {
            return Ok(());
        }
        let [max, min, mean, sd] = self.columns.of_iterations(&numbers);
        let higher = |name, value| Metric::new(name, value, "1/s", Better::Higher);
        let mut metrics: Vec<Metric> =
            mean.map(|mean| higher("ops_rate", mean)).into_iter().collect();
        // One iteration has no spread.
        if max != min {
            metrics.extend(max.map(|max| higher("ops_rate_max", max)));
            metrics.extend(min.map(|min| higher("ops_rate_min", min)));
            let sd = sd.map(|sd| Metric::new("ops_rate_sd", sd, "1/s", Better::Lower));
            metrics.extend(sd);
        }
        let reading = Reading {
            procs: self.tasks.max(1),
            work: self.work.clone(),
            place: self.place.clone(),
            ..Reading::new(test.info(SUITE), Ok(metrics))
        };
        gather.add(line.file, line.number, reading)
    }
}

/// A line without what `-v` puts before it: `V-1: Rank   0 Line  2139 `.
fn spoken(text: &str) -> &str {
    let text = text.trim();
    let Some(rest) = text.strip_prefix("V-").and_then(|rest| rest.split_once(": ")) else {
        return text;
    };
    let rest = rest.1.trim_start();
    match rest.strip_prefix("Rank").and_then(|rest| rest.split_once(" Line ")) {
        Some((_, line)) => {
            line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim()
        }
        None => rest,
    }
}

/// The errors in `ERROR: verifying the data on read (3 errors)! Take the performance values with care!`.
fn wrong_data(text: &str) -> Option<String> {
    let rest = text.strip_prefix("ERROR: verifying the data on ")?;
    let found = rest.split('!').next().unwrap_or(rest);
    Some(format!("mdtest found wrong data on {found}"))
}

/// Version and number of tasks of `mdtest-4.1.0 was launched with 2 total task(s) on 1 node(s)`.
fn launch(text: &str) -> Option<(&str, &str)> {
    let (version, rest) = text.strip_prefix("mdtest-")?.split_once(" was launched with ")?;
    Some((version, rest.split_whitespace().next()?))
}

/// The number in `2 tasks, 1980 files/directories`, which differs from the launch with `-f` and `-l`.
fn tasks(text: &str) -> Option<&str> {
    let (tasks, rest) = text.split_once(" tasks, ")?;
    (rest.contains("files") || rest.contains("directories")).then_some(tasks)
}

/// The test of a row, and the rest of it.
fn row(text: &str) -> Option<(&'static Known, &str)> {
    let rest = |test: &'static Known| Some((test, text.strip_prefix(test.name)?));
    let (test, rest) = TESTS.iter().find_map(rest)?;
    Some((test, rest.trim_start().trim_start_matches(':')))
}

//! elbencho's CSV, to which every run appends its phases. Its last column, the command, is quoted
//! word by word and may hold commas, so that rows are split by the number of columns.

use super::{MIX_NOTE, Phase, Reads, place};
use crate::{
    FormatError,
    gate::Print,
    gather::Gather,
    text::{Line, MB_PER_MIB, check_end, lines},
};
use std::collections::HashMap;

/// Whether a file that begins so is elbencho's CSV.
pub(super) fn sniff(head: &str) -> bool {
    head.starts_with("ISO date,label,path type,")
}

/// Adds every row of the file.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let mut columns = Vec::new();
    for line in lines(file, bytes) {
        if sniff(&line.text) {
            columns = line.text.split(',').map(str::to_owned).collect();
        } else if !line.text.trim().is_empty() {
            let cells = Cells::of(&line, &columns)?;
            let phase = phase(&cells)?;
            gather.version(cells.text("version"));
            gather.fact(file, phase.label.as_deref(), "command", cells.text("command"));
            if phase.is_mix() {
                gather.note(MIX_NOTE);
            }
            let run_start = gather.run_start();
            gather.add(file, line.number, phase.reading())?;
            gather.end_run(file, run_start, Print::of(line.text.as_bytes()));
        }
    }
    check_end(file, bytes)
}

/// The cells of a row by the names of their columns.
struct Cells<'a> {
    line: &'a Line<'a>,
    cells: HashMap<&'a str, &'a str>,
}

impl<'a> Cells<'a> {
    fn of(line: &'a Line<'a>, columns: &'a [String]) -> Result<Cells<'a>, FormatError> {
        let cells: Vec<&str> = line.text.splitn(columns.len().max(1), ',').collect();
        if cells.len() != columns.len() {
            let why = format!(
                "{} columns where the header has {}; the file may be truncated",
                cells.len(),
                columns.len()
            );
            return Err(line.bad(why));
        }
        let names = columns.iter().map(String::as_str);
        Ok(Cells { line, cells: names.zip(cells.into_iter().map(str::trim)).collect() })
    }

    /// The cell of a column; empty when there is none.
    fn text(&self, column: &str) -> &'a str {
        self.cells.get(column).copied().unwrap_or_default()
    }

    fn number(&self, column: &str) -> Result<Option<f64>, FormatError> {
        match self.text(column) {
            "" => Ok(None),
            text => self.line.number(&format!("column `{column}`"), text).map(Some),
        }
    }

    fn count(&self, column: &str) -> Result<u32, FormatError> {
        self.line.count(&format!("column `{column}`"), self.text(column))
    }

    fn latency(&self, what: &str) -> Result<[Option<f64>; 3], FormatError> {
        let of = |which| self.number(&format!("{what} lat us [{which}]"));
        Ok([of("min")?, of("avg")?, of("max")?])
    }
}

/// Columns that say what was done.
const WORK: [&str; 9] = [
    "path type",
    "dirs",
    "files",
    "file size",
    "block size",
    "direct IO",
    "random aligned",
    "IO depth",
    "shared paths",
];

fn phase(cells: &Cells<'_>) -> Result<Phase, FormatError> {
    let work = WORK.map(|column| format!("{column} {}", cells.text(column)));
    let label = cells.text("label").trim_matches('"');
    Ok(Phase {
        operation: cells.text("operation").into(),
        random: matches!(cells.text("random"), "1" | "true"),
        hosts: cells.count("hosts")?,
        threads: cells.count("threads")?,
        first_s: cells.number("time ms [first]")?.map(|ms| ms / 1e3),
        last_s: cells.number("time ms [last]")?.map(|ms| ms / 1e3),
        entries_per_s: cells.number("entries/s [last]")?,
        iops: cells.number("IOPS [last]")?,
        rate: cells.number("MiB/s [last]")?.map(|mib| mib * MB_PER_MIB),
        cpu_percent: cells.number("CPU% [last]")?,
        entries: cells.text("entries [last]").parse().unwrap_or(0),
        entry_us: cells.latency("Ent")?,
        block_us: cells.latency("IO")?,
        reads: Reads {
            entries_per_s: cells.number("rwmix read entries/s [last]")?,
            iops: cells.number("rwmix read IOPS [last]")?,
            rate: cells.number("rwmix read MiB/s [last]")?.map(|mib| mib * MB_PER_MIB),
            entry_us: cells.latency("rwmix read Ent")?,
            block_us: cells.latency("rwmix read IO")?,
        },
        work: work.join("; "),
        place: place(cells.text("command")),
        label: (!label.is_empty()).then(|| label.into()),
    })
}

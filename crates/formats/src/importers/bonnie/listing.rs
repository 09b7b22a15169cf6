//! The text tables of a run of bonnie++: one for the phases that move data, one for those on files, each a row of
//! figures and, since 1.9x, a row of latencies. Since 1.98 each rate has its unit, and those of files are none:
//! bon_time.cpp hands a `double` to `%5d`, which shows the number of files on x86-64 and another number elsewhere.

use super::{
    Figure, HIDDEN_MARK, IO_PHASES, Phase, Run,
    csv::{cpu_percent, latency_ms},
};
use crate::{
    FormatError,
    gate::Printer,
    gather::Gather,
    table::short,
    text::{Line, check_end, lines, number, split_at_unit},
};

/// How the title of the tables of bon_csv2txt begins.
const CONVERTED: &str = "Version    ";
const NOT_CONVERTED: &str = "bon_csv2txt made this table: it does not have the number of processes, and has `0k` for \
    a phase that ended too soon to be measured; import the CSV line of bonnie++ that it was made of";

/// Which part of the size of a file is the number of processes, since 1.98.
const CONCURRENCY: usize = 2;

/// Whether a line is the title of the first table.
pub(super) fn title(text: &str) -> bool {
    text.contains("--Sequential Output-") && text.contains("--Sequential Input-")
}

/// Whether bonnie++ refused to run on too little memory or too few files.
pub(super) fn refusal(text: &str) -> bool {
    text.contains("start paging Bonnie++ data") || text.contains("File size should be double RAM")
}

/// Adds every run of the file.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let (mut reader, mut refused) = (Reader::default(), None);
    for line in lines(file, bytes) {
        reader.line(&line, gather)?;
        if refusal(&line.text) {
            refused.get_or_insert_with(|| {
                line.bad("bonnie++ refused to run; rerun it with fewer files or the correct -r")
            });
        }
    }
    match (refused, gather.any()) {
        (Some(error), false) => Err(error),
        _ => {
            reader.end(file, gather)?;
            check_end(file, bytes)
        }
    }
}

/// Which row comes next.
#[derive(Clone, Copy, Default, PartialEq)]
enum Next {
    #[default]
    Nothing,
    /// Figures of the phases from this one on.
    Figures(usize),
    /// Their latencies, where the version prints them.
    Latencies,
}

/// How the rates of a run are written.
#[derive(Clone, Copy, Default)]
struct Units {
    /// Those without a unit are KiB/s.
    kib: bool,
    /// Each has its own: since 1.98.
    each: bool,
}

#[derive(Default)]
struct Reader {
    /// The run that is being read, and the line of its title.
    run: Option<(u64, Run)>,
    next: Next,
    /// The version ends each table with a row of latencies: since 1.9x.
    has_latencies: bool,
    units: Units,
    /// Another program made the tables of the CSV line.
    is_converted: bool,
    /// Which phases the last row of figures had.
    present: Vec<usize>,
    printer: Printer,
}

impl Reader {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.as_ref();
        if title(text) {
            self.end(line.file, gather)?;
            self.run = Some((line.number, Run::default()));
            if let Some(version) =
                text.strip_prefix("Version").and_then(|t| t.split_whitespace().next())
            {
                gather.version(version);
                self.has_latencies = number(split_at_unit(version).0).is_some_and(|v| v >= 1.9);
            }
            self.is_converted = text.starts_with(CONVERTED);
        }
        let Some((_, run)) = &mut self.run else { return Ok(()) };
        if let Some(rest) = text.strip_prefix("Concurrency") {
            let count = rest.split_whitespace().next().unwrap_or_default();
            run.concurrency = line.count("concurrency", count)?;
            self.printer.add(text.trim().as_bytes());
        } else if text.contains("/sec %CP") {
            // The second table is headed by the number of files, the first by the size of one.
            let files = text.trim_start().starts_with("files");
            if !files {
                self.units =
                    Units { kib: text.contains("K/sec"), each: text.contains("Name:Size") };
                if self.units.each && self.is_converted {
                    return Err(line.bad(NOT_CONVERTED));
                }
            }
            self.next = Next::Figures(if files { IO_PHASES } else { 0 });
        } else if let Next::Figures(first) = self.next {
            self.present = figures(line, first, self.units, run)?;
            self.printer.add(text.trim().as_bytes());
            self.next = Next::Latencies;
        } else if let (Next::Latencies, Some(cells)) = (self.next, text.strip_prefix("Latency")) {
            latencies(line, cells, &self.present, run)?;
            self.printer.add(text.trim().as_bytes());
            self.next = Next::Nothing;
        }
        Ok(())
    }

    fn end(&mut self, file: &str, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let Some((line, run)) = self.run.take() else { return Ok(()) };
        let missing = match self.next {
            Next::Figures(_) => Some("figures"),
            Next::Latencies if self.has_latencies => Some("latencies"),
            _ => None,
        };
        if let Some(row) = missing {
            let why = format!("the table has no row of {row}; the file is truncated");
            return Err(FormatError::line(file, line, why));
        }
        let (print, run_start) = (std::mem::take(&mut self.printer).print(), gather.run_start());
        run.add(file, line, false, gather)?;
        gather.end_run(file, run_start, print);
        Ok(())
    }
}

/// Fills in a row of figures; returns which phases it has. The phases on characters lack when `-f`
/// skipped them, and bonnie++ leaves their place empty.
fn figures(
    line: &Line<'_>,
    first: usize,
    units: Units,
    run: &mut Run,
) -> Result<Vec<usize>, FormatError> {
    let cells: Vec<&str> = line.text.split_whitespace().collect();
    // Before the figures stand name and size, or the number of files.
    let (before, fast) = if first == 0 { (2, [1, 2, 4, 5].as_slice()) } else { (1, [].as_slice()) };
    let all: Vec<usize> = (first..first + IO_PHASES).collect();
    let present = match cells.len() {
        n if n == before + 2 * all.len() => all,
        n if first == 0 && n == before + 2 * fast.len() => fast.to_vec(),
        n => {
            let why = format!(
                "the row has {n} cells, not {}; the file may be truncated",
                before + 2 * all.len()
            );
            return Err(line.bad(why));
        }
    };
    let (head, tail) = cells.split_at(before);
    if first == 0 {
        let (size, concurrency) = size_and_concurrency(head[1]);
        (run.name, run.size) = (head[0].into(), format!("size {size}"));
        if let Some(count) = concurrency {
            run.concurrency = line.count("concurrency", count)?;
        }
    } else {
        run.files = format!("files {}", head[0]);
    }
    for (&at, pair) in present.iter().zip(tail.chunks_exact(2)) {
        if !matches!(run.phases[at].figure, Figure::Absent) {
            return Err(line.bad("the run has the table twice; put each run into a separate file"));
        }
        run.phases[at] = Phase {
            figure: figure(line, pair[0], at, units)?,
            cpu_percent: cpu_percent(line, pair[1])?,
            latency_ms: None,
        };
    }
    Ok(present)
}

/// `16M:8k:2:4096`, where parts may be empty or missing at the end, is of two processes.
fn size_and_concurrency(text: &str) -> (String, Option<&str>) {
    let mut parts: Vec<&str> = text.split(':').collect();
    let concurrency = (parts.len() > CONCURRENCY).then(|| parts.remove(CONCURRENCY));
    let size = parts.join(":").trim_end_matches(':').to_owned();
    (size, concurrency.filter(|count| !count.is_empty()))
}

/// `667m` is MiB/s; `12345` is KiB/s under `K/sec`, and a count otherwise.
fn figure(line: &Line<'_>, text: &str, at: usize, units: Units) -> Result<Figure, FormatError> {
    if text.starts_with(HIDDEN_MARK) {
        return Ok(Figure::Hidden);
    }
    if units.each && at >= IO_PHASES && text.parse::<i32>().is_ok() {
        return Ok(Figure::Count);
    }
    let (digits, unit) = split_at_unit(text);
    let factor = match (at < IO_PHASES - 1, unit) {
        (false, "") => 1.0,
        (true, "") if units.kib => 1.024e-3,
        (true, "k") => 1.024e-3,
        (true, "m") => 1.048576,
        (true, "g") => 1073.741824,
        _ => return Err(line.bad(format!("`{}` is not a figure of bonnie++", short(text)))),
    };
    Ok(Figure::Given(line.number("a figure", digits)? * factor))
}

fn latencies(
    line: &Line<'_>,
    cells: &str,
    present: &[usize],
    run: &mut Run,
) -> Result<(), FormatError> {
    let cells: Vec<&str> = cells.split_whitespace().collect();
    if cells.len() != present.len() {
        let why = format!("{} latencies for {} phases", cells.len(), present.len());
        return Err(line.bad(why));
    }
    for (&at, cell) in present.iter().zip(cells) {
        run.phases[at].latency_ms = latency_ms(line, cell)?;
    }
    Ok(())
}

//! Parses elbencho's text: for each phase a block of rows with the figures of the first and of the last worker to end.

use super::{MIX_NOTE, Phase};
use crate::{
    FormatError,
    gate::Printer,
    gather::Gather,
    text::{Line, MB_PER_MIB, duration_s, lines},
};

/// Whether a file that begins so is a listing of elbencho.
pub(super) fn sniff(head: &str) -> bool {
    head.lines().any(|line| {
        line.starts_with("OPERATION") && line.contains("RESULT TYPE") && line.contains("LAST DONE")
    })
}

/// Adds every phase of the file; false when the last is whole and not closed.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<bool, FormatError> {
    let mut open: Option<Open> = None;
    let mut last = 1;
    for line in lines(file, bytes) {
        last = line.number;
        if line.text.starts_with("---") {
            end(file, open.take(), gather)?;
            continue;
        }
        let Some((head, cells)) = line.text.split_once(" :") else { continue };
        if let Some(operation) = operation(head) {
            if open.is_some() {
                return Err(line.bad("a phase starts before the one above ended with `---`"));
            }
            let phase = Phase { operation: operation.into(), ..Phase::default() };
            let printer = Printer::default();
            open = Some(Open { line: line.number, phase, whole: false, printer });
        }
        if let Some(open) = &mut open {
            open.printer.add(line.text.trim().as_bytes());
            row(&line, head.trim(), cells, open)?;
        }
    }
    match open {
        None => Ok(true),
        Some(open) if open.whole && bytes.ends_with(b"\n") => {
            end(file, Some(open), gather)?;
            Ok(false)
        }
        Some(_) => Err(FormatError::line(
            file,
            last,
            "the last phase does not end with `---`; the file is truncated",
        )),
    }
}

/// A phase that is read.
struct Open {
    line: u64,
    phase: Phase,
    /// Its totals were printed, behind all rates.
    whole: bool,
    printer: Printer,
}

/// The operation at the start of a phase: `WRITE` of `WRITE       Elapsed time`, which versions 1 count in
/// milliseconds.
fn operation(head: &str) -> Option<&str> {
    let (operation, _) =
        head.split_once("Elapsed time").or_else(|| head.split_once("Elapsed ms"))?;
    Some(operation.trim())
}

fn end(file: &str, open: Option<Open>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let Some(open) = open else { return Ok(()) };
    if open.phase.is_mix() {
        gather.note(MIX_NOTE);
    }
    let run_start = gather.run_start();
    gather.add(file, open.line, open.phase.reading())?;
    gather.end_run(file, run_start, open.printer.print());
    Ok(())
}

fn row(line: &Line<'_>, head: &str, cells: &str, open: &mut Open) -> Result<(), FormatError> {
    let phase = &mut open.phase;
    let cells: Vec<&str> = cells.split_whitespace().collect();
    let last = cells.last().copied().unwrap_or_default();
    let number = || line.number(head, last).map(Some);
    match head {
        _ if operation(head).is_some() => {
            let of_ms = head.ends_with("Elapsed ms");
            let time = |text: &str| {
                let time = if of_ms {
                    crate::text::number(text).map(|ms| ms / 1e3)
                } else {
                    duration_s(text)
                };
                time.ok_or_else(|| line.bad("invalid elapsed time"))
            };
            phase.last_s = Some(time(last)?);
            phase.first_s = cells.first().map(|first| time(first)).transpose()?;
        }
        // With --dirstats the directories of the files follow the files.
        "Dirs/s" if phase.entries_per_s.is_some() => {}
        "Dirs total" if phase.entries > 0 => {}
        "Files/s" | "Dirs/s" | "Files/s write" => phase.entries_per_s = number()?,
        "Files/s read" => phase.reads.entries_per_s = number()?,
        "IOPS" | "IOPS write" => phase.iops = number()?,
        "IOPS read" => phase.reads.iops = number()?,
        "Throughput MiB/s" | "MiB/s write" => phase.rate = number()?.map(|mib| mib * MB_PER_MIB),
        "Throughput MB/s" | "MB/s write" => phase.rate = number()?,
        "MiB/s read" => phase.reads.rate = number()?.map(|mib| mib * MB_PER_MIB),
        "MB/s read" => phase.reads.rate = number()?,
        "CPU util %" => phase.cpu_percent = number()?,
        "Total MiB" | "MiB read" => open.whole = true,
        "Files total" | "Dirs total" => {
            phase.entries = last.parse().unwrap_or(0);
            open.whole = true;
        }
        _ => latencies(line, head, &cells, phase)?,
    }
    Ok(())
}

/// A row of times; other rows say nothing of them.
fn latencies(
    line: &Line<'_>,
    head: &str,
    cells: &[&str],
    phase: &mut Phase,
) -> Result<(), FormatError> {
    // Versions 1 name the unit in the head.
    let (head, unit) = match head.strip_suffix(" us") {
        Some(head) => (head, "us"),
        None => (head, ""),
    };
    let times = match head {
        "Files latency" | "Dirs latency" | "Files wr latency" => &mut phase.entry_us,
        "IO latency" | "IO wr latency" => &mut phase.block_us,
        "Files rd latency" => &mut phase.reads.entry_us,
        "IO rd latency" => &mut phase.reads.block_us,
        _ => return Ok(()),
    };
    *times = latency(line, cells, unit)?;
    Ok(())
}

/// `[ min=57us avg=317us max=28.2ms ]`, in microseconds; `unit` is that of figures without one.
fn latency(line: &Line<'_>, cells: &[&str], unit: &str) -> Result<[Option<f64>; 3], FormatError> {
    let of = |name: &str| {
        let text = cells.iter().find_map(|cell| cell.strip_prefix(name))?;
        Some(duration_s(&format!("{text}{unit}")).ok_or_else(|| line.bad("invalid latency")))
    };
    let us = |name| of(name).transpose().map(|s| s.map(|s| s * 1e6));
    Ok([us("min=")?, us("avg=")?, us("max=")?])
}

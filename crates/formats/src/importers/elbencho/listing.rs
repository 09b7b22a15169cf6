//! Parses elbencho's text: for each phase a block of rows with the figures of the first and of the last worker to end.

use super::Phase;
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
        "Files/s" | "Dirs/s" => phase.entries_per_s = number()?,
        "IOPS" => phase.iops = number()?,
        "Throughput MiB/s" => phase.rate = number()?.map(|mib| mib * MB_PER_MIB),
        "Throughput MB/s" => phase.rate = number()?,
        "CPU util %" => phase.cpu_percent = number()?,
        "Total MiB" => open.whole = true,
        "Files total" | "Dirs total" => {
            phase.entries = last.parse().unwrap_or(0);
            open.whole = true;
        }
        "Files latency" | "Dirs latency" => phase.entry_us = latency(line, &cells, "")?,
        "Files latency us" | "Dirs latency us" => phase.entry_us = latency(line, &cells, "us")?,
        "IO latency" => phase.block_us = latency(line, &cells, "")?,
        "IO latency us" => phase.block_us = latency(line, &cells, "us")?,
        _ => {}
    }
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

//! What elbencho prints: for each phase a block of rows with the figures of the first and of the last
//! worker to end.

use super::Phase;
use crate::{
    FormatError,
    gather::Gather,
    text::{Line, MB_PER_MIB, duration_s, lines},
};

/// Whether a file that begins so is a listing of elbencho.
pub(super) fn sniff(head: &str) -> bool {
    head.lines().any(|line| {
        line.starts_with("OPERATION") && line.contains("RESULT TYPE") && line.contains("LAST DONE")
    })
}

/// Adds every phase of the file.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let mut phase: Option<(u64, Phase)> = None;
    let mut last = 1;
    for line in lines(file, bytes) {
        last = line.number;
        if line.text.starts_with("---") {
            end(file, phase.take(), gather)?;
            continue;
        }
        let Some((head, cells)) = line.text.split_once(" :") else { continue };
        if let Some(operation) = head.strip_suffix(' ').unwrap_or(head).split_once("Elapsed time") {
            if phase.is_some() {
                return Err(line.bad("a phase begins and the one above is not closed by `---`"));
            }
            let operation = operation.0.trim().to_owned();
            phase = Some((line.number, Phase { operation, ..Phase::default() }));
        }
        if let Some((_, phase)) = &mut phase {
            row(&line, head.trim(), cells, phase)?;
        }
    }
    match phase {
        Some(_) => Err(FormatError::line(
            file,
            last,
            "the last phase is not closed by `---`; the file is cut",
        )),
        None => Ok(()),
    }
}

fn end(
    file: &str,
    phase: Option<(u64, Phase)>,
    gather: &mut Gather<'_>,
) -> Result<(), FormatError> {
    match phase {
        Some((line, phase)) => gather.add(file, line, phase.reading()),
        None => Ok(()),
    }
}

fn row(line: &Line<'_>, head: &str, cells: &str, phase: &mut Phase) -> Result<(), FormatError> {
    let cells: Vec<&str> = cells.split_whitespace().collect();
    let last = cells.last().copied().unwrap_or_default();
    let number = || line.number(head, last).map(Some);
    match head {
        _ if head.ends_with("Elapsed time") => {
            let time = |text: &str| {
                duration_s(text).ok_or_else(|| line.bad("the elapsed time is no time"))
            };
            phase.last_s = Some(time(last)?);
            phase.first_s = cells.first().map(|first| time(first)).transpose()?;
        }
        "Files/s" | "Dirs/s" => phase.entries_per_s = number()?,
        "IOPS" => phase.iops = number()?,
        "Throughput MiB/s" => phase.rate = number()?.map(|mib| mib * MB_PER_MIB),
        "CPU util %" => phase.cpu_percent = number()?,
        "Files total" | "Dirs total" => phase.entries = last.parse().unwrap_or(0),
        "Files latency" | "Dirs latency" => phase.entry_us = latency(line, &cells)?,
        "IO latency" => phase.block_us = latency(line, &cells)?,
        _ => {}
    }
    Ok(())
}

/// `[ min=57us avg=317us max=28.2ms ]`, in microseconds.
fn latency(line: &Line<'_>, cells: &[&str]) -> Result<[Option<f64>; 3], FormatError> {
    let of = |name: &str| {
        let text = cells.iter().find_map(|cell| cell.strip_prefix(name))?;
        Some(duration_s(text).ok_or_else(|| line.bad("the latency is no time")))
    };
    let us = |name| of(name).transpose().map(|s| s.map(|s| s * 1e6));
    Ok([us("min=")?, us("avg=")?, us("max=")?])
}

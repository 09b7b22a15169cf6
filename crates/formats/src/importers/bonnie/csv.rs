//! The CSV line of a run of bonnie++.

use super::{Figure, HIDDEN_MARK, IO_PHASES, PHASES, Phase, Run};
use crate::{
    FormatError,
    gate::Print,
    gather::Gather,
    text::{Line, duration_s, lines, split_at_unit},
};
use std::collections::HashSet;

/// KiB/s in MB/s.
const MB_PER_KIB: f64 = 1.024e-3;

/// Where the fields of a layout stand, from 0.
pub(super) struct Layout {
    name: usize,
    concurrency: Option<usize>,
    /// First and last field of sizes.
    size: (usize, usize),
    /// The first figure of the phases that move data, and of those on files.
    data: usize,
    files: usize,
    /// First and last field of the number of files.
    count: (usize, usize),
    latency: Option<usize>,
}

/// name, size, six pairs, number of files, six pairs.
const OLD: Layout = Layout {
    name: 0,
    concurrency: None,
    size: (1, 1),
    data: 2,
    files: 15,
    count: (14, 14),
    latency: None,
};

/// format, version, name, concurrency, seed, size, chunk, six pairs, five fields on files, six pairs,
/// twelve latencies.
const MIDDLE: Layout = Layout {
    name: 2,
    concurrency: Some(3),
    size: (5, 6),
    data: 7,
    files: 24,
    count: (19, 23),
    latency: Some(36),
};

/// The same with number of seeks and of processes that seek, after the chunk.
const NEW: Layout = Layout {
    name: 2,
    concurrency: Some(3),
    size: (5, 8),
    data: 9,
    files: 26,
    count: (21, 25),
    latency: Some(38),
};

/// The fields of a CSV line and their layout; `None` for any other line.
pub(super) fn fields(text: &str) -> Option<(Vec<&str>, &'static Layout)> {
    // More than any layout has; a long line is not split for nothing.
    let fields: Vec<&str> = text.trim().splitn(52, ',').collect();
    // By the version too: a line of 50 fields that is cut to 48 is not one of 48.
    let layout = match (fields.len(), format(fields[0])) {
        (27, _) if fields[2..].iter().all(|field| is_cell(field)) && !fields[1].is_empty() => &OLD,
        (48, Some(version)) if version < 1.98 => &MIDDLE,
        (50, Some(version)) if version >= 1.98 => &NEW,
        _ => return None,
    };
    Some((fields, layout))
}

/// The version of the format that a line begins with.
fn format(field: &str) -> Option<f64> {
    field.parse().ok().filter(|version| (1.9..3.0).contains(version))
}

/// Empty, hidden, or digits; the number of files may have parts as `16:1000:100/10`.
fn is_cell(field: &str) -> bool {
    field.bytes().all(|byte| byte.is_ascii_digit() || b"+.:/".contains(&byte))
}

/// Adds every run of the file.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let mut names = HashSet::new();
    for line in lines(file, bytes) {
        if let Some((fields, layout)) = fields(&line.text) {
            names.insert(fields[layout.name].to_owned());
        }
    }
    for line in lines(file, bytes) {
        if let Some((fields, layout)) = fields(&line.text) {
            line.is_whole()?;
            if layout.concurrency.is_some() {
                gather.version(fields[1]);
            }
            let run_start = gather.run_start();
            run(&line, &fields, layout)?.add(file, line.number, names.len() > 1, gather)?;
            gather.end_run(file, run_start, Print::of(line.text.as_bytes()));
        } else if is_cut(&line.text) {
            return Err(
                line.bad("a CSV line of bonnie++ has 27, 48 or 50 fields; this one is truncated")
            );
        }
    }
    Ok(())
}

/// Whether a line begins as those of 1.9x do, and is none.
pub(super) fn is_cut(text: &str) -> bool {
    let mut start = text.splitn(7, ',');
    start.next().is_some_and(|field| format(field).is_some())
        && start.count() == 6
        && fields(text).is_none()
}

fn run(line: &Line<'_>, fields: &[&str], layout: &Layout) -> Result<Run, FormatError> {
    let joined = |(first, last): (usize, usize)| fields[first..=last].join(",");
    let mut phases = [Phase::default(); PHASES];
    for (i, phase) in phases.iter_mut().enumerate() {
        let at =
            if i < IO_PHASES { layout.data + 2 * i } else { layout.files + 2 * (i - IO_PHASES) };
        // All but the seeks of those that move data are KiB/s.
        let factor = if i < IO_PHASES - 1 { MB_PER_KIB } else { 1.0 };
        phase.figure = figure(line, fields[at], factor)?;
        phase.cpu_percent = cpu_percent(line, fields[at + 1])?;
        phase.latency_ms = match layout.latency {
            Some(latency) => latency_ms(line, fields[latency + i])?,
            None => None,
        };
    }
    let concurrency = match layout.concurrency {
        Some(at) => line.count("concurrency", fields[at])?,
        None => 1,
    };
    Ok(Run {
        name: fields[layout.name].into(),
        concurrency,
        size: format!("size {}", joined(layout.size)),
        files: format!("files {}", joined(layout.count)),
        phases,
    })
}

fn figure(line: &Line<'_>, text: &str, factor: f64) -> Result<Figure, FormatError> {
    match text {
        "" => Ok(Figure::Absent),
        _ if text.starts_with(HIDDEN_MARK) => Ok(Figure::Hidden),
        _ => Ok(Figure::Given(line.number("a rate", text)? * factor)),
    }
}

/// A share of processor time; `None` where it is hidden or missing.
pub(super) fn cpu_percent(line: &Line<'_>, text: &str) -> Result<Option<f64>, FormatError> {
    if text.is_empty() || text.starts_with(HIDDEN_MARK) {
        return Ok(None);
    }
    line.number("the share of CPU", text).map(Some)
}

/// A longest operation, ms; `None` where it is missing.
pub(super) fn latency_ms(line: &Line<'_>, text: &str) -> Result<Option<f64>, FormatError> {
    if text.is_empty() || text.starts_with(HIDDEN_MARK) {
        return Ok(None);
    }
    // bonnie++ knows these three; a `ms` that was cut to `m` would be minutes elsewhere.
    let known = ["us", "ms", "s"].contains(&split_at_unit(text).1);
    let seconds = duration_s(text).filter(|_| known).ok_or_else(|| line.bad("invalid latency"))?;
    Ok(Some(seconds * 1e3))
}

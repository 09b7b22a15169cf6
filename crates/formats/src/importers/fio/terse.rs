//! The terse output of fio: one line of semicolon-separated fields for each job, versions 2 to 5.

use super::{
    dataset::IN_PARTS,
    run::{Direction, Flow, Job, Latency, Run},
};
use crate::{FormatError, gate::AGAIN};
use std::collections::HashSet;

/// Fields of a direction: bytes, rate, IOPS and time, then submission and completion latency,
/// percentiles, total latency and sampled bandwidth.
const DIRECTION_FIELDS: usize = 4 + 4 + 4 + PERCENTILES + 4 + 5;
/// Version 5 adds the number of bandwidth samples, and sampled IOPS.
const DIRECTION_FIELDS_5: usize = DIRECTION_FIELDS + 6;
const PERCENTILES: usize = 20;
/// Where in a direction the mean completion latency and the percentiles stand.
const COMPLETION_MIN: usize = 8;
const COMPLETION_MAX: usize = 9;
const COMPLETION_MEAN: usize = 10;
const FIRST_PERCENTILE: usize = 12;
/// Processor, depths, latencies in microseconds and in milliseconds: what follows the directions.
const TAIL_FIELDS: usize = 5 + 7 + 10 + 12;
/// Fields of each disk, from version 3.
const DISK_FIELDS: usize = 9;

/// Whether a line is of this kind.
pub(super) fn is_line(line: &str) -> bool {
    let mut fields = line.split(';');
    let known = matches!(fields.next(), Some("2" | "3" | "4" | "5"));
    known && fields.count() >= 3 + DIRECTION_FIELDS
}

/// What a run that is printed again has run for since, at least, milliseconds.
const LEAST_GAIN_MS: f64 = 200.0;

/// Every run in `text`. Lines of one run have the same disk counters, for those are taken once, at
/// its end; that tells workers of one run from runs of one job.
pub(super) fn runs(file: &str, text: &str) -> Result<Vec<Run>, FormatError> {
    let mut runs: Vec<Run> = Vec::new();
    let mut last_disks: Vec<String> = Vec::new();
    let (mut seen, mut copied) = (HashSet::new(), false);
    for (i, line) in text.lines().enumerate().filter(|(_, line)| is_line(line)) {
        if !seen.insert(line.trim_end()) {
            copied = true;
            continue;
        }
        let bad = |why: String| FormatError::line(file, i as u64 + 1, why);
        let fields: Vec<&str> = line.trim_end().split(';').collect();
        let line = Line::of(&fields).map_err(bad)?;
        let job = line.job().map_err(bad)?;
        let same = |run: &Run| run.jobs.iter().any(|j| j.name == job.name && j.group == job.group);
        if runs.is_empty() || line.disks != last_disks {
            runs.push(Run { version: line.version.map(str::to_owned), ..Run::default() });
        } else if line.disks.is_empty() && runs.last().is_some_and(same) {
            let why = "appears twice, and two workers cannot be told from two runs";
            return Err(bad(format!("job `{}` {why}; use one file per run", job.name)));
        }
        last_disks = line.disks.iter().map(|field| field.to_string()).collect();
        if let Some(run) = runs.last_mut() {
            run.jobs.push(job);
            run.print = run.print.then(fields.join(";").as_bytes());
        }
    }
    let mut runs = without_parts(runs);
    if let Some(first) = runs.first_mut() {
        first.note = first.note.or(copied.then_some(AGAIN));
    }
    Ok(runs)
}

/// The runs without what `--status-interval` printed of them before they ended.
fn without_parts(all: Vec<Run>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for run in all {
        match runs.last_mut() {
            Some(last) if goes_on(last, &run) => {
                *last = Run { note: Some(IN_PARTS), ..run };
            }
            _ => runs.push(run),
        }
    }
    runs
}

/// Whether `later` is the run `earlier` with what it did since: every job has more of everything, and its least
/// and greatest latency are those of all until then.
fn goes_on(earlier: &Run, later: &Run) -> bool {
    let more = |(a, b): (&Job, &Job)| {
        let flows = a.flows.iter().zip(&b.flows).all(|((of_a, a), (of_b, b))| {
            let (low, high) =
                (a.latency.min_ns >= b.latency.min_ns, a.latency.max_ns <= b.latency.max_ns);
            of_a == of_b && a.bytes <= b.bytes && low && high
        });
        let is_same = a.name == b.name && a.group == b.group && a.flows.len() <= b.flows.len();
        let bytes = |job: &Job| job.flows.iter().map(|(_, flow)| flow.bytes).sum::<f64>();
        flows && is_same && bytes(a) < bytes(b) && a.runtime_ms() + LEAST_GAIN_MS <= b.runtime_ms()
    };
    earlier.jobs.len() == later.jobs.len() && earlier.jobs.iter().zip(&later.jobs).all(more)
}

/// A line by its parts.
struct Line<'a> {
    version: Option<&'a str>,
    /// Name, group, error.
    head: &'a [&'a str],
    directions: Vec<(Direction, &'a [&'a str])>,
    disks: &'a [&'a str],
}

impl<'a> Line<'a> {
    fn of(fields: &'a [&'a str]) -> Result<Line<'a>, String> {
        use Direction::{Mixed, Read, Trim, Write};
        let version = fields[0];
        let head = if version == "2" { 1 } else { 2 };
        let width = if version == "5" { DIRECTION_FIELDS_5 } else { DIRECTION_FIELDS };
        // Version 2 gained trims without becoming another; unified reports have one direction, or the sum of all
        // behind each.
        let layouts: &[&[Direction]] = if version == "3" {
            &[&[Read, Write], &[Mixed], &[Read, Write, Mixed]]
        } else {
            &[&[Read, Write, Trim], &[Read, Write], &[Mixed], &[Read, Write, Trim, Mixed]]
        };
        let start = head + 3;
        // Processor shares follow the directions; at any other place no percentage stands.
        let fits = |layout: &&[Direction]| {
            let at = start + layout.len() * width;
            let share = |i: usize| fields.get(at + i).is_some_and(|field| field.ends_with('%'));
            share(0) && share(1) && share(5) && share(TAIL_FIELDS - 1)
        };
        let layout = layouts.iter().copied().find(fits).ok_or_else(|| {
            format!("{} fields are not terse output, version {version}", fields.len())
        })?;
        let after = start + layout.len() * width;
        let rest = &fields[after + TAIL_FIELDS..];
        let disks = if version == "2" { 0 } else { rest.len() / DISK_FIELDS * DISK_FIELDS };
        let directions = layout.iter().copied().zip(fields[start..after].chunks(width));
        Ok(Line {
            version: (head == 2).then_some(fields[1]),
            head: &fields[head..start],
            directions: directions.collect(),
            disks: &rest[..disks],
        })
    }

    fn job(&self) -> Result<Job, String> {
        let whole = |text: &str| {
            text.parse::<i32>().map_err(|_| format!("`{}` is not a number", text.escape_debug()))
        };
        let mut flows = Vec::new();
        for (direction, fields) in &self.directions {
            let flow = flow(fields)?;
            if flow.bytes > 0.0 || flow.iops > 0.0 {
                flows.push((*direction, flow));
            }
        }
        Ok(Job {
            name: self.head[0].into(),
            group: whole(self.head[1])?.into(),
            error: super::failure(whole(self.head[2])?, 0, 0),
            flows,
            ..Job::default()
        })
    }
}

/// A direction: KiB, KiB/s, whole IOPS, whole milliseconds, latencies in microseconds. The rate is
/// computed from bytes and time, because early releases print it in another unit.
fn flow(fields: &[&str]) -> Result<Flow, String> {
    let [kib, iops, runtime_ms] = [number(fields[0])?, number(fields[2])?, number(fields[3])?];
    let mut flow = Flow::new(kib * 1024.0, iops * runtime_ms / 1000.0, runtime_ms, iops);
    flow.latency = Latency {
        count: None,
        min_ns: Some(number(fields[COMPLETION_MIN])? * 1000.0),
        mean_ns: Some(number(fields[COMPLETION_MEAN])? * 1000.0),
        max_ns: Some(number(fields[COMPLETION_MAX])? * 1000.0),
        step_ns: 1000.0,
        percentiles: percentiles(&fields[FIRST_PERCENTILE..FIRST_PERCENTILE + PERCENTILES])?,
        bins: Vec::new(),
    };
    Ok(flow)
}

/// `99.000000%=8093`; what was not asked for is written as `0%=0`.
fn percentiles(fields: &[&str]) -> Result<Vec<(f64, f64)>, String> {
    let pair = |field: &&str| {
        let (percent, us) = field.split_once("%=").unwrap_or(("", ""));
        Ok((number(percent)?, number(us)? * 1000.0))
    };
    let pairs: Vec<(f64, f64)> = fields.iter().map(pair).collect::<Result<_, String>>()?;
    Ok(pairs.into_iter().filter(|(percent, _)| *percent > 0.0).collect())
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    number.ok_or_else(|| format!("`{}` is not a number", text.escape_debug()))
}

//! The output of fio for people, as it is pasted into web pages: releases 2 with `io=`, `bw=` and
//! `iops=`, later ones with `IOPS=` and `BW=`.
//!
//! It prints three or four digits. Where the counts of operations beside it give the same rates
//! exactly, those are taken.

use super::{
    number,
    run::{Direction, Flow, Job, Latency, Run},
    work::Work,
};
use crate::FormatError;
use std::collections::HashMap;

/// How far a printed rate may be from the exact one: 2.17 to 2.19 wrote `20.9k` for 20 009.
const PRINT_ERROR: f64 = 0.1;

/// Whether a line stands in no other kind of output.
pub(super) fn is_line(line: &str) -> bool {
    header(line).is_some() || rates(line).is_some()
}

/// Every run in `text`. A run ends with the status of its groups.
pub(super) fn runs(file: &str, text: &str) -> Result<Vec<Run>, FormatError> {
    let mut reader = Reader::default();
    for (i, line) in text.lines().enumerate() {
        let bad = |why: String| FormatError::line(file, i as u64 + 1, why);
        reader.line(unclaimed(line.trim())).map_err(bad)?;
    }
    let mut runs = reader.runs;
    runs.retain(|run| !run.jobs.is_empty());
    Ok(runs)
}

/// The line without the name of the client that sent it, `<host> `.
fn unclaimed(line: &str) -> &str {
    let rest = line.strip_prefix('<').and_then(|rest| rest.split_once("> "));
    rest.map_or(line, |(_, rest)| rest.trim())
}

/// Which latency a line of percentiles belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Direction(Direction),
    Sync,
    /// Submission latency, or latency by priority.
    Other,
}

#[derive(Default)]
struct Reader {
    runs: Vec<Run>,
    /// The status of the groups was printed: the next job is of another run.
    ended: bool,
    version: Option<String>,
    works: HashMap<String, Work>,
    /// What the lines that follow describe.
    section: Option<Of>,
    /// What the percentiles that follow describe, and their unit in nanoseconds.
    percentiles: Option<(Of, f64)>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some((name, work)) = setup(line) {
            self.works.insert(name.into(), work);
        } else if line.starts_with("fio-") && !line.contains(' ') {
            self.version = Some(line.into());
        } else if line.starts_with("Run status group") {
            self.ended = true;
        } else if let Some(header) = header(line) {
            self.start(header)?;
        } else if let Some((direction, text)) = rates(line) {
            let rates = Rates::read(text).ok_or_else(|| format!("`{line}` is not a rate"))?;
            self.direction(direction, rates)?;
        } else if line.starts_with("fsync/fdatasync") {
            self.section = Some(Of::Sync);
        } else if let Some(percentiles) = line.strip_prefix('|') {
            self.percentiles(percentiles)?;
        } else if line.starts_with("issued") {
            self.issued(line)?;
        } else {
            self.latency(line)?;
        }
        Ok(())
    }

    /// Begins a job, and a run when the one before has ended.
    fn start(&mut self, header: Header<'_>) -> Result<(), String> {
        if self.runs.is_empty() || self.ended {
            self.runs.push(Run { version: self.version.clone(), ..Run::default() });
            self.ended = false;
        }
        let error = whole(header.error)?;
        let job = Job {
            name: header.name.into(),
            group: whole(header.group)?.into(),
            members: Some(whole(header.jobs)?.max(1) as u32),
            work: self.works.get(header.name).cloned().unwrap_or_default(),
            error: super::failure(error, 0, 0),
            ..Job::default()
        };
        (self.section, self.percentiles) = (None, None);
        if let Some(run) = self.runs.last_mut() {
            run.version = run.version.take().or(self.version.clone());
            run.jobs.push(job);
        }
        Ok(())
    }

    fn direction(&mut self, direction: Direction, rates: Rates) -> Result<(), String> {
        if self.job().is_none() {
            // Only this part was pasted.
            self.start(Header { name: "job", group: "0", jobs: "1", error: "0" })?;
        }
        let Rates { bytes, iops, runtime_ms } = rates;
        let Some(job) = self.job() else { return Ok(()) };
        if job.flow(direction).is_some() {
            return Err(format!("{} stands twice in one job", direction.as_str()));
        }
        let flow = Flow::new(bytes, iops * runtime_ms / 1000.0, runtime_ms, iops);
        job.flows.push((direction, flow));
        self.section = Some(Of::Direction(direction));
        self.percentiles = None;
        Ok(())
    }

    fn job(&mut self) -> Option<&mut Job> {
        self.runs.last_mut().filter(|_| !self.ended)?.jobs.last_mut()
    }

    fn latency_of(&mut self, of: Of) -> Option<&mut Latency> {
        let job = self.job()?;
        match of {
            Of::Direction(direction) => job.flow(direction).map(|flow| &mut flow.latency),
            Of::Sync => Some(job.sync.get_or_insert_default()),
            Of::Other => None,
        }
    }

    /// `clat (usec): min=15, max=16047, avg=1561.14, stdev=1905.78`, or the heading of percentiles.
    fn latency(&mut self, line: &str) -> Result<(), String> {
        let Some(section) = self.section else { return Ok(()) };
        let Some((what, unit_ns)) = unit(line) else { return Ok(()) };
        let named = match section {
            Of::Sync => "sync",
            _ => "clat",
        };
        if line.contains("percentiles") {
            let plain = |word: &str| what.trim() == format!("{word} percentiles");
            let untold = |l: &mut Latency| l.percentiles.is_empty();
            // Total latency stands in where completion latency was not counted.
            let total = plain("lat") && self.latency_of(section).is_some_and(untold);
            let of = if plain(named) || total { section } else { Of::Other };
            self.percentiles = Some((of, unit_ns));
        } else if what.trim() == named {
            let average = line.split(", ").find_map(|part| part.strip_prefix("avg="));
            let average = average.map(|text| finite(text.trim())).transpose()?;
            if let Some((latency, average)) = self.latency_of(section).zip(average) {
                latency.mean_ns = Some(average * unit_ns);
            }
        }
        Ok(())
    }

    /// `50.00th=[  408], 90.00th=[ 2573],`
    fn percentiles(&mut self, line: &str) -> Result<(), String> {
        let Some((of, unit_ns)) = self.percentiles else { return Ok(()) };
        for part in line.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (percent, rest) =
                part.split_once("th=[").ok_or_else(|| format!("`{part}` is not a percentile"))?;
            let value = finite(rest.trim_end_matches(']').trim())? * unit_ns;
            let pair = (finite(percent.trim())?, value);
            if let Some(latency) = self.latency_of(of) {
                latency.percentiles.push(pair);
            }
        }
        Ok(())
    }

    /// `issued rwts: total=100409,43012,0,0 ...` or `issued    : total=r=100409/w=43012/d=0, ...`:
    /// exact counts, from which exact rates follow.
    fn issued(&mut self, line: &str) -> Result<(), String> {
        let Some((_, totals)) = line.split_once("total=") else { return Ok(()) };
        let totals = totals.split([' ', 's']).next().unwrap_or_default();
        let numbers = totals.split([',', '/']).filter(|part| !part.is_empty());
        let numbers = numbers.map(|part| finite(part.trim_start_matches(['r', 'w', 'd', '='])));
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>()?;
        let Some(job) = self.job() else { return Ok(()) };
        let block_bytes = job.work.block_bytes();
        for (direction, ops) in Direction::ALL.into_iter().zip(numbers.into_iter().take(3)) {
            if let Some(flow) = job.flow(direction) {
                *flow = exact(std::mem::take(flow), ops, block_bytes);
            }
        }
        Ok(())
    }
}

/// The flow with the figures that `ops` operations give, where they are those that are printed.
fn exact(flow: Flow, ops: f64, block_bytes: Option<f64>) -> Flow {
    let near = |exact: f64, printed: f64| (exact - printed).abs() <= PRINT_ERROR * printed;
    let iops = Some(ops * 1000.0 / flow.runtime_ms).filter(|&iops| near(iops, flow.iops));
    let bytes = block_bytes.map(|bytes| bytes * ops).filter(|&bytes| near(bytes, flow.bytes));
    let latency = flow.latency;
    Flow {
        latency,
        ..Flow::new(bytes.unwrap_or(flow.bytes), ops, flow.runtime_ms, iops.unwrap_or(flow.iops))
    }
}

struct Header<'a> {
    name: &'a str,
    group: &'a str,
    jobs: &'a str,
    error: &'a str,
}

/// `oltp: (groupid=0, jobs=8): err= 0: pid=25536: Sat Nov 21 03:09:26 2026`
fn header(line: &str) -> Option<Header<'_>> {
    let (name, rest) = line.trim().split_once(": (groupid=")?;
    let (group, rest) = rest.split_once(", jobs=")?;
    let (jobs, rest) = rest.split_once("): err=")?;
    let error = rest.trim_start().split([':', ' ']).next()?;
    Some(Header { name, group, jobs, error })
}

/// `oltp: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, ..., ioengine=libaio, iodepth=4`,
/// in earlier releases `bs=4K-4K/4K-4K/4K-4K`.
fn setup(line: &str) -> Option<(&str, Work)> {
    let (name, rest) = line.split_once(": (g=")?;
    let (_, options) = rest.split_once("): ")?;
    let mut work = Work::default();
    for part in options.split(", ") {
        if let Some((key, value)) = part.split_once('=').filter(|(key, _)| *key != "bs") {
            work.set(key, value);
        }
    }
    let sizes = options.split("bs=").nth(1)?.split(", ioengine").next()?;
    let mut sizes = sizes.split([' ', ',', '-', '/']).filter_map(number::size);
    let first = sizes.next()?;
    if sizes.all(|size| size == first) {
        work.set("bs", &first.to_string());
    }
    Some((name, work))
}

struct Rates {
    bytes: f64,
    iops: f64,
    runtime_ms: f64,
}

/// The direction of a line of rates, and what it says of it.
fn rates(line: &str) -> Option<(Direction, &str)> {
    let (word, rest) = line.trim().split_once(':')?;
    let direction = Direction::ALL.into_iter().find(|d| d.as_str() == word.trim())?;
    let printed = rest.contains(" IOPS=") || rest.contains(" iops=");
    printed.then_some((direction, rest))
}

impl Rates {
    /// ` IOPS=20.1k, BW=78.4MiB/s (82.2MB/s)(392MiB/5001msec)` or
    /// ` io=392.3MB, bw=78617KB/s, iops=19654, runt=  5004msec`.
    fn read(text: &str) -> Option<Rates> {
        let before_iec = text.contains("io=");
        let field = |key: &str| text.split(", ").find_map(|part| part.trim().strip_prefix(key));
        let (bytes, iops, runtime) = if before_iec {
            (field("io=")?, field("iops=")?, field("runt=")?)
        } else {
            let (bytes, rest) = text.rsplit_once('(')?.1.split_once('/')?;
            (bytes, field("IOPS=")?, rest.split(')').next()?)
        };
        Some(Rates {
            bytes: number::bytes(bytes, before_iec)?,
            iops: number::decimal(iops)?,
            runtime_ms: number::decimal(runtime.trim_end().strip_suffix("msec")?)?,
        })
    }
}

/// What stands before the unit in `clat (usec): ...`, and the unit in nanoseconds.
fn unit(line: &str) -> Option<(&str, f64)> {
    let (what, rest) = line.split_once('(')?;
    let (unit, after) = rest.split_once(')')?;
    let unit_ns = match unit.trim() {
        "nsec" => 1.0,
        "usec" => 1e3,
        "msec" => 1e6,
        _ => return None,
    };
    // `lat (usec)   : 2=0.06%` is a share of operations, not a latency.
    after.starts_with(':').then_some((what, unit_ns))
}

fn whole(text: &str) -> Result<i32, String> {
    text.trim().parse().map_err(|_| format!("`{}` is not a number", text.escape_debug()))
}

fn finite(text: &str) -> Result<f64, String> {
    number::decimal(text).ok_or_else(|| format!("`{}` is not a number", text.escape_debug()))
}

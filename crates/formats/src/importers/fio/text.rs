//! The output of fio for people, as it is pasted into web pages: releases 2 with `io=`, `bw=` and
//! `iops=`, later ones with `IOPS=` and `BW=`.
//!
//! It prints three or four digits. Where the counts of operations next to it give the same rates
//! exactly, those are taken.

mod rates;
mod runs;

use super::{
    number,
    run::{Direction, Job, Latency, Run},
    work::Work,
};
use crate::FormatError;
use rates::{Rates, rates};
use runs::{Runs, Section};
use std::collections::HashMap;

/// What a job is called whose line is missing.
const UNNAMED: &str = "job";

/// Whether a line is in no other kind of output.
pub(super) fn is_line(line: &str) -> bool {
    header(line).is_some() || rates(line).is_some()
}

/// Every run in `text`. A run ends with the status of its groups.
pub(super) fn runs(file: &str, text: &str) -> Result<Vec<Run>, FormatError> {
    let mut reader = Reader::default();
    for (i, line) in text.lines().enumerate() {
        let bad = |why: String| FormatError::line(file, i as u64 + 1, why);
        let (client, line) = unclaimed(line.trim());
        reader.runs.client(client);
        reader.line(line).map_err(bad)?;
    }
    Ok(reader.runs.finish())
}

/// The name of the client that sent a line, `<host> `, and the rest of it.
fn unclaimed(line: &str) -> (Option<&str>, &str) {
    let claimed = line.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    match claimed
        .filter(|(host, rest)| !host.contains(' ') && (rest.is_empty() || rest.starts_with(' ')))
    {
        Some((host, rest)) => (Some(host), rest.trim()),
        None => (None, line),
    }
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
    runs: Runs,
    version: Option<String>,
    works: HashMap<String, Work>,
    /// The rates of the job as they were printed.
    printed: Vec<(Direction, Rates)>,
    /// What the lines that follow describe.
    section: Option<Of>,
    /// What the percentiles that follow describe, and their unit in nanoseconds.
    percentiles: Option<(Of, f64)>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        self.read(line)?;
        self.runs.print(line);
        Ok(())
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        if let Some(Section { name, work, group }) = setup(line) {
            self.works.insert(name.clone(), work.clone());
            self.runs.section(Section { name, work, group });
        } else if line.starts_with("fio-") && !line.contains(' ') {
            self.version = Some(line.into());
        } else if line.starts_with("Run status group") {
            self.runs.end();
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
        self.runs.job(job, header.process, self.version.as_deref());
        Ok(())
    }

    fn direction(&mut self, direction: Direction, rates: Rates) -> Result<(), String> {
        if self.job().is_none() {
            // Only this part was pasted.
            self.start(Header { name: UNNAMED, group: "0", jobs: "1", error: "0", process: None })?;
        }
        let Some(job) = self.job() else { return Ok(()) };
        if job.flow(direction).is_some() {
            return Err(match job.name.as_str() {
                UNNAMED => "the lines of the jobs, `NAME: (groupid=...)`, are missing, so jobs \
                            cannot be told apart; import the whole output"
                    .into(),
                _ => format!("{} appears twice in one job", direction.as_str()),
            });
        }
        job.flows.push((direction, rates.flow()));
        self.printed.retain(|(known, _)| *known != direction);
        self.printed.push((direction, rates));
        self.section = Some(Of::Direction(direction));
        self.percentiles = None;
        Ok(())
    }

    fn job(&mut self) -> Option<&mut Job> {
        self.runs.open_job()
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
            if let Some(latency) = self.latency_of(of) {
                latency.step_ns = latency.step_ns.max(unit_ns);
                if total {
                    // These bound another latency.
                    (latency.min_ns, latency.max_ns) = (None, None);
                }
            }
        } else if what.trim() == named {
            let [min, max, mean] = ["min=", "max=", "avg="].map(|key| {
                let figure = line.split([',', ' ']).find_map(|part| part.strip_prefix(key));
                // A space may be before a short number.
                let rest = line.split_once(key).map(|(_, rest)| rest.trim_start());
                let figure = figure.filter(|text| !text.is_empty());
                let text = figure.or(rest.and_then(|rest| rest.split([',', ' ']).next()));
                text.map(finite).transpose()
            });
            let [min, max, mean] = [min?, max?, mean?].map(|n| n.map(|n| n * unit_ns));
            if let Some(latency) = self.latency_of(section) {
                latency.step_ns = latency.step_ns.max(unit_ns);
                (latency.min_ns, latency.max_ns) = (min, max);
                latency.mean_ns = mean.or(latency.mean_ns);
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
        let (version, printed) = (self.version.clone(), std::mem::take(&mut self.printed));
        let Some(job) = self.job() else { return Ok(()) };
        let block_bytes = job.work.block_bytes();
        for (direction, ops) in Direction::ALL.into_iter().zip(numbers.into_iter().take(3)) {
            let rates = printed.iter().find(|(known, _)| *known == direction);
            if let Some((flow, (_, rates))) = job.flow(direction).zip(rates) {
                rates.make_exact(flow, ops, block_bytes, version.as_deref());
            }
        }
        Ok(())
    }
}

struct Header<'a> {
    name: &'a str,
    group: &'a str,
    jobs: &'a str,
    error: &'a str,
    /// Number of the process, if known.
    process: Option<u64>,
}

/// `oltp: (groupid=0, jobs=8): err= 0: pid=25536: Sat Nov 21 03:09:26 2026`
fn header(line: &str) -> Option<Header<'_>> {
    let (name, rest) = line.trim().split_once(": (groupid=")?;
    let (group, rest) = rest.split_once(", jobs=")?;
    let (jobs, rest) = rest.split_once("): err=")?;
    let error = rest.trim_start().split([':', ' ']).next()?;
    let process = rest
        .split_once("pid=")
        .and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    Some(Header { name, group, jobs, error, process })
}

/// `oltp: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, ..., ioengine=libaio, iodepth=4`,
/// in earlier releases `bs=4K-4K/4K-4K/4K-4K`.
fn setup(line: &str) -> Option<Section> {
    let (name, rest) = line.split_once(": (g=")?;
    let (group, options) = rest.split_once("): ")?;
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
    Some(Section { name: name.into(), group: group.parse().ok()?, work })
}

/// The text before the unit in `clat (usec): ...` and `clat prio 2/4 (50.00% of IOs) percentiles (usec):`, and the
/// unit in nanoseconds.
fn unit(line: &str) -> Option<(&str, f64)> {
    let (what, rest) = line.rsplit_once('(')?;
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

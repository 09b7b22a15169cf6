//! The figures of one run of sysbench: rates, times, and the histogram where it was asked for.

mod checkpoints;
mod old;

use crate::{
    FormatError,
    gate::{Figures as GateFigures, in_flight},
    text::{Line, MB_PER_MIB, number, split_at_unit},
};
use model::{
    figure::{Better, Histogram, LatencyKind, Metric},
    result::Contradiction,
    workload::Group,
};
use std::collections::BTreeMap;

/// How a run counts and times operations, by the lines at its head.
#[derive(Clone, Copy, Default)]
pub(super) struct How {
    /// The fsync after a write is of the same event, `--file-fsync-all`.
    pub(super) fsync_within: bool,
    /// Operations are due at a fixed rate, `--rate`: times count from then, and have the wait for a free thread.
    pub(super) at_rate: bool,
}

/// What the closing lines of a run say.
#[derive(Default)]
pub(super) struct Figures {
    reads: f64,
    writes: f64,
    fsyncs: f64,
    read_mib: f64,
    write_mib: f64,
    /// Bytes of each operation.
    pub(super) block_bytes: Option<f64>,
    /// How operations are counted and timed.
    pub(super) how: How,
    /// Reads and writes together are all that is known.
    unsplit: bool,
    /// Service times in the order minimum, mean, maximum, percentile; microseconds.
    times: [Option<(String, f64)>; 4],
    /// Bins of the histogram, by nanoseconds.
    bins: BTreeMap<u64, u64>,
    in_histogram: bool,
    /// Length of the run, seconds.
    pub(super) seconds: f64,
    /// Reads, writes and fsyncs that are events of their own.
    pub(super) events: u64,
    /// What versions 0.4 and 0.5 count, until the time is known.
    old: Option<old::Counts>,
    /// The last lines were there.
    pub(super) complete: bool,
}

/// Bytes of `16KiB`, as sysbench prints sizes.
pub(super) fn size(text: &str) -> Option<f64> {
    let (digits, unit) = split_at_unit(text.trim());
    let factor = match unit {
        "B" | "b" => 1.0,
        // Versions 0.4 and 0.5 wrote the same without the `i`.
        "KiB" | "KB" | "Kb" => 1024.0,
        "MiB" | "MB" | "Mb" => 1_048_576.0,
        "GiB" | "GB" | "Gb" => 1_073_741_824.0,
        _ => return None,
    };
    Some(number(digits)? * factor)
}

impl Figures {
    /// Empty figures of the same run.
    pub(super) fn next(&self) -> Figures {
        Figures { block_bytes: self.block_bytes, how: self.how, ..Figures::default() }
    }

    /// Takes a line that says nothing of what was to be done.
    pub(super) fn line(&mut self, line: &Line<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if self.old_line(line, text)? {
            return Ok(());
        }
        if text.starts_with("Latency histogram") {
            self.in_histogram = true;
        } else if text.starts_with("File operations:") || text.starts_with("Throughput:") {
            self.in_histogram = false;
        } else if self.in_histogram && text.contains('|') {
            self.bin(line)?;
        } else if let Some((key, value)) = text.split_once(':') {
            self.figure(line, key.trim_end(), value.trim())?;
        }
        Ok(())
    }

    fn figure(&mut self, line: &Line<'_>, key: &str, value: &str) -> Result<(), FormatError> {
        let place = match key {
            "reads/s" => &mut self.reads,
            "writes/s" => &mut self.writes,
            "fsyncs/s" => &mut self.fsyncs,
            "read, MiB/s" => &mut self.read_mib,
            "written, MiB/s" => &mut self.write_mib,
            "total time" => {
                self.seconds = line.number(key, value.trim_end_matches('s'))?;
                return Ok(());
            }
            "total number of events" => {
                self.events =
                    value.parse().map_err(|_| line.bad("the number of events is not a count"))?;
                return Ok(());
            }
            "execution time (avg/stddev)" => {
                self.complete = true;
                return Ok(());
            }
            "read" | "write" | "fsync" if value.starts_with("IOPS=") => {
                return self.operation(line, key, value);
            }
            _ => return self.time(line, key, value),
        };
        *place = line.number(key, value)?;
        Ok(())
    }

    /// `read:  IOPS=5537.36 21.63 MiB/s (22.68 MB/s)`, as 1.1 prints.
    fn operation(&mut self, line: &Line<'_>, key: &str, value: &str) -> Result<(), FormatError> {
        let mut words = value.trim_start_matches("IOPS=").split_whitespace();
        let iops = line.number(key, words.next().unwrap_or_default())?;
        let mib = words.next().map_or(Ok(0.0), |mib| line.number(key, mib))?;
        match key {
            "read" => (self.reads, self.read_mib) = (iops, mib),
            "write" => (self.writes, self.write_mib) = (iops, mib),
            _ => self.fsyncs = iops,
        }
        Ok(())
    }

    /// `99th percentile: 9.06` and the like.
    fn time(&mut self, line: &Line<'_>, key: &str, value: &str) -> Result<(), FormatError> {
        let percent = key.strip_suffix("th percentile").filter(|percent| number(percent).is_some());
        let (place, name) = match (key, percent) {
            ("min", _) => (0, "min".to_owned()),
            ("avg", _) => (1, "mean".to_owned()),
            ("max", _) => (2, "max".to_owned()),
            (_, Some(percent)) => (3, format!("p{percent}")),
            _ => return Ok(()),
        };
        self.times[place] = Some((format!("service_{name}_us"), 1e3 * line.number(key, value)?));
        Ok(())
    }

    /// `0.001 |******      3136`: the value of the bin, ms, and its count.
    fn bin(&mut self, line: &Line<'_>) -> Result<(), FormatError> {
        let (value, rest) = line.text.split_once('|').unwrap_or_default();
        let ms = line.number("the bin", value)?;
        let count = rest.split_whitespace().next_back().unwrap_or_default();
        let count: u64 = count.parse().map_err(|_| line.bad("the bin has no count"))?;
        if !(0.0..1e12).contains(&ms) {
            return Err(line.bad("the bin is not a time"));
        }
        let bin = self.bins.entry((ms * 1e6).round() as u64).or_default();
        *bin = bin.saturating_add(count);
        Ok(())
    }

    /// Gives asynchronous operations, which are counted as reads, the direction that a test of `group` has;
    /// whether any was counted wrong.
    pub(super) fn book(&mut self, group: Group) -> bool {
        let wrong = self.writes == 0.0 && self.reads > 0.0;
        match group {
            Group::SequentialWrite | Group::RandomWrite if wrong => {
                std::mem::swap(&mut self.reads, &mut self.writes);
                std::mem::swap(&mut self.read_mib, &mut self.write_mib);
                true
            }
            Group::Mixed if wrong => {
                self.unsplit = true;
                true
            }
            _ => false,
        }
    }

    /// Whether the figures can all be true, with at most `depth` operations in flight.
    pub(super) fn judge(&self, depth: f64) -> Result<(), Contradiction> {
        self.judge_old()?;
        let events = Some(self.events as f64).filter(|events| *events > 0.0);
        let seconds = Some(self.seconds).filter(|seconds| *seconds > 0.0);
        let mean_s = self.times[1].as_ref().map(|(_, us)| us / 1e6);
        if let (Some(events), Some(seconds), Some(mean_s), false) =
            (events, seconds, mean_s, self.how.at_rate)
        {
            in_flight([(events / seconds, mean_s)].into_iter(), depth)?;
        }
        for (what, ops, mib) in
            [("read", self.reads, self.read_mib), ("write", self.writes, self.write_mib)]
        {
            let bytes = Some(mib * MB_PER_MIB * 1e6);
            let op_bytes = self.block_bytes;
            GateFigures { what, ops: Some(ops), bytes, op_bytes, ..GateFigures::default() }
                .judge()?;
        }
        let counted = self.old.is_none() && !self.how.fsync_within;
        let fsyncs = if counted { self.fsyncs } else { 0.0 };
        let per_s = Some(self.reads + self.writes + fsyncs);
        GateFigures { what: "file", ops: events, seconds, per_s, ..GateFigures::default() }.judge()
    }

    /// The metrics, operations first.
    pub(super) fn metrics(&self) -> Vec<Metric> {
        let higher = |name, value, unit| Metric::new(name, value, unit, Better::Higher);
        let mut metrics = vec![higher("iops", self.reads + self.writes, "IOPS")];
        let rates = [
            ("read_iops", self.reads, "1/s"),
            ("write_iops", self.writes, "1/s"),
            ("fsync_iops", self.fsyncs, "1/s"),
            ("read_rate", self.read_mib * MB_PER_MIB, "MB/s"),
            ("write_rate", self.write_mib * MB_PER_MIB, "MB/s"),
        ];
        let is_known = |name: &str| !self.unsplit || name == "fsync_iops";
        let done = rates.into_iter().filter(|rate| rate.1 != 0.0 && is_known(rate.0));
        metrics.extend(done.map(|(name, value, unit)| higher(name, value, unit)));
        let known = self.times.iter().flatten().filter(|time| time.1 != 0.0);
        metrics.extend(known.map(|(name, us)| {
            let name = name.replacen(LatencyKind::Service.as_str(), self.latency().as_str(), 1);
            Metric::new(&name, *us, "us", Better::Lower)
        }));
        metrics
    }

    /// From when times count.
    fn latency(&self) -> LatencyKind {
        if self.how.at_rate { LatencyKind::Response } else { LatencyKind::Service }
    }

    /// The histogram of a run in mode `key`, where there is one.
    pub(super) fn histograms(&self, key: &str) -> Vec<Histogram> {
        if self.bins.values().all(|&count| count == 0) {
            return Vec::new();
        }
        let op = if matches!(key, "seqrd" | "rndrd") { "read" } else { "operation" };
        let bins = self.bins.iter().map(|(&ns, &count)| (ns, count)).filter(|bin| bin.1 > 0);
        vec![Histogram { bins: bins.collect(), ..Histogram::new(op, self.latency()) }]
    }
}

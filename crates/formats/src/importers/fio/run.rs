//! A run of fio, whichever way it was printed: its jobs, and what each did in each direction.

use super::work::Work;
use crate::gate::{BINS, Print, Times};
use model::{
    figure::{Histogram, LatencyKind},
    result::{Imported, Reason},
};

/// One invocation of fio.
#[derive(Default)]
pub(super) struct Run {
    /// As fio prints it, `fio-3.36`.
    pub(super) version: Option<String>,
    pub(super) jobs: Vec<Job>,
    /// Bytes that the one device under the run read and wrote, where the source tells them.
    pub(super) device_bytes: Option<(u64, u64)>,
    /// What tells the run from all others.
    pub(super) print: Print,
    /// What readers have to know of how it was printed.
    pub(super) note: Option<&'static str>,
}

/// One printed job: a process, or all of a group that fio has summed itself.
#[derive(Clone, Default)]
pub(super) struct Job {
    pub(super) name: String,
    pub(super) group: i64,
    /// Processes that the record stands for, where it says so.
    pub(super) members: Option<u32>,
    pub(super) work: Work,
    /// Why fio gave up, or what failed on the way.
    pub(super) error: Option<Imported>,
    /// What in the record cannot be true.
    pub(super) contradiction: Option<Reason>,
    /// What was done; a direction without an operation is left out.
    pub(super) flows: Vec<(Direction, Flow)>,
    /// The fsyncs and fdatasyncs.
    pub(super) sync: Option<Latency>,
    /// Processor time in user mode and in the kernel, seconds.
    pub(super) cpu_s: (f64, f64),
}

/// What fio calls a data direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
    Trim,
    /// All of them as one, under `unified_rw_reporting`.
    Mixed,
}

impl Direction {
    pub(super) const ALL: [Direction; 4] =
        [Direction::Read, Direction::Write, Direction::Trim, Direction::Mixed];

    /// The word that fio prints.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Trim => "trim",
            Direction::Mixed => "mixed",
        }
    }
}

/// The work of one direction.
#[derive(Clone, Default)]
pub(super) struct Flow {
    pub(super) bytes: f64,
    pub(super) ops: f64,
    pub(super) runtime_ms: f64,
    pub(super) iops: f64,
    pub(super) bytes_per_s: f64,
    pub(super) latency: Latency,
}

impl Flow {
    /// A flow whose rate of bytes follows from its bytes and its time, as fio computes it.
    pub(super) fn new(bytes: f64, ops: f64, runtime_ms: f64, iops: f64) -> Flow {
        let bytes_per_s = if runtime_ms > 0.0 { bytes * 1000.0 / runtime_ms } else { 0.0 };
        Flow { bytes, ops, runtime_ms, iops, bytes_per_s, latency: Latency::default() }
    }

    fn add(&mut self, other: Flow) {
        self.latency.add(other.latency, self.ops, other.ops);
        self.bytes += other.bytes;
        self.ops += other.ops;
        self.runtime_ms = self.runtime_ms.max(other.runtime_ms);
        self.iops += other.iops;
        self.bytes_per_s += other.bytes_per_s;
    }
}

/// How long operations took, nanoseconds.
#[derive(Clone, Default)]
pub(super) struct Latency {
    /// Operations that were timed, where that is reported.
    pub(super) count: Option<f64>,
    pub(super) min_ns: Option<f64>,
    pub(super) mean_ns: Option<f64>,
    pub(super) max_ns: Option<f64>,
    /// What one step of the last printed digit is worth.
    pub(super) step_ns: f64,
    /// Percent and nanoseconds, as printed.
    pub(super) percentiles: Vec<(f64, f64)>,
    /// Nanoseconds and count, ascending.
    pub(super) bins: Vec<(u64, u64)>,
}

impl Latency {
    /// The latency that `percent` of the operations did not exceed, nanoseconds: as fio printed it,
    /// else from the bins.
    pub(super) fn percentile_ns(&self, percent: f64) -> Option<f64> {
        let near = |(p, _): &&(f64, f64)| (p - percent).abs() < 1e-6;
        let printed = self.percentiles.iter().find(near).map(|&(_, ns)| ns);
        let counted = || self.histogram("").quantile_ns(percent / 100.0).map(|ns| ns as f64);
        printed.or_else(counted)
    }

    /// As the gate judges them, nanoseconds.
    pub(super) fn times(&self) -> Times {
        Times {
            min: self.min_ns,
            mean: self.mean_ns,
            max: self.max_ns,
            percentiles: self.percentiles.clone(),
            step: self.step_ns,
            loose: BINS,
        }
    }

    /// Leaves out what fio prints as 0 where it timed nothing; whether anything is left.
    pub(super) fn settle(&mut self) -> bool {
        self.mean_ns = self.mean_ns.filter(|&mean| mean > 0.0);
        if self.percentiles.iter().all(|&(_, ns)| ns == 0.0) {
            self.percentiles.clear();
        }
        self.mean_ns.is_some() || !self.percentiles.is_empty() || !self.bins.is_empty()
    }

    /// The bins, as latencies of `op`.
    pub(super) fn histogram(&self, op: &str) -> Histogram {
        Histogram { bins: self.bins.clone(), ..Histogram::new(op, LatencyKind::Service) }
    }

    /// Joins the latencies of two jobs, of `ops` and `other_ops` operations. Printed percentiles
    /// of several jobs do not add up: without bins on both sides there is none of the whole.
    fn add(&mut self, other: Latency, ops: f64, other_ops: f64) {
        let mean = |a: f64, b: f64| (a * ops + b * other_ops) / (ops + other_ops);
        self.mean_ns = self.mean_ns.zip(other.mean_ns).map(|(a, b)| mean(a, b));
        self.mean_ns = self.mean_ns.filter(|mean| mean.is_finite());
        (self.min_ns, self.max_ns) = (None, None);
        self.count = self.count.zip(other.count).map(|(a, b)| a + b);
        self.percentiles.clear();
        if self.bins.is_empty() || other.bins.is_empty() {
            self.bins.clear();
        } else {
            let mut all = self.histogram("");
            all.merge(&other.histogram(""));
            self.bins = all.bins;
        }
    }
}

impl Job {
    /// The flow of `direction`, when there is one.
    pub(super) fn flow(&mut self, direction: Direction) -> Option<&mut Flow> {
        self.flows.iter_mut().find(|(d, _)| *d == direction).map(|(_, flow)| flow)
    }

    /// Adds a job of the same name that ran at the same time: rates sum, bins merge.
    pub(super) fn add(&mut self, other: Job) {
        self.members = Some(self.processes().saturating_add(other.processes()));
        self.error = self.error.take().or(other.error);
        self.contradiction = self.contradiction.take().or(other.contradiction);
        for (direction, flow) in other.flows {
            match self.flow(direction) {
                Some(mine) => mine.add(flow),
                None => self.flows.push((direction, flow)),
            }
        }
        match (&mut self.sync, other.sync) {
            // How many syncs there were is not known everywhere: the mean would be a guess.
            (Some(mine), Some(sync)) => mine.add(sync, f64::NAN, f64::NAN),
            (mine, sync) => *mine = mine.take().or(sync),
        }
        self.cpu_s = (self.cpu_s.0 + other.cpu_s.0, self.cpu_s.1 + other.cpu_s.1);
    }

    /// Processes that the record stands for.
    pub(super) fn processes(&self) -> u32 {
        self.members.unwrap_or(1)
    }

    /// The longest time of its flows, milliseconds.
    pub(super) fn runtime_ms(&self) -> f64 {
        self.flows.iter().map(|(_, flow)| flow.runtime_ms).fold(0.0, f64::max)
    }
}

//! Names of covariates and evidence in files: one line of the table for each, in the order in which a file lists
//! them after the figures of the test itself.

use super::{DiskUse, HostUse, Sample};
use crate::{
    figure::{Better, Metric},
    result::evidence::BUFFERED_BELOW,
    text::Word,
};
use std::{collections::HashMap, sync::LazyLock};

/// A number of `S` that has a name in files.
struct Named<S> {
    name: &'static str,
    unit: &'static str,
    better: Better,
    get: fn(&S) -> Option<f64>,
    /// False for a value that the field cannot hold as it is.
    set: fn(&mut S, f64) -> bool,
}

/// A line of the table.
enum Line {
    One(Named<Sample>),
    /// [`DISKS`] of each disk.
    Disks,
    /// [`HOSTS`] of each host.
    Hosts,
}

/// A type of a field.
trait Number: Copy {
    /// `None` for a value that would come back as another one.
    fn of(value: f64) -> Option<Self>;
    fn value(self) -> f64;
}

impl Number for f64 {
    fn of(value: f64) -> Option<f64> {
        value.is_finite().then_some(value)
    }
    fn value(self) -> f64 {
        self
    }
}

impl Number for u64 {
    fn of(value: f64) -> Option<u64> {
        let count = value as u64;
        (count.value() == value).then_some(count)
    }
    fn value(self) -> f64 {
        self as f64
    }
}

impl Number for u32 {
    fn of(value: f64) -> Option<u32> {
        let count = value as u32;
        (count.value() == value).then_some(count)
    }
    fn value(self) -> f64 {
        f64::from(self)
    }
}

macro_rules! named {
    ($name:expr, $unit:literal, $better:ident, $($field:tt)+) => {
        Named {
            name: $name,
            unit: $unit,
            better: Better::$better,
            get: |of| of.$($field)+.map(Number::value),
            set: |of, value| match Number::of(value) {
                None => false,
                known => {
                    of.$($field)+ = known;
                    true
                }
            },
        }
    };
}

macro_rules! one {
    ($($line:tt)+) => { Line::One(named!($($line)+)) };
}

static TABLE: &[Line] = &[
    one!(BUFFERED_BELOW, "B", Lower, evidence.buffered_below_bytes),
    one!("machine_cpu_s", "s", Lower, covariates.machine.cpu_s),
    one!("machine_sys_s", "s", Lower, covariates.machine.sys_s),
    one!("slab_bytes", "B", Lower, covariates.machine.slab_bytes),
    one!("page_cache_bytes", "B", Lower, covariates.machine.page_cache_bytes),
    one!("space_used_bytes", "B", Lower, covariates.target.space_used_bytes),
    one!("settle_s", "s", Lower, covariates.target.settle_s),
    one!("arc_bytes", "B", Lower, covariates.machine.arc_bytes),
    one!("psi_cpu_some_pct", "%", Lower, covariates.machine.psi_cpu_some_pct),
    one!("psi_io_some_pct", "%", Lower, covariates.machine.psi_io_some_pct),
    one!("psi_memory_some_pct", "%", Lower, covariates.machine.psi_memory_some_pct),
    one!("foreign_cpu_pct", "%", Lower, covariates.foreign.cpu_pct),
    one!("foreign_read_bytes", "B", Lower, covariates.foreign.read_bytes),
    one!("foreign_write_bytes", "B", Lower, covariates.foreign.write_bytes),
    one!("foreign_disk_pct", "%", Lower, covariates.foreign.disk_pct),
    one!("server_cpu_s", "s", Lower, covariates.target.server_cpu_s),
    one!("floor_s", "s", Lower, evidence.floor_s),
    one!("rebuild_looks", "", Higher, evidence.rebuild_looks),
    one!("read_ahead_hit_pct", "%", Lower, evidence.read_ahead_hit_pct),
    one!("device_busy_pct", "%", Lower, covariates.target.device_busy_pct),
    one!("device_busy_peak_pct", "%", Lower, covariates.target.device_busy_peak_pct),
    one!("worker_busy_pct", "%", Lower, covariates.machine.worker_busy_pct),
    one!("dirty_peak_bytes", "B", Lower, covariates.machine.dirty_peak_bytes),
    one!("cpu_least_mhz", "MHz", Higher, covariates.machine.cpu_least_mhz),
    Line::Disks,
    one!("limited_pct", "%", Lower, covariates.machine.limited_pct),
    one!("held_device_bytes", "B", Lower, evidence.held_device_bytes),
    one!("settle_write_bytes", "B", Lower, covariates.target.settle_write_bytes),
    one!("round_1_rate", "1/s", Higher, evidence.round_rates[0]),
    one!("round_2_rate", "1/s", Higher, evidence.round_rates[1]),
    one!("round_3_rate", "1/s", Higher, evidence.round_rates[2]),
    one!("round_4_rate", "1/s", Higher, evidence.round_rates[3]),
    one!("round_5_rate", "1/s", Higher, evidence.round_rates[4]),
    one!("hosts", "", Higher, covariates.pool.hosts),
    one!("clock_bound_ms", "ms", Lower, covariates.pool.clock_bound_ms),
    one!("slowest_rank_ops_per_s", "1/s", Higher, covariates.pool.slowest_rank_ops_per_s),
    one!("fastest_rank_ops_per_s", "1/s", Higher, covariates.pool.fastest_rank_ops_per_s),
    Line::Hosts,
    one!("readers_of_own_host", "", Lower, covariates.pool.readers_of_own_host),
    one!("run_order", "", Lower, covariates.run_order),
    one!("layout_score_before", "", Higher, covariates.target.layout_score_before),
    one!("layout_score", "", Higher, covariates.target.layout_score),
    one!("fullness_pct", "%", Lower, covariates.target.fullness_pct),
    one!("backing_part", "", Lower, covariates.backing_part),
    one!("folio_bytes", "B", Higher, covariates.target.folio_bytes),
    one!("resident_after_pct", "%", Lower, covariates.target.resident_after_pct),
];

/// Each name is followed by the number of the disk.
static DISKS: &[Named<DiskUse>] = &[
    named!("disk_reads.", "", Lower, reads),
    named!("disk_read_bytes.", "B", Lower, read_bytes),
    named!("disk_writes.", "", Lower, writes),
    named!("disk_write_bytes.", "B", Lower, write_bytes),
    named!("disk_busy_pct.", "%", Lower, busy_pct),
];

/// Each name is followed by the host.
static HOSTS: &[Named<HostUse>] = &[
    named!(Metric::HOST_RANKS, "", Higher, ranks),
    named!(Metric::HOST_OPS_PER_S, "1/s", Higher, ops_per_s),
];

/// Lines of [`TABLE`] with one name, by it.
static BY_NAME: LazyLock<HashMap<&str, &Named<Sample>>> = LazyLock::new(|| {
    let one = |line: &'static Line| match line {
        Line::One(named) => Some((named.name, named)),
        Line::Disks | Line::Hosts => None,
    };
    TABLE.iter().filter_map(one).collect()
});

/// Name and unit of each line of [`TABLE`]: shared by the metrics of all samples.
static WORDS: LazyLock<Vec<[Word; 2]>> = LazyLock::new(|| {
    let words = |line: &Line| match line {
        Line::One(named) => [named.name, named.unit].map(Word::from),
        Line::Disks | Line::Hosts => [""; 2].map(Word::from),
    };
    TABLE.iter().map(words).collect()
});

/// The name, unit and direction of a number of many samples, with the field that it stands for, so that it is looked up
/// once.
pub struct MetricKind {
    metric: Metric,
    named: Option<&'static Named<Sample>>,
}

impl From<Metric> for MetricKind {
    fn from(metric: Metric) -> MetricKind {
        let named = BY_NAME.get(metric.name.as_str()).copied();
        MetricKind { named: named.filter(|named| named.is_of(&metric)), metric }
    }
}

impl MetricKind {
    /// A number of this kind.
    pub(super) fn with(&self, value: f64) -> Metric {
        Metric { value, ..self.metric.clone() }
    }

    /// Sets the field of `sample` that it stands for, as [`set`] does; false where it stands for none of its own.
    pub(super) fn set(&self, sample: &mut Sample, value: f64) -> bool {
        self.named.is_some_and(|named| named.fill(sample, value))
    }
}

impl<S> Named<S> {
    fn is_of(&self, metric: &Metric) -> bool {
        metric.unit == self.unit && metric.better == self.better
    }

    /// Sets the number in `of`; false for one that is known already, or that the field cannot hold.
    fn fill(&self, of: &mut S, value: f64) -> bool {
        (self.get)(of).is_none() && (self.set)(of, value)
    }
}

/// Every covariate and piece of evidence that `sample` has, as metrics in the order of the table.
pub(super) fn metrics(sample: &Sample) -> Vec<Metric> {
    let mut all = Vec::new();
    for (line, [name, unit]) in TABLE.iter().zip(&*WORDS) {
        match line {
            Line::One(named) => all.extend((named.get)(sample).map(|value| Metric {
                name: name.clone(),
                value,
                unit: unit.clone(),
                better: named.better,
            })),
            Line::Disks => {
                let each = sample.covariates.disks.iter();
                all.extend(each.flat_map(|disk| of_part(DISKS, disk, disk.disk.to_string())));
            }
            Line::Hosts => {
                let each = sample.covariates.hosts.iter();
                all.extend(each.flat_map(|host| of_part(HOSTS, host, host.host.clone())));
            }
        }
    }
    all
}

fn of_part<S>(table: &'static [Named<S>], part: &S, which: String) -> impl Iterator<Item = Metric> {
    table.iter().filter_map(move |named| {
        let name = format!("{}{which}", named.name);
        (named.get)(part).map(|value| Metric::new(&name, value, named.unit, named.better))
    })
}

/// The value of the covariate or piece of evidence `name`.
pub(super) fn value(sample: &Sample, name: &str) -> Option<f64> {
    match BY_NAME.get(name) {
        Some(named) => (named.get)(sample),
        None => find(sample, name).map(|metric| metric.value),
    }
}

/// The covariate or piece of evidence `name`, as a metric.
pub(super) fn find(sample: &Sample, name: &str) -> Option<Metric> {
    if let Some(named) = BY_NAME.get(name) {
        let value = (named.get)(sample)?;
        return Some(Metric::new(name, value, named.unit, named.better));
    }
    let Sample { covariates, .. } = sample;
    let is_disk = |disk: &DiskUse, which: &str| disk.disk.to_string() == which;
    find_in(DISKS, &covariates.disks, is_disk, name)
        .or_else(|| find_in(HOSTS, &covariates.hosts, |host, which| host.host == which, name))
}

/// The number `name` of one of `parts`, of which `is_it` tells the one that the end of the name is of.
fn find_in<S>(
    table: &'static [Named<S>],
    parts: &[S],
    is_it: impl Fn(&S, &str) -> bool,
    name: &str,
) -> Option<Metric> {
    let own = |named: &'static Named<S>| Some((named, name.strip_prefix(named.name)?));
    let (named, which) = table.iter().find_map(own)?;
    let value = (named.get)(parts.iter().find(|part| is_it(part, which))?)?;
    Some(Metric::new(name, value, named.unit, named.better))
}

/// Sets the field of `sample` that `metric` stands for; false where there is none, it is set already, or it cannot
/// hold the metric as it is.
pub(super) fn set(sample: &mut Sample, metric: &Metric) -> bool {
    if let Some(named) = BY_NAME.get(metric.name.as_str()) {
        return named.is_of(metric) && named.fill(sample, metric.value);
    }
    set_of_disk(&mut sample.covariates.disks, metric)
        || set_of_host(&mut sample.covariates.hosts, metric)
}

fn set_of_disk(disks: &mut Vec<DiskUse>, metric: &Metric) -> bool {
    let Some((named, which)) = part(DISKS, metric) else { return false };
    let number = which.parse().ok().filter(|number: &u32| number.to_string() == which);
    let Some(disk) = number else { return false };
    let known = disks.iter_mut().find(|known| known.disk == disk);
    fill_part(named, known, DiskUse { disk, ..DiskUse::default() }, metric.value)
        .map(|new| disks.extend(new))
        .is_some()
}

fn set_of_host(hosts: &mut Vec<HostUse>, metric: &Metric) -> bool {
    let Some((named, host)) = part(HOSTS, metric) else { return false };
    let known = hosts.iter_mut().find(|known| known.host == host);
    fill_part(named, known, HostUse { host: host.into(), ..HostUse::default() }, metric.value)
        .map(|new| hosts.extend(new))
        .is_some()
}

/// The line of `table` that `metric` is of, with what comes after its name.
fn part<'m, S>(
    table: &'static [Named<S>],
    metric: &'m Metric,
) -> Option<(&'static Named<S>, &'m str)> {
    let own = |named: &'static Named<S>| Some((named, metric.name.strip_prefix(named.name)?));
    table.iter().find_map(own).filter(|(named, _)| named.is_of(metric))
}

/// Sets `value` in the part that is `known`, or in a `new` one, which it gives back; `None` where it cannot be set.
fn fill_part<S>(
    named: &Named<S>,
    known: Option<&mut S>,
    mut new: S,
    value: f64,
) -> Option<Option<S>> {
    match known {
        Some(known) => named.fill(known, value).then_some(None),
        None => named.fill(&mut new, value).then_some(Some(new)),
    }
}

#[cfg(test)]
mod tests;

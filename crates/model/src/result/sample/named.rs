//! Numbers of a sample under their names in files: those of the list in [`known`](super::known), and those of each disk
//! and host.

use super::{
    DiskUse, HostUse, Rare, Sample,
    known::{Line, Number},
};
use crate::figure::{Better, Metric, MetricKind, Shared};

/// A number of each `S` of a sample.
struct Named<S> {
    /// What its name in files begins with.
    name: &'static str,
    unit: &'static str,
    better: Better,
    get: fn(&S) -> Option<f64>,
    /// False for a value that the field cannot hold as it is.
    set: fn(&mut S, f64) -> bool,
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

/// A kind of number of many samples, with its place in one, so that it is looked up once.
pub struct MetricSlot {
    kind: Shared<MetricKind>,
    place: Place,
}

/// Where numbers of a kind go.
enum Place {
    Line(Line),
    /// To a disk or a host.
    Part,
    Figure,
}

impl From<MetricKind> for MetricSlot {
    fn from(kind: MetricKind) -> MetricSlot {
        let place = match Line::named(&kind.name) {
            Some(line) if line.is_of(&kind) => Place::Line(line),
            Some(_) => Place::Figure,
            None if part(DISKS, &kind).is_some() || part(HOSTS, &kind).is_some() => Place::Part,
            None => Place::Figure,
        };
        MetricSlot { kind: kind.into(), place }
    }
}

impl MetricSlot {
    /// A number of its kind.
    pub(super) fn with(&self, value: f64) -> Metric {
        Metric { kind: self.kind.clone(), value }
    }

    /// Takes a number of its kind into `sample` as [`set`] does.
    pub(super) fn set(&self, sample: &mut Sample, value: f64) -> bool {
        match self.place {
            Place::Line(line) => sample.numbers.fill(line, value),
            Place::Part => set(sample, &self.with(value)),
            Place::Figure => false,
        }
    }
}

impl<S> Named<S> {
    fn is_of(&self, kind: &MetricKind) -> bool {
        kind.unit == self.unit && kind.better == self.better
    }

    /// Sets the number in `of`; false for one that is known already, or that the field cannot hold.
    fn fill(&self, of: &mut S, value: f64) -> bool {
        (self.get)(of).is_none() && (self.set)(of, value)
    }
}

/// Every number that `sample` has besides its figures, as metrics in the order of files: disks come behind the
/// frequency of the processors, and hosts behind the rates of ranks.
pub(super) fn metrics(sample: &Sample) -> Vec<Metric> {
    let mut known = sample.numbers.iter().peekable();
    let mut all = Vec::new();
    let mut upto = |last: Line, all: &mut Vec<Metric>| {
        while let Some((line, value)) = known.next_if(|(line, _)| *line <= last) {
            all.push(Metric { kind: line.kind(), value });
        }
    };
    upto(Line::CPU_LEAST_MHZ, &mut all);
    let disks = sample.covariates.disks.iter();
    all.extend(disks.flat_map(|disk| of_part(DISKS, disk, disk.disk.to_string())));
    upto(Line::FASTEST_RANK_OPS_PER_S, &mut all);
    let hosts = sample.covariates.hosts.iter();
    all.extend(hosts.flat_map(|host| of_part(HOSTS, host, host.host.clone())));
    upto(Line::RESIDENT_AFTER_PCT, &mut all);
    all
}

fn of_part<S>(table: &'static [Named<S>], part: &S, which: String) -> impl Iterator<Item = Metric> {
    table.iter().filter_map(move |named| {
        let name = format!("{}{which}", named.name);
        (named.get)(part).map(|value| Metric::new(&name, value, named.unit, named.better))
    })
}

/// The value of the number `name`, which is no figure.
pub(super) fn value(sample: &Sample, name: &str) -> Option<f64> {
    match Line::named(name) {
        Some(line) => sample.numbers.at(line),
        None => find(sample, name).map(|metric| metric.value),
    }
}

/// The number `name`, which is no figure, as a metric.
pub(super) fn find(sample: &Sample, name: &str) -> Option<Metric> {
    if let Some(line) = Line::named(name) {
        return Some(Metric { kind: line.kind(), value: sample.numbers.at(line)? });
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

/// Takes `metric` into `sample` as what it stands for; false where it stands for nothing, is known already, or cannot
/// be held as it is.
pub(super) fn set(sample: &mut Sample, metric: &Metric) -> bool {
    if let Some(line) = Line::named(&metric.name) {
        return line.is_of(metric) && sample.numbers.fill(line, metric.value);
    }
    set_of_disk(&mut sample.covariates.disks, metric)
        || set_of_host(&mut sample.covariates.hosts, metric)
}

fn set_of_disk(disks: &mut Rare<Vec<DiskUse>>, metric: &Metric) -> bool {
    let Some((named, which)) = part(DISKS, metric) else { return false };
    let number = which.parse().ok().filter(|number: &u32| number.to_string() == which);
    let Some(disk) = number else { return false };
    let known = disks.iter_mut().find(|known| known.disk == disk);
    fill_part(named, known, DiskUse { disk, ..DiskUse::default() }, metric.value)
        .map(|new| disks.extend(new))
        .is_some()
}

fn set_of_host(hosts: &mut Rare<Vec<HostUse>>, metric: &Metric) -> bool {
    let Some((named, host)) = part(HOSTS, metric) else { return false };
    let known = hosts.iter_mut().find(|known| known.host == host);
    fill_part(named, known, HostUse { host: host.into(), ..HostUse::default() }, metric.value)
        .map(|new| hosts.extend(new))
        .is_some()
}

/// The line of `table` that `kind` is of, with what comes after its name.
fn part<'k, S>(
    table: &'static [Named<S>],
    kind: &'k MetricKind,
) -> Option<(&'static Named<S>, &'k str)> {
    let own = |named: &'static Named<S>| Some((named, kind.name.strip_prefix(named.name)?));
    table.iter().find_map(own).filter(|(named, _)| named.is_of(kind))
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

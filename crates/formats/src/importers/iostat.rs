//! Reads what `iostat -o JSON` of sysstat writes. A device is a test, each of its reports a sample.

mod columns;
mod rates;
mod reports;

use crate::documents::{Documents, Tests, case};
use crate::{FormatError, ImportOptions, NamedBytes, figure::Figure, table::short};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Imported, Reason, Sample, Validity},
    workload::{Group, TestInfo},
};
use serde::Deserialize;
use std::collections::HashSet;

use rates::Halves;

pub(super) use columns::Cell;
pub(super) use reports::is_interval;

/// The importer.
pub(crate) struct Importer;

const NOTES: [&str; 4] = [
    "iostat counts the work of the whole machine, not of one program; figures of a device are not \
     the result of a test.",
    "Reports follow one another on one instance, all in block 0: they are not replicates.",
    "The first report averages since boot unless `iostat -y` wrote it, and iostat does not say \
     which: it is omitted if its rates are not whole counts over some seconds, or invalid if it \
     is the only one. The length of a report is not in the source.",
    FLUSHES,
];
/// Documentation/block/stat.rst of the kernel and iostat(1): a request to flush is a completed write of no sector.
pub(super) const FLUSHES: &str = "iostat counts flushes that programs ask for as writes: w/s is \
    write_or_flush_iops, iops has them, too, and write_await_ms is the mean over both. flush_iops is f/s, what the disk \
    was told after several requests became one, and is not tracked for partitions: writes alone cannot be had by \
    subtraction.";
/// iostat 12.6.1 adds the devices of a group to its number of devices again in each report.
const GROUP_NOTE: &str = "iostat divides %util of a group of devices (-g) by more devices in each further report (a bug \
    of iostat): it was left out. Other figures of a group are of all its devices.";
const DISCARDS_NOTE: &str = "iostat counts discards in tps: iops of reports with discards are of reads, writes and \
    discards; `iostat -x` tells them apart.";
const SHORT_ROW: &str = "A device row without r/s and w/s or tps (a bug of iostat) was ignored.";

/// Why a report is no measurement.
#[derive(Deserialize)]
struct Root {
    sysstat: Sysstat,
}

#[derive(Deserialize)]
struct Sysstat {
    hosts: Vec<Host>,
}

#[derive(Deserialize)]
struct Host {
    #[serde(default)]
    statistics: Vec<Report>,
}

#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    disk: Vec<Device>,
}

/// The columns of every release, with and without `-x` and `-m`. kB and MB are powers of 1024.
#[derive(Deserialize)]
pub(super) struct Device {
    disk_device: String,
    tps: Option<Figure>,
    #[serde(rename = "r/s")]
    reads: Option<Figure>,
    /// With requests to flush.
    #[serde(rename = "w/s")]
    writes: Option<Figure>,
    #[serde(rename = "rkB/s", alias = "kB_read/s")]
    read_kib: Option<Figure>,
    #[serde(rename = "wkB/s", alias = "kB_wrtn/s")]
    write_kib: Option<Figure>,
    #[serde(rename = "rMB/s", alias = "MB_read/s")]
    read_mib: Option<Figure>,
    #[serde(rename = "wMB/s", alias = "MB_wrtn/s")]
    write_mib: Option<Figure>,
    #[serde(rename = "kB_read", alias = "MB_read")]
    read_total: Option<Figure>,
    #[serde(rename = "kB_wrtn", alias = "MB_wrtn")]
    write_total: Option<Figure>,
    #[serde(rename = "kB_dscd/s", alias = "MB_dscd/s")]
    discards: Option<Figure>,
    util: Option<Figure>,
    #[serde(rename = "await")]
    wait: Option<Figure>,
    #[serde(rename = "r_await")]
    read_wait: Option<Figure>,
    #[serde(rename = "w_await")]
    write_wait: Option<Figure>,
    #[serde(rename = "f/s")]
    flushes: Option<Figure>,
    #[serde(rename = "rareq-sz")]
    read_kib_each: Option<Figure>,
    #[serde(rename = "wareq-sz")]
    write_kib_each: Option<Figure>,
    /// How figures of reads and of writes were rounded.
    #[serde(skip)]
    read_halves: Halves,
    #[serde(skip)]
    write_halves: Halves,
    #[serde(skip)]
    coarse: Coarse,
}

/// Which figures have fewer than two decimals.
#[derive(Clone, Copy, Default)]
struct Coarse {
    counts: bool,
    sizes: bool,
}

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "iostat"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        head.trim_start().starts_with('{')
            && head.contains("\"sysstat\"")
            && (head.contains("\"disk_device\"") || head.contains("\"avg-cpu\""))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let documents = Documents::new(self, files, options);
        let (mut tests, mut samples) = (Tests::default(), Vec::new());
        let (mut notes, mut short) = (NOTES.to_vec(), None);
        documents.read(|(name, bytes), position, label| {
            let (root, fault) = reports::read::<Root>(name, bytes)?;
            notes.extend(fault);
            let hosts = root.sysstat.hosts.into_iter();
            for (device, is_interval) in hosts.flat_map(|host| host.devices(fault.is_some())) {
                if device.iops().is_none() {
                    short.get_or_insert_with(|| device.short(name));
                    continue;
                }
                let test = tests.of("iostat", &device.name(), |id| device.info(id));
                samples.push(device.sample(test, position, label, is_interval, &mut notes));
            }
            Ok(())
        })?;
        match short {
            Some(error) if samples.is_empty() => return Err(error),
            short => notes.extend(short.map(|_| SHORT_ROW)),
        }
        let mut said = HashSet::new();
        notes.retain(|note| said.insert(*note));
        let missing = "contains no report of a device; write it with `iostat -x -o JSON`";
        documents.dataset(tests, samples, missing, options, &notes)
    }
}

impl Host {
    /// The devices of each report, and whether it is known to be of an interval. The first of several that may
    /// average since boot is left out.
    fn devices(self, without_first: bool) -> impl Iterator<Item = (Device, bool)> {
        let alone = self.statistics.len() == 1;
        let reports = self.statistics.into_iter().enumerate();
        let reports = reports.map(move |(number, report)| {
            let is_later = number > 0 || without_first;
            (is_later || reports::is_interval(&report.disk), report)
        });
        let reports = reports.filter(move |(is_interval, _)| *is_interval || alone);
        reports.flat_map(|(is_interval, report)| {
            report.disk.into_iter().map(move |device| (device, is_interval))
        })
    }
}

impl Device {
    pub(super) fn name(&self) -> String {
        match self.is_group() {
            true => format!("group {}", self.disk_device.trim()),
            false => self.disk_device.clone(),
        }
    }

    /// It is the sum of several, which iostat tells by a blank before the name.
    fn is_group(&self) -> bool {
        self.disk_device.starts_with(' ')
    }

    fn info(&self, id: String) -> TestInfo {
        TestInfo {
            id,
            suite: "iostat".into(),
            name: self.name(),
            testtype: "device".into(),
            group: Group::Mixed,
            metric: "iops".into(),
            unit: "IOPS".into(),
            better: Better::Higher,
            shape: None,
        }
    }

    /// Requests to read, to write and to flush together, a second; where there is only tps, those to discard too.
    pub(super) fn iops(&self) -> Option<f64> {
        let both = self.reads.zip(self.writes).map(|(reads, writes)| reads.0 + writes.0);
        both.or(self.tps.map(|tps| tps.0))
    }

    /// Whether these are not of reads and writes alone.
    fn tps_has_discards(&self) -> bool {
        let is_tps = self.reads.zip(self.writes).is_none();
        is_tps && self.discards.is_some_and(|discards| discards.0 > 0.0)
    }

    /// The error of a row that lacks what it should have.
    fn short(&self, file: &str) -> FormatError {
        let device = short(&self.disk_device);
        FormatError::file(file, format!("device `{device}` has neither r/s and w/s nor tps"))
    }

    fn sample(
        &self,
        test: &TestInfo,
        position: u32,
        target: &str,
        is_interval: bool,
        notes: &mut Vec<&'static str>,
    ) -> Sample {
        let (metrics, judged) = self.judged(|note| notes.push(note));
        let since_boot = Imported::OnlyReportSinceBoot {};
        let judged = judged.and(if is_interval { Ok(()) } else { Err(since_boot.into()) });
        let validity = judged.err().map_or(Validity::Valid, Validity::Invalid);
        Sample::bare(0, position, case(test, target), metrics).judged(validity)
    }

    /// Its figures, and why they are no measurement; what readers have to know goes to `note`.
    pub(super) fn judged(
        &self,
        mut note: impl FnMut(&'static str),
    ) -> (Vec<Metric>, Result<(), Reason>) {
        let rates = rates::rates(self);
        let group = (self.util.is_some() && self.is_group()).then_some(GROUP_NOTE);
        let discards = self.tps_has_discards().then_some(DISCARDS_NOTE);
        rates.note.into_iter().chain(group).chain(discards).for_each(&mut note);
        let metrics = self.metrics(&rates);
        let idle = metrics.first().is_none_or(|iops| iops.value <= 0.0);
        let judged = match rates.fault {
            _ if idle => Err(Imported::DeviceIdle {}.into()),
            Some(why) => Err(why.into()),
            None => Ok(()),
        };
        (metrics, judged)
    }

    /// `iops` first: reads and writes together.
    fn metrics(&self, rates: &rates::Rates) -> Vec<Metric> {
        // Where nothing was done nothing waited.
        let waited = |wait: Option<Figure>, count: Option<Figure>| {
            wait.filter(|_| count.is_none_or(|count| count.0 > 0.0)).map(|wait| wait.0)
        };
        let told = |figure: Option<Figure>| figure.map(|figure| figure.0);
        let figures = [
            ("iops", self.iops(), "IOPS", Better::Higher),
            ("read_iops", told(self.reads), "1/s", Better::Higher),
            ("write_or_flush_iops", told(self.writes), "1/s", Better::Higher),
            (
                "flush_iops",
                told(self.flushes.filter(|flushes| flushes.0 > 0.0)),
                "1/s",
                Better::Higher,
            ),
            ("read_rate", rates.read, "MB/s", Better::Higher),
            ("write_rate", rates.write, "MB/s", Better::Higher),
            ("util", told(self.util.filter(|_| !self.is_group())), "%", Better::Lower),
            ("await_ms", waited(self.wait, self.iops().map(Figure)), "ms", Better::Lower),
            ("read_await_ms", waited(self.read_wait, self.reads), "ms", Better::Lower),
            ("write_await_ms", waited(self.write_wait, self.writes), "ms", Better::Lower),
        ];
        let metric = |(name, value, unit, better): (&str, Option<f64>, &str, Better)| {
            Some(Metric::new(name, value?, unit, better))
        };
        figures.into_iter().filter_map(metric).collect()
    }
}

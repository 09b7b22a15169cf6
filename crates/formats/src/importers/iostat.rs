//! Reads what `iostat -o JSON` of sysstat writes. A device is a test, each of its reports a sample.

use crate::documents::{Documents, Tests, case};
use crate::{FormatError, ImportOptions, NamedBytes, figure::Figure};
use model::{Better, Dataset, Group, Metric, Sample, TestInfo, Validity};
use serde::Deserialize;

/// The importer.
pub(crate) struct Importer;

const NOTES: [&str; 3] = [
    "iostat counts what the whole machine did, not what one program did; figures of a device are no \
     result of a test.",
    "Reports follow one another on one instance, all in block 0: they are not replicates.",
    "Where there were several reports the first was left out, for it averages since boot. How long a \
     report lasted is not in the source.",
];

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
struct Device {
    disk_device: String,
    tps: Option<Figure>,
    #[serde(rename = "r/s")]
    reads: Option<Figure>,
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
    util: Option<Figure>,
    #[serde(rename = "await")]
    wait: Option<Figure>,
    #[serde(rename = "r_await")]
    read_wait: Option<Figure>,
    #[serde(rename = "w_await")]
    write_wait: Option<Figure>,
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
        documents.read(|root: Root, position, label| {
            for device in root.sysstat.hosts.into_iter().flat_map(Host::devices) {
                let test = tests.of("iostat", &device.disk_device, |id| device.info(id));
                samples.push(device.sample(test, position, label)?);
            }
            Ok(())
        })?;
        let missing = "holds no report of a device; write it with `iostat -x -o JSON`";
        documents.dataset(tests, samples, missing, options, &NOTES)
    }
}

impl Host {
    /// The devices of each report but the first of several.
    fn devices(self) -> impl Iterator<Item = Device> {
        let since_boot = usize::from(self.statistics.len() > 1);
        self.statistics.into_iter().skip(since_boot).flat_map(|report| report.disk)
    }
}

impl Device {
    fn info(&self, id: String) -> TestInfo {
        TestInfo {
            id,
            suite: "iostat".into(),
            name: self.disk_device.clone(),
            testtype: "device".into(),
            group: Group::Mixed,
            metric: "iops".into(),
            unit: "IOPS".into(),
            better: Better::Higher,
            shape: None,
        }
    }

    fn sample(&self, test: &TestInfo, position: u32, target: &str) -> Result<Sample, String> {
        let metrics = self.metrics()?;
        let idle = metrics.first().is_none_or(|iops| iops.value <= 0.0);
        let validity = match idle {
            true => Validity::Invalid("the device was idle".into()),
            false => Validity::Valid,
        };
        Ok(Sample { validity, ..Sample::bare(0, position, case(test, target), metrics) })
    }

    /// `iops` first: reads and writes together.
    fn metrics(&self) -> Result<Vec<Metric>, String> {
        let sum = |(reads, writes): (Figure, Figure)| Figure(reads.0 + writes.0);
        let iops = self.reads.zip(self.writes).map(sum).or(self.tps);
        if iops.is_none() {
            return Err(format!("device `{}` has neither r/s and w/s nor tps", self.disk_device));
        }
        let rate = |kib: Option<Figure>, mib: Option<Figure>| {
            let bytes = kib.map(|kib| kib.0 * 1024.0).or(mib.map(|mib| mib.0 * 1_048_576.0));
            bytes.map(|bytes| Figure(bytes / 1e6))
        };
        let figures = [
            ("iops", iops, "IOPS", Better::Higher),
            ("read_iops", self.reads, "1/s", Better::Higher),
            ("write_iops", self.writes, "1/s", Better::Higher),
            ("read_rate", rate(self.read_kib, self.read_mib), "MB/s", Better::Higher),
            ("write_rate", rate(self.write_kib, self.write_mib), "MB/s", Better::Higher),
            ("util", self.util, "%", Better::Lower),
            ("await_ms", self.wait, "ms", Better::Lower),
            ("read_await_ms", self.read_wait, "ms", Better::Lower),
            ("write_await_ms", self.write_wait, "ms", Better::Lower),
        ];
        let metric = |(name, value, unit, better): (&str, Option<Figure>, &str, Better)| {
            Some(Metric::new(name, value?.0, unit, better))
        };
        Ok(figures.into_iter().filter_map(metric).collect())
    }
}

//! Reads the text of `iostat`, with and without `-x`, of sysstat 9 to 12: a table of devices for each report. A
//! device is a test, each of its reports a sample.

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gather::{Gather, Reading},
    known::IOPS,
    text::{Line, lines},
};
use model::{Better, Dataset, Group, Metric, TestInfo};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "iostat";

const NOTES: [&str; 4] = [
    "iostat counts what the whole machine did, not what one program did; figures of a device are no \
     result of a test.",
    "Reports follow one another on one instance, all in block 0: they are not replicates. How long a report \
     lasted is not in the source.",
    "iostat's kB and MB are KiB and MiB, its sectors 512 bytes; rates stand as MB of 10^6 bytes.",
    "The first report behind the line with the kernel averages since boot, unless iostat was told -y; a text \
     without that line is taken for a later part.",
];

const SINCE_BOOT: &str = "the first report averages since boot";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "iostat-text"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        String::from_utf8_lossy(head).lines().any(|line| heading(line).is_some())
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let mut reports = Reports::default();
            for line in lines(file, bytes) {
                reports.line(&line, &mut gather)?;
            }
        }
        gather.finish(&NOTES)
    }
}

/// The columns of the head of a table, after that of the device.
fn heading(text: &str) -> Option<Vec<String>> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let columns: Vec<String> = words.map(str::to_owned).collect();
    let has = |name: &str| columns.iter().any(|column| column == name);
    let is_it = (has("r/s") && has("w/s")) || has("tps");
    (matches!(first, "Device" | "Device:") && is_it).then_some(columns)
}

#[derive(Default)]
struct Reports {
    columns: Vec<String>,
    /// Tables so far.
    count: usize,
    /// The text has the begin of iostat's output.
    begins: bool,
    /// iostat was told to leave out the report since boot.
    without_boot: bool,
}

impl Reports {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if let Some(columns) = heading(text) {
            (self.columns, self.count) = (columns, self.count + 1);
        } else if let Some(version) = text.strip_prefix("sysstat version ") {
            gather.version(version);
        } else if text.is_empty() || text.starts_with("avg-cpu") {
            self.columns.clear();
        } else if self.columns.is_empty() {
            self.begins |= text.contains(" CPU)");
            let mut words = text.split_whitespace().skip_while(|word| !word.ends_with("iostat"));
            self.without_boot |= words.any(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.contains('y')
            });
        } else {
            self.row(line, gather)?;
        }
        Ok(())
    }

    fn row(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let cells: Vec<&str> = line.text.split_whitespace().collect();
        // Without its empty lines a text has the next heading, or a time, right behind a table.
        let is_figure = |cell: &&str| cell.starts_with(|c: char| c.is_ascii_digit());
        if cells.len() < 2 || !cells[1..].iter().all(is_figure) {
            self.columns.clear();
            return Ok(());
        }
        if cells.len() != self.columns.len() + 1 {
            let why = format!("{} cells where the head has {}; the text may be cut", cells.len(), self.columns.len() + 1);
            return Err(line.bad(why));
        }
        let figures = Figures { line, columns: &self.columns, cells: &cells[1..] };
        let metrics = figures.metrics()?;
        let idle = metrics.first().is_none_or(|iops| iops.value <= 0.0);
        let outcome = match () {
            () if self.count == 1 && self.begins && !self.without_boot => Err(SINCE_BOOT.into()),
            () if idle => Err("the device was idle".into()),
            () => Ok(metrics),
        };
        gather.add(line.file, line.number, Reading::new(info(cells[0]), outcome))
    }
}

fn info(device: &str) -> TestInfo {
    TestInfo {
        id: crate::test_id(SUITE, device),
        suite: SUITE.into(),
        name: device.into(),
        testtype: "device".into(),
        group: Group::Mixed,
        metric: IOPS.name.into(),
        unit: IOPS.unit.into(),
        better: IOPS.better,
        shape: None,
    }
}

/// A row by its columns.
struct Figures<'a> {
    line: &'a Line<'a>,
    columns: &'a [String],
    cells: &'a [&'a str],
}

impl Figures<'_> {
    /// The figure of the first of `names` that the table has, each with what one is of it.
    fn of(&self, names: &[(&str, f64)]) -> Result<Option<f64>, FormatError> {
        let place = |(name, factor): &(&str, f64)| {
            Some((self.columns.iter().position(|column| column == name)?, *factor))
        };
        let Some((at, factor)) = names.iter().find_map(place) else { return Ok(None) };
        // Some languages write a comma.
        let figure = self.line.number(&self.columns[at], &self.cells[at].replacen(',', ".", 1))?;
        if figure < 0.0 {
            return Err(self.line.bad(format!("{} is negative", self.columns[at])));
        }
        Ok(Some(figure * factor))
    }

    fn metrics(&self) -> Result<Vec<Metric>, FormatError> {
        const KIB: f64 = 1.024e-3;
        const MIB: f64 = 1.048576;
        const SECTOR: f64 = 512e-6;
        let one = |name| self.of(&[(name, 1.0)]);
        let (reads, writes) = (one("r/s")?, one("w/s")?);
        let iops = reads.zip(writes).map(|(reads, writes)| reads + writes).or(one("tps")?);
        let read_rate = [
            ("rkB/s", KIB), ("rMB/s", MIB), ("rsec/s", SECTOR), ("kB_read/s", KIB), ("MB_read/s", MIB),
            ("Blk_read/s", SECTOR),
        ];
        let write_rate = [
            ("wkB/s", KIB), ("wMB/s", MIB), ("wsec/s", SECTOR), ("kB_wrtn/s", KIB), ("MB_wrtn/s", MIB),
            ("Blk_wrtn/s", SECTOR),
        ];
        let figures = [
            (IOPS.name, iops, IOPS.unit, Better::Higher),
            ("read_iops", reads, "1/s", Better::Higher),
            ("write_iops", writes, "1/s", Better::Higher),
            ("read_rate", self.of(&read_rate)?, "MB/s", Better::Higher),
            ("write_rate", self.of(&write_rate)?, "MB/s", Better::Higher),
            ("util", one("%util")?, "%", Better::Lower),
            ("await_ms", one("await")?, "ms", Better::Lower),
            ("read_await_ms", one("r_await")?, "ms", Better::Lower),
            ("write_await_ms", one("w_await")?, "ms", Better::Lower),
        ];
        let metric = |(name, value, unit, better): (&str, Option<f64>, &str, Better)| {
            Some(Metric::new(name, value?, unit, better))
        };
        Ok(figures.into_iter().filter_map(metric).collect())
    }
}

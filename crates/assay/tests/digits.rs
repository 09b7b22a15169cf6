//! Every cell that a study printed comes out of the store, and out of what a report is made of, at the digits printed.

use crate::common::Place;
use model::{
    figure::Metric,
    result::{Dataset, Sample},
    workload::Group,
};
use stats::{
    description::Settings,
    evaluation::{Findings, findings},
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use store::Store;

/// A table as it was printed.
struct Printed {
    file: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Printed {
    fn read(path: &Path) -> Printed {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(cells);
        let file = path.file_stem().unwrap().to_str().unwrap().to_string();
        Printed { file, header: lines.next().unwrap(), rows: lines.collect() }
    }

    fn cell<'a>(&self, row: &'a [String], column: &str) -> &'a str {
        let at = self.header.iter().position(|name| name == column);
        &row[at.unwrap_or_else(|| panic!("{}: no column {column}", self.file))]
    }

    fn has(&self, column: &str) -> bool {
        self.header.iter().any(|name| name == column)
    }
}

/// The cells of a line, of which some are quoted.
fn cells(line: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => all.push(String::new()),
            c => all.last_mut().unwrap().push(c),
        }
    }
    all
}

/// Checks what is computed against what was printed, and counts.
#[derive(Default)]
struct Check {
    cells: usize,
    wrong: Vec<String>,
}

impl Check {
    /// `value` is what was printed, at the digits that `text` has before its unit.
    fn number(&mut self, what: &str, value: f64, text: &str) {
        let number: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let decimals = number.split_once('.').map_or(0, |(_, digits)| digits.len());
        self.cells += 1;
        if format!("{value:.decimals$}") != number {
            self.wrong.push(format!("{what}: printed {text}, is {value}"));
        }
    }
}

/// The study of `table` as the store gives it.
fn of_store(table: &Printed, store: &mut Store) -> Dataset {
    let id = format!("published-{}", table.file);
    let all = formats::published().unwrap();
    let study = all.into_iter().find(|data| data.campaign.id == id);
    let study = study.unwrap_or_else(|| panic!("{id} does not ship"));
    store.import(&study).unwrap();
    store.dataset(&id).unwrap()
}

fn sample<'a>(data: &'a Dataset, test: &str, target: &str) -> &'a Sample {
    let is = |s: &&Sample| s.case.test == test && s.case.target == target;
    let mut own = data.samples.iter().filter(is);
    let sample = own.next().unwrap_or_else(|| panic!("{}: {test} on {target}", data.campaign.id));
    assert_eq!(own.count(), 0, "{test} on {target} stands twice");
    sample
}

/// Bytes in a unit of a text as `4852KiB/s`.
fn unit(text: &str) -> f64 {
    if text.contains("KiB") { 1024.0 } else { 1_048_576.0 }
}

fn apps(table: &Printed, data: &Dataset, check: &mut Check) {
    for row in &table.rows {
        let cell = |column| table.cell(row, column);
        let test = if cell("work") == "uv sync" { "apps.uv.sync" } else { "apps.uv.remove" };
        let s = sample(data, test, cell("target"));
        check.number(test, s.figures.metrics[0].value, cell("wall_s"));
        check.number(test, s.figures.seconds, cell("wall_s"));
        check.number(test, s.covariates.cpu_user_s, cell("user_s"));
        check.number(test, s.covariates.cpu_sys_s, cell("system_s"));
    }
}

fn cloud_fio(table: &Printed, data: &Dataset, check: &mut Check) {
    for row in &table.rows {
        let cell = |column| table.cell(row, column);
        let s = sample(data, "mixed.randrw50.4k.qd64", cell("target"));
        let of = |name| s.metric(name).unwrap();
        check.number("iops", of("iops"), cell("total_iops"));
        check.number("read", of("read_rate") / 1.048576, cell("read_bw_mib_s"));
        check.number("write", of("write_rate") / 1.048576, cell("write_bw_mib_s"));
        check.number("duration", of("duration_s"), cell("duration_s"));
        check.number("cpu", of("cpu_sys_pct"), cell("sys_cpu_percent"));
    }
}

fn mdtest(table: &Printed, data: &Dataset, check: &mut Check) {
    for (row, test) in table.rows.iter().zip(&data.tests) {
        let words: Vec<String> = row[0].to_lowercase().split(' ').map(String::from).collect();
        assert_eq!(test.id, format!("mdtest.{}", words.join(".")));
        for target in &table.header[1..] {
            let s = sample(data, &test.id, target);
            check.number(&row[0], s.figures.metrics[0].value, table.cell(row, target));
        }
    }
}

fn matrix(table: &Printed, data: &Dataset, check: &mut Check) {
    for row in &table.rows {
        let cell = |column| table.cell(row, column);
        let bytes: u64 = cell("block_bytes").parse().unwrap();
        let block = if bytes < 1024 { bytes.to_string() } else { format!("{}k", bytes / 1024) };
        let test = format!("matrix.{}.{block}.t{}", cell("pattern"), cell("threads"));
        check.number(&test, sample(data, &test, cell("fs")).figures.metrics[0].value, cell("iops"));
    }
}

fn bonnie(table: &Printed, data: &Dataset, check: &mut Check) {
    let names = [
        ("block_write", "put_block"),
        ("block_read", "get_block"),
        ("ran_create", "random_create"),
        ("ran_stat", "random_stat"),
        ("ran_delete", "random_delete"),
    ];
    for row in &table.rows {
        let cell = |column| table.cell(row, column);
        let phase = cell("phase");
        let known = names.iter().find(|(name, _)| *name == phase).map_or(phase, |(_, id)| id);
        let s = sample(data, &format!("bonnie.{known}"), cell("target"));
        if cell("value").starts_with('+') {
            assert!(!s.evidence.validity.is_valid() && s.figures.metrics.is_empty(), "{s:?}");
            check.cells += 1;
            continue;
        }
        let by = if cell("unit") == "MiB/s" { 1.048576 } else { 1.0 };
        check.number(phase, s.figures.metrics[0].value / by, cell("value"));
        check.number(phase, s.metric("cpu_pct").unwrap(), cell("cpu_pct"));
        let by = if cell("latency").ends_with("us") { 1e3 } else { 1.0 };
        check.number(phase, s.metric("latency_max_ms").unwrap() * by, cell("latency"));
    }
}

fn raid1_fio(table: &Printed, data: &Dataset, check: &mut Check) {
    for row in &table.rows {
        let cell = |column| table.cell(row, column);
        let s = sample(data, &format!("mixed.randrw70.{}.j8", cell("block")), cell("target"));
        let mut sum = 0.0;
        for way in ["read", "write"] {
            let [iops, rate, mb] =
                ["iops", "rate", "mb"].map(|what| s.metric(&format!("{way}_{what}")).unwrap());
            let cell = |what: &str| table.cell(row, &format!("{way}_{what}"));
            check.number(way, iops, cell("iops"));
            check.number(way, rate * 1e6 / unit(cell("bw")), cell("bw"));
            check.number(way, mb * 1e6 / unit(cell("io")), cell("io"));
            sum += iops;
        }
        assert_eq!(s.metric("iops"), Some(sum));
        check.number("runtime", s.figures.seconds * 1e3, cell("runtime_ms"));
        let knob = |key: &str| data.campaign.plan.knobs.get(key).map(String::as_str);
        assert_eq!(knob("size"), Some(cell("size_per_job")));
        assert_eq!(knob("direct").unwrap_or("true") == "true", cell("direct") == "1");
    }
}

fn files(table: &Printed, data: &Dataset, check: &mut Check) {
    for row in &table.rows {
        let cell = |column| table.cell(row, column);
        let action = if cell("phase") == "write" { "create" } else { cell("phase") };
        let s = sample(data, &format!("files.{action}.{}", cell("bytes")), cell("target"));
        let of = |name| s.metric(name).unwrap();
        check.number(action, of("cache_files_rate"), cell("files_per_s"));
        check.number(action, of("work_s"), cell("seconds"));
        check.number(action, of("sync_s"), cell("sync_seconds"));
    }
}

/// What a report over `baseline` is made of.
fn over(data: &Dataset, baseline: &str) -> Findings {
    let baseline = Some(baseline.into());
    findings(data, &Settings { baseline, ..Settings::default() }).unwrap()
}

/// A cell of a row of KX Nano: its value and its ratio over the baseline.
struct Cell {
    value: Option<f64>,
    ratio: Option<f64>,
}

/// What `findings` say where the study has the row `(procs, group, testtype, test)`, of the target `label`.
fn nano_cell(findings: &Findings, row: (u32, Group, &str, &str), label: &str) -> Cell {
    let (procs, group, testtype, test) = row;
    // The study has the syncs after writes among the other writes.
    let is_of = |table: &&stats::description::Table| {
        table.procs == procs
            && (table.group == group || group == Group::WriteOther && table.group == Group::Sync)
    };
    let mut tables = findings.tables.iter().filter(is_of);
    let plain = |name: &str| name.replace(", ", ",");
    match testtype {
        "GEOMETRIC MEAN" => {
            let table = tables.next().unwrap();
            if group == Group::WriteOther {
                let mean = table.with_syncs.iter().find(|mean| mean.target == label).unwrap();
                return Cell { value: mean.geometric_mean, ratio: mean.ratio.map(|r| r.point) };
            }
            let footer = table.footers.iter().find(|footer| footer.target == label).unwrap();
            Cell { value: footer.geometric_mean, ratio: footer.ratio.map(|r| r.point) }
        }
        "MAX RATIO" => {
            let cells = tables.flat_map(|table| &table.rows).flat_map(|row| &row.cells);
            let own: Vec<_> = cells.filter(|cell| cell.target == label).collect();
            let most = |values: Vec<f64>| values.into_iter().reduce(f64::max);
            Cell {
                value: most(own.iter().filter_map(|cell| cell.value).collect()),
                ratio: most(own.iter().filter_map(|cell| Some(cell.ratio?.point)).collect()),
            }
        }
        _ => {
            let is = |row: &&stats::description::Row| {
                row.testtype == testtype && plain(&row.name) == plain(test)
            };
            let row = tables.flat_map(|table| &table.rows).find(is);
            let row = row.unwrap_or_else(|| panic!("{procs} {group} {test}"));
            let cell = row.cells.iter().find(|cell| cell.target == label).unwrap();
            Cell { value: cell.value, ratio: cell.ratio.map(|ratio| ratio.point) }
        }
    }
}

fn nano(table: &Printed, data: &Dataset, check: &mut Check) {
    let mut bases: BTreeMap<String, Findings> = BTreeMap::new();
    for row in &table.rows {
        let cell = |column| table.cell(row, column);
        let group = match cell("table") {
            "read-disk" => Group::ReadCold,
            "read-memory" => Group::ReadHot,
            name => name.parse().unwrap(),
        };
        let key = (cell("procs").parse().unwrap(), group, cell("testtype"), cell("test"));
        for column in &table.header[4..] {
            let pair = column.trim_start_matches("ratio_").split_once("_over_");
            let (label, base) = pair.unwrap_or((column.trim_end_matches("_mb_s"), "xfs"));
            let findings = bases.entry(base.into()).or_insert_with(|| over(data, base));
            let own = nano_cell(findings, key, label);
            let value = if pair.is_some() { own.ratio } else { own.value };
            let what = format!("{} {key:?} {column}", table.file);
            check.number(&what, value.unwrap_or_else(|| panic!("{what}: none")), cell(column));
        }
    }
}

fn data_files() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/studies/data");
    let mut files: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn each_printed_cell_comes_out_of_the_store_to_its_digits() {
    let place = Place::new();
    let mut store = Store::open(&place.path("store.db")).unwrap();
    let files = data_files();
    assert_eq!(files.len(), formats::published().unwrap().len());
    for path in &files {
        let table = Printed::read(path);
        let data = of_store(&table, &mut store);
        let mut check = Check::default();
        let (read, cells): (fn(&Printed, &Dataset, &mut Check), _) = match table.header[0].as_str()
        {
            "procs" => (nano, table.rows.len() * (table.header.len() - 4)),
            "operation" => (mdtest, 70),
            "fs" => (matrix, 576),
            _ if table.has("total_iops") => (cloud_fio, 45),
            _ if table.has("work") => (apps, 13 * 4),
            _ if table.has("latency") => (bonnie, 8 + 28 * 3),
            _ if table.has("read_iops") => (raid1_fio, 3 * 7),
            _ => (self::files, 24 * 3),
        };
        read(&table, &data, &mut check);
        assert_eq!(check.wrong, [""; 0], "{}", table.file);
        assert_eq!(check.cells, cells, "{}", table.file);
    }
}

/// The tables of a report have the means of the original suite too, under its own rates.
#[test]
fn a_report_by_the_original_rate_has_both_means() {
    let place = Place::new();
    let study = "published-nano-2025-09-rhel9-p5510";
    let csv = place.ok(&[
        "report",
        study,
        "--metric",
        "nano_rate",
        "--baseline",
        "ext4",
        "--format",
        "csv",
    ]);
    let line = |name: &str, target: &str| {
        let of = format!("write-other,64,,{name},{target},");
        let line = csv.lines().find(|line| line.starts_with(&of)).unwrap_or_else(|| panic!("{of}"));
        let fields: Vec<f64> = line.split(',').filter_map(|field| field.parse().ok()).collect();
        (fields[1].round(), fields.get(2).copied())
    };
    assert_eq!(line("GEOMETRIC MEAN WITH SYNCS", "ext4").0, 43975.0);
    let (mean, ratio) = line("GEOMETRIC MEAN WITH SYNCS", "xfs");
    assert_eq!((mean, format!("{:.2}", ratio.unwrap())), (29819.0, "0.68".into()));
    let (mean, ratio) = line("GEOMETRIC MEAN", "xfs");
    assert_eq!(format!("{:.2}", ratio.unwrap()), "1.05");
    // Of the figures as they were printed it is 1627.1, of those within their digits that give the means, as much.
    assert!((mean - 1627.1).abs() < 1.5, "{mean}");
}

/// Ratios printed as 0.0 are bounds: what they are of is not said to be known, and their means are those printed.
#[test]
fn what_was_printed_as_zero_is_a_bound_and_turns_its_mean() {
    let place = Place::new();
    let study = "published-nano-2025-09-ubuntu2404-pm1743";
    let tables = place.ok(&["report", study, "--baseline", "ext4"]);
    assert!(tables.contains("≤0.0500"), "{tables}");
    assert!(tables.contains("GEOMETRIC MEAN WITH SYNCS"), "{tables}");
    assert!(!tables.contains("invalid"), "{tables}");
    let data = formats::published().unwrap().into_iter().find(|d| d.campaign.id == study).unwrap();
    let bounds = data.samples.iter().filter(|s| s.metric(Metric::AT_LEAST).is_some());
    assert_eq!(bounds.count(), 9);
    let over_ext4 = over(&data, "ext4");
    let table = over_ext4.tables.iter().find(|t| t.group == Group::WriteOther && t.procs == 64);
    let xfs = table.unwrap().footers.iter().find(|footer| footer.target == "xfs").unwrap();
    assert!(xfs.ratio.unwrap().point < 0.64, "{:?}", xfs.ratio);
}

//! Reads what `export --format csv` writes: `samples.csv`, `tests.csv` and, when they are there,
//! `campaign.json`, `histograms.csv` and `series.csv`. All of them give back the dataset that was exported.

mod histograms;
mod series;

use crate::{
    FormatError, ImportOptions, NamedBytes, base_name,
    export::{
        HISTOGRAMS_HEADER, Identity, SAMPLES_HEADER, SERIES_HEADER, TESTS_HEADER,
        older_samples_header,
    },
    table::{Row, Table},
};
use model::{Case, Dataset, Metric, Sample, TestInfo};
use std::collections::HashSet;

/// The importer.
pub(crate) struct Importer;

impl crate::Importer for Importer {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        head.starts_with(older_samples_header().as_bytes())
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let tests = read_tests(open(files, "tests.csv")?)?;
        let table =
            tabulate(open(files, "samples.csv")?, &[SAMPLES_HEADER, older_samples_header()])?;
        let mut samples = read_samples(&table)?;
        if let Some(file) = find(files, "histograms.csv") {
            histograms::attach(&tabulate(file, &[HISTOGRAMS_HEADER])?, &mut samples)?;
        }
        if let Some(file) = find(files, "series.csv") {
            series::attach(&tabulate(file, &[SERIES_HEADER])?, &mut samples)?;
        }
        samples.sort_by_key(|sample| (sample.block, sample.position));
        let identity = match find(files, "campaign.json") {
            Some((name, bytes)) => serde_json::from_slice(bytes).map_err(|e| {
                FormatError::line(name, e.line() as u64, format!("not a campaign: {e}"))
            })?,
            None => identify(&table, &samples, options)?,
        };
        check(&table, &identity, &tests)?;
        Ok(Dataset { campaign: identity.campaign, targets: identity.targets, tests, samples })
    }
}

fn find<'a>(files: &'a [NamedBytes], name: &str) -> Option<&'a NamedBytes> {
    files.iter().find(|(path, _)| base_name(path) == name)
}

fn open<'a>(files: &'a [NamedBytes], name: &str) -> Result<&'a NamedBytes, FormatError> {
    find(files, name).ok_or_else(|| {
        FormatError::file(name, "is missing; give the whole directory that was exported")
    })
}

/// The table, when its header is one of `headers`, the present one first.
fn tabulate<'a>((name, bytes): &'a NamedBytes, headers: &[&str]) -> Result<Table<'a>, FormatError> {
    let table = Table { guarded: true, ..Table::read(name, bytes, b',')? };
    let found = || table.header.iter().map(String::as_str);
    if !headers.iter().any(|header| found().eq(header.split(','))) {
        return Err(FormatError::line(name, 1, format!("the header must be {}", headers[0])));
    }
    Ok(table)
}

fn read_tests(file: &NamedBytes) -> Result<Vec<TestInfo>, FormatError> {
    let table = tabulate(file, &[TESTS_HEADER])?;
    let mut seen = HashSet::new();
    let read = |row| {
        let text = |column| table.text(row, column).map(str::to_owned);
        if !seen.insert(table.text(row, "test")?) {
            return Err(table.bad(row, "test", "names a test that stands above"));
        }
        Ok(TestInfo {
            id: text("test")?,
            suite: text("suite")?,
            name: text("name")?,
            testtype: text("testtype")?,
            group: table.get(row, "group")?,
            metric: text("metric")?,
            unit: text("unit")?,
            better: table.get(row, "better")?,
        })
    };
    table.rows.iter().map(read).collect()
}

/// Samples in the order of the table. Rows that differ in nothing but the metric belong to one. A metric that comes again
/// starts a new one: two equal measurements are two.
fn read_samples(table: &Table<'_>) -> Result<Vec<Sample>, FormatError> {
    let mut samples: Vec<Sample> = Vec::new();
    for row in &table.rows {
        let (mut sample, metric) = (read_sample(table, row)?, read_metric(table, row)?);
        match (samples.last_mut().filter(|last| belongs(last, &sample, metric.as_ref())), metric) {
            (Some(last), Some(metric)) => last.metrics.push(metric),
            (_, metric) => {
                sample.metrics.extend(metric);
                samples.push(sample);
            }
        }
    }
    Ok(samples)
}

/// Whether `metric`, read with the fields of `row`, is a further one of `last`.
fn belongs(last: &Sample, row: &Sample, metric: Option<&Metric>) -> bool {
    let fresh = |metric: &Metric| last.metric(&metric.name).is_none();
    !last.metrics.is_empty()
        && metric.is_some_and(fresh)
        && *row == Sample { metrics: Vec::new(), ..last.clone() }
}

fn read_metric(table: &Table<'_>, row: &Row) -> Result<Option<Metric>, FormatError> {
    let name = table.text(row, "metric")?;
    if name.is_empty() {
        return Ok(None);
    }
    let (value, unit) = (table.number(row, "value")?, table.text(row, "unit")?);
    Ok(Some(Metric::new(name, value, unit, table.get(row, "better")?)))
}

fn read_sample(table: &Table<'_>, row: &Row) -> Result<Sample, FormatError> {
    let text = |column| table.text(row, column).map(str::to_owned);
    Ok(Sample {
        block: table.get(row, "block")?,
        position: table.get(row, "position")?,
        case: Case {
            target: text("target")?,
            suite: text("suite")?,
            test: text("test")?,
            procs: table.get(row, "procs")?,
            threads: table.get(row, "threads")?,
            cache: table.get(row, "cache")?,
        },
        lab: table.optional(row, "lab")?.unwrap_or_default(),
        metrics: Vec::new(),
        bytes: table.get(row, "bytes")?,
        ops: table.get(row, "ops")?,
        seconds: table.number(row, "seconds")?,
        skew_ms: table.number(row, "skew_ms")?,
        overlap: table.number(row, "overlap")?,
        device_read_bytes: table.optional(row, "device_read_bytes")?,
        device_write_bytes: table.optional(row, "device_write_bytes")?,
        cpu_user_s: table.number(row, "cpu_user_s")?,
        cpu_sys_s: table.number(row, "cpu_sys_s")?,
        limiter: table.get(row, "limiter")?,
        validity: table.get(row, "validity")?,
        histograms: Vec::new(),
        series: None,
    })
}

/// The sample that a row of another table is about; `samples` are in the order of `samples.csv`. Its
/// number counts the rows of that file; its name must fit, lest figures land on another sample when
/// that file was edited.
fn sample_of<'s>(
    table: &Table<'_>,
    row: &Row,
    samples: &'s mut [Sample],
) -> Result<&'s mut Sample, FormatError> {
    let number: usize = table.get(row, "sample")?;
    let Some(sample) = samples.get_mut(number) else {
        return Err(table.bad(row, "sample", "names a sample that samples.csv has not"));
    };
    let case = &sample.case;
    let (block, procs) = (sample.block.to_string(), case.procs.to_string());
    let names = [
        ("block", block.as_str()),
        ("target", &case.target),
        ("test", &case.test),
        ("procs", &procs),
        ("cache", case.cache.as_str()),
    ];
    for (column, name) in names {
        if table.text(row, column)? != name {
            let why = "differs from the sample of that number; export both files together";
            return Err(table.bad(row, column, why));
        }
    }
    Ok(sample)
}

/// The campaign as far as the tables tell.
fn identify(
    table: &Table<'_>,
    samples: &[Sample],
    options: &ImportOptions,
) -> Result<Identity, FormatError> {
    let id = table.rows.first().map(|row| table.text(row, "campaign")).transpose()?;
    let id = id.ok_or_else(|| FormatError::file(table.file, "holds no sample"))?;
    let targets = crate::importers::records(samples.iter().map(|s| s.case.target.as_str()));
    let note = "Imported from tables alone: plan, scale, seed and environment are not known.";
    let campaign = crate::importers::campaign(id, "Imported tables", &targets, options, &[note]);
    Ok(Identity { campaign, targets })
}

/// Every row must be of this campaign, of a known target and of a known test.
fn check(table: &Table<'_>, identity: &Identity, tests: &[TestInfo]) -> Result<(), FormatError> {
    let targets: HashSet<_> = identity.targets.iter().map(|t| t.label.as_str()).collect();
    let tests: HashSet<_> = tests.iter().map(|test| test.id.as_str()).collect();
    for row in &table.rows {
        if table.text(row, "campaign")? != identity.campaign.id {
            return Err(table.bad(
                row,
                "campaign",
                "names another campaign; import each by itself",
            ));
        }
        if !targets.contains(table.text(row, "target")?) {
            return Err(table.bad(row, "target", "names a target that campaign.json has not"));
        }
        if !tests.contains(table.text(row, "test")?) {
            return Err(table.bad(row, "test", "names a test that tests.csv has not"));
        }
    }
    Ok(())
}

//! Reads what `export --format csv` writes: `samples.csv`, `tests.csv` and, when they are there,
//! `campaign.json`, `histograms.csv` and `series.csv`. All of them give back the dataset that was exported.
//! The tables are read side by side, a sample at a time.

mod attached;
mod histograms;
mod series;

use crate::{
    FormatError, ImportOptions, base_name,
    export::{HISTOGRAMS_HEADER, Identity, SAMPLES_HEADER, SERIES_HEADER, TESTS_HEADER},
    source::{Input, Take},
    table::{Columns, Row, Rows},
};
use attached::Attached;
use model::{
    figure::Metric,
    result::{Covariates, Evidence, Figures, Head, Note, Numbers, Sample, Validity},
    workload::{Case, GridCell, Shape, TestInfo},
};
use std::{
    collections::{HashMap, HashSet},
    io::{BufReader, Read},
};

/// The importer.
pub(crate) struct Importer;

/// The rows of a file.
type FileRows<'a> = Rows<'a, BufReader<Box<dyn Read + 'a>>>;

impl crate::Importer for Importer {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        head.starts_with(b"campaign,block,position,target,")
    }

    fn is_own(&self) -> bool {
        true
    }

    fn stream(
        &self,
        files: &[Input<'_>],
        options: &ImportOptions,
        take: &mut Take<'_>,
    ) -> Result<Head, FormatError> {
        let tests = read_tests(open(files, "tests.csv")?)?;
        let identity = find(files, "campaign.json").map(read_identity).transpose()?;
        let (columns, rows) = tabulate(open(files, "samples.csv")?, SAMPLES_HEADER)?;
        let attached = |name, header| {
            find(files, name).map(|file| Attached::new(tabulate(file, header)?)).transpose()
        };
        let mut histograms = attached("histograms.csv", HISTOGRAMS_HEADER)?;
        let mut series = attached("series.csv", SERIES_HEADER)?;
        let mut known = Known::new(identity.as_ref(), &tests);
        let mut samples = Samples { columns: &columns, rows, begun: None };
        while let Some(mut sample) = samples.next(&mut known)? {
            if let Some(table) = &mut histograms {
                table.attach(&mut sample, histograms::add)?;
            }
            if let Some(table) = &mut series {
                table.attach(&mut sample, series::add)?;
                series::check(table.file(), &sample)?;
            }
            known.note(&sample);
            take(sample)?;
        }
        for table in histograms.iter_mut().chain(&mut series) {
            table.check_end()?;
        }
        let Identity { campaign, targets } = match identity {
            Some(identity) => identity,
            None => known.identify(columns.file, options)?,
        };
        Ok(Head { campaign, targets, tests })
    }
}

fn find<'a>(files: &[Input<'a>], name: &str) -> Option<Input<'a>> {
    files.iter().find(|file| base_name(file.name()) == name).copied()
}

fn open<'a>(files: &[Input<'a>], name: &str) -> Result<Input<'a>, FormatError> {
    find(files, name)
        .ok_or_else(|| FormatError::file(name, "is missing; import the whole exported directory"))
}

/// The column of samples that a table without any fault need not have.
const LAST: &str = ",after_fault";

/// The table, when its header is `header`, or that without its last column if that is [`LAST`].
fn tabulate<'a>(file: Input<'a>, header: &str) -> Result<(Columns<'a>, FileRows<'a>), FormatError> {
    table(file.name(), file.reader()?, header)
}

fn table<'a, R: Read>(
    file: &'a str,
    bytes: R,
    header: &str,
) -> Result<(Columns<'a>, Rows<'a, R>), FormatError> {
    let (columns, rows) = Columns::open(file, bytes, b',')?;
    let is = |header: &str| columns.header.iter().map(String::as_str).eq(header.split(','));
    if !is(header) && !header.strip_suffix(LAST).is_some_and(is) {
        return Err(FormatError::line(file, 1, format!("the header must be {header}")));
    }
    Ok((Columns { guarded: true, ..columns }, rows))
}

fn read_identity(file: Input<'_>) -> Result<Identity, FormatError> {
    serde_json::from_reader(file.head_reader()?).map_err(|e| {
        FormatError::line(file.name(), e.line() as u64, format!("not a campaign: {e}"))
    })
}

fn read_tests(file: Input<'_>) -> Result<Vec<TestInfo>, FormatError> {
    let (columns, rows) = table(file.name(), file.head_reader()?, TESTS_HEADER)?;
    let mut seen = HashSet::new();
    let read = |row: Result<Row, FormatError>| {
        let row = row?;
        let text = |column| columns.text(&row, column).map(str::to_owned);
        if !seen.insert(text("test")?) {
            return Err(columns.bad(&row, "test", "names a test that is listed above"));
        }
        Ok(TestInfo {
            id: text("test")?,
            suite: text("suite")?,
            name: text("name")?,
            testtype: text("testtype")?,
            group: columns.get(&row, "group")?,
            metric: text("metric")?,
            unit: text("unit")?,
            better: columns.get(&row, "better")?,
            shape: read_shape(&columns, &row)?,
        })
    };
    rows.map(read).collect()
}

fn read_shape(columns: &Columns<'_>, row: &Row) -> Result<Option<Shape>, FormatError> {
    let Some(only_writes) = columns.optional(row, "only_writes")? else { return Ok(None) };
    let block_bytes = columns.optional(row, "grid_block_bytes")?;
    let cell = match block_bytes.zip(columns.optional(row, "grid_threads")?) {
        None => None,
        Some((block_bytes, threads)) => {
            Some(GridCell { grid: columns.text(row, "grid")?.into(), block_bytes, threads })
        }
    };
    Ok(Some(Shape { only_writes, cell }))
}

/// The samples of `samples.csv`, in its order. Rows that differ in nothing but the metric belong to one.
/// A metric that comes again starts a new one: two equal measurements are two.
struct Samples<'c, 'a> {
    columns: &'c Columns<'a>,
    rows: FileRows<'a>,
    begun: Option<Begun>,
}

/// A sample of which further rows may come.
struct Begun {
    /// What its rows have in common.
    common: Sample,
    metrics: Vec<Metric>,
}

impl Samples<'_, '_> {
    /// The next sample, whose rows name what is known.
    fn next(&mut self, known: &mut Known<'_>) -> Result<Option<Sample>, FormatError> {
        for row in &mut self.rows {
            let row = row?;
            known.check(self.columns, &row)?;
            let (common, metric) =
                (read_sample(self.columns, &row)?, read_metric(self.columns, &row)?);
            if let (Some(begun), Some(metric)) = (&mut self.begun, &metric)
                && begun.goes_on_with(&common, metric)
            {
                begun.metrics.push(metric.clone());
                continue;
            }
            let metrics = metric.into_iter().collect();
            if let Some(done) = self.begun.replace(Begun { common, metrics }) {
                return Ok(Some(done.whole()));
            }
        }
        Ok(self.begun.take().map(Begun::whole))
    }
}

impl Begun {
    /// Whether `metric`, of a row with the fields of `row`, is a further one of this sample.
    fn goes_on_with(&self, row: &Sample, metric: &Metric) -> bool {
        let fresh = self.metrics.iter().all(|own| own.name != metric.name);
        !self.metrics.is_empty() && fresh && *row == self.common
    }

    fn whole(self) -> Sample {
        let mut sample = self.common;
        sample.extend(self.metrics);
        sample
    }
}

fn read_metric(table: &Columns<'_>, row: &Row) -> Result<Option<Metric>, FormatError> {
    let name = table.text(row, "metric")?;
    if name.is_empty() {
        return Ok(None);
    }
    let (value, unit) = (table.number(row, "value")?, table.text(row, "unit")?);
    Ok(Some(Metric::new(name, value, unit, table.get(row, "better")?)))
}

fn read_sample(table: &Columns<'_>, row: &Row) -> Result<Sample, FormatError> {
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
        }
        .into(),
        lab: table.get(row, "lab")?,
        figures: Figures {
            bytes: table.get(row, "bytes")?,
            ops: table.get(row, "ops")?,
            seconds: table.number(row, "seconds")?,
            ..Figures::default()
        },
        covariates: Covariates {
            skew_ms: table.number(row, "skew_ms")?,
            overlap: table.number(row, "overlap")?,
            device_read_bytes: table.optional(row, "device_read_bytes")?,
            device_write_bytes: table.optional(row, "device_write_bytes")?,
            cpu_user_s: table.number(row, "cpu_user_s")?,
            cpu_sys_s: table.number(row, "cpu_sys_s")?,
            ..Covariates::default()
        },
        evidence: Evidence {
            limiter: table.get(row, "limiter")?,
            validity: table.get::<Validity>(row, "validity")?.into(),
            durability: table.optional(row, "durability")?,
            after_fault: table.optional(row, "after_fault")?.map(Box::new),
        },
        numbers: Numbers::default(),
    })
}

/// What rows of samples may name.
struct Known<'a> {
    campaign: Option<String>,
    /// `None` where every target is known.
    targets: Option<HashSet<&'a str>>,
    tests: HashSet<&'a str>,
    /// Each target, with block, position and number of the sample that names it first.
    labels: HashMap<String, (u32, u32, usize)>,
    /// Samples so far.
    samples: usize,
}

impl<'a> Known<'a> {
    fn new(identity: Option<&'a Identity>, tests: &'a [TestInfo]) -> Known<'a> {
        let labels =
            |identity: &'a Identity| identity.targets.iter().map(|t| t.label.as_str()).collect();
        Known {
            campaign: identity.map(|identity| identity.campaign.id.clone()),
            targets: identity.map(labels),
            tests: tests.iter().map(|test| test.id.as_str()).collect(),
            labels: HashMap::new(),
            samples: 0,
        }
    }

    /// Every row must be of this campaign, of a known target and of a known test.
    fn check(&mut self, columns: &Columns<'_>, row: &Row) -> Result<(), FormatError> {
        let id = columns.text(row, "campaign")?;
        if self.campaign.get_or_insert_with(|| id.to_owned()) != id {
            let why = "names another campaign; import each separately";
            return Err(columns.bad(row, "campaign", why));
        }
        let target = columns.text(row, "target")?;
        if self.targets.as_ref().is_some_and(|targets| !targets.contains(target)) {
            return Err(columns.bad(row, "target", "names a target that is not in campaign.json"));
        }
        if !self.tests.contains(columns.text(row, "test")?) {
            return Err(columns.bad(row, "test", "names a test that is not in tests.csv"));
        }
        Ok(())
    }

    /// Notes the target of a sample.
    fn note(&mut self, sample: &Sample) {
        let place = (sample.block, sample.position, self.samples);
        self.samples += 1;
        match self.labels.get_mut(&sample.case.target) {
            Some(first) => *first = (*first).min(place),
            None => drop(self.labels.insert(sample.case.target.clone(), place)),
        }
    }

    /// The campaign as far as the tables tell.
    fn identify(self, file: &str, options: &ImportOptions) -> Result<Identity, FormatError> {
        let id = self.campaign.ok_or_else(|| FormatError::file(file, "contains no sample"))?;
        let mut labels: Vec<_> = self.labels.into_iter().collect();
        labels.sort_by_key(|(_, place)| *place);
        let targets = crate::campaign::records(labels.iter().map(|(label, _)| label.as_str()));
        let notes = vec![Note::TablesOnly {}];
        let campaign = crate::campaign::campaign(&id, "Imported tables", &targets, options, notes);
        Ok(Identity { campaign, targets })
    }
}

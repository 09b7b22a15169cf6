//! The studies made with KX Nano, with the summary rows that were printed under their tables.

use crate::{
    FormatError, ImportOptions,
    campaign::{campaign, records},
    columnar::{NANO_RATE, RATE_NOTE, Ranked, declared_cache, test_info},
    table::{Row, Table},
};
use model::{Better, Campaign, Case, Dataset, Group, Metric, Origin, Sample, TestInfo, Validity};

/// A shipped table.
struct Source {
    id: &'static str,
    title: &'static str,
    text: &'static str,
    targets: &'static [&'static str],
    printed: Printed,
}

/// What the cells of a table are.
enum Printed {
    /// Rates, in columns `TARGET_mb_s`.
    Rates,
    /// Rates of the first target over those of each other, in columns `xfs_over_TARGET`.
    Ratios,
}

const SOURCES: [Source; 2] = [
    Source {
        id: "published-nano-2025-09-rhel9-p5510",
        title: "KX Nano study, 2025-09, RHEL 9, Intel/Solidigm P5510",
        text: include_str!("../../published/nano-2025-09-rhel9-p5510.csv"),
        targets: &["xfs", "ext4"],
        printed: Printed::Rates,
    },
    Source {
        id: "published-nano-2025-09-ubuntu2404-pm1743",
        title: "KX Nano study, 2025-09, Ubuntu 24.04, Samsung PM1743",
        text: include_str!("../../published/nano-2025-09-ubuntu2404-pm1743.csv"),
        targets: &["xfs", "ext4", "btrfs", "f2fs", "zfs"],
        printed: Printed::Ratios,
    },
];

/// The month of the studies; the day is not known and stands as the first.
const CREATED: &str = "2025-09-01T00:00:00Z";

/// Both studies ran q with `-s 8`.
const SECONDARY_THREADS: u32 = 8;

const RELATIVE: Ranked =
    Ranked { name: "relative_rate", unit: "relative to xfs", better: Better::Higher };

const BELOW_ROUNDING: &str = "printed as 0.0, below the rounding of the source";

/// What a summary row of a published table sums up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryKind {
    /// The geometric mean of the column.
    GeometricMean,
    /// The largest value of the column.
    Max,
}

/// A summary row as printed: no sample, but a check on them.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// Id of the published campaign.
    pub campaign: &'static str,
    /// Number of processes.
    pub procs: u32,
    /// The table it stands under.
    pub group: Group,
    /// What it sums up.
    pub kind: SummaryKind,
    /// Columns by name with the number as printed, digits and all.
    pub cells: Vec<(String, String)>,
}

/// The campaigns of these studies.
pub(super) fn datasets() -> Result<Vec<Dataset>, FormatError> {
    SOURCES.iter().map(Source::dataset).collect()
}

/// The summary rows of all shipped tables that have such, in their order.
pub fn summary_rows() -> Result<Vec<SummaryRow>, FormatError> {
    let mut summaries = Vec::new();
    for source in &SOURCES {
        let table = source.table()?;
        for row in &table.rows {
            summaries.extend(source.summary(&table, row)?);
        }
    }
    Ok(summaries)
}

/// The word of a table's column `table` as a group.
fn group(table: &Table<'_>, row: &Row) -> Result<Group, FormatError> {
    match table.text(row, "table")? {
        "read-disk" => Ok(Group::ReadCold),
        "read-memory" => Ok(Group::ReadHot),
        _ => table.get(row, "table"),
    }
}

fn summary_kind(table: &Table<'_>, row: &Row) -> Result<Option<SummaryKind>, FormatError> {
    Ok(match table.text(row, "testtype")? {
        "GEOMETRIC MEAN" => Some(SummaryKind::GeometricMean),
        "MAX RATIO" => Some(SummaryKind::Max),
        _ => None,
    })
}

impl Source {
    fn table(&self) -> Result<Table<'static>, FormatError> {
        Table::read(self.id, self.text.as_bytes(), b',')
    }

    fn summary(&self, table: &Table<'_>, row: &Row) -> Result<Option<SummaryRow>, FormatError> {
        let Some(kind) = summary_kind(table, row)? else { return Ok(None) };
        let mut cells = Vec::new();
        for column in &table.header[4..] {
            cells.push((column.clone(), table.text(row, column)?.to_owned()));
        }
        let (procs, group) = (table.get(row, "procs")?, group(table, row)?);
        Ok(Some(SummaryRow { campaign: self.id, procs, group, kind, cells }))
    }

    fn dataset(&self) -> Result<Dataset, FormatError> {
        let table = self.table()?;
        let (mut tests, mut samples): (Vec<TestInfo>, Vec<Sample>) = Default::default();
        for row in &table.rows {
            if summary_kind(&table, row)?.is_some() {
                continue;
            }
            let (testtype, name) = (table.text(row, "testtype")?, table.text(row, "test")?);
            let known = test_info(testtype, name, self.ranked());
            let group = group(&table, row)?;
            // The source has what was left to sync among the writes.
            let group = if known.group.is_scored() { group } else { known.group };
            let info = TestInfo { group, ..known };
            for position in 0..self.targets.len() {
                samples.push(self.sample(&table, row, position, &info)?);
            }
            if !tests.contains(&info) {
                tests.push(info);
            }
        }
        samples.sort_by_key(|sample| (sample.block, sample.position));
        let targets = records(self.targets.iter().copied());
        Ok(Dataset { campaign: self.campaign(), targets, tests, samples })
    }

    fn campaign(&self) -> Campaign {
        let options = ImportOptions { target: None, created: CREATED.into(), ..Default::default() };
        let mut notes = vec![
            RATE_NOTE,
            "One run in each cell: the spread between runs is not known.",
            "Cache states are those that the source declares; residency was not proven.",
            "Bytes, times, start skew and overlap are not in the source and are recorded as 0.",
        ];
        if let Printed::Ratios = self.printed {
            notes.push("The source prints ratios with one decimal and no rates; xfs stands as 1.");
        }
        let records = records(self.targets.iter().copied());
        let mut campaign = campaign(self.id, self.title, &records, &options, &notes);
        campaign.origin = Origin::Published;
        campaign.plan.baseline = Some(self.targets[0].into());
        campaign
    }

    fn ranked(&self) -> &'static Ranked {
        match self.printed {
            Printed::Rates => &NANO_RATE,
            Printed::Ratios => &RELATIVE,
        }
    }

    /// The value of a cell; `None` where a ratio was rounded to nothing.
    fn value(
        &self,
        table: &Table<'_>,
        row: &Row,
        position: usize,
    ) -> Result<Option<f64>, FormatError> {
        let target = self.targets[position];
        match self.printed {
            Printed::Rates => table.number(row, &format!("{target}_mb_s")).map(Some),
            Printed::Ratios if position == 0 => Ok(Some(1.0)),
            Printed::Ratios => {
                let ratio = table.number(row, &format!("{}_over_{target}", self.targets[0]))?;
                Ok((ratio > 0.0).then(|| 1.0 / ratio))
            }
        }
    }

    fn sample(
        &self,
        table: &Table<'_>,
        row: &Row,
        position: usize,
        info: &TestInfo,
    ) -> Result<Sample, FormatError> {
        let case = Case {
            target: self.targets[position].into(),
            suite: info.suite.clone(),
            test: info.id.clone(),
            procs: table.get(row, "procs")?,
            threads: SECONDARY_THREADS,
            cache: declared_cache(info),
        };
        let Ranked { name, unit, better } = self.ranked();
        let value = self.value(table, row, position)?;
        let metrics = value.map(|value| Metric::new(name, value, unit, *better));
        let validity = value.map_or(Validity::Invalid(BELOW_ROUNDING.into()), |_| Validity::Valid);
        let metrics = metrics.into_iter().collect();
        Ok(Sample { validity, ..Sample::bare(0, position as u32, case, metrics) })
    }
}

//! Reads the samples of a campaign with their metrics, histograms and series.

use crate::{StoreError, bins, found::Found, series};
use model::{
    figure::{Histogram, MetricKind, Shared},
    result::{Covariates, Evidence, Figures, MetricSlot, Numbers, Sample, Validity},
    workload::{CacheState, Case},
};
use rusqlite::{Connection, Row, params, types::ValueRef};
use std::collections::{HashMap, HashSet};

/// The last attempt at each block that has samples, ascending.
const ATTEMPTS: &str = "SELECT block, attempt FROM last_attempt l WHERE campaign = ? AND EXISTS
     (SELECT * FROM sample s WHERE s.campaign = l.campaign AND s.block = l.block AND s.attempt = l.attempt)
     ORDER BY block";

/// The samples of an attempt, in their order, which is that of an index.
pub(crate) const SAMPLES: &str =
    "SELECT number, try, position, target, suite, test, procs, threads, cache, bytes, ops, seconds,
     skew_ms, overlap, device_read_bytes, device_write_bytes, cpu_user_s, cpu_sys_s, limiter, validity,
     lab, durability, after_fault
     FROM sample WHERE campaign = ? AND block = ? AND attempt = ? ORDER BY position, number";

/// Of samples with numbers in a row, in the order of the key, so that millions of rows need no sorting.
pub(crate) const METRICS: &str = "SELECT sample, kind, value FROM metric
     WHERE sample BETWEEN ? AND ? ORDER BY sample, position";

pub(crate) const HISTOGRAMS: &str = "SELECT sample, op, latency, bins FROM histogram
     WHERE sample BETWEEN ? AND ? ORDER BY sample, position";

const SERIES: &str = "SELECT sample, bytes FROM series WHERE sample BETWEEN ? AND ?";

pub(crate) fn read_samples(db: &Connection, found: &Found) -> Result<Vec<Sample>, StoreError> {
    let mut read = Samples::new(db, found);
    for (block, attempt) in attempts(db, found)? {
        read.add(block, attempt)?;
    }
    read.filled(&read_kinds(db, found)?)
}

/// Whether two campaigns have equal samples, of which no more than a block of each is held at a time.
pub(crate) fn same_samples(
    db: &Connection,
    one: &Found,
    other: &Found,
) -> Result<bool, StoreError> {
    let kinds = read_kinds(db, one)?;
    let (ones, others) = (attempts(db, one)?, attempts(db, other)?);
    let of_block = |found, (block, attempt)| {
        let mut read = Samples::new(db, found);
        read.add(block, attempt)?;
        let samples = read.filled(&kinds)?.into_iter().map(Sample::printable);
        Ok::<Vec<Sample>, StoreError>(samples.collect())
    };
    for (own, its) in ones.iter().zip(&others) {
        if own.0 != its.0 || of_block(one, *own)? != of_block(other, *its)? {
            return Ok(false);
        }
    }
    Ok(ones.len() == others.len())
}

/// Blocks with their attempts, as [`ATTEMPTS`] says.
fn attempts(db: &Connection, found: &Found) -> Result<Vec<(u32, u32)>, StoreError> {
    let mut statement = db.prepare_cached(ATTEMPTS)?;
    let rows = statement.query_map([found.number], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The cases of a campaign; samples of the same one share it.
#[derive(Default)]
struct Cases {
    known: HashSet<Shared<Case>>,
    /// That of the last row; the next one is written over it, so that one that is known costs no memory.
    last: Option<Case>,
}

impl Cases {
    /// The case in the columns 3 to 8 of `row`.
    fn of(&mut self, found: &Found, row: &Row<'_>) -> Result<Shared<Case>, StoreError> {
        let text = String::new;
        let mut case = self.last.take().unwrap_or_else(|| Case {
            target: text(),
            suite: text(),
            test: text(),
            procs: 0,
            threads: 0,
            cache: CacheState::Any,
        });
        for (text, column) in [(&mut case.target, 3), (&mut case.suite, 4), (&mut case.test, 5)] {
            text.clear();
            let own = row.get_ref(column)?.as_str();
            text.push_str(own.map_err(|why| found.corrupt("case", why))?);
        }
        (case.procs, case.threads) = (row.get(6)?, row.get(7)?);
        case.cache = found.word(row, 8, "cache state")?;
        let known = self.known.get(&case).cloned();
        let shared = known.unwrap_or_else(|| {
            let new = Shared::from(case.clone());
            self.known.insert(new.clone());
            new
        });
        self.last = Some(case);
        Ok(shared)
    }
}

/// The sample of a row of [`SAMPLES`].
fn read_sample(
    found: &Found,
    cases: &mut Cases,
    block: u32,
    row: &Row<'_>,
) -> Result<Sample, StoreError> {
    Ok(Sample {
        block,
        position: row.get(2)?,
        case: cases.of(found, row)?,
        lab: found.word(row, 20, "lab")?,
        figures: Figures {
            bytes: row.get::<_, i64>(9)? as u64,
            ops: row.get::<_, i64>(10)? as u64,
            seconds: row.get(11)?,
            ..Figures::default()
        },
        covariates: Covariates {
            skew_ms: row.get(12)?,
            overlap: row.get(13)?,
            device_read_bytes: row.get::<_, Option<i64>>(14)?.map(|bytes| bytes as u64),
            device_write_bytes: row.get::<_, Option<i64>>(15)?.map(|bytes| bytes as u64),
            cpu_user_s: row.get(16)?,
            cpu_sys_s: row.get(17)?,
            ..Covariates::default()
        },
        evidence: Evidence {
            limiter: found.word(row, 18, "limiter")?,
            validity: found.word::<Validity>(row, 19, "validity")?.into(),
            durability: match row.get_ref(21)? {
                ValueRef::Null => None,
                _ => Some(found.word(row, 21, "durability")?),
            },
            after_fault: match row.get_ref(22)? {
                ValueRef::Null => None,
                _ => Some(Box::new(found.json(row, 22, "what a fault left")?)),
            },
        },
        numbers: Numbers::default(),
    })
}

/// Samples of a campaign.
struct Samples<'a> {
    db: &'a Connection,
    found: &'a Found,
    cases: Cases,
    /// The number of each sample with its place in `list`.
    places: Vec<(i64, usize)>,
    list: Vec<Sample>,
}

impl<'a> Samples<'a> {
    fn new(db: &'a Connection, found: &'a Found) -> Samples<'a> {
        Samples { db, found, cases: Cases::default(), places: Vec::new(), list: Vec::new() }
    }

    /// Adds those of an attempt at a block, and there of the last try of each target that gave any.
    fn add(&mut self, block: u32, attempt: u32) -> Result<(), StoreError> {
        let mut statement = self.db.prepare_cached(SAMPLES)?;
        let mut rows = statement.query(params![self.found.number, block, attempt])?;
        let mut read: Vec<(i64, u32, Sample)> = Vec::new();
        while let Some(row) = rows.next()? {
            let sample = read_sample(self.found, &mut self.cases, block, row)?;
            read.push((row.get(0)?, row.get(1)?, sample));
        }
        let mut last: HashMap<&str, u32> = HashMap::new();
        for (_, nth, sample) in &read {
            let known = last.entry(&sample.case.target).or_insert(*nth);
            *known = (*known).max(*nth);
        }
        let counts = |(_, nth, sample): &(i64, u32, Sample)| last[&*sample.case.target] == *nth;
        let counts: Vec<bool> = read.iter().map(counts).collect();
        for ((number, _, sample), _) in read.into_iter().zip(counts).filter(|(_, counts)| *counts) {
            self.places.push((number, self.list.len()));
            self.list.push(sample);
        }
        Ok(())
    }

    /// The samples with all that belongs to them.
    fn filled(mut self, kinds: &HashMap<i64, MetricSlot>) -> Result<Vec<Sample>, StoreError> {
        self.places.sort_unstable();
        let found = self.found;
        self.each(METRICS, |sample, row| add_metric(found, kinds, sample, row))?;
        self.each(HISTOGRAMS, |sample, row| add_histogram(found, sample, row))?;
        self.each(SERIES, |sample, row| add_series(found, sample, row))?;
        Ok(self.list)
    }

    /// Gives each row of `sql`, of which the first column is the number of a sample, to `fill` with that sample.
    fn each(
        &mut self,
        sql: &str,
        mut fill: impl FnMut(&mut Sample, &Row<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut statement = self.db.prepare_cached(sql)?;
        // What other campaigns and earlier attempts wrote in between is not read.
        for run in self.places.chunk_by(|one, next| one.0.checked_add(1) == Some(next.0)) {
            let (first, last) = (run[0].0, run[run.len() - 1].0);
            let mut rows = statement.query([first, last])?;
            let mut before = None;
            while let Some(row) = rows.next()? {
                let nth = row.get::<_, i64>(0)?.checked_sub(first);
                let own = nth.and_then(|nth| run.get(usize::try_from(nth).ok()?));
                let &(_, place) =
                    own.ok_or_else(|| self.found.corrupt("sample", "not in order"))?;
                if before != Some(place) {
                    // As much again as is used would be kept for figures that do not come.
                    if let Some(full) = before.replace(place) {
                        self.list[full].shrink();
                    }
                }
                fill(&mut self.list[place], row)?;
            }
        }
        Ok(())
    }
}

/// Adds the metric in the columns 1 and 2 of `row`.
fn add_metric(
    found: &Found,
    kinds: &HashMap<i64, MetricSlot>,
    sample: &mut Sample,
    row: &Row<'_>,
) -> Result<(), StoreError> {
    let kind = kinds.get(&row.get(1)?).ok_or_else(|| found.corrupt("metric", "no kind"))?;
    sample.push_in(kind, row.get(2)?);
    Ok(())
}

/// Adds the histogram in the columns 1 to 3 of `row`.
fn add_histogram(found: &Found, sample: &mut Sample, row: &Row<'_>) -> Result<(), StoreError> {
    let bytes = row.get_ref(3)?.as_blob().unwrap_or_default();
    sample.figures.histograms.push(Histogram {
        op: row.get(1)?,
        latency: found.word(row, 2, "kind of latency")?,
        bins: bins::decode(bytes).map_err(|why| found.corrupt("histogram", why))?,
    });
    Ok(())
}

/// Adds the series in column 1 of `row`.
fn add_series(found: &Found, sample: &mut Sample, row: &Row<'_>) -> Result<(), StoreError> {
    let bytes = row.get_ref(1)?.as_blob().unwrap_or_default();
    let read = series::decode(bytes).map_err(|why| found.corrupt("series", why))?;
    sample.figures.series = Some(Box::new(read));
    Ok(())
}

fn read_kinds(db: &Connection, found: &Found) -> Result<HashMap<i64, MetricSlot>, StoreError> {
    let mut statement = db.prepare_cached("SELECT number, name, unit, better FROM metric_kind")?;
    let mut rows = statement.query([])?;
    let mut kinds = HashMap::new();
    while let Some(row) = rows.next()? {
        let better = found.word(row, 3, "better")?;
        let kind = MetricKind { name: row.get(1)?, unit: row.get(2)?, better };
        kinds.insert(row.get(0)?, kind.into());
    }
    Ok(kinds)
}

//! Reading: which campaigns there are, how far each is, and a campaign as a dataset.

use crate::{Store, StoreError, bins, series};
use model::{
    Campaign, Case, Dataset, Histogram, Metric, Sample, TargetRecord, TargetState, TestInfo,
};
use rusqlite::{Connection, OptionalExtension, Row, params, types::ValueRef};
use serde::de::DeserializeOwned;
use std::{collections::HashMap, fmt::Display, str::FromStr};

/// A campaign in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CampaignSummary {
    /// Its id.
    pub id: String,
    /// When it was created, RFC 3339.
    pub created: String,
    /// One line.
    pub title: String,
    /// Where it came from.
    pub origin: model::Origin,
    /// How far it is.
    pub state: model::CampaignState,
    /// Number of targets.
    pub targets: u32,
    /// Number of finished blocks.
    pub blocks: u32,
    /// Number of samples in the last attempts of its blocks.
    pub samples: u32,
}

/// A campaign that exists: its row number and full id.
pub(crate) struct Found {
    pub(crate) number: i64,
    pub(crate) id: String,
}

impl Found {
    /// The campaign with exactly this id.
    pub(crate) fn exact(db: &Connection, id: &str) -> Result<Option<Found>, StoreError> {
        Ok(db
            .prepare_cached("SELECT number, id FROM campaign WHERE id = ?")?
            .query_row([id], Found::from_row)
            .optional()?)
    }

    /// The campaign meant by a full id, a unique prefix or `last`.
    pub(crate) fn resolve(db: &Connection, id: &str) -> Result<Found, StoreError> {
        if let Some(found) = Found::exact(db, id)? {
            return Ok(found);
        }
        let mut found = if id == "last" {
            Found::query(db, "SELECT number, id FROM campaign ORDER BY number DESC LIMIT 1", &[])?
        } else {
            // Not LIKE: `_` and `%` are no wildcards in an id.
            let sql = "SELECT number, id FROM campaign WHERE substr(id, 1, length(?1)) = ?1
                       AND ?1 <> '' ORDER BY number LIMIT 4";
            Found::query(db, sql, &[&id])?
        };
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one),
            (Some(one), false) => {
                found.push(one);
                let ids = found.into_iter().map(|f| f.id).collect::<Vec<_>>().join(", ");
                Err(StoreError::Ambiguous { prefix: id.into(), ids })
            }
            (None, _) => Err(StoreError::NotFound(id.into())),
        }
    }

    fn query(
        db: &Connection,
        sql: &str,
        arguments: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Found>, StoreError> {
        let mut statement = db.prepare_cached(sql)?;
        let rows = statement.query_map(arguments, Found::from_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Found> {
        Ok(Found { number: row.get(0)?, id: row.get(1)? })
    }

    fn corrupt(&self, what: &'static str, why: impl Display) -> StoreError {
        StoreError::Corrupt { campaign: self.id.clone(), what, why: why.to_string() }
    }

    /// The word in column `index`, without a copy.
    fn word<T: FromStr<Err: Display>>(
        &self,
        row: &Row<'_>,
        index: usize,
        what: &'static str,
    ) -> Result<T, StoreError> {
        let text = match row.get_ref(index)? {
            ValueRef::Text(bytes) => std::str::from_utf8(bytes).unwrap_or_default(),
            _ => "",
        };
        text.parse().map_err(|why| self.corrupt(what, why))
    }

    /// The JSON in column `index`.
    fn json<T: DeserializeOwned>(
        &self,
        row: &Row<'_>,
        index: usize,
        what: &'static str,
    ) -> Result<T, StoreError> {
        serde_json::from_str(&row.get::<_, String>(index)?).map_err(|why| self.corrupt(what, why))
    }
}

impl Store {
    /// Every campaign, in the order in which they were stored.
    pub fn list(&self) -> Result<Vec<CampaignSummary>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT number, id, created, title, origin, state,
             (SELECT count(*) FROM target WHERE campaign = number),
             (SELECT count(*) FROM last_attempt WHERE campaign = number AND state = 'done'),
             (SELECT count(*) FROM last_attempt l JOIN sample s USING (campaign, block, attempt)
              WHERE l.campaign = campaign.number)
             FROM campaign ORDER BY number",
        )?;
        let mut rows = statement.query([])?;
        let mut list = Vec::new();
        while let Some(row) = rows.next()? {
            let found = Found::from_row(row)?;
            list.push(CampaignSummary {
                created: row.get(2)?,
                title: row.get(3)?,
                origin: found.word(row, 4, "origin")?,
                state: found.word(row, 5, "state")?,
                targets: row.get(6)?,
                blocks: row.get(7)?,
                samples: row.get(8)?,
                id: found.id,
            });
        }
        Ok(list)
    }

    /// The full id of the campaign that `id` means.
    pub fn resolve(&self, id: &str) -> Result<String, StoreError> {
        Ok(Found::resolve(&self.db, id)?.id)
    }

    /// Blocks whose last attempt is complete, ascending.
    pub fn finished_blocks(&self, id: &str) -> Result<Vec<u32>, StoreError> {
        self.blocks(id, "done")
    }

    /// The first block whose last attempt was interrupted.
    pub fn unfinished_block(&self, id: &str) -> Result<Option<u32>, StoreError> {
        Ok(self.blocks(id, "open")?.first().copied())
    }

    fn blocks(&self, id: &str, state: &str) -> Result<Vec<u32>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached(
            "SELECT block FROM last_attempt WHERE campaign = ? AND state = ? ORDER BY block",
        )?;
        let rows = statement.query_map(params![campaign.number, state], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How long each finished block took, seconds, ascending by block. Blocks that were imported, or
    /// measured by a version that did not record it, do not say.
    pub fn block_seconds(&self, id: &str) -> Result<Vec<f64>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached(
            "SELECT seconds FROM block NATURAL JOIN last_attempt
             WHERE campaign = ? AND state = 'done' AND seconds IS NOT NULL ORDER BY block",
        )?;
        let rows = statement.query_map([campaign.number], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A campaign with the samples of the last attempt at each block.
    pub fn dataset(&self, id: &str) -> Result<Dataset, StoreError> {
        // One transaction, so that a campaign that is being written is seen at one moment.
        let tx = self.db.unchecked_transaction()?;
        read_dataset(&tx, &Found::resolve(&tx, id)?)
    }
}

/// Everything of one campaign.
pub(crate) fn read_dataset(db: &Connection, found: &Found) -> Result<Dataset, StoreError> {
    Ok(Dataset {
        campaign: read_campaign(db, found)?,
        targets: read_targets(db, found)?,
        tests: read_tests(db, found)?,
        samples: read_samples(db, found)?,
    })
}

fn read_campaign(db: &Connection, found: &Found) -> Result<Campaign, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT created, title, origin, state, assay_version, plan, scale, seed, environment, notes
         FROM campaign WHERE number = ?",
    )?;
    let mut rows = statement.query([found.number])?;
    let row = rows.next()?.ok_or_else(|| StoreError::NotFound(found.id.clone()))?;
    Ok(Campaign {
        id: found.id.clone(),
        created: row.get(0)?,
        title: row.get(1)?,
        origin: found.word(row, 2, "origin")?,
        state: found.word(row, 3, "state")?,
        assay_version: row.get(4)?,
        plan: found.json(row, 5, "plan")?,
        scale: row.get(6)?,
        seed: row.get::<_, i64>(7)? as u64,
        environment: found.json(row, 8, "environment")?,
        notes: found.json(row, 9, "notes")?,
    })
}

fn read_targets(db: &Connection, found: &Found) -> Result<Vec<TargetRecord>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT label, target, lab, failure, facts FROM target WHERE campaign = ? ORDER BY position",
    )?;
    let mut rows = statement.query([found.number])?;
    let mut targets = Vec::new();
    while let Some(row) = rows.next()? {
        targets.push(TargetRecord {
            label: row.get(0)?,
            target: row.get(1)?,
            lab: found.word(row, 2, "lab")?,
            state: row.get::<_, Option<_>>(3)?.map_or(TargetState::Ok, TargetState::Failed),
            facts: found.json(row, 4, "facts")?,
        });
    }
    Ok(targets)
}

fn read_tests(db: &Connection, found: &Found) -> Result<Vec<TestInfo>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT id, suite, name, testtype, \"group\", metric, unit, better FROM test
         WHERE campaign = ? ORDER BY position",
    )?;
    let mut rows = statement.query([found.number])?;
    let mut tests = Vec::new();
    while let Some(row) = rows.next()? {
        tests.push(TestInfo {
            id: row.get(0)?,
            suite: row.get(1)?,
            name: row.get(2)?,
            testtype: row.get(3)?,
            group: found.word(row, 4, "group")?,
            metric: row.get(5)?,
            unit: row.get(6)?,
            better: found.word(row, 7, "better")?,
        });
    }
    Ok(tests)
}

fn read_samples(db: &Connection, found: &Found) -> Result<Vec<Sample>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT s.number, s.block, s.position, s.target, s.suite, s.test, s.procs, s.threads,
         s.cache, s.bytes, s.ops, s.seconds, s.skew_ms, s.overlap, s.device_read_bytes,
         s.device_write_bytes, s.cpu_user_s, s.cpu_sys_s, s.limiter, s.validity, s.lab
         FROM last_attempt l JOIN sample s USING (campaign, block, attempt)
         WHERE l.campaign = ? ORDER BY s.block, s.position, s.number",
    )?;
    let mut rows = statement.query([found.number])?;
    let (mut samples, mut index) = (Vec::new(), HashMap::new());
    while let Some(row) = rows.next()? {
        index.insert(row.get::<_, i64>(0)?, samples.len());
        samples.push(read_sample(found, row)?);
    }
    read_metrics(db, found, &index, &mut samples)?;
    read_histograms(db, found, &index, &mut samples)?;
    read_series(db, found, &index, &mut samples)?;
    Ok(samples)
}

fn read_sample(found: &Found, row: &Row<'_>) -> Result<Sample, StoreError> {
    Ok(Sample {
        block: row.get(1)?,
        position: row.get(2)?,
        case: Case {
            target: row.get(3)?,
            suite: row.get(4)?,
            test: row.get(5)?,
            procs: row.get(6)?,
            threads: row.get(7)?,
            cache: found.word(row, 8, "cache state")?,
        },
        lab: found.word(row, 20, "lab")?,
        metrics: Vec::new(),
        bytes: row.get::<_, i64>(9)? as u64,
        ops: row.get::<_, i64>(10)? as u64,
        seconds: row.get(11)?,
        skew_ms: row.get(12)?,
        overlap: row.get(13)?,
        device_read_bytes: row.get::<_, Option<i64>>(14)?.map(|bytes| bytes as u64),
        device_write_bytes: row.get::<_, Option<i64>>(15)?.map(|bytes| bytes as u64),
        cpu_user_s: row.get(16)?,
        cpu_sys_s: row.get(17)?,
        limiter: found.word(row, 18, "limiter")?,
        validity: found.word(row, 19, "validity")?,
        histograms: Vec::new(),
        series: None,
    })
}

/// Fills in the metrics of `samples`, whose places by sample number are in `index`.
fn read_metrics(
    db: &Connection,
    found: &Found,
    index: &HashMap<i64, usize>,
    samples: &mut [Sample],
) -> Result<(), StoreError> {
    let kinds = read_kinds(db, found)?;
    let mut statement = db.prepare_cached(
        "SELECT m.sample, m.kind, m.value FROM sample s JOIN metric m ON m.sample = s.number
         WHERE s.campaign = ? ORDER BY m.sample, m.position",
    )?;
    let mut rows = statement.query([found.number])?;
    while let Some(row) = rows.next()? {
        // A sample of an earlier attempt has no place.
        let Some(&place) = index.get(&row.get::<_, i64>(0)?) else { continue };
        let kind = kinds.get(&row.get(1)?).ok_or_else(|| found.corrupt("metric", "no kind"))?;
        samples[place].metrics.push(Metric { value: row.get(2)?, ..kind.clone() });
    }
    Ok(())
}

/// Fills in the histograms of `samples`, as [`read_metrics`] does.
fn read_histograms(
    db: &Connection,
    found: &Found,
    index: &HashMap<i64, usize>,
    samples: &mut [Sample],
) -> Result<(), StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT h.sample, h.op, h.latency, h.bins FROM sample s JOIN histogram h ON h.sample = s.number
         WHERE s.campaign = ? ORDER BY h.sample, h.position",
    )?;
    let mut rows = statement.query([found.number])?;
    while let Some(row) = rows.next()? {
        let Some(&place) = index.get(&row.get::<_, i64>(0)?) else { continue };
        let bytes = row.get_ref(3)?.as_blob().unwrap_or_default();
        samples[place].histograms.push(Histogram {
            op: row.get(1)?,
            latency: found.word(row, 2, "kind of latency")?,
            bins: bins::decode(bytes).map_err(|why| found.corrupt("histogram", why))?,
        });
    }
    Ok(())
}

/// Fills in the series of `samples`, as [`read_metrics`] does.
fn read_series(
    db: &Connection,
    found: &Found,
    index: &HashMap<i64, usize>,
    samples: &mut [Sample],
) -> Result<(), StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT t.sample, t.bytes FROM sample s JOIN series t ON t.sample = s.number
         WHERE s.campaign = ?",
    )?;
    let mut rows = statement.query([found.number])?;
    while let Some(row) = rows.next()? {
        let Some(&place) = index.get(&row.get::<_, i64>(0)?) else { continue };
        let bytes = row.get_ref(1)?.as_blob().unwrap_or_default();
        let read = series::decode(bytes).map_err(|why| found.corrupt("series", why))?;
        samples[place].series = Some(read);
    }
    Ok(())
}

fn read_kinds(db: &Connection, found: &Found) -> Result<HashMap<i64, Metric>, StoreError> {
    let mut statement = db.prepare_cached("SELECT number, name, unit, better FROM metric_kind")?;
    let mut rows = statement.query([])?;
    let mut kinds = HashMap::new();
    while let Some(row) = rows.next()? {
        let better = found.word(row, 3, "better")?;
        let kind = Metric { name: row.get(1)?, value: 0.0, unit: row.get(2)?, better };
        kinds.insert(row.get(0)?, kind);
    }
    Ok(kinds)
}

//! Reads the list of campaigns, the progress of each, and a campaign as a dataset.

use crate::{Store, StoreError, found::Found, samples::read_samples};
use model::{
    plan::Plan,
    result::{Campaign, Dataset, Head, TargetRecord, TargetState},
    workload::{Asset, GridCell, Shape, TestInfo},
};
use rusqlite::{Connection, Row};
use serde::Serialize;
use std::collections::BTreeMap;

/// A campaign in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CampaignSummary {
    /// Its id.
    pub id: String,
    /// What it was called, if anything.
    pub name: Option<String>,
    /// What else it is to be found by.
    pub tags: BTreeMap<String, String>,
    /// When it was created, RFC 3339.
    pub created: String,
    /// One line.
    pub title: String,
    /// Where it came from.
    pub origin: model::result::Origin,
    /// How far it is.
    pub state: model::result::CampaignState,
    /// Number of targets.
    pub targets: u32,
    /// Number of blocks that were run to their end.
    pub blocks: u32,
    /// Number of samples that count: of the last attempts of its blocks, and there of the last tries.
    pub samples: u32,
}

impl Store {
    /// Every campaign, in the order in which they were stored. One that cannot be read does not hide the
    /// others.
    pub fn list(&self) -> Result<Vec<Result<CampaignSummary, StoreError>>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT number, id, created, title, origin, state,
             (SELECT count(*) FROM target WHERE campaign = number),
             (SELECT count(*) FROM last_attempt WHERE campaign = number AND state = 'done'),
             (SELECT coalesce(sum(samples), 0) FROM
               (SELECT max(try), samples FROM
                 (SELECT block, target, try, count(*) AS samples
                  FROM last_attempt JOIN sample USING (campaign, block, attempt)
                  WHERE campaign = campaign.number GROUP BY block, target, try)
                GROUP BY block, target)),
             CASE WHEN json_valid(plan) THEN plan ->> 'name' END,
             CASE WHEN json_valid(plan) THEN plan -> 'tags' END
             FROM campaign ORDER BY number",
        )?;
        let mut rows = statement.query([])?;
        let mut list = Vec::new();
        while let Some(row) = rows.next()? {
            list.push(read_summary(row));
        }
        Ok(list)
    }

    /// The assets of all campaigns, one after the other.
    ///
    /// # Errors
    /// The plan of a campaign cannot be read, so that what it needs is not known.
    pub fn assets(&self) -> Result<Vec<Asset>, StoreError> {
        let mut statement = self.db.prepare_cached("SELECT number, id, plan FROM campaign")?;
        let mut rows = statement.query([])?;
        let mut assets = Vec::new();
        while let Some(row) = rows.next()? {
            let found = Found { number: row.get(0)?, id: row.get(1)? };
            let plan: Plan = found.json(row, 2, "plan")?;
            assets.extend(plan.assets);
        }
        Ok(assets)
    }

    /// The mark that [`Store::set_mark`] kept of a campaign.
    pub fn mark(&self, id: &str) -> Result<Option<String>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached("SELECT mark FROM campaign WHERE number = ?")?;
        Ok(statement.query_row([campaign.number], |row| row.get(0))?)
    }

    /// The full id of the campaign that `id` means.
    pub fn resolve(&self, id: &str) -> Result<String, StoreError> {
        Ok(Found::resolve(&self.db, id)?.id)
    }

    /// Blocks whose last attempt was run to its end, ascending. Where a target failed in one,
    /// [`Store::unfinished`] has it.
    pub fn finished_blocks(&self, id: &str) -> Result<Vec<u32>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached(
            "SELECT block FROM last_attempt WHERE campaign = ? AND state = 'done' ORDER BY block",
        )?;
        let rows = statement.query_map([campaign.number], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How long each finished block took, seconds, ascending by block. Blocks that were imported do not say.
    pub fn block_seconds(&self, id: &str) -> Result<Vec<f64>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached(
            "SELECT seconds FROM block NATURAL JOIN last_attempt
             WHERE campaign = ? AND state = 'done' AND seconds IS NOT NULL ORDER BY block",
        )?;
        let rows = statement.query_map([campaign.number], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The number of each finished block and how long it took, with what was tried again in it after it, seconds;
    /// ascending. Blocks that do not say are left out.
    pub fn block_times(&self, id: &str) -> Result<Vec<(u32, f64)>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached(
            "SELECT block, seconds + (SELECT total(turn.seconds) FROM turn
                 WHERE turn.campaign = block.campaign AND turn.block = block.block
                 AND turn.attempt = block.attempt AND try > 1)
             FROM block NATURAL JOIN last_attempt
             WHERE campaign = ? AND state = 'done' AND seconds IS NOT NULL ORDER BY block",
        )?;
        let rows = statement.query_map([campaign.number], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A campaign with the samples of the last attempt at each block, and there of the last try of each
    /// target that gave any.
    pub fn dataset(&self, id: &str) -> Result<Dataset, StoreError> {
        // One transaction, so that a campaign that is being written is seen at one moment.
        let tx = self.db.unchecked_transaction()?;
        read_dataset(&tx, &Found::resolve(&tx, id)?)
    }
}

fn read_summary(row: &Row<'_>) -> Result<CampaignSummary, StoreError> {
    let number: i64 = row.get(0)?;
    let nameless = Found { number, id: format!("number {number}") };
    let id = row.get(1).map_err(|why| nameless.corrupt("id", why))?;
    let found = Found { number, id };
    let text = |index, what| row.get(index).map_err(|why| found.corrupt(what, why));
    let tags: Option<String> = row.get(10)?;
    Ok(CampaignSummary {
        name: row.get(9)?,
        tags: tags.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default(),
        created: text(2, "time")?,
        title: text(3, "title")?,
        origin: found.word(row, 4, "origin")?,
        state: found.word(row, 5, "state")?,
        targets: row.get(6)?,
        blocks: row.get(7)?,
        samples: row.get(8)?,
        id: found.id,
    })
}

/// Everything of one campaign, fit to be shown: the store may have been made elsewhere.
fn read_dataset(db: &Connection, found: &Found) -> Result<Dataset, StoreError> {
    Ok(read_head(db, found)?.with(read_samples(db, found)?).printable())
}

/// Everything of one campaign but its samples, as it is stored.
pub(crate) fn read_head(db: &Connection, found: &Found) -> Result<Head, StoreError> {
    Ok(Head {
        campaign: read_campaign(db, found)?,
        targets: read_targets(db, found)?,
        tests: read_tests(db, found)?,
    })
}

fn read_campaign(db: &Connection, found: &Found) -> Result<Campaign, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT created, title, origin, state, assay_version, plan, scale, seed, environment, notes
         FROM campaign WHERE number = ?",
    )?;
    let mut rows = statement.query([found.number])?;
    let row = rows.next()?.ok_or_else(|| StoreError::NotFound(format!("`{}`", found.id)))?;
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
        "SELECT id, suite, name, testtype, \"group\", metric, unit, better, only_writes, grid, grid_block_bytes,
             grid_threads FROM test
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
            shape: read_shape(row)?,
        });
    }
    Ok(tests)
}

/// What a test is, where that was kept, from its columns 8 to 11.
fn read_shape(row: &Row<'_>) -> Result<Option<Shape>, StoreError> {
    let Some(only_writes) = row.get(8)? else { return Ok(None) };
    let place = (
        row.get::<_, Option<String>>(9)?,
        row.get::<_, Option<i64>>(10)?,
        row.get::<_, Option<u32>>(11)?,
    );
    let cell = match place {
        (Some(grid), Some(bytes), Some(threads)) => {
            Some(GridCell { grid, block_bytes: bytes.max(0) as u64, threads })
        }
        _ => None,
    };
    Ok(Some(Shape { only_writes, cell }))
}

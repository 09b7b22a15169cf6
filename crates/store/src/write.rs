//! Writes to the store: creates a campaign, starts and finishes its blocks, appends samples.

use crate::{Store, StoreError, bins, found::Found, schema, series, turns::insert_turn};
use model::{
    figure::{Histogram, Metric, Series},
    result::{Campaign, CampaignState, Head, Note, Sample, TargetRecord, TargetState},
    workload::TestInfo,
};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};
use serde::Serialize;
use std::time::Instant;

impl Store {
    /// Stores a new campaign with its targets and tests.
    pub fn create_campaign(
        &mut self,
        campaign: &Campaign,
        targets: &[TargetRecord],
        tests: &[TestInfo],
    ) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let (campaign, targets, tests) = (campaign.clone(), targets.to_vec(), tests.to_vec());
        insert_campaign(&tx, None, &Head { campaign, targets, tests })?;
        Ok(tx.commit()?)
    }

    /// Starts a block, or starts it again after an interruption, with the target labels in the order
    /// in which they will run; the first try of each is open. Returns the number of the attempt, from 1,
    /// that its samples carry.
    pub fn start_block(
        &mut self,
        id: &str,
        block: u32,
        order: &[String],
    ) -> Result<u32, StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        let attempt = 1 + tx.query_row(
            "SELECT coalesce(max(attempt), 0) FROM block WHERE campaign = ? AND block = ?",
            params![campaign.number, block],
            |row| row.get::<_, u32>(0),
        )?;
        insert_block(&tx, campaign.number, block, attempt, "open", order)?;
        for label in order {
            insert_turn(&tx, &campaign, (block, attempt), label, 1)?;
        }
        tx.commit()?;
        Ok(attempt)
    }

    /// Stores one sample of try number `nth` of its target in a started block. The death of this process
    /// cannot take it away any more; a power failure can until the block is finished, which is run again
    /// as a whole then.
    pub fn append(
        &mut self,
        id: &str,
        (attempt, nth): (u32, u32),
        sample: &Sample,
    ) -> Result<(), StoreError> {
        schema::flush(&self.db, false)?;
        let appended = self.insert(id, (attempt, nth), sample);
        // The next commit of anything else flushes what was appended, too.
        schema::flush(&self.db, true)?;
        appended
    }

    fn insert(
        &mut self,
        id: &str,
        (attempt, nth): (u32, u32),
        sample: &Sample,
    ) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        insert_sample(&tx, &campaign, (attempt, nth), sample)?;
        Ok(tx.commit()?)
    }

    /// Marks an attempt at a block as run to its end after `seconds`. A target may have failed in it.
    pub fn finish_block(
        &mut self,
        id: &str,
        block: u32,
        attempt: u32,
        seconds: f64,
    ) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        let changed = tx.execute(
            "UPDATE block SET state = 'done', seconds = ?
             WHERE campaign = ? AND block = ? AND attempt = ?",
            params![seconds, campaign.number, block, attempt],
        )?;
        if changed == 0 {
            return Err(StoreError::NotFound(format!("`{id}`, block {block}, attempt {attempt}")));
        }
        Ok(tx.commit()?)
    }

    /// Records how far a campaign is.
    pub fn set_campaign_state(&mut self, id: &str, state: CampaignState) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        tx.execute(
            "UPDATE campaign SET state = ? WHERE number = ?",
            params![state.as_str(), campaign.number],
        )?;
        Ok(tx.commit()?)
    }

    /// Removes the campaign and all that belongs to it, and gives its id. All of it or nothing.
    ///
    /// # Errors
    /// No campaign is called so, or the store cannot be written.
    pub fn remove(&mut self, id: &str) -> Result<String, StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        for table in ["metric", "histogram", "series"] {
            let of = "SELECT number FROM sample WHERE campaign = ?";
            tx.execute(&format!("DELETE FROM {table} WHERE sample IN ({of})"), [campaign.number])?;
        }
        // What refers to others comes before them.
        for table in ["recording", "sample", "turn", "block", "test", "target"] {
            tx.execute(&format!("DELETE FROM {table} WHERE campaign = ?"), [campaign.number])?;
        }
        tx.execute("DELETE FROM campaign WHERE number = ?", [campaign.number])?;
        tx.commit()?;
        Ok(campaign.id)
    }

    /// Keeps the mark by which the program will know that it began the campaign itself.
    pub fn set_mark(&mut self, id: &str, mark: &str) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        tx.execute(
            "UPDATE campaign SET mark = ? WHERE number = ?",
            params![mark, campaign.number],
        )?;
        Ok(tx.commit()?)
    }

    /// Opens the stored campaign for the plan and the scale of `campaign`, with the mark that vouches for them;
    /// `note` is added to its notes, where there is one. All of it or nothing.
    pub fn replan(
        &mut self,
        campaign: &Campaign,
        mark: &str,
        note: Option<&Note>,
    ) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let number = Found::resolve(&tx, &campaign.id)?.number;
        let (plan, open) = (json("plan", &campaign.plan)?, CampaignState::Open.as_str());
        let note = note.map(|note| json("note", note)).transpose()?;
        tx.execute(
            "UPDATE campaign SET plan = ?1, scale = ?2, mark = ?3, state = ?4,
             notes = iif(?5 IS NULL, notes, json_insert(notes, '$[#]', json(?5))) WHERE number = ?6",
            params![plan, campaign.scale, mark, open, note, number],
        )?;
        Ok(tx.commit()?)
    }

    /// Adds a note to those that belong under every table of a campaign.
    pub fn add_note(&mut self, id: &str, note: &Note) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        tx.execute(
            "UPDATE campaign SET notes = json_insert(notes, '$[#]', json(?)) WHERE number = ?",
            params![json("note", note)?, campaign.number],
        )?;
        Ok(tx.commit()?)
    }

    /// Replaces what is known of the target with the same label.
    pub fn set_target(&mut self, id: &str, target: &TargetRecord) -> Result<(), StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        let changed = tx.execute(
            "UPDATE target SET target = ?, lab = ?, failure = ?, facts = ?
             WHERE campaign = ? AND label = ?",
            params![
                target.target,
                target.lab.as_str(),
                failure(target),
                json("facts", &target.facts)?,
                campaign.number,
                target.label
            ],
        )?;
        if changed == 0 {
            return Err(StoreError::NotFound(format!("`{id}`, target {}", target.label)));
        }
        Ok(tx.commit()?)
    }

    /// A write transaction that takes its lock at once, so that it waits instead of failing later.
    pub(crate) fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        let start = Instant::now();
        let longest = self.patience.longest;
        loop {
            match Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate) {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                    if self.patience.is_stopped() || start.elapsed() >= longest {
                        return Err(StoreError::Locked { seconds: start.elapsed().as_secs() });
                    }
                }
                begun => return Ok(begun?),
            }
        }
    }
}

fn json<T: Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|source| StoreError::Encode { what, source })
}

fn failure(target: &TargetRecord) -> Option<&str> {
    match &target.state {
        TargetState::Ok => None,
        TargetState::Failed(why) => Some(why),
    }
}

/// Inserts the campaign row and its lists, under `number` or the next one.
pub(crate) fn insert_campaign(
    db: &Connection,
    number: Option<i64>,
    head: &Head,
) -> Result<(), StoreError> {
    let Head { campaign: c, targets, tests } = head;
    if c.id.is_empty() || c.id == "last" || Found::exact(db, &c.id)?.is_some() {
        return Err(StoreError::Id(c.id.clone()));
    }
    db.execute(
        "INSERT INTO campaign (number, id, created, title, origin, state, assay_version, plan, scale, seed,
         environment, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            number,
            c.id,
            c.created,
            c.title,
            c.origin.as_str(),
            c.state.as_str(),
            c.assay_version,
            json("plan", &c.plan)?,
            c.scale,
            c.seed as i64,
            json("environment", &c.environment)?,
            json("notes", &c.notes)?
        ],
    )
    .map_err(StoreError::refused(&c.id, || "its own header".into()))?;
    let number = db.last_insert_rowid();
    for (position, target) in targets.iter().enumerate() {
        insert_target(db, number, position, target)
            .map_err(|e| name(e, &c.id, || format!("target {}", target.label)))?;
    }
    for (position, test) in tests.iter().enumerate() {
        insert_test(db, number, position, test)
            .map_err(StoreError::refused(&c.id, || format!("test {}", test.id)))?;
    }
    Ok(())
}

fn name(error: StoreError, campaign: &str, what: impl FnOnce() -> String) -> StoreError {
    match error {
        StoreError::Sql(source) => StoreError::refused(campaign, what)(source),
        other => other,
    }
}

fn insert_target(
    db: &Connection,
    campaign: i64,
    position: usize,
    t: &TargetRecord,
) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT INTO target (campaign, position, label, target, lab, failure, facts)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        campaign,
        position as i64,
        t.label,
        t.target,
        t.lab.as_str(),
        failure(t),
        json("facts", &t.facts)?
    ])?;
    Ok(())
}

fn insert_test(
    db: &Connection,
    campaign: i64,
    position: usize,
    t: &TestInfo,
) -> rusqlite::Result<()> {
    let cell = t.shape.as_ref().and_then(|shape| shape.cell.as_ref());
    db.prepare_cached(
        "INSERT INTO test (campaign, position, id, suite, name, testtype, \"group\", metric, unit,
         better, only_writes, grid, grid_block_bytes, grid_threads)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        campaign,
        position as i64,
        t.id,
        t.suite,
        t.name,
        t.testtype,
        t.group.as_str(),
        t.metric,
        t.unit,
        t.better.as_str(),
        t.shape.as_ref().map(|shape| shape.only_writes),
        cell.map(|cell| &cell.grid),
        cell.map(|cell| cell.block_bytes as i64),
        cell.map(|cell| cell.threads)
    ])?;
    Ok(())
}

/// Inserts one attempt at a block.
pub(crate) fn insert_block(
    db: &Connection,
    campaign: i64,
    block: u32,
    attempt: u32,
    state: &str,
    order: &[String],
) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT INTO block (campaign, block, attempt, state, \"order\") VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![campaign, block, attempt, state, json("order", &order)?])?;
    Ok(())
}

/// Inserts a sample, its metrics, its histograms and its series.
pub(crate) fn insert_sample(
    db: &Connection,
    campaign: &Found,
    (attempt, nth): (u32, u32),
    sample: &Sample,
) -> Result<(), StoreError> {
    insert_sample_row(db, campaign.number, (attempt, nth), sample)
        .and_then(|number| {
            insert_metrics(db, number, &sample.all_metrics())?;
            insert_histograms(db, number, &sample.figures.histograms)?;
            insert_series(db, number, sample.figures.series.as_deref())
        })
        .map_err(StoreError::refused(&campaign.id, || {
            let Sample { block, case, .. } = sample;
            format!(
                "the sample of {} on {}, block {block}, attempt {attempt}",
                case.test, case.target
            )
        }))
}

/// Inserts the row of a sample; returns its number.
fn insert_sample_row(
    db: &Connection,
    campaign: i64,
    (attempt, nth): (u32, u32),
    s: &Sample,
) -> rusqlite::Result<i64> {
    db.prepare_cached(
        "INSERT INTO sample (campaign, block, attempt, position, target, suite, test, procs, threads,
         cache, bytes, ops, seconds, skew_ms, overlap, device_read_bytes, device_write_bytes,
         cpu_user_s, cpu_sys_s, limiter, validity, lab, try, durability,
         after_fault)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        campaign,
        s.block,
        attempt,
        s.position,
        s.case.target,
        s.case.suite,
        s.case.test,
        s.case.procs,
        s.case.threads,
        s.case.cache.as_str(),
        s.figures.bytes as i64,
        s.figures.ops as i64,
        s.figures.seconds,
        s.covariates.skew_ms,
        s.covariates.overlap,
        s.covariates.device_read_bytes.map(|bytes| bytes as i64),
        s.covariates.device_write_bytes.map(|bytes| bytes as i64),
        s.covariates.cpu_user_s,
        s.covariates.cpu_sys_s,
        s.evidence.limiter.as_str(),
        s.evidence.validity.to_string(),
        s.lab.as_str(),
        nth,
        s.evidence.durability.as_ref().map(ToString::to_string),
        s.evidence.after_fault.as_ref().map(ToString::to_string)
    ])?;
    Ok(db.last_insert_rowid())
}

fn insert_metrics(db: &Connection, sample: i64, metrics: &[Metric]) -> rusqlite::Result<()> {
    let mut kind = db.prepare_cached(
        "INSERT INTO metric_kind (name, unit, better) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    )?;
    let mut value = db.prepare_cached(
        "INSERT INTO metric (sample, position, kind, value) SELECT ?, ?, number, ?
         FROM metric_kind WHERE name = ? AND unit = ? AND better = ?",
    )?;
    for (position, m) in metrics.iter().enumerate() {
        let better = m.better.as_str();
        kind.execute(params![m.name.as_str(), m.unit.as_str(), better])?;
        value.execute(params![
            sample,
            position as i64,
            m.value,
            m.name.as_str(),
            m.unit.as_str(),
            better
        ])?;
    }
    Ok(())
}

fn insert_histograms(
    db: &Connection,
    sample: i64,
    histograms: &[Histogram],
) -> rusqlite::Result<()> {
    let mut row = db.prepare_cached(
        "INSERT INTO histogram (sample, position, op, latency, bins) VALUES (?, ?, ?, ?, ?)",
    )?;
    for (position, h) in histograms.iter().enumerate() {
        let bytes = bins::encode(&h.bins);
        row.execute(params![sample, position as i64, h.op, h.latency.as_str(), bytes])?;
    }
    Ok(())
}

fn insert_series(db: &Connection, sample: i64, found: Option<&Series>) -> rusqlite::Result<()> {
    let Some(found) = found else { return Ok(()) };
    db.prepare_cached("INSERT INTO series (sample, bytes) VALUES (?, ?)")?
        .execute(params![sample, series::encode(found)])?;
    Ok(())
}

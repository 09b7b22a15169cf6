//! Stores the tries of each target in a block: open, done or failed; a failed try may be followed by another.

use crate::{Store, StoreError, found::Found};
use model::result::{Fault, FaultKind};
use rusqlite::{Connection, params};

/// One try of a target in an attempt at a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Try<'a> {
    /// Block number.
    pub block: u32,
    /// Number of the attempt at it.
    pub attempt: u32,
    /// Label of the target.
    pub target: &'a str,
    /// Its number, from 1.
    pub nth: u32,
}

/// A target that did not do what it should in a block that was run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Block number.
    pub block: u32,
    /// Number of the attempt at it.
    pub attempt: u32,
    /// Label of the target.
    pub target: String,
    /// How often it was tried.
    pub tries: u32,
    /// Why the last try failed; `None` when it was cut off, or left out.
    pub fault: Option<Fault>,
}

impl Store {
    /// Opens a further try.
    pub fn start_try(&mut self, id: &str, of: Try<'_>) -> Result<(), StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        insert_turn(&self.db, &campaign, (of.block, of.attempt), of.target, of.nth)
    }

    /// Stores how a try ended after `seconds`: well, or by a fault.
    pub fn finish_try(
        &mut self,
        id: &str,
        of: Try<'_>,
        fault: Option<&Fault>,
        seconds: f64,
    ) -> Result<(), StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let changed = self.db.execute(
            "UPDATE turn SET state = ?, kind = ?, reason = ?, seconds = ?
             WHERE campaign = ? AND block = ? AND attempt = ? AND target = ? AND try = ?",
            params![
                if fault.is_some() { "failed" } else { "done" },
                fault.map(|fault| fault.kind.as_str()),
                fault.map(|fault| &fault.reason),
                seconds,
                campaign.number,
                of.block,
                of.attempt,
                of.target,
                of.nth
            ],
        )?;
        if changed == 0 {
            let what = format!("`{id}`, block {}, try {} of {}", of.block, of.nth, of.target);
            return Err(StoreError::NotFound(what));
        }
        Ok(())
    }

    /// The targets that have not done what they should in blocks that were run to their end, by block. A block of an
    /// import has none.
    pub fn unfinished(&self, id: &str) -> Result<Vec<Unfinished>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached(
            "SELECT block, attempt, target, try, kind, reason FROM unfinished_turn
             WHERE campaign = ? ORDER BY block, target",
        )?;
        let mut rows = statement.query([campaign.number])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let kind = match row.get_ref(4)? {
                rusqlite::types::ValueRef::Null => None,
                _ => Some(campaign.word::<FaultKind>(row, 4, "kind of failure")?),
            };
            let reason = row.get::<_, Option<String>>(5)?.unwrap_or_default();
            all.push(Unfinished {
                block: row.get(0)?,
                attempt: row.get(1)?,
                target: row.get(2)?,
                tries: row.get(3)?,
                fault: kind.map(|kind| Fault { kind, reason }),
            });
        }
        Ok(all)
    }

    /// Whether the target `label` did what it should in any block.
    pub fn has_worked(&self, id: &str, label: &str) -> Result<bool, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM turn WHERE campaign = ? AND target = ? AND state = 'done')",
        )?;
        Ok(statement.query_row(params![campaign.number, label], |row| row.get(0))?)
    }

    /// How long the campaign has been at work, seconds: its blocks that were run to their end, and what was
    /// tried again in them.
    pub fn seconds_used(&self, id: &str) -> Result<f64, StoreError> {
        let blocks: f64 = self.block_seconds(id)?.iter().sum();
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare_cached(
            "SELECT total(turn.seconds) FROM last_attempt JOIN turn USING (campaign, block, attempt)
             WHERE campaign = ? AND try > 1",
        )?;
        let again: f64 = statement.query_row([campaign.number], |row| row.get(0))?;
        Ok(blocks + again)
    }
}

/// Inserts an open try.
pub(crate) fn insert_turn(
    db: &Connection,
    campaign: &Found,
    (block, attempt): (u32, u32),
    label: &str,
    nth: u32,
) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT INTO turn (campaign, block, attempt, target, try, state)
         VALUES (?, ?, ?, ?, ?, 'open')",
    )?
    .execute(params![campaign.number, block, attempt, label, nth])
    .map_err(StoreError::refused(&campaign.id, || {
        format!("try {nth} of {label}, block {block}")
    }))?;
    Ok(())
}

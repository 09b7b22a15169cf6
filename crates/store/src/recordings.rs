//! Recordings from which states with harm can be recreated. They are stored with their campaign, and removed with it.

use crate::{Store, StoreError, found::Found};
use rusqlite::{OptionalExtension, params};

/// Most bytes of all recordings of a campaign.
const MOST_BYTES: usize = 256 << 20;

/// The case that a recording belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordingKey {
    /// Block number, from 0.
    pub block: u32,
    /// Label.
    pub target: String,
    /// Stable test id.
    pub test: String,
}

impl Store {
    /// Keeps `bytes` as the recording of `key`, in place of an earlier one; false if the campaign has no room for it.
    ///
    /// # Errors
    /// No campaign is called so, or the store cannot be written.
    pub fn keep_recording(
        &mut self,
        id: &str,
        key: &RecordingKey,
        bytes: &[u8],
    ) -> Result<bool, StoreError> {
        let tx = self.begin()?;
        let campaign = Found::resolve(&tx, id)?;
        let sum = "SELECT coalesce(sum(length(bytes)), 0) FROM recording WHERE campaign = ?";
        let kept: i64 = tx.query_row(sum, [campaign.number], |row| row.get(0))?;
        if usize::try_from(kept).unwrap_or(usize::MAX).saturating_add(bytes.len()) > MOST_BYTES {
            return Ok(false);
        }
        tx.execute(
            "INSERT OR REPLACE INTO recording (campaign, block, target, test, bytes) \
             VALUES (?, ?, ?, ?, ?)",
            params![campaign.number, key.block, key.target, key.test, bytes],
        )?;
        tx.commit()?;
        Ok(true)
    }

    /// Which recordings of the campaign are kept, in order.
    ///
    /// # Errors
    /// No campaign is called so, or the store cannot be read.
    pub fn recordings(&self, id: &str) -> Result<Vec<RecordingKey>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let mut statement = self.db.prepare(
            "SELECT block, target, test FROM recording WHERE campaign = ? ORDER BY 1, 2, 3",
        )?;
        let rows = statement.query_map([campaign.number], |row| {
            Ok(RecordingKey { block: row.get(0)?, target: row.get(1)?, test: row.get(2)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The recording of `key`; `None` if none is kept.
    ///
    /// # Errors
    /// No campaign is called so, or the store cannot be read.
    pub fn recording(&self, id: &str, key: &RecordingKey) -> Result<Option<Vec<u8>>, StoreError> {
        let campaign = Found::resolve(&self.db, id)?;
        let sql = "SELECT bytes FROM recording \
                   WHERE campaign = ? AND block = ? AND target = ? AND test = ?";
        let values = params![campaign.number, key.block, key.target, key.test];
        Ok(self.db.query_row(sql, values, |row| row.get(0)).optional()?)
    }
}

//! A campaign by its id, and what its columns hold as values.

use crate::StoreError;
use rusqlite::{Connection, OptionalExtension, Row, types::ValueRef};
use serde::de::DeserializeOwned;
use std::{fmt::Display, str::FromStr};

/// A campaign that exists: its row number and full id.
#[derive(Debug)]
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

    /// The campaign meant by a full id, a unique prefix, `last`, or `last~2` for the second before it.
    pub(crate) fn resolve(db: &Connection, id: &str) -> Result<Found, StoreError> {
        if let Some(found) = Found::exact(db, id)? {
            return Ok(found);
        }
        let mut found = if let Some(before) = before_last(id) {
            let sql = "SELECT number, id FROM campaign ORDER BY number DESC LIMIT 1 OFFSET ?";
            Found::query(db, sql, &[&before])?
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

    /// From a row that begins with number and id.
    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Found> {
        Ok(Found { number: row.get(0)?, id: row.get(1)? })
    }

    /// The error of what cannot be read in it.
    pub(crate) fn corrupt(&self, what: &'static str, why: impl Display) -> StoreError {
        StoreError::Corrupt { campaign: self.id.clone(), what, why: why.to_string() }
    }

    /// The word in column `index`, without a copy.
    pub(crate) fn word<T: FromStr<Err: Display>>(
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
    pub(crate) fn json<T: DeserializeOwned>(
        &self,
        row: &Row<'_>,
        index: usize,
        what: &'static str,
    ) -> Result<T, StoreError> {
        serde_json::from_str(&row.get::<_, String>(index)?).map_err(|why| self.corrupt(what, why))
    }
}

/// How many campaigns before the last one `id` means; `None` when it is not written so.
fn before_last(id: &str) -> Option<u32> {
    match id.strip_prefix("last")? {
        "" => Some(0),
        rest => rest.strip_prefix('~')?.parse().ok(),
    }
}

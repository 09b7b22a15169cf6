//! A campaign by its id, and what its columns hold as values.

use crate::StoreError;
use model::{target::LAST, text::did_you_mean};
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

    /// The campaign meant by a full id, `last`, a name, of which the newest campaign is meant, or a unique prefix of
    /// an id. `last~2` is the second before the last one, `nightly~1` the one before the newest of that name.
    pub(crate) fn resolve(db: &Connection, id: &str) -> Result<Found, StoreError> {
        if let Some(found) = Found::exact(db, id)? {
            return Ok(found);
        }
        let (name, before) = name_and_before(id);
        let mut found = if name == LAST {
            let sql = "SELECT number, id FROM campaign ORDER BY number DESC LIMIT 1 OFFSET ?";
            Found::query(db, sql, &[&before])?
        } else {
            let sql =
                "SELECT number, id FROM campaign WHERE json_valid(plan) AND plan ->> 'name' = ?
                       ORDER BY number DESC LIMIT 1 OFFSET ?";
            Found::query(db, sql, &[&name, &before])?
        };
        if found.is_empty() && name != LAST {
            // Not LIKE: `_` and `%` are no wildcards in an id.
            let sql = "SELECT number, id FROM campaign WHERE substr(id, 1, length(?1)) = ?1
                       AND ?1 <> '' ORDER BY number LIMIT 4";
            found = Found::query(db, sql, &[&id])?;
        }
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one),
            (Some(one), false) => {
                found.push(one);
                let ids = found.into_iter().map(|f| f.id).collect::<Vec<_>>().join(", ");
                Err(StoreError::Ambiguous { prefix: id.into(), ids })
            }
            (None, _) => Err(StoreError::NotFound(format!("`{id}`{}", meant(db, name)?))),
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

/// `nightly~2` as a name and how many campaigns before the newest that has it are skipped.
fn name_and_before(id: &str) -> (&str, u32) {
    let counted = id.rsplit_once('~').and_then(|(name, n)| Some((name, n.parse().ok()?)));
    counted.unwrap_or((id, 0))
}

/// The id or name that `name` may stand for, as a remark.
fn meant(db: &Connection, name: &str) -> Result<String, StoreError> {
    let sql = "SELECT id FROM campaign UNION
               SELECT plan ->> 'name' FROM campaign WHERE json_valid(plan) AND plan ->> 'name' IS NOT NULL";
    let mut statement = db.prepare_cached(sql)?;
    let known = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    let known = known.iter().map(String::as_str).chain([LAST]).filter(|known| *known != name);
    Ok(did_you_mean(name, known))
}

//! Guards against a hostile store file. Only its rows are used: the connection is hardened, and the file must have
//! exactly the schema of a store, without triggers or further views.

use crate::StoreError;
use rusqlite::{Connection, config::DbConfig, limits::Limit};
use std::path::Path;

/// Longest text or blob, bytes: the files of a plan and the intervals of a day stay far below it.
const LONGEST: i32 = 64 << 20;

/// Has SQLite trust nothing in the file: no function in its schema, no page that does not add up, no
/// change of the schema but by statements, no second database.
pub(crate) fn arm(db: &Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    db.set_limit(Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1)?;
    db.pragma_update(None, "cell_size_check", true)?;
    db.pragma_update(None, "mmap_size", 0)
}

/// A thing in a schema: kind, name, table, and how it was made.
type Object = (String, String, String, Option<String>);

/// Fails unless `db`, which is at `path`, has the tables that `schema` makes, and no more.
pub(crate) fn check(db: &Connection, schema: &str, path: &Path) -> Result<(), StoreError> {
    let model = Connection::open_in_memory()?;
    model.execute_batch(schema)?;
    match objects(db) {
        Ok(found) if found == objects(&model)? => Ok(()),
        _ => Err(StoreError::NotAStore {
            path: path.into(),
            why: "its tables are not those of a store",
        }),
    }
}

fn objects(db: &Connection) -> rusqlite::Result<Vec<Object>> {
    let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name";
    let mut statement = db.prepare(sql)?;
    let rows =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SCHEMA;

    fn checked(more: &str) -> Result<(), StoreError> {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(SCHEMA).unwrap();
        db.execute_batch(more).unwrap();
        check(&db, SCHEMA, Path::new("x"))
    }

    #[test]
    fn nothing_but_the_tables_is_allowed() {
        checked("").unwrap();
        for more in [
            "CREATE TRIGGER t AFTER INSERT ON sample BEGIN DELETE FROM campaign; END",
            "CREATE VIEW v AS SELECT 1",
            "CREATE TABLE other (x)",
            "CREATE INDEX i ON campaign (state)",
            "DROP VIEW last_attempt; CREATE VIEW last_attempt AS SELECT 1 AS campaign",
            "ALTER TABLE campaign ADD COLUMN more TEXT AS (id)",
            "DROP TABLE series",
        ] {
            let error = checked(more).unwrap_err();
            assert!(error.to_string().contains("not those of a store"), "{more}: {error}");
        }
    }
}

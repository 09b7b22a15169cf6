//! Opening a database file: recognise it, refuse what is not ours or newer, migrate what is older.

use crate::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::{path::Path, time::Duration};

/// "assy" in ASCII: what `file` and SQLite see in the header of a store.
const APPLICATION_ID: i64 = 0x6173_7379;

/// Step n brings schema n to n + 1. A step is never changed after a release; add one instead.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
];

/// Another process holds the write lock only for one short transaction.
const BUSY: Duration = Duration::from_secs(10);

/// Opens or creates `path` for writing.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    let mut db = Connection::open(path).map_err(failed(path))?;
    identify(&db, path)?;
    configure(&db).map_err(failed(path))?;
    migrate(&mut db, MIGRATIONS)?;
    Ok(db)
}

/// Opens `path` so that nothing can be written.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let mut db = Connection::open_with_flags(path, flags).map_err(failed(path))?;
    // On a medium that is itself read-only SQLite cannot make the shared memory of the log.
    if let Err(StoreError::Open { .. }) = identify(&db, path) {
        db = Connection::open_with_flags(immutable_uri(path), flags).map_err(failed(path))?;
    }
    db.busy_timeout(BUSY)?;
    let (found, known) = (identify(&db, path)?, MIGRATIONS.len() as i64);
    if found < known {
        return Err(StoreError::Older { path: path.into(), found, known });
    }
    Ok(db)
}

fn failed(path: &Path) -> impl FnOnce(rusqlite::Error) -> StoreError {
    move |source| match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            StoreError::NotAStore { path: path.into(), why: "it is no SQLite database" }
        }
        _ => StoreError::Open { path: path.into(), source },
    }
}

fn immutable_uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    let escaped = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

fn pragma(db: &Connection, name: &str) -> rusqlite::Result<i64> {
    db.pragma_query_value(None, name, |row| row.get(0))
}

/// The schema version, when the file is a store or empty.
fn identify(db: &Connection, path: &Path) -> Result<i64, StoreError> {
    let found = pragma(db, "user_version").map_err(failed(path))?;
    let tables: i64 = db
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed(path))?;
    let ours = pragma(db, "application_id").map_err(failed(path))? == APPLICATION_ID;
    if !ours && (tables > 0 || found > 0) {
        return Err(StoreError::NotAStore { path: path.into(), why: "another program's database" });
    }
    let known = MIGRATIONS.len() as i64;
    if found > known {
        return Err(StoreError::Newer { path: path.into(), found, known });
    }
    Ok(found)
}

/// WAL lets a report read while a campaign writes. FULL costs one flush for each sample, which is
/// nothing beside measuring it, and keeps every committed sample when the machine crashes, as file
/// systems under test make it do.
fn configure(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY)?;
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "full")?;
    db.pragma_update(None, "foreign_keys", true)
}

/// Applies the steps that are missing, all or none. The version is read under the write lock, so
/// that two processes may open a new store at once.
pub(crate) fn migrate(db: &mut Connection, steps: &[&str]) -> Result<(), StoreError> {
    if pragma(db, "user_version")? as usize >= steps.len() {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = pragma(&tx, "user_version")? as usize;
    for step in steps.iter().skip(from) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", steps.len().max(from) as i64)?;
    Ok(tx.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_older_schema_is_brought_up_and_keeps_its_rows() {
        let later = "ALTER TABLE campaign ADD COLUMN colour TEXT NOT NULL DEFAULT 'none'";
        let steps: Vec<&str> = MIGRATIONS.iter().copied().chain([later]).collect();
        for from in 0..steps.len() {
            let mut db = Connection::open_in_memory().unwrap();
            migrate(&mut db, &steps[..from]).unwrap();
            if from > 0 {
                db.execute_batch(
                    "INSERT INTO campaign VALUES (1, 'old', '', '', '', '', '', '', 0, 0, '', '')",
                )
                .unwrap();
            }
            migrate(&mut db, &steps).unwrap();
            let read = "SELECT count(*) FROM campaign WHERE colour = 'none'";
            let rows: u32 = db.query_row(read, [], |row| row.get(0)).unwrap();
            let version = pragma(&db, "user_version").unwrap() as usize;
            assert_eq!((rows, version), (from.min(1) as u32, steps.len()));
        }
    }

    #[test]
    fn what_was_stored_before_labs_were_known_is_of_the_host() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate(&mut db, &MIGRATIONS[..3]).unwrap();
        // Only two of the tables are looked at.
        db.pragma_update(None, "foreign_keys", false).unwrap();
        db.execute_batch(
            "INSERT INTO target VALUES (1, 0, 'xfs', 'xfs', NULL, '{}');
             INSERT INTO sample VALUES (1, 1, 0, 1, 0, 'xfs', 's', 't', 1, 1, 'any', 0, 0, 0, 0, 0,
                 NULL, NULL, 0, 0, 'unknown', 'valid')",
        )
        .unwrap();
        migrate(&mut db, MIGRATIONS).unwrap();
        for table in ["target", "sample"] {
            let read = format!("SELECT lab FROM {table}");
            assert_eq!(db.query_row(&read, [], |row| row.get::<_, String>(0)).unwrap(), "host");
        }
    }

    #[test]
    fn a_failing_step_changes_nothing() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate(&mut db, &["CREATE TABLE a (x)", "nonsense"]).unwrap_err();
        let tables = "SELECT count(*) FROM sqlite_schema";
        assert_eq!(db.query_row(tables, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        assert_eq!(pragma(&db, "user_version").unwrap(), 0);
    }
}

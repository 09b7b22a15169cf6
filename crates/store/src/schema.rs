//! Opens a database file: recognises it, refuses what is not a store of this schema, creates what is not there.

use crate::{StoreError, error::BUSY, guard};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt,
    path::Path,
};

/// "assy" in ASCII: what `file` and SQLite see in the header of a store.
const APPLICATION_ID: i64 = 0x6173_7379;

/// What makes an empty file a store.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// Number of [`SCHEMA`], which changes with it.
const VERSION: i64 = 12;

/// Opens or creates `path` for writing.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    check_regular(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut db = connect(path.as_os_str(), flags).map_err(failed(path))?;
    identify(&db, path)?;
    configure(&db).map_err(failed(path))?;
    create(&mut db)?;
    Ok(db)
}

/// Opens `path` so that nothing can be written, not even next to it. An empty file is read as an empty store.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection, StoreError> {
    check_regular(path)?;
    let db = connect_read_only(path)?;
    if identify(&db, path)? == VERSION {
        return Ok(db);
    }
    let mut empty = Connection::open_in_memory()?;
    create(&mut empty)?;
    Ok(empty)
}

/// Refuses a disk, which SQLite takes for an empty file, and a pipe, for whose other end it waits.
fn check_regular(path: &Path) -> Result<(), StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => {
            let why = match found.is_symlink() {
                true => "it is a symbolic link",
                false => "it is not a regular file",
            };
            Err(StoreError::NotAStore { path: path.into(), why })
        }
        // What cannot be looked at cannot be opened either.
        _ => Ok(()),
    }
}

fn connect(name: &OsStr, flags: OpenFlags) -> rusqlite::Result<Connection> {
    // A connection is used by one thread at a time, so that no lock is needed for each column of each row.
    let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(Path::new(name), flags)?;
    db.busy_timeout(BUSY)?;
    guard::arm(&db)?;
    Ok(db)
}

/// A file without a log next to it is complete and has no writer. It is read as is: SQLite would create a log
/// and its shared memory, leave them behind, and fail in a read-only folder.
fn connect_read_only(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let as_it_is = || {
        let uri = flags | OpenFlags::SQLITE_OPEN_URI;
        connect(&immutable_uri(path), uri).map_err(failed(path))
    };
    if path.is_file() && log_bytes(path).is_none() {
        let db = as_it_is()?;
        let read = identify(&db, path);
        // Unless a writer came meanwhile.
        if log_bytes(path).is_none() {
            return read.map(|_| db);
        }
    }
    let db = connect(path.as_os_str(), flags).map_err(failed(path));
    match db.and_then(|db| identify(&db, path).map(|_| db)) {
        Err(StoreError::Open { .. }) if log_bytes(path) == Some(0) => as_it_is(),
        read => read,
    }
}

/// How much was written that may not be in the file itself yet; `None` without a writer.
fn log_bytes(path: &Path) -> Option<u64> {
    let sizes = ["-wal", "-journal"].into_iter().filter_map(|end| {
        let mut log = path.as_os_str().to_owned();
        log.push(end);
        Some(fs::metadata(log).ok()?.len())
    });
    sizes.reduce(|one, other| one + other)
}

fn failed(path: &Path) -> impl FnOnce(rusqlite::Error) -> StoreError {
    move |source| match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            StoreError::NotAStore { path: path.into(), why: "it is not an SQLite database" }
        }
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path: path.into() },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => source.into(),
        _ => StoreError::Open { path: path.into(), source },
    }
}

/// `path` as a URI by which SQLite reads the file without locks.
fn immutable_uri(path: &Path) -> OsString {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    let escaped = path.as_os_str().as_bytes().iter().map(|&byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02x}"),
    });
    let authority = if path.is_absolute() { "//" } else { "" };
    format!("file:{authority}{}?immutable=1", escaped.collect::<String>()).into()
}

fn pragma(db: &Connection, name: &str) -> rusqlite::Result<i64> {
    db.pragma_query_value(None, name, |row| row.get(0))
}

/// The version of the schema: [`VERSION`] of a store with its own tables and no more, 0 of an empty file.
fn identify(db: &Connection, path: &Path) -> Result<i64, StoreError> {
    // All is read in one transaction, as another process may be creating it.
    let db = db.unchecked_transaction().map_err(failed(path))?;
    let found = pragma(&db, "user_version").map_err(failed(path))?;
    let tables: i64 = db
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed(path))?;
    let ours = pragma(&db, "application_id").map_err(failed(path))? == APPLICATION_ID;
    match found {
        0 if tables == 0 => {}
        VERSION if ours => guard::check(&db, SCHEMA, path)?,
        _ if ours && found != 0 => {
            return Err(StoreError::OtherSchema { path: path.into(), found, known: VERSION });
        }
        _ => {
            let why = "another program's database";
            return Err(StoreError::NotAStore { path: path.into(), why });
        }
    }
    Ok(found)
}

/// WAL lets a report read while a campaign writes.
fn configure(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    flush(db, true)?;
    db.pragma_update(None, "foreign_keys", true)
}

/// Whether a commit is flushed to the disk. What is not flushed is safe when this process dies, and in order
/// after what was committed before it, but lost when the machine crashes, as file systems under test
/// make it do.
pub(crate) fn flush(db: &Connection, each: bool) -> rusqlite::Result<()> {
    db.pragma_update(None, "synchronous", if each { "full" } else { "normal" })
}

/// Makes an empty file a store, all of it or nothing. The version is read again under the write lock, so that two
/// processes may open a new store at once.
pub(crate) fn create(db: &mut Connection) -> Result<(), StoreError> {
    if pragma(db, "user_version")? != 0 {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if pragma(&tx, "user_version")? == 0 {
        tx.execute_batch(SCHEMA)?;
        tx.pragma_update(None, "application_id", APPLICATION_ID)?;
        tx.pragma_update(None, "user_version", VERSION)?;
    }
    Ok(tx.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::params_from_iter;

    #[test]
    fn millions_of_figures_are_read_without_sorting_them() {
        let mut db = Connection::open_in_memory().unwrap();
        create(&mut db).unwrap();
        let steps = |sql: &str, given: i64| {
            let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let step = |row: &rusqlite::Row<'_>| row.get::<_, String>(3);
            plan.query_map(params_from_iter(0..given), step)
                .unwrap()
                .collect::<Result<Vec<_>, _>>()
                .unwrap()
        };
        use crate::samples::{HISTOGRAMS, METRICS, SAMPLES};
        for (sql, given) in [(SAMPLES, 3), (METRICS, 2), (HISTOGRAMS, 2)] {
            let steps = steps(sql, given);
            assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{steps:?}");
        }
        let sorted = "SELECT * FROM metric WHERE sample BETWEEN ? AND ? ORDER BY value";
        assert!(
            steps(sorted, 2).iter().any(|step| step.contains("TEMP B-TREE")),
            "it would be seen"
        );
    }
}

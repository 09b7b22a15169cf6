//! Opening a database file: recognise it, refuse what is not ours or newer, migrate what is older.

use crate::{StoreError, error::BUSY, guard};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, TransactionBehavior,
    backup::{Backup, StepResult},
};
use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt,
    path::Path,
};

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
    include_str!("schema/7.sql"),
    include_str!("schema/8.sql"),
    include_str!("schema/9.sql"),
];

/// Opens or creates `path` for writing.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    check_regular(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut db = connect(path.as_os_str(), flags).map_err(failed(path))?;
    identify(&db, path)?;
    configure(&db).map_err(failed(path))?;
    migrate(&mut db, MIGRATIONS)?;
    Ok(db)
}

/// Opens `path` so that nothing can be written, not even beside it. One of an older schema is read from a
/// copy in memory that was brought up.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection, StoreError> {
    check_regular(path)?;
    let db = connect_read_only(path)?;
    if identify(&db, path)? < MIGRATIONS.len() as i64 {
        let mut copy = copy(&db)?;
        identify(&copy, path)?;
        migrate(&mut copy, MIGRATIONS)?;
        return Ok(copy);
    }
    Ok(db)
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
    let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let db = Connection::open_with_flags(Path::new(name), flags)?;
    db.busy_timeout(BUSY)?;
    guard::arm(&db)?;
    Ok(db)
}

/// A file that has no log beside it is complete, and nobody writes to it. It is read as it is: SQLite would
/// make a log and its shared memory, leave them, and fail where nobody may write beside the file.
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

/// How much was written that may not be in the file itself yet; `None` where nobody writes.
fn log_bytes(path: &Path) -> Option<u64> {
    let sizes = ["-wal", "-journal"].into_iter().filter_map(|end| {
        let mut log = path.as_os_str().to_owned();
        log.push(end);
        Some(fs::metadata(log).ok()?.len())
    });
    sizes.reduce(|one, other| one + other)
}

/// A copy in memory of what `db` holds at this moment.
fn copy(db: &Connection) -> Result<Connection, StoreError> {
    let mut copy = Connection::open_in_memory()?;
    guard::arm(&copy)?;
    let copied = Backup::new(db, &mut copy)?.step(-1)?;
    match copied {
        StepResult::Done => Ok(copy),
        _ => Err(StoreError::Locked { seconds: BUSY.as_secs() }),
    }
}

fn failed(path: &Path) -> impl FnOnce(rusqlite::Error) -> StoreError {
    move |source| match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            StoreError::NotAStore { path: path.into(), why: "it is no SQLite database" }
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

/// The schema version, when the file is a store with its own tables and no more, or empty.
fn identify(db: &Connection, path: &Path) -> Result<i64, StoreError> {
    // All is read in one transaction, as another process may be migrating it.
    let db = db.unchecked_transaction().map_err(failed(path))?;
    let found = pragma(&db, "user_version").map_err(failed(path))?;
    let tables: i64 = db
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed(path))?;
    let ours = pragma(&db, "application_id").map_err(failed(path))? == APPLICATION_ID;
    if !ours && (tables > 0 || found > 0) {
        return Err(StoreError::NotAStore { path: path.into(), why: "another program's database" });
    }
    let known = MIGRATIONS.len() as i64;
    if found > known {
        return Err(StoreError::Newer { path: path.into(), found, known });
    }
    guard::check(&db, &MIGRATIONS[..found.max(0) as usize], path)?;
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
                    "INSERT INTO campaign (number, id, created, title, origin, state, assay_version,
                         plan, scale, seed, environment, notes)
                     VALUES (1, 'old', '', '', '', '', '', '', 0, 0, '', '')",
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
    fn tests_from_before_shapes_keep_their_names_alone() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate(&mut db, &MIGRATIONS[..8]).unwrap();
        db.pragma_update(None, "foreign_keys", false).unwrap();
        db.execute_batch(
            "INSERT INTO test (campaign, position, id, suite, name, testtype, \"group\", metric, unit, better)
             VALUES (1, 0, 'matrix.rndrd.4k.t8', 'matrix', 'n', 'random read', 'random-read', 'iops', 'IOPS', 'higher')",
        )
        .unwrap();
        migrate(&mut db, MIGRATIONS).unwrap();
        let read = "SELECT count(*) FROM test WHERE only_writes IS NULL AND grid IS NULL";
        assert_eq!(db.query_row(read, [], |row| row.get::<_, u32>(0)).unwrap(), 1);
    }

    #[test]
    fn millions_of_figures_are_read_without_sorting_them() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate(&mut db, MIGRATIONS).unwrap();
        let steps = |sql: &str| {
            let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let step = |row: &rusqlite::Row<'_>| row.get::<_, String>(3);
            plan.query_map([1], step).unwrap().collect::<Result<Vec<_>, _>>().unwrap()
        };
        for sql in [crate::read::METRICS, crate::read::HISTOGRAMS] {
            let steps = steps(sql);
            assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{steps:?}");
        }
        let sorted = "SELECT * FROM metric WHERE sample > ? ORDER BY value";
        assert!(steps(sorted).iter().any(|step| step.contains("TEMP B-TREE")), "it would be seen");
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

//! The database: accounts whose balances change and a history, as in TPC-B, with sums by which it can
//! be checked after any number of transactions.

use crate::TestError;
use engine::data::Data;
use model::random::Rng;
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, params};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Random words in a row.
pub(super) const FILLER_WORDS: u64 = 12;
/// The suffixes that SQLite appends to the name of a database for its other files.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];
/// A transaction changes a balance by less than this.
const MOST_DELTA: u64 = 1000;

/// The size of the database, and the work of a transaction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) rows: u64,
    pub(super) updates: u32,
    pub(super) inserts: u32,
    pub(super) page_bytes: u64,
}

/// A database file.
pub(super) struct Bank {
    pub(super) path: PathBuf,
    pub(super) shape: Shape,
}

/// For `map_err`: an error of SQLite during `what`.
pub(super) fn failed(what: &'static str, path: &Path) -> impl FnOnce(rusqlite::Error) -> TestError {
    let path = path.to_path_buf();
    move |error| {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
            _ => io::ErrorKind::Other,
        };
        TestError::Io { what, path, source: io::Error::new(kind, error) }
    }
}

impl Bank {
    /// Makes the database anew, without a journal, and syncs it.
    pub(super) fn create(&self, filler: &Data) -> Result<(), TestError> {
        self.remove()?;
        self.fill(filler).map_err(|error| {
            // What does not fit would take the space of the tests that follow.
            let _ = self.remove();
            failed("fill", &self.path)(error)
        })?;
        self.sync()
    }

    fn fill(&self, filler: &Data) -> rusqlite::Result<()> {
        let mut connection = Connection::open(&self.path)?;
        connection.pragma_update(None, "page_size", self.shape.page_bytes as i64)?;
        connection.pragma_update(None, "synchronous", "off")?;
        connection.query_row("PRAGMA journal_mode = off", [], |_| Ok(()))?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(
            "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, filler BLOB NOT NULL);
             CREATE TABLE history (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, delta INTEGER NOT NULL, filler BLOB NOT NULL);",
        )?;
        let mut insert = transaction.prepare("INSERT INTO account VALUES (?1, 0, ?2)")?;
        for row in 0..self.shape.rows {
            let filler = filler.piece_bytes(row * FILLER_WORDS, FILLER_WORDS);
            insert.execute(params![row as i64 + 1, filler])?;
        }
        drop(insert);
        transaction.commit()?;
        connection.close().map_err(|(_, error)| error)
    }

    /// Opens it for transactions.
    pub(super) fn open(&self, journal: &str, synchronous: &str) -> Result<Connection, TestError> {
        let error = |what| failed(what, &self.path);
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(error("open"))?;
        let mode: String = connection
            .query_row(&format!("PRAGMA journal_mode = {journal}"), [], |row| row.get(0))
            .map_err(error("set the journal mode of"))?;
        if mode != journal {
            let source =
                io::Error::other(format!("SQLite stays with `{mode}` on this file system"));
            return Err(TestError::io("set the journal mode of", &self.path)(source));
        }
        connection
            .pragma_update(None, "synchronous", synchronous)
            .map_err(error("set synchronous of"))?;
        Ok(connection)
    }

    /// `fsync` of the database file.
    pub(super) fn sync(&self) -> Result<(), TestError> {
        let file = File::open(&self.path).map_err(TestError::io("open", &self.path))?;
        file.sync_all().map_err(TestError::io("fsync", &self.path))
    }

    /// Checks the database after `commits` transactions that changed balances by `total`.
    pub(super) fn verify(&self, commits: u64, total: i64) -> Result<(), TestError> {
        let found = self.found().map_err(failed("check", &self.path))?;
        let history = (commits * u64::from(self.shape.inserts)) as i64;
        let expected = ("ok".to_string(), self.shape.rows as i64, total, history);
        if found == expected {
            return Ok(());
        }
        let why = format!(
            "integrity check, accounts, sum of balances and rows of history are {found:?} instead of {expected:?}"
        );
        Err(TestError::Wrong { path: self.path.clone(), why })
    }

    fn found(&self) -> rusqlite::Result<(String, i64, i64, i64)> {
        let connection =
            Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get(0));
        Ok((
            connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?,
            number("SELECT count(*) FROM account")?,
            number("SELECT sum(balance) FROM account")?,
            number("SELECT count(*) FROM history")?,
        ))
    }

    /// Removes the database and what SQLite keeps next to it.
    pub(super) fn remove(&self) -> Result<(), TestError> {
        for suffix in BESIDE {
            let mut name = OsString::from(&self.path);
            name.push(suffix);
            let path = PathBuf::from(name);
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(TestError::io("remove", &path)(e));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Prepared statements, and what a transaction draws from.
pub(super) struct Teller<'a> {
    begin: Statement<'a>,
    update: Statement<'a>,
    insert: Statement<'a>,
    commit: Statement<'a>,
    shape: Shape,
    filler: &'a Data,
}

impl<'a> Teller<'a> {
    pub(super) fn new(
        connection: &'a Connection,
        shape: Shape,
        filler: &'a Data,
    ) -> rusqlite::Result<Teller<'a>> {
        let update = "UPDATE account SET balance = balance + ?1 WHERE id = ?2";
        let insert = "INSERT INTO history (account, delta, filler) VALUES (?1, ?2, ?3)";
        Ok(Teller {
            begin: connection.prepare("BEGIN IMMEDIATE")?,
            update: connection.prepare(update)?,
            insert: connection.prepare(insert)?,
            commit: connection.prepare("COMMIT")?,
            shape,
            filler,
        })
    }

    /// Does transaction `k`; returns by how much it changed the balances.
    pub(super) fn transact(&mut self, k: u64, rng: &mut Rng) -> rusqlite::Result<i64> {
        let (mut account, mut delta, mut sum) = (1, 0, 0);
        self.begin.execute([])?;
        for _ in 0..self.shape.updates {
            account = rng.below(self.shape.rows) as i64 + 1;
            delta = rng.below(2 * MOST_DELTA) as i64 - MOST_DELTA as i64;
            self.update.execute(params![delta, account])?;
            sum += delta;
        }
        let first = k * u64::from(self.shape.inserts);
        for row in first..first + u64::from(self.shape.inserts) {
            // A third of an account's filler.
            let words = FILLER_WORDS / 3;
            let filler = self.filler.piece_bytes(row * FILLER_WORDS, words);
            self.insert.execute(params![account, delta, filler])?;
        }
        self.commit.execute([])?;
        Ok(sum)
    }
}

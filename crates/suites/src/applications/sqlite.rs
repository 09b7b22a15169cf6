//! The SQLite built into this program: transactions with numbered rows, so that a lost or partial one is detected.

use super::ledger::{Durable, LATEST, Ledger, ROWS};
use crate::{Application, TestError};
use faults::contract::Finding;
use model::{random::Rng, result::Harm};
use rusqlite::{Connection, OpenFlags, params};
use std::{io, path::Path, path::PathBuf, sync::Arc};

/// A journal that protects a transaction: the word of `PRAGMA journal_mode`.
pub(super) struct Journal(&'static str);

/// A rollback journal, which is deleted at commit.
pub(super) const DELETE: Journal = Journal("delete");
/// A write-ahead log.
pub(super) const WAL: Journal = Journal("wal");

/// The database.
const FILE: &str = "sqlite.db";
/// Bytes of a row that is inserted, besides its numbers: a transaction fills more than one page of 4096.
const INSERTED_BYTES: usize = 1300;
/// Bytes of a row that is changed, so that each transaction changes several pages.
const CHANGED_BYTES: usize = 2000;
/// Pages of a write-ahead log before it is put into the database: few, so that this happens while it is recorded.
const LOG_PAGES: u32 = 60;

impl Journal {
    /// The commit returns before the deletion of the journal is durable.
    pub(super) fn full(&self, name: &'static str, rounds: u64, seed: u64) -> Arc<dyn Application> {
        let durable = if self.0 == WAL.0 { Durable::All } else { Durable::AllButLast };
        self.with("full", durable, (name, rounds, seed))
    }

    pub(super) fn extra(&self, name: &'static str, rounds: u64, seed: u64) -> Arc<dyn Application> {
        self.with("extra", Durable::All, (name, rounds, seed))
    }

    pub(super) fn normal(
        &self,
        name: &'static str,
        rounds: u64,
        seed: u64,
    ) -> Arc<dyn Application> {
        let durable = if self.0 == WAL.0 { Durable::None } else { Durable::AllButLast };
        self.with("normal", durable, (name, rounds, seed))
    }

    pub(super) fn off(&self, name: &'static str, rounds: u64, seed: u64) -> Arc<dyn Application> {
        self.with("off", Durable::None, (name, rounds, seed))
    }

    fn with(
        &self,
        synchronous: &'static str,
        durable: Durable,
        (name, rounds, seed): (&'static str, u64, u64),
    ) -> Arc<dyn Application> {
        Arc::new(Sqlite { name, journal: self.0, synchronous, durable, rounds, seed })
    }
}

/// One way to use it.
#[derive(Debug)]
struct Sqlite {
    name: &'static str,
    journal: &'static str,
    synchronous: &'static str,
    durable: Durable,
    rounds: u64,
    seed: u64,
}

/// For `map_err`: SQLite failed without any fault.
fn failed(what: &'static str, path: &Path) -> impl FnOnce(rusqlite::Error) -> TestError {
    let path = path.to_path_buf();
    move |error| TestError::io(what, &path)(io::Error::other(error))
}

impl Sqlite {
    fn path(root: &Path) -> PathBuf {
        root.join(FILE)
    }

    fn fill(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        self.set_journal(connection)?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(
            "CREATE TABLE inserted (id INTEGER PRIMARY KEY, filler BLOB NOT NULL);
             CREATE TABLE latest (place INTEGER PRIMARY KEY, number INTEGER NOT NULL, filler BLOB NOT NULL);",
        )?;
        for place in 0..LATEST {
            let filler = self.filler(u64::MAX - place, CHANGED_BYTES);
            let row = params![place as i64, filler];
            transaction.execute("INSERT INTO latest VALUES (?1, 0, ?2)", row)?;
        }
        transaction.commit()
    }

    fn set_journal(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = format!("PRAGMA journal_mode = {}", self.journal);
        connection.query_row(&sql, [], |_| Ok(()))?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
        connection.pragma_update(None, "synchronous", self.synchronous)
    }

    fn transact(&self, connection: &mut Connection, number: u64) -> rusqlite::Result<()> {
        let transaction = connection.transaction()?;
        for place in 0..ROWS {
            let id = number * ROWS + place;
            let row = params![id as i64, self.filler(id, INSERTED_BYTES)];
            transaction.execute("INSERT INTO inserted VALUES (?1, ?2)", row)?;
        }
        transaction.execute("UPDATE latest SET number = ?1", params![number as i64])?;
        transaction.commit()
    }

    /// The bytes of the row `id`.
    fn filler(&self, id: u64, bytes: usize) -> Vec<u8> {
        let mut rng = Rng::new(self.seed ^ id.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let words = (0..bytes.div_ceil(8)).flat_map(|_| rng.next_u64().to_le_bytes());
        words.take(bytes).collect()
    }

    /// What is wrong as SQLite itself says, and what is there.
    fn read(&self, path: &Path) -> rusqlite::Result<(Vec<String>, Ledger)> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut check = connection.prepare("PRAGMA integrity_check(3)")?;
        let said = check.query_map([], |row| row.get::<_, String>(0))?;
        let said: Vec<String> = said.collect::<rusqlite::Result<_>>()?;
        let damage: Vec<String> = said.into_iter().filter(|line| line != "ok").collect();
        if !damage.is_empty() {
            return Ok((damage, Ledger::default()));
        }
        let mut ledger = Ledger::default();
        let mut select = connection.prepare("SELECT id, filler FROM inserted ORDER BY id")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (id, filler): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let (id, number) = (id as u64, id as u64 / ROWS);
            *ledger.inserted.entry(number).or_default() += 1;
            if filler != self.filler(id, INSERTED_BYTES) {
                ledger.wrong.push(format!("row {} of transaction {number} is wrong", id % ROWS));
            }
        }
        let mut select = connection.prepare("SELECT number, filler FROM latest ORDER BY place")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (number, filler): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let place = ledger.latest.len() as u64;
            if filler != self.filler(u64::MAX - place, CHANGED_BYTES) {
                ledger.wrong.push(format!("changed row {place} is wrong"));
            }
            ledger.latest.push(number as u64);
        }
        Ok((damage, ledger))
    }
}

impl Application for Sqlite {
    fn name(&self) -> &str {
        self.name
    }

    fn prepare(&self, root: &Path) -> Result<(), TestError> {
        let path = Sqlite::path(root);
        let mut connection = Connection::open(&path).map_err(failed("create", &path))?;
        self.fill(&mut connection).map_err(failed("fill", &path))?;
        connection.close().map_err(|(_, error)| failed("close", &path)(error))
    }

    fn work(&self, root: &Path, mark: &dyn Fn(u64)) -> Result<(), TestError> {
        let path = Sqlite::path(root);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let connection = Connection::open_with_flags(&path, flags);
        let mut connection = connection.map_err(failed("open", &path))?;
        self.set_journal(&connection).map_err(failed("set the journal mode of", &path))?;
        for round in 0..self.rounds {
            self.transact(&mut connection, round + 1).map_err(failed("commit to", &path))?;
            mark(round);
        }
        connection.close().map_err(|(_, error)| failed("close", &path)(error))
    }

    fn look(&self, root: &Path, acknowledged: Option<u64>) -> Result<Vec<Finding>, TestError> {
        let path = Sqlite::path(root);
        let find = |harm, detail: String| vec![Finding { harm, path: FILE.into(), detail }];
        if !path.exists() {
            return Ok(find(Harm::NameGone, "the database is not there".into()));
        }
        Ok(match self.read(&path) {
            Err(error) => find(Harm::Malformed, error.to_string()),
            Ok((damage, _)) if !damage.is_empty() => find(Harm::Malformed, damage.join("; ")),
            Ok((_, ledger)) => ledger.wrong(acknowledged.map_or(0, |mark| mark + 1), self.durable),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::RefCell, fs};

    fn harms(application: &dyn Application, root: &Path, acknowledged: u64) -> Vec<Harm> {
        let findings = application.look(root, Some(acknowledged)).unwrap();
        findings.into_iter().map(|finding| finding.harm).collect()
    }

    #[test]
    fn what_was_done_is_found_and_what_was_not_is_missed() {
        for application in [DELETE.extra("x", 5, 3), WAL.full("x", 5, 3)] {
            let dir = tempfile::tempdir().unwrap();
            application.prepare(dir.path()).unwrap();
            assert_eq!(application.look(dir.path(), None).unwrap(), []);
            let marks = RefCell::new(Vec::new());
            application.work(dir.path(), &|mark| marks.borrow_mut().push(mark)).unwrap();
            assert_eq!(marks.into_inner(), [0, 1, 2, 3, 4]);
            assert_eq!(harms(&*application, dir.path(), 4), []);
            assert_eq!(harms(&*application, dir.path(), 5), [Harm::TransactionGone]);
            assert_eq!(harms(&*application, dir.path(), 2), [Harm::Foreign]);
        }
    }

    #[test]
    fn damage_is_malformed_and_no_database_is_a_name_gone() {
        let dir = tempfile::tempdir().unwrap();
        let application = DELETE.full("x", 5, 3);
        application.prepare(dir.path()).unwrap();
        application.work(dir.path(), &|_| ()).unwrap();
        let path = dir.path().join(FILE);
        let mut bytes = fs::read(&path).unwrap();
        bytes[8192..12288].fill(0);
        fs::write(&path, bytes).unwrap();
        assert_eq!(harms(&*application, dir.path(), 4), [Harm::Malformed]);
        fs::remove_file(&path).unwrap();
        assert_eq!(harms(&*application, dir.path(), 4), [Harm::NameGone]);
    }
}

//! The timed part of the kind `sqlite`: transactions, then the checkpoint of what is left.

use super::bank::{Bank, Teller, failed};
use crate::{Meter, Run, TestError, commits::Client};
use engine::{clock::now_ns, data::Data};
use model::{
    figure::{Histogram, Metric, Synced},
    random::Rng,
    workload::PhaseKind,
};
use rusqlite::Connection;
use std::io;

/// One connection to one database.
pub(super) struct SqliteRun {
    pub(super) client: Client,
    pub(super) bank: Bank,
    /// `None` once it is closed.
    pub(super) connection: Option<Connection>,
    pub(super) data: Data,
    pub(super) rng: Rng,
    /// Whether there is a write-ahead log.
    pub(super) logs: bool,
    /// By how much the balances were changed.
    pub(super) total: i64,
}

impl SqliteRun {
    /// Moves the log into the database, and syncs that.
    fn checkpoint(bank: &Bank, connection: &Connection, logs: bool) -> Result<(), TestError> {
        if logs {
            let busy: i64 = connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
                .map_err(failed("checkpoint", &bank.path))?;
            if busy != 0 {
                let source = io::Error::other("another process has the database open");
                return Err(TestError::io("checkpoint", &bank.path)(source));
            }
        }
        bank.sync()
    }
}

impl Run for SqliteRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let SqliteRun { client, bank, connection, data, rng, logs, total } = self;
        let Some(connection) = connection.as_ref() else { return Ok(()) };
        let mut teller =
            Teller::new(connection, bank.shape, data).map_err(failed("prepare", &bank.path))?;
        meter.phase(PhaseKind::Operate, &mut |progress| {
            client.run(now_ns(), |k| {
                *total += teller.transact(k, rng).map_err(failed("commit to", &bank.path))?;
                let durable_ns = now_ns();
                progress.add(0, 1);
                Ok(durable_ns)
            })
        })?;
        meter.phase(PhaseKind::Sync, &mut |_| SqliteRun::checkpoint(bank, connection, *logs))
    }

    fn verify(&mut self) -> Result<(), TestError> {
        if let Some(connection) = self.connection.take() {
            let closed = connection.close().map_err(|(_, error)| error);
            closed.map_err(failed("close", &self.bank.path))?;
        }
        self.bank.verify(self.client.commits, self.total)?;
        self.bank.remove()
    }

    /// SQLite alone knows which pages a transaction writes.
    fn synced(&self) -> Option<Synced> {
        Some(Synced { throughout: true, ..Synced::FLUSH })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        self.client.histograms()
    }

    fn metrics(&mut self) -> Vec<Metric> {
        self.client.metrics()
    }
}

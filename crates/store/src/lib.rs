//! The campaign store: one SQLite file, schema, append, read.
//!
//! Raw samples go in, one transaction each, and come out as a [`model::result::Dataset`]. Nothing derived
//! is stored, so that an old campaign can always be computed again.

mod bins;
mod error;
mod found;
mod guard;
mod import;
mod read;
mod recordings;
mod samples;
mod schema;
mod series;
mod turns;
mod varint;
mod write;

pub use error::StoreError;
pub use import::{Imported, Incoming};
pub use read::CampaignSummary;
pub use recordings::RecordingKey;
pub use turns::{Try, Unfinished};

use rusqlite::Connection;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// An open store. Ids given to its methods may be a full id, a prefix that fits one campaign only,
/// or the word `last` for the campaign stored last.
#[derive(Debug)]
pub struct Store {
    db: Connection,
    patience: Patience,
}

/// How long to wait for another process that holds the store.
#[derive(Debug)]
struct Patience {
    longest: Duration,
    /// Ends the waiting when it becomes true.
    stop: Option<Arc<AtomicBool>>,
}

impl Patience {
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Store {
    /// Opens the store at `path` for writing, creates it when it is missing. One of another schema, and a `path` with a
    /// link in it, are refused.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        Ok(Store::of(schema::open(path)?))
    }

    /// Opens the store at `path` for reading; it must exist. Nothing is written. One of another schema, and a `path`
    /// with a link in it, are refused.
    pub fn open_read_only(path: &Path) -> Result<Store, StoreError> {
        Ok(Store::of(schema::open_read_only(path)?))
    }

    fn of(db: Connection) -> Store {
        Store { db, patience: Patience { longest: error::BUSY, stop: None } }
    }

    /// From here on, whatever is to be written waits up to `longest` for another process that holds the
    /// store, or until `stop`: a campaign of hours does not end because another process reads its store.
    pub fn wait_for(
        &mut self,
        longest: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), StoreError> {
        self.patience = Patience { longest, stop: Some(Arc::clone(stop)) };
        Ok(self.db.busy_timeout(longest.min(error::BUSY))?)
    }
}

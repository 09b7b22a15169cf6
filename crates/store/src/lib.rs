//! The campaign store: one SQLite file, schema, migrations, append, read.
//!
//! Raw samples go in, one transaction each, and come out as a [`model::Dataset`]. Nothing derived
//! is stored, so that an old campaign can always be computed again.

mod bins;
mod error;
mod found;
mod import;
mod read;
mod schema;
mod series;
mod turns;
mod varint;
mod write;

pub use error::StoreError;
pub use import::Imported;
pub use read::CampaignSummary;
pub use turns::{Try, Unfinished};

use rusqlite::Connection;
use std::path::Path;

/// An open store. Ids given to its methods may be a full id, a prefix that fits one campaign only,
/// or the word `last` for the campaign stored last.
#[derive(Debug)]
pub struct Store {
    db: Connection,
}

impl Store {
    /// Opens the store at `path` for writing, creates it when it is missing, migrates it when it
    /// is old.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        Ok(Store { db: schema::open(path)? })
    }

    /// Opens the store at `path` for reading; it must exist and be of the current schema.
    pub fn open_read_only(path: &Path) -> Result<Store, StoreError> {
        Ok(Store { db: schema::open_read_only(path)? })
    }
}

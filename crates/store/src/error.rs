//! Errors of a store, each with the next step.

use rusqlite::ErrorCode;
use std::{path::PathBuf, time::Duration};

/// Another process holds the write lock only for one short transaction.
pub(crate) const BUSY: Duration = Duration::from_secs(10);

/// A failed operation on a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file could not be opened.
    #[error("cannot open the store {path}; check the path and its permissions")]
    Open {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The file was a store.
    #[error(
        "the store {path} is damaged or truncated; restore a backup, or move it away to start a \
         new one"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{path} is not an assay store ({why}); name another file")]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// How it was recognised.
        why: &'static str,
    },
    /// The file was written by another version of the program.
    #[error("{path} has schema {found}, and this version reads only schema {known}; \
             {}", remedy(*.found, *.known))]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The version that is read here.
        known: i64,
    },
    /// Another process held the store for too long.
    #[error(
        "the store has been locked by another process for over {seconds} s; wait for it or stop \
         it, then try again"
    )]
    Locked {
        /// How long it was waited for.
        seconds: u64,
    },
    /// No campaign has this id or prefix; in quotes, with what may be meant.
    #[error("no campaign {0}; `assay list` shows all campaigns")]
    NotFound(String),
    /// The prefix fits several campaigns.
    #[error("`{prefix}` matches {ids}; give more of the id")]
    Ambiguous {
        /// As asked.
        prefix: String,
        /// The first few ids that fit.
        ids: String,
    },
    /// An id that is taken, or one that could never be asked for.
    #[error(
        "`{0}` cannot be the id of a new campaign: it is in use, empty or reserved; choose another"
    )]
    Id(String),
    /// A row that does not fit the campaign.
    #[error(
        "cannot store {what} in campaign {campaign}: {source}; its target, test and block must \
         exist, and every number must be finite"
    )]
    Refused {
        /// Id of the campaign.
        campaign: String,
        /// What was to be stored.
        what: String,
        /// The constraint.
        source: rusqlite::Error,
    },
    /// A dataset that is to be stored breaks a rule.
    #[error("cannot store the dataset: {0}")]
    Unfit(#[from] model::result::DatasetError),
    /// A stored text that this version cannot read.
    #[error(
        "campaign {campaign} contains an unreadable {what}: {why}; restore the store from a \
         backup or upgrade assay"
    )]
    Corrupt {
        /// Id of the campaign.
        campaign: String,
        /// The column.
        what: &'static str,
        /// The reason.
        why: String,
    },
    /// Data that has no JSON form, as a path that is not UTF-8.
    #[error("cannot store the {what}: {source}; remove invalid text from it")]
    Encode {
        /// The column.
        what: &'static str,
        /// The reason.
        source: serde_json::Error,
    },
    /// A text that is longer than any of a campaign.
    #[error("a text of the campaign exceeds the limit of 64 MiB; shorten it")]
    TooLong,
    /// The disk of the store is full.
    #[error("no space left for the store; free some on its disk")]
    Full,
    /// Any other failure of the database.
    #[error("the store failed: {0}; check its disk and free space")]
    Sql(rusqlite::Error),
}

/// What to do about a store of schema `found` where `known` is read.
fn remedy(found: i64, known: i64) -> &'static str {
    match found > known {
        true => "upgrade assay",
        false => {
            "export its campaigns by the assay that wrote it (`export --format bundle`), import them into another \
             store, or move the file away"
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(source: rusqlite::Error) -> StoreError {
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Locked { seconds: BUSY.as_secs() }
            }
            Some(ErrorCode::TooBig) => StoreError::TooLong,
            Some(ErrorCode::DiskFull) => StoreError::Full,
            _ => StoreError::Sql(source),
        }
    }
}

impl StoreError {
    /// Names the campaign and the thing when a constraint was hurt.
    pub(crate) fn refused(
        campaign: &str,
        what: impl FnOnce() -> String,
    ) -> impl FnOnce(rusqlite::Error) -> StoreError {
        move |source| match source.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => {
                StoreError::Refused { campaign: campaign.into(), what: what(), source }
            }
            _ => source.into(),
        }
    }
}

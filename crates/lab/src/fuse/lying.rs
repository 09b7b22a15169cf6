//! Serves a file system over a directory that acknowledges every sync immediately and does none. A measurement that
//! believes it measures the page cache.

use super::{
    Served, missing,
    pass::{Call, Pass},
};
use crate::{error::LabError, setup::Lab};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// A mounted file system whose syncs do nothing. Dropping it unmounts it.
#[derive(Debug)]
pub struct Lying {
    served: Served,
    /// Syncs that it was asked for.
    lies: Arc<AtomicU64>,
}

impl Lying {
    /// Returns why none can be served here; `None` if one can.
    pub fn missing() -> Option<String> {
        missing()
    }

    /// Mounts one in `lab` that keeps its files in the directory `below`, which the mount table tells as its
    /// source.
    ///
    /// # Errors
    /// No root, no FUSE, or the journal cannot be written.
    pub fn mount(lab: &Lab, below: &Path) -> Result<Lying, LabError> {
        let below = below.canonicalize().map_err(LabError::io("find", below))?;
        let lies = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&lies);
        let pass = Pass::of(&below, move |call| {
            told.fetch_add(u64::from(call == Call::Sync), Ordering::Relaxed);
        });
        Ok(Lying { served: Served::mount(lab, "lying", &below, pass)?, lies })
    }

    /// Returns the directory of the files.
    pub fn root(&self) -> &Path {
        &self.served.mount_point
    }

    /// Unmounts it; how many syncs it was asked for, none of which it did.
    ///
    /// # Errors
    /// It stays busy, or could not be served to the end.
    pub fn unmount(mut self) -> Result<u64, LabError> {
        self.served.take_down()?;
        Ok(self.lies.load(Ordering::Relaxed))
    }
}

//! Serves a file system over a directory that becomes steadily slower with the work it has done, not with time.

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
    thread,
    time::Duration,
};

/// A mounted file system each of whose reads takes longer than the one before. Dropping it unmounts it.
#[derive(Debug)]
pub struct Slowing {
    served: Served,
    /// Reads that it was asked for.
    reads: Arc<AtomicU64>,
}

impl Slowing {
    /// Returns why none can be served here; `None` if one can.
    pub fn missing() -> Option<String> {
        missing()
    }

    /// Mounts one in `lab` that keeps its files in the directory `below`. The first read that the kernel asks for
    /// takes `delay`, and each further one `growth` times as long as the one before it. Syncs do nothing.
    ///
    /// # Errors
    /// No root, no FUSE, or the journal cannot be written.
    pub fn mount(
        lab: &Lab,
        below: &Path,
        delay: Duration,
        growth: f64,
    ) -> Result<Slowing, LabError> {
        let below = below.canonicalize().map_err(LabError::io("find", below))?;
        let reads = Arc::new(AtomicU64::new(0));
        let done = Arc::clone(&reads);
        let pass = Pass::of(&below, move |call| {
            if call == Call::Read {
                let before = done.fetch_add(1, Ordering::Relaxed);
                thread::sleep(delay.mul_f64(growth.powf(before as f64)));
            }
        });
        Ok(Slowing { served: Served::mount(lab, "slowing", &below, pass)?, reads })
    }

    /// Returns the directory of the files.
    pub fn root(&self) -> &Path {
        &self.served.mount_point
    }

    /// Unmounts it; how many reads it was asked for.
    ///
    /// # Errors
    /// It stays busy, or could not be served to the end.
    pub fn unmount(mut self) -> Result<u64, LabError> {
        self.served.take_down()?;
        Ok(self.reads.load(Ordering::Relaxed))
    }
}

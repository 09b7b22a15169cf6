//! A file system over a directory that answers every sync at once and does none. Whoever believes it measures a
//! page cache.

use super::{Served, missing, pass::Pass, protocol::Opcode, serve};
use crate::{Lab, LabError};
use std::path::Path;

/// A mounted file system whose syncs do nothing. Dropping it unmounts it.
#[derive(Debug)]
pub struct Lying(Served<u64>);

impl Lying {
    /// Why none can be served here; `None` where it can.
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
        let mut pass = Pass::of(&below);
        let serve = move |device| {
            let mut lies = 0;
            serve(device, |request| {
                let syncs = [Opcode::FSYNC, Opcode::FSYNCDIR, Opcode::SYNCFS];
                lies += u64::from(syncs.contains(&request.opcode));
                pass.answer(request)
            })?;
            Ok(lies)
        };
        Served::mount(lab, "lying", &below, serve).map(Lying)
    }

    /// Where the files are.
    pub fn root(&self) -> &Path {
        &self.0.mount_point
    }

    /// Unmounts it; how many syncs it was asked for, none of which it did.
    ///
    /// # Errors
    /// It stays busy, or could not be served to the end.
    pub fn unmount(mut self) -> Result<u64, LabError> {
        self.0.take_down()
    }
}

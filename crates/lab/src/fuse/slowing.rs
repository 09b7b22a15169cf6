//! A file system over a directory that becomes steadily slower, by what it has done and not by the clock.

use super::{Served, missing, pass::Pass, protocol::Opcode, serve};
use crate::{Lab, LabError};
use std::{path::Path, thread, time::Duration};

/// A mounted file system each of whose reads takes longer than the one before. Dropping it unmounts it.
#[derive(Debug)]
pub struct Slowing(Served<u64>);

impl Slowing {
    /// Why none can be served here; `None` where it can.
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
        let mut pass = Pass::of(&below);
        let serve = move |device| {
            let (mut reads, mut delay_s) = (0, delay.as_secs_f64());
            serve(device, |request| {
                if request.opcode == Opcode::READ {
                    thread::sleep(Duration::from_secs_f64(delay_s));
                    (reads, delay_s) = (reads + 1, delay_s * growth);
                }
                pass.answer(request)
            })?;
            Ok(reads)
        };
        Served::mount(lab, "slowing", &below, serve).map(Slowing)
    }

    /// Where the files are.
    pub fn root(&self) -> &Path {
        &self.0.mount_point
    }

    /// Unmounts it; how many reads it was asked for.
    ///
    /// # Errors
    /// It stays busy, or could not be served to the end.
    pub fn unmount(mut self) -> Result<u64, LabError> {
        self.0.take_down()
    }
}

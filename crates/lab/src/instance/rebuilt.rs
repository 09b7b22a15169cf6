//! Reports whether a mirror of the instance is being rebuilt, and restarts the rebuild.

use super::Instance;
use crate::{
    error::LabError,
    mounts::rebuild::{self, Progress},
};
use ::fs::Rebuild;
use std::{
    thread,
    time::{Duration, Instant},
};

/// Longest time that a rebuild may take to start: `btrfs replace start` leaves it to a process in the background, which
/// a busy machine may not run for seconds.
const BEGIN: Duration = Duration::from_secs(30);
/// The same where the mirror lacks nothing: it is over, or of ZFS, which does not tell the two apart.
const APPEAR: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(5);

impl Instance<'_> {
    /// Returns true if a mirror in it is being rebuilt; `None` if no rebuild was asked for.
    ///
    /// # Errors
    /// The kernel does not report it.
    pub fn rebuilding(&self) -> Result<Option<bool>, LabError> {
        self.rebuild().map(|of| rebuild::is_running(&of)).transpose()
    }

    /// The rebuild that was asked for.
    fn rebuild(&self) -> Option<Rebuild> {
        let mut parts = self.stack.parts().iter();
        parts.find_map(|part| part.fs().rebuild(&part.site, &part.part.options))
    }

    /// Waits until a rebuild that was asked for has begun. Of one that ended meanwhile the case tells that meets none.
    pub(super) fn await_rebuild(&self) -> Result<(), LabError> {
        let Some(of) = self.rebuild() else { return Ok(()) };
        let start = Instant::now();
        loop {
            let limit = match rebuild::progress(&of)? {
                Progress::Running => return Ok(()),
                Progress::Awaited => BEGIN,
                Progress::Over => APPEAR,
            };
            if start.elapsed() >= limit {
                return Ok(());
            }
            thread::sleep(PAUSE);
        }
    }

    /// Restarts the rebuild of a mirror in it, so that each case meets the same; does nothing if none is rebuilt.
    /// No process may have a file open.
    ///
    /// # Errors
    /// As for [`Instance::make_cold`].
    pub fn rebuild_again(&self) -> Result<(), LabError> {
        if self.rebuilding()?.is_some() {
            self.quiesce()?;
            self.remount_or_evict()?;
        }
        Ok(())
    }
}

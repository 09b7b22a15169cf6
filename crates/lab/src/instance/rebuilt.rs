//! Reports whether a mirror of the instance is being rebuilt, and restarts the rebuild.

use super::Instance;
use crate::{error::LabError, mounts::rebuild};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Longest time that the kernel may take to start.
const BEGIN: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(5);

impl Instance<'_> {
    /// Returns true if a mirror in it is being rebuilt; `None` if no rebuild was asked for.
    ///
    /// # Errors
    /// The kernel does not report it.
    pub fn rebuilding(&self) -> Result<Option<bool>, LabError> {
        let mut parts = self.stack.parts().iter();
        let of = parts.find_map(|part| part.fs().rebuild(&part.site, &part.part.options));
        of.map(|of| rebuild::is_running(&of)).transpose()
    }

    /// Waits until a rebuild that was asked for has begun. Of one that ended meanwhile the case tells that meets none.
    pub(super) fn await_rebuild(&self) -> Result<(), LabError> {
        let start = Instant::now();
        while self.rebuilding()? == Some(false) && start.elapsed() < BEGIN {
            thread::sleep(PAUSE);
        }
        Ok(())
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

//! Resilvers the mirror of a ZFS pool during a test: its second device is removed from the pool and attached again, as
//! if it were new (zpool-detach(8), zpool-attach(8)). ZFS has no rate limit for it: a resilver gets the bandwidth that
//! other work leaves.

use crate::{Cmd, Site};
use std::path::Path;

/// Without it a device that is attached while a resilver continues, which an import takes up again, has it begin anew
/// (zpool-features(7)). With it the new device would have to wait.
pub(crate) const NOT_DEFERRED: &str = "feature@resilver_defer=disabled";

/// Share of a device that is filled to be resilvered before anything is measured: one in this many.
const REBUILT_SHARE: u64 = 5;
const MIB: u64 = 1 << 20;

/// Puts a file into the mounted pool, as only what is in use is resilvered; one that does not shrink.
pub(crate) fn something(site: &Site) -> Cmd {
    let to = format!("of={}", site.dir.join("rebuilt").display());
    let count = format!("count={}", site.bytes / REBUILT_SHARE / MIB);
    Cmd::new("dd").args(["if=/dev/urandom", &to, "bs=1M", &count, "status=none"])
}

/// Takes `disk` from the imported pool, which ends a resilver of it, and has it resilvered as a new one.
pub(crate) fn begin(site: &Site, disk: &Path) -> [Cmd; 2] {
    [
        Cmd::new("zpool").args(["detach", &site.name]).arg(disk),
        Cmd::new("zpool").args(["attach", "-f", &site.name]).arg(site.disk()).arg(disk),
    ]
}

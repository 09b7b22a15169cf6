//! Releases the devices of a ZFS pool that this program made, found by its name.

use crate::{error::LabError, ownership::mark::OURS, programs::Run};
use fs::Cmd;

/// Returns true if `pool` is one of ours and there. Without its programs, its module or the pool itself there is
/// nothing to give back. All pools are asked for: `zpool list NAME` says yes to any name if its zfs-fuse ends
/// meanwhile.
pub(crate) fn is_there(pool: &str) -> bool {
    pool.starts_with(OURS) && all().iter().any(|known| known == pool)
}

/// Every pool whose name begins as ours do.
pub(crate) fn all() -> Vec<String> {
    let list = Cmd::new("zpool").args(["list", "-H", "-o", "name"]).run();
    let pools = list.map(|list| list.stdout).unwrap_or_default();
    pools.lines().filter(|pool| pool.starts_with(OURS)).map(String::from).collect()
}

/// Exports `pool`. Returns true if it was there.
pub(crate) fn export(pool: &str) -> Result<bool, LabError> {
    if !is_there(pool) {
        return Ok(false);
    }
    Cmd::new("zpool").args(["export", "-f", pool]).run()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_is_not_there_or_not_ours_is_left_alone() {
        assert!(!export("assay-none-such").unwrap());
        assert!(!export("rpool").unwrap());
    }
}

//! Giving back the devices of a ZFS pool that this program made, by its name.

use crate::{Cmd, LabError};

/// How every name of ours begins. No pool with another name is touched.
const OURS: &str = "assay-";

/// Exports `pool`. Returns whether it was there.
pub(crate) fn export(pool: &str) -> Result<bool, LabError> {
    // Without its programs, its module or the pool itself there is nothing to give back.
    let list = Cmd::new("zpool").args(["list", "-H", "-o", "name", pool]);
    if !pool.starts_with(OURS) || list.run().is_err() {
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

//! Refuses to age or fill targets that the campaign does not create.

use crate::messages::refusal;
use anyhow::Result;
use fs::ResolvedTarget;
use model::plan::Plan;

/// Refuses what cannot be aged or filled before anything is touched: directories are not ours to fill,
/// nor is the machine's memory.
///
/// # Errors
/// `plan` ages or fills, and one of `targets` is on no image and no disk.
pub fn check(plan: &Plan, targets: &[ResolvedTarget]) -> Result<()> {
    let asked = plan.age.is_some() || plan.fullness.is_some();
    match targets.iter().find(|target| asked && target.disks() == 0) {
        None => Ok(()),
        Some(target) => Err(refusal::usage(format!(
            "{target} cannot be aged or filled; only file systems on loop images can. Omit --age \
             and --fullness, or choose other targets"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_and_memory_are_not_ours_to_fill() {
        let plan = |target: &str, fullness| {
            let targets = ["ext4", target].map(|target| target.parse().unwrap());
            check(&Plan { fullness, ..Plan::default() }, &targets)
        };
        for target in ["dir:/tmp", "tmpfs"] {
            let error = plan(target, Some(80)).unwrap_err().to_string();
            assert!(error.starts_with(target), "{error}");
            assert!(plan(target, None).is_ok());
        }
        assert!(plan("xfs", Some(80)).is_ok());
    }
}

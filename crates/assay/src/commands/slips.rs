//! Catches likely typos in a plan: refuses them or warns, before anything is created.

use crate::{exit, terminal};
use anyhow::Result;
use model::{plan::Plan, text::Bytes};

/// Below it there is hardly a file system; who writes less forgot the unit.
const LEAST_IMAGE: Bytes = Bytes(16 << 20);

/// Refuses an image folder that is not there, as its disk may not be mounted, and an image without a unit; remarks
/// on a candidate that is named twice.
pub(super) fn check(plan: &Plan) -> Result<()> {
    if let Some(dir) = plan.backing.dir.as_deref().filter(|dir| !dir.is_dir()) {
        return Err(exit::usage(format!(
            "image folder {} does not exist; create it, or mount its disk",
            dir.display()
        )));
    }
    if let Some(size) = plan.backing.size.filter(|size| size.0 < LEAST_IMAGE.0) {
        return Err(exit::usage(format!(
            "an image of {size} is too small for a file system; add a unit, e.g. 10GiB"
        )));
    }
    let twice = |at: &usize| plan.targets[..*at].contains(&plan.targets[*at]);
    if let Some(at) = (0..plan.targets.len()).find(twice) {
        terminal::note(&format!(
            "{} is named twice; to measure it twice as a check, use --aa",
            plan.targets[at]
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::BackingPlan;

    fn refusal(backing: BackingPlan) -> String {
        check(&Plan { backing, ..Plan::default() }).unwrap_err().to_string()
    }

    #[test]
    fn what_is_hardly_meant_is_refused() {
        let dir = BackingPlan { dir: Some("/nowhere/images".into()), ..BackingPlan::default() };
        assert!(refusal(dir).contains("image folder /nowhere/images does not exist"));
        let size = BackingPlan { size: Some(Bytes(10)), ..BackingPlan::default() };
        assert!(refusal(size).contains("e.g. 10GiB"));
        assert!(check(&Plan::default()).is_ok());
    }
}

//! Catches likely typos in a plan: refuses them or warns, before anything is created.

use crate::{exit, terminal};
use anyhow::Result;
use campaign::stages::Resolved;
use model::{
    plan::Plan,
    target::Target,
    text::{Bytes, shell_word},
};

/// Below it there is hardly a file system.
const LEAST_IMAGE: Bytes = Bytes(16 << 20);
/// A number below it lacks its unit.
const LEAST_UNIT: u64 = 64 << 10;

/// Refuses an image folder that is not there, as its disk may not be mounted, and an image without a unit.
pub(super) fn check(plan: &Plan) -> Result<()> {
    if let Some(dir) = plan.backing.dir.as_deref().filter(|dir| !dir.is_dir()) {
        return Err(exit::usage(format!(
            "image folder {} does not exist; create it, or mount its disk",
            dir.display()
        )));
    }
    if let Some(size) = plan.backing.size.filter(|size| size.0 < LEAST_IMAGE.0) {
        let instead = match size.0 < LEAST_UNIT {
            true => "add a unit, e.g. 10GiB".into(),
            false => format!("use at least {LEAST_IMAGE}"),
        };
        return Err(exit::usage(format!(
            "an image of {size} is too small for a file system; {instead}"
        )));
    }
    Ok(())
}

/// Says which candidates are the same target, as two names of one directory are: they are measured and ranked like any
/// others, and what comes out is noise. `None` where all differ.
pub(super) fn same(plan: &Plan) -> Option<String> {
    let labels = plan.candidates();
    let mut all: Vec<(Target, Vec<&str>)> = Vec::new();
    for (target, label) in plan.targets.iter().map(real).zip(&labels) {
        match all.iter_mut().find(|(known, _)| *known == target) {
            Some((_, own)) => own.push(label),
            None => all.push((target, vec![label.as_str()])),
        }
    }
    let same = all.iter().filter_map(|(_, own)| match own.as_slice() {
        [first @ .., last] if !first.is_empty() => Some(format!("{} and {last}", first.join(", "))),
        _ => None,
    });
    let same: Vec<String> = same.map(|own| format!("{own} are the same target")).collect();
    (!same.is_empty()).then(|| {
        format!(
            "{}, so any difference between them is noise; to measure how large noise is, name the target once and \
             pass --aa",
            same.join("; ")
        )
    })
}

/// The target with no link in the path of its directory; one that is not there is refused later.
fn real(target: &Target) -> Target {
    match target {
        Target::Dir(dir) => Target::Dir(dir.canonicalize().unwrap_or_else(|_| dir.clone())),
        Target::Made { .. } => target.clone(),
    }
}

/// Says that one candidate alone is compared with nothing.
pub(super) fn note_alone(resolved: &Resolved) {
    let [only] = &resolved.targets[..] else { return };
    let example = match (only.directory(), only.to_string().as_str()) {
        (Some(_), _) => String::new(),
        (None, "xfs") => ", e.g. `assay run xfs ext4`".into(),
        (None, made) => format!(", e.g. `assay run {} xfs`", shell_word(made)),
    };
    terminal::note(&format!(
        "one candidate, {only}: nothing is compared with it, so nothing is recommended; name another{example}"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::BackingPlan;

    fn refusal(backing: BackingPlan) -> String {
        check(&Plan { backing, ..Plan::default() }).unwrap_err().to_string()
    }

    #[test]
    fn likely_typos_are_refused() {
        let dir = BackingPlan { dir: Some("/nowhere/images".into()), ..BackingPlan::default() };
        assert!(refusal(dir).contains("image folder /nowhere/images does not exist"));
        let size = BackingPlan { size: Some(Bytes(10)), ..BackingPlan::default() };
        assert!(refusal(size).contains("e.g. 10GiB"));
        let size = "10MB".parse().unwrap();
        let size = BackingPlan { size: Some(size), ..BackingPlan::default() };
        assert!(refusal(size).ends_with("use at least 16.0 MiB"));
        assert!(check(&Plan::default()).is_ok());
    }

    #[test]
    fn equal_targets_are_named() {
        let of = |targets: &[&str]| {
            let targets = targets.iter().map(|text| text.parse().unwrap()).collect();
            same(&Plan { targets, ..Plan::default() })
        };
        assert_eq!(of(&["ext4", "xfs", "ext4[noatime]"]), None);
        let said = of(&["ext4", "xfs", "ext4", "ext4"]).unwrap();
        assert!(said.starts_with("ext4, ext4#2 and ext4#3 are the same target, so"), "{said}");
    }
}

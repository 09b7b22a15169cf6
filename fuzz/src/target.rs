//! Targets and sweeps, as they are in arguments, plans and stores.

use super::{assert_harmless, text};
use fs::resolve;
use model::target::{SweepMode, Swept, Target, TargetNames, label_targets};

/// A target: what is read prints, and the print is read as the same.
pub fn target(bytes: &[u8]) -> bool {
    let Some(Ok(target)) = text(bytes).map(str::parse::<Target>) else { return false };
    resolved(&target)
}

/// Whether `target` is possible; messages about it do no harm.
pub(super) fn resolved(target: &Target) -> bool {
    assert_eq!(target.to_string().parse().as_ref(), Ok(target));
    for label in label_targets(&[target.clone(), target.clone()], &TargetNames::new()) {
        assert_harmless("a label", &label);
    }
    let Ok(found) = resolve(target) else { return false };
    assert_eq!(found.directory().is_some(), found.parts().is_empty());
    // Spelled out, it is the same again.
    assert!(resolve(found.target()).is_ok_and(|again| again == found), "{found}");
    if let Some(why) = found.command_line_only() {
        assert_harmless("a refusal", &why.to_string());
    }
    true
}

/// A sweep: the same, and each of its variants can be.
pub fn sweep(bytes: &[u8]) -> bool {
    let Some(Ok(swept)) = text(bytes).map(str::parse::<Swept>) else { return false };
    assert_eq!(swept.to_string().parse().as_ref(), Ok(&swept));
    assert_harmless("a sweep", &swept.to_string());
    let modes = [SweepMode::Grid, SweepMode::OneAtATime];
    let made = modes.map(|mode| lab::plan::sweep(&swept, mode));
    for sweep in made.iter().flatten() {
        assert!(sweep.variants.iter().all(resolved), "{swept}");
    }
    made.iter().any(Result::is_ok)
}

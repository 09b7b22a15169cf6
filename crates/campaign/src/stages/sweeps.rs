//! Turns sweeps into candidates: their variants are found before anything runs, stored with the plan, and shown
//! before they are measured.

use crate::messages::refusal;
use anyhow::Result;
use model::{plan::Plan, target::Sweep, text::counted};

/// Fills in the variants of each sweep of `plan` that has none yet, and enters them as targets.
///
/// # Errors
/// A sweep names an unknown object, or none of its variants is possible.
pub fn enter(plan: &mut Plan) -> Result<()> {
    for sweep in &mut plan.sweeps {
        if sweep.variants.is_empty() {
            *sweep = lab::plan::sweep(&sweep.on, sweep.mode)
                .map_err(|e| refusal::usage(e.to_string()))?;
        }
    }
    for variant in plan.sweeps.iter().flat_map(|sweep| &sweep.variants) {
        if !plan.targets.contains(variant) {
            plan.targets.push(variant.clone());
        }
    }
    Ok(())
}

/// Describes the sweeps, with the number of variants and the omitted ones, a line each.
pub fn lines(plan: &Plan) -> Vec<String> {
    plan.sweeps.iter().flat_map(lines_of).collect()
}

fn lines_of(sweep: &Sweep) -> Vec<String> {
    let default = sweep.variants.first().map(ToString::to_string).unwrap_or_default();
    let variants = counted(sweep.variants.len().saturating_sub(1), "variant", "variants");
    let mode = sweep.mode.as_str();
    let mut lines = vec![format!("sweep of {}: {default} and {variants} ({mode})", sweep.on)];
    lines.extend(
        sweep.left_out.iter().map(|left| format!("left out: {}: {}", left.variant, left.why)),
    );
    lines
}

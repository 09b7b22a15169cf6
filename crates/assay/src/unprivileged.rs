//! A run without root, which makes its file systems in a guest: says so, how long it takes, and asks at a terminal.

use crate::{exit, paths, terminal};
use anyhow::Result;
use campaign::{messages::duration, stages::Resolved};
use model::{
    plan::{LabChoice, LabKind, Plan},
    text::shell_word,
};
use std::env;

/// Says where the candidates of `resolved` are made without root, before a guest is booted for them.
///
/// # Errors
/// The person at the terminal does not want that.
pub fn check(resolved: &Resolved) -> Result<()> {
    let plan = &resolved.plan;
    // One that names a kernel is in a guest with root as well.
    let is_made = resolved
        .targets
        .iter()
        .any(|target| target.disks() > 0 && target.target().kernel().is_none());
    if paths::is_root()
        || !is_made
        || plan.lab != LabChoice::Auto
        || !plan.backing.devices.is_empty()
    {
        return Ok(());
    }
    let guests = LabKind::ALL.into_iter().filter(|kind| *kind != LabKind::Host);
    let mut found = guests.filter(|kind| lab::guest::find(*kind, plan.kernel.as_deref()).is_ok());
    // Without one, the reasons come with the refusal.
    let Some(kind) = found.next() else { return Ok(()) };
    let sudo = sudo(env::args());
    terminal::note(&format!(
        "not root: `{sudo}` measures this machine; {} this {}",
        kind.place(),
        time(plan)
    ));
    match terminal::ask(&format!("measure {} instead? [y/N] ", kind.place())) {
        Some(answer) if !["y", "yes"].contains(&answer.to_lowercase().as_str()) => {
            Err(exit::lacking(format!("nothing was measured; run `{sudo}`")))
        }
        _ => Ok(()),
    }
}

/// How long the run takes. The speed of a guest is not known before its first trial, so it is a bound, which the run
/// keeps: see [`crate::budget`].
fn time(plan: &Plan) -> String {
    match plan.budget() {
        Some(budget_s) => format!("takes at most about {}", duration(budget_s as f64)),
        None => "has no time limit, and its duration is known only after a first trial; limit it \
                 with --budget 10m"
            .into(),
    }
}

/// The command of `args` with root.
fn sudo(args: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = args.map(|word| shell_word(&word)).collect();
    format!("sudo {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::Preset;

    #[test]
    fn the_time_is_the_budget_where_there_is_one() {
        assert_eq!(time(&Plan::default()), "takes at most about 9m 50s");
        let all = Plan { preset: Preset::Publish, ..Plan::default() };
        assert!(time(&all).contains("--budget 10m"));
    }

    #[test]
    fn the_command_can_be_pasted() {
        let words = ["./assay", "run", "--on", "ext4,xfs", "--tests", "columnar.*"];
        assert_eq!(
            sudo(words.into_iter().map(String::from)),
            "sudo ./assay run --on ext4,xfs --tests 'columnar.*'"
        );
    }
}

//! Names the programs that use the machine before anything is measured, and waits until they do not.

use crate::{exit, terminal};
use anyhow::Result;
use campaign::{
    machine::quiet::{self, Load, Waited},
    stages::{Ordered, images::work_dir},
};
use model::text::printable_line;
use std::{
    path::Path,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

/// What is done about other programs before a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherPrograms {
    /// They are named.
    Named,
    /// They are named and waited for, so long at most.
    Awaited(Duration),
}

/// Deals with other programs before `ordered` is measured, and before a new campaign of it is stored, so that one that
/// could not begin leaves nothing.
///
/// # Errors
/// They are not done in time, what they do cannot be seen, or a signal asked to stop.
pub fn before(
    ordered: &Ordered,
    state: &Path,
    others: OtherPrograms,
    stop: &AtomicBool,
) -> Result<()> {
    // What no clock measures is not disturbed.
    let is_clocked = ordered.items.iter().any(|item| item.test.is_clocked());
    if is_clocked && !leave_it_alone(&work_dir(ordered, state), others, stop)? {
        return Err(exit::stopped("stopped before anything was measured"));
    }
    Ok(())
}

/// Looks at what others do on the processors and on the disk of the folder `work`, and names them or waits for them.
/// False when a signal came.
fn leave_it_alone(work: &Path, others: OtherPrograms, stop: &AtomicBool) -> Result<bool> {
    let most = match others {
        OtherPrograms::Named => None,
        OtherPrograms::Awaited(most) => Some(most),
    };
    let since = Instant::now();
    let told = |load: &Load| terminal::note(&sentence(load, most));
    let look = || quiet::look(work, stop);
    match (quiet::wait(most.unwrap_or_default(), look, || since.elapsed(), told)?, most) {
        (Waited::Stopped, _) => Ok(false),
        (Waited::Quiet, _) | (Waited::Busy(_), None) => Ok(true),
        (Waited::Busy(load), Some(most)) => Err(exit::lacking(format!(
            "after {} other programs still use {}; nothing was measured",
            humantime::format_duration(most),
            shares(&load)
        ))),
    }
}

/// What is busy, what follows, and what to do.
fn sentence(load: &Load, most: Option<Duration>) -> String {
    let shares = shares(load);
    match most {
        Some(most) => format!(
            "busy: other programs use {shares}; waiting up to {} for them to finish",
            humantime::format_duration(most)
        ),
        None => format!(
            "busy: other programs use {shares}; samples taken now count as disturbed. Stop them, or wait for them \
             with --wait-quiet 10m"
        ),
    }
}

/// `85 % of the CPU (rustc 4711: 98 % of one) and 40 % of the disk`.
fn shares(load: &Load) -> String {
    let programs: Vec<String> = load
        .programs
        .iter()
        .map(|program| {
            let name = printable_line(&program.name);
            format!("{name}, PID {}: {:.0} % of one CPU", program.pid, program.cpu_pct)
        })
        .collect();
    let named =
        if programs.is_empty() { String::new() } else { format!(" ({})", programs.join(", ")) };
    let disk =
        load.disk_pct.map(|pct| format!(" and {pct:.0} % of the disk's time")).unwrap_or_default();
    format!("{:.0} % of the CPU{named}{disk}", load.cpu_pct)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::observe::Program;

    #[test]
    fn what_is_busy_is_named_with_what_to_do() {
        let program = Program { pid: 7, name: "cc1\u{1b}[2J".into(), cpu_pct: 97.6 };
        let load = Load { cpu_pct: 61.2, disk_pct: Some(40.0), programs: vec![program] };
        let text = sentence(&load, None);
        assert!(text.starts_with("busy: other programs use 61 % of the CPU (cc1"), "{text}");
        assert!(text.contains("PID 7: 98 % of one CPU) and 40 % of the disk's time;"), "{text}");
        assert!(text.contains("--wait-quiet 10m") && !text.contains('\u{1b}'), "{text}");
        let text = sentence(&load, Some(Duration::from_secs(600)));
        assert!(text.ends_with("waiting up to 10m for them to finish"), "{text}");
        let idle = Load { disk_pct: None, programs: Vec::new(), ..load };
        assert_eq!(shares(&idle), "61 % of the CPU");
    }
}

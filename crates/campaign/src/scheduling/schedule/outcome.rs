//! Handles a target that worked or failed in a block: it is retried, dropped, or the campaign stops.

use super::{Schedule, Slot};
use crate::{machine::quiet::waited, messages::refusal};
use anyhow::{Result, anyhow};
use model::result::{Fault, FaultKind, TargetState};
use std::time::{Duration, Instant};

/// Wait before a failed target is retried, so that a momentary fault has passed.
const PAUSE: Duration = Duration::from_secs(2);

/// States when a target that failed `n` times in a row is dropped.
fn after(fault: &Fault, n: u32) -> String {
    match fault.kind {
        FaultKind::Options => "at the first failure".into(),
        _ => format!("after {n} failures in a row"),
    }
}

/// Returns the remedy: wrong options would fail in a resumed campaign too.
fn remedy(fault: &Fault, id: &str) -> String {
    match fault.kind {
        FaultKind::Options => {
            "correct the options of that target, and run it as a new campaign".into()
        }
        _ => format!("fix that, then continue with `assay resume {id}`"),
    }
}

impl Schedule<'_> {
    /// Waits before a target that has just failed is retried. False when a signal arrived.
    pub(super) fn pause(&self, target: usize) -> bool {
        self.failed_at[target].is_none_or(|at| waited(at + PAUSE, &self.cut))
    }

    /// Removes the reason of a target that is no longer missing in any block.
    pub(super) fn target_worked(&mut self, slot: &Slot) -> Result<()> {
        self.histories[slot.target].worked(slot.block);
        self.failed_at[slot.target] = None;
        let record = &mut self.records[slot.target];
        let unfinished = self.store.unfinished(&self.sized.campaign().id)?;
        if record.state == TargetState::Ok || unfinished.iter().any(|t| t.target == record.label) {
            return Ok(());
        }
        record.state = TargetState::Ok;
        Ok(self.store.set_target(&self.sized.campaign().id, record)?)
    }

    /// Reports a failure once, and ends the campaign when there is nothing left to try.
    pub(super) fn target_failed(&mut self, slot: &Slot, fault: &Fault) -> Result<()> {
        let history = &mut self.histories[slot.target];
        history.failed(slot.block, fault.kind);
        self.failed_at[slot.target] = Some(Instant::now());
        let (id, why) = (&self.sized.campaign().id, &fault.reason);
        let (label, n) = (&self.sized.entrants[slot.target].label, history.failures());
        let (given_up, is_news) = (history.is_given_up(), history.is_news());
        let may_try = history.may_try(slot.block);

        if fault.kind.ends_all() {
            self.set_failed(slot.target, why.clone())?;
            return Err(anyhow!("stopped: {label}: {why}; continue with `assay resume {id}`"));
        }
        if given_up && self.running().all(|at| self.histories[at].is_given_up()) {
            self.set_failed(slot.target, why.clone())?;
            return Err(anyhow!(
                "stopped {}: {label}: {why}; {}",
                after(fault, n),
                remedy(fault, id)
            ));
        }
        let left = self.running().filter(|at| !self.histories[*at].is_given_up());
        if let Some(alone) = self.sized.alone(left).filter(|_| given_up) {
            let alone = &self.sized.entrants[alone].label;
            self.set_failed(slot.target, why.clone())?;
            return Err(refusal::alone(format!(
                "stopped {}: {label}: {why}; only {alone} is left, with nothing to compare it to; \
                 {}",
                after(fault, n),
                remedy(fault, id)
            )));
        }
        if given_up || !may_try {
            let all = match fault.kind {
                FaultKind::Options => format!("{why}; not tried again; {}", remedy(fault, id)),
                _ => {
                    let times = if given_up { after(fault, n) } else { "after 3 tries".into() };
                    format!("{why}; dropped {times}; `assay resume {id}` retries it")
                }
            };
            self.progress.remark(&format!("{label}: {all}"));
            return self.set_failed(slot.target, all);
        }
        if is_news {
            self.progress.remark(&format!("{label}: {why}; retrying"));
        }
        self.set_failed(slot.target, why.clone())
    }

    fn set_failed(&mut self, target: usize, why: String) -> Result<()> {
        let record = &mut self.records[target];
        record.lab = self.sized.entrants[target].place.kind();
        record.state = TargetState::Failed(why);
        Ok(self.store.set_target(&self.sized.campaign().id, record)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_differs_for_wrong_options_and_other_faults() {
        let fault = |kind| Fault { kind, reason: "x".into() };
        let words = |kind| format!("{}; {}", after(&fault(kind), 3), remedy(&fault(kind), "c"));
        assert!(words(FaultKind::Command).contains("`assay resume c`"));
        let wrong = words(FaultKind::Options);
        assert!(wrong.contains("correct the options") && !wrong.contains("resume"), "{wrong}");
    }
}

//! Guests for targets that name a kernel. All of them are guests of one kind, with the same memory, processors and
//! disks, so that such candidates differ in nothing but the kernel.

use super::closed::Closed;
use crate::{
    messages::refusal,
    stages::{Entrant, Placed, place::TargetPlace},
};
use anyhow::Result;
use fs::ResolvedTarget;
use lab::{
    guest::{self, Guest, Missing},
    programs::how_to_install_kernel,
};
use model::{
    plan::{LabChoice, LabKind},
    result::TargetRecord,
    target::KernelVersion,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The kinds of guests, the preferred first: a virtual machine is closer to a real one than User-Mode Linux, however
/// slow its processor is, and may have any kernel.
const KINDS: [LabKind; 3] = [LabKind::Kvm, LabKind::Tcg, LabKind::Uml];

/// The guests of a campaign, by the kernel that is asked for.
pub(super) type Guests = BTreeMap<KernelVersion, Arc<dyn Guest>>;

/// The kernels and guests of a machine.
pub(super) trait Supply {
    /// Releases that guests of `kind` could boot, the newest first.
    fn releases(&self, kind: LabKind) -> Result<Vec<String>, Missing>;

    /// The guest of `kind` with the kernel `release`.
    fn guest(&self, kind: LabKind, release: &str) -> Result<Arc<dyn Guest>, Missing>;
}

/// This machine.
pub(super) struct ThisMachine;

impl Supply for ThisMachine {
    fn releases(&self, kind: LabKind) -> Result<Vec<String>, Missing> {
        guest::releases(kind)
    }

    fn guest(&self, kind: LabKind, release: &str) -> Result<Arc<dyn Guest>, Missing> {
        guest::with_release(kind, release).map(Arc::from)
    }
}

/// Finds a kind of guest that `lab` allows and that has all kernels of `targets`, and the guest for each.
///
/// # Errors
/// No kind has all of them; the message lists the installed kernels.
pub(super) fn choose(
    targets: &[&ResolvedTarget],
    lab: LabChoice,
    supply: &dyn Supply,
) -> Result<Guests> {
    let wanted: BTreeSet<&KernelVersion> =
        targets.iter().filter_map(|target| target.target().kernel()).collect();
    let kinds = KINDS.into_iter().filter(|kind| lab.kinds().contains(kind));
    let mut closed = Closed::default();
    for kind in kinds.clone() {
        match of_kind(kind, &wanted, supply) {
            Ok(guests) => return Ok(guests),
            Err(why) => closed.add(kind, why),
        }
    }
    let names: Vec<String> = targets.iter().map(ToString::to_string).collect();
    // User-Mode Linux has one kernel, so another can only be had for QEMU.
    let machine = kinds.into_iter().find(|kind| *kind != LabKind::Uml);
    let fixes = machine.map(|kind| fixes(kind, &wanted, supply)).unwrap_or_default();
    Err(refusal::lacking(format!(
        "{} cannot be measured, because no kind of guest has {}: {}",
        names.join(", "),
        if wanted.len() > 1 { "all these kernels" } else { "this kernel" },
        closed.reasons().into_iter().chain(fixes).collect::<Vec<_>>().join("; ")
    )))
}

/// How to install those of `wanted` that are not installed for `kind`.
fn fixes(kind: LabKind, wanted: &BTreeSet<&KernelVersion>, supply: &dyn Supply) -> Vec<String> {
    let releases = supply.releases(kind).unwrap_or_default();
    let lacking = wanted.iter().filter(|version| guest::newest_of(version, &releases).is_none());
    lacking.map(|version| how_to_install_kernel(version)).collect()
}

/// The guests of `kind` with the kernels `wanted`, or why there are none.
fn of_kind(
    kind: LabKind,
    wanted: &BTreeSet<&KernelVersion>,
    supply: &dyn Supply,
) -> Result<Guests, String> {
    let said = |missing: Missing| format!("{}; {}", missing.what, missing.fix);
    let releases = supply.releases(kind).map_err(said)?;
    let found: Vec<(&KernelVersion, Option<&str>)> =
        wanted.iter().map(|version| (*version, guest::newest_of(version, &releases))).collect();
    let lacking = found.iter().filter(|(_, release)| release.is_none());
    let lacking: Vec<&str> = lacking.map(|(version, _)| version.as_str()).collect();
    if !lacking.is_empty() {
        return Err(format!(
            "no installed kernel begins with {} (installed: {})",
            lacking.join(" or "),
            releases.join(", ")
        ));
    }
    let found = found.into_iter().filter_map(|(version, release)| Some((version, release?)));
    let guest = |(version, release): (&KernelVersion, &str)| {
        Ok((version.clone(), supply.guest(kind, release).map_err(said)?))
    };
    found.map(guest).collect()
}

/// Checks that the targets of a resumed campaign that name a kernel get the one that they were measured with, of which
/// `records` tell.
///
/// # Errors
/// A target would get another kernel.
pub fn check_same(placed: &Placed, records: &[TargetRecord]) -> Result<()> {
    for Entrant { label, target, place } in &placed.entrants {
        let (Some(version), TargetPlace::Guest(guest)) = (target.target().kernel(), place) else {
            continue;
        };
        let record = records.iter().find(|record| record.label == *label);
        let before = record.and_then(|record| record.facts.0.get(guest::KERNEL));
        let now = guest.venue().kernel;
        if let Some(before) = before.filter(|before| **before != now) {
            return Err(refusal::lacking(format!(
                "{label} was measured with kernel {before}, and would continue with {now}, now the newest installed \
                 one that begins with {version}; leave only {before} of these installed, or start again with \
                 `assay run --like`"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! Every target with its place: on this machine, in a guest of it, or nowhere.

use super::{
    place::TargetPlace,
    resolved::{Amount, Resolved},
    tests_of_plan::Item,
    uninstalled::Uninstalled,
};
use crate::{inputs::assets::Shelf, messages::refusal};
use anyhow::Result;
use fs::{Part, ResolvedTarget};
use lab::machine::Availability;
use model::{
    plan::LabKind,
    result::{TargetRecord, TargetState},
    text::Bytes,
    workload::{AssetFile, Job, Programs},
};
use std::ops::Deref;

/// An entrant runs once in each block: a candidate of the plan, or the twin of an A/A pair.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Its name in results.
    pub label: String,
    /// Its target.
    pub target: ResolvedTarget,
    /// Its place. An entrant without one has no samples, and the campaign continues with the others.
    pub place: TargetPlace,
}

/// A plan that passed all checks of single targets. It is read like [`Resolved`].
pub struct Placed {
    pub(crate) resolved: Resolved,
    /// Entrants of a block.
    pub entrants: Vec<Entrant>,
    /// Confinement of external programs, if a test runs any.
    pub programs: Programs,
    /// Its assets on this machine.
    pub(crate) shelf: Shelf,
}

impl Placed {
    /// Places every target as far as this machine alone can decide.
    pub(crate) fn by_this_machine(resolved: Resolved) -> Placed {
        let places = resolved.targets.iter().map(own_place).collect();
        let (programs, shelf) = (Programs::Confined, Shelf::default());
        let mut placed = Placed { resolved, entrants: Vec::new(), programs, shelf };
        placed.arrange(places);
        placed
    }

    /// Sets the place of each target of the plan; the baseline is the first that can be made, unless the plan names
    /// one.
    ///
    /// # Errors
    /// None can be made.
    pub(crate) fn settle(&mut self, places: Vec<TargetPlace>) -> Result<()> {
        let Some(first) = places.iter().position(|place| place.nowhere().is_none()) else {
            let lacking = self.targets.iter().zip(&places);
            let lacking =
                lacking.filter_map(|(target, place)| Some((target, place.nowhere()?.into())));
            return Err(refusal::lacking(reasons(lacking)));
        };
        let plan = &mut self.resolved.plan;
        if first > 0 && plan.baseline.is_none() {
            plan.baseline = plan.candidates().into_iter().nth(first);
        }
        self.arrange(places);
        Ok(())
    }

    /// Makes every entrant in the place of its target: a target that a plan names twice has one place, and the twin has
    /// that of the baseline.
    fn arrange(&mut self, places: Vec<TargetPlace>) {
        let plan = &self.resolved.plan;
        let named = plan.entrants();
        let labels = model::target::label_targets(&named, &plan.names);
        let entrant = |(target, label)| {
            let at = self.resolved.targets.iter().position(|own| own.target() == target)?;
            let (target, place) = (self.resolved.targets[at].clone(), places[at].clone());
            Some(Entrant { label, target, place })
        };
        self.entrants = named.iter().zip(labels).filter_map(entrant).collect();
    }

    /// Checks that there is still something to compare.
    ///
    /// # Errors
    /// Several targets were requested, and only one can be made.
    pub fn check_comparison(&self) -> Result<()> {
        let Some(alone) = self.alone(self.available()) else { return Ok(()) };
        let Entrant { label, target, .. } = &self.entrants[alone];
        let lacking = |entrant: &'_ Entrant| {
            let why = entrant.place.nowhere()?;
            Some((entrant.target.clone(), format!("{}: {why}", entrant.label)))
        };
        let lacking: Vec<_> = self.entrants.iter().filter_map(lacking).collect();
        let lacking = lacking.iter().map(|(target, why)| (target, why.clone()));
        Err(refusal::lacking(format!(
            "only {label} can be made here, and a comparison needs two; {}; fix that, or measure it alone with `--on \
             {target}`",
            reasons(lacking),
        )))
    }

    /// Returns the only target among the entrants `left`, if several were to be compared. An A/A pair is one target.
    pub fn alone(&self, left: impl Iterator<Item = usize>) -> Option<usize> {
        let is_one = |all: &[usize]| {
            let mut others = all.iter().map(|at| &self.entrants[*at].target);
            others.next().is_some_and(|first| others.all(|other| other == first))
        };
        let (all, left): (Vec<usize>, Vec<usize>) =
            ((0..self.entrants.len()).collect(), left.collect());
        (!is_one(&all) && is_one(&left)).then(|| left[0])
    }

    /// Positions of the entrants that can be made.
    pub fn available(&self) -> impl Iterator<Item = usize> {
        (0..self.entrants.len()).filter(|&at| self.entrants[at].place.nowhere().is_none())
    }

    /// A line for each entrant that cannot be made.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        let line =
            |entrant: &Entrant| Some(format!("{}: {}", entrant.label, entrant.place.nowhere()?));
        self.entrants.iter().filter_map(line)
    }

    /// Labels of the entrants that are directories.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        let own = self.entrants.iter().filter(|entrant| entrant.target.directory().is_some());
        own.map(|entrant| entrant.label.as_str())
    }

    /// Records of the entrants as a new campaign stores them.
    pub fn records(&self) -> Vec<TargetRecord> {
        let record = |entrant: &Entrant| TargetRecord {
            label: entrant.label.clone(),
            target: entrant.target.to_string(),
            lab: LabKind::Host,
            state: TargetState::Ok,
            facts: model::result::Environment::default(),
        };
        self.entrants.iter().map(record).collect()
    }

    /// Returns all its assets as files on this machine.
    pub fn asset_files(&self) -> Vec<AssetFile> {
        self.shelf.files(&self.plan.assets)
    }

    /// Like [`Resolved::job`], with the confinement of external programs and the assets of the test.
    pub fn job(&self, item: &Item, count: u32, amount: &Amount, memory: Bytes) -> Job {
        let programs = if item.test.runs_programs() { self.programs } else { Programs::None };
        let assets = self.shelf.files(&item.assets);
        Job { programs, assets, ..self.resolved.job(item, count, amount, memory) }
    }
}

impl Deref for Placed {
    type Target = Resolved;

    fn deref(&self) -> &Resolved {
        &self.resolved
    }
}

/// The reasons of `lacking` targets: first one for all that lack only programs, with the command that installs these.
fn reasons<'t>(lacking: impl Iterator<Item = (&'t ResolvedTarget, String)>) -> String {
    let (uninstalled, others): (Vec<_>, Vec<_>) =
        lacking.partition(|(target, _)| lab::machine::missing_programs(target).is_some());
    let uninstalled = Uninstalled::of(uninstalled.into_iter().map(|(target, _)| target));
    let first = uninstalled.map(|own| format!("{}: {}", own.targets.join(", "), own.why));
    first.into_iter().chain(others.into_iter().map(|(_, why)| why)).collect::<Vec<_>>().join("; ")
}

/// Returns the place of `target` as far as this machine alone can decide.
fn own_place(target: &ResolvedTarget) -> TargetPlace {
    target.parts().iter().find_map(lacking).map_or(TargetPlace::Host, TargetPlace::Nowhere)
}

fn lacking(part: &Part) -> Option<String> {
    match lab::machine::available(part.fs) {
        Availability::Ready => None,
        Availability::Missing { what, fix } => {
            Some(format!("{} cannot be used here: {what}; {fix}", part.fs.about().name))
        }
    }
}

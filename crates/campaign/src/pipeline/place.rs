//! Finds a place for each target of a resolved plan, and checks what can be checked of single targets.

use super::{
    programs,
    rehearsal::{self, Wrong},
};
use crate::{
    guests::places,
    inputs::assets,
    messages::Notes,
    sizes::space::{self, Remedy},
    stages::{Placed, Resolved, place::TargetPlace},
};
use anyhow::Result;
use model::plan::Purge;
use std::{path::Path, sync::atomic::AtomicBool};

/// The place of a campaign, and the permissions of the user.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// The state folder.
    pub state: &'a Path,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// Whether external programs run unconfined.
    pub unconfined: bool,
    /// Remedy if there is too little space.
    pub remedy: Remedy,
    /// Treatment of a target whose options are wrong.
    pub wrong: Wrong,
    /// Takes notes for the user.
    pub notes: Notes<'a>,
}

impl Placed {
    /// Checks `resolved` in the order in which the user can fix things: what programs may do, consent to wipe disks,
    /// room, where each target is made, whether its options are right by its tools, and whether a comparison is left.
    /// `consent` checks the disks and returns how they are wiped, if there are any.
    ///
    /// # Errors
    /// A check fails, or a signal asked to stop.
    pub fn new(
        resolved: Resolved,
        site: &Site<'_>,
        consent: impl FnOnce(&Placed) -> Result<Option<Purge>>,
    ) -> Result<Placed> {
        let mut placed = Placed::allowed(resolved, site, consent)?;
        let places = places::choose(&placed, (site.state, site.stop), site.notes)?;
        placed.settle(places)?;
        places::announce(&placed, site.notes);
        let wrong =
            rehearsal::rehearse_all(&placed, site.wrong, (site.state, site.stop), site.notes)?;
        if let Some(places) = wrong {
            placed.settle(places)?;
        }
        placed.check_comparison()?;
        placed.shelf = assets::keep(&placed.plan, site.state, site.stop)?;
        Ok(placed)
    }

    /// Like [`Placed::new`], for a dry run: no guest is booted and nothing is rehearsed.
    ///
    /// # Errors
    /// As of [`Placed::new`].
    pub fn foreseen(
        resolved: Resolved,
        site: &Site<'_>,
        look: impl FnOnce(&Placed) -> Result<Option<Purge>>,
    ) -> Result<Placed> {
        let mut placed = Placed::allowed(resolved, site, look)?;
        let places = places::foresee(&placed, site.notes)?;
        placed.settle(places)?;
        placed.check_comparison()?;
        Ok(placed)
    }

    /// Inside a guest: everything is here, the assets in a folder shared by its host. The host has checked the whole
    /// plan.
    ///
    /// # Errors
    /// External programs cannot be confined here.
    pub(super) fn in_guest(
        resolved: Resolved,
        unconfined: bool,
        notes: Notes<'_>,
    ) -> Result<Placed> {
        let mut placed = Placed::by_this_machine(resolved);
        placed.settle(vec![TargetPlace::Host; placed.targets.len()])?;
        placed.programs = programs::decide(&placed, unconfined, notes)?;
        placed.shelf = assets::Shelf::of_guest(lab::guest::ASSETS.as_ref());
        Ok(placed)
    }

    fn allowed(
        resolved: Resolved,
        site: &Site<'_>,
        consent: impl FnOnce(&Placed) -> Result<Option<Purge>>,
    ) -> Result<Placed> {
        let mut placed = Placed::by_this_machine(resolved);
        placed.programs = programs::decide(&placed, site.unconfined, site.notes)?;
        if let Some(purge) = consent(&placed)? {
            placed.resolved.plan.backing.purge = Some(purge);
        }
        space::check(&placed, site.state, site.remedy)?;
        Ok(placed)
    }
}

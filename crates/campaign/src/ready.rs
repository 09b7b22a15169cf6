//! A campaign that may begin. Every way to one (`run`, `resume`, `compare --rerun`, `tune`, `selftest`, ranks of MPI)
//! goes through [`Ready::new`], which holds all checks; the parts that make targets take nothing else:
//!
//! ```compile_fail,E0451
//! fn no_way_around(prepared: campaign::prepare::Prepared) -> campaign::ready::Ready {
//!     campaign::ready::Ready { prepared }
//! }
//! ```
//!
//! ```compile_fail,E0308
//! fn no_schedule_without<'a>(
//!     (prepared, campaign): (&'a campaign::prepare::Prepared, &'a model::Campaign),
//!     store: &'a mut store::Store,
//!     on: (&'a lab::Lab, &'a dyn campaign::hosts::Hosts),
//!     progress: &'a dyn campaign::Watch,
//!     end: (&'a std::sync::atomic::AtomicBool, std::time::Instant),
//! ) {
//!     let _ = campaign::schedule::Schedule::new((prepared, campaign), store, on, progress, end);
//! }
//! ```
//!
//! ```compile_fail,E0451
//! fn no_target_run_without<'a>(
//!     prepared: &'a campaign::prepare::Prepared,
//!     (lab, hosts): (&'a lab::Lab, &'a dyn campaign::hosts::Hosts),
//!     stop: &'a std::sync::atomic::AtomicBool,
//! ) {
//!     use campaign::target_run::RunContext;
//!     let _ = RunContext { prepared, lab, hosts, seed: 1, scale: 1.0, stop };
//! }
//! ```

use super::{
    asked::Asked,
    hosts::Hosts,
    places::{self, Place},
    prepare::Prepared,
    programs,
    rehearsal::{self, Wrong},
    room::{self, Remedy},
    target_run::RunContext,
    together,
};
use crate::watch::Notes;
use anyhow::Result;
use lab::Lab;
use model::{LabChoice, Plan, TestSize};
use std::{collections::BTreeMap, ops::Deref, path::Path, sync::atomic::AtomicBool};

/// A prepared campaign that passed every check. It is read like a [`Prepared`].
#[derive(Clone)]
pub struct Ready {
    prepared: Prepared,
}

/// Where a campaign is to run, and what the user allows.
pub struct Site<'a> {
    /// The state folder.
    pub state: &'a Path,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// Whether programs of others may do anything.
    pub unconfined: bool,
    /// What the user can do where there is too little room.
    pub remedy: Remedy,
    /// What becomes of a target whose options are wrong.
    pub wrong: Wrong,
    /// Takes what the user should know.
    pub notes: Notes<'a>,
}

impl Ready {
    /// Checks `prepared` in the order in which the user can mend things: what programs may do, `consent` to wipe disks,
    /// room, where each target is made, whether its options are right by its tools, whether a comparison is left, and
    /// which candidates are there at once.
    ///
    /// # Errors
    /// One of these cannot be, or a signal asked to stop.
    pub fn new(
        mut prepared: Prepared,
        site: &Site<'_>,
        consent: impl FnOnce(&mut Prepared) -> Result<()>,
    ) -> Result<Ready> {
        let Site { state, stop, unconfined, remedy, wrong, notes } = *site;
        programs::decide(&mut prepared, unconfined, notes)?;
        consent(&mut prepared)?;
        room::check(&prepared, state, remedy)?;
        places::choose(&mut prepared, (state, stop), notes)?;
        rehearsal::rehearse_all(&mut prepared, wrong, (state, stop), notes)?;
        Ready::compared(prepared, state)
    }

    /// As [`Ready::new`] for a dry run: guests are not booted, and images that find no room are given up as a run
    /// would.
    ///
    /// # Errors
    /// As of [`Ready::new`].
    pub fn foreseen(
        mut prepared: Prepared,
        site: &Site<'_>,
        look: impl FnOnce(&mut Prepared) -> Result<()>,
    ) -> Result<Ready> {
        let Site { state, unconfined, remedy, notes, .. } = *site;
        programs::decide(&mut prepared, unconfined, notes)?;
        look(&mut prepared)?;
        room::check(&prepared, state, remedy)?;
        places::foresee(&mut prepared, notes)?;
        let mut ready = Ready::compared(prepared, state)?;
        room::give_up_images(&mut ready.prepared, state)?;
        Ok(ready)
    }

    /// The part of a campaign that a guest does, each test at the process `counts` of its host: that has checked the
    /// whole of it.
    ///
    /// # Errors
    /// The guest does not know what the host knows.
    pub fn of_guest(
        plan: Plan,
        counts: &BTreeMap<String, Vec<u32>>,
        unconfined: bool,
        notes: Notes<'_>,
    ) -> Result<Ready> {
        let plan = Plan { lab: LabChoice::Host, ..plan };
        let mut prepared = Prepared::new(Asked::by_user(plan), notes)?;
        prepared.settle(vec![Place::Host])?;
        programs::decide(&mut prepared, unconfined, notes)?;
        prepared.set_counts(counts);
        Ok(Ready { prepared })
    }

    fn compared(mut prepared: Prepared, state: &Path) -> Result<Ready> {
        prepared.check_comparison()?;
        together::choose(&mut prepared, state)?;
        Ok(Ready { prepared })
    }

    /// What its target runs need, with this seed and factor on every size.
    pub fn context<'a>(
        &'a self,
        (lab, hosts): (&'a Lab, &'a dyn Hosts),
        (seed, scale): (u64, f64),
        stop: &'a AtomicBool,
    ) -> RunContext<'a> {
        RunContext { prepared: &self.prepared, lab, seed, scale, hosts, stop }
    }

    /// The same with the sizes that a trial found.
    pub fn with_sizes(mut self, sizes: Vec<TestSize>) -> Ready {
        self.prepared.plan.sizes = sizes;
        self
    }

    /// As [`Prepared::give_up`].
    pub fn give_up(&mut self, in_guests: bool, disks: usize, why: &str) -> bool {
        self.prepared.give_up(in_guests, disks, why)
    }
}

impl Deref for Ready {
    type Target = Prepared;

    fn deref(&self) -> &Prepared {
        &self.prepared
    }
}

//! Decides what external programs may do in a campaign: nothing outside their directory, unless the command line
//! allows more. A plan, a suite or a job file cannot.

use crate::{
    messages::{Notes, refusal},
    stages::{Placed, place::TargetPlace},
};
use anyhow::Result;
use engine::confine;
use model::{result::Note, workload::Programs};

/// Decides what external programs may do in `placed`; `unconfined` is the option of the command line.
///
/// # Errors
/// This machine cannot confine them, and their actions are not known to be safe.
pub fn decide(placed: &Placed, unconfined: bool, notes: Notes<'_>) -> Result<Programs> {
    let is_here = placed.entrants.iter().any(|entrant| matches!(entrant.place, TargetPlace::Host));
    let running = || placed.items.iter().filter(|item| item.test.runs_programs());
    Ok(match confinement(unconfined, is_here && running().next().is_some()) {
        Ok(programs) => programs,
        Err(why) => {
            if let Some(foreign) = running().find_map(|item| item.foreign.as_ref()) {
                return Err(refusal::usage(format!(
                    "{why}; {foreign} cannot be sandboxed without root: run as root, or review it \
                     and pass --unconfined"
                )));
            }
            notes(&format!("{why}; they run unconfined"));
            Programs::Unconfined
        }
    })
}

fn confinement(unconfined: bool, needed: bool) -> Result<Programs, confine::ConfineError> {
    match (unconfined, needed) {
        (true, _) => Ok(Programs::Unconfined),
        (false, false) => Ok(Programs::Confined),
        (false, true) => confine::available().map(|()| Programs::Confined),
    }
}

/// The note of a campaign whose programs run with all rights.
pub fn note(placed: &Placed) -> Option<Note> {
    let runs = placed.items.iter().any(|item| item.test.runs_programs());
    (runs && placed.programs == Programs::Unconfined).then_some(Note::ProgramsUnconfined {})
}

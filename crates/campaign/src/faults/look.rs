//! Examines states, on several disks at once: each is written to a disk, mounted, checked against the contract and
//! unmounted. The result does not depend on the number of disks.

use super::{
    FaultsError,
    looker::{Eye, Looker, PATIENCE, Seen},
    seat::{self, Seat},
    spread::{Done, Next, spread},
    work::{Asked, Judge, Work},
};
use ::faults::{
    content::Content,
    contract::Finding,
    image::Image,
    states::{Epochs, State},
};
use model::result::Harm;
use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// What was seen of one state.
#[derive(Clone, Debug)]
pub(super) struct Looked {
    /// Its number.
    pub(super) state: u64,
    /// How long it took to mount, nanoseconds; `None` where it could not be.
    pub(super) mount_ns: Option<u64>,
    /// Whether the checker has looked at it.
    pub(super) is_checked: bool,
    /// What is wrong with it, each kind once.
    pub(super) harm: Vec<(Harm, String)>,
}

/// States to look at.
pub(super) struct Look<'a> {
    /// What left them, and how it is judged.
    pub(super) work: Work<'a>,
    pub(super) asked: &'a Asked,
    /// The directory of the work.
    pub(super) dir: &'a str,
    /// Where applications see the file system.
    pub(super) at: &'a Path,
    pub(super) base: &'a Image,
    pub(super) epochs: &'a Epochs<'a>,
    pub(super) states: &'a [State],
}

impl Look<'_> {
    /// Looks at all of them, or until `stop` is set. A seat whose kernel hangs is not used any more.
    ///
    /// # Errors
    /// A disk or a checker failed, or every seat hangs.
    pub(super) fn on(
        &self,
        seats: &mut Vec<Seat>,
        stop: &AtomicBool,
    ) -> Result<Vec<Looked>, FaultsError> {
        if seats.is_empty() {
            return Err(FaultsError::Stuck);
        }
        let is_over = || stop.load(Relaxed);
        spread(seats, self.states.len(), &is_over, &|seat, next| self.on_one(seat, next))
    }

    /// Looks at one state after the other. Gives the seat back unless it hangs.
    fn on_one(&self, seat: Seat, next: Next<'_>) -> Result<Done<Looked, Seat>, FaultsError> {
        let looker = Looker::new(seat.how.clone(), self.dir.into(), self.eye())?;
        let mut judge = Judge::new(self.work);
        let mut looks = Vec::new();
        while let Some(at) = next() {
            let state = &self.states[at];
            seat.disk.show(self.base, &self.epochs.patches(state))?;
            let seen = looker.look(state.acknowledged, PATIENCE, || seat.disk.fail());
            let is_hung = matches!(seen, Seen::Hung);
            let mut look = judged(&mut judge, state, seen)?;
            if is_hung {
                looks.push((at, look));
                return Ok((looks, None));
            }
            disk::wait_free(seat.disk.device())?;
            if (at as u64 + 1).checked_rem(self.asked.check_every) == Some(0) {
                check(&seat, &mut look)?;
            }
            looks.push((at, look));
        }
        Ok((looks, Some(seat)))
    }

    fn eye(&self) -> Eye {
        match self.work {
            Work::Contract(_) => Eye::Content(Content::new(self.asked.seed)),
            Work::Application(application) => {
                Eye::Application(application.clone(), self.at.to_path_buf())
            }
        }
    }
}

/// Has the checker look at what the recovery left.
fn check(seat: &Seat, look: &mut Looked) -> Result<(), FaultsError> {
    let Some(checker) = &seat.checker else { return Ok(()) };
    look.harm.extend(seat::damage(checker)?.map(|found| (Harm::Damage, found)));
    look.is_checked = true;
    Ok(())
}

/// What is wrong with a state, each kind once.
fn judged(judge: &mut Judge<'_>, state: &State, seen: Seen) -> Result<Looked, FaultsError> {
    let mut look =
        Looked { state: state.number, mount_ns: None, is_checked: false, harm: Vec::new() };
    match seen {
        Seen::Failed(error) => return Err(error),
        Seen::Hung => {
            let seconds = PATIENCE.as_secs();
            look.harm.push((Harm::Hung, format!("not done after {seconds} s")));
        }
        Seen::Refused(errno) => look.harm.push((Harm::NotMounted, errno.to_string())),
        Seen::Mounted { mount_ns, found: Err(error) } => {
            look.mount_ns = Some(mount_ns);
            let detail = format!("the directory of the workload: {error}");
            look.harm.push((Harm::Unreadable, detail));
        }
        Seen::Mounted { mount_ns, found: Ok(found) } => {
            look.mount_ns = Some(mount_ns);
            look.harm = each_once(judge.findings(found, state.acknowledged)?, state);
        }
    }
    Ok(look)
}

/// The first finding of each kind, in words.
fn each_once(findings: Vec<Finding>, state: &State) -> Vec<(Harm, String)> {
    let when = match state.acknowledged {
        Some(mark) => format!("after mark {mark}"),
        None => "before any mark".into(),
    };
    let mut kinds = BTreeSet::new();
    let first = findings.into_iter().filter(|finding| kinds.insert(finding.harm));
    first.map(|own| (own.harm, format!("{}: {}, {when}", own.path, own.detail))).collect()
}

//! Examines states, on several disks at once: each is written to a disk, mounted, checked against the contract and
//! unmounted. The result does not depend on the number of disks.

use super::{
    FaultsError,
    distribute::{Done, Next, distribute},
    examiner::{Examiner, PATIENCE, Seen, Subject},
    test_disk::{self, TestDisk},
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
pub(super) struct Examined {
    /// Its number.
    pub(super) state: u64,
    /// How long it took to mount, nanoseconds; `None` where it could not be.
    pub(super) mount_ns: Option<u64>,
    /// Whether the checker has looked at it.
    pub(super) is_checked: bool,
    /// What is wrong with it, each kind once.
    pub(super) harm: Vec<(Harm, String)>,
}

/// States to examine.
pub(super) struct Examination<'a> {
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

impl Examination<'_> {
    /// Looks at all of them, or until `stop` is set. A disk whose kernel hangs is not used any more.
    ///
    /// # Errors
    /// A disk or a checker failed, or every disk hangs.
    pub(super) fn on(
        &self,
        disks: &mut Vec<TestDisk>,
        stop: &AtomicBool,
    ) -> Result<Vec<Examined>, FaultsError> {
        if disks.is_empty() {
            return Err(FaultsError::Stuck);
        }
        let is_over = || stop.load(Relaxed);
        distribute(disks, self.states.len(), &is_over, &|test_disk, next| {
            self.on_one(test_disk, next)
        })
    }

    /// Looks at one state after the other. Gives the disk back unless it hangs.
    fn on_one(
        &self,
        test_disk: TestDisk,
        next: Next<'_>,
    ) -> Result<Done<Examined, TestDisk>, FaultsError> {
        let examiner = Examiner::new(test_disk.how.clone(), self.dir.into(), self.subject())?;
        let mut judge = Judge::new(self.work);
        let mut all = Vec::new();
        while let Some(at) = next() {
            let state = &self.states[at];
            test_disk.disk.show(self.base, &self.epochs.patches(state))?;
            let seen = examiner.look(state.acknowledged, PATIENCE, || test_disk.disk.fail());
            let is_hung = matches!(seen, Seen::Hung);
            let mut examined = judged(&mut judge, state, seen)?;
            if is_hung {
                all.push((at, examined));
                return Ok((all, None));
            }
            disk::wait_free(test_disk.disk.device())?;
            if (at as u64 + 1).checked_rem(self.asked.check_every) == Some(0) {
                check(&test_disk, &mut examined)?;
            }
            all.push((at, examined));
        }
        Ok((all, Some(test_disk)))
    }

    fn subject(&self) -> Subject {
        match self.work {
            Work::Contract(_) => Subject::Content(Content::new(self.asked.seed)),
            Work::Application(application) => {
                Subject::Application(application.clone(), self.at.to_path_buf())
            }
        }
    }
}

/// Has the checker look at what the recovery left.
fn check(test_disk: &TestDisk, examined: &mut Examined) -> Result<(), FaultsError> {
    let Some(checker) = &test_disk.checker else { return Ok(()) };
    examined.harm.extend(test_disk::damage(checker)?.map(|found| (Harm::Damage, found)));
    examined.is_checked = true;
    Ok(())
}

/// What is wrong with a state, each kind once.
fn judged(judge: &mut Judge<'_>, state: &State, seen: Seen) -> Result<Examined, FaultsError> {
    let mut examined =
        Examined { state: state.number, mount_ns: None, is_checked: false, harm: Vec::new() };
    match seen {
        Seen::Failed(error) => return Err(error),
        Seen::Hung => {
            let seconds = PATIENCE.as_secs();
            examined.harm.push((Harm::Hung, format!("not done after {seconds} s")));
        }
        Seen::Refused(errno) => examined.harm.push((Harm::NotMounted, errno.to_string())),
        Seen::Mounted { mount_ns, found: Err(error) } => {
            examined.mount_ns = Some(mount_ns);
            let detail = format!("the directory of the workload: {error}");
            examined.harm.push((Harm::Unreadable, detail));
        }
        Seen::Mounted { mount_ns, found: Ok(found) } => {
            examined.mount_ns = Some(mount_ns);
            examined.harm = each_once(judge.findings(found, state.acknowledged)?, state);
        }
    }
    Ok(examined)
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

//! Cuts the power: performs a workload on a recording disk, draws states that the disk may be left in, and holds each
//! against the contract.

use super::{
    FaultsError,
    looker::{Looker, PATIENCE, Seen},
    mount::How,
    perform::perform,
};
use ::faults::{
    content::Content,
    contract::{Contract, Expected},
    log::{Event, Log},
    rule::{On, Rule, What, When},
    states::{Draw, Drawn, Epochs, State, draw},
};
use ::fs::{Part, ResolvedTarget, Site, sites};
use lab::{error::LabError, programs::Run, recording::RecordingDisk, setup::Lab};
use model::result::{AfterFault, FaultOnDisk, Harm, Spread};
use rustix::fs::syncfs;
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fs::{self, File},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Duration,
};

/// Least size of the disk, bytes: what mkfs.xfs takes.
const DISK_BYTES: u64 = 300 << 20;
/// Most data that is logged, bytes.
const LOG_BYTES: usize = 256 << 20;

/// What is to be tried.
#[derive(Clone, Copy, Debug)]
pub struct Crash<'a> {
    /// What is performed, and what must hold.
    pub contract: &'a Contract,
    /// Of content and states.
    pub seed: u64,
    /// Most distinct states.
    pub states: usize,
    /// What the disk writes whole or not at all: 512 bytes, or 4096.
    pub atomic_bytes: u64,
    /// Each write takes this much longer while the workload runs: on a disk as fast as memory some orders of events
    /// never come up.
    pub slow_writes: Duration,
    /// What the disk is like.
    pub fault: FaultOnDisk,
    /// The checker looks at one state in this many; at none where it is 0.
    pub check_every: u64,
}

/// A target on a recording disk, on which one workload after the other is tried.
#[derive(Debug)]
pub struct Ground<'a> {
    target: &'a ResolvedTarget,
    part: &'a Part,
    disk: RecordingDisk,
    site: Site,
    how: How,
    /// Workloads that were performed on it.
    performed: u64,
}

impl<'a> Ground<'a> {
    /// Makes `target` on a new disk in `lab`.
    ///
    /// # Errors
    /// It is not one file system on one disk that the kernel mounts, or it cannot be made.
    pub fn make(lab: &Lab, target: &'a ResolvedTarget) -> Result<Ground<'a>, FaultsError> {
        let part = single(target)?;
        let bytes = part.fs.about().min_bytes.max(DISK_BYTES);
        let disk = RecordingDisk::make(lab, "crash", bytes)?;
        let site = site(part, &disk, bytes);
        for command in part.fs.mkfs(&site, &part.options) {
            command.run()?;
        }
        let how = How::of(part, &site)?;
        Ok(Ground { target, part, disk, site, how, performed: 0 })
    }

    /// Performs a workload once, and looks at states until there are as many as asked for, or `stop` is set.
    ///
    /// # Errors
    /// The file system cannot be mounted, or the workload fails, without any fault.
    pub fn crash(
        &mut self,
        asked: &Crash<'_>,
        stop: &AtomicBool,
    ) -> Result<AfterFault, FaultsError> {
        if self.performed > 0 {
            // As it was when the last workload began.
            self.disk.show([])?;
        }
        let work = format!("work{}", self.performed);
        self.performed += 1;
        let log = self.record(&work, asked)?;
        let log = match asked.fault {
            FaultOnDisk::Crash => log,
            FaultOnDisk::CrashOfEarlyDisk => without_flushes(&log),
        };
        let epochs = Epochs::new(&log)?;
        let (seed, limit, atomic_bytes) = (asked.seed, asked.states, asked.atomic_bytes);
        let drawn = draw(&epochs, Draw { seed, limit, atomic_bytes });
        let looker = Looker::new(self.how.clone(), work, Content::new(asked.seed))?;
        let (disk, part, site) = (&self.disk, self.part, &self.site);
        Trial { asked, disk, part, site, epochs: &epochs, looker }.all(&drawn, stop)
    }

    /// Performs the workload in the directory `work`, and returns what the disk was asked meanwhile.
    fn record(&self, work: &str, asked: &Crash<'_>) -> Result<Log, FaultsError> {
        let target = || self.target.target().to_string();
        let refused = |errno| FaultsError::Mount { target: target(), errno };
        let mounted = self.how.mount().map_err(refused)?;
        let root = mounted.root().join(work);
        let (contract, content) = (asked.contract, Content::new(asked.seed));
        let prepared = contract.workload().prepared;
        let mut held = Vec::new();
        let prepare = || -> std::io::Result<()> {
            fs::create_dir(&root)?;
            Ok(syncfs(File::open(&root)?)?)
        };
        prepare().map_err(FaultsError::Prepare)?;
        perform(contract, 0..prepared, (content, &root), &mut held, &|_| ())?;
        self.disk.slow_writes(asked.slow_writes);
        self.disk.record(LOG_BYTES);
        let all = prepared..contract.workload().operations.len();
        let mark = |mark| self.disk.mark(mark);
        let done = perform(contract, all, (content, &root), &mut held, &mark);
        // What is written while it is unmounted is of no crash.
        let log = self.disk.recorded();
        self.disk.slow_writes(Duration::ZERO);
        drop((held, mounted));
        done?;
        disk::wait_free(self.disk.device())?;
        Ok(log?)
    }
}

/// The one part of a target.
fn single(target: &ResolvedTarget) -> Result<&Part, FaultsError> {
    let refused =
        |why: &str| FaultsError::Target { target: target.target().to_string(), why: why.into() };
    match target.parts() {
        [part] if part.disks() == 1 => Ok(part),
        [] => Err(refused("it is a directory; name a file system")),
        _ => Err(refused("it is not one file system on one disk")),
    }
}

fn site(part: &Part, disk: &RecordingDisk, bytes: u64) -> Site {
    let devices = [disk.device().to_path_buf()];
    let place = |_, _: &Part| ("crash".into(), "/".into(), "/".into());
    let mut sites = sites(std::slice::from_ref(part), &devices, (bytes, None), place);
    sites.remove(0)
}

/// What a disk logs that answers flushes before it has done them: to it they are nothing.
fn without_flushes(log: &Log) -> Log {
    let mut early = Log::new(LOG_BYTES);
    for event in log.events() {
        match event {
            Event::Flush => {}
            // It had room for as much before.
            Event::Write { offset, data } => {
                let _ = early.write(*offset, log.data(data));
            }
            Event::Discard { .. } | Event::Mark(_) => early.push(event.clone()),
        }
    }
    early
}

/// One trial with its disk.
struct Trial<'a> {
    asked: &'a Crash<'a>,
    disk: &'a RecordingDisk,
    part: &'a Part,
    site: &'a Site,
    epochs: &'a Epochs<'a>,
    looker: Looker,
}

impl Trial<'_> {
    fn all(&self, drawn: &Drawn, stop: &AtomicBool) -> Result<AfterFault, FaultsError> {
        let mut after = AfterFault {
            fault: self.asked.fault,
            contract: self.asked.contract.workload().name.clone(),
            seed: self.asked.seed,
            tried: 0,
            harmed: 0,
            is_complete: false,
            recovery: None,
            checked: 0,
            found: BTreeMap::new(),
        };
        let mut expected: BTreeMap<Option<u64>, Expected<'_>> = BTreeMap::new();
        let mut mount_ns = Vec::new();
        for state in &drawn.states {
            if stop.load(Relaxed) {
                break;
            }
            let mark = state.acknowledged;
            let expected: &Expected<'_> = match expected.entry(mark) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.asked.contract.expect(mark)?),
            };
            let noted = after.noted();
            self.disk.show(self.epochs.patches(state))?;
            let seen = self.looker.look(PATIENCE, || self.fail_all());
            after.tried += 1;
            let is_hung = matches!(seen, Seen::Hung);
            if let Seen::Mounted { mount_ns: took, .. } = &seen {
                mount_ns.push(*took);
            }
            judge(&mut after, expected, state, seen);
            if !is_hung {
                disk::wait_free(self.disk.device())?;
                if after.tried.checked_rem(self.asked.check_every) == Some(0) {
                    self.check(&mut after, state)?;
                }
            }
            after.harmed += u64::from(after.noted() > noted);
            if is_hung {
                // The disk fails from now on.
                break;
            }
        }
        after.is_complete = drawn.is_complete && after.tried == drawn.states.len() as u64;
        after.recovery = Spread::of(mount_ns);
        Ok(after)
    }

    /// Has all requests fail from now on.
    fn fail_all(&self) {
        let rule = |on| Rule { on, range: 0..u64::MAX, when: When::ALWAYS, what: What::Error };
        self.disk.inject([On::Read, On::Write, On::Flush].map(rule).to_vec());
    }

    /// Has the checker look at what the recovery left.
    fn check(&self, after: &mut AfterFault, state: &State) -> Result<(), FaultsError> {
        let Some(checker) = self.part.fs.check(self.site) else { return Ok(()) };
        match checker.run() {
            Ok(_) => {}
            Err(LabError::Disk(error @ disk::Error::Command { .. })) => {
                after.note(Harm::Damage, state.number, || error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
        after.checked += 1;
        Ok(())
    }
}

/// Notes what is wrong with a state, each kind once.
fn judge(after: &mut AfterFault, expected: &Expected<'_>, state: &State, seen: Seen) {
    let number = state.number;
    let found = match seen {
        Seen::Hung => {
            let seconds = PATIENCE.as_secs();
            return after.note(Harm::Hung, number, || format!("not done after {seconds} s"));
        }
        Seen::Refused(errno) => {
            return after.note(Harm::NotMounted, number, || errno.to_string());
        }
        Seen::Mounted { found: Err(error), .. } => {
            let detail = || format!("the directory of the workload: {error}");
            return after.note(Harm::Unreadable, number, detail);
        }
        Seen::Mounted { found: Ok(found), .. } => found,
    };
    let mut kinds = BTreeSet::new();
    for finding in expected.check(&found) {
        if kinds.insert(finding.harm) {
            after.note(finding.harm, number, || {
                let when = match state.acknowledged {
                    Some(mark) => format!("after mark {mark}"),
                    None => "before any mark".into(),
                };
                format!("{}: {}, {when}", finding.path, finding.detail)
            });
        }
    }
}

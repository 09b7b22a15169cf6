//! Claims disks and wipes them: locked against other assay processes, checked again before each wipe, and left without
//! a file system after success.

use super::{
    DiskInfo, DiskRequest, choose,
    consent::Permission,
    division, examine, examine_all,
    facts::{self, Facts},
    open_exclusively,
    signature::{self, EDGE_BYTES, Ends},
    sysfs::{self, System},
};
use crate::{
    DiskPart, Error, Refusal, blkpg, discard, fill,
    hold::Hold,
    lock::{self, Lock},
    program,
};
use model::{
    plan::{CONDITION_FILLS, Purge},
    text::Bytes,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{DirBuilder, File},
    io,
    ops::Range,
    os::unix::fs::{DirBuilderExt, FileExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
};

/// Holds one locked file for each disk that an assay works on. It belongs to root, is the same for all
/// state folders, and is gone after a boot, as are the processes.
const LOCKS: &str = "/run/assay";
/// The control socket of a running udev.
const UDEV: &str = "/run/udev/control";

/// A disk that this process may destroy, as long as it lives.
#[derive(Debug)]
pub struct Claim {
    info: DiskInfo,
    identity: String,
    kept: Vec<PathBuf>,
    /// Open from before it was judged.
    hold: Arc<Hold>,
    /// The hold on the partition that the kernel currently shows.
    part: Mutex<Option<Arc<Hold>>>,
    purge: Purge,
    /// The parts it is divided into; none where targets have it as a whole.
    parts: Vec<DiskPart>,
    state: Mutex<State>,
}

/// What may be destroyed at this point.
#[derive(Debug)]
struct State {
    permission: Permission,
    /// Whether this process has wiped it, so that no user data is left.
    is_ours: bool,
}

/// Locks and judges the disks of `request`. The locks are held until they are dropped.
///
/// # Errors
/// One of them is refused, or cannot be emptied in the way that was asked for.
pub fn claim(request: &DiskRequest) -> Result<(Vec<Claim>, Vec<Lock>), Error> {
    let locks = lock_disks(&request.links)?;
    let held: Result<Vec<Hold>, Error> =
        request.links.iter().map(|link| Hold::open(&facts::resolve(link)?)).collect();
    let permission = request.permission();
    let all = examine_all(request, &permission)?;
    let purge = choose(request.purge, &all)?;
    let claim = |(facts, hold): (&Facts, Hold)| {
        is_judged(facts, &hold)?;
        Ok(Claim {
            info: DiskInfo::of(facts),
            identity: facts.identity(),
            kept: request.kept.clone(),
            hold: Arc::new(hold),
            part: Mutex::default(),
            purge,
            parts: division::divide(Bytes(facts.size_bytes), request.parts.unwrap_or(0)),
            state: Mutex::new(State { permission: permission.clone(), is_ours: false }),
        })
    };
    let claims: Result<Vec<Claim>, Error> = all.iter().zip(held?).map(claim).collect();
    Ok((claims?, locks))
}

/// Checks that the disk that was judged is the one that is held open.
fn is_judged(facts: &Facts, hold: &Hold) -> Result<(), Error> {
    let (was, is) = (hold.number(), facts.number.clone());
    if was == is {
        hold.check()
    } else {
        Err(Refusal::Changed { path: facts.link.clone(), was, is }.into())
    }
}

impl Claim {
    /// The disk as the user sees it.
    pub fn info(&self) -> &DiskInfo {
        &self.info
    }

    pub(crate) fn hold(&self) -> Arc<Hold> {
        self.hold.clone()
    }

    /// Returns the hold on the partition that the kernel currently shows.
    pub(crate) fn held_part(&self) -> Option<Arc<Hold>> {
        self.part.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn hold_part(&self, part: Option<Hold>) {
        *self.part.lock().unwrap_or_else(PoisonError::into_inner) = part.map(Arc::new);
    }

    pub(crate) fn purge_policy(&self) -> Purge {
        self.purge
    }

    /// Returns its identity: the properties that tell it from other disks.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The parts it is divided into; none where targets have it as a whole.
    pub fn parts(&self) -> &[DiskPart] {
        &self.parts
    }

    /// Empties it for the next file system.
    pub(crate) fn purge(&self) -> Result<(), Error> {
        let file = self.take(true)?;
        self.empty(&file, self.info.size)?;
        division::forget_all(&file, &self.info.node)?;
        drop(file);
        self.wait_until_free(&self.info.node)
    }

    /// Makes `part` a partition, and empties that for the next file system. The first time the whole disk is
    /// emptied, too. The disk is held exclusively all the while, and the writing goes through the
    /// partition, so that it cannot leave it.
    pub(crate) fn purge_part(&self, part: &DiskPart) -> Result<(), Error> {
        if !self.state().is_ours {
            self.purge()?;
        }
        self.forget_parts()?;
        let disk = self.take(false)?;
        settle_udev();
        blkpg::add(&disk, part).map_err(Error::io("split", &self.info.link))?;
        let node = part.node(&self.info.node);
        let file = self.open_part(&node, part)?;
        let hold = Hold::open(&node)?;
        if !hold.is_of(&file)? {
            return Err(Refusal::PartAbsent { path: self.info.link.clone(), node }.into());
        }
        // While open, it is not removed or recreated when another process rereads the table.
        self.hold_part(Some(hold));
        self.empty(&file, Bytes(part.bytes))?;
        drop((file, disk));
        self.wait_until_free(&node)
    }

    /// Makes the kernel forget the partitions, so that only the whole disk is visible.
    pub(crate) fn forget_parts(&self) -> Result<(), Error> {
        self.hold_part(None);
        division::forget_parts(&self.info.link, &self.identity, &self.parts).map(drop)
    }

    /// Opens `node` for writing, if it is just this `part` of this disk.
    fn open_part(&self, node: &Path, part: &DiskPart) -> Result<File, Error> {
        let absent = || Refusal::PartAbsent { path: self.info.link.clone(), node: node.into() };
        let file = File::options().read(true).write(true).open(node).map_err(|_| absent())?;
        let opened = file.metadata().map_err(Error::io("look at", node))?.rdev();
        let system = System::default();
        let found = system.by_number(&sysfs::number(opened)).filter(|block| {
            let disk = facts::identity(&system, &system.disk(block));
            disk == self.identity && division::part(block) == *part
        });
        found.map(|_| file).ok_or_else(|| absent().into())
    }

    /// Empties the disk or part of `size` on which `file` is open, by the policy.
    fn empty(&self, file: &File, size: Bytes) -> Result<(), Error> {
        let emptied = match self.purge {
            Purge::Discard => discard::discard(file, size),
            Purge::ZeroRange => discard::zero(file, size),
            Purge::None => Ok(()),
        };
        emptied
            .and_then(|()| zero_ends(file, 0..size.0))
            .map_err(Error::io("purge", &self.info.link))
    }

    /// A child that another thread has just started keeps the file open until it becomes its program, and
    /// mkfs would find the disk busy.
    fn wait_until_free(&self, node: &Path) -> Result<(), Error> {
        open_exclusively(&self.info.link, node, false).map(drop)
    }

    /// Fills it in full, twice, with data that no disk can store in less, so that an SSD has no free
    /// blocks but its reserve. `progress` gets the bytes written so far.
    ///
    /// # Errors
    /// It is refused, fails, or `stop` became true.
    pub fn precondition(
        &self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), Error> {
        let (file, size) = (self.take(true)?, self.info.size);
        let filled = (0..CONDITION_FILLS).try_for_each(|round| {
            let whole = 0..size.0;
            let all = (std::slice::from_ref(&whole), fill::Filling::Random);
            fill::fill(&file, &self.info.link, all, stop, &mut |done| {
                progress(round * size.0 + done);
            })
        });
        // Without its zeros the disk would hold data of no known type, and be refused next time.
        zero_ends(&file, 0..size.0).map_err(Error::io("purge", &self.info.link))?;
        division::forget_all(&file, &self.info.node)?;
        filled
    }

    /// Remembers what is on the disk, which this process has just made and taken down, as its own.
    /// What cannot be read is not remembered, and refused when it is to be wiped.
    pub(crate) fn learn(&self) {
        if let Ok(facts) = self.look() {
            self.state().permission.ours.extend(facts.contents);
        }
    }

    fn look(&self) -> Result<Facts, Error> {
        let (link, system) = (&self.info.link, System::default());
        let node = facts::resolve(link)?;
        let file = open_exclusively(link, &node, false)?;
        let mut facts = Facts::gather(&system, link, &node, &self.kept)?;
        self.check_identity(&facts)?;
        facts.read_contents(&system, &file)?;
        Ok(facts)
    }

    /// Removes the signatures of what this process made; nothing when it has not begun to.
    ///
    /// # Errors
    /// It is refused, or fails.
    pub fn release(&self) -> Result<(), Error> {
        if !self.state().is_ours {
            return Ok(());
        }
        self.forget_parts()?;
        let file = self.take(true)?;
        let mut parts = self.parts.iter().map(DiskPart::range);
        let wiped = parts
            .try_for_each(|range| zero_ends(&file, range))
            .and_then(|()| zero_ends(&file, 0..self.info.size.0));
        wiped.map_err(Error::io("wipe", &self.info.link))?;
        self.state().is_ours = false;
        Ok(())
    }

    /// Judges the disk again under an exclusive open, which is returned, and is for writing if `write`.
    /// From here on it carries nothing of the user's, and only what [`Claim::learn`] saw may be wiped
    /// again.
    fn take(&self, write: bool) -> Result<File, Error> {
        let mut state = self.state();
        let (facts, file) = examine(&self.info.link, &self.kept, &state.permission, write)?;
        self.check_identity(&facts)?;
        state.permission.kinds.clear();
        state.permission.ours.clear();
        state.is_ours = true;
        Ok(file)
    }

    /// Makes sure that its name and its node still lead to the same disk.
    pub(crate) fn check_there(&self) -> Result<(), Error> {
        let (path, system) = (self.info.link.clone(), System::default());
        let node = facts::resolve(&path)?;
        let block = sysfs::number_of(&node).and_then(|number| system.by_number(&number));
        let block = block.ok_or_else(|| Refusal::Absent { path: path.clone() })?;
        let (was, is) = (self.identity.clone(), facts::identity(&system, &block));
        if was != is {
            return Err(Refusal::Changed { path, was, is }.into());
        }
        self.hold.check()?;
        self.held_part().map_or(Ok(()), |part| part.check())
    }

    fn check_identity(&self, facts: &Facts) -> Result<(), Refusal> {
        let (path, was, is) = (self.info.link.clone(), &self.identity, facts.identity());
        if *was == is { Ok(()) } else { Err(Refusal::Changed { path, was: was.clone(), is }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Types of what is on the disk at `link`, as far as the own reader sees it; empty where there is no
/// such disk any more.
///
/// # Errors
/// It cannot be read.
pub fn left_on(link: &Path) -> Result<BTreeSet<String>, Error> {
    let Ok(node) = facts::resolve(link) else { return Ok(BTreeSet::new()) };
    let block = sysfs::number_of(&node).and_then(|number| System::default().by_number(&number));
    let Some(block) = block else { return Ok(BTreeSet::new()) };
    let file = File::open(&node).map_err(Error::io("open", &node))?;
    let ends = Ends::read(&file, 0, block.size()).map_err(Error::io("read", &node))?;
    Ok(signature::signatures(&ends).into_iter().map(|signature| signature.kind).collect())
}

/// Zeroes all in which a signature of what fills `range` of `file` can lie.
fn zero_ends(file: &File, range: Range<u64>) -> io::Result<()> {
    let zeros = vec![0u8; (range.end - range.start).min(EDGE_BYTES) as usize];
    file.write_all_at(&zeros, range.start)?;
    file.write_all_at(&zeros, range.end - zeros.len() as u64)?;
    file.sync_all()
}

/// Waits until udev has looked at the disk, which it does when one closes it that has written: it has the
/// kernel read the table again, and without a table the kernel would forget the part that is made next.
fn settle_udev() {
    if Path::new(UDEV).exists() {
        // It fails when udev is overloaded; a removed partition is reported later.
        let _ = program::run("udevadm", &["settle", "--timeout=10"]);
    }
}

/// One lock for each disk, so that two assays do not even share one by its partitions.
fn lock_disks(links: &[PathBuf]) -> Result<Vec<Lock>, Error> {
    let dir = Path::new(LOCKS);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(Error::io("create", dir))?;
    let system = System::default();
    let mut disks = BTreeMap::new();
    for link in links {
        let number = sysfs::number_of(&facts::resolve(link)?);
        let disk = number.and_then(|n| system.by_number(&n)).map(|block| system.disk(&block));
        disks.extend(disk.map(|disk| (disk.number, link)));
    }
    let mut locks = Vec::new();
    for (number, link) in disks {
        let path = dir.join(format!("disk-{number}.lock"));
        let file = lock::exclusive(&path).map_err(Error::io("lock", &path))?;
        let locked = || Refusal::Locked { path: link.clone(), lock: path.clone() };
        locks.push(file.ok_or_else(locked)?);
    }
    Ok(locks)
}

//! Disks that this process has claimed: locked against other assays, judged again whenever they are
//! emptied, and left without a file system when all goes well.

use super::{
    DiskInfo, DiskRequest, Refusal, choose, examine, examine_all,
    facts::{self, Facts},
    judge::Permission,
    open_exclusively,
    signature::{self, EDGE_BYTES, Ends},
    sysfs::{self, System},
};
use crate::{LabError, discard, image, lock};
use model::{Bytes, CONDITION_FILLS, Purge};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, FileExt},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
};

/// Holds one locked file for each disk that an assay works on. It belongs to root, is the same for all
/// state folders, and is gone after a boot, as are the processes.
const LOCKS: &str = "/run/assay";

/// A disk that this process may destroy, as long as it lives.
#[derive(Debug)]
pub(crate) struct Claim {
    info: DiskInfo,
    identity: String,
    kept: Vec<PathBuf>,
    purge: Purge,
    state: Mutex<State>,
}

/// What may be destroyed now.
#[derive(Debug)]
struct State {
    permission: Permission,
    /// Whether this process has emptied it: from then on there is nothing of the user's on it.
    is_ours: bool,
}

/// Locks and judges the disks of `request`. The locks are held as long as the files.
pub(crate) fn claim(request: &DiskRequest) -> Result<(Vec<Claim>, Vec<File>), LabError> {
    let locks = lock_disks(&request.links)?;
    let permission = request.permission();
    let all = examine_all(request, &permission)?;
    let purge = choose(request.purge, &all)?;
    let claim = |facts: &Facts| Claim {
        info: DiskInfo::of(facts),
        identity: facts.identity(),
        kept: request.kept.clone(),
        purge,
        state: Mutex::new(State { permission: permission.clone(), is_ours: false }),
    };
    Ok((all.iter().map(claim).collect(), locks))
}

impl Claim {
    pub(crate) fn info(&self) -> &DiskInfo {
        &self.info
    }

    pub(crate) fn purge_policy(&self) -> Purge {
        self.purge
    }

    /// Empties it for the next file system.
    pub(crate) fn purge(&self) -> Result<(), LabError> {
        let file = self.take()?;
        let failed = || LabError::io("purge", &self.info.link);
        match self.purge {
            Purge::Discard => discard::discard(&file, self.info.size).map_err(failed())?,
            Purge::ZeroRange => discard::zero(&file, self.info.size).map_err(failed())?,
            Purge::None => {}
        }
        zero_ends(&file, self.info.size).map_err(failed())?;
        drop(file);
        self.wait_until_free()
    }

    /// A child that another thread has just started keeps the file open until it becomes its program, and
    /// mkfs would find the disk busy.
    fn wait_until_free(&self) -> Result<(), LabError> {
        open_exclusively(&self.info.link, &self.info.node, false).map(drop)
    }

    /// Fills it in full, twice, with data that no disk can store in less, so that an SSD has no free
    /// blocks but its reserve. `progress` gets the bytes written so far.
    pub(crate) fn condition(
        &self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), LabError> {
        let (file, size) = (self.take()?, self.info.size);
        let filled = (0..CONDITION_FILLS).try_for_each(|round| {
            image::fill(&file, &self.info.link, size, stop, &mut |done| {
                progress(round * size.0 + done);
            })
        });
        // Without its zeros the disk would hold data of no known type, and be refused next time.
        zero_ends(&file, size).map_err(LabError::io("purge", &self.info.link))?;
        filled
    }

    /// Remembers what lies on the disk, which this process has just made and taken down, as its own.
    /// What cannot be read is not remembered, and refused when it is to be wiped.
    pub(crate) fn learn(&self) {
        if let Ok(facts) = self.look() {
            self.state().permission.ours.extend(facts.contents);
        }
    }

    fn look(&self) -> Result<Facts, LabError> {
        let (link, system) = (&self.info.link, System::default());
        let node = facts::resolve(link)?;
        let file = open_exclusively(link, &node, false)?;
        let mut facts = Facts::gather(&system, link, &node, &self.kept)?;
        self.check_identity(&facts)?;
        facts.read_contents(&system, &file)?;
        Ok(facts)
    }

    /// Removes the signatures of what this process made; nothing when it has not begun to.
    pub(crate) fn release(&self) -> Result<(), LabError> {
        if !self.state().is_ours {
            return Ok(());
        }
        let file = self.take()?;
        zero_ends(&file, self.info.size).map_err(LabError::io("wipe", &self.info.link))?;
        self.state().is_ours = false;
        Ok(())
    }

    /// Judges the disk again under an exclusive open, which is returned. From here on it carries nothing
    /// of the user's, and only what [`Claim::learn`] saw may be wiped again.
    fn take(&self) -> Result<File, LabError> {
        let mut state = self.state();
        let (facts, file) = examine(&self.info.link, &self.kept, &state.permission, true)?;
        self.check_identity(&facts)?;
        state.permission.kinds.clear();
        state.permission.ours.clear();
        state.is_ours = true;
        Ok(file)
    }

    fn check_identity(&self, facts: &Facts) -> Result<(), Refusal> {
        let (path, was, is) = (self.info.link.clone(), &self.identity, facts.identity());
        if *was == is { Ok(()) } else { Err(Refusal::Changed { path, was: was.clone(), is }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Types of what lies on the disk at `link`, as far as the own reader sees it; empty where there is no
/// such disk any more.
pub(crate) fn left_on(link: &Path) -> Result<BTreeSet<String>, LabError> {
    let Ok(node) = facts::resolve(link) else { return Ok(BTreeSet::new()) };
    let block = sysfs::number_of(&node).and_then(|number| System::default().by_number(&number));
    let Some(block) = block else { return Ok(BTreeSet::new()) };
    let file = File::open(&node).map_err(LabError::io("open", &node))?;
    let ends = Ends::read(&file, 0, block.size()).map_err(LabError::io("read", &node))?;
    Ok(signature::signatures(&ends).into_iter().map(|signature| signature.kind).collect())
}

/// Zeroes all in which a signature can lie.
fn zero_ends(file: &File, size: Bytes) -> io::Result<()> {
    let zeros = vec![0u8; size.0.min(EDGE_BYTES) as usize];
    file.write_all_at(&zeros, 0)?;
    file.write_all_at(&zeros, size.0 - zeros.len() as u64)?;
    file.sync_all()
}

/// One lock for each disk, so that two assays do not even share one by its partitions.
fn lock_disks(links: &[PathBuf]) -> Result<Vec<File>, LabError> {
    let dir = Path::new(LOCKS);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(LabError::io("create", dir))?;
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
        let file = lock::exclusive(&path).map_err(LabError::io("lock", &path))?;
        let locked = || Refusal::Locked { path: link.clone(), lock: path.clone() };
        locks.push(file.ok_or_else(locked)?);
    }
    Ok(locks)
}

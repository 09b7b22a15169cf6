//! The timed part: one action on every file of the set, then what makes it durable.

use super::{
    content::{Content, Source},
    laps::Laps,
    path::{PathBuffer, failed, wrong},
    set::{FileSet, read_all, read_buffer, write_all},
    settings::{Action, Order, Settings},
    walk::Walker,
};
use crate::{Meter, Run, TestError};
use engine::{data::derive_seed, progress::Progress};
use model::{
    figure::{Histogram, Synced},
    random::Rng,
    workload::{Job, PhaseKind},
};
use rustix::fs::{self, AtFlags, Mode, OFlags};
use std::ffi::CStr;

/// The pattern that `find` looks for in a name, as the find of IO500 does.
const LOOKED_FOR: &[u8] = b"01";

/// Bytes of the number of an inode.
const INODE_NUMBER_BYTES: u64 = 8;

/// The files in the order in which they are taken.
enum Sequence {
    Creation(u64),
    Random(Vec<u32>),
    Readdir,
}

/// A test that is ready.
pub(super) struct FilesRun<'a> {
    settings: &'a Settings,
    job: &'a Job,
    set: FileSet,
    sequence: Sequence,
    walker: Walker,
    hands: Hands,
    /// The content of the files after a rewrite.
    written: Content,
    /// Entries that a walk saw, and those that `find` was looking for.
    seen: u64,
    found: u64,
}

impl<'a> FilesRun<'a> {
    pub(super) fn new(settings: &'a Settings, job: &'a Job) -> Result<FilesRun<'a>, TestError> {
        let set = FileSet::new(settings, job);
        let written = match settings.action {
            Action::Rewrite => other_content(&set)?,
            _ => set.contents[0].clone(),
        };
        let writes = matches!(settings.action, Action::Create | Action::Rewrite);
        let source = written.clone().source(if writes { set.count } else { 0 });
        let sequence = match settings.order {
            Order::Creation => Sequence::Creation(set.count),
            Order::Random => Sequence::Random(shuffled(set.count, job)),
            Order::Readdir => Sequence::Readdir,
        };
        let hands = Hands {
            action: settings.action,
            fsync: settings.sync_method == 1,
            source,
            path: PathBuffer::new(),
            buffer: read_buffer(set.file_bytes),
            laps: Laps::new(settings.action.word())?,
        };
        let walker = Walker::new();
        Ok(FilesRun { settings, job, set, sequence, walker, hands, written, seen: 0, found: 0 })
    }

    fn work(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        for _ in 0..self.settings.rounds {
            match self.settings.action {
                Action::List => self.list(progress)?,
                Action::Find => self.find(progress)?,
                _ => self.each(progress)?,
            }
        }
        Ok(())
    }

    fn each(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        let FilesRun { set, sequence, walker, hands, .. } = self;
        hands.laps.start();
        match sequence {
            Sequence::Creation(count) => {
                (0..*count).try_for_each(|index| hands.one(set, index, progress))
            }
            Sequence::Random(order) => {
                order.iter().try_for_each(|&index| hands.one(set, u64::from(index), progress))
            }
            Sequence::Readdir => set.dirs().iter().try_for_each(|dir| {
                walker.walk(dir, None, |_, entry| {
                    match set.index_of(entry.file_name().to_bytes()) {
                        Some(index) => hands.one(set, index, progress),
                        None => Ok(()),
                    }
                })
            }),
        }
    }

    fn list(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        let FilesRun { set, walker, hands, seen, .. } = self;
        set.dirs().iter().try_for_each(|dir| {
            walker.walk(dir, Some(&mut hands.laps), |_, _| {
                *seen += 1;
                progress.add(0, 1);
                Ok(())
            })
        })
    }

    /// `find DIRS -newer WITNESS -size BYTESc -name '*01*'`: the age and the size need a stat.
    fn find(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        let FilesRun { set, walker, hands, seen, found, .. } = self;
        let newer_than = fs::stat(&set.witness)
            .map_err(|e| TestError::io("stat", &set.witness)(e.into()))?
            .st_mtime;
        hands.laps.start();
        set.dirs().iter().try_for_each(|dir| {
            walker.walk(dir, None, |fd, entry| {
                let name = entry.file_name();
                let about = fs::statat(fd, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_err(failed("stat", name))?;
                let wanted = about.st_mtime > newer_than
                    && about.st_size as u64 == set.file_bytes
                    && is_looked_for(name.to_bytes());
                *seen += 1;
                *found += u64::from(wanted);
                progress.add(0, 1);
                hands.laps.lap();
                Ok(())
            })
        })
    }

    /// Syncs as fs_mark's method demands, and then by a syncfs, so that every method ends with the same
    /// promise: names and bytes are durable.
    fn sync(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        let method = match self.settings.action {
            Action::Delete => 0,
            _ => self.settings.sync_method,
        };
        if matches!(method, 2 | 4 | 6) {
            self.set.syncfs()?;
        }
        let count = self.set.count;
        match method {
            2 => self.fsync(0)?,
            3 | 4 => (0..count).rev().try_for_each(|index| self.fsync(index))?,
            5 | 6 => (0..count).try_for_each(|index| self.fsync(index))?,
            _ => {}
        }
        self.set.syncfs()?;
        progress.add(0, 1);
        Ok(())
    }

    fn fsync(&mut self, index: u64) -> Result<(), TestError> {
        let path = self.set.path(index, &mut self.hands.path)?;
        let file = fs::open(path, OFlags::RDONLY, Mode::empty()).map_err(failed("open", path))?;
        fs::fsync(&file).map_err(failed("fsync", path))
    }

    /// Entries that a walk must see; the workers of a shared set see each other's files.
    fn expected(&self) -> (u64, u64) {
        let workers = if self.settings.shared {
            0..self.job.workers
        } else {
            self.job.worker..self.job.worker + 1
        };
        let entries = self.set.count * u64::from(workers.end - workers.start);
        let matches = |worker| {
            let names = (0..self.set.count).map(move |i| FileSet::file_name(worker, i));
            names.filter(|name| is_looked_for(name.as_bytes())).count() as u64
        };
        let found = if self.settings.action == Action::Find {
            workers.map(matches).sum::<u64>()
        } else {
            0
        };
        (entries * self.settings.rounds, found * self.settings.rounds)
    }

    fn check_walk(&self) -> Result<(), TestError> {
        let ((seen, found), expected) = ((self.seen, self.found), self.expected());
        if (seen, found) == expected {
            return Ok(());
        }
        let why = format!(
            "{seen} entries, {found} of them looked for, instead of {} and {}",
            expected.0, expected.1
        );
        Err(TestError::Wrong { path: self.set.dirs()[0].clone(), why })
    }
}

impl Run for FilesRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let action = self.settings.action;
        meter.phase(action.phase(), &mut |progress| self.work(progress))?;
        if !action.changes() {
            return Ok(());
        }
        meter.phase(PhaseKind::Sync, &mut |progress| self.sync(progress))
    }

    fn verify(&mut self) -> Result<(), TestError> {
        match self.settings.action {
            Action::Create | Action::Rewrite => {
                self.set.check_count(self.set.count)?;
                self.set.check_content(std::slice::from_ref(&self.written))
            }
            Action::Read => self.set.check_content(&self.set.contents),
            Action::Delete => self.set.check_count(0),
            Action::List | Action::Find => self.check_walk(),
            Action::Stat | Action::Open => self.set.check_count(self.set.count),
        }
    }

    fn footprint_bytes(&self) -> u64 {
        match self.settings.action {
            Action::Read => self.set.count * self.set.file_bytes.next_multiple_of(4096),
            action if action.changes() => 0,
            // Whatever a directory looks like, an entry has at least the number of an inode. What all
            // workers share comes from the device once, so each counts its own part.
            _ => self.set.count * INODE_NUMBER_BYTES,
        }
    }

    fn synced(&self) -> Option<Synced> {
        let share = self.job.data.incompressible_share();
        let data = Synced::data(self.set.count * self.set.file_bytes, share);
        let throughout = self.settings.sync_method == 1;
        match self.settings.action {
            Action::Create | Action::Rewrite => Some(Synced { throughout, ..data }),
            action => action.changes().then_some(Synced::FLUSH),
        }
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        self.hands.laps.histogram().into_iter().collect()
    }
}

fn is_looked_for(name: &[u8]) -> bool {
    name.windows(LOOKED_FOR.len()).any(|part| part == LOOKED_FOR)
}

fn shuffled(count: u64, job: &Job) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    let seed = derive_seed(job.seed, "order of files") ^ u64::from(job.worker);
    Rng::new(seed).shuffle(&mut order);
    order
}

/// Returns the content that the files do not hold now, so that each rewrite changes every byte.
fn other_content(set: &FileSet) -> Result<Content, TestError> {
    let [created, rewritten] = &set.contents;
    let first = set.path_buf(0);
    let found = std::fs::read(&first).map_err(TestError::io("read", &first))?;
    Ok(if found == created.of(0) { rewritten.clone() } else { created.clone() })
}

/// Everything that one operation needs, made before the clock starts.
struct Hands {
    action: Action,
    fsync: bool,
    source: Source,
    path: PathBuffer,
    buffer: Vec<u8>,
    laps: Laps,
}

impl Hands {
    /// The action on file `index`.
    #[inline]
    fn one(&mut self, set: &FileSet, index: u64, progress: Progress<'_>) -> Result<(), TestError> {
        let path = set.path(index, &mut self.path)?;
        let bytes = match self.action {
            Action::Create => {
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
                put(path, flags, self.source.of(index), self.fsync)?
            }
            Action::Rewrite => put(path, OFlags::WRONLY, self.source.of(index), self.fsync)?,
            Action::Read => get(path, &mut self.buffer, set.file_bytes)?,
            Action::Delete => fs::unlink(path).map(|()| 0).map_err(failed("unlink", path))?,
            Action::Stat => fs::stat(path).map(|_| 0).map_err(failed("stat", path))?,
            _ => get(path, &mut self.buffer, 0)?,
        };
        self.laps.lap();
        progress.add(bytes, 1);
        Ok(())
    }
}

/// open, write, where asked fsync, close.
#[inline]
fn put(path: &CStr, flags: OFlags, bytes: &[u8], fsync: bool) -> Result<u64, TestError> {
    let file = fs::open(path, flags, Mode::from(0o644)).map_err(failed("open", path))?;
    write_all(&file, bytes).map_err(failed("write", path))?;
    if fsync {
        fs::fsync(&file).map_err(failed("fsync", path))?;
    }
    Ok(bytes.len() as u64)
}

/// open, read, close.
#[inline]
fn get(path: &CStr, buffer: &mut [u8], bytes: u64) -> Result<u64, TestError> {
    let file = fs::open(path, OFlags::RDONLY, Mode::empty()).map_err(failed("open", path))?;
    let got = read_all(&file, buffer, bytes).map_err(failed("read", path))?;
    if got < bytes {
        return Err(wrong(path, format!("{got} bytes instead of {bytes}")));
    }
    Ok(got)
}

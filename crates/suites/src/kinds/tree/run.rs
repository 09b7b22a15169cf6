//! The timed part: every phase is one barrier and one loop over the items of one worker.

use super::{
    geometry::{Geometry, Tree},
    phase::Phase,
    settings::Settings,
};
use crate::{
    Meter, Run, TestError, folders,
    kinds::files::{
        content::{Content, Source},
        laps::Laps,
        path::{PathBuffer, failed, wrong},
        set::{read_all, read_buffer, write_all},
    },
};
use engine::{data::derive_seed, progress::Progress};
use model::{
    figure::{Histogram, Synced},
    random::Rng,
    workload::{Job, PhaseKind},
};
use rustix::fs::{self, Mode, OFlags};
use std::{
    ffi::{CStr, OsStr},
    path::{Path, PathBuf},
};

/// Permissions of mdtest's directories and files.
const DIR_MODE: Mode = Mode::from_raw_mode(0o755);
const FILE_MODE: Mode = Mode::from_raw_mode(0o664);
/// The name of the first directory of a ring while the others move up.
const ASIDE: &[u8] = b"-XX";

/// The directory that all workers share, next to their own, in one attempt at a test. Each attempt has another, as
/// each iteration of mdtest has: a path that one host removed and made anew, another may still know as it was.
pub(super) fn base(job: &Job, id: &str) -> PathBuf {
    let name = format!("{}{}x{}", bases(id), job.workers, job.attempt);
    job.shared_dir().join(name)
}

/// Removes what attempts at a test left.
pub(super) fn clear(job: &Job, id: &str) -> Result<(), TestError> {
    let (place, bases) = (job.shared_dir(), bases(id));
    let entries = std::fs::read_dir(place).map_err(TestError::io("list", place))?;
    let is_base = |name: &OsStr| name.as_encoded_bytes().starts_with(bases.as_bytes());
    for entry in entries.flatten().filter(|entry| is_base(&entry.file_name())) {
        let path = entry.path();
        std::fs::remove_dir_all(&path).map_err(TestError::io("remove", &path))?;
    }
    Ok(())
}

/// Returns the prefix of all directories of a test.
fn bases(id: &str) -> String {
    format!("tree-{id}-")
}

/// The items that a phase walks through.
struct Walk {
    phase: Phase,
    /// Full paths up to the number of an item, for each directory of the tree of its owner.
    stems: Vec<Vec<u8>>,
    laps: Laps,
}

/// A test that is ready.
pub(super) struct TreeRun<'a> {
    settings: &'a Settings,
    job: &'a Job,
    base: PathBuf,
    geometry: Geometry,
    /// The tree that this worker makes and removes, when it does, depth first.
    tree: Vec<PathBuf>,
    walks: Vec<Walk>,
    by_directory: Vec<u32>,
    by_number: Vec<u32>,
    hands: Hands,
}

impl<'a> TreeRun<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        id: &str,
        job: &'a Job,
    ) -> Result<TreeRun<'a>, TestError> {
        let geometry = Geometry::new(settings, job);
        let base = base(job, id);
        let tree = Tree::new(&base, settings.unique.then_some(job.worker), &geometry);
        let by_directory = geometry.item_order();
        let mut by_number: Vec<u32> = (0..geometry.items as u32).collect();
        if settings.random {
            let seed = derive_seed(job.seed, "order of items") ^ u64::from(job.worker);
            Rng::new(seed).shuffle(&mut by_number);
        }
        let phases = Phase::of_run(settings, &geometry);
        let walk = |phase| walk(settings, job, &base, &geometry, phase);
        let walks = phases.into_iter().map(walk).collect::<Result<Vec<_>, _>>()?;
        let makes_tree = settings.unique || job.worker == 0;
        let order = if makes_tree { geometry.depth_first() } else { Vec::new() };
        Ok(TreeRun {
            hands: Hands::new(settings, job, &geometry),
            tree: order.iter().map(|&dir| tree.dirs[dir as usize].clone()).collect(),
            settings,
            job,
            base,
            geometry,
            walks,
            by_directory,
            by_number,
        })
    }

    fn phase(&mut self, at: usize, progress: Progress<'_>) -> Result<(), TestError> {
        let TreeRun { tree, walks, hands, geometry, by_directory, by_number, .. } = self;
        let Walk { phase, stems, laps } = &mut walks[at];
        laps.start();
        let done: Result<(), TestError> = match phase {
            Phase::TreeCreate => tree.iter().try_for_each(|dir| {
                let made = fs::mkdir(dir, DIR_MODE);
                one_dir("mkdir", dir, made, laps, progress)
            }),
            Phase::TreeRemove => tree.iter().rev().try_for_each(|dir| {
                let removed = fs::rmdir(dir);
                one_dir("rmdir", dir, removed, laps, progress)
            }),
            Phase::DirRename => hands.rename_ring(geometry, stems, laps, progress),
            phase => {
                let order = if phase.goes_by_directory() { by_directory } else { by_number };
                order.iter().try_for_each(|&i| {
                    let (item, dir) = geometry.item(u64::from(i));
                    let bytes = hands.one(*phase, &stems[dir], u64::from(i), item)?;
                    laps.lap();
                    progress.add(bytes, 1);
                    Ok(())
                })
            }
        };
        done?;
        if self.settings.sync { folders::sync(&self.base) } else { Ok(()) }
    }

    /// Checks the data of the last read.
    fn check_read(&self) -> Result<(), TestError> {
        let bytes = self.settings.read_bytes.0 as usize;
        let Some(&last) = self.by_number.last() else { return Ok(()) };
        if bytes == 0 || self.settings.dirs_only {
            return Ok(());
        }
        let owner = owner(self.settings, self.job, Phase::FileRead);
        let expected = content(self.settings, self.job, owner).of(u64::from(last));
        // Only the last piece of a long read is still there.
        let length = self.hands.buffer.len();
        let from = (bytes - 1) / length * length;
        if self.hands.buffer[..bytes - from] == expected[from..bytes] {
            return Ok(());
        }
        let why = format!("item {last} of worker {owner} was read with other bytes than written");
        Err(TestError::Wrong { path: self.base.clone(), why })
    }
}

impl Run for TreeRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        for _ in 0..self.settings.iterations {
            for at in 0..self.walks.len() {
                meter.phase(PhaseKind::Operate, &mut |progress| self.phase(at, progress))?;
            }
        }
        Ok(())
    }

    /// Everything that was made must be gone, or the directory of all workers cannot be empty.
    fn verify(&mut self) -> Result<(), TestError> {
        if self.job.worker == 0 {
            let left = std::fs::read_dir(&self.base).map_err(TestError::io("list", &self.base))?;
            if let Some(entry) = left.flatten().next() {
                let why = "was not removed".into();
                return Err(TestError::Wrong { path: entry.path(), why });
            }
        }
        self.check_read()
    }

    fn synced(&self) -> Option<Synced> {
        let syncs = self.settings.sync || self.settings.fsync;
        syncs.then_some(Synced { throughout: true, ..Synced::FLUSH })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        self.walks.iter().filter_map(|walk| walk.laps.histogram()).collect()
    }
}

/// Returns the worker that created the items used by `phase` of this worker.
fn owner(settings: &Settings, job: &Job, phase: Phase) -> u32 {
    let workers = job.workers.max(1);
    if let Some(owners) = job.owners {
        return phase.strides().checked_sub(1).map_or(job.worker, |at| owners[at as usize]);
    }
    let strides = u64::from(phase.strides()) * u64::from(settings.stride);
    ((u64::from(job.worker) + strides) % u64::from(workers)) as u32
}

fn walk(
    settings: &Settings,
    job: &Job,
    base: &Path,
    geometry: &Geometry,
    phase: Phase,
) -> Result<Walk, TestError> {
    let owner = owner(settings, job, phase);
    let what = if phase.testtype() == "files" { "file" } else { "dir" };
    let stems = match phase.is_tree() {
        true => Vec::new(),
        false => {
            // With trees of their own, items lie in the tree that is one stride further. Workers of other hosts are
            // at no fixed distance: each makes its items in its own tree.
            let stride = if job.owners.is_some() { 0 } else { settings.stride };
            let next = (u64::from(owner) + u64::from(stride)) % u64::from(job.workers.max(1));
            Tree::new(base, settings.unique.then_some(next as u32), geometry).stems(what, owner)
        }
    };
    Ok(Walk { phase, stems, laps: Laps::new(phase.op())? })
}

fn content(settings: &Settings, job: &Job, worker: u32) -> Content {
    Content::new(job, "items of a tree", worker, settings.write_bytes.0)
}

/// One directory of the tree itself.
fn one_dir(
    what: &'static str,
    dir: &Path,
    result: rustix::io::Result<()>,
    laps: &mut Laps,
    progress: Progress<'_>,
) -> Result<(), TestError> {
    result.map_err(|error| TestError::io(what, dir)(error.into()))?;
    laps.lap();
    progress.add(0, 1);
    Ok(())
}

/// Everything that one operation needs, made before the clock starts.
struct Hands {
    write_bytes: u64,
    read_bytes: u64,
    fsync: bool,
    source: Source,
    path: PathBuffer,
    other: PathBuffer,
    buffer: Vec<u8>,
}

impl Hands {
    fn new(settings: &Settings, job: &Job, geometry: &Geometry) -> Hands {
        let writes = !settings.dirs_only && settings.write_bytes.0 > 0;
        let items = if writes { geometry.items } else { 0 };
        Hands {
            write_bytes: settings.write_bytes.0,
            read_bytes: settings.read_bytes.0,
            fsync: settings.fsync,
            source: content(settings, job, job.worker).source(items),
            path: PathBuffer::new(),
            other: PathBuffer::new(),
            buffer: read_buffer(settings.read_bytes.0),
        }
    }

    /// `phase` on the item `item`, the `i`th of its owner; tells the bytes that were moved.
    #[inline]
    fn one(&mut self, phase: Phase, stem: &[u8], i: u64, item: u64) -> Result<u64, TestError> {
        let path = self.path.put(stem, item, 1)?;
        match phase {
            Phase::DirCreate => fs::mkdir(path, DIR_MODE).map_err(failed("mkdir", path))?,
            Phase::DirRemove => fs::rmdir(path).map_err(failed("rmdir", path))?,
            Phase::DirStat | Phase::FileStat => {
                fs::stat(path).map(drop).map_err(failed("stat", path))?;
            }
            Phase::FileRemove => fs::unlink(path).map_err(failed("unlink", path))?,
            Phase::FileCreate => {
                create(path, self.source.of(i), self.fsync)?;
                return Ok(self.write_bytes);
            }
            _ => {
                read(path, &mut self.buffer, self.read_bytes)?;
                return Ok(self.read_bytes);
            }
        }
        Ok(0)
    }

    /// mdtest's ring: item 0 goes aside, every other takes the name of the one before it, and what
    /// went aside takes the name before the last.
    fn rename_ring(
        &mut self,
        geometry: &Geometry,
        stems: &[Vec<u8>],
        laps: &mut Laps,
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        let Hands { path, other, .. } = self;
        let (first, first_dir) = geometry.item(0);
        for i in 0..geometry.items {
            let (item, dir) = geometry.item(i);
            let from = match i {
                0 => path.put(&stems[dir], item, 1)?,
                i if i == geometry.items - 1 => {
                    path.put_with(&stems[first_dir], first, 1, ASIDE)?
                }
                _ => path.put(&stems[dir], item, 1)?,
            };
            let to = match i.checked_sub(1).map(|before| geometry.item(before)) {
                None => other.put_with(&stems[first_dir], first, 1, ASIDE)?,
                Some((item, dir)) => other.put(&stems[dir], item, 1)?,
            };
            fs::rename(from, to).map_err(failed("rename", from))?;
            laps.lap();
            progress.add(0, 1);
        }
        Ok(())
    }
}

/// open, where there is something to write write and fsync, close.
#[inline]
fn create(path: &CStr, bytes: &[u8], fsync: bool) -> Result<(), TestError> {
    let flags = OFlags::CREATE | OFlags::RDWR;
    let file = fs::open(path, flags, FILE_MODE).map_err(failed("create", path))?;
    if bytes.is_empty() {
        return Ok(());
    }
    write_all(&file, bytes).map_err(failed("write", path))?;
    if fsync { fs::fsync(&file).map_err(failed("fsync", path)) } else { Ok(()) }
}

/// open, where there is something to read read, close.
#[inline]
fn read(path: &CStr, buffer: &mut [u8], bytes: u64) -> Result<(), TestError> {
    let file = fs::open(path, OFlags::RDONLY, Mode::empty()).map_err(failed("open", path))?;
    let got = read_all(&file, buffer, bytes).map_err(failed("read", path))?;
    if got < bytes {
        return Err(wrong(path, format!("{got} bytes instead of {bytes}")));
    }
    Ok(())
}

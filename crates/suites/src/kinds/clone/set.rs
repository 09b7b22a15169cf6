//! The files of a test: an origin, its clone, and a file that shares nothing, with all that they have to hold.

use super::{
    settings::{Action, CHUNK_BYTES, Settings, Which},
    sharing,
};
use crate::{TestError, commits::data, folders};
use engine::{
    data::{Data, derive_seed},
    extents::Extents,
};
use model::{random::Rng, workload::Job};
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{self, File},
    ops::Range,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// The directory of the sets in that of a worker.
pub(super) const FOLDER: &str = "clones";
/// A file that says what the others hold.
const STATE: &str = "state";
/// A file next to the directories of the workers.
const LOCK: &str = "clones.lock";

/// Sets of files, each of an origin, its clone and one that shares nothing.
pub(super) struct CloneSets<'a> {
    settings: &'a Settings,
    job: &'a Job,
    folder: PathBuf,
    pub(super) copies: u64,
    pub(super) file_bytes: u64,
    /// Pieces that are overwritten, in this order.
    order: Vec<u32>,
    /// What the files hold when they are new.
    created: Data,
    /// What is written over it.
    changed: Data,
}

impl<'a> CloneSets<'a> {
    pub(super) fn new(settings: &'a Settings, job: &'a Job) -> CloneSets<'a> {
        let file_bytes = settings.file_bytes(job);
        let mut order: Vec<u32> = (0..(file_bytes / settings.block.0) as u32).collect();
        let seed = derive_seed(job.seed, "order of overwrites of clones") ^ u64::from(job.worker);
        Rng::new(seed).shuffle(&mut order);
        order.truncate(settings.overwritten(job) as usize);
        CloneSets {
            settings,
            job,
            folder: job.dir.join(FOLDER),
            copies: settings.copies(job),
            file_bytes,
            order,
            created: data(job, "clones, created", CHUNK_BYTES),
            changed: data(job, "clones, changed", settings.block.0),
        }
    }

    /// The file of set `copy`.
    pub(super) fn path(&self, which: Which, copy: u64) -> PathBuf {
        path(&self.folder, which, copy)
    }

    /// The files `which` of all sets.
    pub(super) fn files(&self, which: &[Which]) -> impl Iterator<Item = (Which, u64)> {
        (0..self.copies).flat_map(move |copy| which.iter().map(move |which| (*which, copy)))
    }

    /// The extents of the files `which`, as far as they are reported.
    pub(super) fn extents(&self, which: Which) -> Vec<Extents> {
        let of = |(which, copy)| Extents::of(&File::open(self.path(which, copy)).ok()?).ok();
        self.files(&[which]).filter_map(of).collect()
    }

    /// Pieces of a file that are overwritten.
    pub(super) fn overwritten(&self) -> usize {
        self.order.len()
    }

    /// Bytes before the content of a file among those of all: a clone begins as its origin.
    fn begins_at(&self, which: Which, copy: u64) -> u64 {
        (2 * copy + u64::from(which == Which::Unshared)) * self.file_bytes
    }

    /// Makes the files, unless they are there: as after all overwrites, or for `Action::Overwrite` as before.
    pub(super) fn fill(&self) -> Result<(), TestError> {
        let is_before = self.settings.action == Action::Overwrite;
        if !is_before && self.has_state() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).map_err(TestError::io("create", &self.folder))?;
        // The space that a clone takes is that of the whole file system: one worker after the other.
        let _lock = (self.job.workers > 1).then(|| self.lock()).transpose()?;
        self.empty()?;
        sharing::probe(&self.folder, self.settings.call)?;
        for copy in 0..self.copies {
            self.create(Which::Origin, copy)?;
            self.create(Which::Unshared, copy)?;
            self.clone_origin(copy)?;
        }
        if is_before {
            return Ok(());
        }
        for (which, copy) in self.files(&[Which::Clone, Which::Unshared]) {
            let file = self.open(which, copy)?;
            self.overwrite(&file, which, copy, 0..self.order.len(), |_| {})?;
        }
        self.sync()?;
        self.set_state()
    }

    fn lock(&self) -> Result<File, TestError> {
        let path = self.job.shared_dir().join(LOCK);
        let file = File::create(&path).map_err(TestError::io("create", &path))?;
        flock(&file, FlockOperation::LockExclusive)
            .map_err(|error| TestError::io("lock", &path)(error.into()))?;
        Ok(file)
    }

    /// Removes what is there.
    fn empty(&self) -> Result<(), TestError> {
        let list = fs::read_dir(&self.folder).map_err(TestError::io("list", &self.folder))?;
        for entry in list.flatten() {
            let path = entry.path();
            fs::remove_file(&path).map_err(TestError::io("remove", &path))?;
        }
        self.sync()
    }

    fn create(&self, which: Which, copy: u64) -> Result<(), TestError> {
        let path = self.path(which, copy);
        let file = File::create(&path).map_err(TestError::io("create", &path))?;
        let begin = self.begins_at(which, copy);
        let mut at = 0;
        while at < self.file_bytes {
            let chunk = self.created.piece_bytes((begin + at) / 8, CHUNK_BYTES / 8);
            file.write_all_at(chunk, at).map_err(|error| {
                // A partial file would only take space from other tests.
                let _ = fs::remove_file(&path);
                TestError::io("write", &path)(error)
            })?;
            at += chunk.len() as u64;
        }
        file.sync_all().map_err(TestError::io("fsync", &path))
    }

    /// Clones the origin of set `copy`, and proves that the clone shares its blocks.
    fn clone_origin(&self, copy: u64) -> Result<(), TestError> {
        let origin = self.open(Which::Origin, copy)?;
        let path = self.path(Which::Clone, copy);
        self.sync()?;
        let free = sharing::free_bytes(&origin, &path)?;
        let clone = sharing::create(&path)?;
        sharing::make(self.settings.call, &origin, (&clone, &path), self.file_bytes)?;
        clone.sync_all().map_err(TestError::io("fsync", &path))?;
        self.sync()?;
        let grown = free.saturating_sub(sharing::free_bytes(&clone, &path)?);
        sharing::prove(&clone, &path, grown, self.job.data.incompressible_share())
    }

    pub(super) fn open(&self, which: Which, copy: u64) -> Result<File, TestError> {
        let path = self.path(which, copy);
        File::options().read(true).write(true).open(&path).map_err(TestError::io("open", &path))
    }

    /// Syncs the file system.
    pub(super) fn sync(&self) -> Result<(), TestError> {
        folders::sync(&self.folder)
    }

    /// Overwrites the pieces `range` of the order, and makes each batch durable; `done` gets the pieces of each.
    pub(super) fn overwrite(
        &self,
        file: &File,
        which: Which,
        copy: u64,
        range: Range<usize>,
        mut done: impl FnMut(u64),
    ) -> Result<(), TestError> {
        let (block, begin) = (self.settings.block.0, self.begins_at(which, copy));
        for batch in self.order[range].chunks(self.settings.batch as usize) {
            for piece in batch {
                let at = u64::from(*piece) * block;
                let bytes = self.changed.piece_bytes((begin + at) / 8, block / 8);
                file.write_all_at(bytes, at)
                    .map_err(|error| TestError::io("write", &self.path(which, copy))(error))?;
            }
            file.sync_all()
                .map_err(|error| TestError::io("fsync", &self.path(which, copy))(error))?;
            done(batch.len() as u64);
        }
        Ok(())
    }

    /// Compares a file with what it has to hold after all overwrites.
    pub(super) fn check(&self, which: Which, copy: u64) -> Result<(), TestError> {
        self.check_at(&self.path(which, copy), which, copy)
    }

    /// The same for the file at `path`, which was cloned from it.
    pub(super) fn check_at(&self, path: &Path, which: Which, copy: u64) -> Result<(), TestError> {
        let file = File::open(path).map_err(TestError::io("open", path))?;
        let (block, begin) = (self.settings.block.0, self.begins_at(which, copy));
        let mut is_changed = vec![false; (self.file_bytes / block) as usize];
        if which != Which::Origin {
            self.order.iter().for_each(|piece| is_changed[*piece as usize] = true);
        }
        let mut found = vec![0; block as usize];
        for (piece, is_changed) in (0..).zip(is_changed) {
            let at = piece * block;
            file.read_exact_at(&mut found, at).map_err(TestError::io("read", path))?;
            let data = if is_changed { &self.changed } else { &self.created };
            if found != data.piece_bytes((begin + at) / 8, block / 8) {
                let state =
                    if is_changed { "what was written over it" } else { "as it was created" };
                let why = format!("piece {piece} of {block} bytes is not {state}");
                return Err(TestError::Wrong { path: path.into(), why });
            }
        }
        let len = file.metadata().map_err(TestError::io("stat", path))?.len();
        match len == self.file_bytes {
            true => Ok(()),
            false => {
                let why = format!("{len} bytes instead of {}", self.file_bytes);
                Err(TestError::Wrong { path: path.into(), why })
            }
        }
    }

    /// The first line of what the files hold after all overwrites, without the number of copies.
    fn state(&self) -> String {
        let Settings { block, share, batch, call, .. } = self.settings;
        let Job { seed, data, worker, .. } = self.job;
        let bytes = self.file_bytes;
        format!("{bytes} {} {share} {batch} {call:?} {seed} {worker} {data}", block.0)
    }

    /// Whether the files were made and overwritten in full.
    fn has_state(&self) -> bool {
        let Ok(text) = fs::read_to_string(self.folder.join(STATE)) else { return false };
        let mut lines = text.lines();
        let is_same = lines.next() == Some(&self.state());
        let copies = lines.next().and_then(|line| line.parse::<u64>().ok());
        is_same && copies.is_some_and(|copies| copies >= self.copies)
    }

    /// Notes that they were.
    pub(super) fn set_state(&self) -> Result<(), TestError> {
        let path = self.folder.join(STATE);
        let text = format!("{}\n{}\n", self.state(), self.copies);
        fs::write(&path, text).map_err(TestError::io("write", &path))
    }
}

/// The path of a file below `folder`.
pub(super) fn path(folder: &Path, which: Which, copy: u64) -> PathBuf {
    folder.join(format!("{copy}.{}", which.word()))
}

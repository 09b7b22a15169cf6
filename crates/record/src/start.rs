//! The state of the disk when the recording began.
//!
//! Trees that the user named are scanned before the application starts. Anything else is examined soon after it is
//! first touched: a file that was created since then did not exist, and sizes are those at that time.

use crate::resolve::Places;
use flate2::{Compression, write::DeflateEncoder};
use std::{
    collections::HashMap,
    ffi::OsStr,
    fs::{self, File, Metadata},
    io::Write,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::{FileExt, MetadataExt, OpenOptionsExt},
    },
    path::Path,
    time::SystemTime,
};
use trace::{
    call::{Call, Field, NONE, Op},
    path::PathId,
    start::{StartEntry, StartKind},
};

/// Entries that are looked at before the beginning, at most: a second or two.
const MOST_BEFORE: usize = 200_000;
/// Files of which a sample is compressed, and its length.
const MOST_SAMPLES: usize = 256;
const SAMPLE_BYTES: usize = 16 << 10;

/// A file as it was before the recording.
struct Before {
    metadata: Metadata,
    cached_bytes: Option<u64>,
    /// Entries of a directory.
    entries: u32,
    /// What a symbolic link says.
    link: Option<Vec<u8>>,
}

impl Before {
    fn of(place: &Path, metadata: Metadata) -> Before {
        let entries = || fs::read_dir(place).map_or(0, |entries| entries.count());
        Before {
            cached_bytes: None,
            entries: if metadata.is_dir() { entries().min(u32::MAX as usize) as u32 } else { 0 },
            link: metadata
                .is_symlink()
                .then(|| Some(fs::read_link(place).ok()?.into_os_string().into_vec()))
                .flatten(),
            metadata,
        }
    }
}

/// Collects the entries of paths that calls name.
pub(crate) struct StartState {
    before: HashMap<Vec<u8>, Before>,
    /// Whether every entry below the named trees is in `before`.
    is_complete: bool,
    began: SystemTime,
    /// For each path whether its first call was seen.
    seen: Vec<bool>,
    /// The first path of each file that has several, by device and number.
    linked: HashMap<(u64, u64), PathId>,
    samples: usize,
}

impl StartState {
    /// Looks through the `trees`.
    pub(crate) fn new(trees: &[&Path]) -> StartState {
        let mut state = StartState {
            before: HashMap::new(),
            is_complete: !trees.is_empty(),
            began: SystemTime::now(),
            seen: Vec::new(),
            linked: HashMap::new(),
            samples: 0,
        };
        for tree in trees {
            state.look_through(tree);
        }
        state.began = SystemTime::now();
        state
    }

    fn look_through(&mut self, tree: &Path) {
        let mut next = vec![tree.to_path_buf()];
        while let Some(path) = next.pop() {
            if self.before.len() >= MOST_BEFORE {
                self.is_complete = false;
                return;
            }
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() {
                next.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()));
            }
            let mut before = Before::of(&path, metadata);
            let is_file = before.metadata.is_file();
            before.cached_bytes = is_file.then(|| cached_bytes(&path)).flatten();
            self.before.insert(path.into_os_string().into_vec(), before);
        }
    }

    /// The entries of paths that `calls` are the first to name, and of those that links among them lead to.
    pub(crate) fn of(&mut self, calls: &[Call], places: &mut Places) -> Vec<StartEntry> {
        let mut entries = Vec::new();
        for call in calls {
            for (path, existed) in first_named(call) {
                self.add(path, existed, Some(call), places, &mut entries);
            }
        }
        entries
    }

    /// Adds the entry of `path` where this is the first time that it is named, and of what that leads to.
    fn add(
        &mut self,
        path: PathId,
        existed: bool,
        call: Option<&Call>,
        places: &mut Places,
        entries: &mut Vec<StartEntry>,
    ) {
        let mut next = vec![(path, existed)];
        while let Some((path, existed)) = next.pop() {
            if !self.is_first(path) {
                continue;
            }
            // The directories above it were there, unless a call has made them.
            let parent = places.names().paths().parent(path);
            next.extend(parent.map(|parent| (parent, true)));
            let entry = if existed { self.entry(path, call, places) } else { None };
            if let Some(StartEntry { kind: StartKind::Link(Some(to)), .. }) = entry {
                next.push((to, true));
            }
            entries.extend(entry);
        }
    }

    fn is_first(&mut self, path: PathId) -> bool {
        let at = path as usize;
        if self.seen.len() <= at {
            self.seen.resize(at + 1, false);
        }
        !std::mem::replace(&mut self.seen[at], true)
    }

    fn entry(
        &mut self,
        path: PathId,
        call: Option<&Call>,
        places: &mut Places,
    ) -> Option<StartEntry> {
        let name = places.name_of(path);
        let place = Path::new(OsStr::from_bytes(&name));
        if let Some(before) = self.before.remove(&name) {
            return Some(self.described(path, place, &before, places));
        }
        let was_made_since = |m: &Metadata| m.created().is_ok_and(|made| made >= self.began);
        match fs::symlink_metadata(place) {
            _ if self.is_complete => None,
            Ok(metadata) if !was_made_since(&metadata) => {
                Some(self.described(path, place, &Before::of(place, metadata), places))
            }
            // It is gone or another by now, and its first call found it.
            _ => {
                let call = call.filter(|call| call.path == path && call.op != Op::Open)?;
                let kind = match call.op {
                    Op::Rmdir | Op::Chdir => StartKind::Directory { entries: 0 },
                    Op::Readlink => StartKind::Link(None),
                    _ => StartKind::File { bytes: 0, cached_bytes: None, compressed: None },
                };
                Some(StartEntry { path, kind, mode: 0o644 })
            }
        }
    }

    fn described(
        &mut self,
        path: PathId,
        place: &Path,
        before: &Before,
        places: &mut Places,
    ) -> StartEntry {
        let Before { metadata, cached_bytes, entries, link } = before;
        let kind = if metadata.is_dir() {
            StartKind::Directory { entries: *entries }
        } else if metadata.is_symlink() {
            StartKind::Link(link.as_deref().and_then(|text| places.led_to(path, text)))
        } else {
            let id = (metadata.dev(), metadata.ino());
            let first = match metadata.nlink() > 1 {
                true => *self.linked.entry(id).or_insert(path),
                false => path,
            };
            if first == path {
                let compressed = self.compressed(place, metadata);
                StartKind::File { bytes: metadata.len(), cached_bytes: *cached_bytes, compressed }
            } else {
                StartKind::HardLink(first)
            }
        };
        StartEntry { path, kind, mode: metadata.mode() & 0o7777 }
    }

    /// How far a sample of a file shrinks.
    fn compressed(&mut self, place: &Path, metadata: &Metadata) -> Option<f64> {
        if !metadata.is_file() || metadata.len() < 4096 || self.samples >= MOST_SAMPLES {
            return None;
        }
        self.samples += 1;
        let file = open(place)?;
        let mut sample = vec![0; SAMPLE_BYTES];
        let read = file.read_at(&mut sample, 0).ok().filter(|read| *read > 0)?;
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&sample[..read]).ok()?;
        Some((encoder.finish().ok()?.len() as f64 / read as f64).min(1.0))
    }
}

/// The paths that a call names, each with whether it must have been there before.
pub(crate) fn first_named(call: &Call) -> impl Iterator<Item = (PathId, bool)> {
    let is_missing =
        call.result == -i64::from(libc::ENOENT) || call.result == -i64::from(libc::ENOTDIR);
    let exclusive = libc::O_EXCL | libc::O_CREAT;
    let makes_new = call.op == Op::Open && call.flags as i32 & exclusive == exclusive;
    let makes = matches!(call.op, Op::Mkdir | Op::Mknod | Op::Symlink) || makes_new;
    let existed = if makes { call.result == -i64::from(libc::EEXIST) } else { !is_missing };
    let first = (call.path, existed);
    let second = (call.path2, call.op == Op::Rename && call.result == 0);
    let has = |field| call.op.fields().contains(&field);
    let second = has(Field::Path2).then_some(second);
    has(Field::Path).then_some(first).into_iter().chain(second).filter(|(path, _)| *path != NONE)
}

fn open(place: &Path) -> Option<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOATIME;
    fs::OpenOptions::new().read(true).custom_flags(flags).open(place).ok()
}

/// How much of a file is in the page cache, by cachestat(2), which Linux has since 6.5.
fn cached_bytes(place: &Path) -> Option<u64> {
    const CACHESTAT: libc::c_long = 451;
    let file = open(place)?;
    // Offset and length; a length of 0 is the rest of the file.
    let range = [0u64; 2];
    let mut found = [0u64; 5];
    let fd = std::os::fd::AsRawFd::as_raw_fd(&file);
    // SAFETY: both arrays have the size of the structures that the kernel reads and writes.
    let done = unsafe { libc::syscall(CACHESTAT, fd, range.as_ptr(), found.as_mut_ptr(), 0) };
    (done == 0).then(|| found[0] * rustix::param::page_size() as u64)
}

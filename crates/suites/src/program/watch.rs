//! Watches an external program: checks the file system and the program's processes, and kills them when they exceed a
//! bound.

use crate::bounds::{Bounds, Breach, Observation};
use engine::confine;
use rustix::{
    fs::{Mode, OFlags, StatVfs, fstatvfs, open},
    io::Errno,
    process::{Pid, Signal, kill_process},
};
use std::{
    fs,
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
    process::Child,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Time between two signals to what has not ended yet.
const AGAIN: Duration = Duration::from_millis(5);

/// A thread that watches the children of this process.
pub(super) struct Watch {
    thread: JoinHandle<Option<Breach>>,
    /// Dropped when the program has ended.
    ended: Sender<()>,
}

/// The directory of a program, open, and the bytes in use in its file system before the program starts. It can be
/// asked whatever the program does to the name of its directory.
pub(super) struct FileSystem(Result<(OwnedFd, u64), Errno>);

impl FileSystem {
    /// Opens the file system of `dir`.
    pub(super) fn open(dir: &Path) -> FileSystem {
        let dir = open(dir, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        FileSystem(dir.and_then(|dir| {
            let used = used(&fstatvfs(&dir)?);
            Ok((dir, used))
        }))
    }
}

impl Watch {
    /// Begins to watch `child`, which works in `dir` on `file_system`.
    pub(super) fn start(
        bounds: Bounds,
        child: &Child,
        dir: &Path,
        file_system: FileSystem,
    ) -> Watch {
        let (ended, is_over) = channel();
        let eyes = Eyes { dir: dir.to_path_buf(), child: child.id() as i32, file_system };
        Watch { thread: thread::spawn(move || watch(&bounds, &eyes, &is_over)), ended }
    }

    /// Ends with the program; what it did that it may not do.
    pub(super) fn end(self) -> Option<Breach> {
        drop(self.ended);
        self.thread.join().ok().flatten()
    }
}

fn watch(bounds: &Bounds, eyes: &Eyes, is_over: &Receiver<()>) -> Option<Breach> {
    loop {
        let began = Instant::now();
        let look = match eyes.look() {
            Err(_) => Err(Breach::Unseen),
            Ok(look) => bounds.judge(&look, || held(&eyes.dir)).map_or(Ok(look), Err),
        };
        let look = match look {
            Ok(look) => look,
            Err(breach) => {
                eyes.end_all(is_over);
                return Some(breach);
            }
        };
        let pause = bounds.pause(&look, began.elapsed());
        if is_over.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
            return None;
        }
    }
}

struct Eyes {
    dir: PathBuf,
    child: i32,
    file_system: FileSystem,
}

impl Eyes {
    /// Takes an observation.
    ///
    /// # Errors
    /// The file system cannot be asked.
    fn look(&self) -> Result<Observation, Errno> {
        let (dir, then) = self.file_system.0.as_ref().map_err(|error| *error)?;
        let now = fstatvfs(dir)?;
        let mut look = Observation {
            free: now.f_bavail * now.f_frsize,
            files: (now.f_files, now.f_favail),
            grown: used(&now).saturating_sub(*then),
            ..Observation::default()
        };
        for (calls, pages) in self.family().into_iter().filter_map(written) {
            look.calls = look.calls.saturating_add(calls);
            look.pages = look.pages.saturating_add(pages);
        }
        Ok(look)
    }

    /// Kills all processes of the program, until they are reported dead.
    fn end_all(&self, is_over: &Receiver<()>) {
        loop {
            confine::kill_others();
            for pid in self.family().into_iter().filter_map(Pid::from_raw) {
                // One that has ended meanwhile is what is wanted.
                let _ = kill_process(pid, Signal::KILL);
            }
            if is_over.recv_timeout(AGAIN) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    /// The processes of the program: the child and what came of it; where this process is the first of a namespace,
    /// all others there. What has ended counts as its parent's doing once that has waited for it, in the
    /// kernel's books as well.
    fn family(&self) -> Vec<i32> {
        if confine::is_first_process() {
            return numbers("/proc").filter(|pid| *pid != 1).collect();
        }
        let mut family = vec![self.child];
        let mut at = 0;
        while let Some(pid) = family.get(at).copied() {
            family.extend(children_of(pid));
            at += 1;
        }
        family
    }
}

/// The names in `dir` that are numbers.
fn numbers(dir: &str) -> impl Iterator<Item = i32> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The children of all threads of process `pid`.
fn children_of(pid: i32) -> Vec<i32> {
    let tasks = format!("/proc/{pid}/task");
    let of = |thread| fs::read_to_string(format!("{tasks}/{thread}/children")).unwrap_or_default();
    let all: String = numbers(&tasks).map(of).collect();
    all.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Bytes that are in use.
fn used(stat: &StatVfs) -> u64 {
    stat.f_blocks.saturating_sub(stat.f_bfree) * stat.f_frsize
}

/// Bytes that the files below `dir` hold.
fn held(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let of = |entry: fs::DirEntry| {
        let Ok(meta) = entry.metadata() else { return 0 };
        let own = meta.blocks().saturating_mul(512);
        if meta.is_dir() { own.saturating_add(held(&entry.path())) } else { own }
    };
    entries.flatten().map(of).fold(0, u64::saturating_add)
}

/// Returns the bytes that process `pid`, and those it waited for, passed to calls and made dirty.
fn written(pid: i32) -> Option<(u64, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    let of = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim_start_matches(':').trim().parse::<u64>().ok()
    };
    Some((of("wchar")?, of("write_bytes")?))
}

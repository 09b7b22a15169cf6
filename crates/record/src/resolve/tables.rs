//! Threads, and what they share: descriptors and working directories.

use super::places::Place;
use std::collections::HashMap;
use trace::{
    call::{HandleId, ThreadId},
    path::PathId,
};

/// Descriptors above are not followed: no limit of a kernel is higher by default.
const MOST_DESCRIPTORS: usize = 1 << 20;

/// What a descriptor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// A file below a root.
    Inside {
        /// Its path when it was opened.
        path: PathId,
        /// Its handle.
        handle: HandleId,
    },
    /// Another file; what is named relative to it may be below a root.
    Outside(Place),
}

/// A descriptor.
#[derive(Clone, Debug)]
pub(super) struct Descriptor {
    pub(super) open: Open,
    /// Whether an exec closes it.
    pub(super) closes_on_exec: bool,
    /// When the call that made it ended.
    pub(super) since_ns: u64,
}

/// The descriptors of a process, or of several that share them.
#[derive(Clone, Default)]
pub(super) struct Table {
    open: Vec<Option<Descriptor>>,
    /// Those whose number was given to another before their close was seen to end.
    replaced: Vec<(usize, Descriptor)>,
}

impl Table {
    pub(super) fn get(&self, fd: u64) -> Option<&Descriptor> {
        self.open.get(fd as u32 as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, fd: u64) -> Option<&mut Descriptor> {
        self.open.get_mut(fd as u32 as usize)?.as_mut()
    }

    /// Puts a descriptor into its place.
    pub(super) fn put(&mut self, fd: u64, descriptor: Descriptor) {
        let fd = fd as u32 as usize;
        if fd >= MOST_DESCRIPTORS {
            return;
        }
        if self.open.len() <= fd {
            self.open.resize_with(fd + 1, || None);
        }
        if let Some(old) = self.open[fd].replace(descriptor) {
            self.replaced.push((fd, old));
        }
    }

    /// Takes out what a close that began at `began_ns` closes.
    pub(super) fn take(&mut self, fd: u64, began_ns: u64) -> Option<Descriptor> {
        let fd = fd as u32 as usize;
        if let Some(at) = self.replaced.iter().position(|(old, _)| *old == fd) {
            return Some(self.replaced.swap_remove(at).1);
        }
        let slot = self.open.get_mut(fd)?;
        slot.take_if(|descriptor| descriptor.since_ns <= began_ns)
    }

    /// The numbers that are open from `first` to `last`.
    pub(super) fn range(&self, first: u64, last: u64) -> Vec<u64> {
        let numbers = (0..self.open.len() as u64).filter(|fd| (first..=last).contains(fd));
        numbers.filter(|fd| self.get(*fd).is_some()).collect()
    }

    /// Every descriptor.
    pub(super) fn all(&self) -> impl Iterator<Item = &Descriptor> {
        self.open.iter().flatten().chain(self.replaced.iter().map(|(_, old)| old))
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Descriptor> {
        self.open.iter_mut().flatten()
    }
}

/// Things that several threads may share, each with the number of those that do.
pub(super) struct Shared<T> {
    things: Vec<Option<(T, u32)>>,
    free: Vec<usize>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Shared { things: Vec::new(), free: Vec::new() }
    }
}

impl<T> Shared<T> {
    /// Adds a thing with one user.
    pub(super) fn add(&mut self, thing: T) -> usize {
        let at = self.free.pop().unwrap_or(self.things.len());
        if at == self.things.len() {
            self.things.push(None);
        }
        self.things[at] = Some((thing, 1));
        at
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.things.get(at)?.as_ref().map(|(thing, _)| thing)
    }

    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.things.get_mut(at)?.as_mut().map(|(thing, _)| thing)
    }

    /// Adds a user.
    pub(super) fn share(&mut self, at: usize) {
        if let Some(Some((_, users))) = self.things.get_mut(at) {
            *users += 1;
        }
    }

    /// How many users it has.
    pub(super) fn users(&self, at: usize) -> u32 {
        self.things.get(at).and_then(Option::as_ref).map_or(0, |(_, users)| *users)
    }

    /// Takes a user away; gives the thing back where it was the last.
    pub(super) fn leave(&mut self, at: usize) -> Option<T> {
        let slot = self.things.get_mut(at)?;
        slot.as_mut()?.1 -= 1;
        let (thing, _) = slot.take_if(|(_, users)| *users == 0)?;
        self.free.push(at);
        Some(thing)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.things.iter_mut().flatten().map(|(thing, _)| thing)
    }
}

/// A thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) id: ThreadId,
    pub(super) pid: u32,
    pub(super) files: usize,
    pub(super) directory: usize,
}

/// Everything that threads have.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) threads: HashMap<u32, Thread>,
    pub(super) files: Shared<Table>,
    pub(super) directories: Shared<Place>,
    pub(super) next_thread: ThreadId,
}

impl Tables {
    /// Adds a thread with descriptors and a directory that are its own.
    pub(super) fn add(&mut self, tid: u32, pid: u32, table: Table, directory: Place) -> Thread {
        let files = self.files.add(table);
        let directory = self.directories.add(directory);
        self.insert(tid, pid, files, directory)
    }

    /// Adds a thread that uses what is there.
    pub(super) fn insert(&mut self, tid: u32, pid: u32, files: usize, directory: usize) -> Thread {
        let thread = Thread { id: self.next_thread, pid, files, directory };
        self.next_thread += 1;
        self.threads.insert(tid, thread);
        thread
    }

    /// Where a thread is.
    pub(super) fn directory(&self, thread: &Thread) -> Option<&Place> {
        self.directories.get(thread.directory)
    }
}

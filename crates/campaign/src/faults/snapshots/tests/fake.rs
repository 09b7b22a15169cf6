//! A file system with snapshots in memory, which can be set to lie.

use super::super::volume::{Place, Volume};
use ::faults::snapshots::name;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    io,
    time::Duration,
};

/// What it does wrong, or differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::faults::snapshots) enum Way {
    /// Nothing.
    Right,
    /// What is overwritten in a live file changes in snapshots, too.
    FollowsLive,
    /// A snapshot has what was synced alone.
    ForgetsUnsynced,
    /// A drop spoils the next snapshot.
    SpoilsNext,
    /// The first file is gone after a mount.
    LosesLive,
    /// Space comes back after this number of pauses.
    LateSpace(u64),
    /// What was dropped is cleaned up, but its space never comes back.
    KeepsSpace,
    /// A dropped snapshot is still there.
    KeepsDropped,
}

type Files = BTreeMap<u64, Vec<u8>>;

/// All that it holds.
#[derive(Debug)]
pub(in crate::faults::snapshots) struct Fake {
    way: Way,
    live: RefCell<Files>,
    synced: RefCell<Files>,
    taken: RefCell<BTreeMap<u64, Files>>,
    /// Bytes of dropped snapshots that are in use.
    kept: Cell<u64>,
    pauses: Cell<u64>,
    is_cleaning: Cell<bool>,
}

impl Fake {
    pub(in crate::faults::snapshots) fn new(way: Way) -> Fake {
        Fake {
            way,
            live: RefCell::default(),
            synced: RefCell::default(),
            taken: RefCell::default(),
            kept: Cell::new(0),
            pauses: Cell::new(0),
            is_cleaning: Cell::new(false),
        }
    }

    /// The numbers of the snapshots that are there.
    pub(in crate::faults::snapshots) fn snapshots(&self) -> Vec<u64> {
        self.taken.borrow().keys().copied().collect()
    }

    /// What a mount finds.
    pub(super) fn remount(&self) {
        if self.way == Way::LosesLive {
            self.live.borrow_mut().pop_first();
        }
    }

    fn sync_now(&self) {
        *self.synced.borrow_mut() = self.live.borrow().clone();
    }
}

fn bytes(files: &Files) -> u64 {
    files.values().map(|file| file.len() as u64).sum()
}

fn none() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl Volume for Fake {
    fn write(&self, file: u64, at: u64, data: &[u8], is_synced: bool) -> io::Result<()> {
        let at = at as usize;
        let put = |files: &mut Files| {
            let own = files.entry(file).or_default();
            own.resize(own.len().max(at + data.len()), 0);
            own[at..at + data.len()].copy_from_slice(data);
        };
        put(&mut self.live.borrow_mut());
        if self.way == Way::FollowsLive {
            let mut taken = self.taken.borrow_mut();
            taken.values_mut().filter(|files| files.contains_key(&file)).for_each(put);
        }
        if is_synced {
            self.sync_now();
        }
        Ok(())
    }

    fn delete(&self, file: u64, _: bool) -> io::Result<()> {
        self.live.borrow_mut().remove(&file).map(drop).ok_or_else(none)
    }

    fn names(&self, place: Place) -> io::Result<Vec<String>> {
        let names = |files: &Files| files.keys().copied().map(name).collect();
        match place {
            None => Ok(names(&self.live.borrow())),
            Some(number) => self.taken.borrow().get(&number).map(names).ok_or_else(none),
        }
    }

    fn read(&self, place: Place, file: u64) -> io::Result<Vec<u8>> {
        let taken = self.taken.borrow();
        let found = match place {
            None => self.live.borrow().get(&file).cloned(),
            Some(number) => taken.get(&number).and_then(|files| files.get(&file)).cloned(),
        };
        found.ok_or_else(none)
    }

    fn make(&self, number: u64) -> io::Result<()> {
        let of = if self.way == Way::ForgetsUnsynced { &self.synced } else { &self.live };
        let files = of.borrow().clone();
        self.taken.borrow_mut().insert(number, files);
        Ok(())
    }

    fn drop_one(&self, number: u64) -> io::Result<()> {
        let mut taken = self.taken.borrow_mut();
        let files = taken.get(&number).cloned().ok_or_else(none)?;
        if self.way != Way::KeepsDropped {
            taken.remove(&number);
        }
        if self.way == Way::SpoilsNext {
            let next = taken.range_mut(number..).next().and_then(|(_, files)| files.first_entry());
            if let Some(mut own) = next {
                own.get_mut()[5000] ^= 1;
            }
        }
        if matches!(self.way, Way::KeepsSpace | Way::LateSpace(_)) {
            self.kept.set(self.kept.get() + bytes(&files));
        }
        self.is_cleaning.set(matches!(self.way, Way::LateSpace(_)));
        self.pauses.set(0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_now();
        Ok(())
    }

    fn clean(&self) -> io::Result<()> {
        self.sync()
    }

    fn is_cleaning(&self) -> io::Result<bool> {
        if matches!(self.way, Way::LateSpace(pauses) if self.pauses.get() >= pauses) {
            self.is_cleaning.set(false);
            self.kept.set(0);
        }
        Ok(self.is_cleaning.get())
    }

    fn used_bytes(&self) -> io::Result<u64> {
        let taken: u64 = self.taken.borrow().values().map(bytes).sum();
        Ok(bytes(&self.live.borrow()) + taken + self.kept.get())
    }

    fn pause(&self, _: Duration) {
        self.pauses.set(self.pauses.get() + 1);
    }
}

//! A file system in memory that fills up, and can be set to lie.

use super::super::space::{Answer, Space};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    time::Duration,
};

pub(super) const ENOSPC: i32 = 28;
const ENOENT: i32 = 2;
const BLOCK: u64 = 4096;

/// What it does wrong, or differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Nothing.
    Plain,
    /// A write in place needs space of its own.
    CopyOnWrite,
    /// Writes are accepted whatever the space, and fsync refuses what does not fit.
    LateRefusal,
    /// As that, but fsync says that it is done, and what does not fit is zeros on the disk.
    Lie,
    /// Deleted space comes back after this number of pauses.
    LateSpace(u64),
    /// Deleted space comes back with a sync of all.
    SpaceBySync,
    /// A refused write leaves a block in the file.
    Leaves,
}

#[derive(Clone, Debug, Default)]
struct Own {
    cached: Vec<u8>,
    durable: Vec<u8>,
}

/// All files are in its root; every name and block of data takes a block.
#[derive(Debug)]
pub(super) struct Fake {
    way: Way,
    blocks: u64,
    files: RefCell<BTreeMap<String, Own>>,
    dirs: Cell<u64>,
    /// Blocks that were deleted and are not free yet.
    pinned: Cell<u64>,
    pauses: Cell<u64>,
}

impl Fake {
    pub(super) fn new(way: Way, blocks: u64) -> Fake {
        let (files, dirs) = (RefCell::default(), Cell::new(0));
        Fake { way, blocks, files, dirs, pinned: Cell::new(0), pauses: Cell::new(0) }
    }

    /// What a mount finds.
    pub(super) fn remount(&self) {
        self.files.borrow_mut().values_mut().for_each(|own| own.cached = own.durable.clone());
    }

    /// Spoils a file on the disk.
    pub(super) fn spoil(&self, name: &str) {
        self.files.borrow_mut().get_mut(name).unwrap().durable[5000] ^= 1;
    }

    fn free(&self) -> u64 {
        let late = matches!(self.way, Way::LateRefusal | Way::Lie);
        let of = |own: &Own| if late { own.durable.len() } else { own.cached.len() };
        let files = self.files.borrow();
        let used: u64 = files.values().map(|own| 1 + (of(own) as u64).div_ceil(BLOCK)).sum();
        self.blocks.saturating_sub(used + self.dirs.get() + self.pinned.get())
    }

    fn need(&self, blocks: u64) -> Answer {
        if self.free() < blocks { Err(ENOSPC) } else { Ok(()) }
    }

    fn pin(&self, bytes: usize) {
        if matches!(self.way, Way::LateSpace(_) | Way::SpaceBySync) {
            self.pinned.set(self.pinned.get() + (bytes as u64).div_ceil(BLOCK));
        }
    }

    fn with<T>(&self, name: &str, act: impl FnOnce(&mut Own) -> T) -> Answer<T> {
        self.files.borrow_mut().get_mut(name).map(act).ok_or(ENOENT)
    }
}

impl Space for Fake {
    type File = String;

    fn create(&self, name: &str) -> Answer<String> {
        self.need(1)?;
        self.files.borrow_mut().insert(name.into(), Own::default());
        Ok(name.into())
    }

    fn open(&self, name: &str) -> Answer<String> {
        self.with(name, |_| name.to_owned())
    }

    fn write(&self, file: &String, at: u64, bytes: &[u8]) -> Answer<usize> {
        let length = self.length(file)?;
        let end = at + bytes.len() as u64;
        let room = match self.way {
            Way::LateRefusal | Way::Lie => u64::MAX,
            Way::CopyOnWrite if at < length => {
                self.need(1)?;
                u64::MAX
            }
            _ => (length + self.free() * BLOCK).saturating_sub(at),
        };
        let taken = end.min(at.saturating_add(room)) - at;
        if taken == 0 {
            if self.way == Way::Leaves {
                self.with(file, |own| own.cached.push(0))?;
            }
            return Err(ENOSPC);
        }
        self.with(file, |own| {
            own.cached.resize((at + taken).max(length) as usize, 0);
            own.cached[at as usize..(at + taken) as usize]
                .copy_from_slice(&bytes[..taken as usize]);
        })?;
        Ok(taken as usize)
    }

    fn sync(&self, file: &String) -> Answer {
        let free = self.free() * BLOCK;
        let is_lie = self.way == Way::Lie;
        let room = |own: &Own| (own.durable.len() as u64 + free).min(own.cached.len() as u64);
        self.with(file, |own| {
            let fits = room(own) as usize;
            let all = own.cached.len();
            if self.way == Way::LateRefusal && fits < all {
                own.cached.truncate(own.durable.len());
                return Err(ENOSPC);
            }
            own.durable = own.cached.clone();
            if is_lie {
                own.durable[fits..].fill(0);
            }
            Ok(())
        })?
    }

    fn truncate(&self, file: &String, bytes: u64) -> Answer {
        self.with(file, |own| own.cached.resize(bytes as usize, 0))
    }

    fn close(&self, _: String) -> Answer {
        Ok(())
    }

    fn length(&self, name: &str) -> Answer<u64> {
        self.with(name, |own| own.cached.len() as u64)
    }

    fn read(&self, name: &str) -> Answer<Vec<u8>> {
        self.with(name, |own| own.cached.clone())
    }

    fn rename(&self, from: &str, to: &str) -> Answer {
        let own = self.files.borrow_mut().remove(from).ok_or(ENOENT)?;
        self.files.borrow_mut().insert(to.into(), own);
        Ok(())
    }

    fn mkdir(&self, _: &str) -> Answer {
        self.need(1)?;
        self.dirs.set(self.dirs.get() + 1);
        Ok(())
    }

    fn unlink(&self, name: &str) -> Answer {
        let own = self.files.borrow_mut().remove(name).ok_or(ENOENT)?;
        self.pin(own.cached.len());
        Ok(())
    }

    fn sync_dir(&self) -> Answer {
        Ok(())
    }

    fn sync_all(&self) -> Answer {
        if self.way == Way::SpaceBySync {
            self.pinned.set(0);
        }
        Ok(())
    }

    fn said_free(&self) -> Answer<u64> {
        Ok(self.free() * BLOCK)
    }

    fn pause(&self, _: Duration) {
        self.pauses.set(self.pauses.get() + 1);
        if matches!(self.way, Way::LateSpace(pauses) if self.pauses.get() >= pauses) {
            self.pinned.set(0);
        }
    }
}

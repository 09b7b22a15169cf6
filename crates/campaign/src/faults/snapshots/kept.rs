//! Keeps account of what the live files and each snapshot have to hold, while it changes them.

use super::{super::clock::timed, SnapshotsAsked, volume::Volume};
use ::faults::{
    full::Content,
    snapshots::{Author, Change, Tree},
};
use std::{collections::BTreeMap, io};

/// Live files with their snapshots, as they have to be.
#[derive(Debug)]
pub(super) struct Kept<'a> {
    pub(super) content: &'a Content,
    pub(super) author: Author,
    pub(super) live: Tree,
    /// Snapshots by number.
    pub(super) taken: BTreeMap<u64, Tree>,
    /// Files that each step changes.
    change: u64,
    /// The number of the next snapshot.
    next: u64,
}

impl<'a> Kept<'a> {
    /// Without any file.
    pub(super) fn new(content: &'a Content, asked: SnapshotsAsked) -> Kept<'a> {
        Kept {
            content,
            author: Author::new(asked.seed),
            live: Tree::default(),
            taken: BTreeMap::new(),
            change: asked.change,
            next: 0,
        }
    }

    /// Creates `files` files and syncs them.
    pub(super) fn fill(&mut self, volume: &impl Volume, files: u64) -> io::Result<()> {
        for _ in 0..files {
            let change = self.author.create();
            self.live.apply(&change);
            make(volume, self.content, &change, false)?;
        }
        volume.sync()
    }

    /// Makes the drawn changes of one step, and syncs nothing.
    pub(super) fn step(&mut self, volume: &impl Volume) -> io::Result<()> {
        let changes = self.author.step(&mut self.live, self.change);
        changes.iter().try_for_each(|change| make(volume, self.content, change, false))
    }

    /// Makes one more snapshot. Returns how long the call took, nanoseconds.
    pub(super) fn take(&mut self, volume: &impl Volume) -> io::Result<u64> {
        let time = timed(|| volume.make(self.next))?;
        self.taken.insert(self.next, self.live.clone());
        self.next += 1;
        Ok(time)
    }

    /// Drops the snapshot with this number. Returns how long the call took, nanoseconds.
    pub(super) fn drop_one(&mut self, volume: &impl Volume, number: u64) -> io::Result<u64> {
        let time = timed(|| volume.drop_one(number))?;
        self.taken.remove(&number);
        Ok(time)
    }
}

/// Makes `change` in the live files.
pub(super) fn make(
    volume: &impl Volume,
    content: &Content,
    change: &Change,
    is_synced: bool,
) -> io::Result<()> {
    match change.data(content) {
        Some((at, data)) => volume.write(change.file(), at, &data, is_synced),
        None => volume.delete(change.file(), is_synced),
    }
}

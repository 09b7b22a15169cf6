//! Writes files, each piece followed by an fsync, until the file system refuses more.

use super::{
    super::clock::timed,
    space::{Answer, Space},
};
use ::faults::full::{BLOCK, Content, Kept};
use model::result::{FullCall, FullRefusal};
use rustix::io::Errno;

/// Bytes of a write and the fsync that follows: when one is refused, smaller ones fill what is left.
const PIECES: [u64; 3] = [1 << 20, 64 << 10, 4 << 10];

/// A file system, and what it has acknowledged.
pub(super) struct Filling<'a, S> {
    pub(super) space: &'a S,
    pub(super) content: &'a Content,
    /// Bytes of each file.
    file_bytes: u64,
    /// Where filling ends although nothing was refused.
    most_bytes: u64,
    /// Every file of which something has to be there.
    pub(super) kept: Vec<Kept>,
    /// What it holds in all.
    bytes: u64,
    /// The first call that was refused.
    pub(super) refused: Option<FullRefusal>,
    /// Bytes found in files beyond those that writes had accepted.
    pub(super) unanswered_bytes: u64,
    /// The number of the next file.
    next: u64,
    /// Whether the last file is to be continued.
    continues: bool,
    /// Which size of pieces is written.
    piece: usize,
}

impl<'a, S: Space> Filling<'a, S> {
    /// Nothing is written yet: files of `file_bytes` will be, on a disk of `device_bytes`.
    pub(super) fn new(
        space: &'a S,
        content: &'a Content,
        (file_bytes, device_bytes): (u64, u64),
    ) -> Filling<'a, S> {
        Filling {
            space,
            content,
            file_bytes,
            most_bytes: device_bytes.saturating_mul(2),
            kept: Vec::new(),
            bytes: 0,
            refused: None,
            unanswered_bytes: 0,
            next: 0,
            continues: false,
            piece: 0,
        }
    }

    /// Bytes that were acknowledged and not deleted.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of a file that is not among those that fill.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Writes until there are `until` bytes; `false` where even the smallest piece was refused before.
    pub(super) fn fill(&mut self, until: u64) -> bool {
        while self.bytes < until && self.bytes < self.most_bytes {
            if let Err(refusal) = self.one(until) {
                self.refused.get_or_insert(refusal);
                if self.piece + 1 == PIECES.len() {
                    return false;
                }
                self.piece += 1;
            }
        }
        true
    }

    /// The same after a sync of the whole file system, which may free what it held back.
    pub(super) fn fill_after_sync(&mut self, until: u64) -> bool {
        // Where the sync is refused, nothing is free either.
        let _ = self.space.sync_all();
        self.widen();
        self.fill(until)
    }

    /// Begins with the largest pieces again.
    pub(super) fn widen(&mut self) {
        self.piece = 0;
    }

    /// Deletes the file at `index` of those that are kept. Returns its bytes.
    pub(super) fn delete(&mut self, index: usize) -> Answer<u64> {
        self.space.unlink(&self.kept[index].name)?;
        if index + 1 == self.kept.len() {
            self.continues = false;
        }
        let own = self.kept.remove(index);
        self.bytes = self.bytes.saturating_sub(own.bytes);
        Ok(own.bytes)
    }

    /// Adds files that were made otherwise, and have to be there.
    pub(super) fn note(&mut self, more: Vec<Kept>) {
        self.kept.extend(more);
        self.continues = false;
    }

    /// Writes over a block of the file at `index` of those that are kept, and syncs it. Returns how long that took,
    /// nanoseconds.
    pub(super) fn overwrite(&mut self, index: usize, number: u64, version: u64) -> Answer<u64> {
        let space = self.space;
        let own = &mut self.kept[index];
        let file = space.open(&own.name)?;
        let data = self.content.block(own.file, number, version);
        let done = timed(|| put(space, &file, number * data.len() as u64, &data));
        own.change(number, version, done.is_ok());
        space.close(file)?;
        done
    }

    /// Writes one file, or what is missing of the last one.
    fn one(&mut self, until: u64) -> Result<(), FullRefusal> {
        let refuse = |call| move |errno| FullRefusal { call, errno };
        let file = match self.kept.last() {
            Some(last) if self.continues => {
                self.space.open(&last.name).map_err(refuse(FullCall::Open))?
            }
            _ => {
                let number = self.number();
                let name = format!("f{number}");
                let file = self.space.create(&name).map_err(refuse(FullCall::Open))?;
                self.kept.push(Kept::new(name, number));
                self.continues = true;
                file
            }
        };
        let written = self.pieces(&file, until);
        let closed = self.space.close(file).map_err(refuse(FullCall::Close));
        written.and(closed)
    }

    fn pieces(&mut self, file: &S::File, until: u64) -> Result<(), FullRefusal> {
        while self.bytes < until {
            let at = self.kept.last().map_or(0, |own| own.bytes);
            if at >= self.file_bytes {
                self.continues = false;
                return Ok(());
            }
            // Whole blocks, and no more than is asked for.
            let wanted = (until - self.bytes).div_ceil(BLOCK as u64).saturating_mul(BLOCK as u64);
            let length = PIECES[self.piece].min(self.file_bytes - at).min(wanted);
            let number = self.kept.last().map_or(0, |own| own.file);
            let data = self.content.bytes(number, at, length as usize);
            let (accepted, refusal) = write_all(self.space, file, at, &data);
            if refusal.is_some() {
                self.count_unanswered(at + accepted);
            }
            if accepted > 0 {
                self.space.sync(file).map_err(|errno| {
                    // What this file has now is unknown: a later fsync may say that it is there.
                    self.continues = false;
                    FullRefusal { call: FullCall::Fsync, errno }
                })?;
                self.acknowledge(accepted);
            }
            if let Some(errno) = refusal {
                return Err(FullRefusal { call: FullCall::Write, errno });
            }
        }
        Ok(())
    }

    fn acknowledge(&mut self, accepted: u64) {
        self.bytes += accepted;
        if let Some(own) = self.kept.last_mut() {
            own.bytes += accepted;
        }
    }

    fn count_unanswered(&mut self, accepted: u64) {
        let Some(own) = self.kept.last() else { return };
        if let Ok(length) = self.space.length(&own.name) {
            self.unanswered_bytes += length.saturating_sub(accepted);
        }
    }
}

/// Writes all of `data` from byte `at`, and syncs the file.
pub(super) fn put<S: Space>(space: &S, file: &S::File, at: u64, data: &[u8]) -> Answer {
    match write_all(space, file, at, data) {
        (_, Some(errno)) => Err(errno),
        _ => space.sync(file),
    }
}

/// Writes all of `data` from byte `at`. Returns how much was accepted, and the error number that ended it.
fn write_all<S: Space>(space: &S, file: &S::File, at: u64, data: &[u8]) -> (u64, Option<i32>) {
    let mut accepted = 0;
    while accepted < data.len() {
        match space.write(file, at + accepted as u64, &data[accepted..]) {
            Ok(0) => return (accepted as u64, Some(Errno::IO.raw_os_error())),
            Ok(more) => accepted += more,
            Err(errno) => return (accepted as u64, Some(errno)),
        }
    }
    (accepted as u64, None)
}

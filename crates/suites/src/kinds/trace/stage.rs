//! The part of a replay that its lanes share: the tree, the names, descriptors and mappings of several lanes, and data
//! to write.

use super::{step::SHARED, texts::Texts};
use engine::{calls::Mapped, data::Pattern};
use rustix::io::Errno;
use std::{
    fs::File,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::RwLock,
};

/// Bytes of a page, at which buffers begin.
const PAGE: usize = 4096;
/// Longest buffer of one call; a longer read or write is made in parts.
pub(super) const LONGEST: usize = 16 << 20;
/// Bytes after which data to write begins again, shifted by a word.
const SPAN: usize = 8 << 20;
/// Shifts after which it is the same.
const SHIFTS: u64 = 512;

/// The part of a replay that its lanes share.
pub(super) struct Stage {
    /// The directory of the tree.
    pub(super) tree: File,
    pub(super) texts: Texts,
    /// Descriptors that several lanes use. Their calls are ordered, so that no lane waits for one of these locks.
    shared: Vec<RwLock<Option<OwnedFd>>>,
    maps: Vec<RwLock<Option<Mapped>>>,
    pub(super) data: Content,
}

impl Stage {
    pub(super) fn new(
        tree: File,
        texts: Texts,
        (shared, maps): (usize, usize),
        data: Content,
    ) -> Stage {
        let shared = (0..shared).map(|_| RwLock::new(None)).collect();
        let maps = (0..maps).map(|_| RwLock::new(None)).collect();
        Stage { tree, texts, shared, maps, data }
    }

    /// Does `act` with the mapping in `slot`.
    pub(super) fn mapped(
        &self,
        slot: u32,
        act: impl FnOnce(&Mapped) -> Result<(), Errno>,
    ) -> Result<i64, Errno> {
        let map = self.maps.get(slot as usize).ok_or(Errno::INVAL)?;
        let map = map.read().map_err(|_| Errno::INVAL)?;
        act(map.as_ref().ok_or(Errno::INVAL)?).map(|()| 0)
    }

    /// Puts `map` into `slot`, and drops what was there.
    pub(super) fn set_mapped(&self, slot: u32, map: Option<Mapped>) -> Result<i64, Errno> {
        let place = self.maps.get(slot as usize).ok_or(Errno::INVAL)?;
        let old = std::mem::replace(&mut *place.write().map_err(|_| Errno::INVAL)?, map);
        drop(old);
        Ok(0)
    }
}

/// The descriptors that a lane uses: its own, and those of the stage.
pub(super) struct Descriptors<'s> {
    stage: &'s Stage,
    own: Vec<Option<OwnedFd>>,
}

impl<'s> Descriptors<'s> {
    pub(super) fn new(stage: &'s Stage) -> Descriptors<'s> {
        Descriptors { stage, own: Vec::with_capacity(1024) }
    }

    /// Does `act` with the descriptor in `slot`.
    #[inline]
    pub(super) fn with<T>(
        &self,
        slot: u32,
        act: impl FnOnce(BorrowedFd<'_>) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        if slot & SHARED == 0 {
            return act(self
                .own
                .get(slot as usize)
                .and_then(Option::as_ref)
                .ok_or(Errno::BADF)?
                .as_fd());
        }
        let shared = self.stage.shared.get((slot & !SHARED) as usize).ok_or(Errno::BADF)?;
        let shared = shared.read().map_err(|_| Errno::BADF)?;
        act(shared.as_ref().ok_or(Errno::BADF)?.as_fd())
    }

    /// Puts `file` into `slot`; it is closed at once where the recorded call made none.
    pub(super) fn put(&mut self, slot: u32, file: OwnedFd) {
        if slot & SHARED == 0 {
            let at = slot as usize;
            if at >= self.own.len() {
                self.own.resize_with(at + 1, || None);
            }
            self.own[at] = Some(file);
        } else if let Some(Ok(mut place)) =
            self.stage.shared.get((slot & !SHARED) as usize).map(RwLock::write)
        {
            *place = Some(file);
        }
    }

    /// Takes the descriptor out of `slot`.
    pub(super) fn take(&mut self, slot: u32) -> Result<OwnedFd, Errno> {
        if slot & SHARED == 0 {
            return self.own.get_mut(slot as usize).and_then(Option::take).ok_or(Errno::BADF);
        }
        let shared = self.stage.shared.get((slot & !SHARED) as usize).ok_or(Errno::BADF)?;
        shared.write().map_err(|_| Errno::BADF)?.take().ok_or(Errno::BADF)
    }
}

/// Generated data, of which each write takes another piece. Pieces begin at a page where the trace has direct I/O.
pub(super) struct Content {
    bytes: Vec<u8>,
    first: usize,
    aligned: bool,
}

impl Content {
    /// Data by `pattern` for writes of at most `longest` bytes.
    pub(super) fn new(pattern: &Pattern, longest: usize, aligned: bool) -> Content {
        let len = SPAN + longest.min(LONGEST) + SHIFTS as usize * 8;
        let mut bytes = vec![0; len + PAGE];
        let first = bytes.as_ptr().align_offset(PAGE).min(PAGE);
        for (word, i) in bytes[first..first + len].chunks_exact_mut(8).zip(0..) {
            word.copy_from_slice(&pattern.word(i).to_ne_bytes());
        }
        Content { bytes, first, aligned }
    }

    /// The `turn`th piece of `len` bytes, a page after the one before; shorter where `len` is more than was said.
    #[inline]
    pub(super) fn piece(&self, turn: u64, len: usize) -> &[u8] {
        let at = turn.wrapping_mul(PAGE as u64);
        let shift = if self.aligned { 0 } else { (at / SPAN as u64 % SHIFTS) as usize * 8 };
        let from = self.first + (at % SPAN as u64) as usize + shift;
        &self.bytes[from..(from + len).min(self.bytes.len())]
    }
}

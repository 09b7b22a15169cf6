//! Divides a log into epochs.

use super::{SECTOR_BYTES, State, uncovered::Uncovered};
use crate::log::{Event, Log};
use std::{fmt, ops::Range};

/// A request of the log that does not begin and end with a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unaligned {
    /// Its first byte on the disk.
    pub offset: u64,
}

impl fmt::Display for Unaligned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a request at byte {} of the disk is not of whole sectors", self.offset)
    }
}

impl std::error::Error for Unaligned {}

/// A write or a discard, of at least one sector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    /// Its sectors.
    pub(super) sectors: Range<u64>,
    /// Where its data is in the log; `None` for a discard.
    pub(super) data: Option<Range<usize>>,
    /// Whether another write of its epoch has a sector of it.
    pub(super) overlaps: bool,
}

impl Write {
    /// Sectors.
    pub(super) fn length(&self) -> u64 {
        self.sectors.end - self.sectors.start
    }

    /// The bytes of `part` of its sectors, counted from its first; `None` for zeros.
    fn bytes<'a>(&self, log: &'a Log, part: &Range<u64>) -> Option<&'a [u8]> {
        let data = log.data(self.data.as_ref()?);
        Some(&data[in_memory(part.start * SECTOR_BYTES)..in_memory(part.end * SECTOR_BYTES)])
    }

    /// The bytes of one sector, counted from its first; `None` for zeros.
    pub(super) fn sector<'a>(&self, log: &'a Log, at: u64) -> Option<&'a [u8]> {
        self.bytes(log, &(at..at + 1))
    }
}

/// What was asked of the disk between two flushes.
#[derive(Clone, Debug, Default)]
pub(super) struct Epoch {
    pub(super) writes: Vec<Write>,
    /// The last mark before its end.
    pub(super) acknowledged: Option<u64>,
}

/// A log, divided by its flushes.
#[derive(Clone, Debug)]
pub struct Epochs<'log> {
    pub(super) log: &'log Log,
    pub(super) epochs: Vec<Epoch>,
}

impl<'log> Epochs<'log> {
    /// The epochs of `log`.
    ///
    /// # Errors
    /// A write or discard is not of whole sectors.
    pub fn new(log: &'log Log) -> Result<Epochs<'log>, Unaligned> {
        let mut epochs = Vec::new();
        let mut epoch = Epoch::default();
        for event in log.events() {
            let (offset, length, data) = match event {
                Event::Write { offset, data } => (*offset, data.len() as u64, Some(data.clone())),
                Event::Discard { offset, length } => (*offset, *length, None),
                Event::Mark(mark) => {
                    epoch.acknowledged = Some(*mark);
                    continue;
                }
                Event::Flush => {
                    let acknowledged = epoch.acknowledged;
                    let next = Epoch { acknowledged, ..Epoch::default() };
                    epochs.push(std::mem::replace(&mut epoch, next));
                    continue;
                }
            };
            let sectors = sectors(offset, length)?;
            if !sectors.is_empty() {
                epoch.writes.push(Write { sectors, data, overlaps: false });
            }
        }
        epochs.push(epoch);
        epochs.iter_mut().for_each(|epoch| find_overlaps(&mut epoch.writes));
        Ok(Epochs { log, epochs })
    }

    /// How many epochs there are: one more than flushes.
    pub fn count(&self) -> usize {
        self.epochs.len()
    }

    /// What to write over the disk as it was when the log began: pieces that do not overlap, each with its first byte
    /// on the disk.
    pub fn patches(&self, state: &State) -> Vec<(u64, Vec<u8>)> {
        let mut free = Uncovered::default();
        let mut patches = Vec::new();
        let mut put = |write: &Write, length: u64| {
            for piece in free.take(write.sectors.start..write.sectors.start + length) {
                let part = piece.start - write.sectors.start..piece.end - write.sectors.start;
                let zeros = || vec![0; in_memory((part.end - part.start) * SECTOR_BYTES)];
                let bytes = write.bytes(self.log, &part).map_or_else(zeros, <[u8]>::to_vec);
                patches.push((piece.start * SECTOR_BYTES, bytes));
            }
        };
        // From the last write back: what is covered already is newer.
        let own = &self.epochs[state.epoch].writes;
        for (place, kept) in state.kept.iter().enumerate().rev() {
            let write = &own[*kept];
            let is_last = place + 1 == state.kept.len();
            put(write, state.torn.filter(|_| is_last).unwrap_or(write.length()));
        }
        let before = self.epochs[..state.epoch].iter().rev();
        for write in before.flat_map(|epoch| epoch.writes.iter().rev()) {
            put(write, write.length());
        }
        patches
    }

    /// Whether a disk that writes `atomic_bytes` whole or not at all can be left in `state`.
    pub fn tears_at(&self, state: &State, atomic_bytes: u64) -> bool {
        let last = state.kept.last().map(|last| &self.epochs[state.epoch].writes[*last]);
        let Some((last, torn)) = last.zip(state.torn) else { return true };
        ((last.sectors.start + torn) * SECTOR_BYTES).is_multiple_of(atomic_bytes)
    }
}

fn sectors(offset: u64, length: u64) -> Result<Range<u64>, Unaligned> {
    if !offset.is_multiple_of(SECTOR_BYTES) || !length.is_multiple_of(SECTOR_BYTES) {
        return Err(Unaligned { offset });
    }
    Ok(offset / SECTOR_BYTES..(offset + length) / SECTOR_BYTES)
}

/// Bytes of data in memory fit its size.
fn in_memory(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Marks the writes that share a sector with another one.
fn find_overlaps(writes: &mut [Write]) {
    let mut order: Vec<usize> = (0..writes.len()).collect();
    order.sort_unstable_by_key(|at| writes[*at].sectors.start);
    // Whatever shares a sector with an earlier one shares one with that which reaches furthest.
    let mut furthest: Option<usize> = None;
    for at in order {
        if let Some(before) = furthest
            && writes[before].sectors.end > writes[at].sectors.start
        {
            writes[before].overlaps = true;
            writes[at].overlaps = true;
        }
        if furthest.is_none_or(|before| writes[before].sectors.end < writes[at].sectors.end) {
            furthest = Some(at);
        }
    }
}

//! The log of a recording disk: its requests in order, with the data that was written.

use std::{mem::MaybeUninit, ops::Range};

/// One request to the disk, or a mark of the workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A write that the disk has completed. It is in the volatile cache until the next flush.
    Write {
        /// First byte of the disk, in bytes.
        offset: u64,
        /// Where the data is; see [`Log::data`].
        data: Range<usize>,
    },
    /// A flush, logged when it arrived: every write before it is durable once it is answered.
    Flush,
    /// Bytes that the file system does not need any more, or wants to read as zeros: a loop device asks for both in the
    /// same words. They read as zeros once it is done, and like a write it is in the volatile cache until a flush.
    Discard {
        /// First byte of the disk, in bytes.
        offset: u64,
        /// Length, bytes.
        length: u64,
    },
    /// The workload has been told that what has this number is done.
    Mark(u64),
}

/// The log is full: recording it on would take more memory than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// Requests in order. The data of all writes lies in one piece of memory of bounded size.
#[derive(Clone, Debug)]
pub struct Log {
    events: Vec<Event>,
    /// When each came, among all requests to all disks.
    stamps: Vec<u64>,
    now: u64,
    data: Vec<u8>,
    limit: usize,
}

impl Log {
    /// An empty log that holds at most `limit` bytes of data.
    pub fn new(limit: usize) -> Log {
        let mut data = Vec::new();
        // The kernel gives the memory as it is written; where it does not, it is asked for piece by piece.
        let _ = data.try_reserve_exact(limit);
        Log { events: Vec::new(), stamps: Vec::new(), now: 0, data, limit }
    }

    /// Has what is appended next come at `now`, which orders it among the requests to other disks.
    pub fn stamp(&mut self, now: u64) {
        self.now = now;
    }

    /// Appends a write of `data` at byte `offset` of the disk.
    ///
    /// # Errors
    /// The log is full; nothing is appended.
    pub fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Full> {
        let start = self.data.len();
        if data.len() > self.limit - start {
            return Err(Full);
        }
        self.data.extend_from_slice(data);
        self.push(Event::Write { offset, data: start..self.data.len() });
        Ok(())
    }

    /// Appends a request without data, or a mark.
    pub fn push(&mut self, event: Event) {
        self.events.push(event);
        self.stamps.push(self.now);
    }

    /// The memory for data to come, as far as it is there already.
    pub fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        self.data.spare_capacity_mut()
    }

    /// All events, oldest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// All events with the stamp of each, oldest first.
    pub fn stamped(&self) -> impl DoubleEndedIterator<Item = (u64, &Event)> {
        self.stamps.iter().copied().zip(&self.events)
    }

    /// The log up to the flush that ends the epoch `epoch`, counted from 0; all of it where there is no such flush.
    pub fn until_epoch(&self, epoch: usize) -> Log {
        let flushes = self.events.iter().enumerate().filter(|(_, own)| **own == Event::Flush);
        let end = flushes.map(|(at, _)| at + 1).nth(epoch).unwrap_or(self.events.len());
        let events = self.events[..end].to_vec();
        let last = events.iter().rev().find_map(|event| match event {
            Event::Write { data, .. } => Some(data.end),
            _ => None,
        });
        let data = self.data[..last.unwrap_or(0)].to_vec();
        let stamps = self.stamps[..end].to_vec();
        Log { events, stamps, now: self.now, limit: data.len(), data }
    }

    /// What the first `events` of them wrote, oldest first: the first byte of the disk, and the bytes. A discard writes
    /// zeros.
    pub fn written(&self, events: usize) -> Vec<(u64, Vec<u8>)> {
        self.written_by(self.events.iter().take(events))
    }

    /// What these `events` of this log wrote, in their order.
    pub fn written_by<'e>(
        &self,
        events: impl IntoIterator<Item = &'e Event>,
    ) -> Vec<(u64, Vec<u8>)> {
        let write = |event: &Event| match event {
            Event::Write { offset, data } => Some((*offset, self.data(data).to_vec())),
            Event::Discard { offset, length } => {
                Some((*offset, vec![0; usize::try_from(*length).ok()?]))
            }
            Event::Flush | Event::Mark(_) => None,
        };
        events.into_iter().filter_map(write).collect()
    }

    /// The bytes of a write of this log.
    pub fn data(&self, range: &Range<usize>) -> &[u8] {
        &self.data[range.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_does_not_fit_is_refused_whole() {
        let mut log = Log::new(10);
        log.write(4096, b"abcdefgh").unwrap();
        log.push(Event::Flush);
        assert_eq!(log.write(0, b"xyz"), Err(Full));
        log.write(8, b"yz").unwrap();
        let [Event::Write { offset: 4096, data }, Event::Flush, Event::Write { offset: 8, .. }] =
            log.events()
        else {
            panic!("{log:?}");
        };
        assert_eq!(log.data(data), b"abcdefgh");
    }

    #[test]
    fn writes_are_listed_up_to_an_event() {
        let mut log = Log::new(10);
        log.write(4096, b"ab").unwrap();
        log.push(Event::Flush);
        log.push(Event::Discard { offset: 512, length: 3 });
        log.push(Event::Mark(1));
        log.write(0, b"c").unwrap();
        assert_eq!(log.written(2), [(4096, b"ab".to_vec())]);
        assert_eq!(log.written(4), [(4096, b"ab".to_vec()), (512, vec![0; 3])]);
        assert_eq!(log.written(5).len(), 3);
    }
}

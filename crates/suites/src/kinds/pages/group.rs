//! Group commit: transactions append their records to a shared buffer; one of those who wait writes
//! the buffer to the log and syncs it, for itself and for all who came before it began.

use crate::TestError;
use std::{
    fs::File,
    io, mem,
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// A log that is written over when it is full.
pub(super) struct GroupLog {
    file: File,
    path: PathBuf,
    capacity: u64,
    state: Mutex<State>,
    flushed: Condvar,
}

/// Places count the bytes that were ever appended.
#[derive(Default)]
struct State {
    /// Records that no client writes yet.
    filling: Vec<u8>,
    /// An empty buffer to fill while the other is written.
    spare: Vec<u8>,
    /// End of what was appended.
    end: u64,
    /// End of what is durable.
    durable: u64,
    /// Whether a client writes.
    led: bool,
    /// Whether a write or a sync failed, after which nothing can be trusted.
    failed: bool,
    flushes: u64,
}

impl GroupLog {
    /// A log of `capacity` bytes in `file`, for at most `pending_bytes` of records at a time.
    pub(super) fn new(file: File, path: PathBuf, capacity: u64, pending_bytes: usize) -> GroupLog {
        let buffer = || Vec::with_capacity(pending_bytes);
        let state = State { filling: buffer(), spare: buffer(), ..State::default() };
        GroupLog { file, path, capacity, state: Mutex::new(state), flushed: Condvar::new() }
    }

    /// Appends `record`; returns when it is durable.
    pub(super) fn commit(&self, record: &[u8]) -> Result<(), TestError> {
        let mut state = self.lock();
        state.filling.extend_from_slice(record);
        state.end += record.len() as u64;
        let mine = state.end;
        while state.durable < mine {
            if state.failed {
                return Err(TestError::Stopped("the log of another client failed".into()));
            }
            state = match state.led {
                true => self.flushed.wait(state).unwrap_or_else(PoisonError::into_inner),
                false => self.lead(state)?,
            };
        }
        Ok(())
    }

    /// Writes and syncs all that was appended so far.
    fn lead<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
    ) -> Result<MutexGuard<'a, State>, TestError> {
        let spare = mem::take(&mut state.spare);
        let mut batch = mem::replace(&mut state.filling, spare);
        let (from, to) = (state.durable, state.end);
        state.led = true;
        drop(state);
        let result = self.write(&batch, from).and_then(|()| self.file.sync_data());
        batch.clear();
        let mut state = self.lock();
        state.spare = batch;
        state.led = false;
        match result {
            Ok(()) => {
                state.durable = to;
                state.flushes += 1;
            }
            Err(_) => state.failed = true,
        }
        self.flushed.notify_all();
        result.map_err(TestError::io("append to", &self.path))?;
        Ok(state)
    }

    fn write(&self, batch: &[u8], from: u64) -> io::Result<()> {
        let at = from % self.capacity;
        let (first, rest) = batch.split_at(batch.len().min((self.capacity - at) as usize));
        self.file.write_all_at(first, at)?;
        self.file.write_all_at(rest, 0)
    }

    /// Returns the number of log syncs.
    pub(super) fn flushes(&self) -> u64 {
        self.lock().flushes
    }

    /// Reads the records of `record_bytes` that the log still holds, one after the other.
    pub(super) fn read(
        &self,
        record_bytes: usize,
        mut each: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<(), TestError> {
        let held = self.lock().end.min(self.capacity);
        let mut record = vec![0; record_bytes];
        for at in (0..held).step_by(record_bytes) {
            self.file.read_exact_at(&mut record, at).map_err(TestError::io("read", &self.path))?;
            each(&record).map_err(|why| TestError::Wrong {
                path: self.path.clone(),
                why: format!("record at byte {at}: {why}"),
            })?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, thread};

    fn log(capacity: u64, writable: bool) -> GroupLog {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_path_buf();
        let file = File::options().read(true).write(writable).open(&path).unwrap();
        GroupLog::new(file, path, capacity, 64)
    }

    #[test]
    fn every_record_of_every_client_is_in_the_log_once() {
        let log = log(8 * 400, true);
        thread::scope(|scope| {
            for client in 0..8u32 {
                let log = &log;
                scope.spawn(move || {
                    for k in 0..50u32 {
                        let mut record = [0; 8];
                        record[..4].copy_from_slice(&client.to_le_bytes());
                        record[4..].copy_from_slice(&k.to_le_bytes());
                        log.commit(&record).unwrap();
                    }
                });
            }
        });
        let mut seen = BTreeSet::new();
        log.read(8, |record| {
            let fresh = seen.insert(record.to_vec());
            if fresh { Ok(()) } else { Err("twice".into()) }
        })
        .unwrap();
        assert_eq!(seen.len(), 400);
        // A group is at least one record and at most all clients.
        assert!((50..=400).contains(&log.flushes()));
    }

    #[test]
    fn a_batch_goes_on_at_the_beginning_of_a_full_log() {
        let log = log(12, true);
        for text in [b"aaaa", b"bbbb", b"cccc", b"dddd"] {
            log.commit(text).unwrap();
        }
        log.commit(b"eeeeffff").unwrap();
        let mut held = Vec::new();
        log.read(4, |record| {
            held.push(record.to_vec());
            Ok(())
        })
        .unwrap();
        assert_eq!(held, [b"dddd", b"eeee", b"ffff"]);
    }

    #[test]
    fn a_failure_stops_everybody() {
        let log = log(64, false);
        let first = log.commit(b"aaaa").unwrap_err().to_string();
        assert!(first.starts_with("append to "), "{first}");
        assert!(matches!(log.commit(b"bbbb"), Err(TestError::Stopped(_))));
    }
}

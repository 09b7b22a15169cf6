//! Writes the undo journal before each act, so that `cleanup` and `resume` can tear down after kill -9. It is one text
//! file for each campaign, `<state>/journal/<campaign>.jsonl`. Each line is a record, `LENGTH CRC32 JSON`, the length
//! in bytes and the sum of the JSON alone. The first record names the boot, so that after another boot nothing is torn
//! down that a reboot has already removed. A record is on the disk before its act happens, and so is the room for the
//! next one: a full disk is noticed before the act. The file is locked while the campaign lives and removed when all is
//! torn down; the campaign also keeps every entry in memory, and undoes by that copy.

mod record;

use crate::{
    error::LabError,
    ownership::{
        mark::{self, Mark},
        state::{self, State},
        undo::Undo,
    },
};
use disk::lock::{Lock, is_still};
use record::Faults;
use rustix::{
    fs::{FallocateFlags, fallocate, fstat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, Read, Write},
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Folder of the journals in the state folder.
pub(crate) const FOLDER: &str = "journal";
const SUFFIX: &str = ".jsonl";
/// Kept free behind the last record, bytes; more than a record has.
const RESERVE: u64 = 4096;
/// A journal is smaller, bytes.
const LARGEST: u64 = 64 << 20;

/// Report of a cleanup, or of a dry run of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanupReport {
    /// One line for each thing that was torn down.
    pub done: Vec<String>,
    /// Campaigns that are running and were left alone.
    pub live: Vec<String>,
    /// Messages to the user: records that cannot be read, a journal that was removed.
    pub messages: Vec<String>,
    /// One line for each thing that could not be torn down; its journal is kept.
    pub failed: Vec<String>,
}

impl CleanupReport {
    /// Keeps what came of one thing.
    pub(crate) fn add(&mut self, result: Result<Option<String>, LabError>) {
        match result {
            Ok(done) => self.done.extend(done),
            Err(error) => self.failed.push(error.to_string()),
        }
    }
}

/// The first record: the boot in which the others were written.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    boot: String,
}

/// An open, locked journal.
#[derive(Debug)]
pub(crate) struct Journal {
    mark: Mark,
    folder: File,
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: Lock,
    /// Entries to be torn down.
    entries: Vec<Undo>,
    /// Bytes of whole records in the file.
    length: u64,
    /// Lines of it that cannot be read.
    faults: Faults,
    /// It was removed under the campaign.
    was_lost: bool,
}

impl Journal {
    /// Opens and locks the journal of `campaign`, made when it is not there; it may hold entries of a dead
    /// process.
    ///
    /// # Errors
    /// Another process holds it; it is not a file of this user alone; it cannot be made or read.
    pub(crate) fn open(state: &State, mark: &Mark) -> Result<Journal, LabError> {
        let journal = Journal::at(state.folder(FOLDER)?, state, mark, true)?;
        journal.folder.sync_all().map_err(LabError::io("sync", &state.path().join(FOLDER)))?;
        Ok(journal)
    }

    fn at(folder: File, state: &State, mark: &Mark, create: bool) -> Result<Journal, LabError> {
        let name = format!("{}{SUFFIX}", mark.campaign);
        let path = state.path().join(FOLDER).join(&name);
        loop {
            let file = state::open_file(&folder, &name, &path, create)?;
            let taken = Lock::take_from_the_dead(file).map_err(LabError::io("lock", &path))?;
            let Some(file) = taken else {
                return Err(LabError::Live { campaign: mark.campaign.clone(), journal: path });
            };
            // Another process may have finished and removed the file before it was locked here.
            if is_still(&folder, &name, &file) {
                let inner = Mutex::new(Inner::read(file, &path)?);
                return Ok(Journal { mark: mark.clone(), folder, path, inner });
            }
        }
    }

    /// Puts `entry` on the disk; its act may happen after this returns.
    ///
    /// # Errors
    /// It cannot be written, or there is no room for the next one; the act must not happen then.
    pub(crate) fn record(&self, entry: &Undo) -> Result<(), LabError> {
        let mut inner = self.lock();
        if fstat(&*inner.file).is_ok_and(|stat| stat.st_nlink == 0) {
            self.write_anew(&mut inner)?;
        }
        if inner.length == 0 {
            inner
                .append(&Head { boot: mark::boot() })
                .map_err(LabError::io("write", &self.path))?;
        }
        inner.append(entry).map_err(LabError::io("write", &self.path))?;
        inner.entries.push(entry.clone());
        Ok(())
    }

    /// Writes all entries to a new file, as the old one was removed.
    fn write_anew(&self, inner: &mut Inner) -> Result<(), LabError> {
        let state = State::open(&self.mark.state)?;
        let anew = Journal::open(&state, &self.mark)?;
        let mut written = anew.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        if written.length > 0 {
            // It belongs to another process, which works on the campaign or did.
            return Err(LabError::Live {
                campaign: self.mark.campaign.clone(),
                journal: self.path.clone(),
            });
        }
        written.append(&Head { boot: mark::boot() }).map_err(LabError::io("write", &self.path))?;
        for entry in &inner.entries {
            written.append(entry).map_err(LabError::io("write", &self.path))?;
        }
        (inner.file, inner.length, inner.was_lost) = (written.file, written.length, true);
        Ok(())
    }

    /// Undoes every entry, the latest first, and removes the journal when nothing is left.
    ///
    /// # Errors
    /// The journal cannot be removed; what cannot be torn down is in the report.
    pub(crate) fn undo_all(&self, report: &mut CleanupReport) -> Result<(), LabError> {
        let mut inner = self.lock();
        let failed_before = report.failed.len();
        self.tell(&inner, report);
        let mut left = Vec::new();
        for entry in std::mem::take(&mut inner.entries).into_iter().rev() {
            let result = entry.apply(&self.mark);
            if result.is_err() {
                left.push(entry);
            }
            report.add(result);
        }
        inner.entries = left.into_iter().rev().collect();
        if report.failed.len() > failed_before || fstat(&*inner.file).is_ok_and(|s| s.st_nlink == 0)
        {
            return Ok(());
        }
        // By the folder as it is named now: it may be a new one.
        let name = format!("{}{SUFFIX}", self.mark.campaign);
        match State::look(&self.mark.state)?
            .map(|state| state.look_folder(FOLDER))
            .transpose()?
            .flatten()
        {
            Some(folder) if is_still(&folder, &name, &inner.file) => {
                state::remove_file(&folder, &name, &self.path)
            }
            _ => state::remove_file(&self.folder, &name, &self.path),
        }
    }

    /// Returns what [`Journal::undo_all`] would do.
    fn would_undo(&self, report: &mut CleanupReport) {
        let inner = self.lock();
        self.tell(&inner, report);
        inner.entries.iter().rev().for_each(|entry| report.add(entry.would(&self.mark)));
    }

    /// The entries that are still to be torn down.
    fn entries(&self) -> Vec<Undo> {
        self.lock().entries.clone()
    }

    fn tell(&self, inner: &Inner, report: &mut CleanupReport) {
        report.messages.extend(inner.faults.lines(&self.path));
        if inner.was_lost || fstat(&*inner.file).is_ok_and(|stat| stat.st_nlink == 0) {
            report.messages.push(format!(
                "the journal {} was removed while its campaign was running; its entries were \
                 cleaned up from memory",
                self.path.display()
            ));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Returns what a dead process wrote to `file`.
    fn read(file: Lock, path: &std::path::Path) -> Result<Inner, LabError> {
        let failed = || LabError::io("read", path);
        let mut bytes = Vec::new();
        (&*file).take(LARGEST).read_to_end(&mut bytes).map_err(failed())?;
        let (head, entries, faults) = record::read(&bytes);
        // Of an unknown boot nothing is torn down that a boot tears down: what is in its place may belong to others.
        let is_past = head.is_none_or(|head: Head| head.boot != mark::boot());
        let entries =
            entries.into_iter().filter(|entry: &Undo| !(is_past && entry.ends_with_boot()));
        Ok(Inner {
            file,
            entries: entries.collect(),
            length: bytes.len() as u64,
            faults,
            was_lost: false,
        })
    }

    /// Writes one record and makes it durable; on an error the file is as before.
    fn append(&mut self, value: &impl Serialize) -> io::Result<()> {
        let line = record::line(value)?;
        let wanted = line.len() as u64 + RESERVE;
        match fallocate(&*self.file, FallocateFlags::KEEP_SIZE, self.length, wanted) {
            // A file system that reserves nothing; there a write that fails is cut off again.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(errno) => return Err(errno.into()),
        }
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if written.is_err() {
            // When this fails, too, the torn line is reported and passed over when it is read.
            let _ = self.file.set_len(self.length);
        } else {
            self.length += line.len() as u64;
        }
        written
    }
}

/// Returns what the journal `bytes` of `campaign` could make [`crate::cleanup::Cleanup`] undo, with the state
/// folder `state`: every entry that is read and not refused. For tests; nothing is torn down.
#[doc(hidden)]
pub fn believed(bytes: &[u8], state: &std::path::Path, campaign: &str) -> Vec<Undo> {
    let mark = Mark::new(state, campaign);
    let (_, entries, _) = record::read::<Head, Undo>(bytes);
    entries.into_iter().filter(|entry| entry.check(&mark).is_ok()).collect()
}

/// `json`, which is one line, as a line of a journal. For tests.
#[doc(hidden)]
pub fn sealed(json: &str) -> Vec<u8> {
    record::sealed(json)
}

/// Undoes every journal in `state` whose campaign is dead, or says what that would be. Returns what is left
/// to undo by the journals that were read; in a dry run that is all of it.
pub(crate) fn undo_dead(
    state: &State,
    dry_run: bool,
    report: &mut CleanupReport,
) -> Result<Vec<Undo>, LabError> {
    let mut left = Vec::new();
    let Some(folder) = state.look_folder(FOLDER)? else { return Ok(left) };
    let dir = state.path().join(FOLDER);
    let names =
        rustix::fs::Dir::read_from(&folder).map_err(LabError::errno("list", &dir))?.flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut campaigns: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(SUFFIX)?.to_string())).collect();
    campaigns.sort();
    for campaign in campaigns {
        let mark = Mark::new(state.path(), &campaign);
        let folder = folder.try_clone().map_err(LabError::io("open", &dir))?;
        let torn_down = Journal::at(folder, state, &mark, false).and_then(|journal| {
            if dry_run {
                journal.would_undo(report)
            } else {
                journal.undo_all(report)?
            }
            left.extend(journal.entries());
            Ok(())
        });
        match torn_down {
            Ok(()) => {}
            Err(LabError::Live { campaign, .. }) => report.live.push(campaign),
            Err(error) => report.failed.push(error.to_string()),
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests;

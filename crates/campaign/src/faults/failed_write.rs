//! Makes the disk fail during an fsync, and observes what fsync returns and what data is left.

use super::{
    FaultsError,
    recorded_target::{LOG_BYTES, RecordedTarget},
};
use ::faults::{
    failed_write::{BLOCK, found, new_block, old_block},
    log::Event,
    rule::Rule,
};
use lab::page_cache::{drop_all, residency};
use model::result::{Change, FailedWrite, Failing, FileHistory, FsyncAnswer, ReadBack};
use rustix::{
    fs::{Advice, fadvise},
    io::Errno,
};
use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::Path,
    thread,
    time::Duration,
};

/// Set when the power is to go.
const CUT: u64 = 1;
/// Longer than a tick of any kernel, which is at most 10 ms.
const TICK: Duration = Duration::from_millis(25);
/// The file of the workload.
const FILE: &str = "file";
/// Tries for one in which no other program synced.
const UNDISTURBED: usize = 10;

/// The answers of fsync to the descriptors, and what the first of them read.
struct FsyncAnswers {
    fsyncs: [FsyncAnswer; 4],
    /// Requests that the fault met by then: what fails later is of no fsync.
    injected: u64,
    cached: ReadBack,
    dropped: ReadBack,
}

impl RecordedTarget<'_> {
    /// Makes a file with old data and this `history`, does `change`, and has `failing` fail during the fsync. `None`
    /// where the target has no such request. The disk keeps the state that a cut left.
    ///
    /// # Errors
    /// It cannot be mounted without a fault, the workload fails before one, nothing met the fault, or other programs
    /// synced at each of ten tries.
    pub fn fail_write(
        &mut self,
        change: Change,
        failing: Failing,
        history: FileHistory,
    ) -> Result<Option<FailedWrite>, FaultsError> {
        self.fail_write_beside(change, failing, history, || ())
    }

    /// Like [`RecordedTarget::fail_write`], with what `others` do on this machine right before the fsync.
    ///
    /// # Errors
    /// The same.
    pub fn fail_write_beside(
        &mut self,
        change: Change,
        failing: Failing,
        history: FileHistory,
        mut others: impl FnMut(),
    ) -> Result<Option<FailedWrite>, FaultsError> {
        let Some(rule) = self.traits.rule(failing) else { return Ok(None) };
        for _ in 0..UNDISTURBED {
            let since = self.witness.watch().map_err(FaultsError::Prepare)?;
            let seen = self.try_write(change, &rule, history, &mut others);
            // A disturbed try may as well have met no fault.
            if !self.witness.is_synced(since) {
                return seen.map(Some);
            }
        }
        Err(FaultsError::Synced { target: self.name(), tries: UNDISTURBED })
    }

    /// One try.
    fn try_write(
        &mut self,
        change: Change,
        rule: &Rule,
        history: FileHistory,
        others: &mut impl FnMut(),
    ) -> Result<FailedWrite, FaultsError> {
        self.begin()?;
        let at = match change {
            Change::Overwrite => 0,
            Change::Append => BLOCK as u64,
        };
        self.disk.record(LOG_BYTES);
        let mut mounted = self.mount()?;
        prepare(&mounted.root().join(FILE)).map_err(FaultsError::Prepare)?;
        if history == FileHistory::Mounted {
            // Nothing of the old data is to be written any more once the disk fails.
            self.unmount(mounted)?;
            mounted = self.mount()?;
        }
        let arm = || {
            self.disk.inject(vec![rule.clone()]);
            others();
        };
        let answers =
            self.fsync_answers(&mounted.root().join(FILE), at, arm).map_err(FaultsError::Prepare);
        self.unmount(mounted)?;
        self.disk.inject(Vec::new());
        let log = self.disk.recorded()?;
        let FsyncAnswers { fsyncs: [fd1, fd2, fd3, fd1_again], injected, cached, dropped } =
            answers?;
        if injected == 0 {
            return Err(FaultsError::FaultNotTriggered {
                target: self.name(),
                what: "met the fault",
            });
        }
        let remounted = self.look(at)?;
        let cut = log.events().iter().take_while(|event| **event != Event::Mark(CUT)).count();
        self.disk.show(log.written(cut))?;
        let cut = self.look(at)?;
        let tries = 1;
        Ok(FailedWrite {
            history,
            fd1,
            fd2,
            fd3,
            fd1_again,
            cached,
            dropped,
            remounted,
            cut,
            tries,
            injected,
        })
    }

    /// Writes at byte `at` of the file, has the disk fail, and asks.
    fn fsync_answers(&self, path: &Path, at: u64, arm: impl FnOnce()) -> io::Result<FsyncAnswers> {
        let fd1 = File::options().read(true).write(true).open(path)?;
        let fd2 = File::open(path)?;
        // A change within one tick of the kernel's clock has the time of the one before, and needs no transaction.
        thread::sleep(TICK);
        fd1.write_all_at(&new_block(), at)?;
        arm();
        let first = answer(fd1.sync_all());
        let fsyncs = [first, answer(fd2.sync_all()), opened(path), answer(fd1.sync_all())];
        self.disk.mark(CUT);
        let injected = self.disk.served().injected.iter().sum();
        let cached = read(&fd1, at);
        drop_pages(&fd1, path)?;
        Ok(FsyncAnswers { fsyncs, injected, cached, dropped: read(&fd1, at) })
    }

    /// What a fresh mount reads at `at` of the file; the error where it cannot be mounted or has no such file.
    fn look(&self, at: u64) -> Result<ReadBack, FaultsError> {
        let mounted = match self.how.mount()? {
            Ok(mounted) => mounted,
            Err(errno) => return Ok(ReadBack::Failed(errno.raw_os_error())),
        };
        let found = match File::open(mounted.root().join(FILE)) {
            Ok(file) => read(&file, at),
            Err(error) => ReadBack::Failed(number(&error)),
        };
        self.unmount(mounted)?;
        Ok(found)
    }
}

/// Makes the file, and syncs it.
fn prepare(path: &Path) -> io::Result<()> {
    fs::write(path, old_block())?;
    File::open(path)?.sync_all()
}

/// The error number of `error`.
pub(super) fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(Errno::IO.raw_os_error())
}

fn answer(done: io::Result<()>) -> FsyncAnswer {
    done.map_or_else(|error| FsyncAnswer::Failed(number(&error)), |()| FsyncAnswer::Done)
}

/// The answer of an fsync on a descriptor that is opened for it.
fn opened(path: &Path) -> FsyncAnswer {
    match File::options().read(true).write(true).open(path) {
        Ok(file) => answer(file.sync_all()),
        Err(error) => FsyncAnswer::NotOpened(number(&error)),
    }
}

/// Reads the block at byte `at`.
fn read(file: &File, at: u64) -> ReadBack {
    let mut block = vec![0; BLOCK];
    match file.read_at(&mut block, at) {
        Ok(length) => found(&block[..length]),
        Err(error) => ReadBack::Failed(number(&error)),
    }
}

/// Drops the pages of `file`.
fn drop_pages(file: &File, path: &Path) -> io::Result<()> {
    fadvise(file, 0, None, Advice::DontNeed)?;
    let left = residency(&[path.to_path_buf()]);
    if left.is_ok_and(|left| left.resident_bytes > 0) {
        // Pages that the file system holds on to, as ext4 does those of a journal, go with all clean ones.
        drop_all().map_err(io::Error::other)?;
    }
    Ok(())
}

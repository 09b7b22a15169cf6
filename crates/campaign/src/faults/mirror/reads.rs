//! Reads all files of the workload, through the mirror or from a leg.

use super::{Mirror, SeenMirror, assembly::Assembly};
use crate::faults::{FaultsError, Read, failed_write::number};
use ::faults::mirror::{content, name};
use model::result::{Moment, ReadFrom};
use rustix::{
    fs::{Advice, fadvise},
    thread::gettid,
};
use std::{
    fs::File,
    io::{self, Read as _},
    panic,
    path::Path,
    thread,
};

/// A file that was written and synced: its number, and the version of its content.
pub(super) type Written = (u64, u64);

/// Reads of each copy through the mirror at each moment.
const READS_EACH: u64 = 2;
/// Most threads that are started to find one with the right number.
const THREADS_MAX: usize = 64;

/// One read of all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilesRead {
    /// The worst of them: other data than was written, or no such file, without an error; then the first error.
    pub read: Read,
    /// Those that were not read as they were written.
    pub missing: u64,
}

impl Mirror<'_> {
    /// Reads all of `files` after a fresh mount as `how` says. A mount that fails is an answer, too. Btrfs chooses a
    /// copy by the number of the thread that reads: each `turn` reads from another one.
    pub(super) fn look(
        &self,
        how: &Assembly<'_>,
        (seed, files): (u64, &[Written]),
        turn: u64,
    ) -> Result<FilesRead, FaultsError> {
        let started = how.start()?;
        let mounting = how.mounting();
        let look = self.in_new_thread(turn, || match started.map(|()| mounting.mount()) {
            Ok(Ok(Ok(mounted))) => Ok(look_at(mounting.root(&mounted), seed, files)),
            Ok(Err(error)) => Err(error),
            Err(errno) | Ok(Ok(Err(errno))) => {
                let read = Read::Failed(errno.raw_os_error());
                Ok(FilesRead { read, missing: files.len() as u64 })
            }
        });
        how.stop()?;
        self.wait_free()?;
        look
    }

    /// Reads all of `files` through the mirror, some times from each copy.
    pub(super) fn look_through(
        &self,
        moment: Moment,
        how: &Assembly<'_>,
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<(), FaultsError> {
        for turn in 0..self.reads() {
            seen.note(moment, ReadFrom::Mirror, self.look(how, files, turn)?);
        }
        Ok(())
    }

    /// Reads through the mirror at each moment.
    pub(super) fn reads(&self) -> u64 {
        READS_EACH * self.redundancy.copies.max(2) as u64
    }

    /// Does `act` in a new thread, by whose number the copy of this `turn` is read.
    pub(super) fn in_new_thread<T: Send>(&self, turn: u64, act: impl FnOnce() -> T + Send) -> T {
        in_new_thread(turn, self.redundancy.copies as u64, act)
    }
}

/// Does `act` in a new thread, whose number leaves the same rest as `turn` when it is divided by `copies`.
fn in_new_thread<T: Send>(turn: u64, copies: u64, act: impl FnOnce() -> T + Send) -> T {
    let mut act = Some(act);
    let is_right = || gettid().as_raw_nonzero().get() as u64 % copies == turn % copies;
    for left in (0..THREADS_MAX).rev() {
        let done = thread::scope(|scope| {
            let one =
                scope.spawn(|| (is_right() || left == 0).then(|| act.take().map(|act| act())));
            one.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
        });
        if let Some(Some(done)) = done {
            return done;
        }
    }
    unreachable!("the last thread acts, whatever its number is")
}

/// Reads all of `files` below `root`, from the disk.
pub(super) fn look_at(root: &Path, seed: u64, files: &[Written]) -> FilesRead {
    let one = |(file, version): &Written| match read(&root.join(name(*file))) {
        Ok(bytes) if bytes == content(seed, *file, *version) => Read::Right,
        // A file that was synced and is not there is no error for who looks for it.
        Ok(_) => Read::Wrong,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Read::Wrong,
        Err(error) => Read::Failed(number(&error)),
    };
    worst(&files.iter().map(one).collect::<Vec<Read>>())
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    fadvise(&file, 0, None, Advice::DontNeed)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What the reads of all files make together.
fn worst(reads: &[Read]) -> FilesRead {
    let first = |is: fn(&Read) -> bool| reads.iter().copied().find(is);
    let wrong = first(|read| *read == Read::Wrong);
    let failed = first(|read| matches!(read, Read::Failed(_)));
    let missing = reads.iter().filter(|read| **read != Read::Right).count() as u64;
    FilesRead { read: wrong.or(failed).unwrap_or(Read::Right), missing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn wrong_data_is_worse_than_an_error() {
        let (right, wrong, eio) = (Read::Right, Read::Wrong, Read::Failed(5));
        let of = |reads: &[Read]| {
            let FilesRead { read, missing } = worst(reads);
            (read, missing)
        };
        assert_eq!(of(&[right, right]), (right, 0));
        assert_eq!(of(&[right, eio, Read::Failed(30)]), (eio, 2));
        assert_eq!(of(&[eio, right, wrong]), (wrong, 2));
        assert_eq!(of(&[]), (right, 0));
    }

    #[test]
    fn a_file_that_is_gone_or_old_is_wrong() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(name(0)), content(3, 0, 1)).unwrap();
        fs::write(dir.path().join(name(1)), content(3, 1, 0)).unwrap();
        let look = |files: &[Written]| look_at(dir.path(), 3, files);
        assert_eq!(look(&[(0, 1)]), FilesRead { read: Read::Right, missing: 0 });
        assert_eq!(look(&[(0, 1), (1, 1), (2, 0)]), FilesRead { read: Read::Wrong, missing: 2 });
        fs::create_dir(dir.path().join(name(4))).unwrap();
        assert_eq!(look(&[(4, 0)]), FilesRead { read: Read::Failed(21), missing: 1 });
    }

    #[test]
    fn each_turn_is_in_a_thread_with_its_rest() {
        for copies in 1..=4 {
            for turn in 0..2 * copies {
                let number = in_new_thread(turn, copies, || gettid().as_raw_nonzero().get());
                assert_eq!(number as u64 % copies, turn % copies, "{turn} of {copies}");
            }
        }
    }
}

//! Return values of fsync when the disk failed, what was read afterwards, and whether fsync reported success for data
//! that was lost.

use serde::{Deserialize, Serialize};

/// What the workload does before the fsync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Writes over a block that is on the disk.
    Overwrite,
    /// Writes a block behind the end of the file.
    Append,
}

impl Change {
    /// All of them.
    pub const ALL: [Change; 2] = [Change::Overwrite, Change::Append];
}

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failing {
    /// The first write of the data.
    Data,
    /// The write of the data in its own place, where it is written to a journal first.
    DataInPlace,
    /// The copy of the data in the journal.
    DataInJournal,
    /// The write that makes a transaction valid: the commit block of ext4, the log of XFS, the superblock of Btrfs.
    Commit,
    /// All writes of trees, of Btrfs.
    Trees,
    /// The tree of the log, of Btrfs.
    LogTree,
    /// A flush.
    Flush,
}

impl Failing {
    /// All of them.
    pub const ALL: [Failing; 7] = [
        Failing::Data,
        Failing::DataInPlace,
        Failing::DataInJournal,
        Failing::Commit,
        Failing::Trees,
        Failing::LogTree,
        Failing::Flush,
    ];
}

/// What the file was before the change. The same fault can have another answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileHistory {
    /// It was there before the file system was mounted.
    Mounted,
    /// It was made, and synced, since.
    Made,
}

impl FileHistory {
    /// All of them.
    pub const ALL: [FileHistory; 2] = [FileHistory::Mounted, FileHistory::Made];
}

/// The answer of an fsync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FsyncAnswer {
    /// Success.
    Done,
    /// This error number.
    Failed(i32),
    /// The file could not even be opened: this error number.
    NotOpened(i32),
}

/// What is read where the change was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBack {
    /// What was written.
    New,
    /// What was there before.
    Old,
    /// Zeros, within the size of the file.
    Zeros,
    /// The file ends before it.
    Absent,
    /// Something else.
    Other,
    /// This error number.
    Failed(i32),
}

/// What was seen of one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FailedWrite {
    /// What the file was before.
    pub history: FileHistory,
    /// The fsync on the descriptor that wrote.
    pub fd1: FsyncAnswer,
    /// The fsync on a descriptor that was open before.
    pub fd2: FsyncAnswer,
    /// The fsync on a descriptor that was opened afterwards.
    pub fd3: FsyncAnswer,
    /// Another fsync on the descriptor that wrote.
    pub fd1_again: FsyncAnswer,
    /// What is read from the cache.
    pub cached: ReadBack,
    /// What is read after the pages of the file were dropped.
    pub dropped: ReadBack,
    /// What is read after an unmount and a mount.
    pub remounted: ReadBack,
    /// What is read where the power went after the last fsync, and the disk had kept all that it had completed.
    pub cut: ReadBack,
    /// Tries that ended so.
    pub tries: u64,
    /// Requests that the fault met, of all these tries.
    pub injected: u64,
}

/// The report of fsync to programs on data that a fault may have cost, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FsyncReport {
    /// It is there after the power went.
    Kept,
    /// It is lost, and each descriptor that was open got an error once. What fsync says later is not asked: POSIX wants
    /// one error, not one at each call.
    Error,
    /// It is lost, and a descriptor that was open got success, and never an error.
    SuccessToAnother,
    /// It is lost, and the program that wrote it got success.
    Success,
}

impl FsyncReport {
    /// Whether fsync said that lost data was durable.
    pub fn is_lie(self) -> bool {
        matches!(self, FsyncReport::SuccessToAnother | FsyncReport::Success)
    }
}

impl FailedWrite {
    /// The report to the descriptors that were open when the write failed.
    pub fn report(&self) -> FsyncReport {
        match (self.cut, self.fd1, self.fd2) {
            (ReadBack::New, _, _) => FsyncReport::Kept,
            (_, FsyncAnswer::Done, _) => FsyncReport::Success,
            (_, _, FsyncAnswer::Done) => FsyncReport::SuccessToAnother,
            _ => FsyncReport::Error,
        }
    }

    /// The same without its counts.
    fn outcome(&self) -> FailedWrite {
        FailedWrite { tries: 0, injected: 0, ..*self }
    }
}

/// What was tried of one write that fails, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedWrites {
    /// What was written.
    pub change: Change,
    /// What failed.
    pub failing: Failing,
    /// Each outcome once, by history; none where the file system has no such write, with these options.
    pub seen: Vec<FailedWrite>,
}

impl FailedWrites {
    /// Counts what was seen once more.
    pub fn note(&mut self, one: FailedWrite) {
        match self.seen.iter_mut().find(|own| own.outcome() == one.outcome()) {
            Some(own) => {
                own.tries += one.tries;
                own.injected += one.injected;
            }
            None => {
                self.seen.push(one);
                self.seen.sort_unstable();
            }
        }
    }

    /// All tries.
    pub fn tries(&self) -> u64 {
        self.seen.iter().map(|one| one.tries).sum()
    }

    /// Tries in which fsync said that lost data was durable.
    pub fn lies(&self) -> u64 {
        self.seen.iter().filter(|one| one.report().is_lie()).map(|one| one.tries).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FsyncAnswer::{Done, Failed};

    fn seen(fsyncs: [FsyncAnswer; 4], cut: ReadBack) -> FailedWrite {
        let [fd1, fd2, fd3, fd1_again] = fsyncs;
        let (cached, dropped, remounted) = (ReadBack::New, ReadBack::Old, ReadBack::Old);
        let history = FileHistory::Mounted;
        FailedWrite {
            history,
            fd1,
            fd2,
            fd3,
            fd1_again,
            cached,
            dropped,
            remounted,
            cut,
            tries: 1,
            injected: 1,
        }
    }

    #[test]
    fn an_error_once_is_no_lie_and_one_to_the_writer_alone_is() {
        let eio = Failed(5);
        for (fsyncs, cut, told) in [
            ([eio, eio, Done, Done], ReadBack::Old, FsyncReport::Error),
            ([eio, Done, Done, Done], ReadBack::Absent, FsyncReport::SuccessToAnother),
            ([Done; 4], ReadBack::Zeros, FsyncReport::Success),
            ([Done; 4], ReadBack::New, FsyncReport::Kept),
            ([eio, Done, Done, Done], ReadBack::New, FsyncReport::Kept),
            ([Done, eio, Done, Done], ReadBack::Failed(5), FsyncReport::Success),
        ] {
            assert_eq!(seen(fsyncs, cut).report(), told, "{fsyncs:?} {cut:?}");
        }
    }

    #[test]
    fn equal_outcomes_are_counted_together() {
        let (change, failing) = (Change::Append, Failing::Flush);
        let mut writes = FailedWrites { change, failing, seen: Vec::new() };
        let lie = seen([Failed(5), Done, Done, Done], ReadBack::Absent);
        writes.note(FailedWrite { history: FileHistory::Made, ..lie });
        writes.note(lie);
        writes.note(FailedWrite { injected: 3, ..lie });
        writes.note(seen([Failed(5); 4], ReadBack::Absent));
        assert_eq!(writes.seen.len(), 3);
        let (history, counts) =
            (writes.seen[0].history, (writes.seen[0].tries, writes.seen[0].injected));
        assert_eq!((history, counts), (FileHistory::Mounted, (2, 4)));
        assert_eq!((writes.tries(), writes.lies()), (4, 3));
    }

    #[test]
    fn every_word_is_listed_once() {
        assert!(
            Failing::ALL.is_sorted() && Change::ALL.is_sorted() && FileHistory::ALL.is_sorted()
        );
        assert_eq!(Failing::ALL.last(), Some(&Failing::Flush), "the last of the enum");
    }
}

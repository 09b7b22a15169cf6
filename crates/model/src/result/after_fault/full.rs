//! A full disk: what its file system refuses and keeps, when deleted space comes back, and how fast it is when nearly
//! full.

use super::Spread;
use serde::{Deserialize, Serialize};

/// The files that fill the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Few large files.
    Large,
    /// Many small ones.
    Small,
}

impl Fill {
    /// All of them.
    pub const ALL: [Fill; 2] = [Fill::Large, Fill::Small];
}

/// A call of a program that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FullCall {
    /// Creating a file.
    Open,
    /// Writing to it.
    Write,
    /// Syncing it.
    Fsync,
    /// Closing it.
    Close,
}

impl FullCall {
    /// All of them.
    pub const ALL: [FullCall; 4] =
        [FullCall::Open, FullCall::Write, FullCall::Fsync, FullCall::Close];
}

/// The call that was refused, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FullRefusal {
    /// Which call.
    pub call: FullCall,
    /// Its error number, as in `errno`.
    pub errno: i32,
}

/// The answer to an operation on a full disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FullAnswer {
    /// It was done, and synced.
    Done,
    /// This error number.
    Refused(i32),
}

/// What a file system without free space allows; every change is followed by an fsync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FullAnswers {
    /// A block of 4 KiB of an old file is written over.
    pub overwrite: FullAnswer,
    /// An empty file is created.
    pub create: FullAnswer,
    /// A directory is created.
    pub mkdir: FullAnswer,
    /// A file is renamed over another one.
    pub rename: FullAnswer,
    /// A file is deleted.
    pub unlink: FullAnswer,
    /// A file is truncated to nothing.
    pub truncate: FullAnswer,
}

impl FullAnswers {
    /// Each operation with its answer.
    pub fn each(&self) -> [(&'static str, FullAnswer); 6] {
        [
            ("overwrite", self.overwrite),
            ("create", self.create),
            ("mkdir", self.mkdir),
            ("rename", self.rename),
            ("unlink", self.unlink),
            ("truncate", self.truncate),
        ]
    }
}

/// Writing again after files were deleted from the full disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freed {
    /// Bytes of the files that were deleted: a tenth of all.
    pub bytes: u64,
    /// Bytes that were to be written, a little less than that.
    pub wanted: u64,
    /// Bytes that were written and synced.
    pub written: u64,
    /// How often a write was refused before.
    pub refusals: u64,
    /// How often the whole file system was synced because waiting did not help.
    pub syncs: u64,
    /// Time waited after refusals, the syncs included.
    pub waited_ns: u64,
}

/// An operation that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FullOperation {
    /// A block of 4 KiB of an old file is written over and synced.
    Overwrite,
    /// 1 MiB is appended to a file and synced.
    Append,
    /// A file of 1 MiB is deleted, and a new one of its size is written and synced.
    Rewrite,
}

impl FullOperation {
    /// All of them.
    pub const ALL: [FullOperation; 3] =
        [FullOperation::Overwrite, FullOperation::Append, FullOperation::Rewrite];
}

/// How long an operation takes while the disk is full to some degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullSpeed {
    /// Percent of what can be filled.
    pub percent: u64,
    /// The operation.
    pub operation: FullOperation,
    /// Times of those that were done; `None` where all were refused.
    pub time: Option<Spread>,
    /// The error number of the first that was refused.
    pub refused: Option<i32>,
}

/// One disk that was filled twice, each time with a fresh file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullTry {
    /// The first call that was refused; `None` where none was until twice the bytes of the disk were written.
    pub refused: Option<FullRefusal>,
    /// Bytes of files that were written and synced when nothing more could be.
    pub user_bytes: u64,
    /// Bytes more that could be written after the file system was synced then.
    pub after_sync_bytes: u64,
    /// Bytes that the file system said to be available then.
    pub said_free_bytes: u64,
    /// Bytes found in files beyond those that calls to write had accepted.
    pub unanswered_bytes: u64,
    /// What was allowed then.
    pub answers: FullAnswers,
    /// What happened after a tenth of it was deleted.
    pub freed: Freed,
    /// Files whose acknowledged content was missing or wrong after a mount.
    pub lost: u64,
    /// The first of them, and what is wrong with it.
    pub example: Option<String>,
    /// Whether the checker found damage; `None` where the file system has no checker.
    pub is_damaged: Option<bool>,
    /// Times of the second filling, by percent.
    pub speeds: Vec<FullSpeed>,
}

impl FullTry {
    /// Whether data was lost that an fsync had acknowledged, or the file system was damaged.
    pub fn is_harmed(&self) -> bool {
        self.lost > 0 || self.is_damaged == Some(true)
    }

    /// The times of `operation` at `percent`; `None` where it was not tried.
    pub fn speed(&self, operation: FullOperation, percent: u64) -> Option<&FullSpeed> {
        self.speeds.iter().find(|own| (own.operation, own.percent) == (operation, percent))
    }

    /// The median time of `operation` at `percent`, relative to that at 50 %; `None` where one of them has none.
    pub fn ratio(&self, operation: FullOperation, percent: u64) -> Option<f64> {
        let median = |percent| Some(self.speed(operation, percent)?.time?.median_ns as f64);
        let base = median(50).filter(|base| *base > 0.0)?;
        Some(median(percent)? / base)
    }
}

/// What was seen of a disk that was filled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullDisk {
    /// What filled it.
    pub fill: Fill,
    /// The seed of the data and of the order of what is timed.
    pub seed: u64,
    /// Bytes of the disk.
    pub device_bytes: u64,
    /// Each try, in order.
    pub tries: Vec<FullTry>,
}

impl FullDisk {
    /// Tries in which acknowledged data was lost or the file system damaged.
    pub fn harmed(&self) -> u64 {
        self.tries.iter().filter(|one| one.is_harmed()).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_try() -> FullTry {
        let time = |median_ns| Some(Spread { min_ns: 1, median_ns, max_ns: 900 });
        let operation = FullOperation::Overwrite;
        let speed = |percent, time| FullSpeed { percent, operation, time, refused: None };
        let answer = FullAnswer::Done;
        FullTry {
            refused: Some(FullRefusal { call: FullCall::Write, errno: 28 }),
            user_bytes: 90,
            after_sync_bytes: 0,
            said_free_bytes: 0,
            unanswered_bytes: 0,
            answers: FullAnswers {
                overwrite: FullAnswer::Refused(28),
                create: answer,
                mkdir: answer,
                rename: answer,
                unlink: answer,
                truncate: answer,
            },
            freed: Freed { bytes: 9, wanted: 8, written: 8, refusals: 0, syncs: 0, waited_ns: 0 },
            lost: 0,
            example: None,
            is_damaged: Some(false),
            speeds: vec![speed(50, time(200)), speed(95, time(300)), speed(100, None)],
        }
    }

    #[test]
    fn a_time_is_relative_to_that_of_the_half_full_disk() {
        let one = one_try();
        let ratio = |percent| one.ratio(FullOperation::Overwrite, percent);
        assert_eq!((ratio(50), ratio(95)), (Some(1.0), Some(1.5)));
        assert_eq!((ratio(98), ratio(100)), (None, None), "not tried, and refused");
        assert_eq!(one.ratio(FullOperation::Append, 95), None);
    }

    #[test]
    fn lost_data_and_damage_are_harm_and_a_refusal_is_not() {
        let fine = one_try();
        assert!(!fine.is_harmed());
        let lost = FullTry { lost: 1, ..fine.clone() };
        let damaged = FullTry { is_damaged: Some(true), ..fine.clone() };
        let tries = vec![fine, lost, damaged];
        let disk = FullDisk { fill: Fill::Large, seed: 1, device_bytes: 100, tries };
        assert_eq!(disk.harmed(), 2);
    }

    #[test]
    fn every_word_is_listed_once() {
        assert!(Fill::ALL.is_sorted() && FullCall::ALL.is_sorted());
        assert!(FullOperation::ALL.is_sorted());
        let last = (Fill::ALL.last(), FullCall::ALL.last(), FullOperation::ALL.last());
        let known = (Some(&Fill::Small), Some(&FullCall::Close), Some(&FullOperation::Rewrite));
        assert_eq!(last, known, "the last of each enum");
    }
}

//! Compares what a call of a replay returned with what the recorded call returned, and counts what differs.

use super::step::Step;
use serde::{Deserialize, Serialize};
use trace::call::Op;

/// Most kinds of differences that are kept apart; the others are counted as one.
const MOST: usize = 64;
/// The kind of those that are not kept apart.
const OTHERS: &str = "others";

/// Calls that all returned the same other thing than recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Difference {
    /// The call, as in the manual pages.
    pub(super) call: String,
    /// What the recorded one returned, in words.
    pub(super) recorded: String,
    /// What the replayed one returned.
    pub(super) found: String,
    /// The reason for which a file system may decide so; `None` where there is none.
    pub(super) allowed: Option<String>,
    /// How often.
    pub(super) count: u64,
}

/// A kind of difference while the clock runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    op: Op,
    recorded: Outcome,
    found: Outcome,
    allowed: Option<&'static str>,
}

/// What a call returned, as far as kinds of differences are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    Fewer,
    More,
    Errno(i32),
    Refused,
}

/// The differences of one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Differences {
    of: Vec<(Key, u64)>,
    others: u64,
    unexplained: u64,
}

/// A count that two runs of the same call share, and not only whether it succeeded.
fn counts(op: Op) -> bool {
    op.moves_bytes() || op == Op::Seek
}

impl Differences {
    /// Compares what `step` returned.
    #[inline]
    pub(super) fn compare(&mut self, step: &Step, found: i64) {
        let is_same = match counts(step.op) {
            true => found == step.result,
            false => found == step.result || found >= 0 && step.result >= 0,
        };
        if !is_same || step.refused {
            self.count(step, found);
        }
    }

    #[cold]
    fn count(&mut self, step: &Step, found: i64) {
        let outcome = |result: i64, other: i64| match result {
            errno if errno < 0 => Outcome::Errno(errno.unsigned_abs() as i32),
            count if other >= 0 && count < other => Outcome::Fewer,
            count if other >= 0 && count > other => Outcome::More,
            _ => Outcome::Done,
        };
        let allowed = allowed(step, found);
        let key = Key {
            op: step.op,
            recorded: outcome(step.result, found),
            found: if step.refused { Outcome::Refused } else { outcome(found, step.result) },
            allowed,
        };
        self.unexplained += u64::from(allowed.is_none());
        let is_full = self.of.len() == MOST;
        match self.of.iter_mut().find(|(known, _)| *known == key) {
            Some((_, count)) => *count += 1,
            None if is_full => self.others += 1,
            None => self.of.push((key, 1)),
        }
    }

    /// Those that no file system may decide.
    pub(super) fn unexplained(&self) -> u64 {
        self.unexplained
    }

    /// In words, the most frequent first, those that are not explained before the others.
    pub(super) fn words(&self) -> Vec<Difference> {
        let word = |(key, count): &(Key, u64)| Difference {
            call: key.op.name().into(),
            recorded: words(key.recorded),
            found: words(key.found),
            allowed: key.allowed.map(str::to_string),
            count: *count,
        };
        let others = (self.others > 0).then(|| Difference {
            call: OTHERS.into(),
            recorded: String::new(),
            found: String::new(),
            allowed: None,
            count: self.others,
        });
        self.of.iter().map(word).chain(others).collect()
    }
}

/// Adds up the differences of all lanes or workers: at most as many kinds as are kept apart.
pub(super) fn merged(all: impl IntoIterator<Item = Difference>) -> Vec<Difference> {
    let mut merged: Vec<Difference> = Vec::new();
    for one in all {
        let same =
            |other: &&mut Difference| Difference { count: one.count, ..(**other).clone() } == one;
        match merged.iter_mut().find(same) {
            Some(known) => known.count += one.count,
            None => merged.push(one),
        }
    }
    // A call that was not made is the cause of what others find.
    let is_cause = |one: &Difference| one.found == words(Outcome::Refused);
    merged.sort_by_key(|one| (one.allowed.is_some(), !is_cause(one), std::cmp::Reverse(one.count)));
    merged.truncate(MOST);
    merged
}

/// The reason for which a file system, or the user of the replay, may decide otherwise than recorded.
fn allowed(step: &Step, found: i64) -> Option<&'static str> {
    use Op::{
        Clone, Close, CopyRange, CopyTo, Fadvise, Fallocate, Fgetxattr, Flistxattr, Fsetxattr,
        Getxattr, Listxattr, Madvise, Open, Readahead, Removexattr, Rename, Seek, Setxattr,
        SyncRange,
    };
    let errnos = [step.result, found].map(|result| -result.min(0));
    let either = |wanted: &[i64]| errnos.iter().any(|errno| wanted.contains(errno));
    match step.op {
        _ if step.refused => None,
        _ if step.races => Some("calls in flight at the same time on the same thing"),
        Seek if step.flags > 2 => Some("data and holes of a file"),
        Fallocate if either(&[OPNOTSUPP, INVAL, NOSYS]) => Some("modes of fallocate"),
        Clone if either(&[OPNOTSUPP, INVAL, XDEV, NOTTY, NOSYS]) => Some("clones of files"),
        CopyRange | CopyTo if either(&[OPNOTSUPP, XDEV, NOSYS]) || step.result > 0 && found > 0 => {
            Some("copies inside the file system")
        }
        Setxattr | Fsetxattr | Getxattr | Fgetxattr | Listxattr | Flistxattr | Removexattr => {
            Some("extended attributes, which a replay replaces by one")
        }
        Open if step.flags & DIRECT != 0 && either(&[INVAL]) => Some("direct I/O"),
        Open if step.flags & TMPFILE == TMPFILE && either(&[OPNOTSUPP, ISDIR]) => {
            Some("files without a name")
        }
        Rename if step.flags != 0 && either(&[INVAL]) => Some("flags of rename"),
        Fadvise | Readahead | Madvise | SyncRange => Some("advice"),
        Close => Some("what close reports"),
        _ if either(&[ACCES, PERM]) => Some("the user and the owners of files"),
        _ => None,
    }
}

const PERM: i64 = 1;
const ACCES: i64 = 13;
const XDEV: i64 = 18;
const ISDIR: i64 = 21;
const INVAL: i64 = 22;
const NOTTY: i64 = 25;
const NOSYS: i64 = 38;
const OPNOTSUPP: i64 = 95;
/// `O_DIRECT`, `O_TMPFILE`.
const DIRECT: u32 = 0o40_000;
const TMPFILE: u32 = 0o20_200_000;

fn words(outcome: Outcome) -> String {
    match outcome {
        Outcome::Done => "success".into(),
        Outcome::Fewer => "fewer bytes".into(),
        Outcome::More => "more bytes".into(),
        Outcome::Refused => "not made: it could lead out of the tree".into(),
        Outcome::Errno(number) => errno_name(number),
    }
}

/// The name of an errno as in the manual pages.
fn errno_name(number: i32) -> String {
    let known = [
        (1, "EPERM"),
        (2, "ENOENT"),
        (4, "EINTR"),
        (5, "EIO"),
        (9, "EBADF"),
        (11, "EAGAIN"),
        (12, "ENOMEM"),
        (13, "EACCES"),
        (14, "EFAULT"),
        (16, "EBUSY"),
        (17, "EEXIST"),
        (18, "EXDEV"),
        (20, "ENOTDIR"),
        (21, "EISDIR"),
        (22, "EINVAL"),
        (24, "EMFILE"),
        (25, "ENOTTY"),
        (27, "EFBIG"),
        (28, "ENOSPC"),
        (30, "EROFS"),
        (32, "EPIPE"),
        (34, "ERANGE"),
        (36, "ENAMETOOLONG"),
        (38, "ENOSYS"),
        (39, "ENOTEMPTY"),
        (40, "ELOOP"),
        (61, "ENODATA"),
        (95, "EOPNOTSUPP"),
        (116, "ESTALE"),
        (122, "EDQUOT"),
    ];
    let name = known.iter().find(|(known, _)| *known == number);
    name.map_or_else(|| format!("errno {number}"), |(_, name)| (*name).to_string())
}

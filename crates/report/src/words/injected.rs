//! Formats the results of failed writes, of silent corruption and of mirrors.

use model::result::{FailedWrite, FileHistory, FsyncAnswer, ReadBack};
use stats::description::{FailedWriteCell, MirrorCell, TurnedBitCell, list};

/// Error numbers of Linux that a disk's fault may become, as on most architectures (`asm-generic/errno.h`).
const ERRNOS: [(i32, &str); 15] = [
    (2, "ENOENT"),
    (5, "EIO"),
    (6, "ENXIO"),
    (12, "ENOMEM"),
    (16, "EBUSY"),
    (19, "ENODEV"),
    (22, "EINVAL"),
    (28, "ENOSPC"),
    (30, "EROFS"),
    (40, "ELOOP"),
    (74, "EBADMSG"),
    (84, "EILSEQ"),
    (108, "ESHUTDOWN"),
    (116, "ESTALE"),
    (117, "EUCLEAN"),
];

/// The name of an error number.
pub(crate) fn errno(number: i32) -> String {
    let known = ERRNOS.iter().find(|(own, _)| *own == number);
    known.map_or_else(|| format!("error {number}"), |(_, name)| (*name).into())
}

/// An answer to fsync, in short.
fn answer(answer: FsyncAnswer) -> String {
    match answer {
        FsyncAnswer::Done => "0".into(),
        FsyncAnswer::Failed(number) => errno(number),
        FsyncAnswer::NotOpened(number) => format!("no open ({})", errno(number)),
    }
}

/// What is read, in short.
pub(crate) fn read_back(read: ReadBack) -> String {
    match read {
        ReadBack::New => "new".into(),
        ReadBack::Old => "old".into(),
        ReadBack::Zeros => "zeros".into(),
        ReadBack::Absent => "short".into(),
        ReadBack::Other => "other data".into(),
        ReadBack::Failed(number) => errno(number),
    }
}

/// The four answers, and what is left: `EIO, EIO, 0, 0; cut: old`.
pub(crate) fn answers(seen: &FailedWrite) -> String {
    let fsyncs = [seen.fd1, seen.fd2, seen.fd3, seen.fd1_again].map(answer).join(", ");
    format!("{fsyncs}; cut: {}", read_back(seen.cut))
}

/// What the file was, in short.
pub(crate) fn history(history: FileHistory) -> &'static str {
    match history {
        FileHistory::Mounted => "old file",
        FileHistory::Made => "new file",
    }
}

/// Which targets lied after a failed write; `None` if none did.
pub(crate) fn lies(cells: &[FailedWriteCell]) -> Option<String> {
    let lied = by_target(
        cells
            .iter()
            .filter(|cell| cell.fsync_report.is_some())
            .map(|cell| (cell.target.as_str(), cell.lies > 0)),
    );
    let one = |(target, faults, tried): &(&str, u64, u64)| {
        format!("{target} in {faults} of {tried} faults")
    };
    let all: Vec<String> = lied.iter().filter(|(_, faults, _)| *faults > 0).map(one).collect();
    (!all.is_empty()).then(|| {
        let all = list(all.iter().map(String::as_str));
        format!("When a write failed, fsync said success for lost data on {all}.")
    })
}

/// Which targets read damaged data without an error; `None` if none did.
pub(crate) fn silent(cells: &[TurnedBitCell]) -> Option<String> {
    let read = by_target(
        cells
            .iter()
            .filter(|cell| cell.bits.tries > 0)
            .map(|cell| (cell.target.as_str(), cell.bits.wrong > 0)),
    );
    let one = |(target, places, tried): &(&str, u64, u64)| {
        format!("{target} in {places} of {tried} places")
    };
    let all: Vec<String> = read.iter().filter(|(_, places, _)| *places > 0).map(one).collect();
    (!all.is_empty()).then(|| {
        let all = list(all.iter().map(String::as_str));
        format!("Silent damage of the disk was read without an error on {all}.")
    })
}

/// Which mirrors returned wrong data without an error; `None` if none did.
pub(crate) fn wrong_mirrors(cells: &[MirrorCell]) -> Option<String> {
    let one = |cell: &MirrorCell| {
        let (reads, wrong) = cell.mirrors.silent();
        (wrong > 0).then(|| format!("{} in {wrong} of {reads} reads ({})", cell.target, cell.name))
    };
    let all: Vec<String> = cells.iter().filter_map(one).collect();
    (!all.is_empty()).then(|| {
        let all = list(all.iter().map(String::as_str));
        format!(
            "Through a mirror with a faulty leg, wrong data was read without an error on {all}."
        )
    })
}

/// For each target, in order, how many of its cells are bad, and how many it has.
fn by_target<'a>(cells: impl Iterator<Item = (&'a str, bool)>) -> Vec<(&'a str, u64, u64)> {
    let mut all: Vec<(&str, u64, u64)> = Vec::new();
    for (target, is_bad) in cells {
        match all.iter_mut().find(|(own, ..)| *own == target) {
            Some((_, bad, tried)) => {
                *bad += u64::from(is_bad);
                *tried += 1;
            }
            None => all.push((target, is_bad.into(), 1)),
        }
    }
    all
}

//! Formats the results of full disks.

use super::injected::errno;
use model::result::{FullAnswer, FullCall, FullOperation, FullRefusal, FullTry};
use stats::description::{FullCell, list};

/// The first call that was refused: `write: ENOSPC`.
pub(crate) fn refusal(refused: Option<FullRefusal>) -> String {
    let Some(FullRefusal { call, errno: number }) = refused else { return "none".into() };
    let call = match call {
        FullCall::Open => "open",
        FullCall::Write => "write",
        FullCall::Fsync => "fsync",
        FullCall::Close => "close",
    };
    format!("{call}: {}", errno(number))
}

/// The answer on a full disk.
pub(crate) fn answer(answer: FullAnswer) -> String {
    match answer {
        FullAnswer::Done => "done".into(),
        FullAnswer::Refused(number) => errno(number),
    }
}

/// What is timed, as the head of a row.
pub(crate) fn operation(operation: FullOperation) -> &'static str {
    match operation {
        FullOperation::Overwrite => "4 KiB overwrite",
        FullOperation::Append => "1 MiB append",
        FullOperation::Rewrite => "1 MiB delete and write",
    }
}

/// What is wrong with a try, with an example; `None` if nothing is.
pub(crate) fn harm(one: &FullTry) -> Option<String> {
    let example = one.example.as_ref().map(|example| format!(" ({example})")).unwrap_or_default();
    match (one.lost, one.is_damaged) {
        (0, Some(true)) => Some("the checker finds damage".into()),
        (0, _) => None,
        (lost, _) => Some(format!("{lost} files lost acknowledged data{example}")),
    }
}

/// Whether full disks did harm; `None` if none was filled.
pub(crate) fn sentence(cells: &[FullCell]) -> Option<String> {
    let none = || "No full disk lost what it had acknowledged.".into();
    (!cells.is_empty()).then(|| losers(cells).unwrap_or_else(none))
}

/// Which targets lost acknowledged data or were damaged when they were full; `None` if none was.
pub(crate) fn losers(cells: &[FullCell]) -> Option<String> {
    let of = |cell: &FullCell| {
        let what = cell.tries.iter().find_map(harm)?;
        let tries = cell.tries.len();
        Some(format!("{} in {} of {tries} tries: {what}", cell.target, cell.harmed))
    };
    let all: Vec<String> = cells.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| format!("On a full disk, {}.", list(all.iter().map(String::as_str))))
}

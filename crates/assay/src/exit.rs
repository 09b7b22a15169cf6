//! The exit statuses, all in one place; `assay --help` and the README repeat this list.

use campaign::messages::Refusal;
use lab::error::LabError;
use std::process::ExitCode;
use store::StoreError;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything that was asked was done.
    Done = 0,
    /// It could not be done; the last line on stderr says why.
    Failed = 1,
    /// Arguments or a plan are wrong, or a disk is not one to destroy; nothing was touched.
    Usage = 2,
    /// The machine lacks something: root, a tool, a kernel file system, space.
    Lacking = 3,
    /// The campaign ended, but a target or a case of it failed.
    Partly = 4,
    /// `compare --fail-on-regression` found none, and would not have found one of that size; `check` could not decide.
    Blind = 5,
    /// `compare --fail-on-regression` found a regression; a limit of `check` is not kept. Nothing else ends so.
    Regression = 6,
    /// Stopped by a signal; everything set up was torn down, and `assay resume` continues.
    Stopped = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// An error that knows its exit status.
#[derive(Debug)]
pub struct Coded {
    /// The status.
    pub exit: Exit,
    message: String,
}

impl std::fmt::Display for Coded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Coded {}

/// An error about arguments or a plan.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    Coded { exit: Exit::Usage, message: message.into() }.into()
}

/// An error about something that the machine lacks.
pub fn lacking(message: impl Into<String>) -> anyhow::Error {
    Coded { exit: Exit::Lacking, message: message.into() }.into()
}

/// The end of a gate that could not tell.
pub fn blind(message: impl Into<String>) -> anyhow::Error {
    Coded { exit: Exit::Blind, message: message.into() }.into()
}

/// The end of a gate that found a regression, or a limit that is not kept.
pub fn regression(message: impl Into<String>) -> anyhow::Error {
    Coded { exit: Exit::Regression, message: message.into() }.into()
}

/// The end of a run that a signal stopped.
pub fn stopped(message: impl Into<String>) -> anyhow::Error {
    Coded { exit: Exit::Stopped, message: message.into() }.into()
}

/// The status of an error: its own where it has one, else 1.
pub fn of(error: &anyhow::Error) -> Exit {
    let coded = error.chain().find_map(|e| e.downcast_ref::<Coded>());
    let lab = error.chain().find_map(|e| e.downcast_ref::<LabError>());
    let refusal = error.chain().find_map(|e| e.downcast_ref::<Refusal>());
    match (coded, refusal, lab) {
        (Some(coded), ..) => coded.exit,
        _ if is_full(error) => Exit::Lacking,
        (None, Some(Refusal::Usage(_)), _) => Exit::Usage,
        (None, Some(Refusal::Lacking(_)), _) => Exit::Lacking,
        (None, Some(Refusal::Alone(_)), _) => Exit::Failed,
        (None, Some(Refusal::Stopped(_)), _) => Exit::Stopped,
        (
            None,
            None,
            Some(
                LabError::Disk(disk::Error::NeedsRoot { .. })
                | LabError::NoKeys
                | LabError::NoSpace { .. }
                | LabError::MissingProgram { .. },
            ),
        ) => Exit::Lacking,
        (
            None,
            None,
            Some(LabError::Disk(disk::Error::Refused(_) | disk::Error::NoDiscard { .. })),
        ) => Exit::Usage,
        _ => Exit::Failed,
    }
}

/// Whether the store has no space left.
pub fn is_full(error: &anyhow::Error) -> bool {
    error.chain().any(|e| matches!(e.downcast_ref::<StoreError>(), Some(StoreError::Full)))
}

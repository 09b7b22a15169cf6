//! Reasons why a turn failed: a target in one block that could not be created, or was lost.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What failed, as far as it matters for trying again: failures in a row of one kind have one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// A disk is gone, is another one, or is not to be touched any more. Nothing is tried again.
    Disk,
    /// A host that the campaign works on is lost. Nothing is tried again.
    Host,
    /// The directory or the mount under the work is gone, or another one.
    Gone,
    /// A command says that the target's options are wrong. Its target is not tried again.
    Options,
    /// A command, as mkfs or mount, ended with an error.
    Command,
    /// A server under the target ended, or did not come up.
    Server,
    /// The guest that the target is made in gave no result.
    Guest,
    /// There is no room.
    Space,
    /// Reading or writing failed.
    Io,
    /// Anything else.
    Other,
}

impl FaultKind {
    const ALL: [FaultKind; 10] = [
        FaultKind::Disk,
        FaultKind::Host,
        FaultKind::Gone,
        FaultKind::Options,
        FaultKind::Command,
        FaultKind::Server,
        FaultKind::Guest,
        FaultKind::Space,
        FaultKind::Io,
        FaultKind::Other,
    ];

    /// Whether the campaign ends by it.
    pub fn ends_all(self) -> bool {
        matches!(self, FaultKind::Disk | FaultKind::Host)
    }

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            FaultKind::Disk => "disk",
            FaultKind::Host => "host",
            FaultKind::Gone => "gone",
            FaultKind::Options => "options",
            FaultKind::Command => "command",
            FaultKind::Server => "server",
            FaultKind::Guest => "guest",
            FaultKind::Space => "space",
            FaultKind::Io => "io",
            FaultKind::Other => "other",
        }
    }
}

impl FromStr for FaultKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        FaultKind::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| {
            let known = FaultKind::ALL.map(FaultKind::as_str).join(", ");
            format!("`{text}` is not a kind of failure; use one of {known}")
        })
    }
}

/// A failure of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What failed.
    pub kind: FaultKind,
    /// Why, in one line.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_survive_text() {
        for kind in FaultKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert!("".parse::<FaultKind>().is_err());
    }
}

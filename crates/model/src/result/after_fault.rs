//! Results of injected faults: what was tried on a target, and what was observed.

mod crash;
mod failed_write;
mod full;
mod mirror;
mod snapshots;
mod turned_bit;

pub use crash::{CrashStates, FaultOnDisk, Found, Harm, Spread};
pub use failed_write::{
    Change, FailedWrite, FailedWrites, Failing, FileHistory, FsyncAnswer, FsyncReport, ReadBack,
};
pub use full::{
    Fill, Freed, FullAnswer, FullAnswers, FullCall, FullDisk, FullOperation, FullRefusal,
    FullSpeed, FullTry,
};
pub use mirror::{LegFault, MirrorReads, Mirrors, Moment, ReadFrom};
pub use snapshots::{
    SnapshotLevel, SnapshotMoment, SnapshotOperation, SnapshotReads, SnapshotSpeed, SnapshotTry,
    Snapshots,
};
pub use turned_bit::{DamagedPlace, ErrnoCount, Scrub, SilentFault, TurnedBits};

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What one fault left of one target in one block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AfterFault {
    /// States of the disk after a power failure.
    Crash(CrashStates),
    /// Answers to fsync when a write failed, and what was left.
    FailedWrite(FailedWrites),
    /// What was read where the disk did not hold what was written, and did not say so.
    TurnedBit(TurnedBits),
    /// What a full disk refused, and what it kept.
    Full(FullDisk),
    /// What was read of a mirror after a fault of one leg.
    Mirror(Mirrors),
    /// What was seen of snapshots.
    Snapshots(Snapshots),
}

impl AfterFault {
    /// The states, if it was a power failure.
    pub fn crash(&self) -> Option<&CrashStates> {
        match self {
            AfterFault::Crash(states) => Some(states),
            _ => None,
        }
    }

    /// The answers, if writes failed.
    pub fn failed_write(&self) -> Option<&FailedWrites> {
        match self {
            AfterFault::FailedWrite(writes) => Some(writes),
            _ => None,
        }
    }

    /// What was read, if the disk changed data silently.
    pub fn turned_bit(&self) -> Option<&TurnedBits> {
        match self {
            AfterFault::TurnedBit(bits) => Some(bits),
            _ => None,
        }
    }

    /// What was seen, if the disk was filled.
    pub fn full(&self) -> Option<&FullDisk> {
        match self {
            AfterFault::Full(disk) => Some(disk),
            _ => None,
        }
    }

    /// What was read of a mirror, if one of its legs had the fault.
    pub fn mirror(&self) -> Option<&Mirrors> {
        match self {
            AfterFault::Mirror(mirrors) => Some(mirrors),
            _ => None,
        }
    }

    /// What was seen, if snapshots were made.
    pub fn snapshots(&self) -> Option<&Snapshots> {
        match self {
            AfterFault::Snapshots(snapshots) => Some(snapshots),
            _ => None,
        }
    }
}

/// Compact JSON, for files that have one text for it.
impl fmt::Display for AfterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for AfterFault {
    type Err = serde_json::Error;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_says_what_it_is() {
        let bits = TurnedBits::new(SilentFault::LostWrite, DamagedPlace::Data, u64::MAX);
        let after = AfterFault::TurnedBit(bits.clone());
        let text = after.to_string();
        assert!(text.starts_with("{\"kind\":\"turned_bit\",\"fault\":\"lost_write\""), "{text}");
        assert_eq!(text.parse::<AfterFault>().unwrap(), after);
        assert_eq!((after.turned_bit(), after.crash()), (Some(&bits), None));
        assert!(text.replace("turned_bit", "other").parse::<AfterFault>().is_err());
    }
}

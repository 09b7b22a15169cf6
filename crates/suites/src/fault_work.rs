//! Describes the work of tests that the lab runs itself, with a fault below a target of its own.

use model::result::{Change, DamagedPlace, Failing, Fill, LegFault, SilentFault};

/// A workload with a contract, which the lab cuts off on a disk of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashWork {
    /// Name of the workload, or of the application.
    pub contract: String,
    /// How often its pattern is repeated.
    pub rounds: u64,
    /// Distinct states to try, at most.
    pub states: u64,
    /// The file system's checker looks at each state whose number in order is a multiple of it; 0 for none.
    pub check_every: u64,
    /// What the disk writes whole or not at all, bytes: 512 or 4096.
    pub atomic_bytes: u64,
}

/// A request to the disk that fails during an fsync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedWriteWork {
    /// What is written.
    pub change: Change,
    /// What fails.
    pub failing: Failing,
    /// Tries with each history of the file.
    pub tries: u64,
}

/// A disk that silently corrupts what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnedBitWork {
    /// What the disk does.
    pub fault: SilentFault,
    /// To what.
    pub place: DamagedPlace,
    /// Tries, each with another bit and other data.
    pub tries: u64,
}

/// A disk that is filled until it refuses more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullWork {
    /// What fills it.
    pub fill: Fill,
    /// Tries, each with two fresh file systems.
    pub tries: u64,
    /// How often each operation is timed at each degree of fullness.
    pub times: u64,
}

/// A fault of one leg of a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MirrorWork {
    /// What happens to the leg.
    pub fault: LegFault,
    /// Tries, each with other data, and a drawn leg.
    pub tries: u64,
}

/// Snapshots of changing files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotWork {
    /// Tries, each with a fresh file system for each number of snapshots.
    pub tries: u64,
    /// How often each operation is timed with each number of snapshots.
    pub times: u64,
    /// Live files.
    pub files: u64,
    /// Files that are overwritten in part between two snapshots.
    pub change: u64,
    /// Distinct states after a power failure to try for each promise, at most; 0 for none.
    pub states: u64,
}

/// A fault that the lab makes below a target of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultWork {
    /// The power goes.
    Crash(CrashWork),
    /// A request fails.
    FailedWrite(FailedWriteWork),
    /// The disk corrupts data silently.
    TurnedBit(TurnedBitWork),
    /// The disk is full.
    Full(FullWork),
    /// One leg of a mirror is corrupted or lost.
    Mirror(MirrorWork),
    /// Snapshots are made and dropped.
    Snapshots(SnapshotWork),
}

//! Names the output of other tools that is not a measurement.

use super::Number;
use serde::{Deserialize, Serialize};

/// Why what another tool printed is not a measurement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Imported {
    /// The tool printed no figure for the test.
    NothingPrinted {},
    /// The ranking figure was printed as 0: its digits could not hold it, or nothing was done.
    PrintedAsZero {},
    /// The command of a benchmark failed.
    CommandFailed {
        /// Its status.
        exit_code: i32,
    },
    /// The command of a benchmark was killed by a signal.
    CommandKilled {},
    /// Shorter than hyperfine calls accurate.
    HyperfineTooShort {
        /// Time of the run.
        seconds: Number,
        /// The shortest accurate time.
        least_s: Number,
    },
    /// Shorter than dd counts.
    DdTooShort {},
    /// fio stopped with an error.
    FioStopped {
        /// Number of the error.
        errno: i32,
        /// What the operating system calls it.
        error: String,
    },
    /// Operations of fio failed.
    FioOperationsFailed {
        /// How many.
        count: u64,
        /// Number of the first error.
        errno: i32,
        /// What the operating system calls it.
        error: String,
    },
    /// fio counted no operations.
    FioCountedNothing {},
    /// Too short for the whole milliseconds that fio counts.
    FioTooShort {
        /// Time of the run.
        ms: Number,
        /// The shortest time that is accurate enough.
        least_ms: Number,
    },
    /// fio merged several jobs into one record.
    FioMergedJobs {},
    /// fio counted the reads of its verification with those of the mix.
    FioVerifiedMix {},
    /// sysbench stopped with an error.
    SysbenchStopped {
        /// The error as it printed it.
        error: String,
    },
    /// bonnie++ hid a phase that was too short.
    BonnieHidPhase {},
    /// bonnie++ printed the number of files in place of their rate.
    BonniePrintedCount {},
    /// IO500 marked the phase as invalid.
    Io500MarkedInvalid {},
    /// IOR printed only the best of several repetitions.
    IorPrintedBest {
        /// Number of repetitions.
        repetitions: u64,
    },
    /// A process of iozone transferred nothing while all worked.
    IozoneIdleProcess {},
    /// The device did nothing.
    DeviceIdle {},
    /// The only report of iostat, which averages since boot.
    OnlyReportSinceBoot {},
    /// The first report of iostat, which averages since boot.
    FirstReportSinceBoot {},
}

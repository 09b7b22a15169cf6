//! The header of a trace: how and where it was recorded, and what recording cost.

use serde::{Deserialize, Serialize};

/// The first part of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// How the calls were seen.
    pub recorder: Recorder,
    /// The command, or the processes; empty where names are hidden.
    pub command: String,
    /// When the recording began, seconds since 1970.
    pub started_s: u64,
    /// The trees that were recorded, in the order of their paths.
    pub roots: Vec<Root>,
    /// Whether names are replaced by hashes.
    pub anonymous: bool,
    /// What recording costs a call.
    pub cost: Cost,
    /// Kernel release and processor of the machine.
    pub kernel: String,
    /// Its processors.
    pub processors: u32,
    /// Its memory, bytes.
    pub memory_bytes: u64,
}

/// How calls were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recorder {
    /// eBPF on typed tracepoints, which need the kernel's BTF.
    BpfTyped,
    /// eBPF on plain tracepoints.
    BpfPlain,
    /// strace.
    Strace,
    /// Made by a program, e.g. a test.
    Made,
}

/// A tree that was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Root {
    /// Its place on the recorded machine, for people; hidden where names are.
    pub place: String,
    /// The type of the file system, e.g. `ext4`.
    pub file_system: String,
    /// Its mount options.
    pub options: String,
}

/// What recording adds, calibrated by empty calls on the recorded machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Added to the recorded duration of a call, nanoseconds.
    pub inside_ns: f64,
    /// Added between two calls of a thread, nanoseconds.
    pub between_ns: f64,
}

/// The last part of a trace; one that was cut off has none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Length of the recording, nanoseconds.
    pub took_ns: u64,
    /// Calls stored, without what happened to threads ([`Op::is_of_thread`](crate::call::Op::is_of_thread)).
    pub calls: u64,
    /// Records that the kernel had no room for.
    pub lost: u64,
    /// Calls left out, by reason, e.g. `outside the roots`.
    pub left_out: Vec<(String, u64)>,
    /// Most memory that the application held besides the page cache, bytes.
    pub memory_bytes: u64,
    /// Processor time that recording itself took outside the application, seconds.
    pub recorder_cpu_s: f64,
}

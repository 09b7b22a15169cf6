//! The state of the machine and the place in the design that may explain the figures of a sample.

use super::Rare;

/// What may explain the figures of a sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covariates {
    /// Latest start minus earliest start, milliseconds.
    pub skew_ms: f64,
    /// Share of the timed part in which every worker ran, 0 to 1.
    pub overlap: f64,
    /// Bytes that the device under the target read; `None` where it has no device.
    pub device_read_bytes: Option<u64>,
    /// Bytes that the device under the target wrote.
    pub device_write_bytes: Option<u64>,
    /// Processor time of the workers and of the target's own servers in user mode, seconds.
    pub cpu_user_s: f64,
    /// The same in the kernel, seconds.
    pub cpu_sys_s: f64,
    /// Each disk of a target that has several.
    pub disks: Rare<Vec<DiskUse>>,
    /// Each host, where there are several.
    pub hosts: Rare<Vec<HostUse>>,
}

/// What one disk did in the timed part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskUse {
    /// Number of the disk, from 1.
    pub disk: u32,
    /// Read requests that it completed.
    pub reads: Option<u64>,
    /// Bytes that it read.
    pub read_bytes: Option<u64>,
    /// Write requests that it completed; the kernel counts flushes that were asked for among them.
    pub writes: Option<u64>,
    /// Bytes that it wrote.
    pub write_bytes: Option<u64>,
    /// Share of the timed part in which it had work, percent.
    pub busy_pct: Option<f64>,
}

/// What the workers of one host did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostUse {
    /// Its name.
    pub host: String,
    /// Ranks on it.
    pub ranks: Option<u32>,
    /// Operations of all of them in a second.
    pub ops_per_s: Option<f64>,
}

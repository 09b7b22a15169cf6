//! The state of the machine and the place in the design that may explain the figures of a sample.

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
}

//! What the tests of several files measure.

use lab::Usage;
use suites::Measured;

/// Bytes of a decimal megabyte.
pub(super) const MB: u64 = 1_000_000;

/// Two processors, and a device that read and was busy.
pub(super) fn usage(read: u64, seconds: f64, busy_s: f64) -> Usage {
    Usage {
        seconds,
        device_read_bytes: Some(read),
        device_write_bytes: Some(0),
        device_busy_s: Some(busy_s),
        cpus: 2,
        ..Usage::default()
    }
}

/// A timed part without figures.
pub(super) fn measured(bytes: u64, seconds: f64) -> Measured {
    Measured {
        test: "t".into(),
        metrics: Vec::new(),
        bytes,
        ops: 1,
        seconds,
        skew_ms: 0.0,
        overlap: 1.0,
        phases: 0..1,
        histograms: Vec::new(),
        problem: None,
    }
}

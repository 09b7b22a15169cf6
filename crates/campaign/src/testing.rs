//! Measurements shared by tests of several files.

use crate::stages::{Asked, Placed, Resolved, place::TargetPlace};
use lab::observe::Usage;
use model::plan::Plan;
use suites::Measured;

/// Bytes of a decimal megabyte.
pub(super) const MB: u64 = 1_000_000;

/// Places `plan` as if this machine could make all of its targets.
pub(super) fn placed(plan: Plan) -> Placed {
    let resolved = Resolved::new(Asked::by_user(plan), &|_| ()).unwrap();
    let mut placed = Placed::by_this_machine(resolved);
    placed.settle(vec![TargetPlace::Host; placed.targets.len()]).unwrap();
    placed
}

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

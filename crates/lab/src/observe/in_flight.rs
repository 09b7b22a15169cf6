//! Reads that a device was given and has not done yet: what the kernel reads ahead is under way when its reader stands
//! still, and goes on beside whoever is next.

use crate::Device;
use std::{
    thread,
    time::{Duration, Instant},
};

/// How often a device is looked at: a read of a fast one takes as long.
const LOOK_EVERY: Duration = Duration::from_micros(100);

/// Waits until none of `devices` has reads under way, for `longest` at most; whether there was anything to wait for.
pub fn await_reads(devices: &[Device], longest: Duration) -> bool {
    let since = Instant::now();
    let is_reading = || devices.iter().any(|device| reads(*device) > 0);
    let mut has_waited = false;
    while is_reading() && since.elapsed() < longest {
        has_waited = true;
        thread::sleep(LOOK_EVERY);
    }
    has_waited
}

/// Reads under way, 0 where nobody counts them.
fn reads(device: Device) -> u64 {
    device.attribute("inflight").map_or(0, |text| of_text(&text))
}

/// Reads, then writes: `inflight` in Documentation/ABI/stable/sysfs-block of the kernel.
fn of_text(text: &str) -> u64 {
    text.split_whitespace().next().and_then(|reads| reads.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_come_before_writes() {
        assert_eq!(of_text("       3        7\n"), 3);
        assert_eq!(of_text("       0       12\n"), 0);
        assert_eq!(of_text(""), 0);
    }

    #[test]
    fn without_a_device_nobody_waits() {
        assert!(!await_reads(&[], Duration::from_secs(1)));
    }
}

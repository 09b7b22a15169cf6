//! Counts the requests that a device still has when the worker has stopped: reads ahead by the kernel, and the early
//! writes of a file that replaced another. Both continue during whatever runs next.

use disk::Device;
use std::{
    thread,
    time::{Duration, Instant},
};

/// Interval between looks at a device: a read of a fast one takes as long.
const LOOK_EVERY: Duration = Duration::from_micros(100);

/// Waits until none of `devices` has reads under way, for `longest` at most; whether there was anything to wait for.
pub fn await_reads(devices: &[Device], longest: Duration) -> bool {
    let since = Instant::now();
    let is_reading = || devices.iter().any(|device| InFlight::of(*device).reads > 0);
    let mut has_waited = false;
    while is_reading() && since.elapsed() < longest {
        has_waited = true;
        thread::sleep(LOOK_EVERY);
    }
    has_waited
}

/// Returns true if any of `devices` has writes in flight.
pub fn are_writing(devices: &[Device]) -> bool {
    devices.iter().any(|device| InFlight::of(*device).writes > 0)
}

/// Requests that a device has and is not done with; none where the kernel does not count them.
#[derive(Debug, Default, PartialEq, Eq)]
struct InFlight {
    reads: u64,
    writes: u64,
}

impl InFlight {
    fn of(device: Device) -> InFlight {
        device.attribute("inflight").map_or_else(InFlight::default, |text| InFlight::parse(&text))
    }

    /// Reads, then writes: `inflight` in Documentation/ABI/stable/sysfs-block of the kernel.
    fn parse(text: &str) -> InFlight {
        let mut counts = text.split_whitespace().map(|count| count.parse().unwrap_or(0));
        let mut next = || counts.next().unwrap_or(0);
        InFlight { reads: next(), writes: next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_come_before_writes() {
        assert_eq!(InFlight::parse("       3        7\n"), InFlight { reads: 3, writes: 7 });
        assert_eq!(InFlight::parse("       0       12\n"), InFlight { reads: 0, writes: 12 });
        assert_eq!(InFlight::parse(""), InFlight::default());
    }

    #[test]
    fn without_a_device_there_is_no_wait() {
        assert!(!await_reads(&[], Duration::from_secs(1)));
        assert!(!are_writing(&[]));
    }
}

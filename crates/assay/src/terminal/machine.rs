//! Reads the load of disks and processors for the live view, once a second and only if it is shown, so that reading
//! adds no load.

use std::{
    fs,
    time::{Duration, Instant},
};

const INTERVAL: Duration = Duration::from_secs(1);
/// Unit of the kernel's counters of disks.
const SECTOR_BYTES: u64 = 512;

/// What the kernel has counted since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counters {
    read_bytes: u64,
    written_bytes: u64,
    busy_ticks: u64,
    ticks: u64,
}

/// The last look, and what it showed.
#[derive(Debug)]
pub(super) struct Machine {
    at: Instant,
    counters: Counters,
    line: String,
}

impl Machine {
    pub(super) fn new() -> Machine {
        Machine { at: Instant::now(), counters: Counters::now(), line: String::new() }
    }

    /// `read 120 MB/s, written 30 MB/s, CPU 45 %`; empty before the first second is over.
    pub(super) fn line(&mut self) -> &str {
        let elapsed = self.at.elapsed();
        if elapsed >= INTERVAL {
            let counters = Counters::now();
            self.line = counters.since(&self.counters, elapsed.as_secs_f64());
            (self.at, self.counters) = (Instant::now(), counters);
        }
        &self.line
    }
}

impl Counters {
    fn now() -> Counters {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let is_disk = |name: &str| fs::exists(format!("/sys/block/{name}/device")).unwrap_or(false);
        Counters::of(&read("/proc/diskstats"), &read("/proc/stat"), is_disk)
    }

    /// Of the texts of the kernel, over the disks that are hardware: what is made of them counts once.
    fn of(disks: &str, processors: &str, is_disk: impl Fn(&str) -> bool) -> Counters {
        let mut all = Counters::default();
        for disk in disks.lines() {
            let fields: Vec<&str> = disk.split_whitespace().collect();
            let bytes = |at: usize| {
                fields.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * SECTOR_BYTES
            };
            if fields.get(2).is_some_and(|name| is_disk(name)) {
                all.read_bytes += bytes(5);
                all.written_bytes += bytes(9);
            }
        }
        let ticks = processors.lines().next().unwrap_or_default().split_whitespace().skip(1);
        // The ticks of guests, behind the first eight, are among those of users.
        let ticks: Vec<u64> = ticks.take(8).map(|text| text.parse().unwrap_or(0)).collect();
        all.ticks = ticks.iter().sum();
        let idle: u64 = ticks.iter().skip(3).take(2).sum();
        all.busy_ticks = all.ticks - idle;
        all
    }

    fn since(&self, earlier: &Counters, seconds: f64) -> String {
        let rate = |now: u64, then: u64| now.saturating_sub(then) as f64 / seconds / 1e6;
        let ticks = self.ticks.saturating_sub(earlier.ticks).max(1) as f64;
        let busy = self.busy_ticks.saturating_sub(earlier.busy_ticks) as f64 / ticks * 100.0;
        format!(
            "disks read {:.0} MB/s, written {:.0} MB/s, CPU {busy:.0} %",
            rate(self.read_bytes, earlier.read_bytes),
            rate(self.written_bytes, earlier.written_bytes)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_that_are_hardware_and_busy_ticks_count() {
        let disks =
            "   8 0 sda 10 0 2000 5 20 0 4000 7 0 9 12\n   7 0 loop0 1 0 800 1 1 0 800 1 0 1 1\n";
        let stat = "cpu  100 0 50 800 50 0 0 0 7 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        let then = Counters::of("", "cpu 0 0 0 0 0 0 0 0 0 0", |_| true);
        assert_eq!(then, Counters::default());
        let now = Counters::of(disks, stat, |name| name == "sda");
        let expected = Counters {
            read_bytes: 1_024_000,
            written_bytes: 2_048_000,
            busy_ticks: 150,
            ticks: 1000,
        };
        assert_eq!(now, expected);
        assert_eq!(now.since(&then, 0.5), "disks read 2 MB/s, written 4 MB/s, CPU 15 %");
    }
}

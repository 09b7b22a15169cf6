//! Reads how fast the processors run, and whether heat slowed them down.

use std::{fs, path::Path};

/// Processors looked at: reading a frequency may wake the processor it is of.
const MOST: usize = 8;

/// Mean frequency, MHz; `None` where the machine does not report it, as most virtual ones.
pub(super) fn frequency_mhz() -> Option<f64> {
    let khz =
        |cpu: usize| number(&format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq"));
    let all: Vec<u64> = (0..MOST).map_while(khz).collect();
    (!all.is_empty()).then(|| all.iter().sum::<u64>() as f64 / all.len() as f64 / 1e3)
}

/// Returns how often a processor has slowed down on its own because it or its package was too hot; `None` where the
/// processor does not count it. Documentation/ABI/testing/sysfs-devices-system-cpu.
pub(super) fn throttle_events() -> Option<u64> {
    let of = |cpu: usize| {
        let dir = format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle");
        Some(
            number(&format!("{dir}/core_throttle_count"))?
                + number(&format!("{dir}/package_throttle_count"))?,
        )
    };
    let all: Vec<u64> = (0..MOST).map_while(of).collect();
    (!all.is_empty()).then(|| all.iter().sum())
}

fn number(path: &str) -> Option<u64> {
    fs::read_to_string(Path::new(path)).ok()?.trim().parse().ok()
}

//! Tells before anything is measured whether other programs use the machine, and waits until they do not.

use lab::{
    error::LabError,
    observe::{Census, Program, Snapshot, Usage, counted_on},
};
use stats::description::Settings;
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How long is looked.
const LOOK: Duration = Duration::from_secs(1);

/// Time between two looks at whether a signal came.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Looks without other programs after which a machine that was busy is quiet: a build pauses between two programs.
const QUIET_LOOKS: u32 = 5;

/// Programs that are named.
const MOST_PROGRAMS: usize = 3;

/// What other programs did during a look.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Share of all processors, the hypervisor's included, percent.
    pub cpu_pct: f64,
    /// Share of the time in which the disk had work, of several below one another the busiest, percent; `None` where
    /// there is none.
    pub disk_pct: Option<f64>,
    /// Those that used a processor most, the busiest first.
    pub programs: Vec<Program>,
}

/// How a wait ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Waited {
    /// No other program used the machine.
    Quiet,
    /// They did to the end.
    Busy(Load),
    /// A signal came.
    Stopped,
}

impl Load {
    /// Whether samples during this load would not count as disturbed.
    pub fn is_quiet(&self) -> bool {
        let limit_pct = Settings::default().contention_limit_pct;
        self.cpu_pct <= limit_pct && self.disk_pct.is_none_or(|pct| pct <= limit_pct)
    }
}

/// Looks for a second at what other programs do, on the processors and on the disk below `work`, a folder or the node
/// of a disk, while this one does nothing. `None` when `stop` was set.
///
/// # Errors
/// The counters of the machine or of the disk cannot be read.
pub fn look(work: &Path, stop: &AtomicBool) -> Result<Option<Load>, LabError> {
    let devices = counted_on(work)?;
    let (census, before) = (Census::take(), Snapshot::take(&devices)?);
    if !waited(Instant::now() + LOOK, stop) {
        return Ok(None);
    }
    let usage = Snapshot::take(&devices)?.since(&before);
    let programs = Census::take().busiest_since(&census, std::process::id(), MOST_PROGRAMS);
    let capacity_s = (usage.seconds * f64::from(usage.cpus.max(1))).max(1e-9);
    let used_s = usage.machine_user_s + usage.machine_sys_s + usage.steal_s - usage.own_cpu_s;
    Ok(Some(Load {
        cpu_pct: (100.0 * used_s / capacity_s).clamp(0.0, 100.0),
        disk_pct: busiest_s(&usage).map(|busy_s| 100.0 * (busy_s / usage.seconds).min(1.0)),
        programs,
    }))
}

/// How long the busiest of the devices had work, seconds.
fn busiest_s(usage: &Usage) -> Option<f64> {
    let each = usage.each_device.iter().map(|device| device.busy_s);
    each.chain(usage.device_busy_s).reduce(f64::max)
}

/// Waits until other programs leave the machine alone, at most for `most`; `told` is called with what they do when
/// that is not so in two looks: in the first the disk may still write back what the trial of its speed left. `look`
/// looks, and `elapsed` is the time since the beginning.
///
/// # Errors
/// Those of `look`.
pub fn wait(
    most: Duration,
    mut look: impl FnMut() -> Result<Option<Load>, LabError>,
    elapsed: impl Fn() -> Duration,
    told: impl FnOnce(&Load),
) -> Result<Waited, LabError> {
    let Some(first) = look()? else { return Ok(Waited::Stopped) };
    if first.is_quiet() {
        return Ok(Waited::Quiet);
    }
    let Some(mut load) = look()? else { return Ok(Waited::Stopped) };
    if load.is_quiet() {
        return Ok(Waited::Quiet);
    }
    told(&load);
    let mut quiet_looks = 0;
    while elapsed() < most {
        let Some(now) = look()? else { return Ok(Waited::Stopped) };
        quiet_looks = if now.is_quiet() { quiet_looks + 1 } else { 0 };
        if quiet_looks == QUIET_LOOKS {
            return Ok(Waited::Quiet);
        }
        load = if now.is_quiet() { load } else { now };
    }
    Ok(Waited::Busy(load))
}

/// Waits until then; false when a signal arrived before.
pub fn waited(until: Instant, stop: &AtomicBool) -> bool {
    while Instant::now() < until {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        thread::sleep(LOOK_EVERY);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn load(cpu_pct: f64, disk_pct: Option<f64>) -> Load {
        Load { cpu_pct, disk_pct, programs: Vec::new() }
    }

    /// Waits at most ten seconds while each look takes one and finds the next of `loads`, the last again and again.
    fn waited_for(loads: &[f64]) -> (Waited, u64, bool) {
        let (now, told) = (Cell::new(0), Cell::new(false));
        let look = || {
            let at = (now.get() as usize).min(loads.len() - 1);
            now.set(now.get() + 1);
            Ok(Some(load(loads[at], None)))
        };
        let elapsed = || Duration::from_secs(now.get());
        let ended = wait(Duration::from_secs(10), look, elapsed, |_| told.set(true)).unwrap();
        (ended, now.get(), told.get())
    }

    #[test]
    fn a_quiet_machine_is_not_waited_for() {
        assert_eq!(waited_for(&[1.0]), (Waited::Quiet, 1, false));
        assert_eq!(waited_for(&[90.0, 1.0]), (Waited::Quiet, 2, false));
    }

    #[test]
    fn a_pause_of_a_busy_program_is_not_quiet() {
        assert_eq!(waited_for(&[90.0, 90.0, 1.0, 80.0, 1.0]), (Waited::Quiet, 9, true));
    }

    #[test]
    fn the_wait_ends_and_tells_what_was_busy() {
        assert_eq!(waited_for(&[60.0]), (Waited::Busy(load(60.0, None)), 10, true));
        let no_time =
            wait(Duration::ZERO, || Ok(Some(load(60.0, None))), || Duration::ZERO, |_| {});
        assert_eq!(no_time.unwrap(), Waited::Busy(load(60.0, None)));
    }

    #[test]
    fn a_signal_ends_the_wait() {
        let ended = wait(Duration::from_secs(9), || Ok(None), || Duration::ZERO, |_| {});
        assert_eq!(ended.unwrap(), Waited::Stopped);
    }

    #[test]
    fn processors_and_disk_count_each() {
        assert!(load(9.0, Some(9.0)).is_quiet() && load(10.0, None).is_quiet());
        assert!(!load(11.0, Some(0.0)).is_quiet() && !load(0.0, Some(11.0)).is_quiet());
    }

    #[test]
    fn the_busiest_of_several_devices_counts() {
        let device = |busy_s| lab::observe::DeviceUsage { busy_s, ..Default::default() };
        let usage = Usage {
            device_busy_s: Some(0.3),
            each_device: vec![device(0.1), device(0.5)],
            ..Usage::default()
        };
        assert_eq!(busiest_s(&usage), Some(0.5));
        assert_eq!(busiest_s(&Usage { each_device: Vec::new(), ..usage }), Some(0.3));
        assert_eq!(busiest_s(&Usage::default()), None);
    }

    #[test]
    fn this_machine_is_looked_at() {
        let stop = AtomicBool::new(false);
        let seen = look(Path::new("/"), &stop).unwrap().unwrap();
        assert!((0.0..=100.0).contains(&seen.cpu_pct));
        assert!(seen.programs.len() <= MOST_PROGRAMS);
        assert_eq!(look(Path::new("/"), &AtomicBool::new(true)).unwrap(), None);
    }
}

//! The quiescence gate: no case starts or ends while earlier work is still on its way to the disk.
//!
//! A file system that was written back has nothing more to do but what its own threads begin. Of 1174
//! gates after all kinds of work on ext4, XFS and Btrfs, 12 found I/O in flight and 9 saw it begin within
//! 10 ms; after that it began at a constant rate of one in eight seconds, by timers (XFS's log worker, the
//! kernel's flusher) that know nothing of the work before, and that no gate of sensible length can await.
//! So the device has to move nothing for `QUIET`, and where it did move something, for `AFTERMATH`. What
//! has been proven once stays proven as long as the device has moved nothing since; after reads alone, which
//! leave nothing to be done but what is in flight, one more look is enough.

use crate::{
    btrfs,
    error::LabError,
    programs::{Run, tool::explained},
    stack::Stack,
};
use ::fs::Settle;
use disk::Device;
use std::{
    cell::RefCell,
    fs::{self, File},
    mem,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// The device must move nothing for this long after everything was written back.
const QUIET: Duration = Duration::from_millis(10);
/// The same after work that only read.
const QUIET_AFTER_READS: Duration = LOOK_EVERY;
/// The same once it has moved something on its own: threads that push metadata rest for up to 50 ms.
const AFTERMATH: Duration = Duration::from_millis(50);
/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// A device of our own has to come to rest.
const PATIENCE_OWN: Duration = Duration::from_secs(10);
/// A device that others use may never come to rest.
const PATIENCE_SHARED: Duration = Duration::from_secs(1);

fn settle(act: &Settle) -> Result<(), LabError> {
    match act {
        Settle::Command(command) => command.run().map(drop).map_err(explained),
        Settle::BtrfsSync(dir) => btrfs_sync(dir),
    }
}

fn btrfs_sync(dir: &Path) -> Result<(), LabError> {
    let file = File::open(dir).map_err(LabError::io("open", dir))?;
    btrfs::sync(&file).map_err(LabError::errno("sync", dir))
}

/// Result of the wait.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waited {
    /// Writing back dirty data and metadata, seconds.
    pub sync_s: f64,
    /// Waiting for the device to come to rest, seconds.
    pub idle_s: f64,
    /// Whether the device became idle; true if there is no device.
    pub settled: bool,
}

/// The counters of the devices of an instance at the last moment at which they were proven to be idle. While they still
/// read the same, they have been idle ever since.
#[derive(Debug, Default)]
pub(crate) struct IdleProof(RefCell<Option<Vec<Activity>>>);

impl IdleProof {
    /// Writes back the file system with `sync`, starts what the parts of `stack` would do later, and waits
    /// until `devices` have come to rest.
    pub(crate) fn reach(
        &self,
        stack: &Stack,
        sync: impl FnOnce() -> Result<(), LabError>,
        devices: &[Device],
    ) -> Result<Waited, LabError> {
        let start = Instant::now();
        sync()?;
        let parts = stack.parts().iter();
        parts.flat_map(|part| part.fs().settle(&part.site)).try_for_each(|act| settle(&act))?;
        let sync_s = start.elapsed().as_secs_f64();
        if devices.is_empty() {
            return Ok(Waited { sync_s, idle_s: 0.0, settled: true });
        }
        let patience = if stack.parts().is_empty() { PATIENCE_SHARED } else { PATIENCE_OWN };
        let settled = self.wait(devices, patience)?;
        Ok(Waited { sync_s, idle_s: start.elapsed().as_secs_f64() - sync_s, settled })
    }

    fn wait(&self, devices: &[Device], patience: Duration) -> Result<bool, LabError> {
        let start = Instant::now();
        let seen = activities(devices)?;
        if self.still_holds(&seen) {
            return Ok(true);
        }
        let needed = if self.has_written(&seen) { QUIET } else { QUIET_AFTER_READS };
        let mut gate = Gate::new(seen, start, needed);
        loop {
            thread::sleep(LOOK_EVERY);
            if gate.is_quiet(activities(devices)?, Instant::now()) {
                *self.0.borrow_mut() = Some(gate.last);
                return Ok(true);
            }
            if start.elapsed() > patience {
                *self.0.borrow_mut() = None;
                return Ok(false);
            }
        }
    }

    /// Sectors that each device had written by then.
    pub(crate) fn written(&self) -> Option<Vec<u64>> {
        self.0.borrow().as_deref().map(written)
    }

    /// Returns true if the devices are known to have written since they became idle.
    fn has_written(&self, seen: &[Activity]) -> bool {
        self.written() != Some(written(seen))
    }

    /// Returns true if the devices have moved nothing since they became idle.
    fn still_holds(&self, seen: &[Activity]) -> bool {
        self.0.borrow().as_deref() == Some(seen)
    }
}

/// Judges look by look whether devices are at rest.
struct Gate {
    last: Vec<Activity>,
    /// Since when they have moved nothing.
    since: Instant,
    /// For how long that has to be.
    needed: Duration,
}

impl Gate {
    fn new(seen: Vec<Activity>, at: Instant, quiet: Duration) -> Gate {
        let needed = if in_flight(&seen) { AFTERMATH } else { quiet };
        Gate { last: seen, since: at, needed }
    }

    fn is_quiet(&mut self, seen: Vec<Activity>, at: Instant) -> bool {
        let before = mem::replace(&mut self.last, seen);
        if self.last != before || in_flight(&self.last) {
            (self.since, self.needed) = (at, AFTERMATH);
        }
        at.saturating_duration_since(self.since) >= self.needed
    }
}

fn written(devices: &[Activity]) -> Vec<u64> {
    devices.iter().map(|device| device.written_sectors).collect()
}

fn in_flight(devices: &[Activity]) -> bool {
    devices.iter().any(|device| device.in_flight > 0)
}

fn activities(devices: &[Device]) -> Result<Vec<Activity>, LabError> {
    devices.iter().map(|device| activity(*device)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Activity {
    read_sectors: u64,
    written_sectors: u64,
    in_flight: u64,
}

fn activity(device: Device) -> Result<Activity, LabError> {
    let path = device.stat_file();
    let text = fs::read_to_string(&path).map_err(LabError::io("read", &path))?;
    let field: Vec<u64> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let get = |i: usize| field.get(i).copied().unwrap_or(0);
    Ok(Activity { read_sectors: get(2), written_sectors: get(6), in_flight: get(8) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(written_sectors: u64, in_flight: u64) -> Vec<Activity> {
        vec![Activity { read_sectors: 7, written_sectors, in_flight }]
    }

    /// Milliseconds after the first look at which the gate opens, for what is seen every millisecond.
    fn opens_ms(seen: impl Fn(u64) -> Vec<Activity>) -> u64 {
        let start = Instant::now();
        let mut gate = Gate::new(seen(0), start, QUIET);
        let at = |ms: u64| start + Duration::from_millis(ms);
        (1..500).find(|&ms| gate.is_quiet(seen(ms), at(ms))).unwrap()
    }

    #[test]
    fn background_work_is_awaited_longer() {
        assert_eq!(opens_ms(|_| moved(5, 0)), 10);
        assert_eq!(opens_ms(|ms| moved(if ms < 9 { 5 } else { 6 }, 0)), 59);
        assert_eq!(opens_ms(|ms| moved(5, u64::from(ms < 3))), 53, "in flight from the start");
        assert_eq!(opens_ms(|ms| moved((ms.min(100) + 32) / 40, 0)), 138, "at 8, 48 and 88 ms");
    }

    #[test]
    fn rest_holds_until_something_moves() {
        let idle = IdleProof::default();
        assert!(!idle.still_holds(&moved(5, 0)));
        *idle.0.borrow_mut() = Some(moved(5, 0));
        assert!(idle.still_holds(&moved(5, 0)));
        assert!(!idle.still_holds(&moved(6, 0)) && !idle.still_holds(&moved(5, 1)));
        let read = vec![Activity { read_sectors: 9, ..moved(5, 0)[0] }];
        assert!(!idle.still_holds(&read) && !idle.has_written(&read));
        assert!(idle.has_written(&moved(6, 0)) && IdleProof::default().has_written(&read));
    }
}

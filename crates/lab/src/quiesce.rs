//! The quiescence gate: no case starts or ends while earlier work is still on its way to the disk.

use crate::{Device, LabError, stack::Stack};
use std::{
    fs, thread,
    time::{Duration, Instant},
};

/// The device must move nothing for this long.
const QUIET: Duration = Duration::from_millis(50);
/// A device of our own has to come to rest.
const PATIENCE_OWN: Duration = Duration::from_secs(10);
/// A device that others use may never come to rest.
const PATIENCE_SHARED: Duration = Duration::from_secs(1);

/// What was waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waited {
    /// Writing back dirty data and metadata, seconds.
    pub sync_s: f64,
    /// Waiting for the device to come to rest, seconds.
    pub idle_s: f64,
    /// Whether the device came to rest; true where there is no device.
    pub settled: bool,
}

/// Has `sync` write back the file system, starts what the parts of `stack` would do later, and waits
/// until `devices` move no sector for `QUIET`.
pub(crate) fn quiesce(
    stack: &Stack,
    sync: impl FnOnce() -> Result<(), LabError>,
    devices: &[Device],
) -> Result<Waited, LabError> {
    let start = Instant::now();
    sync()?;
    for command in stack.parts().iter().flat_map(|part| part.fs().settle(&part.site)) {
        command.run()?;
    }
    let sync_s = start.elapsed().as_secs_f64();
    if devices.is_empty() {
        return Ok(Waited { sync_s, idle_s: 0.0, settled: true });
    }
    let patience = if stack.parts().is_empty() { PATIENCE_SHARED } else { PATIENCE_OWN };
    let settled = wait_idle(devices, patience)?;
    Ok(Waited { sync_s, idle_s: start.elapsed().as_secs_f64() - sync_s, settled })
}

fn wait_idle(devices: &[Device], patience: Duration) -> Result<bool, LabError> {
    let start = Instant::now();
    let mut before = activities(devices)?;
    let mut since = Instant::now();
    loop {
        thread::sleep(QUIET / 5);
        let now = activities(devices)?;
        if now != before || now.iter().any(|device| device.in_flight > 0) {
            (before, since) = (now, Instant::now());
        } else if since.elapsed() >= QUIET {
            return Ok(true);
        }
        if start.elapsed() > patience {
            return Ok(false);
        }
    }
}

fn activities(devices: &[Device]) -> Result<Vec<Activity>, LabError> {
    devices.iter().map(|device| activity(*device)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Activity {
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

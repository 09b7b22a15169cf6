//! What machine and device did between two moments: counters of the device, processor time, pressure
//! and memory, each from one small file.

mod clock;
mod parse;

use crate::{Device, LabError};
use rustix::time::ClockId;
use std::{fs, path::Path};

/// Linux counts device sectors of 512 bytes, whatever the device has.
const SECTOR: u64 = 512;

/// The counters of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub now_ns: u64,
    device: Option<DeviceCounters>,
    cpu: CpuTicks,
    pressure: Pressure,
    memory: Memory,
    arc_bytes: Option<u64>,
    /// Processor time of the processes asked for, ticks; `None` for one that is gone.
    workers: Vec<Option<u64>>,
    /// Processor time of this process, nanoseconds.
    own_cpu_ns: u64,
    frequency_mhz: Option<f64>,
    throttle_events: Option<u64>,
}

/// Where ZFS tells of its cache.
const ARC: &str = "/proc/spl/kstat/zfs/arcstats";

/// What happened between two snapshots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Time between the snapshots.
    pub seconds: f64,
    /// Bytes the device read; `None` where there is no device.
    pub device_read_bytes: Option<u64>,
    /// Bytes the device wrote.
    pub device_write_bytes: Option<u64>,
    /// Time in which the device had work, seconds.
    pub device_busy_s: Option<f64>,
    /// Processor time of the whole machine in user mode (nice included), seconds.
    pub machine_user_s: f64,
    /// The same in the kernel, interrupts included, seconds.
    pub machine_sys_s: f64,
    /// Idle while I/O was outstanding, seconds.
    pub machine_iowait_s: f64,
    /// Taken by the hypervisor, seconds.
    pub steal_s: f64,
    /// Idle otherwise, seconds.
    pub idle_s: f64,
    /// Processors online.
    pub cpus: u32,
    /// Share of the time in which some task waited for a processor, %; `None` without PSI.
    pub psi_cpu_some_pct: Option<f64>,
    /// The same for I/O, %.
    pub psi_io_some_pct: Option<f64>,
    /// The same for memory, %.
    pub psi_memory_some_pct: Option<f64>,
    /// Kernel objects at the later moment, bytes.
    pub slab_bytes: u64,
    /// Page cache at the later moment, bytes.
    pub page_cache_bytes: u64,
    /// Cache of ZFS (ARC) at the later moment, bytes; `None` where the kernel has no ZFS.
    pub arc_bytes: Option<u64>,
    /// Pages that wait for writeback or are in it at the later moment, bytes.
    pub dirty_bytes: u64,
    /// Processor time of each process asked for, seconds; 0 for one that is gone.
    pub worker_cpu_s: Vec<f64>,
    /// Processor time of this process, the coordinator, seconds.
    pub own_cpu_s: f64,
    /// Mean frequency of the processors at the later moment, MHz; `None` where it is not told.
    pub frequency_mhz: Option<f64>,
    /// How often a processor slowed down because of heat; `None` where it is not counted.
    pub throttle_events: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct DeviceCounters {
    read_sectors: u64,
    written_sectors: u64,
    busy_ms: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct CpuTicks {
    user: u64,
    system: u64,
    idle: u64,
    iowait: u64,
    steal: u64,
    cpus: u32,
}

/// Totals of the `some` lines, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pressure {
    cpu_us: Option<u64>,
    io_us: Option<u64>,
    memory_us: Option<u64>,
}

/// Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Memory {
    slab: u64,
    cached: u64,
    dirty: u64,
    writeback: u64,
}

impl DeviceCounters {
    /// What `devices` moved together, and how long they were busy on average.
    fn of(devices: &[Device]) -> Result<Option<DeviceCounters>, LabError> {
        let each = devices.iter().map(|device| Ok(parse::device(&read(&device.stat_file())?)));
        let each: Vec<DeviceCounters> = each.collect::<Result<_, LabError>>()?;
        let sum = |get: fn(&DeviceCounters) -> u64| each.iter().map(get).sum::<u64>();
        Ok((!each.is_empty()).then(|| DeviceCounters {
            read_sectors: sum(|d| d.read_sectors),
            written_sectors: sum(|d| d.written_sectors),
            busy_ms: sum(|d| d.busy_ms) / each.len() as u64,
        }))
    }
}

impl Snapshot {
    /// Reads all counters; those of `devices` as of one that does the work of all.
    ///
    /// # Errors
    /// `/proc` or the counters of a device cannot be read.
    pub fn take(devices: &[Device]) -> Result<Snapshot, LabError> {
        Snapshot::with_workers(devices, &[])
    }

    /// As `take`, with the processor time of these processes.
    ///
    /// # Errors
    /// `/proc` or the counters of a device cannot be read.
    pub fn with_workers(devices: &[Device], pids: &[u32]) -> Result<Snapshot, LabError> {
        let pressure = |name: &str| {
            parse::pressure(&fs::read_to_string(format!("/proc/pressure/{name}")).ok()?)
        };
        let worker =
            |pid: &u32| parse::process(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?);
        Ok(Snapshot {
            now_ns: now_ns(ClockId::Monotonic),
            device: DeviceCounters::of(devices)?,
            cpu: parse::machine(&read(Path::new("/proc/stat"))?),
            pressure: Pressure {
                cpu_us: pressure("cpu"),
                io_us: pressure("io"),
                memory_us: pressure("memory"),
            },
            memory: parse::memory(&read(Path::new("/proc/meminfo"))?),
            arc_bytes: fs::read_to_string(ARC).ok().and_then(|text| parse::arc_bytes(&text)),
            workers: pids.iter().map(worker).collect(),
            own_cpu_ns: now_ns(ClockId::ProcessCPUTime),
            frequency_mhz: clock::frequency_mhz(),
            throttle_events: clock::throttle_events(),
        })
    }

    /// This, as if nothing had happened between `from` and `to`, which came before it.
    #[must_use]
    pub fn without(mut self, from: &Snapshot, to: &Snapshot) -> Snapshot {
        let cut = |of: &mut u64, from: u64, to: u64| *of -= to.saturating_sub(from).min(*of);
        let cut_some = |of: &mut Option<u64>, from: Option<u64>, to: Option<u64>| {
            if let (Some(of), Some((from, to))) = (of, from.zip(to)) {
                cut(of, from, to);
            }
        };
        cut(&mut self.now_ns, from.now_ns, to.now_ns);
        let devices = (&mut self.device, &from.device, &to.device);
        if let (Some(own), Some(from), Some(to)) = devices {
            cut(&mut own.read_sectors, from.read_sectors, to.read_sectors);
            cut(&mut own.written_sectors, from.written_sectors, to.written_sectors);
            cut(&mut own.busy_ms, from.busy_ms, to.busy_ms);
        }
        cut(&mut self.cpu.user, from.cpu.user, to.cpu.user);
        cut(&mut self.cpu.system, from.cpu.system, to.cpu.system);
        cut(&mut self.cpu.idle, from.cpu.idle, to.cpu.idle);
        cut(&mut self.cpu.iowait, from.cpu.iowait, to.cpu.iowait);
        cut(&mut self.cpu.steal, from.cpu.steal, to.cpu.steal);
        cut_some(&mut self.pressure.cpu_us, from.pressure.cpu_us, to.pressure.cpu_us);
        cut_some(&mut self.pressure.io_us, from.pressure.io_us, to.pressure.io_us);
        cut_some(&mut self.pressure.memory_us, from.pressure.memory_us, to.pressure.memory_us);
        for (own, (from, to)) in self.workers.iter_mut().zip(from.workers.iter().zip(&to.workers)) {
            cut_some(own, *from, *to);
        }
        cut(&mut self.own_cpu_ns, from.own_cpu_ns, to.own_cpu_ns);
        cut_some(&mut self.throttle_events, from.throttle_events, to.throttle_events);
        self
    }

    /// What happened since `earlier`.
    pub fn since(&self, earlier: &Snapshot) -> Usage {
        let seconds = self.now_ns.saturating_sub(earlier.now_ns) as f64 / 1e9;
        let per_second = rustix::param::clock_ticks_per_second() as f64;
        let cpu = |get: fn(&CpuTicks) -> u64| {
            get(&self.cpu).saturating_sub(get(&earlier.cpu)) as f64 / per_second
        };
        let device = |get: fn(&DeviceCounters) -> u64| {
            let (later, earlier) = (self.device.as_ref()?, earlier.device.as_ref()?);
            Some(get(later).saturating_sub(get(earlier)))
        };
        let worker = |(later, earlier): (&Option<u64>, &Option<u64>)| {
            let ticks =
                later.zip(*earlier).map_or(0, |(later, earlier)| later.saturating_sub(earlier));
            ticks as f64 / per_second
        };
        let psi = |get: fn(&Pressure) -> Option<u64>| {
            let waited_us = get(&self.pressure)?.saturating_sub(get(&earlier.pressure)?);
            (seconds > 0.0).then(|| (waited_us as f64 / 1e4 / seconds).min(100.0))
        };
        Usage {
            seconds,
            device_read_bytes: device(|d| d.read_sectors).map(|n| n * SECTOR),
            device_write_bytes: device(|d| d.written_sectors).map(|n| n * SECTOR),
            device_busy_s: device(|d| d.busy_ms).map(|n| n as f64 / 1e3),
            machine_user_s: cpu(|c| c.user),
            machine_sys_s: cpu(|c| c.system),
            machine_iowait_s: cpu(|c| c.iowait),
            steal_s: cpu(|c| c.steal),
            idle_s: cpu(|c| c.idle),
            cpus: self.cpu.cpus,
            psi_cpu_some_pct: psi(|p| p.cpu_us),
            psi_io_some_pct: psi(|p| p.io_us),
            psi_memory_some_pct: psi(|p| p.memory_us),
            slab_bytes: self.memory.slab,
            page_cache_bytes: self.memory.cached,
            arc_bytes: self.arc_bytes,
            dirty_bytes: self.memory.dirty + self.memory.writeback,
            worker_cpu_s: self.workers.iter().zip(&earlier.workers).map(worker).collect(),
            own_cpu_s: self.own_cpu_ns.saturating_sub(earlier.own_cpu_ns) as f64 / 1e9,
            frequency_mhz: self.frequency_mhz,
            throttle_events: self
                .throttle_events
                .zip(earlier.throttle_events)
                .map(|(later, earlier)| later.saturating_sub(earlier)),
        }
    }
}

fn now_ns(clock: ClockId) -> u64 {
    let t = rustix::time::clock_gettime(clock);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

fn read(path: &Path) -> Result<String, LabError> {
    fs::read_to_string(path).map_err(LabError::io("read", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(now_ns: u64, stat: &str, device: &str, psi: &str, mem: &str) -> Snapshot {
        Snapshot {
            now_ns,
            device: Some(parse::device(device)),
            cpu: parse::machine(stat),
            pressure: Pressure { cpu_us: parse::pressure(psi), io_us: None, memory_us: None },
            memory: parse::memory(mem),
            arc_bytes: Some(7),
            ..Snapshot::default()
        }
    }

    #[test]
    fn two_snapshots_make_a_usage() {
        let earlier = snapshot(
            1_000_000_000,
            "cpu  100 0 50 1000 10 0 0 0 0 0\ncpu0 1 0\ncpu1 1 0\nctxt 7\n",
            "  10 0 800 5 20 0 1600 9 0 100 14 0 0 0 0",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0 total=5\n",
            "",
        );
        let earlier = Snapshot {
            workers: vec![Some(100), Some(7), None],
            own_cpu_ns: 5,
            throttle_events: Some(3),
            ..earlier
        };
        let later = snapshot(
            3_000_000_000,
            "cpu  300 100 150 1100 60 10 40 50 0 0\ncpu0 1 0\ncpu1 1 0\nctxt 9\n",
            "  10 0 1000 5 20 0 3600 9 0 1600 14 0 0 0 0",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=501000\nfull avg10=0 total=5\n",
            "MemTotal: 9 kB\nSwapCached: 5 kB\nCached:   8 kB\nDirty:   2 kB\nSlab:  4 kB\n\
             Writeback: 1 kB\n",
        );
        let later = Snapshot {
            workers: vec![Some(250), None, Some(9)],
            own_cpu_ns: 2_000_005,
            throttle_events: Some(4),
            frequency_mhz: Some(2400.0),
            ..later
        };
        let usage = later.since(&earlier);
        assert_eq!(
            usage,
            Usage {
                seconds: 2.0,
                device_read_bytes: Some(200 * 512),
                device_write_bytes: Some(2000 * 512),
                device_busy_s: Some(1.5),
                machine_user_s: 3.0,
                machine_sys_s: 1.5,
                machine_iowait_s: 0.5,
                steal_s: 0.5,
                idle_s: 1.0,
                cpus: 2,
                psi_cpu_some_pct: Some(25.0),
                psi_io_some_pct: None,
                psi_memory_some_pct: None,
                slab_bytes: 4096,
                page_cache_bytes: 8192,
                arc_bytes: Some(7),
                dirty_bytes: 3072,
                worker_cpu_s: vec![1.5, 0.0, 0.0],
                own_cpu_s: 0.002,
                frequency_mhz: Some(2400.0),
                throttle_events: Some(1),
            }
        );
    }

    #[test]
    fn what_happened_meanwhile_can_be_left_out() {
        let at = |second: u64| {
            let ticks = 100 * second;
            let stat = format!("cpu {ticks} 0 {ticks} {ticks} {ticks} 0 0 {ticks} 0 0\ncpu0 1\n");
            let device = format!("1 0 {ticks} 5 20 0 {ticks} 9 0 {ticks} 14 0 0 0 0");
            let psi = format!("some avg10=0 avg60=0 avg300=0 total={}\n", 1000 * second);
            Snapshot {
                workers: vec![Some(ticks)],
                own_cpu_ns: second * 1_000_000_000,
                throttle_events: Some(second),
                ..snapshot(second * 1_000_000_000, &stat, &device, &psi, "")
            }
        };
        let cut = at(9).without(&at(3), &at(7));
        assert_eq!(cut.since(&at(1)), at(5).since(&at(1)));
        // Never below nothing.
        assert_eq!(at(1).without(&at(3), &at(7)).now_ns, 0);
    }

    #[test]
    fn this_machine_can_be_observed() {
        let snapshot = Snapshot::take(&[]).unwrap();
        let usage = Snapshot::take(&[]).unwrap().since(&snapshot);
        assert!(usage.cpus >= 1 && usage.page_cache_bytes > 0);
        assert_eq!(usage.device_read_bytes, None);
    }

    #[test]
    fn the_time_of_a_process_is_seen() {
        let pids = [std::process::id()];
        let before = Snapshot::with_workers(&[], &pids).unwrap();
        let seen = |usage: &Usage| usage.worker_cpu_s[0] > 0.0 && usage.own_cpu_s > 0.0;
        while !seen(&Snapshot::with_workers(&[], &pids).unwrap().since(&before)) {}
        let gone = Snapshot::with_workers(&[], &[u32::MAX]).unwrap();
        assert_eq!(gone.workers, [None]);
    }
}

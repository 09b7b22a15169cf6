//! Reads what the machine and its devices did between two moments: counters of the devices, processor time, pressure
//! and memory, each from one small file.

mod below;
mod census;
mod clock;
#[allow(unsafe_code)]
mod cpu_time;
mod device;
mod in_flight;
mod parse;
mod quota;

pub use below::{Below, counted_on};
pub use census::{Census, Others, Program};
pub use device::DeviceUsage;
pub use in_flight::{are_writing, await_reads};

use crate::error::LabError;
use device::DeviceCounters;
use disk::Device;
use rustix::time::ClockId;
use std::{fs, path::Path};

/// Linux counts device sectors of 512 bytes, whatever the device has.
const SECTOR: u64 = 512;

/// Devices and processes in a snapshot, besides the machine itself.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// The devices under a target; their counters are read as of one that does the work of all.
    pub devices: Vec<Device>,
    /// The disk below them.
    pub below: Option<Below>,
    /// Processes of the workers.
    pub workers: Vec<u32>,
    /// Processes of the target's own servers.
    pub servers: Vec<u32>,
}

/// The counters of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub now_ns: u64,
    /// In the order of those that are watched.
    devices: Vec<DeviceCounters>,
    below: Option<BelowCounters>,
    cpu: CpuTicks,
    pressure: Pressure,
    memory: Memory,
    arc_bytes: Option<u64>,
    /// Processor time of the processes asked for, ticks; `None` for one that is gone.
    workers: Vec<Option<u64>>,
    /// Their major page faults, in the same order.
    major_faults: Vec<Option<u64>>,
    servers: Vec<Option<ServerTime>>,
    /// Processor time of this process, nanoseconds.
    own_cpu_ns: u64,
    frequency_mhz: Option<f64>,
    throttle_events: Option<u64>,
    /// Time for which a quota held threads back, nanoseconds.
    held_back_ns: Option<u64>,
}

/// File with the counters of the cache of ZFS.
const ARC: &str = "/proc/spl/kstat/zfs/arcstats";

/// Usage between two snapshots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Time between the snapshots.
    pub seconds: f64,
    /// Read requests that the device completed, each counted once however many were merged into it; `None`
    /// where there is no device.
    pub device_reads: Option<u64>,
    /// Bytes the device read; `None` where there is no device.
    pub device_read_bytes: Option<u64>,
    /// Bytes the device wrote.
    pub device_write_bytes: Option<u64>,
    /// Time in which the device had work, seconds.
    pub device_busy_s: Option<f64>,
    /// Time in which it wrote back what it kept itself, seconds.
    pub device_flush_s: Option<f64>,
    /// Usage of each device if there are several, in their order; empty if there is one or none.
    pub each_device: Vec<DeviceUsage>,
    /// Usage of the disk below; `None` if unknown.
    pub below: Option<BelowUsage>,
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
    /// Pages that the processes asked for touched in a mapping and that were not in memory (major faults), of all
    /// together; `None` when one of them is gone.
    pub worker_major_faults: Option<u64>,
    /// Processor time of the target's own servers in user mode, seconds.
    pub server_user_s: f64,
    /// The same in the kernel, seconds.
    pub server_sys_s: f64,
    /// Processor time of this process, the coordinator, seconds.
    pub own_cpu_s: f64,
    /// Mean frequency of the processors at the later moment, MHz; `None` if it is not reported.
    pub frequency_mhz: Option<f64>,
    /// Number of times that a processor slowed down because of heat; `None` if it is not counted.
    pub throttle_events: Option<u64>,
    /// Time for which the CPU quota of a control group, such as the limit of a container, held threads back that were
    /// ready, of all processors together, seconds; `None` without a quota.
    pub held_back_s: Option<f64>,
}

/// Traffic of the disk below, and of a campaign's own devices on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BelowUsage {
    /// Bytes that it read.
    pub read_bytes: u64,
    /// Bytes that it wrote.
    pub write_bytes: u64,
    /// Bytes that own devices read.
    pub own_read_bytes: u64,
    /// Bytes that own devices wrote.
    pub own_write_bytes: u64,
    /// Number of flushes of own devices; at each the file system below writes its journal.
    pub own_flushes: u64,
}

/// All sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BelowCounters {
    disks: DeviceCounters,
    own: DeviceCounters,
}

/// Processor time of a server: exact, and as ticks, which distinguish user mode and kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ServerTime {
    total_ns: u64,
    user_ticks: u64,
    system_ticks: u64,
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

impl BelowCounters {
    fn of(below: &Below) -> Result<BelowCounters, LabError> {
        let sum = |devices: &[Device]| -> Result<DeviceCounters, LabError> {
            let each = DeviceCounters::of_each(devices)?;
            Ok(DeviceCounters::together(&each).unwrap_or_default())
        };
        Ok(BelowCounters { disks: sum(&below.disks)?, own: sum(&below.own)? })
    }

    fn since(&self, earlier: &BelowCounters) -> BelowUsage {
        let bytes = |later: u64, earlier: u64| later.saturating_sub(earlier) * SECTOR;
        let (disks, own) = (&self.disks, &self.own);
        BelowUsage {
            read_bytes: bytes(disks.read_sectors, earlier.disks.read_sectors),
            write_bytes: bytes(disks.written_sectors, earlier.disks.written_sectors),
            own_read_bytes: bytes(own.read_sectors, earlier.own.read_sectors),
            own_write_bytes: bytes(own.written_sectors, earlier.own.written_sectors),
            own_flushes: own.flushes.saturating_sub(earlier.own.flushes),
        }
    }
}

impl ServerTime {
    fn of(pid: u32) -> Option<ServerTime> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let [user_ticks, system_ticks] = parse::process(&text)?;
        Some(ServerTime { total_ns: cpu_time::of_process(pid)?, user_ticks, system_ticks })
    }

    /// In user mode and in the kernel, seconds, since `earlier`: divided as all its life, as a short time
    /// has too few ticks.
    fn since(&self, earlier: &ServerTime) -> (f64, f64) {
        let seconds = self.total_ns.saturating_sub(earlier.total_ns) as f64 / 1e9;
        let ticks = (self.user_ticks + self.system_ticks).max(1) as f64;
        let user = self.user_ticks as f64 / ticks;
        (seconds * user, seconds * (1.0 - user))
    }
}

/// Takes from a counter what it counted between `from` and `to`.
fn cut(of: &mut u64, from: u64, to: u64) {
    *of -= to.saturating_sub(from).min(*of);
}

impl Snapshot {
    /// Reads all counters; those of `devices` as of one that does the work of all.
    ///
    /// # Errors
    /// `/proc` or the counters of a device cannot be read.
    pub fn take(devices: &[Device]) -> Result<Snapshot, LabError> {
        Snapshot::of(&Watched { devices: devices.into(), ..Watched::default() })
    }

    /// Like `take`, with everything else that is `watched`.
    ///
    /// # Errors
    /// `/proc` or the counters of a device cannot be read.
    pub fn of(watched: &Watched) -> Result<Snapshot, LabError> {
        let pressure = |name: &str| {
            parse::pressure(&fs::read_to_string(format!("/proc/pressure/{name}")).ok()?)
        };
        let worker = |pid: &u32| {
            let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let ticks = parse::process(&text).map(|ticks| ticks.iter().sum());
            (ticks, parse::major_faults(&text))
        };
        let (workers, major_faults) = watched.workers.iter().map(worker).unzip();
        Ok(Snapshot {
            now_ns: now_ns(ClockId::Monotonic),
            devices: DeviceCounters::of_each(&watched.devices)?,
            below: watched.below.as_ref().map(BelowCounters::of).transpose()?,
            cpu: parse::machine(&read(Path::new("/proc/stat"))?),
            pressure: Pressure {
                cpu_us: pressure("cpu"),
                io_us: pressure("io"),
                memory_us: pressure("memory"),
            },
            memory: parse::memory(&read(Path::new("/proc/meminfo"))?),
            arc_bytes: fs::read_to_string(ARC).ok().and_then(|text| parse::arc_bytes(&text)),
            workers,
            major_faults,
            servers: watched.servers.iter().map(|pid| ServerTime::of(*pid)).collect(),
            own_cpu_ns: now_ns(ClockId::ProcessCPUTime),
            frequency_mhz: clock::frequency_mhz(),
            throttle_events: clock::throttle_events(),
            held_back_ns: quota::held_back_ns(),
        })
    }

    /// This, as if nothing had happened between `from` and `to`, which came before it.
    #[must_use]
    pub fn without(mut self, from: &Snapshot, to: &Snapshot) -> Snapshot {
        let cut_some = |of: &mut Option<u64>, from: Option<u64>, to: Option<u64>| {
            if let (Some(of), Some((from, to))) = (of, from.zip(to)) {
                cut(of, from, to);
            }
        };
        cut(&mut self.now_ns, from.now_ns, to.now_ns);
        for (own, (from, to)) in self.devices.iter_mut().zip(from.devices.iter().zip(&to.devices)) {
            own.cut(from, to);
        }
        if let (Some(own), Some(from), Some(to)) = (&mut self.below, &from.below, &to.below) {
            own.disks.cut(&from.disks, &to.disks);
            own.own.cut(&from.own, &to.own);
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
        let of_faults = from.major_faults.iter().zip(&to.major_faults);
        for (own, (from, to)) in self.major_faults.iter_mut().zip(of_faults) {
            cut_some(own, *from, *to);
        }
        for (own, (from, to)) in self.servers.iter_mut().zip(from.servers.iter().zip(&to.servers)) {
            if let (Some(own), Some(from), Some(to)) = (own, from, to) {
                cut(&mut own.total_ns, from.total_ns, to.total_ns);
            }
        }
        cut(&mut self.own_cpu_ns, from.own_cpu_ns, to.own_cpu_ns);
        cut_some(&mut self.throttle_events, from.throttle_events, to.throttle_events);
        cut_some(&mut self.held_back_ns, from.held_back_ns, to.held_back_ns);
        self
    }

    /// Returns what happened since `earlier`.
    pub fn since(&self, earlier: &Snapshot) -> Usage {
        let seconds = self.now_ns.saturating_sub(earlier.now_ns) as f64 / 1e9;
        let per_second = rustix::param::clock_ticks_per_second() as f64;
        let cpu = |get: fn(&CpuTicks) -> u64| {
            get(&self.cpu).saturating_sub(get(&earlier.cpu)) as f64 / per_second
        };
        let all = DeviceCounters::together(&self.devices);
        let all = all.zip(DeviceCounters::together(&earlier.devices));
        let device = |get: fn(&DeviceCounters) -> u64| {
            all.as_ref().map(|(later, earlier)| get(later).saturating_sub(get(earlier)))
        };
        let each = self.devices.iter().zip(&earlier.devices).filter(|_| self.devices.len() > 1);
        let worker = |(later, earlier): (&Option<u64>, &Option<u64>)| {
            let ticks =
                later.zip(*earlier).map_or(0, |(later, earlier)| later.saturating_sub(earlier));
            ticks as f64 / per_second
        };
        let faults = |(later, earlier): (&Option<u64>, &Option<u64>)| {
            Some(later.as_ref()?.saturating_sub(*earlier.as_ref()?))
        };
        let of_faults = self.major_faults.iter().zip(&earlier.major_faults);
        let worker_major_faults =
            of_faults.map(faults).reduce(|sum, own| Some(sum? + own?)).flatten();
        let server = |(later, earlier): (&Option<ServerTime>, &Option<ServerTime>)| {
            later.zip(*earlier).map_or((0.0, 0.0), |(later, earlier)| later.since(&earlier))
        };
        let servers = self.servers.iter().zip(&earlier.servers).map(server);
        let (server_user_s, server_sys_s) =
            servers.fold((0.0, 0.0), |(user, sys), (u, s)| (user + u, sys + s));
        let psi = |get: fn(&Pressure) -> Option<u64>| {
            let waited_us = get(&self.pressure)?.saturating_sub(get(&earlier.pressure)?);
            (seconds > 0.0).then(|| (waited_us as f64 / 1e4 / seconds).min(100.0))
        };
        Usage {
            seconds,
            device_reads: device(|d| d.reads),
            device_read_bytes: device(|d| d.read_sectors).map(|n| n * SECTOR),
            device_write_bytes: device(|d| d.written_sectors).map(|n| n * SECTOR),
            device_busy_s: device(|d| d.busy_ms).map(|n| n as f64 / 1e3),
            device_flush_s: device(|d| d.flush_ms).map(|n| n as f64 / 1e3),
            each_device: each.map(|(later, earlier)| later.since(earlier)).collect(),
            below: self.below.zip(earlier.below).map(|(later, earlier)| later.since(&earlier)),
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
            worker_major_faults,
            server_user_s,
            server_sys_s,
            own_cpu_s: self.own_cpu_ns.saturating_sub(earlier.own_cpu_ns) as f64 / 1e9,
            frequency_mhz: self.frequency_mhz,
            throttle_events: self
                .throttle_events
                .zip(earlier.throttle_events)
                .map(|(later, earlier)| later.saturating_sub(earlier)),
            held_back_s: self
                .held_back_ns
                .map(|later| later.saturating_sub(earlier.held_back_ns.unwrap_or(0)) as f64 / 1e9),
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
mod tests;

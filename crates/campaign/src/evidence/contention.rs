//! Measures what other processes did on the machine while a candidate worked: processor time and traffic of the disk
//! below. Excluded is what the candidate itself causes: its workers, its servers, the coordinator, kernel threads,
//! and the traffic of its devices. Pure, so that each rule is tested with numbers.

use super::{finite, sampler::Held};
use lab::observe::{BelowUsage, Others, Usage};
use model::{
    result::{Numbers, Sample, known},
    workload::WorkerReport,
};

/// `/proc/stat` counts in ticks of 10 ms: below twenty of them a share would be noise.
const LEAST_CPU_S: f64 = 0.2;

/// Bytes that the file system below may write for each flush of an own device: its journal keeps the
/// times of the image. ext4 writes 8 KiB.
const FLUSH_BYTES: u64 = 32 << 10;

/// Bytes that the disk below may move beyond that in each second: logs, clocks, the store of the campaign.
const SPARE_BYTES_PER_S: f64 = (1 << 20) as f64;

/// A shorter part is not judged on a disk on which others moved less than the spare bytes.
const LEAST_DISK_S: f64 = 0.1;

/// Processor time of the workers and of the target's own servers, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OwnCpu {
    /// In user mode.
    pub user_s: f64,
    /// In the kernel.
    pub sys_s: f64,
}

impl OwnCpu {
    /// Returns that of the workers, with the servers over the same time.
    pub fn of((user_s, sys_s): (f64, f64), usage: &Usage) -> OwnCpu {
        OwnCpu { user_s: user_s + usage.server_user_s, sys_s: sys_s + usage.server_sys_s }
    }
}

/// Processor time that others used during a case, on one candidate or on several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OthersCpu {
    used_s: f64,
    /// That of the whole machine meanwhile, seconds.
    capacity_s: f64,
}

impl OthersCpu {
    /// Both together.
    pub fn with(self, other: OthersCpu) -> OthersCpu {
        OthersCpu {
            used_s: self.used_s + other.used_s,
            capacity_s: self.capacity_s + other.capacity_s,
        }
    }

    /// The share of others, percent; `None` where the time is too short to tell.
    pub fn pct(self) -> Option<f64> {
        let is_enough = self.capacity_s >= LEAST_CPU_S;
        is_enough.then(|| 100.0 * self.used_s / self.capacity_s).and_then(finite)
    }
}

/// What others did during a case, on all candidates that share the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Disturbance {
    /// The largest share that any sample tells of, percent.
    pub largest_pct: f64,
    /// Processor time of others during all of them.
    pub cpu: OthersCpu,
}

impl Disturbance {
    /// Both together.
    pub fn with(self, other: Disturbance) -> Disturbance {
        Disturbance {
            largest_pct: self.largest_pct.max(other.largest_pct),
            cpu: self.cpu.with(other.cpu),
        }
    }
}

/// What others used; unknown where it cannot be told.
pub fn foreign(usage: &Usage, own: OwnCpu, others: Option<Others>) -> Numbers {
    let cpu = Numbers::default().with(known::FOREIGN_CPU_PCT, others_cpu(usage, own, others).pct());
    let Some(below) = &usage.below else { return cpu };
    let (read, written) = foreign_bytes(below);
    cpu.with(known::FOREIGN_READ_BYTES, read as f64)
        .with(known::FOREIGN_WRITE_BYTES, written as f64)
        .with(known::FOREIGN_DISK_PCT, disk_pct(usage, below, read + written))
}

/// Processor time of the target's own servers; `None` where they used none.
pub fn server_cpu_s(usage: &Usage) -> Option<f64> {
    finite(usage.server_user_s + usage.server_sys_s).filter(|server_s| *server_s > 0.0)
}

/// The same for a directory that was measured in slices, on a device that other programs may use: what the device moved
/// while the directory was `held` was foreign, and the same rate is assumed for its own time.
pub fn foreign_while_held(usage: &Usage, held: Held) -> Numbers {
    let device = usage.device_read_bytes.unwrap_or(0) + usage.device_write_bytes.unwrap_or(0);
    let part = usage.seconds / held.seconds.max(1e-9);
    let foreign = |bytes: u64| bytes as f64 * part;
    let (read, written) = (foreign(held.read_bytes), foreign(held.write_bytes));
    let is_spare = held.bytes() as f64 <= SPARE_BYTES_PER_S * held.seconds.max(1.0);
    let busy_s = usage.device_busy_s.unwrap_or(usage.seconds) + usage.device_flush_s.unwrap_or(0.0);
    let waited = (busy_s / usage.seconds.max(1e-9)).min(1.0);
    let share = ((read + written) / device.max(1) as f64).min(1.0);
    let pct = if is_spare || device == 0 { 0.0 } else { 100.0 * waited * share };
    Numbers::default()
        .with(known::FOREIGN_READ_BYTES, read)
        .with(known::FOREIGN_WRITE_BYTES, written)
        .with(known::FOREIGN_DISK_PCT, pct)
}

/// Returns the first sample of one of `directories` that is contended by other programs on its device. For an image
/// made here, foreign traffic is counted directly, also in slices.
pub fn company<'s>(samples: &'s [Sample], directories: &[&str]) -> Option<&'s Sample> {
    let is_of_directory = |sample: &&Sample| directories.contains(&sample.case.target.as_str());
    samples.iter().filter(is_of_directory).find(|sample| shows_company(sample))
}

/// Returns whether others used the device of a target that was measured in slices.
fn shows_company(sample: &Sample) -> bool {
    let is_held = sample.get(known::HELD_DEVICE_BYTES).is_some();
    let limit_pct = stats::description::Settings::default().contention_limit_pct;
    is_held && sample.get(known::FOREIGN_DISK_PCT).is_some_and(|pct| pct > limit_pct)
}

/// Processor time that others used, including the hypervisor.
///
/// User time always belongs to a process, so what is not own is foreign. System time may be that of kernel
/// threads, which also work for the target: only that of other processes counts, at their rate around the timed
/// part. Together they are at most the machine's time minus the candidate's: a tick is charged to the task running
/// when the clock ticks, and where a server runs in short bursts next to a busy program, the system time of the one
/// is charged to the user time of the other. And they are at most all of the machine: counters move by whole ticks
/// and are read just outside the part, so that over a short one the machine may seem to have worked longer than it
/// lasted.
pub fn others_cpu(usage: &Usage, own: OwnCpu, others: Option<Others>) -> OthersCpu {
    let capacity_s = usage.seconds * f64::from(usage.cpus.max(1));
    let user_s = (usage.machine_user_s - own.user_s - usage.own_cpu_s).max(0.0);
    let rate = others.filter(|others| others.seconds > 0.0);
    let sys_s = rate.map_or(0.0, |others| others.system_s / others.seconds * usage.seconds);
    let candidate_s = own.user_s + own.sys_s + usage.own_cpu_s;
    let beyond_s = (usage.machine_user_s + usage.machine_sys_s - candidate_s).max(0.0);
    let used_s = ((user_s + sys_s).min(beyond_s) + usage.steal_s).min(capacity_s);
    OthersCpu { used_s, capacity_s }
}

/// Bytes that others read and wrote on the disk below.
fn foreign_bytes(below: &BelowUsage) -> (u64, u64) {
    let journal = below.own_flushes.saturating_mul(FLUSH_BYTES);
    let own_written = below.own_write_bytes.saturating_add(journal);
    (
        below.read_bytes.saturating_sub(below.own_read_bytes),
        below.write_bytes.saturating_sub(own_written),
    )
}

/// Share of the part in which the candidate waited for the disk while that moved bytes of others: the share
/// of the time in which its own devices had work, times the share of others in what the disk moved.
fn disk_pct(usage: &Usage, below: &BelowUsage, foreign: u64) -> Option<f64> {
    let own = below.own_read_bytes + below.own_write_bytes;
    if own == 0 && below.own_flushes == 0 {
        return Some(0.0);
    }
    if foreign as f64 <= SPARE_BYTES_PER_S * usage.seconds.max(1.0) {
        return (usage.seconds >= LEAST_DISK_S).then_some(0.0);
    }
    let busy_s = usage.device_busy_s? + usage.device_flush_s.unwrap_or(0.0);
    let waited = (busy_s / usage.seconds.max(1e-9)).min(1.0);
    Some(100.0 * waited * foreign as f64 / (foreign + own) as f64)
}

/// Processor seconds (user, system) of all workers in `phases`.
pub fn worker_cpu(workers: &[WorkerReport], phases: &std::ops::Range<usize>) -> (f64, f64) {
    let phases = workers.iter().flat_map(|w| w.phases.get(phases.clone()).unwrap_or_default());
    phases.fold((0.0, 0.0), |(u, s), p| (u + p.cpu_user_s, s + p.cpu_sys_s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const MIB: u64 = 1 << 20;

    /// The foreign share of the device of a directory that moved `own` MiB in a second, half of which it was
    /// busy, and `held` MiB while it was held for two.
    fn held_pct(own: u64, held: u64) -> f64 {
        let usage = testing::usage(own * MIB, 1.0, 0.5);
        let held = Held { read_bytes: 0, write_bytes: held * MIB, seconds: 2.0 };
        let foreign = foreign_while_held(&usage, held);
        assert_eq!(foreign.get(known::FOREIGN_WRITE_BYTES), Some(held.write_bytes as f64 / 2.0));
        foreign.get(known::FOREIGN_DISK_PCT).unwrap()
    }

    #[test]
    fn traffic_of_a_held_directory_is_foreign() {
        assert_eq!(held_pct(100, 0), 0.0);
        assert_eq!(held_pct(100, 2), 0.0, "logs");
        assert_eq!(held_pct(100, 80), 20.0);
        assert_eq!(held_pct(100, 900), 50.0, "it waited for half of the time");
        assert_eq!(held_pct(0, 900), 0.0, "it needed no device");
    }

    #[test]
    fn foreign_traffic_shows_while_a_directory_is_held() {
        let sample = |held: bool, pct: f64| {
            let case = model::workload::Case {
                target: "dir".into(),
                suite: "s".into(),
                test: "t".into(),
                procs: 1,
                threads: 1,
                cache: model::workload::CacheState::Any,
            };
            let mut sample = Sample::bare(0, 0, case, Vec::new());
            sample.set(known::HELD_DEVICE_BYTES, held.then_some(1));
            sample.set(known::FOREIGN_DISK_PCT, pct);
            sample
        };
        let shows = |sample: Sample| company(&[sample], &["dir"]).is_some();
        assert!(shows(sample(true, 10.5)));
        assert!(!shows(sample(true, 9.5)));
        assert!(!shows(sample(false, 50.0)), "it had the machine to itself");
        assert_eq!(company(&[sample(true, 10.5)], &["other"]), None, "an image of ours");
    }

    /// A second on two processors.
    fn usage() -> Usage {
        testing::usage(0, 1.0, 0.0)
    }

    fn cpu(usage: &Usage, own: OwnCpu, system_s: f64) -> f64 {
        let others = Others { seconds: 4.0, system_s };
        foreign(usage, own, Some(others)).get(known::FOREIGN_CPU_PCT).unwrap()
    }

    #[test]
    fn own_time_is_not_foreign() {
        let usage = Usage { machine_user_s: 1.5, steal_s: 0.1, ..usage() };
        let own = OwnCpu { user_s: 1.0, sys_s: 0.0 };
        assert!((cpu(&usage, own, 0.0) - 30.0).abs() < 1e-9);
        let short = Usage { seconds: 0.05, ..usage.clone() };
        assert_eq!(foreign(&short, own, None).get(known::FOREIGN_CPU_PCT), None);
        // Two candidates together are long enough.
        let one = others_cpu(&short, own, None);
        assert_eq!(one.with(one).pct(), Some(100.0));
    }

    #[test]
    fn foreign_time_is_at_most_the_machine() {
        // Two seconds of processors, read around a part that lasted some ticks less.
        let usage = Usage { machine_user_s: 2.03, steal_s: 0.01, ..usage() };
        let own = OwnCpu { user_s: 0.01, sys_s: 0.0 };
        assert_eq!(cpu(&usage, own, 0.0), 100.0);
    }

    #[test]
    fn kernel_threads_are_not_foreign() {
        // Two busy programs next to one worker, on two processors.
        let usage = Usage { machine_user_s: 0.1, machine_sys_s: 1.8, ..usage() };
        let own = OwnCpu { user_s: 0.05, sys_s: 0.6 };
        assert!((cpu(&usage, own, 4.0) - 52.5).abs() < 1e-9);
        // The same time, of kernel threads that write back and compute checksums.
        assert!(cpu(&usage, own, 0.0) < 3.0);
        // Never more than the machine's time in the slices of this candidate.
        assert!((cpu(&usage, own, 400.0) - 62.5).abs() < 1e-9);
    }

    #[test]
    fn tick_accounting_does_not_inflate_foreign_time() {
        // As measured next to two busy loops: ticks that nearly all fell into the loops, and the exact time of
        // workers and server.
        let usage = Usage { machine_user_s: 1.94, machine_sys_s: 0.10, own_cpu_s: 0.02, ..usage() };
        let own = OwnCpu { user_s: 0.09, sys_s: 0.39 };
        assert!((cpu(&usage, own, 0.4) - 77.0).abs() < 1e-9);
        // Stolen time is added.
        let stolen = Usage { steal_s: 0.2, ..usage.clone() };
        assert!((cpu(&stolen, own, 0.4) - cpu(&usage, own, 0.4) - 10.0).abs() < 1e-9);
        // A machine that counts less than the candidate used.
        let idle = Usage { machine_user_s: 0.30, machine_sys_s: 0.15, ..usage };
        assert!(cpu(&idle, own, 0.4).abs() < 1e-9);
    }

    #[test]
    fn own_servers_and_the_coordinator_are_not_foreign() {
        let usage = Usage {
            machine_user_s: 0.60,
            machine_sys_s: 0.50,
            server_user_s: 0.40,
            server_sys_s: 0.30,
            own_cpu_s: 0.02,
            ..usage()
        };
        let own = OwnCpu::of((0.17, 0.2), &usage);
        assert!((own.user_s - 0.57).abs() < 1e-9 && (own.sys_s - 0.5).abs() < 1e-9);
        assert!(cpu(&usage, own, 0.04) < 1.0);
        let used_s = server_cpu_s(&usage).unwrap();
        assert!((used_s - 0.7).abs() < 1e-9);
    }

    /// A part whose own device was busy for a share of it, on a disk that moved this in MiB, read and
    /// written, own and in all.
    fn on_disk(seconds: f64, busy: f64, own: (u64, u64), all: (u64, u64), flushes: u64) -> Numbers {
        let below = BelowUsage {
            read_bytes: all.0 * MIB,
            write_bytes: all.1 * MIB,
            own_read_bytes: own.0 * MIB,
            own_write_bytes: own.1 * MIB,
            own_flushes: flushes,
        };
        let usage = testing::usage(0, seconds, busy * seconds);
        foreign(&Usage { below: Some(below), ..usage }, OwnCpu::default(), None)
    }

    fn disk(foreign: &Numbers) -> Option<f64> {
        foreign.get(known::FOREIGN_DISK_PCT).map(|pct| (10.0 * pct).round() / 10.0)
    }

    #[test]
    fn traffic_beyond_own_devices_is_foreign() {
        // A writer that takes two thirds of the disk.
        let beside = on_disk(1.0, 1.0, (0, 100), (0, 300), 2);
        assert_eq!(disk(&beside), Some(66.7));
        let written = beside.get(known::FOREIGN_WRITE_BYTES).unwrap();
        assert!((written - (200.0 * MIB as f64 - 65536.0)).abs() < 1.0);
        // A reader next to a cold test that ran at a sixth of its speed.
        assert_eq!(disk(&on_disk(2.0, 1.0, (50, 0), (300, 0), 0)), Some(83.3));
        // The candidate did not use the disk.
        assert_eq!(disk(&on_disk(1.0, 0.0, (0, 0), (0, 300), 0)), Some(0.0));
        assert_eq!(disk(&on_disk(1.0, 0.05, (1, 0), (1, 300), 0)), Some(5.0));
    }

    #[test]
    fn traffic_caused_by_own_devices_is_own() {
        // As measured: 200 MiB in one go; 500 commits, each with two flushes; a cold read.
        assert_eq!(disk(&on_disk(0.3, 0.4, (0, 200), (0, 200), 2)), Some(0.0));
        assert_eq!(disk(&on_disk(2.5, 0.9, (0, 14), (0, 22), 1002)), Some(0.0));
        assert_eq!(disk(&on_disk(0.5, 1.0, (200, 0), (200, 0), 0)), Some(0.0));
        // A request that completed below and not yet above.
        assert_eq!(disk(&on_disk(1.0, 1.0, (100, 0), (99, 1), 0)), Some(0.0));
    }

    #[test]
    fn short_part_shows_only_large_foreign_traffic() {
        assert_eq!(disk(&on_disk(0.05, 1.0, (0, 5), (0, 5), 0)), None);
        assert_eq!(disk(&on_disk(0.05, 1.0, (0, 5), (0, 15), 0)), Some(66.7));
        // Nor did it delay a candidate that never used it.
        assert_eq!(disk(&on_disk(0.05, 0.0, (0, 0), (0, 0), 0)), Some(0.0));
    }

    #[test]
    fn without_a_disk_below_there_is_no_metric() {
        let alone = foreign(&usage(), OwnCpu::default(), None);
        assert!(alone.get(known::FOREIGN_CPU_PCT).is_some());
        assert_eq!(
            alone,
            Numbers::default().with(known::FOREIGN_CPU_PCT, alone.get(known::FOREIGN_CPU_PCT))
        );
        assert_eq!(server_cpu_s(&usage()), None);
    }
}

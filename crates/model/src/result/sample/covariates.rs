//! The state of the machine and the place in the design that may explain the figures of a sample.

use super::rare::{Rare, group};

/// What may explain the figures of a sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covariates {
    /// Latest start minus earliest start, milliseconds.
    pub skew_ms: f64,
    /// Share of the timed part in which every worker ran, 0 to 1.
    pub overlap: f64,
    /// Bytes that the device under the target read; `None` where it has no device.
    pub device_read_bytes: Option<u64>,
    /// Bytes that the device under the target wrote.
    pub device_write_bytes: Option<u64>,
    /// Processor time of the workers and of the target's own servers in user mode, seconds.
    pub cpu_user_s: f64,
    /// The same in the kernel, seconds.
    pub cpu_sys_s: f64,
    /// Place among the candidates side by side in which it was measured, from 1; `None` where all had slices in
    /// turn.
    pub run_order: Option<u32>,
    /// Which of the images or parts of a disk that candidates exchange from block to block it was on, from 1.
    pub backing_part: Option<u32>,
    /// The machine as a whole.
    pub machine: Rare<Machine>,
    /// Other processes.
    pub foreign: Rare<Foreign>,
    /// The target and its device.
    pub target: Rare<TargetUse>,
    /// Each disk of a target that has several.
    pub disks: Vec<DiskUse>,
    /// The hosts together.
    pub pool: Rare<HostPool>,
    /// Each host, where there are several.
    pub hosts: Vec<HostUse>,
}

group! {
    /// What the machine did during the timed part.
    pub struct Machine {
        /// Processor time of all processes, seconds.
        cpu_s: f64,
        /// The same in the kernel alone, seconds.
        sys_s: f64,
        /// Memory of the kernel's own objects at the end.
        slab_bytes: u64,
        /// Memory of the page cache at the end.
        page_cache_bytes: u64,
        /// Memory of the cache of ZFS at the end.
        arc_bytes: u64,
        /// Share of the time in which some process waited for a processor, percent.
        psi_cpu_some_pct: f64,
        /// The same for I/O, percent.
        psi_io_some_pct: f64,
        /// The same for memory, percent.
        psi_memory_some_pct: f64,
        /// Share of the time in which the busiest worker was on a processor, percent.
        worker_busy_pct: f64,
        /// Most dirty pages in any second.
        dirty_peak_bytes: u64,
        /// Lowest frequency of a processor, MHz.
        cpu_least_mhz: f64,
        /// Share of the time in which the machine was slowed down, percent.
        limited_pct: f64,
    }
}

group! {
    /// What other processes used meanwhile.
    pub struct Foreign {
        /// Share of the processors, with that of the hypervisor, percent.
        cpu_pct: f64,
        /// Bytes read on the disk below.
        read_bytes: f64,
        /// Bytes written on the disk below.
        write_bytes: f64,
        /// Share of the part in which the candidate waited for a disk that moved bytes of others, percent.
        disk_pct: f64,
    }
}

group! {
    /// What the target did and the state it was in.
    pub struct TargetUse {
        /// Bytes in use on it after the test.
        space_used_bytes: u64,
        /// Time until its device was idle before the release, seconds.
        settle_s: f64,
        /// Bytes that its device wrote right after the timed part.
        settle_write_bytes: u64,
        /// Processor time of its own servers, seconds.
        server_cpu_s: f64,
        /// Share of the timed part in which its device had work, percent.
        device_busy_pct: f64,
        /// The same in the busiest second, percent.
        device_busy_peak_pct: f64,
        /// Share of blocks in sequence before it was aged, 0 to 1.
        layout_score_before: f64,
        /// The same after, 0 to 1.
        layout_score: f64,
        /// Share of its space that was filled, percent.
        fullness_pct: f64,
        /// Median folio in which the page cache held the files of a hot test before it.
        folio_bytes: u64,
        /// Share of the files of a cold test that was in the page cache at its end, percent.
        resident_after_pct: f64,
    }
}

group! {
    /// What several hosts have in common.
    pub struct HostPool {
        /// Number of hosts.
        hosts: u32,
        /// Largest difference of their clocks, milliseconds.
        clock_bound_ms: f64,
        /// Operations in a second of the rank that had the least.
        slowest_rank_ops_per_s: f64,
        /// Operations in a second of the rank that had the most.
        fastest_rank_ops_per_s: f64,
        /// Workers that read what their own host wrote, where all were to read that of another.
        readers_of_own_host: u32,
    }
}

/// What one disk did in the timed part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskUse {
    /// Number of the disk, from 1.
    pub disk: u32,
    /// Read requests that it completed.
    pub reads: Option<u64>,
    /// Bytes that it read.
    pub read_bytes: Option<u64>,
    /// Write requests that it completed; the kernel counts flushes that were asked for among them.
    pub writes: Option<u64>,
    /// Bytes that it wrote.
    pub write_bytes: Option<u64>,
    /// Share of the timed part in which it had work, percent.
    pub busy_pct: Option<f64>,
}

/// What the workers of one host did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostUse {
    /// Its name.
    pub host: String,
    /// Ranks on it.
    pub ranks: Option<u32>,
    /// Operations of all of them in a second.
    pub ops_per_s: Option<f64>,
}

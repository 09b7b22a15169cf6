//! Decides the cache state and validity of a sample: the bytes that the device read decide between cold, hot and
//! lukewarm (the second half of the proof of a cold cache); without a counted device, residency alone does. Sums over
//! phases and further metrics are added. Pure, so that each rule is tested with numbers.

use super::{finite, limiter::WorkerLoad};
use lab::{observe::Usage, page_cache::Residency};
use model::{
    figure::Metric,
    result::{BUFFERED_BELOW, BytesOf, CacheFault, Numbers, Reason, RebuildEnd, Validity, known},
    workload::{CacheNeed, CacheState},
};
use suites::{Measured, RandomReads};

/// A cold run must read at least this share of the pages it touched from the device.
const COLD_DEVICE_SHARE: f64 = 0.9;
/// The same for declared bytes, which are rounded and may include bytes found in memory.
const COLD_DECLARED_SHARE: f64 = 0.5;
/// A cold run may find at most this share resident before it starts.
const COLD_RESIDENT_SHARE: f64 = 0.01;
/// A hot run may take less than this share of its bytes from the device.
const HOT_DEVICE_SHARE: f64 = 0.01;
/// A hot run must find at least this share resident before it starts.
const HOT_RESIDENT_SHARE: f64 = 0.99;
/// The device must move at least this share of the direct I/O.
const DIRECT_DEVICE_SHARE: f64 = 0.1;
/// A timed part shorter than this is dominated by the two clock reads around it.
const SHORTEST_S: f64 = 10e-6;

/// Unit of a footprint.
const PAGE_BYTES: u64 = 4096;

/// Bytes that the device may move while a part is paused: read-ahead completes, which is a few MiB at every
/// pause of many workers.
const HELD_BYTES: f64 = 2.0 * 1024.0 * 1024.0;
const HELD_SHARE: f64 = 0.05;

/// Observations of one case in addition to the workers' reports.
pub struct CacheEvidence<'a> {
    /// Cache state that the test requires.
    pub need: CacheNeed,
    /// Residency of the test's files at the last check before the release; `None` when it reads none.
    pub residency: Option<Residency>,
    /// Bytes that the test is declared to read, all workers; `None` where it measures that itself.
    pub declared: Option<u64>,
    /// Bytes of assets that its devices may have read for it during that time.
    pub asset_bytes: u64,
    /// Whether the target is in memory, and so never cold.
    pub is_in_memory: bool,
    /// Counters of the machine over the phases of the measured test.
    pub usage: &'a Usage,
}

impl CacheEvidence<'_> {
    /// Returns the bytes on the device of `bytes` of the test's files: no more can be read from there.
    fn stored(&self, bytes: u64) -> u64 {
        self.residency.map_or(bytes, |residency| residency.stored(bytes))
    }
}

/// Cache state and validity of a measured test.
pub fn cache_verdict(
    seen: &CacheEvidence<'_>,
    measured: &Measured,
    footprint: u64,
) -> (CacheState, Validity) {
    let short = measured.seconds < SHORTEST_S;
    let validity = || match short {
        true => Validity::Invalid(Reason::TooShort {
            seconds: measured.seconds.into(),
            clock_s: SHORTEST_S.into(),
        }),
        false => Validity::Valid,
    };
    if let (Some(why), false) = (buffered(measured), short) {
        return (CacheState::Lukewarm, Validity::Lukewarm(why.into()));
    }
    let problem = match seen.need {
        CacheNeed::Any => return (CacheState::Any, validity()),
        CacheNeed::Cold => cold_problem(seen, seen.stored(footprint)),
        CacheNeed::Hot => hot_problem(seen, seen.stored(measured.bytes)),
    };
    match (seen.need, problem) {
        (CacheNeed::Cold, None) => (CacheState::Cold, validity()),
        (_, None) => (CacheState::Hot, validity()),
        (_, Some(why)) => (CacheState::Lukewarm, Validity::Lukewarm(why.into())),
    }
}

/// Returns why a part was not measured during a rebuild, unless one ran before its release and after its end.
pub fn not_rebuilt((before, after): (bool, bool)) -> Option<Reason> {
    match (before, after) {
        (true, true) => None,
        (true, false) => Some(Reason::RebuildEnded(RebuildEnd::During)),
        (false, _) => Some(Reason::RebuildEnded(RebuildEnd::Before)),
    }
}

/// Counts the checks, before the release and after the end, at which the rebuild was running.
pub fn rebuild_looks((before, after): (bool, bool)) -> u32 {
    u32::from(before) + u32::from(after)
}

/// Tells what sent direct I/O through the page cache.
pub fn buffered(measured: &Measured) -> Option<CacheFault> {
    let below = measured.metrics.iter().find(|metric| metric.name == BUFFERED_BELOW)?;
    Some(CacheFault::DirectThroughCache { multiple_bytes: below.value as u64 })
}

/// Returns why direct I/O of `bytes` did not happen: the device moved next to nothing.
pub fn past_no_device(bytes: u64, usage: &Usage) -> Option<Reason> {
    let device_bytes = usage.device_read_bytes? + usage.device_write_bytes?;
    let is_little = (device_bytes as f64) < DIRECT_DEVICE_SHARE * bytes as f64;
    is_little.then_some(Reason::DirectFromMemory { bytes, device_bytes })
}

fn cold_problem(seen: &CacheEvidence<'_>, footprint: u64) -> Option<CacheFault> {
    if seen.is_in_memory {
        return Some(CacheFault::InMemory {});
    }
    match seen.residency.and_then(Residency::share) {
        Some(share) if share > COLD_RESIDENT_SHARE => {
            return Some(CacheFault::ResidentBefore { share_pct: (share * 100.0).into() });
        }
        None => return Some(CacheFault::ResidencyUnknown {}),
        Some(_) => {}
    }
    // Bytes that may be of an asset prove nothing about the target.
    let read = seen.usage.device_read_bytes?.saturating_sub(seen.asset_bytes);
    let share = |bytes: u64| read as f64 / bytes.max(1) as f64;
    let less = |bytes: u64, least: f64, of: BytesOf| {
        let pct = (share(bytes) * 100.0).into();
        (share(bytes) < least).then_some(CacheFault::DeviceReadLess { pct, of })
    };
    let declared = seen.declared.map(|bytes| seen.stored(bytes));
    less(footprint, COLD_DEVICE_SHARE, BytesOf::Touched)
        .or_else(|| less(declared?, COLD_DECLARED_SHARE, BytesOf::Declared))
}

fn hot_problem(seen: &CacheEvidence<'_>, bytes: u64) -> Option<CacheFault> {
    let resident = seen.residency.and_then(Residency::share);
    if let Some(share) = resident.filter(|share| *share < HOT_RESIDENT_SHARE) {
        return Some(CacheFault::OnlyResidentBefore { share_pct: (share * 100.0).into() });
    }
    let Some(read) = seen.usage.device_read_bytes else {
        // Without a device the files themselves have to be in memory.
        return (bytes > 0 && resident.is_none()).then_some(CacheFault::ResidencyUnknown {});
    };
    let share = read as f64 / bytes.max(1) as f64;
    (bytes > 0 && share >= HOT_DEVICE_SHARE)
        .then(|| CacheFault::DeviceRead { pct: (share * 100.0).into() })
}

/// Share of the operations of a cold test of `reads` that found in memory a block that no operation before had
/// requested, percent; `None` where it does not apply, or was not counted. Only first operations at an offset count:
/// `footprint`, the distinct bytes in whole pages, over the pages of an operation.
///
/// A first operation that missed made the device complete at least one request, and had at least one major fault
/// where it touched a mapping. So misses are at most the smaller count. Both may exceed the misses: requests also
/// read metadata and are several for a large operation, and it may fault several times.
pub fn read_ahead(
    seen: &CacheEvidence<'_>,
    reads: Option<RandomReads>,
    measured: &Measured,
    footprint: u64,
) -> Option<f64> {
    let faults = match reads.filter(|_| seen.need == CacheNeed::Cold)? {
        RandomReads::Mapped => seen.usage.worker_major_faults,
        RandomReads::Called => None,
    };
    let missed = seen.usage.device_reads.into_iter().chain(faults).min()?;
    let pages_of_one = measured.bytes.div_ceil(measured.ops.max(1)).div_ceil(PAGE_BYTES).max(1);
    let first = measured.ops.min(footprint / PAGE_BYTES / pages_of_one);
    let hits = first.saturating_sub(missed) as f64 / first.max(1) as f64;
    Some(100.0 * hits)
}

/// Adds the processor time of the target's own servers to the figure per operation of a test, which covers its workers
/// only.
pub fn charge_servers(metrics: &mut [Metric], ops: u64, usage: &Usage) {
    let server_ns = 1e9 * (usage.server_user_s + usage.server_sys_s) / ops.max(1) as f64;
    metrics.iter_mut().filter(|m| m.name == "cpu_ns_per_op").for_each(|m| m.value += server_ns);
}

/// Returns why a part is invalid if its own device moved `bytes` while its clock was stopped; `None` when that is
/// little compared with its own time.
pub fn worked_while_held(bytes: u64, usage: &Usage) -> Option<Reason> {
    let own_bytes = usage.device_read_bytes.unwrap_or(0) + usage.device_write_bytes.unwrap_or(0);
    let is_much = bytes as f64 > HELD_BYTES + HELD_SHARE * own_bytes as f64;
    is_much.then_some(Reason::PausedButWorked { device_bytes: bytes, own_bytes })
}

/// What the machine did: pressure, processor time of all processes, memory; from the `seconds` of a timed part the most
/// dirty pages and the lowest frequency. A part without whole seconds has only those of its edges.
pub fn machine(whole: &Usage, seconds: &[Usage], load: &WorkerLoad) -> Numbers {
    let all = || seconds.iter().chain([whole]);
    let least_mhz = all().filter_map(|usage| usage.frequency_mhz).reduce(f64::min);
    Numbers::default()
        .with(known::MACHINE_CPU_S, whole.machine_user_s + whole.machine_sys_s)
        .with(known::MACHINE_SYS_S, whole.machine_sys_s)
        .with(known::SLAB_BYTES, whole.slab_bytes)
        .with(known::PAGE_CACHE_BYTES, whole.page_cache_bytes)
        .with(known::ARC_BYTES, whole.arc_bytes)
        .with(known::PSI_CPU_SOME_PCT, whole.psi_cpu_some_pct)
        .with(known::PSI_IO_SOME_PCT, whole.psi_io_some_pct)
        .with(known::PSI_MEMORY_SOME_PCT, whole.psi_memory_some_pct)
        .with(known::WORKER_BUSY_PCT, 100.0 * load.busiest)
        .with(known::DIRTY_PEAK_BYTES, all().map(|usage| usage.dirty_bytes).max())
        .with(known::CPU_LEAST_MHZ, least_mhz)
}

/// How busy the device of the target was, in the whole timed part and in its busiest second.
pub fn device_busy(whole: &Usage, seconds: &[Usage]) -> Numbers {
    let pct = |usage: &Usage| finite(100.0 * usage.device_busy_s? / usage.seconds.max(1e-9));
    let peak = seconds.iter().chain([whole]).filter_map(pct).reduce(f64::max);
    Numbers::default()
        .with(known::DEVICE_BUSY_PCT, pct(whole))
        .with(known::DEVICE_BUSY_PEAK_PCT, peak.filter(|_| !seconds.is_empty()))
}

#[cfg(test)]
mod tests;

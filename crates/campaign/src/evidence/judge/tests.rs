//! Each rule of cold, hot and valid with numbers at its edges.

use super::*;
use crate::testing::{MB, measured, usage};
use model::figure::Better;

#[test]
fn device_traffic_while_paused_invalidates_the_sample() {
    let usage = |mib: u64| Usage { device_read_bytes: Some(mib << 20), ..Usage::default() };
    assert_eq!(worked_while_held(2 << 20, &usage(0)), None);
    assert_eq!(worked_while_held(6 << 20, &usage(100)), None);
    let why = Reason::PausedButWorked { device_bytes: 8 << 20, own_bytes: 100 << 20 };
    assert_eq!(worked_while_held(8 << 20, &usage(100)), Some(why));
}

#[test]
fn cached_direct_blocks_make_a_sample_lukewarm() {
    let seen = CacheEvidence {
        need: CacheNeed::Any,
        residency: None,
        declared: None,
        asset_bytes: 0,
        is_in_memory: false,
        usage: &usage(0, 1.0, 0.0),
    };
    let direct = measured(MB, 1.0);
    assert_eq!(cache_verdict(&seen, &direct, 0), (CacheState::Any, Validity::Valid));
    let mut fallen = direct.clone();
    fallen.metrics.push(Metric::new(BUFFERED_BELOW, 4096.0, "B", Better::Lower));
    let (state, validity) = cache_verdict(&seen, &fallen, 0);
    let why = CacheFault::DirectThroughCache { multiple_bytes: 4096 };
    assert_eq!((state, validity), (CacheState::Lukewarm, Validity::Lukewarm(why.into())));
}

#[test]
fn direct_bytes_unseen_by_the_device_are_invalid() {
    let of = |read: u64| past_no_device(100 * MB, &usage(read, 1.0, 0.5));
    assert_eq!(of(10 * MB), None);
    assert_eq!(of(0), Some(Reason::DirectFromMemory { bytes: 100 * MB, device_bytes: 0 }));
    assert_eq!(past_no_device(100 * MB, &Usage::default()), None, "there is no device");
    assert_eq!(past_no_device(0, &usage(0, 1.0, 0.0)), None);
}

fn resident(part: u64) -> Option<Residency> {
    Some(Residency { resident_bytes: part, total_bytes: 100 * MB, stored_bytes: 100 * MB })
}

fn verdict(need: CacheNeed, residency: Option<Residency>, read: u64) -> (CacheState, Validity) {
    let usage = usage(read, 1.0, 0.5);
    let seen = CacheEvidence {
        need,
        residency,
        declared: None,
        asset_bytes: 0,
        is_in_memory: false,
        usage: &usage,
    };
    cache_verdict(&seen, &measured(100 * MB, 1.0), 100 * MB)
}

#[test]
fn cold_needs_both_proofs() {
    let ok = (CacheState::Cold, Validity::Valid);
    assert_eq!(verdict(CacheNeed::Cold, resident(0), 100 * MB), ok);
    assert_eq!(verdict(CacheNeed::Cold, resident(0), 90 * MB), ok);
    for (residency, read) in
        [(resident(2 * MB), 100 * MB), (resident(0), 89 * MB), (None, 100 * MB)]
    {
        let (state, validity) = verdict(CacheNeed::Cold, residency, read);
        assert_eq!(state, CacheState::Lukewarm);
        assert!(matches!(validity, Validity::Lukewarm(Reason::Cache(_))));
    }
}

#[test]
fn hot_needs_files_in_memory_or_a_device_that_read_next_to_nothing() {
    let of = |residency, usage: &Usage| {
        let (need, declared, asset_bytes, is_in_memory) = (CacheNeed::Hot, None, 0, false);
        let seen = CacheEvidence { need, residency, declared, asset_bytes, is_in_memory, usage };
        cache_verdict(&seen, &measured(100 * MB, 1.0), 100 * MB).1
    };
    let no_device = Usage::default();
    assert_eq!(of(resident(100 * MB), &no_device), Validity::Valid);
    assert_eq!(of(None, &usage(0, 1.0, 0.5)), Validity::Valid);
    let unknown = Validity::Lukewarm(CacheFault::ResidencyUnknown {}.into());
    assert_eq!(of(None, &no_device), unknown);
}

#[test]
fn compressed_files_are_cold_by_their_stored_bytes() {
    let of = |need, read: u64, stored_bytes, declared| {
        let usage = usage(read, 1.0, 0.5);
        let resident_bytes = if need == CacheNeed::Hot { 100 * MB } else { 0 };
        let residency = Some(Residency { resident_bytes, total_bytes: 100 * MB, stored_bytes });
        let seen = CacheEvidence {
            need,
            residency,
            declared,
            asset_bytes: 0,
            is_in_memory: false,
            usage: &usage,
        };
        cache_verdict(&seen, &measured(100 * MB, 1.0), 100 * MB).0
    };
    let cold = |read, stored, declared| of(CacheNeed::Cold, read, stored, declared);
    assert_eq!(cold(25 * MB, 100 * MB, None), CacheState::Lukewarm);
    assert_eq!(cold(25 * MB, 25 * MB, None), CacheState::Cold);
    assert_eq!(cold(22 * MB, 25 * MB, None), CacheState::Lukewarm, "less than nine tenths");
    assert_eq!(cold(25 * MB, 25 * MB, Some(100 * MB)), CacheState::Cold);
    assert_eq!(cold(8192, 0, None), CacheState::Cold, "packed into the trees");
    assert_eq!(cold(0, 0, None), CacheState::Lukewarm, "from memory");
    assert_eq!(of(CacheNeed::Hot, MB / 2, 100 * MB, None), CacheState::Hot);
    assert_eq!(of(CacheNeed::Hot, MB / 2, 25 * MB, None), CacheState::Lukewarm);
}

/// The verdict on a cold test that touched `footprint` bytes and is `declared` to read that number, whose device
/// read `read` bytes; its 100 MB of files take `stored_bytes` there.
fn cold_verdict(footprint: u64, declared: Option<u64>, stored_bytes: u64, read: u64) -> Validity {
    let usage = usage(read, 1.0, 0.5);
    let residency = Some(Residency { stored_bytes, ..resident(0).unwrap() });
    let seen = CacheEvidence {
        need: CacheNeed::Cold,
        residency,
        declared,
        asset_bytes: 0,
        is_in_memory: false,
        usage: &usage,
    };
    rounded(cache_verdict(&seen, &measured(footprint, 1.0), footprint).1)
}

/// `validity` with its percentage as a whole number.
fn rounded(mut validity: Validity) -> Validity {
    if let Validity::Lukewarm(Reason::Cache(CacheFault::DeviceReadLess { pct, .. })) = &mut validity
    {
        *pct = pct.0.round().into();
    }
    validity
}

fn gave(percent: f64, of: BytesOf) -> Validity {
    Validity::Lukewarm(CacheFault::DeviceReadLess { pct: percent.into(), of }.into())
}

#[test]
fn three_percent_of_declared_reads_is_not_cold() {
    let of = |stored, read| cold_verdict(0, Some(100 * MB), stored, read);
    let declared = BytesOf::Declared;
    assert_eq!(of(100 * MB, 3 * MB), gave(3.0, declared));
    assert_eq!(of(100 * MB, 49 * MB), gave(49.0, declared));
    assert_eq!(of(100 * MB, 50 * MB), Validity::Valid);
    // A quarter of it is on the device.
    assert_eq!(of(25 * MB, 750_000), gave(3.0, declared));
    assert_eq!(of(25 * MB, 3 * MB), gave(12.0, declared));
    assert_eq!(of(25 * MB, 12_250_000), gave(49.0, declared));
    assert_eq!(of(25 * MB, 12_500_000), Validity::Valid);
}

#[test]
fn three_percent_of_touched_pages_is_not_cold() {
    // For columnar, io and files, which know their pages.
    let of = |stored, read| cold_verdict(100 * MB, None, stored, read);
    let touched = BytesOf::Touched;
    assert_eq!(of(100 * MB, 3 * MB), gave(3.0, touched));
    assert_eq!(of(100 * MB, 89 * MB), gave(89.0, touched));
    assert_eq!(of(100 * MB, 90 * MB), Validity::Valid);
    assert_eq!(of(25 * MB, 750_000), gave(3.0, touched));
    assert_eq!(of(25 * MB, 22 * MB), gave(88.0, touched));
    assert_eq!(of(25 * MB, 22_500_000), Validity::Valid);
    // Both rules apply.
    let both = |read| cold_verdict(10 * MB, Some(100 * MB), 100 * MB, read);
    assert_eq!(both(8 * MB), gave(80.0, touched));
    assert_eq!(both(10 * MB), gave(10.0, BytesOf::Declared));
}

#[test]
fn reading_little_of_the_declared_bytes_is_not_cold() {
    let of = |read, declared| cold_verdict(0, declared, 100 * MB, read);
    // A tar that reads names alone; the files that it was to read are not listed.
    assert_eq!(of(3 * MB, Some(100 * MB)), gave(3.0, BytesOf::Declared));
    // Declarations are rounded.
    assert_eq!(of(80 * MB, Some(100 * MB)), Validity::Valid);
    assert_eq!(of(3 * MB, None), Validity::Valid);
}

#[test]
fn hot_reads_less_than_a_hundredth_from_the_device() {
    let ok = (CacheState::Hot, Validity::Valid);
    assert_eq!(verdict(CacheNeed::Hot, resident(100 * MB), MB - 1), ok);
    assert_eq!(verdict(CacheNeed::Hot, resident(100 * MB), MB).0, CacheState::Lukewarm);
    assert_eq!(verdict(CacheNeed::Hot, resident(98 * MB), 0).0, CacheState::Lukewarm);
}

#[test]
fn target_in_memory_is_never_cold() {
    let usage = Usage::default();
    let seen = CacheEvidence {
        need: CacheNeed::Cold,
        residency: resident(0),
        asset_bytes: 0,
        declared: None,
        is_in_memory: true,
        usage: &usage,
    };
    let (_, validity) = cache_verdict(&seen, &measured(MB, 1.0), MB);
    assert_eq!(validity, Validity::Lukewarm(CacheFault::InMemory {}.into()));
}

#[test]
fn reads_without_device_requests_count_as_read_ahead() {
    let hits = |need, reads, device_reads, worker_major_faults, ops| {
        let usage = Usage { device_reads, worker_major_faults, ..Usage::default() };
        let seen = CacheEvidence {
            need,
            residency: None,
            declared: None,
            asset_bytes: 0,
            is_in_memory: false,
            usage: &usage,
        };
        let measured = Measured { ops, ..measured(PAGE_BYTES * ops, 1.0) };
        read_ahead(&seen, reads, &measured, PAGE_BYTES * ops)
    };
    let called =
        |device, ops| hits(CacheNeed::Cold, Some(RandomReads::Called), device, Some(0), ops);
    // As measured: 12 000 reads of 4 KiB by 1118 requests of 838 KiB.
    assert_eq!(called(Some(1118), 12_000).map(f64::round), Some(91.0));
    assert_eq!(called(Some(9_000), 10_000), Some(10.0));
    // Metadata is read too, and a read of 1 MiB is several requests.
    assert_eq!(called(Some(10_300), 10_000), Some(0.0));
    assert_eq!(called(Some(800), 100), Some(0.0));
    assert_eq!(called(None, 100), None, "not counted");
    assert_eq!(called(Some(0), 0), Some(0.0));
    let mapped =
        |device, faults| hits(CacheNeed::Cold, Some(RandomReads::Mapped), device, faults, 1000);
    // A window of 2560 KiB is two requests, or three, of one fault.
    assert_eq!(mapped(Some(950), Some(400)), Some(60.0));
    assert_eq!(mapped(Some(700), Some(900)), Some(30.0));
    assert_eq!(mapped(None, Some(900)), Some(10.0), "no device");
    assert_eq!(mapped(Some(900), None), Some(10.0), "a worker is gone");
    // Drawn at random, with a third of the offsets twice: those are not hits of read-ahead.
    let usage = Usage { device_reads: Some(2600), ..Usage::default() };
    let seen = CacheEvidence {
        need: CacheNeed::Cold,
        residency: None,
        declared: None,
        asset_bytes: 0,
        is_in_memory: false,
        usage: &usage,
    };
    let twice = |bytes: u64, footprint| {
        let measured = Measured { ops: 4096, ..measured(4096 * bytes, 1.0) };
        read_ahead(&seen, Some(RandomReads::Called), &measured, footprint).unwrap()
    };
    assert_eq!(twice(4096, 2589 * 4096), 0.0);
    assert_eq!(twice(512, 2000 * 4096), 0.0, "eight blocks on a page");
    assert_eq!(twice(8192, 8000 * 4096), 35.0, "two pages each");
    let hot = Some(RandomReads::Called);
    assert_eq!(hits(CacheNeed::Hot, hot, Some(0), None, 10), None);
    assert_eq!(hits(CacheNeed::Cold, None, Some(0), None, 10), None, "in order");
}

#[test]
fn timed_part_of_a_few_clock_reads_is_invalid() {
    let usage = usage(0, 1.0, 0.0);
    let seen = CacheEvidence {
        need: CacheNeed::Any,
        residency: None,
        declared: None,
        asset_bytes: 0,
        is_in_memory: false,
        usage: &usage,
    };
    let (_, validity) = cache_verdict(&seen, &measured(MB, 9e-6), 0);
    let why = Reason::TooShort { seconds: 9e-6.into(), clock_s: 10e-6.into() };
    assert_eq!(validity, Validity::Invalid(why));
}

#[test]
fn server_time_is_charged_per_operation() {
    let figure = |name: &str| Metric::new(name, 700.0, "ns", Better::Lower);
    let mut metrics = [figure("cpu_ns_per_op"), figure("service_p50_us")];
    let usage = Usage { server_user_s: 0.1, server_sys_s: 0.2, ..Usage::default() };
    charge_servers(&mut metrics, 1_000_000, &usage);
    assert_eq!(metrics.map(|metric| metric.value.round()), [1000.0, 700.0]);
}

#[test]
fn peaks_come_from_seconds() {
    let second = |busy_s, dirty_bytes, mhz| Usage {
        dirty_bytes,
        frequency_mhz: mhz,
        ..usage(0, 1.0, busy_s)
    };
    let seconds = [second(0.2, 5, Some(3000.0)), second(1.0, 9, Some(2000.0))];
    let whole = Usage { dirty_bytes: 3, ..usage(0, 2.0, 1.2) };
    let load = WorkerLoad { bytes: 0, pool_busy: 0.2, busiest: 0.25, each: 1, late: 0.0 };
    let busy = device_busy(&whole, &seconds);
    assert_eq!(
        (busy.get(known::DEVICE_BUSY_PCT), busy.get(known::DEVICE_BUSY_PEAK_PCT)),
        (Some(60.0), Some(100.0))
    );
    let seen = machine(&whole, &seconds, &load);
    assert_eq!(
        (seen.get(known::WORKER_BUSY_PCT), seen.get(known::DIRTY_PEAK_BYTES)),
        (Some(25.0), Some(9))
    );
    assert_eq!(seen.get(known::CPU_LEAST_MHZ), Some(2000.0));
    let busy = device_busy(&whole, &[]);
    assert_eq!(
        (busy.get(known::DEVICE_BUSY_PCT), busy.get(known::DEVICE_BUSY_PEAK_PCT)),
        (Some(60.0), None)
    );
    let seen = machine(&whole, &[], &load);
    assert_eq!(
        (seen.get(known::WORKER_BUSY_PCT), seen.get(known::DIRTY_PEAK_BYTES)),
        (Some(25.0), Some(3))
    );
    assert_eq!(seen.get(known::CPU_LEAST_MHZ), None);
}

#[test]
fn rebuild_must_run_at_both_ends() {
    assert_eq!(not_rebuilt((true, true)), None);
    let during = Reason::RebuildEnded(RebuildEnd::During);
    assert_eq!(not_rebuilt((true, false)), Some(during));
    for after in [true, false] {
        let before = Reason::RebuildEnded(RebuildEnd::Before);
        assert_eq!(not_rebuilt((false, after)), Some(before));
    }
    let looks = [(true, true), (true, false), (false, false)].map(rebuild_looks);
    assert_eq!(looks, [2, 1, 0]);
}

#[test]
fn bytes_of_an_asset_do_not_prove_a_cold_cache() {
    let usage = usage(10 * MB, 1.0, 1.0);
    let residency =
        Some(Residency { resident_bytes: 0, total_bytes: 10 * MB, stored_bytes: 10 * MB });
    let state = |asset_bytes: u64, declared: Option<u64>, footprint: u64| {
        let need = CacheNeed::Cold;
        let seen = CacheEvidence {
            need,
            residency,
            declared,
            asset_bytes,
            is_in_memory: false,
            usage: &usage,
        };
        cache_verdict(&seen, &measured(10 * MB, 1.0), footprint).0
    };
    assert_eq!(state(0, None, 10 * MB), CacheState::Cold);
    assert_eq!(state(2 * MB, None, 10 * MB), CacheState::Lukewarm);
    assert_eq!(state(0, Some(10 * MB), 0), CacheState::Cold);
    assert_eq!(state(6 * MB, Some(10 * MB), 0), CacheState::Lukewarm);
}

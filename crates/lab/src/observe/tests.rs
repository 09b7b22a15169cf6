//! Snapshots of known counters, and of this machine.

use super::*;

fn snapshot(now_ns: u64, stat: &str, device: &str, psi: &str, mem: &str) -> Snapshot {
    Snapshot {
        now_ns,
        devices: vec![DeviceCounters::of_text(device)],
        cpu: parse::machine(stat),
        pressure: Pressure { cpu_us: parse::pressure(psi), io_us: None, memory_us: None },
        memory: parse::memory(mem),
        arc_bytes: Some(7),
        ..Snapshot::default()
    }
}

fn moved(read_sectors: u64, written_sectors: u64, flushes: u64) -> DeviceCounters {
    DeviceCounters { read_sectors, written_sectors, flushes, ..DeviceCounters::default() }
}

fn server(seconds: u64, user_ticks: u64, system_ticks: u64) -> Option<ServerTime> {
    Some(ServerTime { total_ns: seconds * 1_000_000_000, user_ticks, system_ticks })
}

#[test]
fn two_snapshots_make_a_usage() {
    let earlier = snapshot(
        1_000_000_000,
        "cpu  100 0 50 1000 10 0 0 0 0 0\ncpu0 1 0\ncpu1 1 0\nctxt 7\n",
        "  10 0 800 5 20 0 1600 9 0 100 14 0 0 0 0 3 40",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0 total=5\n",
        "",
    );
    let earlier = Snapshot {
        workers: vec![Some(100), Some(7), None],
        major_faults: vec![Some(4), Some(1)],
        servers: vec![server(1, 10, 30), None],
        own_cpu_ns: 5,
        throttle_events: Some(3),
        ..earlier
    };
    let later = snapshot(
        3_000_000_000,
        "cpu  300 100 150 1100 60 10 40 50 0 0\ncpu0 1 0\ncpu1 1 0\nctxt 9\n",
        "  35 0 1000 5 20 0 3600 9 0 1600 14 0 0 0 0 5 290",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=501000\nfull avg10=0 total=5\n",
        "MemTotal: 9 kB\nSwapCached: 5 kB\nCached:   8 kB\nDirty:   2 kB\nSlab:  4 kB\n\
         Writeback: 1 kB\n",
    );
    let later = Snapshot {
        workers: vec![Some(250), None, Some(9)],
        major_faults: vec![Some(9), Some(3)],
        servers: vec![server(3, 30, 90), server(9, 1, 1)],
        own_cpu_ns: 2_000_005,
        throttle_events: Some(4),
        held_back_ns: Some(500_000_000),
        frequency_mhz: Some(2400.0),
        ..later
    };
    let usage = later.since(&earlier);
    assert_eq!(
        usage,
        Usage {
            seconds: 2.0,
            device_reads: Some(25),
            device_read_bytes: Some(200 * 512),
            device_write_bytes: Some(2000 * 512),
            device_busy_s: Some(1.5),
            device_flush_s: Some(0.25),
            each_device: Vec::new(),
            below: None,
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
            worker_major_faults: Some(7),
            server_user_s: 0.5,
            server_sys_s: 1.5,
            own_cpu_s: 0.002,
            frequency_mhz: Some(2400.0),
            throttle_events: Some(1),
            held_back_s: Some(0.5),
        }
    );
}

#[test]
fn each_of_several_devices_has_its_own_usage() {
    let at = |first: &str, second: &str| Snapshot {
        devices: [first, second].map(DeviceCounters::of_text).into(),
        ..Snapshot::default()
    };
    let earlier = at("1 0 8 5 20 0 1600 9 0 100 14", "3 0 16 5 7 0 800 9 0 50 14");
    let later = at("5 0 40 5 32 0 2600 9 0 900 14", "3 0 16 5 19 0 1800 9 0 450 14");
    let usage = later.since(&earlier);
    let reader = DeviceUsage {
        reads: 4,
        read_bytes: 32 * 512,
        writes: 12,
        write_bytes: 1000 * 512,
        busy_s: 0.8,
    };
    let other = DeviceUsage { reads: 0, read_bytes: 0, busy_s: 0.4, ..reader };
    assert_eq!(usage.each_device, [reader, other]);
    assert_eq!((usage.device_reads, usage.device_busy_s), (Some(4), Some(0.6)));
    let cut = later.clone().without(&earlier, &later);
    assert_eq!(cut.since(&earlier).each_device, [DeviceUsage::default(); 2]);
}

#[test]
fn the_disk_below_is_counted_apart_from_own_devices() {
    let at = |disks, own| {
        let below = Some(BelowCounters { disks, own });
        Snapshot { below, ..Snapshot::default() }
    };
    let earlier = at(moved(1000, 2000, 9), moved(800, 1600, 3));
    let later = at(moved(1300, 4500, 99), moved(1000, 3600, 5));
    let expected = BelowUsage {
        read_bytes: 300 * 512,
        write_bytes: 2500 * 512,
        own_read_bytes: 200 * 512,
        own_write_bytes: 2000 * 512,
        own_flushes: 2,
    };
    assert_eq!(later.since(&earlier).below, Some(expected));
    assert_eq!(later.since(&Snapshot::default()).below, None);
}

#[test]
fn an_interval_can_be_left_out() {
    let at = |second: u64| {
        let ticks = 100 * second;
        let stat = format!("cpu {ticks} 0 {ticks} {ticks} {ticks} 0 0 {ticks} 0 0\ncpu0 1\n");
        let device =
            format!("{second} 0 {ticks} 5 20 0 {ticks} 9 0 {ticks} 14 0 0 0 0 {ticks} {ticks}");
        let psi = format!("some avg10=0 avg60=0 avg300=0 total={}\n", 1000 * second);
        Snapshot {
            workers: vec![Some(ticks)],
            major_faults: vec![Some(3 * second)],
            servers: vec![server(second, 1, 1)],
            below: Some(BelowCounters {
                disks: moved(7 * second, 9 * second, 5 * second),
                own: moved(2 * second, 3 * second, 4 * second),
            }),
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
    let of = |workers: &[u32]| {
        let workers = workers.to_vec();
        Snapshot::of(&Watched { servers: workers.clone(), workers, ..Watched::default() }).unwrap()
    };
    let before = of(&pids);
    let seen = |usage: &Usage| {
        let server_s = usage.server_user_s + usage.server_sys_s;
        usage.worker_cpu_s[0] > 0.0 && usage.own_cpu_s > 0.0 && server_s > 0.0
    };
    while !seen(&of(&pids).since(&before)) {}
    let gone = of(&[u32::MAX]);
    assert_eq!((gone.workers, gone.servers), (vec![None], vec![None]));
}

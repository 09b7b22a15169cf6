//! Tests that imports of tools other than fio report what was measured: contradictory figures are not measurements, and
//! bugs of a tool are corrected or named.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::{file, invalid, near, only, options, order, read_fixtures, sample, says, text, why};
use formats::NamedBytes;
use model::result::{Contradiction, Counted, Dataset, Imported, Reason};

fn read(files: &[NamedBytes]) -> Dataset {
    formats::import(files, None, &options()).unwrap()
}

#[test]
fn figures_of_mdtest_are_those_under_their_heads() {
    let data = read_fixtures(&["mdtest-perrank-summary.txt"]);
    let figures = |test: &str| {
        let sample = sample(&data, test);
        ["ops_rate", "ops_rate_max", "ops_rate_min", "ops_rate_sd"].map(|name| sample.metric(name))
    };
    assert_eq!(figures("mdtest.file.create"), [Some(4800.0), Some(7000.0), Some(3000.0), None]);
    assert_eq!(figures("mdtest.file.remove"), [Some(7600.0), Some(10_000.0), Some(5000.0), None]);
    let unknown = text("mdtest-perrank-summary.txt").replace("Std Dev", "Median ");
    let told = files::error(&[file("a.txt", &unknown)]);
    assert!(told.contains("a.txt, line 12: unknown column `Median`"), "{told}");
}

#[test]
fn a_mean_of_mdtest_outside_of_its_iterations_is_no_measurement() {
    let wrong = text("mdtest-perrank-summary.txt").replace("4800.000", "7800.000");
    let data = read(&[file("a.txt", &wrong)]);
    let told = why(sample(&data, "mdtest.file.create"));
    assert_eq!(*told, order(("ops_rate mean", 7800.0), ("ops_rate max", 7000.0)));
    assert!(sample(&data, "mdtest.file.remove").evidence.validity.is_valid());
}

#[test]
fn a_latency_of_ior_that_does_not_keep_the_tasks_busy_is_left_out() {
    let data = read_fixtures(&["ior-latency-stonewall.txt"]);
    let write = sample(&data, "ior.write");
    assert!(near(write.metric("rate").unwrap(), 1048.576));
    assert_eq!((write.metric("service_mean_us"), write.metric("iops")), (None, Some(1000.0)));
    assert!(says(&data, "If IOR's latency times its IOPS"));
    // Right under a stonewall that let all be done.
    let right = text("ior-latency-stonewall.txt").replace("0.000293", "0.002000");
    let data = read(&[file("a.txt", &right)]);
    assert!(near(sample(&data, "ior.write").metric("service_mean_us").unwrap(), 2000.0));
    // IO500's rows of hundreds of seconds, without a stonewall.
    let whole = text("ior-latency-stonewall.txt")
        .replace("0.000293", "299.8400")
        .replace("stonewallingTime    : 30", "stonewallingTime    : 0");
    let data = read(&[file("a.txt", &whole)]);
    assert_eq!(sample(&data, "ior.write").metric("service_mean_us"), None);
}

#[test]
fn a_rate_of_ior_that_its_transfers_cannot_move_is_no_measurement() {
    let wrong =
        text("ior-latency-stonewall.txt").replace("write     1000.00 ", "write     2000.00 ");
    let data = read(&[file("a.txt", &wrong)]);
    let Reason::Contradicts(Contradiction::Size { what, ops, op_bytes, .. }) =
        invalid(&data, "ior.write")
    else {
        panic!("{data:?}")
    };
    assert_eq!((what.as_str(), ops.0, op_bytes.0), ("write", 1000.0, 1_048_576.0));
}

#[test]
fn asynchronous_writes_of_sysbench_are_writes() {
    let data = read_fixtures(&["sysbench-async.txt"]);
    let write = sample(&data, "sysbench.rndwr");
    assert_eq!((write.metric("write_iops"), write.metric("read_iops")), (Some(2000.0), None));
    assert!(near(write.metric("write_rate").unwrap(), 31.25 * 1.048576));
    assert!(says(&data, "asynchronous operations as reads"));
    let mixed = text("sysbench-async.txt").replace("random write test", "random r/w test");
    let data = read(&[file("a.txt", &mixed)]);
    let mixed = sample(&data, "sysbench.rndrw");
    assert_eq!((mixed.metric("iops"), mixed.metric("read_iops")), (Some(2000.0), None));
}

#[test]
fn reads_under_a_test_of_sysbench_that_writes_are_no_measurement() {
    let sync = text("sysbench-async.txt").replace("asynchronous I/O", "synchronous I/O");
    let data = read(&[file("a.txt", &sync)]);
    let (mode, counted) = ("random write".into(), Counted::OnlyReads);
    let told = Contradiction::Direction { mode, counted };
    assert_eq!(*why(sample(&data, "sysbench.rndwr")), told.into());
}

#[test]
fn more_operations_of_sysbench_than_threads_are_no_measurement() {
    let slow = text("sysbench-fileio-rndrw.txt");
    let line = slow.lines().find(|line| line.trim_start().starts_with("avg:")).unwrap();
    let slow = slow.replace(line, "         avg:      90.00");
    let data = read(&[file("a.txt", &slow)]);
    let told = why(sample(&data, "sysbench.rndrw"));
    let Reason::Contradicts(Contradiction::Concurrency { most, .. }) = told else {
        panic!("{told:?}")
    };
    assert_eq!(most.0, 4.0);
}

#[test]
fn a_rate_of_sysbench_that_its_operations_cannot_move_is_no_measurement() {
    let wrong = text("sysbench-fileio-rndrw.txt").replace("Block size 4KiB", "Block size 1KiB");
    let data = read(&[file("a.txt", &wrong)]);
    let told = why(sample(&data, "sysbench.rndrw"));
    let Reason::Contradicts(Contradiction::Size { what, op_bytes, .. }) = told else {
        panic!("{told:?}")
    };
    assert_eq!((what.as_str(), op_bytes.0), ("read", 1024.0));
}

#[test]
fn a_comma_that_iostat_put_before_its_first_report_is_passed_over() {
    let data = read_fixtures(&["iostat-leading-comma.json"]);
    let disk = only(&data);
    assert_eq!(disk.metric("iops"), Some(50.0));
    assert!(near(disk.metric("write_rate").unwrap(), 0.39 * 1.048576));
    assert!(disk.evidence.validity.is_valid() && says(&data, "A comma before the first report"));
    assert_eq!((disk.metric("read_await_ms"), disk.metric("write_await_ms")), (None, Some(2.0)));
}

#[test]
fn a_short_row_of_iostat_is_left_out_alone() {
    let data = read_fixtures(&["iostat-one-row-short.json"]);
    let disk = only(&data);
    assert_eq!((disk.case.test.as_str(), disk.metric("iops")), ("iostat.sdb", Some(300.0)));
    assert!(near(disk.metric("read_rate").unwrap(), 1.2288) && disk.evidence.validity.is_valid());
    assert!(says(&data, "A device row"));
}

fn iostat(reports: &[&str]) -> Dataset {
    let reports: Vec<String> = reports
        .iter()
        .map(|rates| format!("{{\"disk\": [{{\"disk_device\": \"sda\", {rates}}}]}}"))
        .collect();
    let text = format!(
        "{{\"sysstat\": {{\"hosts\": [{{\"nodename\": \"h\", \"statistics\": [{}]}}]}}}}",
        reports.join(",\n")
    );
    read(&[file("h.json", &text)])
}

#[test]
fn an_only_report_since_boot_is_no_measurement() {
    let since_boot = "\"r/s\": 1.37, \"w/s\": 20.41, \"rkB/s\": 33.12, \"wkB/s\": 411.93";
    let interval = "\"r/s\": 0.00, \"w/s\": 250.50, \"rkB/s\": 0.00, \"wkB/s\": 1002.00";
    assert_eq!(*why(only(&iostat(&[since_boot]))), Imported::OnlyReportSinceBoot {}.into());
    assert!(only(&iostat(&[interval])).evidence.validity.is_valid());
    // The first of several is left out, unless it is of an interval, as `iostat -y` writes.
    assert_eq!(iostat(&[since_boot, interval]).samples.len(), 1);
    let later = "\"r/s\": 0.00, \"w/s\": 251.00, \"rkB/s\": 0.00, \"wkB/s\": 1004.00";
    assert_eq!(iostat(&[interval, later]).samples.len(), 2);
    // Real ones last some hundredths longer than was asked for.
    let real = "\"r/s\": 0.99, \"w/s\": 557.43, \"rkB/s\": 3.96, \"wkB/s\": 64213.86";
    assert!(only(&iostat(&[real])).evidence.validity.is_valid());
    // Totals tell how long a report lasted.
    let total = |total: u32| {
        format!("\"tps\": 89.05, \"kB_wrtn/s\": 147.26, \"kB_read\": 0, \"kB_wrtn\": {total}")
    };
    assert!(only(&iostat(&[&total(296)])).evidence.validity.is_valid());
    assert!(!only(&iostat(&[&total(1_296_000)])).evidence.validity.is_valid());
}

#[test]
fn sectors_under_the_name_of_megabytes_are_read_as_sectors() {
    let of = |unit: &str, rate: f64| {
        iostat(&[&format!(
            "\"r/s\": 0.00, \"w/s\": 50.00, \"r{unit}/s\": 0.00, \"w{unit}/s\": {rate}, \
             \"rareq-sz\": 0.00, \"wareq-sz\": 8.00, \"f/s\": 4.00"
        )])
    };
    for (unit, rate) in [("kB", 400.0), ("MB", 0.39), ("kB", 800.0), ("MB", 800.0)] {
        let data = of(unit, rate);
        let mb_per_s = only(&data).metric("write_rate").unwrap();
        assert!((mb_per_s - 0.4096).abs() < 0.001, "{rate} {unit}/s: {mb_per_s}");
        assert_eq!(says(&data, "Some rates are in sectors"), rate == 800.0, "{unit}");
    }
    let data = of("kB", 9000.0);
    let told = why(only(&data));
    let Reason::Contradicts(Contradiction::RequestsTimesSize {
        what, computed_bytes_per_s, ..
    }) = told
    else {
        panic!("{told:?}")
    };
    assert_eq!((what.as_str(), computed_bytes_per_s.0), ("write", 409_600.0));
    assert_eq!(only(&data).metric("flush_iops"), Some(4.0));
    assert!(says(&data, "counts flushes"));
}

/// 500 calls of fsync on a device, of which none had anything to write, as sysstat 12.6.1 prints them.
#[test]
fn flushes_without_a_write_are_not_called_writes() {
    let data = read_fixtures(&["iostat-flushes-alone.txt"]);
    let disk = only(&data);
    assert_eq!(disk.metric("write_iops"), None);
    assert_eq!(disk.metric("write_or_flush_iops"), Some(248.76));
    assert_eq!((disk.metric("flush_iops"), disk.metric("write_rate")), (Some(248.76), Some(0.0)));
    assert!(says(&data, "writes alone cannot be had by subtraction"), "{:?}", data.campaign.notes);
    let json = iostat(&["\"r/s\": 0.00, \"w/s\": 250.50, \"rkB/s\": 0.00, \"wkB/s\": 1002.00"]);
    let written = ["write_iops", "write_or_flush_iops"].map(|name| only(&json).metric(name));
    assert_eq!(written, [None, Some(250.5)]);
}

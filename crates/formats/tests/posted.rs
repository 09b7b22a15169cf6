//! Tests of output that people post: dd, ioping, iozone, dbench, yabs, IO500, iostat's text, fio's logs, elbencho's
//! live CSV, and all formats of hyperfine.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;
use formats::{NamedBytes, import};
use model::result::{Campaign, Contradiction, Dataset, Imported, Reason};

/// A text with one part in the place of another, as the error that it gives.
fn spoilt(name: &str, from: &str, to: &str) -> String {
    let whole = text(name);
    assert!(whole.contains(from), "{name} holds no {from}");
    error(&[file(name, &whole.replacen(from, to, 1))])
}

/// The same, as the reason of the first sample that is not valid.
fn doubted(name: &str, from: &str, to: &str) -> Reason {
    let whole = text(name);
    assert!(whole.contains(from), "{name} holds no {from}");
    let data = import(&[file(name, &whole.replacen(from, to, 1))], None, &options()).unwrap();
    let mut reasons = data.samples.iter().filter_map(|sample| sample.evidence.validity.why());
    reasons.next().unwrap_or_else(|| panic!("{name} with {to} is valid")).clone()
}

#[test]
fn dd_is_bytes_over_seconds() {
    let data = read_fixtures(&["dd.txt"]);
    let copy = sample(&data, "dd.copy-b1048576");
    assert!(near(copy.figures.metrics[0].value, 1_073_741_824.0 / 2.5 / 1e6));
    assert_eq!((copy.case.procs, copy.figures.ops, copy.figures.seconds), (1, 1024, 2.5));
    let command = format!("$ dd if=/dev/zero of=/srv/f bs=1M\n{}", text("dd.txt"));
    assert_eq!(sample(&read(&[file("a.txt", &command)]), "dd.write-b1048576").figures.ops, 1024);
    let command = command.replace("if=/dev/zero of=/srv/f", "if=/srv/f of=/dev/null");
    assert_eq!(sample(&read(&[file("a.txt", &command)]), "dd.read-b1048576").figures.ops, 1024);
    let bsd = "1024+0 records in\n1024+0 records out\n1073741824 bytes transferred in 2.500000 secs \
               (429496730 bytes/sec)\n";
    assert!(near(value(&read(&[file("a.txt", bsd)]), "dd.copy-b1048576"), 429.4967296));
    let busybox = "1+0 records in\n1+0 records out\n1073741824 bytes (1.0GB) copied, 2.500000 seconds, 409.6MB/s\n";
    assert!(near(value(&read(&[file("a.txt", busybox)]), "dd.copy-b1073741824"), 429.4967296));
    let printed = Contradiction::Printed {
        bytes: 1_073_741_824,
        seconds: 2.5.into(),
        rate: "42.9 MB/s".into(),
    };
    assert_eq!(doubted("dd.txt", "429 MB/s", "42.9 MB/s"), printed.into());
    assert!(error(&[file("a.txt", &text("dd.txt")[..38])]).contains("dd's last line"));
    let last = text("dd.txt").lines().last().unwrap().to_owned() + "\n";
    assert!(near(value(&read(&[file("a.txt", &last)]), "dd.copy"), 429.4967296));
    let progress =
        format!("524288000 bytes (524 MB, 500 MiB) copied, 1 s, 524 MB/s\n{}", text("dd.txt"));
    assert_eq!(read(&[file("a.txt", &progress)]).samples.len(), 1);
    let real = read_fixtures(&["dd-9.1.txt"]);
    assert!(near(value(&real, "dd.copy-b1048576"), 67_108_864.0 / 0.96661 / 1e6));
    assert!(near(value(&real, "dd.copy"), 67_108_864.0 / 0.203644 / 1e6));
}

#[test]
fn ioping_is_within_the_requests() {
    let data = read_fixtures(&["ioping.txt"]);
    let read_test = sample(&data, "ioping.read");
    assert_eq!(read_test.figures.metrics[0].value, 2000.0);
    assert_eq!((read_test.figures.ops, read_test.figures.seconds), (2, 0.001));
    for (name, us) in [("min", 400.0), ("mean", 500.0), ("max", 600.0)] {
        assert!(near(read_test.metric(&format!("service_{name}_us")).unwrap(), us), "{name}");
    }
    assert!(near(read_test.metric("read_rate").unwrap(), 7.81 * 1.048576));
    let real = read_fixtures(&["ioping-1.3.txt"]);
    let real = sample(&real, "ioping.read");
    assert_eq!((real.figures.metrics[0].value, real.figures.ops), (99.0, 4));
    let writes = text("ioping.txt").replace("<<<", ">>>").replace("KiB read", "KiB written");
    assert_eq!(sample(&read(&[file("a.txt", &writes)]), "ioping.write").figures.ops, 2);
    let why = doubted("ioping.txt", "/ 500 us", "/ 900 us");
    assert_eq!(why, order(("timed mean", 0.0009), ("timed max", 0.0006)));
    for (from, to, own_s, own_per_s) in
        [("in 1.00 ms", "in 9.00 ms", 0.009, 2000.0), ("2.00 k iops", "9.00 k iops", 0.001, 9000.0)]
    {
        let why = doubted("ioping.txt", from, to);
        let Reason::Contradicts(Contradiction::Rate { ops, seconds, ops_per_s, .. }) = why else {
            panic!("{why:?}")
        };
        assert!(near(seconds.0, own_s) && near(ops_per_s.0, own_per_s) && ops.0 == 2.0);
    }
    every_cut_is_an_error("ioping.txt", "100 us", 110);
}

#[test]
fn iozone_counts_kibibytes() {
    let data = read_fixtures(&["iozone.txt"]);
    let of = |test: &str| value(&data, &format!("iozone.{test}-r4k-s102400k"));
    for (test, rate) in [
        ("write", 10.24),
        ("rewrite", 11.264),
        ("read", 30.72),
        ("reread", 31.744),
        ("random-read", 12.288),
        ("random-write", 9.216),
    ] {
        assert!(near(of(test), rate), "{test}");
    }
    assert_eq!(data.samples.len(), 6);
    let skipped = text("iozone.txt")
        .replace("-i 0 -i 1 -i 2", "-a")
        .replace("    30000    31000", &" ".repeat(18));
    let placed = read(&[file("a.txt", &skipped)]);
    assert!(near(value(&placed, "iozone.random-read-r4k-s102400k"), 12.288));
    assert_eq!(placed.samples.len(), 4);
    let unsure = skipped.replace("    12000", " 12000");
    assert!(error(&[file("a.txt", &unsure)]).contains("neither their columns nor the command"));
    let ops = text("iozone.txt")
        .replace("Output is in kBytes/sec", "Output is in operations per second.");
    assert!(error(&[file("a.txt", &ops)]).contains("figures are in operations per second"));
}

#[test]
fn iozone_of_several_processes_is_what_the_children_saw() {
    let data = read_fixtures(&["iozone-t.txt"]);
    assert_eq!(data.samples.len(), 4);
    let why = invalid(&data, "iozone.write-r64k-s512k");
    assert_eq!(*why, Imported::IozoneIdleProcess {}.into());
    let long = text("iozone-t.txt").replace("=       0.00 kB/sec", "= 1600000.00 kB/sec");
    let data = read(&[file("a.txt", &long)]);
    let write = sample(&data, "iozone.write-r64k-s512k");
    assert!(near(write.figures.metrics[0].value, 3_279_573.75 * 1.024e-3));
    assert_eq!(write.case.procs, 2);
}

#[test]
fn dbench_counts_millions_of_bytes_of_all_clients() {
    let data = read_fixtures(&["dbench-4.00.txt"]);
    let load = sample(&data, "dbench.load");
    assert_eq!((load.figures.metrics[0].value, load.case.procs), (56.3213, 2));
    assert_eq!(load.metric("service_max_us"), Some(265_724.0));
    assert_eq!(load.metric("writex_service_mean_us"), Some(87.0));
    assert_eq!(data.campaign.environment.0["tool.dbench"], "4.00");
    let whole = text("dbench-4.00.txt");
    let cut = &whole[..whole.find("Throughput").unwrap()];
    assert!(error(&[file("a.txt", cut)]).contains("`Throughput` is missing"));
    assert!(error(&[file("a.txt", whole.trim_end().trim_end_matches("724 ms"))]).contains("cut"));
}

/// dbench 4.00 with `-t 1`: 1154 writes were timed, and no throughput was.
#[test]
fn dbench_of_one_second_has_latencies_and_no_throughput() {
    let data = read_fixtures(&["dbench-4.00-t1.txt"]);
    assert_eq!(*invalid(&data, "dbench.load"), Imported::PrintedAsZero {}.into());
    let load = sample(&data, "dbench.load");
    assert_eq!((load.metric("rate"), load.metric("service_max_us")), (None, Some(108_142.0)));
    assert_eq!(load.metric("writex_service_mean_us"), Some(240.0));
    assert!(says(&data, "ended before its first full second"));
}

#[test]
fn megabyte_of_yabs_follows_from_its_operations() {
    let data = read_fixtures(&["yabs.txt"]);
    assert_eq!(data.samples.len(), 4);
    let small = sample(&data, "yabs.randrw-4k");
    assert_eq!(
        (small.figures.metrics[0].value, small.metric("read_iops")),
        (50_600.0, Some(25_000.0))
    );
    assert!(near(small.metric("read_rate").unwrap(), 102.4));
    assert!(near(small.metric("write_rate").unwrap(), 104.8576));
    let since = text("yabs.txt")
        .replace("100.00 MB/s", "102.40 MB/s")
        .replace("| 102.40 MB/s  (25.6k)", "| 104.85 MB/s  (25.6k)");
    let data = read(&[file("a.txt", &since)]);
    let small = sample(&data, "yabs.randrw-4k");
    assert!(near(small.metric("read_rate").unwrap(), 102.4));
    let untold = text("yabs.txt").replace("100.00 MB/s", "150.00 MB/s");
    assert_eq!(
        sample(&read(&[file("a.txt", &untold)]), "yabs.randrw-4k").metric("read_rate"),
        None
    );
    let why = doubted("yabs.txt", "(50.6k)", "(90.6k)");
    assert!(matches!(why, Reason::Contradicts(Contradiction::Total { .. })), "{why:?}");
    let whole = text("yabs.txt");
    let cut = &whole[..whole.rfind("Total").unwrap()];
    assert!(error(&[file("a.txt", cut)]).contains("no line `Total`"));
}

#[test]
fn io500_gives_its_phases_and_what_it_marked_is_invalid() {
    let data = read_fixtures(&["io500.txt"]);
    assert_eq!(data.samples.len(), 12);
    assert!(near(value(&data, "io500.ior-easy-write"), 2.5 * 1073.741824));
    assert_eq!(sample(&data, "io500.ior-easy-write").figures.seconds, 300.123);
    assert_eq!(value(&data, "io500.find"), 250_000.0);
    assert_eq!(*invalid(&data, "io500.ior-hard-read"), Imported::Io500MarkedInvalid {}.into());
    assert!(data.targets[0].facts.0["io500.score"].contains("TOTAL"));
    let why = spoilt("io500.txt", "2.500000 GiB/s", "4.500000 GiB/s");
    assert!(why.contains("contradicts the phases above"), "{why}");
    assert!(spoilt("io500.txt", " GiB/s : time 300.123 seconds", " Gi").contains("is truncated"));
}

#[test]
fn text_of_iostat_gives_reports_and_the_first_is_since_boot() {
    let data = read_fixtures(&["iostat-x.txt"]);
    let disk: Vec<_> = data.samples.iter().filter(|s| s.case.test == "iostat.vda").collect();
    assert_eq!(disk.len(), 2);
    let first =
        |data: &Dataset| data.samples.iter().find(|s| s.case.test == "iostat.vda").unwrap().clone();
    assert_eq!(*why(disk[0]), Imported::FirstReportSinceBoot {}.into());
    assert_eq!(disk[1].figures.metrics[0].value, 495.05);
    assert!(near(disk[1].metric("read_rate").unwrap(), 81437.62 * 1.024e-3));
    assert_eq!(disk[1].metric("util"), Some(15.84));
    let idle = data.samples.iter().rfind(|s| s.case.test == "iostat.loop1").unwrap();
    assert_eq!(*why(idle), Imported::DeviceIdle {}.into());
    let without = format!("$ iostat -xy 1 2\n{}", text("iostat-x.txt"));
    let data = read(&[file("a.txt", &without)]);
    assert!(first(&data).evidence.validity.is_valid());
    let part = text("iostat-x.txt").lines().skip(1).collect::<Vec<_>>().join("\n");
    let data = read(&[file("a.txt", &part)]);
    assert!(first(&data).evidence.validity.is_valid());
    let comma = text("iostat-x.txt").replace("495.05", "495,05");
    let data = read(&[file("a.txt", &comma)]);
    assert!(data.samples.iter().any(|s| s.metric("iops") == Some(495.05)));
    let sectors = "$ iostat -xy\nDevice: rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util\n\
                   sda 0.00 1.00 10.00 5.00 2000.00 1000.00 200.00 0.10 2.50 1.00 15.00\n";
    let data = read(&[file("a.txt", sectors)]);
    assert_eq!(sample(&data, "iostat.sda").metric("read_rate"), Some(1.024));
    assert!(spoilt("iostat-x.txt", "15.84", "").contains("the text may be truncated"));
}

#[test]
fn the_first_report_of_text_is_read_where_its_rates_are_whole_counts() {
    let of = |rates: &str| {
        format!(
            "Linux 5.14.0 (host) \t11/27/26 \t_x86_64_\t(2 CPU)\n\nDevice r/s rkB/s w/s wkB/s f/s %util\n\
             sda {rates} 2.00 30.00\n\n"
        )
    };
    let since_boot = of("74.37 1234.56 98.37 791.23");
    let interval = of("74.00 1184.00 98.00 784.00");
    let data = read(&[file("a.txt", &interval)]);
    let disk = sample(&data, "iostat.sda");
    assert_eq!((disk.figures.metrics[0].value, disk.metric("flush_iops")), (172.0, Some(2.0)));
    let data = read(&[file("a.txt", &since_boot)]);
    assert_eq!(*invalid(&data, "iostat.sda"), Imported::FirstReportSinceBoot {}.into());
    // Each output has a first report.
    let both = interval.clone() + &since_boot;
    let data = read(&[file("a.txt", &both)]);
    let valid: Vec<bool> = data.samples.iter().map(|s| s.evidence.validity.is_valid()).collect();
    assert_eq!(valid, [true, false]);
    assert_eq!(read(&[file("a.txt", &interval.repeat(2))]).samples.len(), 1);
}

#[test]
fn run_of_every_new_tool_that_occurs_twice_is_one() {
    for name in [
        "dd.txt",
        "ioping.txt",
        "iozone.txt",
        "dbench-4.00.txt",
        "yabs.txt",
        "io500.txt",
        "iostat-x.txt",
        "sysbench-0.4.txt",
    ] {
        let once = import(&[fixture(name)], None, &options()).unwrap();
        let twice = import(&[file(name, &text(name).repeat(2))], None, &options()).unwrap();
        assert_eq!(twice.samples, once.samples, "{name}");
        let told = twice
            .campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("more than once")));
        assert!(told, "{name}: {:?}", twice.campaign.notes);
    }
}

#[test]
fn repeats_of_new_tools_are_blocks_of_named_targets() {
    let of = |server: &str, run: u32, seconds: &str| {
        let text = text("dd.txt").replace(" 2.5 s, 429 MB/s", seconds);
        file(&format!("{server}-{run}.txt"), &text)
    };
    let files = [
        of("a", 1, " 2.5 s, 429 MB/s"),
        of("a", 2, " 2.6 s, 413 MB/s"),
        of("b", 1, " 5.0 s, 215 MB/s"),
        of("b", 2, " 5.1 s, 211 MB/s"),
    ];
    let targets = files.iter().map(|(name, _)| (name.clone(), name[..1].to_owned())).collect();
    let data = import(&files, None, &formats::ImportOptions { targets, ..options() }).unwrap();
    check(&data);
    assert_eq!(labels(&data), ["a", "b"]);
    let blocks: Vec<u32> = data.samples.iter().map(|sample| sample.block).collect();
    assert_eq!(blocks, [0, 0, 1, 1]);
}

#[test]
fn logs_of_workers_may_be_equal_and_of_two_targets_are_two() {
    let rows = "1000, 500, 1, 0, 0\n2000, 500, 1, 0, 0\n";
    let files = [file("j_iops.1.log", rows), file("j_iops.2.log", rows)];
    assert_eq!(value(&read(&files), "fio-log.j-iops-write"), 1000.0);
    let target = Some("x".to_owned());
    let one = import(&files, None, &formats::ImportOptions { target, ..options() }).unwrap();
    assert_eq!((one.samples.len(), one.samples[0].figures.metrics[0].value), (1, 1000.0));
    let each =
        files.iter().zip(["a", "b"]).map(|((name, _), target)| (name.clone(), target.into()));
    let options = formats::ImportOptions { targets: each.collect(), ..options() };
    let two = import(&files, None, &options).unwrap();
    assert_eq!(labels(&two), ["a", "b"]);
    assert!(two.samples.iter().all(|sample| sample.figures.metrics[0].value == 500.0));
}

#[test]
fn logs_of_fio_are_means_over_their_time_with_their_series() {
    let data = read_fixtures(&["randrw_bw.1.log"]);
    let log = text("randrw_bw.1.log");
    let (mut before, mut sum) = (0.0, 0.0);
    let reads = log.lines().filter(|line| line.split(", ").nth(2) == Some("0"));
    for row in reads {
        let cells: Vec<f64> = row.split(", ").map(|cell| cell.parse().unwrap()).collect();
        sum += cells[1] * 1.024e-3 * (cells[0] - before);
        before = cells[0];
    }
    let bandwidth = sample(&data, "fio-log.randrw-bw-read");
    assert!(near(bandwidth.figures.metrics[0].value, sum / before));
    assert_eq!(bandwidth.figures.metrics[0].name, "rate");
    assert!(bandwidth.figures.series.as_ref().unwrap().columns.contains_key("read_bytes"));
    let two = [fixture("randrw_bw.1.log"), file("randrw_bw.2.log", &log)];
    let both = read(&two);
    let both = sample(&both, "fio-log.randrw-bw-read");
    assert!(near(both.figures.metrics[0].value, 2.0 * sum / before));
    assert_eq!((both.case.procs, both.figures.series.is_none()), (2, true));
    let iops = read(&[file("j_iops.1.log", "1000, 500, 1, 0, 0\n2000, 700, 1, 0, 0\n")]);
    assert_eq!(value(&iops, "fio-log.j-iops-write"), 600.0);
}

#[test]
fn latencies_of_logs_are_nanoseconds_if_declared() {
    let single = read_fixtures(&["raw_clat.1.log"]);
    let single = sample(&single, "fio-log.raw-clat-read");
    let log = text("raw_clat.1.log");
    let all: Vec<f64> =
        log.lines().map(|row| row.split(", ").nth(1).unwrap().parse().unwrap()).collect();
    assert!(near(
        single.figures.metrics[0].value,
        all.iter().sum::<f64>() / all.len() as f64 / 1e3
    ));
    assert_eq!((single.figures.ops, single.figures.histograms[0].count()), (16, 16));
    let mean = read_fixtures(&["randrw_clat.1.log"]);
    assert_eq!(
        sample(&mean, "fio-log.randrw-clat-write").figures.metrics[0].name,
        "service_interval_mean_us"
    );
    let old = file("j_lat.1.log", "1, 500, 0, 4096\n2, 400, 0, 4096\n");
    assert!(error(&[old]).contains("microseconds (fio 2)"));
    let each = "100, 500, 0, 4096, 0\n200, 400, 0, 8192, 0\n";
    let data = read(&[file("j_bw.1.log", each), file("j_iops.1.log", each)]);
    assert!(near(value(&data, "fio-log.j-bw-read"), 12_288.0 / 0.2 / 1e6));
    assert!(near(value(&data, "fio-log.j-iops-read"), 10.0));
    let cut = file("j_bw.1.log", "1000, 500, 0, 0, 0\n2000, 4");
    assert!(error(&[cut]).starts_with("j_bw.1.log, line 2: is not a row"));
    let unnamed = file("out.txt", "1000, 500, 0, 0, 0\n2000, 400, 0, 0, 0\n");
    assert!(error(&[unnamed]).contains("name it JOB_bw.1.log"));
    let back = file("j_bw.1.log", "1000, 500, 0, 0, 0\n900, 4, 0, 0, 0\n");
    assert!(error(&[back]).contains("is earlier than"));
}

#[test]
fn a_live_csv_is_a_series() {
    let data = read_fixtures(&["elbencho-live.csv"]);
    let phase = sample(&data, "elbencho.read");
    assert!(near(phase.figures.metrics[0].value, 104.8576));
    assert_eq!((phase.metric("iops"), phase.figures.seconds), (Some(25_600.0), 2.0));
    assert_eq!(phase.metric("service_mean_us"), Some(305.0));
    let series = phase.figures.series.as_ref().unwrap();
    assert_eq!(series.end_ms, [1000, 2000]);
    assert_eq!(series.columns["bytes"], [104_857_600; 2]);
    assert_eq!(series.columns["ops"], [25_600; 2]);
    let each = text("elbencho-live.csv").replace(",Total,", ",0,");
    let both = format!("{}{}", text("elbencho-live.csv"), each.split_once('\n').unwrap().1);
    assert_eq!(read(&[file("elbencho-live.csv", &both)]).samples, data.samples);
    assert!(
        spoilt("elbencho-live.csv", "209715200", "9715200").contains("less than in the row above")
    );
}

#[test]
fn hyperfine_in_each_of_its_ways() {
    let data = read_fixtures(&["hyperfine.csv"]);
    let cp = sample(&data, "hyperfine.cp-r-a-b");
    assert_eq!(
        (cp.figures.metrics[0].value, cp.metric("user_s"), cp.metric("sys_s")),
        (2.5, Some(0.2), Some(1.1))
    );
    assert_eq!((cp.metric("wall_min_s"), cp.metric("wall_max_s")), (Some(2.4), Some(2.7)));
    assert!(
        data.campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("no individual runs")))
    );
    let why = doubted("hyperfine.csv", ",2.4,", ",2.6,");
    assert_eq!(why, order(("wall_s min", 2.6), ("wall_s mean", 2.5)));
    let second = "command,time_wall_clock_unit,time_wall_clock_mean,time_wall_clock_stddev,\
                  time_wall_clock_median,time_wall_clock_min,time_wall_clock_max\n\
                  cp -r a b,ms,2500,100,2500,2400,2700\n";
    assert_eq!(value(&read(&[file("a.csv", second)]), "hyperfine.cp-r-a-b"), 2.5);
    let data = import(&[fixture("hyperfine-2.json")], None, &options()).unwrap();
    let runs: Vec<_> = data.samples.iter().collect();
    assert_eq!(runs.len(), 2);
    assert_eq!((runs[0].figures.metrics[0].value, runs[0].metric("user_s")), (2.4, Some(0.2)));
    assert_eq!(runs[0].metric("peak_memory"), Some(1.048576));
    assert_eq!(*files::why(runs[1]), Imported::CommandFailed { exit_code: 1 }.into());
    assert!(
        spoilt("hyperfine-2.json", "\"unit\": \"second\"", "\"unit\": \"minute\"")
            .contains("`minute`")
    );
}

#[test]
fn sysbench_before_1_0_counts_in_all() {
    for name in ["sysbench-0.4.txt", "sysbench-0.5.txt"] {
        let data = read_fixtures(&[name]);
        tests_are_of(&data, "sysbench");
        let mixed = sample(&data, "sysbench.rndrw");
        assert_eq!(
            (mixed.figures.metrics[0].value, mixed.figures.seconds, mixed.figures.ops),
            (500.0, 20.0, 10_000)
        );
        assert_eq!(
            (mixed.metric("read_iops"), mixed.metric("write_iops")),
            (Some(300.0), Some(200.0))
        );
        assert!(near(mixed.metric("read_rate").unwrap(), 93.75 * 1.048576 / 20.0));
        assert!(near(mixed.metric("write_rate").unwrap(), 62.5 * 1.048576 / 20.0));
        for (which, us) in [("min", 20.0), ("mean", 500.0), ("max", 40_000.0), ("p95", 2000.0)] {
            assert!(near(mixed.metric(&format!("service_{which}_us")).unwrap(), us), "{which}");
        }
        let rate = Contradiction::Rate {
            what: "file".into(),
            ops: 10_000.0.into(),
            seconds: 20.0.into(),
            ops_per_s: 900.0.into(),
        };
        assert_eq!(doubted(name, "500.00 Requests", "900.00 Requests"), rate.into());
        // fsyncs are no events of these versions, however many there are.
        let others = text(name).replace("800 Other = 10800", "12800 Other = 22800");
        let data = read(&[file(name, &others)]);
        assert_eq!(sample(&data, "sysbench.rndrw").figures.metrics[0].value, 500.0);
        let size = ["16Kb", "16KB"].into_iter().find(|size| text(name).contains(size)).unwrap();
        let why = doubted(name, size, &size.replace("16", "4"));
        assert!(matches!(why, Reason::Contradicts(Contradiction::Size { .. })), "{why:?}");
        assert!(spoilt(name, "= 10800 Total", "= 9800 Total").contains("not a count of sysbench"));
    }
}

#[test]
fn figures_of_every_new_tool_survive_copying() {
    for name in [
        "dd.txt",
        "ioping.txt",
        "iozone.txt",
        "dbench-4.00.txt",
        "yabs.txt",
        "io500.txt",
        "iostat-x.txt",
    ] {
        let plain = import(&[fixture(name)], None, &options()).unwrap();
        let quoted: String = text(name).lines().map(|line| format!("> {line}\n")).collect();
        let got = import(&[file(name, &quoted)], None, &options()).unwrap();
        assert_eq!(got.samples, plain.samples, "{name}");
    }
}

#[test]
fn many_files_with_long_names_are_one_campaign() {
    for (output, start) in [
        ("fio-randrw7030-8jobs-json+.json", "21 03:09:15"),
        ("fio-randrw7030-8jobs.txt", "21 03:"),
        ("mdtest-ext4.txt", "11/21/2026"),
        ("sysbench-fileio-rndrw.txt", "from current time"),
    ] {
        let run = |number: u32| {
            let name =
                format!("results/node-{number:03}-of-the-storage-cluster/{number:03}-{output}");
            let text = text(output);
            assert!(text.contains(start), "{output}");
            file(&name, &text.replacen(start, &format!("{start}{number}"), 1))
        };
        let files: Vec<NamedBytes> = (0..60).map(run).collect();
        let data = import(&files, None, &options()).unwrap_or_else(|why| panic!("{output}: {why}"));
        check(&data);
        assert_eq!(data.targets.len(), 60, "{output}");
        let Campaign { id, title, .. } = &data.campaign;
        assert!(id.len() <= 120, "{output}: {id}");
        assert!(title.contains(" and 48 more"), "{output}: {title}");
    }
}

//! Tests of outputs that options of a tool change: more percentiles, synced files, commands above the figures.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;

/// fio 3.33, `cmdprio_percentage=30`: percentiles of each priority follow those of all.
#[test]
fn percentiles_of_a_priority_are_not_those_of_all() {
    let data = read_fixtures(&["fio-3.33-prio.txt"]);
    let job = only(&data);
    for (name, us) in [("p50", 143.0), ("p95", 1582.0), ("p99", 6652.0), ("p999", 11_994.0)] {
        assert_eq!(job.metric(&format!("service_{name}_us")), Some(us), "{name}");
    }
    assert!(near(job.metric("service_mean_us").unwrap(), 392.73436));
    assert!(near(job.metric("iops").unwrap(), 39_934.0 / 2.004));
}

/// dbench 4.00 with `-s -t 3`: a write of the last second took 63.796 ms, and max_latency is 34.491 ms.
#[test]
fn the_longest_time_of_dbench_is_of_the_last_second_too() {
    let data = read_fixtures(&["dbench-4.00-s.txt"]);
    let load = only(&data);
    assert!(near(load.metric("service_max_us").unwrap(), 63_796.0));
    assert!(near(load.metric("writex_service_max_us").unwrap(), 63_796.0));
    assert!(says(&data, "leaves its last second out of max_latency"));
    assert!(!says(&read_fixtures(&["dbench-4.00.txt"]), "leaves its last second out"));
}

#[test]
fn dbench_with_synced_files_is_other_work() {
    let synced = text("dbench-4.00-s.txt");
    let plain = synced.replace(" (sync open)", "").replace("99.8869", "280.412");
    let told = error(&[file("a.txt", &(synced.clone() + &plain))]);
    assert!(told.contains("a.txt, line 60: `dbench.load` did different work"), "{told}");
    let repeat = synced.replace("99.8869", "99.1");
    assert_eq!(read(&[file("a.txt", &(synced + &repeat))]).samples.len(), 2);
}

#[test]
fn iozone_with_other_options_is_other_work() {
    let whole = text("iozone.txt");
    let line = whole.lines().find(|line| line.contains("Command line used")).unwrap();
    let other = whole.replace(line, &line.replace(" -I", ""));
    let told = error(&[file("a.txt", &(whole.clone() + &other))]);
    assert!(told.contains("did different work"), "{told}");
    let repeat = whole.replace(line, &format!("{line} -b out.xls"));
    assert!(!read(&[file("a.txt", &(whole + &repeat))]).samples.is_empty());
}

#[test]
fn ioping_with_other_options_is_other_work() {
    let plain = text("ioping-1.3.txt");
    let with =
        |command: &str, iops: &str| format!("$ {command}\n{}", plain.replace("99 iops", iops));
    let both = with("ioping -c 5 .", "99 iops") + &with("ioping -D -c 5 .", "98 iops");
    let told = error(&[file("a.txt", &both)]);
    assert!(told.contains("did different work") && told.contains("direct"), "{told}");
    let repeats = with("ioping -c 5 .", "99 iops") + &with("ioping -q -c 5 .", "98 iops");
    assert_eq!(read(&[file("a.txt", &repeats)]).samples.len(), 2);
}

#[test]
fn sysbench_on_other_numbers_of_files_is_other_work() {
    let whole = text("sysbench-fileio-rndrd.txt");
    let files = whole.lines().find(|line| line.contains(" files, ")).unwrap();
    let other = whole.replace(files, "2 files, 1MiB each");
    let told = error(&[file("a.txt", &(whole + &other))]);
    assert!(told.contains("did different work"), "{told}");
}

/// hyperfine 1.15 with `--style basic`: two commands, and one run.
#[test]
fn what_hyperfine_prints_gives_its_means() {
    let data = read_fixtures(&["hyperfine-1.15.txt"]);
    let first = sample(&data, "hyperfine.sleep-0-02");
    let figures = ["wall_s", "user_s", "sys_s", "wall_min_s", "wall_max_s"];
    for (name, s) in figures.into_iter().zip([0.0299, 0.0015, 0.0003, 0.0269, 0.037]) {
        assert!(near(first.metric(name).unwrap(), s), "{name}");
    }
    assert!(near(value(&data, "hyperfine.sleep-0-03"), 0.0469));
    assert!(says(&data, "has no individual runs, and three or four digits"));
    let one = read_fixtures(&["hyperfine-1.15-one.txt"]);
    assert!(near(value(&one, "hyperfine.sleep-0-02"), 0.0189));
    let failed = text("hyperfine-1.15-one.txt") + "  Warning: Ignoring non-zero exit code.\n \n";
    assert!(!only(&read(&[file("a.txt", &failed)])).evidence.validity.is_valid());
    let progress =
        text("hyperfine-1.15.txt").replace("  Time", " Current estimate: 9.7 ms\r  Time");
    assert_eq!(read(&[file("hyperfine-1.15.txt", &progress)]).samples, data.samples);
    // Early releases: another title, and no number of runs.
    let early =
        text("hyperfine-1.15.txt").replace("Benchmark ", "Benchmark #").replace("    4 runs", "");
    assert_eq!(
        read(&[file("a.txt", &early)]).samples,
        read(&[file("a.txt", &text("hyperfine-1.15.txt"))]).samples
    );
    let cut = text("hyperfine-1.15.txt").replacen("  Range (min", "  Rang", 1);
    assert!(
        error(&[file("a.txt", &cut)]).contains("a.txt, line 1: the command has no line `Time`")
    );
}

/// mdtest 4 with `-X` and IOR with `-R` on data that was changed in between.
#[test]
fn runs_that_read_other_data_than_was_written_are_no_measurement() {
    let whole = text("mdtest-ext4.txt");
    let wrong =
        "ERROR: verifying the data on read (3 errors)! Take the performance values with care!\n";
    let text_of = whole.replace("-- finished", &format!("{wrong}-- finished"));
    let data = read(&[file("a.txt", &text_of)]);
    assert!(data.samples.iter().all(|sample| !sample.evidence.validity.is_valid()));
    let whole = text("ior-default.txt");
    let wrong = "WARNING: Incorrect data on read (16 errors found).\n";
    let row = whole.lines().find(|line| line.starts_with("read ")).unwrap();
    let text_of = whole.replace(row, &format!("{wrong}{row}"));
    let data = read(&[file("a.txt", &text_of)]);
    assert!(data.samples.iter().all(|sample| !sample.evidence.validity.is_valid()));
}

//! Tests that imports report what was measured: a run is not a repeat of itself, jobs with different work are different
//! tests, and contradictory figures are not measurements.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::{file, fixture, labels, near, only, options, order, read_fixtures, says, text, why};
use formats::NamedBytes;
use model::result::{Contradiction, Counted, Dataset, Imported, Note, Reason};
use serde_json::{Value, json};

const SYNC_ZERO: &str = include_str!("fixtures/fio-3.12-sync-zero.json");

fn read(files: &[NamedBytes]) -> Dataset {
    formats::import(files, None, &options()).unwrap()
}

/// A direction of a job as fio prints it: operations of 4 KiB in a time.
fn flow(ops: u64, runtime_ms: u64) -> Value {
    let clat = json!({"min": 1000, "max": 900_000, "mean": 90_000.0, "N": ops, "percentile":
        {"50.000000": 80_000, "99.000000": 300_000}});
    json!({"io_bytes": ops * 4096, "io_kbytes": ops * 4, "total_ios": ops, "runtime": runtime_ms,
        "iops": ops as f64 * 1000.0 / runtime_ms as f64, "clat_ns": clat})
}

/// A document of fio with one job.
fn document(options: Value, global: Value, flows: &[(&str, Value)]) -> Value {
    let mut job = json!({"jobname": "j", "groupid": 0, "error": 0, "job options": options});
    flows.iter().for_each(|(name, flow)| job[*name] = flow.clone());
    json!({"fio version": "fio-3.33", "timestamp": 1_700_000_000, "timestamp_ms":
        1_700_000_000_000_u64, "global options": global, "jobs": [job]})
}

fn reads(options: Value) -> Value {
    document(options, json!({}), &[("read", flow(10_000, 10_000))])
}

fn fio(documents: &[Value]) -> Dataset {
    let texts: Vec<String> =
        documents.iter().map(|d| serde_json::to_string_pretty(d).unwrap()).collect();
    read(&[file("xfs.json", &texts.join("\n"))])
}

#[test]
fn the_same_document_twice_is_one_run() {
    let data = read(&[file("xfs.json", &format!("{SYNC_ZERO}{SYNC_ZERO}"))]);
    only(&data);
    assert!(says(&data, "it was counted once"));
    let other = SYNC_ZERO.replace("1600000000", "1600000100");
    let data = read(&[file("xfs.json", &format!("{SYNC_ZERO}{other}{SYNC_ZERO}"))]);
    assert_eq!(data.samples.len(), 2);
}

#[test]
fn copies_of_a_file_are_one_run_of_every_tool() {
    let named = formats::ImportOptions { target: Some("xfs".into()), ..options() };
    for name in [
        "fio-3.12-sync-zero.json",
        "fio-randrw7030-8jobs.txt",
        "fio-randrw7030-8jobs.terse",
        "mdtest-xfs.txt",
        "ior-default.txt",
        "sysbench-fileio-rndrd.txt",
        "elbencho.csv",
        "bonnie.csv",
        "hyperfine.json",
        "iostat-x.json",
    ] {
        let (_, bytes) = fixture(name);
        let once = formats::import(&[("a".into(), bytes.clone())], None, &named).unwrap();
        let files = [("a".into(), bytes.clone()), ("b".into(), bytes)];
        let twice = formats::import(&files, None, &named).unwrap();
        assert_eq!(once.samples, twice.samples, "{name}");
        assert!(says(&twice, "it was counted once"), "{name}");
    }
}

#[test]
fn a_run_that_was_appended_twice_is_one_run() {
    for name in [
        "fio-randrw7030-8jobs.txt",
        "fio-randrw7030-8jobs.terse",
        "mdtest-xfs.txt",
        "ior-default.txt",
        "bonnie.csv",
        "elbencho.csv",
        "sysbench-fileio-rndrd.txt",
    ] {
        let (once, twice) = (text(name), text(name) + "\n" + &text(name));
        let (once, twice) = (read(&[file("a", &once)]), read(&[file("a", &twice)]));
        assert_eq!(once.samples, twice.samples, "{name}");
        assert!(says(&twice, "it was counted once"), "{name}");
    }
}

#[test]
fn one_run_under_two_targets_is_reported() {
    let data =
        read(&[("ext4.json".into(), SYNC_ZERO.into()), ("xfs.json".into(), SYNC_ZERO.into())]);
    assert_eq!(data.samples.len(), 2);
    assert!(says(&data, "is given for two targets"));
}

#[test]
fn outputs_of_a_status_interval_are_one_run() {
    let at = |ms: u64, runtime_ms: u64, ops: u64| {
        let mut document = reads(json!({"rw": "randread", "runtime": "3"}));
        document["jobs"][0]["read"] = flow(ops, runtime_ms);
        document["timestamp"] = json!((1_795_782_529_605 + ms) / 1000);
        document["timestamp_ms"] = json!(1_795_782_529_605 + ms);
        document
    };
    let parts =
        [at(0, 821, 1452), at(1000, 1821, 5915), at(2000, 2821, 9854), at(2234, 3004, 9900)];
    let data = fio(&parts);
    assert_eq!(only(&data).figures.ops, 9900);
    assert!(says(&data, "the last output"));
    // The next run has an end of its own.
    let next = [at(10_000, 821, 1000), at(11_000, 1821, 4000), at(12_200, 3005, 8000)];
    let data = fio(&[&parts[..], &next].concat());
    let ops: Vec<u64> = data.samples.iter().map(|sample| sample.figures.ops).collect();
    assert_eq!(ops, [9900, 8000]);
    // Runs after one another are not parts of one, however short.
    let data = fio(&[at(0, 3000, 9000), at(3100, 3002, 9100), at(6300, 3001, 9200)]);
    assert_eq!(data.samples.len(), 3);
}

#[test]
fn text_of_a_status_interval_is_one_run() {
    let part = |pid: u32, ops: u32, ms: u32| {
        format!(
            "s: (groupid=0, jobs=1): err= 0: pid={pid}: Fri Nov 27 12:28:53 2026\n  \
             read: IOPS={}, BW=891KiB/s (912kB/s)({}KiB/{ms}msec)\n    \
             issued rwts: total={ops},0,0,0 short=0,0,0,0 dropped=0,0,0,0\n\n\
             Run status group 0 (all jobs):\n",
            u64::from(ops) * 1000 / u64::from(ms),
            ops * 4
        )
    };
    let setup = "s: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, \
                 ioengine=psync, iodepth=1\n";
    let run = |pid| [part(pid, 196, 880), part(pid, 842, 1881), part(pid, 1497, 3003)].concat();
    let data = read(&[file("xfs.txt", &format!("{setup}{}", run(10_481)))]);
    assert_eq!(only(&data).figures.ops, 1497);
    assert!(says(&data, "the last output"));
    let data = read(&[file("xfs.txt", &format!("{setup}{}{setup}{}", run(10_481), run(10_500)))]);
    assert_eq!(data.samples.len(), 2);
}

#[test]
fn terse_lines_of_a_status_interval_are_one_run() {
    let whole = text("fio-randrw7030-8jobs.terse");
    let early = whole
        .replace(";413976;82745;20686;5003;", ";313976;78494;19623;4003;")
        .replace(";177192;35417;8854;5003;", ";137192;34281;8568;4003;")
        .replace(";loop4;100921;", ";loop4;90921;");
    assert_ne!(whole, early);
    let data = read(&[file("xfs.terse", &format!("{early}{whole}"))]);
    let alone = read(&[file("xfs.terse", &whole)]);
    assert_eq!(only(&data), only(&alone));
}

#[test]
fn clients_of_one_run_are_one_sample() {
    let data = read_fixtures(&["fio-client-server.txt"]);
    let sample = only(&data);
    assert_eq!(sample.case.procs, 4);
    assert!(near(sample.metric("iops").unwrap(), 30_000.0), "{sample:?}");
    assert!(near(sample.metric("read_rate").unwrap(), 122.88), "{sample:?}");
    // A second run of the same clients is another.
    let again = text("fio-client-server.txt").replace("pid=", "pid=7");
    let both = text("fio-client-server.txt") + &again;
    assert_eq!(read(&[file("a.txt", &both)]).samples.len(), 2);
}

#[test]
fn the_sum_of_both_directions_is_not_a_third() {
    for name in ["fio-unified-both.json", "fio-unified-both.txt"] {
        let data = read_fixtures(&[name]);
        let sample = only(&data);
        let of = |metric: &str| sample.metric(metric);
        assert_eq!(
            (of("iops"), of("read_iops"), of("write_iops")),
            (Some(4000.0), Some(3000.0), Some(1000.0))
        );
        assert_eq!((of("mixed_iops"), of("mixed_rate")), (None, None), "{name}");
        assert_eq!((sample.figures.ops, sample.figures.bytes), (40_000, 163_840_000), "{name}");
    }
    let data = read_fixtures(&["fio-3.33-unified-both.terse"]);
    let sample = only(&data);
    let of = |metric: &str| sample.metric(metric).unwrap();
    assert_eq!(of("iops"), of("read_iops") + of("write_iops"));
    // Later releases print the sum in text, too.
    let later = text("fio-unified-both.txt").replace(
        "mixed: IOPS=0, BW=0 (0)(0B/",
        "mixed: IOPS=4000, BW=15.6MiB/s (16.4MB/s)(156MiB/",
    );
    assert_eq!(only(&read(&[file("a.txt", &later)])).metric("iops"), Some(4000.0));
}

#[test]
fn reads_of_verification_are_no_part_of_a_write_test() {
    let flows = [("read", flow(1024, 500)), ("write", flow(1024, 1500))];
    let told = |options| fio(&[document(options, json!({}), &flows)]);
    let data = told(json!({"rw": "write", "bs": "4k", "verify": "crc32c"}));
    let sample = only(&data);
    assert_eq!((sample.figures.ops, sample.metric("read_iops")), (1024, None));
    assert!(sample.evidence.validity.is_valid() && says(&data, "reads everything back"));
    // In a mix they cannot be told from the others.
    let data = told(json!({"rw": "randrw", "bs": "4k", "verify": "crc32c"}));
    assert_eq!(*why(only(&data)), Imported::FioVerifiedMix {}.into());
    // Nothing else makes a job that writes read.
    let data = told(json!({"rw": "write", "bs": "4k"}));
    let (mode, counted) = ("write".into(), Counted::ReadsToo);
    assert_eq!(*why(only(&data)), Contradiction::Direction { mode, counted }.into());
    let text = text("fio-unified-both.txt").replace("rw=randrw", "rw=randwrite");
    let data = read(&[file("a.txt", &text)]);
    assert_eq!(only(&data).metric("iops"), Some(1000.0));
}

#[test]
fn a_record_of_several_jobs_is_of_none() {
    // As fio 3.33 prints a job file of a sequential writer and a random reader.
    let flows = [("read", flow(2541, 1003)), ("write", flow(5408, 1002))];
    let global = json!({"size": "8m", "runtime": "1", "group_reporting": "1"});
    let group = |options: Value, global: &Value, flows: &[(&str, Value)], job_runtime: u64| {
        let mut document = document(options, global.clone(), flows);
        document["jobs"][0]["job_runtime"] = json!(job_runtime);
        fio(&[document])
    };
    let data = group(json!({"rw": "randread", "bs": "4k"}), &global, &flows, 2003);
    assert_eq!(*why(only(&data)), Imported::FioMergedJobs {}.into());
    // A sequential reader before it.
    let data = group(json!({"rw": "randread", "bs": "4k"}), &global, &flows[..1], 2003);
    assert_eq!(*why(only(&data)), Imported::FioMergedJobs {}.into());
    assert_ne!(data.tests[0].testtype, "random read");
    // Its own processes.
    let own = json!({"rw": "randread", "bs": "4k", "numjobs": "2"});
    let data = group(own, &global, &flows[..1], 2003);
    assert!(only(&data).evidence.validity.is_valid());
    assert_eq!(data.tests[0].testtype, "random read");
    // All that is done is in what the jobs share.
    let shared = json!({"rw": "randread", "bs": "4k", "group_reporting": "1"});
    let data = group(json!({"filename": "/dev/sdb"}), &shared, &flows[..1], 2003);
    assert!(only(&data).evidence.validity.is_valid());
    assert_eq!(only(&data).case.procs, 2);
    // On a command line the options have the last name.
    let named = json!({"name": "other", "rw": "randread", "bs": "4k", "group_reporting": ""});
    let data = group(named, &json!({}), &flows[..1], 1003);
    assert_eq!(*why(only(&data)), Imported::FioMergedJobs {}.into());
}

#[test]
fn a_text_record_of_several_jobs_is_of_none() {
    let setup = |name: &str, rw: &str| {
        format!(
            "{name}: (g=0): rw={rw}, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, \
             ioengine=psync, iodepth=1\n"
        )
    };
    let result = "seq: (groupid=0, jobs=2): err= 0: pid=9816: Fri Nov 27 12:28:41 2026\n  \
                  read: IOPS=5485, BW=21.4MiB/s (22.5MB/s)(21.5MiB/1002msec)\n\n";
    let of = |rw: &str| {
        let text = format!("{}{}fio-3.33\n{result}", setup("seq", "read"), setup("rnd", rw));
        read(&[file("a.txt", &text)])
    };
    let data = of("randread");
    assert_eq!(*why(only(&data)), Imported::FioMergedJobs {}.into());
    assert_eq!(data.tests[0].testtype, "read");
    // Jobs that do the same may share one.
    assert!(only(&of("read")).evidence.validity.is_valid());
}

#[test]
fn options_tell_jobs_of_one_name_apart() {
    let plain = json!({"rw": "randread", "bs": "4k"});
    for (option, value) in [
        ("dedupe_percentage", "50"),
        ("norandommap", "1"),
        ("overwrite", "1"),
        ("offset", "1g"),
        ("buffer_pattern", "0xdead"),
        ("option_of_tomorrow", "1"),
        ("bs", "4KiB"),
    ] {
        let mut other = plain.clone();
        other[option] = json!(value);
        let mut later = reads(other);
        later["timestamp_ms"] = json!(1_700_000_900_000_u64);
        later["timestamp"] = json!(1_700_000_900);
        let data = fio(&[reads(plain.clone()), later]);
        assert_eq!(data.tests.len(), 2, "{option}");
        assert!(data.tests[1].name.contains(&format!("{option}=")), "{}", data.tests[1].name);
    }
    let mut later = reads(json!({"rw": "randread", "blocksize": "4096", "filename": "/mnt/b"}));
    later["timestamp_ms"] = json!(1_700_000_900_000_u64);
    assert_eq!(fio(&[reads(plain), later]).tests.len(), 1);
}

#[test]
fn a_printed_figure_stays_where_counts_do_not_round_to_it() {
    let data = read_fixtures(&["fio-short-blocks.txt"]);
    let sample = only(&data);
    assert!(near(sample.metric("write_rate").unwrap(), 2097.152), "{sample:?}");
    assert_eq!(sample.metric("write_iops"), Some(240.0));
    assert!(sample.evidence.validity.is_valid());
}

#[test]
fn zeros_of_what_was_not_done_are_no_figures() {
    let data = read_fixtures(&["fio-3.12-sync-zero.json"]);
    let sample = only(&data);
    assert!(
        sample.figures.metrics.iter().all(|metric| !metric.name.starts_with("sync_")),
        "{sample:?}"
    );
    assert_eq!(sample.metric("iops"), Some(5000.0));
    assert!(near(sample.metric("read_rate").unwrap(), 20.48));
    assert_eq!(sample.metric("service_p99_us"), Some(300.0));
    // Nothing was timed.
    let mut untimed = reads(json!({"rw": "randread", "bs": "4k", "gtod_reduce": "1"}));
    untimed["jobs"][0]["read"]["clat_ns"] = json!({"min": 0, "max": 0, "mean": 0.0, "N": 0});
    untimed["jobs"][0]["read"]["lat_ns"] =
        json!({"min": 0, "max": 0, "mean": 0.0, "percentile": {"99.000000": 0}});
    let data = fio(&[untimed]);
    assert!(only(&data).figures.metrics.iter().all(|metric| !metric.name.contains("service")));
    assert!(only(&data).evidence.validity.is_valid());
}

#[test]
fn figures_of_fio_that_contradict_each_other_are_no_measurement() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut document = reads(json!({"rw": "randread", "bs": "4k", "iodepth": "1"}));
        change(&mut document["jobs"][0]["read"]);
        fio(&[document])
    };
    assert!(only(&with(&|_| ())).evidence.validity.is_valid());
    let why_of = |change: &dyn Fn(&mut Value)| why(only(&with(change))).clone();
    let told = why_of(&|read| read["io_bytes"] = json!(10_000 * 8192));
    let size = Contradiction::Size {
        what: "read".into(),
        ops: 10_000.0.into(),
        op_bytes: 4096.0.into(),
        bytes: 81_920_000.0.into(),
    };
    assert_eq!(told, size.into());
    let told = why_of(&|read| read["iops"] = json!(2000.0));
    let Reason::Contradicts(Contradiction::Rate { ops_per_s, .. }) = told else {
        panic!("{told:?}")
    };
    assert_eq!(ops_per_s.0, 2000.0);
    let told = why_of(&|read| read["clat_ns"]["percentile"]["50.000000"] = json!(0));
    assert_eq!(told, order(("read min", 1000.0), ("read p50", 0.0)));
    let told = why_of(&|read| read["clat_ns"]["percentile"]["50.000000"] = json!(500_000));
    assert_eq!(told, order(("read p50", 500_000.0), ("read p99", 300_000.0)));
    let told = why_of(&|read| {
        read["clat_ns"] = json!({"min": 1, "max": 9_000_000_000_u64, "mean": 5e9, "N": 10_000});
    });
    let (seen, most) = (5000.0.into(), 1.0.into());
    assert_eq!(told, Contradiction::Concurrency { seen, most }.into());
    // The figures of an engine that keeps several in flight fit.
    let mut deep = reads(json!({"rw": "randread", "bs": "4k", "iodepth": "8"}));
    deep["jobs"][0]["read"]["clat_ns"] =
        json!({"min": 1, "max": 9_000_000, "mean": 8e6, "N": 10_000});
    assert!(only(&fio(&[deep])).evidence.validity.is_valid());
}

#[test]
fn repeats_of_named_targets_are_blocks() {
    let run = |ops: u64, at: u64| {
        let mut document = reads(json!({"rw": "randread", "bs": "4k"}));
        document["jobs"][0]["read"] = flow(ops, 10_000);
        document["timestamp_ms"] = json!(1_700_000_000_000_u64 + at * 60_000);
        serde_json::to_string_pretty(&document).unwrap()
    };
    let files: Vec<_> = ["a-1", "a-2", "a-3", "b-1", "b-2", "b-3"]
        .iter()
        .zip(0..)
        .map(|(name, at)| file(&format!("{name}.json"), &run(10_000 + at * 100, at)))
        .collect();
    let target = |name: &str| if name.starts_with('a') { "alpha" } else { "beta" };
    let targets = files.iter().map(|(name, _)| (name.clone(), target(name).into())).collect();
    let named = formats::ImportOptions { targets, ..options() };
    let data = formats::import(&files, None, &named).unwrap();
    files::check(&data);
    assert_eq!(labels(&data), ["alpha", "beta"]);
    let places: Vec<_> = data.samples.iter().map(|s| (s.block, s.case.target.as_str())).collect();
    let expected: Vec<_> = (0..3).flat_map(|block| [(block, "alpha"), (block, "beta")]).collect();
    assert_eq!(places, expected);
    let notes = &data.campaign.notes;
    assert!(notes.contains(&Note::RepeatsAreBlocks {}));
    assert!(!notes.contains(&Note::CaseRepeats {}) && !notes.contains(&Note::JobRepeats {}));
}

#[test]
fn formats_are_known_by_the_names_that_people_have_for_them() {
    let import =
        |format| formats::import(&[("x".into(), SYNC_ZERO.into())], Some(format), &options());
    assert_eq!(import("fio-json").unwrap(), import("fio").unwrap());
    assert!(import("fio-yaml").unwrap_err().to_string().contains("the format `fio-yaml`"));
}

//! Tests of all formats and releases of fio's output, including failures.
#![allow(clippy::unwrap_used)]

use formats::{FormatError, ImportOptions, NamedBytes, import};
use model::{
    figure::LatencyKind,
    result::{Dataset, Imported, Note, Sample, Validity},
    workload::Group,
};

const ALL3: &str = include_str!("fixtures/fio-randrw7030-8jobs-all3.txt");
const JSON_PLUS: &str = include_str!("fixtures/fio-randrw7030-8jobs-json+.json");
const TERSE: &str = include_str!("fixtures/fio-randrw7030-8jobs.terse");
const TEXT: &str = include_str!("fixtures/fio-randrw7030-8jobs.txt");
const ENOSPC: &str = include_str!("fixtures/fio-enospc-error.json");
const BAD_OPTION: &str = include_str!("fixtures/fio-badopt.json");
const FSYNC: &str = include_str!("fixtures/fio-seqwrite-fsync.json");
const OLD_TEXT: &str = include_str!("fixtures/fio-2.2.10-randrw7030.txt");
const OLD_JSON: &str = include_str!("fixtures/fio-2.2.10-randrw7030.json");
const TERSE_2: &str = include_str!("fixtures/fio-2.2.10-randread-v2.terse");
const TERSE_5: &str = include_str!("fixtures/fio-3.36-write-v5.terse");

fn read(files: &[(&str, &str)]) -> Result<Dataset, FormatError> {
    let files: Vec<NamedBytes> =
        files.iter().map(|&(name, text)| (name.into(), text.into())).collect();
    import(&files, None, &ImportOptions::default())
}

fn one(text: &str) -> Sample {
    let mut data = read(&[("xfs.out", text)]).unwrap();
    assert_eq!(data.samples.len(), 1, "{:?}", data.tests);
    data.samples.remove(0)
}

fn near(sample: &Sample, metric: &str, expected: f64, tolerance: f64) {
    let value = sample.metric(metric).unwrap_or(f64::NAN);
    assert!((value - expected).abs() <= tolerance * expected, "{metric}: {value}, not {expected}");
}

/// The part of the file with all three encodings that holds one of them.
fn part(from: &str, to: Option<&str>) -> String {
    let start = ALL3.find(from).unwrap();
    let end = to.map_or(ALL3.len(), |to| start + ALL3[start..].find(to).unwrap());
    ALL3[start..end].into()
}

#[test]
fn three_encodings_of_one_run_give_the_same_numbers() {
    let head = part("oltp7030: (g=0)", Some("3;fio-3.33"));
    let json = one(&part("{\n", Some("\noltp7030: (groupid")));
    let terse = one(&part("3;fio-3.33", Some("{\n")));
    let text = one(&format!("{head}{}", part("oltp7030: (groupid", None)));
    for (printed, per_op) in [(&terse, 1e-4), (&text, 1e-6)] {
        for metric in ["iops", "read_iops", "write_iops", "read_rate", "write_rate"] {
            near(printed, metric, json.metric(metric).unwrap(), per_op);
        }
        for direction in ["read", "write"] {
            for what in ["p50", "p95", "p99", "p999", "mean"] {
                let metric = format!("{direction}_service_{what}_us");
                // Text rounds percentiles up to whole microseconds, terse cuts them.
                let us = json.metric(&metric).unwrap();
                near(printed, &metric, us, 1.0 / us);
            }
        }
        assert_eq!(printed.evidence.validity, Validity::Valid);
        assert_eq!(printed.figures.metrics.len(), json.figures.metrics.len());
    }
    near(&json, "iops", 25_691.570116 + 11_027.167399, 1e-12);
    near(&json, "read_rate", 105.232671, 1e-6);
    near(&json, "write_service_p99_us", 8355.84, 1e-12);
    assert_eq!((json.case.procs, text.case.procs), (8, 8));
    assert_eq!((json.figures.ops, text.figures.ops), (128_612 + 55_202, 128_612 + 55_202));
    assert_eq!((json.figures.bytes, text.figures.bytes), (752_902_144, 752_902_144));
    assert!((json.covariates.cpu_sys_s - 0.02815248 * 40.032).abs() < 1e-9);
}

#[test]
fn a_file_with_three_encodings_holds_one_run() {
    let data = read(&[("xfs.txt", ALL3)]).unwrap();
    assert_eq!(data.samples.len(), 1);
    assert_eq!(data.targets[0].label, "xfs");
    assert!(
        data.campaign.notes.iter().any(|note| note
            .said()
            .is_some_and(|said| said.contains("the most detailed was read")))
    );
    assert_eq!(data.campaign.environment.0["fio.version"], "fio-3.33");
    let test = &data.tests[0];
    assert_eq!((test.id.as_str(), test.group), ("fio.oltp7030", Group::Mixed));
    assert_eq!(test.testtype, "random read/write");
}

#[test]
fn the_same_job_is_one_test_however_it_was_printed() {
    let files = [("a.json", JSON_PLUS), ("b.txt", TEXT), ("c.json", JSON_PLUS)];
    let data = read(&files).unwrap();
    assert_eq!(data.tests.len(), 1, "{:?}", data.tests);
    assert_eq!(data.targets.len(), 3);
    let positions: Vec<u32> = data.samples.iter().map(|s| s.position).collect();
    assert_eq!(positions, [0, 1, 2]);
    near(&data.samples[1], "iops", (100_409.0 + 43_012.0) / 5.001, 1e-9);
}

#[test]
fn bins_become_histograms_that_hold_every_operation() {
    let sample = one(JSON_PLUS);
    let [read, write] = &sample.figures.histograms[..] else {
        panic!("{}", sample.figures.histograms.len())
    };
    assert_eq!((read.op.as_str(), read.latency), ("read", LatencyKind::Service));
    assert_eq!((read.count(), write.count()), (98_350, sample.figures.ops - 98_350));
    // fio's own percentile is one of its bins.
    let p99_us = sample.metric("read_service_p99_us").unwrap();
    assert_eq!(read.quantile_ns(0.99).unwrap() as f64, p99_us * 1000.0);
}

#[test]
fn a_job_that_failed_is_invalid_and_keeps_what_it_did() {
    let sample = one(ENOSPC);
    let why = Imported::FioStopped { errno: 28, error: "No space left on device".into() };
    assert_eq!(sample.evidence.validity, Validity::Invalid(why.into()));
    near(&sample, "iops", 1026.856903, 1e-12);
    assert_eq!(sample.figures.bytes, 2_564_816_896);
}

#[test]
fn complaints_without_a_result_are_an_error_with_file_and_line() {
    let expected = "bad.json, line 1: no result, because fio failed: engine nosuch not loadable; \
                    rerun it and import the new output";
    assert_eq!(read(&[("bad.json", BAD_OPTION)]).unwrap_err().to_string(), expected);
    let data = read(&[("bad.json", BAD_OPTION), ("xfs.json", FSYNC)]).unwrap();
    assert_eq!(data.targets.len(), 1);
    assert!(data.campaign.notes.contains(&Note::LeftOut { why: expected.into() }));
}

#[test]
fn complaints_around_and_inside_the_json_are_passed_over() {
    let text = FSYNC.replacen("\"jobs\"", "\nfio: verify type mismatch\n\"jobs\"", 1);
    let text =
        format!("fio: this platform does not support process shared mutexes\n{text}\ndone\n");
    let sample = one(&text);
    near(&sample, "iops", 3216.332941, 1e-12);
    near(&sample, "sync_service_p99_us", 19_791.872, 1e-12);
    assert_eq!(sample.case.procs, 1);
}

#[test]
fn runs_of_one_job_are_repeats_of_block_0() {
    let at = |seconds: &str| FSYNC.replace("1795230580", seconds);
    let three = format!("{FSYNC}\n{}{}", at("1795230680"), at("1795230780"));
    let data = read(&[("xfs.json", &three)]).unwrap();
    assert_eq!(data.samples.len(), 3);
    assert!(data.samples.iter().all(|s| s.block == 0));
    assert!(data.campaign.notes.contains(&Note::JobRepeats {}));
    let other = TEXT.replace("pid=", "pid=1");
    let data = read(&[("xfs.txt", &format!("{TEXT}\n{other}"))]).unwrap();
    assert_eq!((data.samples.len(), data.samples[0].case.procs), (2, 8));
}

#[test]
fn other_work_under_the_same_name_is_another_test() {
    let other = FSYNC.replace("\"bs\" : \"4k\"", "\"bs\" : \"1M\"");
    let data = read(&[("xfs.json", &format!("{FSYNC}{other}"))]).unwrap();
    let ids: Vec<&str> = data.tests.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(ids, ["fio.w", "fio.w-2"]);
    assert_eq!(data.tests[1].name, "w #2 rw=write bs=1048576 iodepth=1");
    assert_ne!(data.samples[0].case, data.samples[1].case);
}

#[test]
fn workers_printed_one_by_one_are_summed() {
    let job = JSON_PLUS.find("    {\n      \"jobname\"").unwrap();
    let end = JSON_PLUS.find("\n  ],").unwrap();
    let mut twice = JSON_PLUS.to_owned();
    twice.insert_str(end, &format!(",\n{}", &JSON_PLUS[job..end]));
    let (alone, sum) = (one(JSON_PLUS), one(&twice));
    assert_eq!(sum.case.procs, 2);
    near(&sum, "iops", 2.0 * alone.metric("iops").unwrap(), 1e-12);
    near(&sum, "read_rate", 2.0 * alone.metric("read_rate").unwrap(), 1e-12);
    near(&sum, "read_service_p99_us", alone.metric("read_service_p99_us").unwrap(), 1e-12);
    assert_eq!(sum.figures.histograms[0].count(), 2 * alone.figures.histograms[0].count());
    assert_eq!(sum.figures.seconds, alone.figures.seconds);
    // Without bins the percentiles of both are not those of the whole.
    let sum = one(&twice.replace("\"bins\"", "\"other\""));
    assert_eq!(sum.metric("read_service_p99_us"), None);
    assert!(sum.metric("read_service_mean_us").is_some());
}

#[test]
fn terse_lines_tell_workers_from_runs_by_the_disk() {
    let other = TERSE.replace(";82745;20686;", ";82745;20687;");
    let sample = one(&format!("{TERSE}{other}"));
    assert_eq!(sample.case.procs, 2);
    near(&sample, "read_iops", 20_686.0 + 20_687.0, 1e-12);
    let later = TERSE.replace(";loop4;100921;", ";loop4;200921;");
    let data = read(&[("xfs", &format!("{TERSE}{later}"))]).unwrap();
    assert_eq!(data.samples.len(), 2);
    let bare = |text: &str| text.split(";loop4").next().unwrap().to_owned();
    let both = format!("{}\n{}\n", bare(TERSE), bare(&other));
    let error = read(&[("xfs", &both)]).unwrap_err();
    assert!(error.to_string().starts_with("xfs, line 2: job `oltp7030` appears twice"), "{error}");
}

#[test]
fn a_run_of_a_moment_is_too_short_to_tell() {
    let sample = one(&FSYNC.replace("\"runtime\" : 5094", "\"runtime\" : 42"));
    let why = Imported::FioTooShort { ms: 42.0.into(), least_ms: 100.0.into() };
    assert_eq!(sample.evidence.validity, Validity::Invalid(why.into()));
}

#[test]
fn damage_is_an_error_of_its_line() {
    let half = &FSYNC[..FSYNC.len() / 2];
    let lines = half.lines().count();
    let error = read(&[("a.json", half)]).unwrap_err().to_string();
    assert!(error.starts_with(&format!("a.json, line {lines}: not the JSON of fio: ")), "{error}");
    let error = read(&[("a.json", &FSYNC.replace("3216.332941", "-1"))]).unwrap_err().to_string();
    let expected = "a.json, line 70: not the JSON of fio: -1 is not a count, a rate or a time";
    assert_eq!(error, expected);
    let error = read(&[("a.txt", &TEXT.replace("IOPS=8600", "IOPS=fast"))]).unwrap_err();
    assert!(error.to_string().starts_with("a.txt, line 16: `write: IOPS=fast"), "{error}");
    let error = read(&[("a", &TERSE.replace(";82745;20686;", ";82745;x;"))]).unwrap_err();
    assert_eq!(error.to_string(), "a, line 1: `x` is not a number");
    // Nothing that is merely huge may stop the program or become infinite.
    for number in ["1e300", "18446744073709551615"] {
        if let Ok(data) = read(&[("a.json", &FSYNC.replace("67108864", number))]) {
            assert!(data.samples[0].figures.metrics.iter().all(|metric| metric.value.is_finite()));
        }
    }
}

#[test]
fn releases_2_count_in_kib_and_microseconds() {
    let text = one(OLD_TEXT);
    near(&text, "read_iops", 66_672.0 / 3.001, 1e-12);
    near(&text, "write_rate", 114_176.0 * 1.024 / 3001.0, 1e-12);
    assert_eq!(text.metric("read_service_p999_us"), Some(266.0));
    assert_eq!(text.metric("write_service_mean_us"), Some(3.05));
    assert_eq!((text.case.procs, text.evidence.validity.is_valid()), (2, true));

    let data = read(&[("fio-xfs.json", OLD_JSON)]).unwrap();
    let json = &data.samples[0];
    near(json, "read_iops", 17_357.57, 1e-12);
    near(json, "read_rate", 69_708.0 * 1.024 / 1004.0, 1e-12);
    assert_eq!(json.metric("read_service_p99_us"), Some(97.0));
    assert_eq!(json.metric("read_service_mean_us"), Some(16.31));
    // These do not print their options.
    assert_eq!(data.targets[0].label, "xfs");
    assert_eq!(data.tests[0].testtype, "read/write");
    assert!(
        data.campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("the number of processes")))
    );
}

#[test]
fn every_version_of_terse_output_is_read() {
    let fields = |text: &'static str| text.split(';').collect::<Vec<_>>();
    let number = |text: &str| text.parse::<f64>().unwrap();
    let (old, sample) = (fields(TERSE_2), one(TERSE_2));
    near(&sample, "read_iops", number(old[6]), 1e-12);
    let rate = number(old[4]) * 1.024 / number(old[7]);
    near(&sample, "read_rate", rate, 1e-12);
    assert_eq!(sample.metric("write_iops"), None);
    let (new, sample) = (fields(TERSE_5), one(TERSE_5));
    let write = 5 + 47;
    assert_eq!(sample.metric("iops"), Some(number(new[write + 2])));
    assert_eq!(sample.metric("service_p50_us"), new[write + 18].split('=').nth(1).map(number));
    // Version 4 is version 5 without six fields in each direction.
    let mut four: Vec<&str> = vec!["4"];
    four.extend(&new[1..5]);
    new[5..5 + 3 * 47].chunks(47).for_each(|direction| four.extend(&direction[..41]));
    four.extend(&new[5 + 3 * 47..]);
    let again = one(&four.join(";"));
    assert_eq!(
        (again.figures.metrics, again.evidence.validity.is_valid()),
        (sample.figures.metrics, true)
    );
}

#[test]
fn clients_are_summed_and_their_sum_is_not_counted_again() {
    let start = FSYNC.find("    {\n      \"jobname\"").unwrap();
    let end = FSYNC.find("\n  ],").unwrap();
    let client = |host: &str, name: &str| {
        let job =
            FSYNC[start..end].replace("\"jobname\" : \"w\"", &format!("\"jobname\" : \"{name}\""));
        job.replacen("\"groupid\"", &format!("\"hostname\" : \"{host}\",\n\"groupid\""), 1)
    };
    let clients = [client("a", "w"), client("b", "w"), client("", "All clients")].join(",");
    let sample =
        one(&format!("{{\"fio version\" : \"fio-3.33\", \"client_stats\" : [{clients}]}}"));
    near(&sample, "iops", 2.0 * 3216.332941, 1e-12);
    assert_eq!(sample.case.procs, 2);

    let (setup, result) = TEXT.split_once("\n...").unwrap();
    let result = &result[result.find("oltp7030: (groupid").unwrap()..];
    let (job, status) = result.split_at(result.find("Run status group").unwrap());
    let sum = job.replacen("oltp7030: (groupid=0, jobs=8)", "All clients: (groupid=0, jobs=8)", 1);
    let sample = one(&format!("<host> {setup}\n{job}{sum}{status}"));
    assert_eq!((sample.case.procs, sample.figures.bytes), (8, (100_409 + 43_012) * 4096));
}

#[test]
fn bytes_of_the_one_disk_are_those_of_the_one_job() {
    let sectors = "\"read_sectors\" : 16, \"write_sectors\" : 21880, \"read_merges\"";
    let sample = one(&FSYNC.replace("\"read_merges\"", sectors));
    assert_eq!(sample.covariates.device_read_bytes, Some(16 * 512));
    assert_eq!(sample.covariates.device_write_bytes, Some(21_880 * 512));
    assert_eq!(one(FSYNC).covariates.device_write_bytes, None);
}

#[test]
fn a_fixed_rate_does_not_make_latencies_ones_that_users_wait_for() {
    let paced = JSON_PLUS.replace("\"numjobs\"", "\"rate_iops\" : \"1000\", \"numjobs\"");
    let data = read(&[("xfs.json", &paced)]).unwrap();
    assert_eq!(data.samples[0].figures.histograms[0].latency, LatencyKind::Service);
    assert!(
        data.campaign.notes.iter().any(|note| note
            .said()
            .is_some_and(|said| said.contains("not from its scheduled start")))
    );
}

/// fio 3.33, 6000 files of 64 KiB created empty: 96 000 blocks of 4 KiB would fit into them.
#[test]
fn files_that_are_created_count_as_one_operation_each() {
    let text = include_str!("fixtures/fio-filecreate.json");
    let data = read(&[("xfs.json", text)]).unwrap();
    let [sample] = data.samples.as_slice() else { panic!("{:?}", data.tests) };
    assert_eq!(sample.evidence.validity, Validity::Valid);
    let job = &serde_json::from_str::<serde_json::Value>(text).unwrap()["jobs"][0]["read"];
    let number = |name: &str| job[name].as_f64().unwrap();
    assert_eq!((number("total_ios"), job["clat_ns"]["N"].as_f64()), (96_000.0, Some(6000.0)));
    near(sample, "iops", number("iops") / 16.0, 1e-9);
    for metric in ["read_iops", "read_rate"] {
        assert_eq!(sample.metric(metric), None, "{metric}");
    }
    assert!(format!("{:?}", data.campaign.notes).contains("operations are files here"));
}

/// Without their latencies and their size nothing tells how many they were.
#[test]
fn files_of_unknown_number_are_not_said_to_be_counted() {
    let text = include_str!("fixtures/fio-filecreate.json");
    let mut run: serde_json::Value = serde_json::from_str(text).unwrap();
    let job = &mut run["jobs"][0];
    job["job options"].as_object_mut().unwrap().remove("filesize");
    for latency in ["slat_ns", "clat_ns", "lat_ns"] {
        job["read"].as_object_mut().unwrap().remove(latency);
    }
    let iops = job["read"]["iops"].as_f64().unwrap();
    let data = read(&[("xfs.json", &run.to_string())]).unwrap();
    near(&data.samples[0], "iops", iops, 1e-9);
    assert!(!format!("{:?}", data.campaign.notes).contains("operations are files here"));
}

//! Tests that exports round-trip: datasets completely, fio's JSON with the same rates and latencies.
#![allow(clippy::unwrap_used)]

use formats::{FormatError, ImportOptions, NamedBytes, export, import};
use model::{
    figure::{Better, Histogram, LatencyKind, Metric},
    result::{Dataset, Imported, Reason, Sample, Validity},
    strategies::dataset,
    workload::{CacheState, Case, GridCell, Group, Shape, TestInfo},
};
use proptest::prelude::*;

fn read(files: &[NamedBytes]) -> Result<Dataset, FormatError> {
    import(files, None, &ImportOptions::default())
}

fn fixture() -> Dataset {
    let text = include_bytes!("fixtures/fio-randrw7030-8jobs-json+.json");
    read(&[("xfs.json".into(), text.to_vec())]).unwrap()
}

/// A dataset of one sample of one test.
fn single(group: Group, metrics: Vec<Metric>, histograms: Vec<Histogram>) -> Dataset {
    let mut data = fixture();
    let test = TestInfo {
        id: "suite.test".into(),
        suite: "suite".into(),
        name: "test".into(),
        testtype: "test".into(),
        group,
        metric: "iops".into(),
        unit: "IOPS".into(),
        better: Better::Higher,
        shape: None,
    };
    let case = Case {
        target: "xfs".into(),
        suite: "suite".into(),
        test: "suite.test".into(),
        procs: 4,
        threads: 1,
        cache: CacheState::Any,
    };
    let mut sample = Sample::bare(1, 0, case, metrics).timed(8_192_000, 2000, 2.0);
    *sample.figures.histograms = histograms;
    (data.tests, data.samples) = (vec![test], vec![sample]);
    data
}

fn back(data: &Dataset) -> Dataset {
    read(&export::fio_json(data).unwrap()).unwrap()
}

/// As JSON and CSV keep what a test is.
#[test]
fn what_a_test_is_comes_back() {
    let mut data = single(Group::Files, Vec::new(), Vec::new());
    let cell = GridCell { grid: "rndrd".into(), block_bytes: 4096, threads: 8 };
    for shape in [None, Some(Shape { only_writes: true, cell: Some(cell) })] {
        data.tests[0].shape = shape.clone();
        assert_eq!(read(&export::csv(&data).unwrap()).unwrap().tests, data.tests);
        let files = export::json(&data).unwrap();
        assert_eq!(read(&files).unwrap().tests, data.tests);
        let text = String::from_utf8(files[0].1.clone()).unwrap();
        assert_eq!(text.contains("\"shape\""), shape.is_some());
    }
}

#[test]
fn what_came_from_fio_goes_back_to_fio() {
    let data = fixture();
    let again = back(&data);
    let (before, after) = (&data.samples[0], &again.samples[0]);
    assert_eq!(after.case.procs, 8);
    assert_eq!(after.figures.histograms, before.figures.histograms);
    assert_eq!(after.metric("iops"), before.metric("iops"));
    for direction in ["read", "write"] {
        for what in ["iops", "service_p50_us", "service_p99_us", "service_p999_us"] {
            let name = format!("{direction}_{what}");
            assert!(before.metric(&name).is_some(), "{name}");
            assert_eq!(after.metric(&name), before.metric(&name), "{name}");
        }
        let rate = format!("{direction}_rate");
        let off = after.metric(&rate).unwrap() / before.metric(&rate).unwrap() - 1.0;
        assert!(off.abs() < 1e-6, "{rate}: {off}");
    }
    assert!((after.covariates.cpu_sys_s / before.covariates.cpu_sys_s - 1.0).abs() < 1e-9);
    assert_eq!(again.tests[0].id, "fio.xfs-fio-oltp7030-p8-b0");
}

#[test]
fn printed_percentiles_survive_without_bins() {
    let text = include_bytes!("fixtures/fio-seqwrite-fsync.json");
    let data = read(&[("xfs.json".into(), text.to_vec())]).unwrap();
    let again = back(&data);
    for metric in ["iops", "service_p99_us", "service_p50_us", "sync_service_p99_us"] {
        let value = data.samples[0].metric(metric);
        assert!(value.is_some(), "{metric}");
        assert_eq!(again.samples[0].metric(metric), value, "{metric}");
    }
}

#[test]
fn a_native_sample_becomes_a_job_of_its_direction() {
    let bins = vec![(1000, 1990), (9000, 10)];
    let read = Histogram { bins: bins.clone(), ..Histogram::new("read", LatencyKind::Service) };
    let waited = Histogram { bins, ..Histogram::new("read", LatencyKind::Response) };
    let data = single(Group::RandomRead, Vec::new(), vec![read.clone(), waited]);
    let files = export::fio_json(&data).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&files[0].1).unwrap();
    let job = &value["jobs"][0];
    assert_eq!(job["jobname"], "xfs/suite.test/p4/b1");
    assert_eq!(job["job options"]["rw"], "randread");
    assert_eq!(job["job options"]["bs"], "4096");
    assert_eq!(job["read"]["iops"], 1000.0);
    assert_eq!(job["read"]["bw_bytes"], 4_096_000);
    assert_eq!(job["read"]["clat_ns"]["N"], 2000);
    assert_eq!(job["read"]["clat_ns"]["percentile"]["99.000000"], 1000.0);
    assert_eq!(job["read"]["clat_ns"]["mean"], 1040.0);
    assert_eq!(job["write"]["total_ios"], 0);
    let again = back(&data);
    assert_eq!(*again.samples[0].figures.histograms, [read]);
    assert_eq!(again.tests[0].group, Group::RandomRead);
}

#[test]
fn a_sample_that_is_not_valid_has_an_error() {
    let mut data = single(Group::Files, Vec::new(), Vec::new());
    *data.samples[0].evidence.validity = Validity::Lukewarm(Reason::said("3 %"));
    let again = back(&data);
    let why = Imported::FioStopped { errno: 125, error: "Operation canceled".into() };
    assert_eq!(again.samples[0].evidence.validity, Validity::Invalid(why.into()));
    let text = String::from_utf8(export::fio_json(&data).unwrap().remove(0).1).unwrap();
    assert!(text.contains("\"description\": \"lukewarm: 3 %\""), "{text}");
}

#[test]
fn samples_of_one_case_stay_apart() {
    let mut data = single(Group::SequentialWrite, Vec::new(), Vec::new());
    data.samples.push(data.samples[0].clone());
    let again = back(&data);
    assert_eq!(again.samples.len(), 2);
    assert_eq!(again.samples[0].metric("iops"), Some(1000.0));
}

#[test]
fn percentiles_in_csv_are_those_of_the_histograms() {
    let mut data = fixture();
    let few = model::figure::Histogram {
        bins: vec![(100, 5), (900, 4), (2_000, 1)],
        ..model::figure::Histogram::new("read", model::figure::LatencyKind::Service)
    };
    data.samples.truncate(1);
    *data.samples[0].figures.histograms =
        vec![few, model::figure::Histogram::new("sync", model::figure::LatencyKind::Service)];
    let files = export::csv(&data).unwrap();
    let (name, bytes) = &files[4];
    assert_eq!(name, "percentiles.csv");
    let text = String::from_utf8(bytes.clone()).unwrap();
    let ends = text.lines().map(|line| line.split(',').skip(6).collect::<Vec<_>>().join(","));
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [
            "op,latency,ops,mean_ns,p50_ns,p90_ns,p99_ns,p99_9_ns,p99_99_ns,max_ns",
            "read,service,10,610,100,900,,,,2000",
            "sync,service,0,,,,,,,",
        ]
    );
    assert_eq!(read(&files).unwrap().samples, data.samples);
}

#[test]
fn latencies_in_csv_belong_to_their_sample() {
    let data = fixture();
    let mut files = export::csv(&data).unwrap();
    assert_eq!(files[3].0, "histograms.csv");
    let text = String::from_utf8(files[3].1.clone()).unwrap();
    assert!(text.lines().nth(1).unwrap().starts_with("0,0,xfs,fio.oltp7030,8,any,read,service,"));
    let edited = |from: &str, to: &str| {
        let mut files = files.clone();
        files[3].1 = text.replacen(from, to, 1).into_bytes();
        read(&files).unwrap_err().to_string()
    };
    let error = edited("\n0,0,xfs,", "\n0,0,ext4,");
    assert!(error.starts_with("histograms.csv, line 2: column `target` differs"), "{error}");
    let error = edited("\n0,0,xfs,", "\n7,0,xfs,");
    assert!(error.contains("names a sample that is not in samples.csv"), "{error}");
    let second = text.lines().nth(2).unwrap();
    let error = edited(second, text.lines().nth(1).unwrap());
    assert!(
        error.starts_with(
            "histograms.csv, line 3: column `latency_ns` is not \
                               ascending"
        ),
        "{error}"
    );
    files.truncate(3);
    assert_eq!(read(&files).unwrap().samples[0].figures.histograms.len(), 0);
}

#[test]
fn json_of_another_format_or_with_strangers_is_refused() {
    let data = fixture();
    let (name, bytes) = export::json(&data).unwrap().remove(0);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with("{\n  \"schema\": \"assay-dataset-2\""), "{}", &text[..60]);
    let edited = |from: &str, to: &str| {
        let bytes = text.replacen(from, to, 1).into_bytes();
        read(&[(name.clone(), bytes)]).unwrap_err().to_string()
    };
    let error = edited("assay-dataset-2", "assay-dataset-9");
    assert!(error.contains("has the format \"assay-dataset-9\""), "{error}");
    let error = edited("\"test\": \"fio.oltp7030\"", "\"test\": \"fio.other\"");
    assert!(
        error.contains(
            "sample 0: refers to test \"fio.other\", which is not \
                            listed"
        ),
        "{error}"
    );
    let error = edited("\"samples\"", "\"sample\"");
    assert!(error.contains(", line ") && error.contains("missing field"), "{error}");
}

proptest! {
    #[test]
    fn json_comes_back_equal(data in dataset()) {
        prop_assert_eq!(read(&export::json(&data).unwrap()).unwrap(), data);
    }

    #[test]
    fn any_dataset_becomes_jobs_that_fio_readers_can_read(data in dataset()) {
        let files = export::fio_json(&data).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&files[0].1).unwrap();
        prop_assert_eq!(value["jobs"].as_array().unwrap().len(), data.samples.len());
        // Negative figures are possible in the model, and refused by the importer.
        let _ = read(&files);
    }
}

//! Long files are read in parts: a sample is given away before the next is read.
#![allow(clippy::unwrap_used)]

use formats::{FormatError, ImportOptions, InputFile, NamedBytes, export, import, import_into};
use model::{
    figure::{Histogram, LatencyKind, Metric},
    result::{Dataset, Sample},
    workload::{CacheState, Case},
};

fn options() -> ImportOptions {
    ImportOptions { target: None, created: "2026-01-02T03:04:05Z".into(), ..Default::default() }
}

/// A campaign of several samples with histograms.
fn data() -> Dataset {
    let mut data = formats::published().unwrap().swap_remove(1);
    let test = &data.tests[0];
    let sample = |block: u32| {
        let case = Case {
            target: data.targets[0].label.clone(),
            suite: test.suite.clone(),
            test: test.id.clone(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let metric =
            Metric::new("rate", f64::from(block) + 0.5, "MB/s", model::figure::Better::Higher);
        let bins = vec![(1000, u64::from(block) + 1), (2000, 7)];
        let histogram = Histogram { bins, ..Histogram::new("read", LatencyKind::Service) };
        let mut sample = Sample::bare(block, 0, case, vec![metric]).timed(40_960, 10, 1.0);
        *sample.figures.histograms = vec![histogram];
        sample
    };
    data.samples = (0..5).map(sample).collect();
    data
}

/// What `files` give before they end, or fail.
fn streamed(files: &[NamedBytes]) -> (Vec<Sample>, Result<(), FormatError>) {
    let files: Vec<&dyn InputFile> = files.iter().map(|file| file as &dyn InputFile).collect();
    let mut taken = Vec::new();
    let ended = import_into(&files, None, &options(), &mut |sample| {
        taken.push(sample);
        Ok::<(), FormatError>(())
    });
    (taken, ended.map(drop))
}

/// `files` with `part` put in the place of the text from `from` on, in the first of them.
fn cut(mut files: Vec<NamedBytes>, from: &str, part: &str) -> Vec<NamedBytes> {
    let text = String::from_utf8(files[0].1.clone()).unwrap();
    let at = text.rfind(from).unwrap();
    files[0].1 = format!("{}{part}", &text[..at]).into();
    files
}

#[test]
fn samples_before_an_error_were_passed_on() {
    let data = data();
    let broken = [
        (cut(export::json(&data).unwrap(), "\"position\"", "!"), 4),
        // The rows of a sample end where the next begins.
        (cut(export::csv(&data).unwrap(), "rate,4.5,", "rate,x,"), 3),
    ];
    for (files, count) in broken {
        let (taken, ended) = streamed(&files);
        assert_eq!(taken.len(), count, "{}", files[0].0);
        let without = |s: &Sample| {
            let mut sample = s.clone();
            sample.figures.histograms.clear();
            sample
        };
        assert!(taken.iter().map(without).eq(data.samples[..count].iter().map(without)));
        assert!(ended.unwrap_err().to_string().contains(", line "));
    }
}

#[test]
fn the_error_of_who_takes_is_given_back() {
    for files in [export::json(&data()), export::csv(&data()), export::fio_json(&data())] {
        let files = files.unwrap();
        let inputs: Vec<&dyn InputFile> = files.iter().map(|file| file as &dyn InputFile).collect();
        let full = FormatError::File { file: "the store".into(), why: "is full".into() };
        let mut count = 0;
        let ended = import_into(&inputs, None, &options(), &mut |_| {
            count += 1;
            if count == 3 { Err(full.clone()) } else { Ok(()) }
        });
        assert_eq!((ended.map(drop), count), (Err(full), 3), "{}", files[0].0);
    }
}

#[test]
fn samples_may_stand_before_what_they_refer_to() {
    let mut files = export::json(&data()).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&files[0].1).unwrap();
    let part = |name: &str| format!("\"{name}\": {}", json[name]);
    let parts = ["schema", "samples", "tests", "targets", "campaign"].map(part);
    files[0].1 = format!("{{{}}}", parts.join(",\n")).into();
    assert_eq!(import(&files, None, &options()).unwrap(), data());
    let twice = [part("schema"), part("tests"), part("tests")];
    files[0].1 = format!("{{{}}}", twice.join(",\n")).into();
    let told = import(&files, None, &options()).unwrap_err().to_string();
    assert!(told.contains("duplicate field `tests`"), "{told}");
}

#[test]
fn rows_about_samples_stand_in_their_order() {
    let mut files = export::csv(&data()).unwrap();
    assert_eq!(import(&files, None, &options()).unwrap(), data());
    let place = files.iter().position(|file| file.0 == "histograms.csv").unwrap();
    let text = String::from_utf8(files[place].1.clone()).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(1, 3);
    files[place].1 = lines.join("\n").into();
    let told = import(&files, None, &options()).unwrap_err().to_string();
    assert!(told.starts_with("histograms.csv, line 3") && told.contains("sort the rows"), "{told}");
    lines.swap(1, 3);
    lines.push("9,0,xfs,columnar.x,1,any,read,service,1,1");
    files[place].1 = lines.join("\n").into();
    let told = import(&files, None, &options()).unwrap_err().to_string();
    assert!(told.contains("not in samples.csv"), "{told}");
}

/// fio prints the workers of a job one after the other; a file that was put together need not.
#[test]
fn workers_that_stand_apart_are_summed_in_the_order_of_the_first() {
    let job = |name: &str, iops: u32| {
        format!(
            "{{\"jobname\": \"{name}\", \"read\": {{\"io_bytes\": 4096, \"iops\": {iops}, \
             \"runtime\": 1000, \"total_ios\": 1}}}}"
        )
    };
    let of = |names: &[(&str, u32)]| {
        let jobs: Vec<String> = names.iter().map(|(name, iops)| job(name, *iops)).collect();
        let text = format!("{{\"fio version\": \"fio-3.36\", \"jobs\": [{}]}}", jobs.join(","));
        let data = import(&[("x.json".into(), text.into_bytes())], None, &options()).unwrap();
        let told = |s: &Sample| (s.case.test.clone(), s.case.procs, s.figures.metrics[0].value);
        data.samples.iter().map(told).collect::<Vec<_>>()
    };
    let sums = |a: &str, n: u32, iops: f64| (format!("fio.{a}"), n, iops);
    let apart = of(&[("a", 1), ("b", 2), ("c", 4), ("b", 8), ("a", 16)]);
    assert_eq!(apart, [sums("a", 2, 17.0), sums("b", 2, 10.0), sums("c", 1, 4.0)]);
    assert_eq!(of(&[("a", 1), ("a", 2), ("All clients", 3)]), [sums("a", 2, 3.0)]);
}

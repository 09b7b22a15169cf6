//! Tests of formats for other programs: hyperfine's JSON, Go benchmarks, OpenMetrics. Ratios follow from the figures,
//! invalid samples are in none of them, and no name breaks a line.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::{options, sample};
use formats::{export, import, published};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Reason, Sample, Validity},
    strategies::dataset,
    workload::{CacheState, Case},
};
use proptest::prelude::*;
use std::collections::HashSet;

fn written(format: &str, data: &Dataset) -> String {
    let exporter = export::ALL.iter().find(|export| export.name == format).unwrap();
    let mut files = (exporter.files)(data, &Default::default()).unwrap();
    assert_eq!(files.len(), 1);
    String::from_utf8(files.remove(0).1).unwrap()
}

/// Two samples that count and one that does not, of one case.
fn small() -> Dataset {
    let mut data = published().unwrap().swap_remove(1);
    data.campaign.id = "c-1".into();
    data.tests.truncate(1);
    data.targets.truncate(1);
    data.targets[0].label = "dir:/mnt/a b".into();
    let test = &data.tests[0];
    let case = Case {
        target: "dir:/mnt/a b".into(),
        suite: test.suite.clone(),
        test: test.id.clone(),
        procs: 4,
        threads: 1,
        cache: CacheState::Cold,
    };
    let of = |block, rate| {
        let rate = Metric::new("durable_rate", rate, "MB/s", Better::Higher);
        let tail = Metric::new("latency_p99_us", 250.0, "us", Better::Lower);
        let mut sample = Sample::bare(block, 0, case.clone(), vec![rate, tail]).timed(0, 10, 2.0);
        sample.covariates.cpu_user_s = 1.0;
        sample
    };
    let failed = of(2, 900.0).judged(Validity::Invalid(Reason::said("short")));
    data.samples = vec![of(0, 500.0), of(1, 250.0), failed];
    data.campaign.environment.0.clear();
    data
}

#[test]
fn a_run_of_hyperfine_is_the_time_of_one_unit() {
    let json: serde_json::Value = serde_json::from_str(&written("hyperfine", &small())).unwrap();
    let results = json["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    let result = &results[0];
    assert_eq!(result["times"], serde_json::json!([0.002, 0.004]));
    assert_eq!((&result["mean"], &result["user"]), (&0.003.into(), &0.0015.into()));
    assert_eq!((&result["median"], &result["max"]), (&0.003.into(), &0.004.into()));
    let stddev = result["stddev"].as_f64().unwrap();
    assert!(files::near(stddev, 0.002 / 2f64.sqrt()), "{stddev}");
    assert_eq!(result["parameters"]["per"], "MB");
    assert!(result["command"].as_str().unwrap().contains("on dir:/mnt/a b, 4 processes, cold"));
}

#[test]
fn what_is_written_for_hyperfine_is_read_as_its_own() {
    let mut data = small();
    for sample in &mut data.samples {
        sample.figures.metrics = vec![Metric::new("wall_s", 1.5, "s", Better::Lower)];
    }
    let file = ("x.json".to_string(), written("hyperfine", &data).into_bytes());
    let back = import(&[file], Some("hyperfine"), &options()).unwrap();
    assert_eq!((back.samples.len(), back.samples[1].metric("wall_s")), (2, Some(1.5)));
    data.samples.truncate(1);
    let file = ("x.json".to_string(), written("hyperfine", &data).into_bytes());
    let back = import(&[file], None, &options()).unwrap();
    assert_eq!(sample(&back, &back.tests[0].id).figures.seconds, 1.5);
}

#[test]
fn a_line_of_benchfmt_has_the_case_as_keys_and_units_with_directions() {
    let data = small();
    let (suite, test) = (&data.tests[0].suite, &data.tests[0].id);
    let test = test.strip_prefix(&format!("{suite}.")).unwrap();
    let name = format!(
        "BenchmarkColumnar/test={test}/target=dir:%2Fmnt%2Fa%20b/procs=4/threads=1/cache=cold 10"
    );
    let expected = format!(
        "goos: linux\npkg: assay\ncampaign: c-1\nUnit B/s better=higher\nUnit latency_p99_us better=lower\n\
         {name} 500000000.0 B/s 250.0 latency_p99_us\n{name} 250000000.0 B/s 250.0 latency_p99_us\n"
    );
    assert_eq!(written("benchfmt", &data), expected);
}

#[test]
fn openmetrics_has_families_in_base_units_and_every_sample() {
    let data = small();
    let text = written("openmetrics", &data);
    let case = format!(
        "campaign=\"c-1\",suite=\"columnar\",test=\"{}\",target=\"dir:/mnt/a b\",procs=\"4\",threads=\"1\",cache=\"cold\"",
        data.tests[0].id
    );
    for line in [
        "# TYPE assay_durable_rate_bytes_per_second gauge",
        "# UNIT assay_durable_rate_bytes_per_second bytes_per_second",
        "# HELP assay_durable_rate_bytes_per_second durable_rate, better higher",
        &format!(
            "assay_durable_rate_bytes_per_second{{{case},block=\"1\",sample=\"1\",metric=\"durable_rate\"}} 250000000.0"
        ),
        &format!(
            "assay_latency_p99_seconds{{{case},block=\"0\",sample=\"0\",metric=\"latency_p99_us\"}} 0.00025"
        ),
        &format!("assay_sample_valid{{{case},block=\"2\",sample=\"2\"}} 0.0"),
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    assert!(text.ends_with("# EOF\n") && !text.contains("900"), "{text}");
}

/// Whether `name` may name a family.
fn is_name(name: &str) -> bool {
    name.starts_with("assay_") && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

proptest! {
    #[test]
    fn whatever_things_are_called_each_line_is_one(data in dataset()) {
        let valid: Vec<_> = data.samples.iter().filter(|s| s.evidence.validity.is_valid()).collect();
        let text = written("benchfmt", &data);
        let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("Benchmark")).collect();
        prop_assert_eq!(lines.len(), valid.iter().filter(|s| !s.figures.metrics.is_empty()).count());
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            prop_assert!(words.len() >= 4 && words.len().is_multiple_of(2), "{}", line);
            prop_assert!(words[2..].iter().step_by(2).all(|value| value.parse::<f64>().is_ok()));
        }

        let text = written("openmetrics", &data);
        let (mut seen, mut family) = (HashSet::new(), String::new());
        for line in text.lines().filter(|line| *line != "# EOF") {
            if let Some(of) = line.strip_prefix("# TYPE ") {
                family = of.strip_suffix(" gauge").unwrap().into();
                prop_assert!(is_name(&family), "{}", line);
            } else if !line.starts_with("# ") {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let in_family = name.starts_with(&format!("{family}{{"));
                prop_assert!(in_family && value.parse::<f64>().is_ok(), "{}", line);
                prop_assert!(seen.insert(name.to_string()), "twice: {}", line);
            }
        }
        let figures: usize = valid.iter().map(|s| s.all_metrics().len()).sum();
        prop_assert_eq!(seen.len(), data.samples.len() + figures);
        serde_json::from_str::<serde_json::Value>(&written("hyperfine", &data)).unwrap();
    }
}

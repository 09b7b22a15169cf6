//! elbencho's CSV, JSON and text of one and the same run.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;
use model::result::{Dataset, Imported, Note};

const MB: f64 = 1.048576;
const IDS: [&str; 6] = ["mkdirs", "write", "stat", "read", "delfiles", "deldirs"];

fn ids(data: &Dataset) -> Vec<&str> {
    data.tests.iter().map(|t| t.id.strip_prefix("elbencho.").unwrap()).collect()
}

#[test]
fn csv_gives_a_sample_for_each_phase() {
    let data = read_fixtures(&["elbencho.csv"]);
    tests_are_of(&data, "elbencho");
    assert_eq!(ids(&data), IDS);
    let write = sample(&data, "elbencho.write");
    assert_eq!((write.case.procs, write.case.threads), (1, 2));
    assert!(near(write.figures.metrics[0].value, 311.0 * MB));
    assert_eq!(write.metric("iops"), Some(19944.0));
    assert_eq!((write.metric("wall_s"), write.metric("first_done_s")), (Some(0.04), Some(0.025)));
    assert_eq!(write.metric("service_max_us"), Some(28066.0));
    let stat = sample(&data, "elbencho.stat");
    assert_eq!((stat.figures.metrics[0].value, stat.figures.ops), (522193.0, 200));
    assert_eq!((stat.metric("wall_s"), stat.metric("entry_service_mean_us")), (None, None));
    assert_eq!(data.campaign.environment.0["tool.elbencho"], "3.1-10");
}

#[test]
fn json_gives_the_bytes_themselves() {
    let (json, csv) = (read_fixtures(&["elbencho.json"]), read_fixtures(&["elbencho.csv"]));
    assert_eq!(ids(&json), IDS);
    assert_eq!(json.tests, csv.tests);
    let write = sample(&json, "elbencho.write");
    assert!(near(write.figures.metrics[0].value, 326.773204));
    for (a, b) in json.samples.iter().zip(&csv.samples) {
        assert_eq!(a.case.test, b.case.test);
        for metric in a.figures.metrics.iter().filter(|metric| metric.name != "rate") {
            assert_eq!(Some(metric.value), b.metric(&metric.name), "{}", metric.name);
        }
    }
}

#[test]
fn text_gives_the_figures_of_the_csv() {
    let (text, csv) = (read_fixtures(&["elbencho.txt"]), read_fixtures(&["elbencho.csv"]));
    assert_eq!(text.tests, csv.tests);
    for (a, b) in text.samples.iter().zip(&csv.samples) {
        assert_eq!(a.figures.metrics[0], b.figures.metrics[0]);
    }
    assert!(near(sample(&text, "elbencho.write").metric("service_max_us").unwrap(), 28100.0));
    assert!(
        text.campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("threads")))
    );
}

#[test]
fn random_offsets_are_another_test() {
    let random = text("elbencho.json")
        .replace("\"random_offsets\":\"false\"", "\"random_offsets\":\"true\"");
    let data = read(&[file("a.json", &random)]);
    tests_are_of(&data, "elbencho");
    assert!(ids(&data).contains(&"rndwrite") && ids(&data).contains(&"rndread"));
}

#[test]
fn labels_name_targets_and_paths_tell_them_apart() {
    let csv = text("elbencho.csv");
    let (header, rows) = csv.split_once('\n').unwrap();
    let labelled = |label: &str| rows.replace("+0000,,dir", &format!("+0000,{label},dir"));
    let later = labelled("xfs").replace("2026", "2027");
    let all = format!("{header}\n{}{}{later}", labelled("xfs"), labelled("ext4"));
    let data = read(&[file("all.csv", &all)]);
    assert_eq!(labels(&data), ["xfs", "ext4"]);
    assert_eq!((data.samples.len(), data.samples.iter().filter(|s| s.block > 0).count()), (18, 0));
    assert!(data.campaign.notes.contains(&Note::CaseRepeats {}));
    let elsewhere = format!("{header}\n{rows}{}", rows.replace("mnt/xfs/elb", "mnt/ext4/elb"));
    let why = error(&[file("all.csv", &elsewhere)]);
    assert!(why.starts_with("all.csv, line 8: was measured in `mnt/ext4/elb`"), "{why}");
}

#[test]
fn a_phase_too_short_to_tell_is_invalid() {
    let short = text("elbencho.csv").replace("5730,7233", "0,0");
    let data = read(&[file("a.csv", &short)]);
    assert_eq!(*invalid(&data, "elbencho.mkdirs"), Imported::PrintedAsZero {}.into());
}

#[test]
fn versions_1_count_in_milliseconds_and_microseconds() {
    let data = read_fixtures(&["elbencho-1.x.txt"]);
    tests_are_of(&data, "elbencho");
    let write = sample(&data, "elbencho.write");
    assert!(near(write.figures.metrics[0].value, 1480.0 * 1.048576));
    assert_eq!((write.metric("iops"), write.figures.seconds), (Some(1480.0), 4.1));
    assert_eq!(write.metric("first_done_s"), Some(4.0));
    assert!(near(write.metric("service_mean_us").unwrap(), 660.0));
    let read = sample(&data, "elbencho.read");
    assert!(near(read.figures.metrics[0].value, 3000.0 * 1.048576));
    assert!(near(read.metric("service_mean_us").unwrap(), 330.0));
}

#[test]
fn a_phase_with_its_totals_needs_no_closing_rule() {
    let data = read_fixtures(&["elbencho-no-closing-rule.txt"]);
    let write = sample(&data, "elbencho.write");
    assert!(near(write.figures.metrics[0].value, 250.0 * 1.048576));
    assert_eq!(write.metric("iops"), Some(2000.0));
    assert!(
        data.campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("`---`")))
    );
}

#[test]
fn decimal_megabytes_are_not_mebibytes() {
    let decimal = text("elbencho-1.x.txt").replace("Throughput MiB/s", "Throughput MB/s ");
    let data = read(&[file("a.txt", &decimal)]);
    assert_eq!(sample(&data, "elbencho.write").figures.metrics[0].value, 1480.0);
}

#[test]
fn damage_is_named_with_file_and_line() {
    every_cut_is_an_error("elbencho.json", "}", 400);
    let csv = text("elbencho.csv");
    let cut = &csv[..csv.rfind(",RMDIRS").unwrap()];
    assert!(error(&[file("a.csv", cut)]).starts_with("a.csv, line 7: 16 columns where"));
    let text = text("elbencho.txt");
    let cut = &text[..text.rfind("Dirs total").unwrap()];
    let why = error(&[file("a.txt", cut)]);
    assert!(why.starts_with("a.txt, line 38: the last phase does not end"), "{why}");
    let unfinished = &text[..text.rfind("\n---").unwrap()];
    assert!(error(&[file("a.txt", unfinished)]).contains("the last phase does not end"));
    let broken = text.replace("[ min=57us", "[ min=57parsecs");
    assert!(error(&[file("a.txt", &broken)]).ends_with("line 14: invalid latency"));
}

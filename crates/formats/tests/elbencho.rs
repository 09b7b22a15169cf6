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

/// What elbencho 3 prints with `--rwmixpct 30 --lat`.
const MIX: &str = "\
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
RWMIX30     Elapsed time     :      5.000s      5.001s
            IOPS write       :        7000        6990
            IOPS read        :        3000        2990
            IOPS total       :       10000        9980
            MiB/s write      :          27          27
            MiB/s read       :          11          11
            MiB/s total      :          39          38
            MiB write        :         136         136
            MiB read         :          58          58
            IO wr latency    : [ min=10us avg=60us max=1.20ms ]
            IO rd latency    : [ min=30us avg=150us max=3.10ms ]
---
";

fn mixed(data: &Dataset, test: &str, figures: &[(&str, f64)]) {
    let phase = sample(data, test);
    assert_eq!(phase.figures.metrics[0].name, "rate");
    for (name, value) in figures {
        let got = phase.metric(name).unwrap_or_else(|| panic!("{test} has no {name}"));
        assert!(near(got, *value), "{name} is {got}, not {value}");
    }
    assert!(says(data, "those of both together"));
}

#[test]
fn a_mix_counts_what_was_read_and_what_was_written() {
    let figures = [
        ("rate", 38.0 * MB),
        ("write_rate", 27.0 * MB),
        ("read_rate", 11.0 * MB),
        ("iops", 9980.0),
        ("write_iops", 6990.0),
        ("read_iops", 2990.0),
    ];
    let data = read(&[file("a.txt", MIX)]);
    mixed(&data, "elbencho.rwmix30", &figures);
    mixed(
        &data,
        "elbencho.rwmix30",
        &[("write_service_mean_us", 60.0), ("read_service_max_us", 3100.0)],
    );
    let csv = text("elbencho.csv");
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let write = lines.find(|line| line.contains(",WRITE,")).unwrap();
    let mut cells: Vec<&str> = write.splitn(header.len(), ',').collect();
    for (column, value) in [
        ("operation", "RWMIX30"),
        ("IOPS [last]", "6990"),
        ("MiB/s [last]", "27"),
        ("rwmix read IOPS [last]", "2990"),
        ("rwmix read MiB/s [last]", "11"),
        ("rwmix read IO lat us [avg]", "150"),
    ] {
        cells[header.iter().position(|name| *name == column).unwrap()] = value;
    }
    let data = read(&[file("a.csv", &format!("{}\n{}\n", header.join(","), cells.join(",")))]);
    mixed(&data, "elbencho.rwmix30", &figures);
    mixed(
        &data,
        "elbencho.rwmix30",
        &[("write_service_mean_us", 68.0), ("read_service_mean_us", 150.0)],
    );
    let json = text("elbencho.json");
    let write = json.lines().find(|line| line.contains("\"WRITE\"")).unwrap();
    let reads = r#""last_done":{"rwmix_read":{"iops":"2990","bytes\/s":"11534336"},"#;
    let json = write.replace("\"WRITE\"", "\"RWMIX30\"").replace("\"last_done\":{", reads);
    let data = read(&[file("a.json", &json)]);
    mixed(&data, "elbencho.rwmix30", &[("iops", 19944.0 + 2990.0), ("read_rate", 11.0 * MB)]);
}

#[test]
fn directories_of_files_are_not_the_files() {
    let with_dirs = text("elbencho.txt")
        .replace("            Files/s          :        7930        4986\n", "            Files/s          :        7930        4986\n            Dirs/s           :         158          99\n");
    let data = read(&[file("a.txt", &with_dirs)]);
    assert_eq!(sample(&data, "elbencho.write").metric("ops_rate"), Some(4986.0));
    assert_eq!(sample(&data, "elbencho.mkdirs").metric("ops_rate"), Some(7233.0));
}

#[test]
fn live_rows_of_a_mix_are_no_rows_of_reads_alone() {
    let header = text("elbencho-live.csv").lines().next().unwrap().to_owned();
    let row = |ms: u64, mix: &str, bytes: u64| {
        format!(
            "2024-03-04T10:00:01.000+0000,,RWMIX30,{ms},Total,{mix},0,{bytes},9,2500,0,0,0,300,2,9,,\n"
        )
    };
    let rows = [row(1000, "", 9), row(2000, "Write", 20_000_000), row(2000, "Read", 10_000_000)];
    let data = read(&[file("a-live.csv", &format!("{header}\n{}", rows.concat()))]);
    assert!(near(value(&data, "elbencho.rwmix30-write"), 10.0));
    assert!(near(value(&data, "elbencho.rwmix30-read"), 5.0));
    assert_eq!(data.samples.len(), 2);
}

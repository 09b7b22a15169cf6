//! IOR's listing of several versions, its JSON and its CSV.
#![allow(clippy::unwrap_used)]

use crate::files;
use model::result::Note;

use files::*;
use model::result::Imported;

const MB: f64 = 1.048576;

#[test]
fn every_repetition_of_the_json_is_a_sample() {
    let data = read_fixtures(&["ior-posix.json"]);
    tests_are_of(&data, "ior");
    let rates: Vec<_> =
        data.samples.iter().map(|s| (s.case.test.as_str(), s.figures.metrics[0].value)).collect();
    assert_eq!(rates.len(), 6);
    assert_eq!((rates[0].0, rates[5].0), ("ior.write", "ior.read"));
    assert!(near(rates[0].1, 1122.7381 * MB) && near(rates[1].1, 4409.2190 * MB));
    assert!(data.samples.iter().all(|s| s.block == 0));
    let notes = &data.campaign.notes;
    assert!(notes.contains(&Note::CaseRepeats {}) && !notes.contains(&Note::RepeatsAreBlocks {}));
    assert_eq!((data.samples[0].case.procs, data.samples[0].figures.seconds), (2, 0.1140));
    assert_eq!(data.samples[1].metric("open_s"), None);
    assert_eq!(data.campaign.environment.0["tool.ior"], "4.1.0+dev");
}

#[test]
fn the_listing_gives_rows_and_tasks() {
    let data = read_fixtures(&["ior-default.txt"]);
    let read = sample(&data, "ior.read");
    assert!(near(read.figures.metrics[0].value, 11834.0 * MB));
    assert_eq!(
        (read.case.procs, read.figures.seconds, read.metric("iops")),
        (2, 0.001352, Some(47832.0))
    );
    assert!(near(read.metric("service_mean_us").unwrap(), 42.0));
}

#[test]
fn version_3_with_random_offsets_is_another_test() {
    let data = read_fixtures(&["ior-3.0.txt"]);
    tests_are_of(&data, "ior");
    assert_eq!(data.samples.len(), 4);
    let ids: Vec<_> = data.tests.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(ids, ["ior.rndwrite", "ior.rndread"]);
    assert!(near(data.samples[2].figures.metrics[0].value, 500.0 * MB));
    assert_eq!(data.samples[0].case.procs, 4);
}

#[test]
fn the_best_of_one_is_a_figure_and_the_best_of_several_is_not() {
    let data = read_fixtures(&["ior-2.10.txt"]);
    assert!(near(sample(&data, "ior.write").figures.metrics[0].value, 310.5 * MB));
    let several = text("ior-2.10.txt").replace("repetitions        = 1", "repetitions        = 5");
    let data = read(&[file("ior.txt", &several)]);
    assert_eq!(*invalid(&data, "ior.read"), Imported::IorPrintedBest { repetitions: 5 }.into());
}

#[test]
fn csv_rows_are_repetitions_and_say_what_they_do_not_tell() {
    let data = read_fixtures(&["ior-random-shared.csv"]);
    assert_eq!(data.samples.len(), 4);
    assert!(near(data.samples[2].figures.metrics[0].value, 56.5247 * MB));
    assert_eq!(data.samples[2].case.procs, 2);
    assert!(
        data.campaign.notes.iter().any(|note| note
            .said()
            .is_some_and(|said| said.contains("does not distinguish random")))
    );
}

#[test]
fn other_transfers_are_other_work() {
    let other = text("ior-random-shared.csv").replace(",4096.0000,4.0000,", ",4096.0000,8.0000,");
    let why = error(&[fixture("ior-random-shared.csv"), file("b.csv", &other)]);
    assert!(why.starts_with("b.csv, line 2: `ior.write` did different work here"), "{why}");
}

#[test]
fn summary_of_all_with_rows_replaces_the_closing_line() {
    let data = read_fixtures(&["ior-without-finished.txt"]);
    let write = sample(&data, "ior.write");
    assert!(near(write.figures.metrics[0].value, 1000.0 * MB));
    assert_eq!((write.metric("iops"), write.case.procs), (Some(1000.0), 2));
    assert!(
        data.campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("`Finished` is missing")))
    );
    let text = text("ior-without-finished.txt");
    let cut = &text[..text.find("Summary of all").unwrap()];
    let why = error(&[file("a.txt", cut)]);
    assert!(why.contains("last line `Finished` is missing"), "{why}");
    let best = format!("{cut}Max Write: 1000.00 MiB/sec (1048.58 MB/sec)\n");
    assert_eq!(
        read(&[file("a.txt", &best)]).samples,
        data.samples
            .clone()
            .into_iter()
            .map(|mut s| {
                s.case.target = "a".into();
                s
            })
            .collect::<Vec<_>>()
    );
}

#[test]
fn rows_of_the_summary_are_no_results_where_blank_lines_were_lost() {
    let data = read_fixtures(&["ior-blank-lines-lost.txt"]);
    assert_eq!(data.samples.len(), 2);
    assert!(near(sample(&data, "ior.write").figures.metrics[0].value, 512.0 * MB));
    assert!(near(sample(&data, "ior.read").figures.metrics[0].value, 1024.0 * MB));
    assert_eq!(data.samples[0].case.procs, 2);
}

#[test]
fn damage_is_named_with_file_and_line() {
    // Where the summary is whole the closing line tells nothing more.
    every_cut_is_an_error("ior-default.txt", "POSIX", 700);
    every_cut_is_an_error("ior-posix.json", "}", 400);
    let cut = text("ior-random-shared.csv").replace(",2,1\n", "\n");
    assert!(error(&[file("a.csv", &cut)]).starts_with("a.csv, line 4: 10 columns where"), "{cut}");
    let broken = text("ior-default.txt").replace("3654 ", "fast ");
    assert_eq!(
        error(&[file("a.txt", &broken)]),
        "a.txt, line 34: bw(MiB/s) is `fast`, not a number"
    );
}

//! bonnie++'s CSV and text, versions 1.03 to 2.00.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;
use model::result::{Dataset, Imported, Validity};

fn rate(data: &Dataset, key: &str) -> f64 {
    sample(data, &format!("bonnie.{key}")).figures.metrics[0].value
}

#[test]
fn csv_of_2_00_gives_rates_and_latencies() {
    let data = read_fixtures(&["bonnie.csv"]);
    tests_are_of(&data, "bonnie++");
    assert_eq!(data.samples.len(), 12);
    assert!(near(rate(&data, "put_block"), 682809.0 * 1024.0 / 1e6));
    let write = sample(&data, "bonnie.put_block");
    assert_eq!(
        (write.metric("cpu_pct"), write.metric("latency_max_ms")),
        (Some(44.0), Some(8.032))
    );
    assert_eq!(data.campaign.environment.0["tool.bonnie++"], "2.00a");
}

#[test]
fn a_hidden_phase_is_no_number() {
    for name in ["bonnie.csv", "bonnie.txt"] {
        let data = read_fixtures(&[name]);
        let hidden = [
            "seeks",
            "seq_create",
            "seq_stat",
            "seq_delete",
            "random_create",
            "random_stat",
            "random_delete",
        ];
        for key in hidden {
            let why = invalid(&data, &format!("bonnie.{key}"));
            assert_eq!(*why, Imported::BonnieHidPhase {}.into());
        }
        assert_eq!(data.samples.iter().filter(|s| s.evidence.validity.is_valid()).count(), 5);
    }
}

#[test]
fn text_agrees_with_csv_within_its_digits() {
    let (text, csv) = (read_fixtures(&["bonnie.txt"]), read_fixtures(&["bonnie.csv"]));
    assert_eq!(text.tests, csv.tests);
    for (a, b) in
        text.samples.iter().zip(&csv.samples).filter(|(a, _)| a.evidence.validity.is_valid())
    {
        let ratio = a.figures.metrics[0].value / b.figures.metrics[0].value;
        assert!((0.95..1.05).contains(&ratio), "{a:?} {b:?}");
        assert_eq!(a.figures.metrics[1..], b.figures.metrics[1..]);
    }
}

/// Debian's bonnie++ 2.00a on 1024 files: `1024` is in its table wherever a rate should be, 178 to 416 in its CSV
/// line.
#[test]
fn number_of_files_in_the_text_is_no_rate() {
    let text = read_fixtures(&["bonnie-2.00a-files.txt"]);
    let csv = read_fixtures(&["bonnie-2.00a-files.csv"]);
    assert_eq!(text.tests, csv.tests);
    for (a, b) in text.samples.iter().zip(&csv.samples) {
        assert_eq!(a.case, b.case);
        let is_of_files = a.case.test.contains("seq_") || a.case.test.contains("random_");
        match b.figures.metrics.split_first() {
            Some((rate, costs)) if is_of_files => {
                assert!((178.0..=416.0).contains(&rate.value), "{b:?}");
                let why = Imported::BonniePrintedCount {}.into();
                assert_eq!(a.evidence.validity, Validity::Invalid(why));
                assert_eq!(a.figures.metrics, costs);
            }
            _ => assert_eq!(
                (&a.figures.metrics, &a.evidence.validity),
                (&b.figures.metrics, &b.evidence.validity)
            ),
        }
    }
    let counts = [rate(&csv, "seq_create"), rate(&csv, "random_delete")];
    assert_eq!((counts, text.samples[0].case.procs), ([208.0, 220.0], 2));
    assert_eq!(sample(&text, "bonnie.random_create").metric("latency_max_ms"), Some(41.884));
    assert!(says(&text, "its CSV line has both"));
}

/// What `%5d` makes of a `double` depends on the processor.
#[test]
fn files_in_the_text_of_2_00_have_no_rate_whatever_it_prints() {
    let spoilt = text("bonnie-2.00a-files.txt").replace("  1024  23", " -1717986918  23");
    let why = Imported::BonniePrintedCount {}.into();
    assert_eq!(*invalid(&read(&[file("a.txt", &spoilt)]), "bonnie.seq_create"), why);
    let spoilt = text("bonnie-2.00a-files.txt").replace("  1024  23", "  102x  23");
    assert!(error(&[file("a.txt", &spoilt)]).contains("`102x` is not a figure of bonnie++"));
}

#[test]
fn concurrency_of_2_00_is_a_part_of_the_size() {
    let text = text("bonnie.txt");
    for (size, procs) in [("2G", 1), ("2G:4k", 1), ("2G:4k:8", 8), ("2G:::65536", 1)] {
        let cells = format!("h1 {size:>16}");
        let one = text.replacen("h1               2G", &cells, 1);
        let data = read(&[file("a.txt", &one)]);
        assert!(data.samples.iter().all(|sample| sample.case.procs == procs), "{size}");
    }
    // The same work by more processes is the same test.
    let more = text.replacen("              2G", "           2G::4", 1).replace("667m", "700m");
    let data = read(&[file("a.txt", &text), file("b.txt", &more)]);
    assert_eq!(data.samples.len(), 24);
}

#[test]
fn a_table_made_of_the_csv_line_is_refused_by_name() {
    let why = error(&[fixture("bonnie-csv2txt-refused.txt")]);
    assert!(why.contains("bon_csv2txt made this table"), "{why}");
    assert!(why.ends_with("import the CSV line of bonnie++ that it was made of"), "{why}");
}

#[test]
fn a_second_table_of_files_is_not_of_the_run_before_it() {
    let whole = text("bonnie-1.96-fast.txt");
    let files = &whole[whole.rfind("Version").unwrap()..];
    let why = error(&[file("a.txt", &format!("{whole}{files}"))]);
    assert!(why.contains("put each run into a separate file"), "{why}");
}

#[test]
fn version_1_03_is_the_same_in_text_and_csv() {
    let (text, csv) = (read_fixtures(&["bonnie-1.03.txt"]), read_fixtures(&["bonnie-1.03.csv"]));
    assert_eq!(text.samples.len(), 12);
    assert!(near(rate(&csv, "putc"), 48522.0 * 1.024e-3));
    assert_eq!(rate(&csv, "seeks"), 189.7);
    assert_eq!(rate(&csv, "random_delete"), 6543.0);
    for (a, b) in text.samples.iter().zip(&csv.samples) {
        assert_eq!(
            (&a.figures.metrics, &a.evidence.validity),
            (&b.figures.metrics, &b.evidence.validity)
        );
    }
}

#[test]
fn phases_that_were_skipped_are_left_out() {
    let (text, csv) =
        (read_fixtures(&["bonnie-1.96-fast.txt"]), read_fixtures(&["bonnie-1.96.csv"]));
    assert_eq!(text.samples.len(), 10);
    assert!(near(rate(&text, "put_block"), 187264.0 * 1.024e-3));
    assert_eq!(sample(&text, "bonnie.seeks").metric("latency_max_ms"), Some(241.0));
    assert_eq!(sample(&text, "bonnie.seq_create").metric("latency_max_ms"), Some(3874.0));
    assert_eq!(text.samples[0].case.procs, 4);
    for (a, b) in text.samples.iter().zip(&csv.samples) {
        assert_eq!(
            (&a.case.test, &a.figures.metrics, a.case.procs),
            (&b.case.test, &b.figures.metrics, b.case.procs)
        );
    }
}

#[test]
fn names_of_several_machines_in_one_file_are_targets() {
    let csv = text("bonnie-1.96.csv");
    let both = format!("{}{}", csv.replace("h1", "xfs"), csv.replace("h1", "ext4"));
    assert_eq!(labels(&read(&[file("all.csv", &both)])), ["xfs", "ext4"]);
    let seed = csv.split(',').nth(4).unwrap();
    let later = csv.replacen(&format!(",{seed},"), ",1900000000,", 1);
    assert_ne!(csv, later);
    let repeats = format!("{csv}{later}");
    let data = read(&[file("xfs.csv", &repeats)]);
    assert_eq!((labels(&data), data.samples.len()), (vec!["xfs"], 20));
}

#[test]
fn csv_line_wins_over_the_table_next_to_it() {
    let both = text("bonnie.txt") + &text("bonnie.csv");
    let data = read(&[file("a.txt", &both)]);
    assert!(near(rate(&data, "put_block"), 682809.0 * 1.024e-3));
}

#[test]
fn a_refusal_is_an_error() {
    let why = error(&[fixture("bonnie-r1g-error.txt")]);
    assert!(why.starts_with("bonnie-r1g-error.txt, line 2: bonnie++ refused to run"), "{why}");
}

#[test]
fn damage_is_named_with_file_and_line() {
    let csv = text("bonnie.csv");
    let cut = &csv[..csv.len() - 20];
    assert!(
        error(&[file("a.csv", &format!("{csv}{cut}"))]).starts_with("a.csv, line 2: a CSV line")
    );
    let text = text("bonnie.txt");
    let broken = text.replace("667m", "667x");
    assert_eq!(
        error(&[file("a.txt", &broken)]),
        "a.txt, line 4: `667x` is not a figure of \
                                                  bonnie++"
    );
    let cut = &text[..text.find("1.0g").unwrap()];
    assert!(error(&[file("a.txt", cut)]).starts_with("a.txt, line 4: the row has 6 cells, not 14"));
    let cut = &text[..text.find("h1 ").unwrap()];
    assert!(error(&[file("a.txt", cut)]).starts_with("a.txt, line 1: the table has no row"));
}

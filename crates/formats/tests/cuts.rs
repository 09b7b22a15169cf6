//! Every fixture, cut at each byte of its last lines: what is read of it is the same, or refused, or less by whole
//! lines, and never another figure. A fixture that is read twice counts once, and some test names it.
#![allow(clippy::unwrap_used)]

use crate::{corpus::fixtures, files};

use files::{file, options};
use formats::import;
use model::result::{Dataset, Sample};
use std::path::Path;

/// Lines that are cut, counted from the end, and the most bytes of them.
const LAST_LINES: usize = 4;
const MOST_BYTES: usize = 400;

/// Logs of a moment a line, whose figures are of all lines: one line less is a shorter log of the same tool.
const LOGS: [&str; 2] = [".log", "-live.csv"];

/// Outputs without the tool's head, whose second half is taken for a later part of one run.
const GOES_ON: [&str; 2] = ["iostat-flushes-alone.txt", "elbencho-live.csv"];

/// Where the last lines of `text` begin.
fn begin(text: &[u8]) -> usize {
    let filled = text.trim_ascii_end();
    let ends = filled.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    let line = ends.map(|(at, _)| at).nth(LAST_LINES - 1).unwrap_or(0);
    line.max(text.len().saturating_sub(MOST_BYTES))
}

/// Whether `cut` says of its case what `whole` says, or less.
fn is_part(cut: &Sample, whole: &Sample) -> bool {
    let has = |metric| whole.figures.metrics.contains(metric);
    cut.case == whole.case && cut.figures.metrics.iter().all(has)
}

/// The first sample of `cut` that is valid and not in `whole`.
fn other<'a>(cut: &'a Dataset, whole: &Dataset) -> Option<&'a Sample> {
    let valid = cut.samples.iter().filter(|sample| sample.evidence.validity.is_valid());
    let mut others = valid.filter(|sample| !whole.samples.iter().any(|one| is_part(sample, one)));
    others.next()
}

fn figures(data: &Dataset) -> usize {
    data.samples.iter().map(|sample| sample.figures.metrics.len()).sum()
}

/// What is wrong with the file `name` when only the first `end` bytes of `all` are left.
fn fault(name: &str, whole: &Dataset, all: &[u8], end: usize) -> Option<String> {
    let (text, lost) = all.split_at(end);
    let cut = import(&[(name.into(), text.into())], None, &options()).ok()?;
    let at_line_end = text.ends_with(b"\n") || lost.starts_with(b"\n");
    if at_line_end && LOGS.iter().any(|end| name.ends_with(end)) {
        return None;
    }
    let tail = String::from_utf8_lossy(&text[text.len().saturating_sub(40)..]).into_owned();
    // Of a group of fio without its second row the first is all there is, under its own name.
    let is_known = |sample: &&Sample| whole.tests.iter().any(|test| test.id == sample.case.test);
    if let Some(sample) = other(&cut, whole).filter(|sample| !at_line_end || is_known(sample)) {
        let (case, metrics) = (&sample.case.test, &sample.figures.metrics);
        return Some(format!(
            "{name} that ends in {tail:?} has other figures of {case}: {metrics:?}"
        ));
    }
    // A whole line may be missing from a format that has no end, a part of one may not.
    let is_less = figures(&cut) < figures(whole);
    (is_less && !at_line_end).then(|| format!("{name} that ends in {tail:?} loses figures"))
}

#[test]
fn a_cut_in_the_last_lines_never_gives_another_figure() {
    let mut faults = Vec::new();
    for (name, text) in fixtures() {
        let Ok(whole) = import(&[(name.clone(), text.clone())], None, &options()) else { continue };
        let cuts = begin(&text)..text.len();
        let found: Vec<String> = cuts.filter_map(|end| fault(&name, &whole, &text, end)).collect();
        if let Some(first) = found.first() {
            faults.push(format!("{} cuts, e.g. {first}", found.len()));
        }
    }
    let remedy = "check in the importer that the file ends, e.g. by `text::check_end`";
    assert!(faults.is_empty(), "{remedy}:\n{}", faults.join("\n"));
}

#[test]
fn a_latency_of_bonnie_that_lost_its_last_letter_is_no_minutes() {
    let whole = files::text("bonnie.csv").replace("8032us", "9627m");
    let error = import(&[file("bonnie.csv", &whole)], None, &options()).unwrap_err().to_string();
    assert!(error.starts_with("bonnie.csv, line 1: invalid latency"), "{error}");
}

#[test]
fn run_that_occurs_twice_counts_once() {
    let mut faults = Vec::new();
    for (name, text) in fixtures() {
        let Ok(once) = import(&[(name.clone(), text.clone())], None, &options()) else { continue };
        let twice = [text.as_slice(), text.as_slice()].concat();
        let Ok(twice) = import(&[(name.clone(), twice)], None, &options()) else { continue };
        if twice.samples.len() != once.samples.len() && !GOES_ON.contains(&name.as_str()) {
            let (once, twice) = (once.samples.len(), twice.samples.len());
            faults.push(format!("{name}: {once} samples, and {twice} when it stands twice"));
        }
    }
    let remedy = "end each run in the importer by `Gather::end_run`";
    assert!(faults.is_empty(), "{remedy}:\n{}", faults.join("\n"));
}

#[test]
fn each_fixture_has_a_test_that_names_it() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let sources = std::fs::read_dir(tests).unwrap().map(|entry| entry.unwrap().path());
    let sources: Vec<String> = sources
        .filter(|path| path.is_file())
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let is_named = |name: &str| sources.iter().any(|text| text.contains(name));
    let unnamed: Vec<String> =
        fixtures().into_iter().map(|(name, _)| name).filter(|name| !is_named(name)).collect();
    assert!(unnamed.is_empty(), "no test checks the samples of {unnamed:?}");
}

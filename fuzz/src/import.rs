//! Files of other tools and of other machines, through every importer.

use super::{assert_harmless, dataset::unpack};
use formats::{ImportOptions, NamedBytes, export, import as read, importer_names};
use model::result::{Dataset, Sample};
use std::collections::HashSet;

/// Larger datasets are not written and read again.
const MOST_READ_BACK: usize = 100;
/// Longest message of a refusal, bytes.
const LONGEST_ERROR: usize = 4096;

/// Files to import: what an importer accepts keeps the promises of a dataset and comes back from our own formats, and
/// what it refuses it refuses in a line.
pub fn import(bytes: &[u8]) -> bool {
    let files = unpack(bytes);
    let options = ImportOptions { created: "2026-01-02T03:04:05Z".into(), ..Default::default() };
    let mut accepted = false;
    for importer in importer_names() {
        match read(&files, Some(importer), &options) {
            Ok(data) => {
                assert_promises(importer, &data);
                assert_written(importer, &data);
                accepted = true;
            }
            Err(why) => {
                let why = why.to_string();
                assert_harmless(importer, &why);
                assert!(!why.contains(['\n', '\t']), "{importer}: the error is no line: {why:?}");
                assert!(
                    why.len() < LONGEST_ERROR,
                    "{importer}: the error is too long: {why:.300?}"
                );
            }
        }
    }
    accepted
}

/// What every dataset promises.
fn assert_promises(importer: &str, data: &Dataset) {
    // Our own formats give back what was exported, whatever it was.
    let own = ["csv", "json"].contains(&importer);
    let targets: HashSet<_> = data.targets.iter().map(|target| &target.label).collect();
    let tests: HashSet<_> = data.tests.iter().map(|test| &test.id).collect();
    let listed_once = targets.len() == data.targets.len() && tests.len() == data.tests.len();
    assert!(listed_once, "{importer}: a target or a test is listed twice");
    for sample in &data.samples {
        let case = &sample.case;
        let known = targets.contains(&case.target) && tests.contains(&case.test);
        assert!(known, "{importer}: {case:?} names what is not listed");
        let metrics = sample.all_metrics();
        let names: HashSet<_> = metrics.iter().map(|metric| &metric.name).collect();
        assert_eq!(names.len(), metrics.len(), "{importer}: {case:?} has a metric twice");
        let counts =
            own || !sample.figures.metrics.is_empty() || !sample.evidence.validity.is_valid();
        assert!(counts, "{importer}: {case:?} is valid without a metric");
        assert_figures(importer, sample);
    }
}

fn assert_figures(importer: &str, sample: &Sample) {
    let case = &sample.case;
    let times = [sample.figures.seconds, sample.covariates.skew_ms, sample.covariates.overlap];
    let metrics = sample.all_metrics();
    let mut values = metrics.iter().map(|metric| metric.value).chain(times);
    assert!(values.all(f64::is_finite), "{importer}: {case:?} has a figure that is not finite");
    for histogram in &sample.figures.histograms {
        let ascending = histogram.bins.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let counted = histogram.bins.iter().all(|bin| bin.1 > 0);
        assert!(ascending && counted, "{importer}: {case:?} has a histogram out of order");
    }
}

/// What is written of `data` has names that lead nowhere and no text that commands a terminal, and our own formats
/// give it back.
fn assert_written(importer: &str, data: &Dataset) {
    for export in [export::json, export::csv, export::psv, export::fio_json] {
        let files = export(data).unwrap_or_else(|why| panic!("{importer}: not exported: {why}"));
        files.iter().for_each(assert_stays_put);
    }
    if data.samples.len() > MOST_READ_BACK {
        return;
    }
    for export in [export::json, export::csv] {
        let files = export(data).unwrap_or_else(|why| panic!("{importer}: not exported: {why}"));
        let back = read(&files, None, &ImportOptions::default());
        let back = back.unwrap_or_else(|why| panic!("{} is not read back: {why}", files[0].0));
        assert!(back == *data, "{importer}: {} gives another dataset back", files[0].0);
    }
}

fn assert_stays_put((name, bytes): &NamedBytes) {
    let stays =
        |part: &str| part.len() < 250 && part.starts_with(|c: char| c.is_ascii_alphanumeric());
    assert!(name.split('/').all(stays), "a file is called {name:?}");
    assert_harmless(name, &String::from_utf8_lossy(bytes));
}

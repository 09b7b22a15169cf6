//! Helpers for the tests of importers: fixtures and samples.
#![allow(clippy::unwrap_used, dead_code)]

use formats::{ImportOptions, NamedBytes, import};
use model::result::{Contradiction, Dataset, Reason, Sample, Validity};
use std::path::Path;

/// A fixture by its name.
pub(crate) fn fixture(name: &str) -> NamedBytes {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    (name.into(), std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display())))
}

/// A file that was not in the fixtures.
pub(crate) fn file(name: &str, text: &str) -> NamedBytes {
    (name.into(), text.into())
}

/// A fixture as text.
pub(crate) fn text(name: &str) -> String {
    String::from_utf8(fixture(name).1).unwrap()
}

pub(crate) fn options() -> ImportOptions {
    ImportOptions { target: None, created: "2026-01-02T03:04:05Z".into(), ..Default::default() }
}

/// The dataset of files that are recognised.
pub(crate) fn read(files: &[NamedBytes]) -> Dataset {
    let data = import(files, None, &options()).unwrap();
    check(&data);
    data
}

/// The dataset of fixtures by their names.
pub(crate) fn read_fixtures(names: &[&str]) -> Dataset {
    read(&names.iter().map(|name| fixture(name)).collect::<Vec<_>>())
}

/// The error of files that are recognised.
pub(crate) fn error(files: &[NamedBytes]) -> String {
    import(files, None, &options()).unwrap_err().to_string()
}

/// What every dataset promises: all that samples name is listed, and numbers are numbers.
pub(crate) fn check(data: &Dataset) {
    for sample in &data.samples {
        assert!(data.targets.iter().any(|t| t.label == sample.case.target), "{sample:?}");
        let test = data.tests.iter().find(|t| t.id == sample.case.test).unwrap();
        assert_eq!(test.suite, sample.case.suite);
        assert!(sample.figures.metrics.iter().all(|m| m.value.is_finite()), "{sample:?}");
        let first = sample.figures.metrics.first();
        let first = first.map(|metric| (metric.name.as_str(), metric.unit.as_str()));
        let ranked = Some((&*test.metric, &*test.unit));
        assert_eq!(first == ranked, sample.evidence.validity.is_valid(), "{sample:?}");
        assert!(sample.metric(&test.metric).is_some() == (first == ranked), "{sample:?}");
    }
    assert!(!data.samples.is_empty());
}

/// The only sample of a test.
pub(crate) fn sample<'a>(data: &'a Dataset, test: &str) -> &'a Sample {
    let mut of = data.samples.iter().filter(|s| s.case.test == test);
    let sample = of.next().unwrap_or_else(|| panic!("{test} has no sample"));
    assert!(of.next().is_none(), "{test} has several samples");
    sample
}

/// The value of the ranking figure of a test.
pub(crate) fn value(data: &Dataset, test: &str) -> f64 {
    sample(data, test).figures.metrics[0].value
}

/// Why the only sample of a test is not valid.
pub(crate) fn invalid<'a>(data: &'a Dataset, test: &str) -> &'a Reason {
    match &*sample(data, test).evidence.validity {
        Validity::Invalid(why) => why,
        other => panic!("{test} is {other:?}"),
    }
}

/// Target labels in order.
pub(crate) fn labels(data: &Dataset) -> Vec<&str> {
    data.targets.iter().map(|target| target.label.as_str()).collect()
}

/// Equal up to the rounding of the arithmetic.
pub(crate) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}

/// Every test of the dataset is one that the tool is known to give.
pub(crate) fn tests_are_of(data: &Dataset, tool: &str) {
    let known = formats::tool_tests(tool);
    for test in &data.tests {
        assert!(known.contains(test), "{test:?}");
    }
}

/// Cut anywhere in the last bytes before the end of `closing`, an output must not pass for a whole one.
pub(crate) fn every_cut_is_an_error(name: &str, closing: &str, last_bytes: usize) {
    let whole = text(name);
    let end = whole.rfind(closing).unwrap() + closing.len();
    for end in end - last_bytes..end {
        let cut = import(&[file(name, &whole[..end])], None, &options());
        let Err(error) = cut else { panic!("cut at {end} passes") };
        assert!(error.to_string().starts_with(&format!("{name}, line ")), "{error}");
    }
}

/// The only sample of `data`.
pub(crate) fn only(data: &Dataset) -> &Sample {
    assert_eq!(data.samples.len(), 1, "{:?}", data.tests);
    &data.samples[0]
}

/// Whether a note of `data` says `part`.
pub(crate) fn says(data: &Dataset, part: &str) -> bool {
    data.campaign.notes.iter().any(|note| note.said().is_some_and(|said| said.contains(part)))
}

/// A figure above one that bounds it.
pub(crate) fn order((low, low_value): (&str, f64), (high, high_value): (&str, f64)) -> Reason {
    let (low, high) = (low.into(), high.into());
    let (low_value, high_value) = (low_value.into(), high_value.into());
    Contradiction::Order { low, low_value, high, high_value }.into()
}

/// Why `sample` is not valid.
pub(crate) fn why(sample: &Sample) -> &Reason {
    sample.evidence.validity.why().unwrap_or_else(|| panic!("{sample:?} is valid"))
}

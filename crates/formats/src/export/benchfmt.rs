//! The samples in the format of Go's benchmarks, for benchstat and what else reads it
//! (<https://go.dev/design/14313-benchmark-format>): a line for each valid sample, its case as keys of the name, so
//! that `benchstat -col /target` sets targets side by side. The figure that a case is ranked by is under its unit, the
//! others under their names.

use super::{Exporter, scalar::scalar, stem};
use crate::{FormatError, NamedBytes};
use model::{
    figure::Metric,
    result::{Dataset, Sample},
    text::printable_line,
};
use std::collections::BTreeMap;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "benchfmt",
    help: "Go benchmark format, for benchstat (-col /target)",
    files: |dataset, _| benchfmt(dataset),
};

/// Facts of the environment with the keys that Go gives them.
const CONFIGURATION: [(&str, &str); 3] =
    [("cpu", "cpu.model"), ("kernel", "kernel.release"), ("os", "os.name")];

/// One file, `ID.bench.txt`.
fn benchfmt(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let campaign = &dataset.campaign;
    let mut text = format!("goos: linux\npkg: assay\ncampaign: {}\n", line(&campaign.id));
    for (key, fact) in CONFIGURATION {
        if let Some(value) = campaign.environment.0.get(fact) {
            text += &format!("{key}: {}\n", line(value));
        }
    }
    let valid = || dataset.samples.iter().filter(|sample| sample.evidence.validity.is_valid());
    // Said once, before the first line that has the unit.
    let mut units = BTreeMap::new();
    for sample in valid() {
        for (at, metric) in sample.all_metrics().iter().enumerate() {
            units.entry(unit(at, metric)).or_insert(metric.better);
        }
    }
    for (unit, better) in units {
        text += &format!("Unit {unit} better={}\n", better.as_str());
    }
    valid().for_each(|sample| text += &result(sample));
    Ok(vec![(format!("{}.bench.txt", stem(dataset)), text.into_bytes())])
}

/// The line of `sample`; empty without a figure.
fn result(sample: &Sample) -> String {
    let metrics = sample.all_metrics();
    if metrics.is_empty() {
        return String::new();
    }
    let case = &sample.case;
    let test = case.test.strip_prefix(&format!("{}.", case.suite)).unwrap_or(&case.test);
    // The name ends in a word: a number behind a `-` would be taken for GOMAXPROCS.
    let mut line = format!(
        "Benchmark{}/test={}/target={}/procs={}/threads={}/cache={} {}",
        capital(&word(&case.suite)),
        word(test),
        word(&case.target),
        case.procs,
        case.threads,
        case.cache,
        sample.figures.ops.max(1)
    );
    for (at, metric) in metrics.iter().enumerate() {
        line += &format!(" {:?} {}", value(at, metric), unit(at, metric));
    }
    line + "\n"
}

/// What a figure is called. The ranking one has the units that benchstat knows.
fn unit(at: usize, metric: &Metric) -> String {
    match (at, scalar(metric).unit.as_str()) {
        (0, "s") => "sec/op".into(),
        (0, "B/s") => "B/s".into(),
        (0, "1/s") => "op/s".into(),
        (0, _) if !metric.unit.is_empty() => word(&metric.unit),
        _ if metric.name.is_empty() => "value".into(),
        _ => word(&metric.name),
    }
}

fn value(at: usize, metric: &Metric) -> f64 {
    if at == 0 { scalar(metric).value } else { metric.value }
}

/// `text` as one word of a name: what would end it is written as in an address of the web.
fn word(text: &str) -> String {
    let mut word = String::new();
    for c in text.chars() {
        match c {
            '/' | '%' => word += &format!("%{:02X}", c as u32),
            c if c.is_whitespace() || c.is_control() => word += &format!("%{:02X}", c as u32),
            c => word.push(c),
        }
    }
    printable_line(&word).into_owned()
}

/// `text` on one line.
fn line(text: &str) -> String {
    printable_line(text).into_owned()
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

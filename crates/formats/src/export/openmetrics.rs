//! The samples as OpenMetrics text (<https://prometheus.io/docs/specs/om/open_metrics_spec>), for Prometheus and what
//! reads its format: each figure a gauge in base units, named `assay_METRIC_UNIT`, with the case of its sample as
//! labels. `assay_sample_valid` has every sample; one that is not valid has no figure. The label `sample` counts from
//! 0, as the column of that name in CSV does, so no two series are the same.

use super::{
    Exporter,
    scalar::{Scalar, scalar},
    stem,
};
use crate::{FormatError, NamedBytes};
use model::{
    figure::Metric,
    result::{Dataset, Sample},
    text::printable_line,
};
use std::collections::BTreeMap;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "openmetrics",
    help: "Gauges in base units, for Prometheus and compatible programs",
    files: |dataset, _| openmetrics(dataset),
};

/// Series of one name, which are together.
struct Family {
    unit: String,
    help: String,
    lines: String,
}

/// One file, `ID.om.txt`.
fn openmetrics(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let valid = "1 for a valid sample, else 0".to_string();
    for (number, sample) in dataset.samples.iter().enumerate() {
        let labels = labels(dataset, number, sample);
        let is_valid = sample.evidence.validity.is_valid();
        add(
            &mut families,
            "assay_sample_valid",
            "",
            &valid,
            &labels,
            f64::from(u8::from(is_valid)),
        );
        for metric in sample.all_metrics().iter().filter(|_| is_valid) {
            let (name, unit, value) = family(metric);
            let help = format!("{}, better {}", line(&metric.name), metric.better.as_str());
            // Two figures of a sample may differ in what a name cannot hold.
            let labels = format!("{labels},metric=\"{}\"", escaped(&line(&metric.name)));
            add(&mut families, &name, &unit, &help, &labels, value);
        }
    }
    let mut text = String::new();
    for (name, Family { unit, help, lines }) in families {
        text += &format!("# TYPE {name} gauge\n");
        if !unit.is_empty() {
            text += &format!("# UNIT {name} {unit}\n");
        }
        text += &format!("# HELP {name} {}\n{lines}", escaped(&help));
    }
    text += "# EOF\n";
    Ok(vec![(format!("{}.om.txt", stem(dataset)), text.into_bytes())])
}

fn add(
    families: &mut BTreeMap<String, Family>,
    name: &str,
    unit: &str,
    help: &str,
    labels: &str,
    value: f64,
) {
    let new = || Family { unit: unit.into(), help: help.into(), lines: String::new() };
    let family = families.entry(name.into()).or_insert_with(new);
    family.lines += &format!("{name}{{{labels}}} {value:?}\n");
}

/// Name of the family of `metric`, its unit, which ends the name, and its value in it.
fn family(metric: &Metric) -> (String, String, f64) {
    let Scalar { value, unit } = scalar(metric);
    let unit = match unit.as_str() {
        "s" => "seconds".into(),
        "B" => "bytes".into(),
        "B/s" => "bytes_per_second".into(),
        "1/s" => "per_second".into(),
        "Hz" => "hertz".into(),
        other => other.strip_suffix("/s").map_or(word(other), |of| word(of) + "_per_second"),
    };
    // Names of figures end in their unit, where they have one.
    let ends = ["_ns", "_us", "_ms", "_s", "_pct", "_bytes", "_mhz"];
    let bare = ends.iter().find_map(|end| metric.name.strip_suffix(end)).unwrap_or(&metric.name);
    let name = format!("assay_{}", word(bare));
    let name = if unit.is_empty() { name } else { format!("{name}_{unit}") };
    (name, unit, value)
}

/// The labels of `sample`, the one of `number`.
fn labels(dataset: &Dataset, number: usize, sample: &Sample) -> String {
    let case = &sample.case;
    let labels = [
        ("campaign", dataset.campaign.id.clone()),
        ("suite", case.suite.clone()),
        ("test", case.test.clone()),
        ("target", case.target.clone()),
        ("procs", case.procs.to_string()),
        ("threads", case.threads.to_string()),
        ("cache", case.cache.to_string()),
        ("block", sample.block.to_string()),
        ("sample", number.to_string()),
    ];
    let label = |(name, value): (&str, String)| format!("{name}=\"{}\"", escaped(&line(&value)));
    labels.map(label).join(",")
}

/// `text` on one line.
fn line(text: &str) -> String {
    printable_line(text).into_owned()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// `text` as a part of a name: what no name may hold is written as `_`.
fn word(text: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    text.chars().map(fits).collect()
}

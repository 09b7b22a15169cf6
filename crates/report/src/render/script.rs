//! The script of the page and the data that it computes from. It is one text of several files; the page is whole
//! without it, and nothing else may run.

use crate::{names, sections::anchors};
use maud::{Markup, PreEscaped, html as markup};
use model::{Dataset, printable};
use serde::Serialize;
use stats::{BlockLogs, Findings, Ratio, Settings, VECTORS};

/// The files share their names, and run in this order.
const SCRIPT: &str = concat!(
    include_str!("script/start.js"),
    include_str!("script/numbers.js"),
    include_str!("script/statistics.js"),
    include_str!("script/selftest.js"),
    include_str!("script/tables.js"),
    include_str!("script/forest.js"),
    include_str!("script/what_if.js"),
    include_str!("script/controls.js"),
    include_str!("script/drawers.js"),
);

/// Nothing may be loaded, and nothing may run but the script with this hash.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                                 script-src 'sha256-nM6WnakAoKi5FdMieUiyElg17ZpacKZSARnWkwtCqGY='";

/// Metrics that a reader may rank by instead, where samples have them.
const METRICS: [&str; 11] = [
    "cache_rate",
    "sync_s",
    "sum_rate",
    "nano_rate",
    "iops",
    "latency_ms",
    "latency_max_ms",
    "service_p50_us",
    "service_p99_us",
    "response_p50_us",
    "response_p99_us",
];

/// Samples above which there is no choice of metric: each one costs a copy of them.
const MOST_SAMPLES: usize = 20_000;

/// What the script is given.
#[derive(Serialize)]
struct Carried {
    #[serde(flatten)]
    logs: BlockLogs,
    /// What the places of drawers begin with; the table and the row follow.
    drawers: String,
    /// What stands for an interval that is.
    very_wide: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<Other>,
}

/// What is computed by another metric.
#[derive(Serialize)]
struct Other {
    name: &'static str,
    logs: BlockLogs,
}

/// What other choices are computed from, JSON that is safe in a page; `None` where there is nothing to choose.
pub(super) fn logs(dataset: &Dataset, findings: &Findings) -> Option<String> {
    let none = findings.comparison.is_some() || findings.advice.is_some();
    if none || !findings.is_ranked || findings.verdict.candidates.len() < 2 {
        return None;
    }
    let mut logs = stats::block_logs(dataset, findings).ok()?;
    name(&mut logs, findings);
    let may_choose = dataset.samples.len() <= MOST_SAMPLES;
    let metrics = METRICS
        .into_iter()
        .filter(|_| may_choose)
        .filter_map(|metric| other(dataset, findings, &logs, metric));
    let metrics = metrics.collect();
    let widest = Ratio { point: 1.0, low: Some(1e-9), high: Some(1e9), p: None };
    let very_wide = widest.span(|_| String::new()).unwrap_or_default();
    let carried = Carried { logs, drawers: anchors(findings), very_wide, metrics };
    serde_json::to_string(&carried).ok().map(|json| harmless(&json))
}

/// The logarithms by `metric`, of the same candidates; `None` where that leaves nothing to choose.
fn other(
    dataset: &Dataset,
    findings: &Findings,
    logs: &BlockLogs,
    metric: &'static str,
) -> Option<Other> {
    let is_other = dataset.tests.iter().any(|test| test.metric != metric);
    let by_it = dataset.ranked_by(metric).filter(|_| is_other)?;
    let settings = Settings {
        baseline: Some(findings.baseline.clone()),
        band: findings.band,
        contention_limit_pct: findings.contention_limit_pct,
        ..Settings::default()
    };
    let own = stats::findings(&by_it, &settings).ok()?;
    let mut others = stats::block_logs(&by_it, &own).ok()?;
    name(&mut others, &own);
    let is_same = others.targets == logs.targets && own.lab == findings.lab;
    is_same.then_some(Other { name: metric, logs: others })
}

/// Gives tests the names that they have in tables, and makes all names fit to be shown.
fn name(logs: &mut BlockLogs, findings: &Findings) {
    for table in &findings.tables {
        for row in &table.rows {
            let own = logs.tests.iter_mut().find(|test| test.id == row.test);
            own.into_iter().for_each(|test| test.name = names::of_row(row, table));
        }
    }
    let tests = logs.tests.iter_mut().flat_map(|test| [&mut test.id, &mut test.name]);
    for text in tests.chain(&mut logs.targets) {
        *text = printable(text).into_owned();
    }
}

/// JSON in which nothing ends the element that holds it, or begins another.
fn harmless(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The data and the script.
pub(super) fn render(logs: Option<&str>) -> Markup {
    markup! {
        @if let Some(logs) = logs {
            script type="application/json" id="logs" { (PreEscaped(logs)) }
            script type="application/json" id="vectors" { (PreEscaped(VECTORS.trim())) }
        }
        script { (PreEscaped(SCRIPT)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_the_data() {
        let json = harmless(r#"{"a":"</script><!--<script>"}"#);
        assert!(!json.contains('<'), "{json}");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["a"], "</script><!--<script>");
    }
}

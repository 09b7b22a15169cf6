//! The script of the page and the data that it computes from. It is one text of several files; the page is whole
//! without it, and nothing else may run.

use crate::{
    Commands, names,
    sections::{anchors, notes_of_cells},
    words::{self, unscored},
};
use maud::{Markup, PreEscaped, html as markup};
use model::{figure::Better, result::Dataset, text::printable};
use serde::Serialize;
use stats::{
    advice::{Objection, WorkCells, Workload},
    description::Settings,
    evaluation::{BlockLogs, Findings, LogTest, VECTORS},
    kernel::Ratio,
};
use std::collections::BTreeMap;

/// The files share their names, and run in this order.
const SCRIPT: &str = concat!(
    include_str!("script/start.js"),
    include_str!("script/numbers.js"),
    include_str!("script/statistics.js"),
    include_str!("script/profiles.js"),
    include_str!("script/selftest.js"),
    include_str!("script/tables.js"),
    include_str!("script/forest.js"),
    include_str!("script/what_if.js"),
    include_str!("script/shown.js"),
    include_str!("script/stack.js"),
    include_str!("script/cells.js"),
    include_str!("script/controls.js"),
    include_str!("script/drawers.js"),
);

/// Nothing may be loaded, and nothing may run but the script with this hash.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                                 script-src 'sha256-ApvOukyxnSqp7VFXqodYWq80GcRPx4A6HSP2E35PGzs='";

/// Metrics that a reader may rank by instead, where samples have them, and what they are.
const METRICS: [(&str, &str); 12] = [
    ("cache_rate", "rate into the page cache"),
    ("sync_s", "time of the sync"),
    ("sum_rate", "sum of the processes' rates"),
    ("nano_rate", "rate as computed by its source"),
    ("iops", "operations per second"),
    ("latency_ms", "mean latency"),
    ("latency_max_ms", "longest latency"),
    ("service_p50_us", "p50, closed loop"),
    ("service_p99_us", "p99, closed loop"),
    ("response_p50_us", "p50, open loop"),
    ("response_p99_us", "p99, open loop"),
    ("cpu_ns_per_op", "CPU time per operation"),
];

/// Samples above which there is no choice of metric: each one costs a copy of them.
const MOST_SAMPLES: usize = 20_000;

/// What the script is given.
#[derive(Serialize)]
struct Carried {
    #[serde(flatten)]
    logs: BlockLogs,
    /// Of the campaign.
    id: String,
    /// What commands that read it carry behind their verb.
    #[serde(skip_serializing_if = "String::is_empty")]
    carried: String,
    /// What the places of drawers begin with; the table and the row follow.
    drawers: String,
    /// What stands for an interval that is.
    very_wide: String,
    /// Of groups in no score: their titles, and the headings that say why.
    headings: BTreeMap<&'static str, String>,
    notes: Vec<Note>,
    units: Vec<Unit>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<Other>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    profiles: Vec<Profile>,
}

/// Place of a table, of a row in it and of a column, and what is said of that cell next to or instead of its ratio.
type Note = (usize, usize, usize, Vec<String>);

/// Of a test in the logarithms: the unit of its values, and whether less is better.
type Unit = (String, bool);

/// What is weighed by a profile.
#[derive(Serialize)]
struct Profile {
    name: String,
    intent: String,
    covered: f64,
    groups: Vec<Work>,
    /// The targets that are ruled out, with reasons.
    out: Vec<(String, String)>,
}

/// A group of it with the tests that show it, by place, and process counts.
#[derive(Serialize)]
struct Work {
    name: String,
    weight: f64,
    cells: Vec<(usize, u32)>,
}

/// What is computed by another metric.
#[derive(Serialize)]
struct Other {
    name: &'static str,
    title: &'static str,
    logs: BlockLogs,
    notes: Vec<Note>,
    units: Vec<Unit>,
}

/// What other choices are computed from, JSON that is safe in a page; `None` where there is nothing to choose.
pub(super) fn logs(dataset: &Dataset, findings: &Findings, commands: &Commands) -> Option<String> {
    if !findings.is_of_campaign() || !findings.is_ranked || findings.verdict.candidates.len() < 2 {
        return None;
    }
    let mut logs = stats::evaluation::block_logs(dataset, findings).ok()?;
    let units = units(dataset, &logs);
    name(&mut logs, findings);
    let may_choose = dataset.samples.len() <= MOST_SAMPLES;
    let metrics = METRICS
        .into_iter()
        .filter(|_| may_choose)
        .filter_map(|metric| other(dataset, findings, &logs, metric));
    let metrics = metrics.collect();
    let widest = Ratio { point: 1.0, low: Some(1e-9), high: Some(1e9), p: None };
    let very_wide = widest.span(|_| String::new()).unwrap_or_default();
    let profiles = findings.workloads.profiles.iter().map(profile).collect();
    let id = printable(&dataset.campaign.id).into_owned();
    let (drawers, notes) = (anchors(findings), notes_of_cells(findings));
    let groups = findings.tables.iter().map(|table| table.group);
    let groups = groups.filter(|group| !group.is_scored());
    let headings = groups.map(|group| (group.title(), unscored::heading(group))).collect();
    let carried = printable(commands.options()).into_owned();
    let own = Carried {
        logs,
        id,
        carried,
        drawers,
        very_wide,
        headings,
        notes,
        units,
        metrics,
        profiles,
    };
    serde_json::to_string(&own).ok().map(|json| harmless(&json))
}

/// The units of the tests of `logs`, in their order; the names of those are not made fit to be shown yet.
fn units(dataset: &Dataset, logs: &BlockLogs) -> Vec<Unit> {
    let unit = |own: &LogTest| {
        let info = dataset.tests.iter().find(|info| info.id == own.id);
        info.map_or_else(Unit::default, |info| {
            (printable(&info.unit).into_owned(), info.better == Better::Lower)
        })
    };
    logs.tests.iter().map(unit).collect()
}

fn profile(workload: &Workload) -> Profile {
    let work = |own: &WorkCells| Work {
        name: own.name.clone(),
        weight: own.weight,
        cells: own.cells.clone(),
    };
    let why = |all: &Vec<Objection>| all.iter().map(words::objection).collect::<Vec<_>>();
    let out = |(label, all): &(String, Vec<Objection>)| {
        (printable(label).into_owned(), printable(&why(all).join("; ")).into_owned())
    };
    Profile {
        name: workload.name.clone(),
        intent: workload.intent.clone(),
        covered: workload.covered,
        groups: workload.groups.iter().map(work).collect(),
        out: workload.ruled_out.iter().map(out).collect(),
    }
}

/// The logarithms by `metric`, of the same candidates; `None` where that leaves nothing to choose.
fn other(
    dataset: &Dataset,
    findings: &Findings,
    logs: &BlockLogs,
    (metric, title): (&'static str, &'static str),
) -> Option<Other> {
    let is_other = dataset.tests.iter().any(|test| test.metric != metric);
    let by_it = dataset.ranked_by(metric).filter(|_| is_other)?;
    let settings = Settings {
        baseline: Some(findings.baseline.clone()),
        band: findings.band,
        contention_limit_pct: findings.contention_limit_pct,
        ..Settings::default()
    };
    let own = stats::evaluation::findings(&by_it, &settings).ok()?;
    let mut others = stats::evaluation::block_logs(&by_it, &own).ok()?;
    let units = units(&by_it, &others);
    name(&mut others, &own);
    let is_same = others.targets == logs.targets && own.lab == findings.lab;
    let notes = notes_of_cells(&own);
    is_same.then_some(Other { name: metric, title, logs: others, notes, units })
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

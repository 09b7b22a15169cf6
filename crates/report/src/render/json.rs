//! Findings as JSON, for programs.

mod view;

use crate::{Commands, words};
use model::{result::Dataset, text::printable};
use serde::Serialize;
use stats::{
    advice::{LimitFinding, LimitOutcome},
    evaluation::Findings,
};
use view::{AdviceView, View};

/// The findings, pretty-printed. Numbers are exact; ratios above 1 are better. Characters that would
/// command a terminal are written as their escapes.
pub fn json(dataset: &Dataset, findings: &Findings, commands: &Commands) -> String {
    pretty(&View::of(findings, &commands.of(dataset)))
}

/// The advice of each of `all` that has one, in an array.
pub fn json_of_advice(all: &[Findings], commands: &Commands) -> String {
    pretty(&Vec::from_iter(all.iter().filter_map(|own| AdviceView::of(own, commands))))
}

/// [`LimitFinding`]s of a check, each with the sentence that words it.
#[derive(Serialize)]
struct CheckView<'a> {
    check: &'a str,
    campaign: &'a str,
    outcome: LimitOutcome,
    limits: Vec<LimitView<'a>>,
}

#[derive(Serialize)]
struct LimitView<'a> {
    #[serde(flatten)]
    finding: &'a LimitFinding,
    sentence: String,
}

/// What became of the limits of a check.
pub fn json_of_limits(
    judged: words::CheckedCampaign<'_>,
    findings: &[LimitFinding],
    commands: &Commands,
) -> String {
    let sentence = |finding| commands.completed(&words::limit(judged, finding)).into_owned();
    let view = |finding| LimitView { finding, sentence: sentence(finding) };
    pretty(&CheckView {
        check: judged.name,
        campaign: judged.campaign,
        outcome: words::together(findings),
        limits: findings.iter().map(view).collect(),
    })
}

fn pretty(value: &impl Serialize) -> String {
    // Findings hold no maps and no fallible types, so this cannot fail; if it ever did, the reason
    // is still valid JSON.
    let text = serde_json::to_string_pretty(value)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string());
    printable(&text).into_owned()
}

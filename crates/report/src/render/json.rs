//! Findings as JSON, for programs.

mod view;

use model::{result::Dataset, text::printable};
use serde::Serialize;
use stats::evaluation::Findings;
use view::{AdviceView, View};

/// The findings, pretty-printed. Numbers are exact; ratios above 1 are better. Characters that would
/// command a terminal stand as their escapes.
pub fn json(_: &Dataset, findings: &Findings) -> String {
    pretty(&View::of(findings))
}

/// The advice of each of `all` that has one, in an array.
pub fn json_of_advice(all: &[Findings]) -> String {
    pretty(&Vec::from_iter(all.iter().filter_map(AdviceView::of)))
}

fn pretty(value: &impl Serialize) -> String {
    // Findings hold no maps and no fallible types, so this cannot fail; if it ever did, the reason
    // is still valid JSON.
    let text = serde_json::to_string_pretty(value)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string());
    printable(&text).into_owned()
}

//! Findings as JSON, for programs.

mod view;

use model::{Dataset, printable};
use stats::Findings;
use view::View;

/// The findings, pretty-printed. Numbers are exact; ratios above 1 are better. Characters that would
/// command a terminal stand as their escapes.
pub fn json(_: &Dataset, findings: &Findings) -> String {
    // Findings hold no maps and no fallible types, so this cannot fail; if it ever did, the reason
    // is still valid JSON.
    let text = serde_json::to_string_pretty(&View::of(findings))
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string());
    printable(&text).into_owned()
}

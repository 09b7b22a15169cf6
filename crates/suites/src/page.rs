//! The page of a declared test: what it does, how to read it, its settings.

use crate::kind::{Head, Kind};
use model::workload::TestInfo;
use std::fmt::Write;

/// Puts a page together. `does` says what happens call by call, `read_it` how to understand the
/// figures; both Markdown.
pub(crate) fn page(head: &Head, kind: &Kind, info: &TestInfo, does: &str, read_it: &str) -> String {
    let mut text = format!("# {} (`{}`)\n\n", info.name, info.id);
    let _ =
        writeln!(text, "Suite {}, table {}, {}.\n", info.suite, info.group.title(), info.testtype);
    if let Some(about) = &head.about {
        let _ = writeln!(text, "{}\n", about.trim());
    }
    let _ = writeln!(text, "## What it does\n\n{}\n", does.trim());
    let _ = writeln!(
        text,
        "## How to read it\n\n`{}` ranks ({}, {} is better). {}\n",
        info.metric,
        info.unit,
        info.better.as_str(),
        read_it.trim()
    );
    let _ = writeln!(text, "## Declaration\n\n{}\n", kind_line(kind));
    let _ = writeln!(text, "```toml\n[[test]]\n{}\n```\n", head.declaration.trim());
    text + &settings(kind)
}

/// Describes the kind that a declaration names with `kind`.
pub(crate) fn kind_line(kind: &Kind) -> String {
    format!(
        "Kind `{}`: {} Copy it, change it, and run it with `--suite FILE`.",
        kind.name, kind.about
    )
}

/// The table of what a declaration of `kind` can set.
pub(crate) fn settings(kind: &Kind) -> String {
    let mut text = String::from("| setting | unit | default | what |\n|---|---|---|---|\n");
    for knob in kind.knobs {
        let allowed = if knob.range.is_empty() {
            String::new()
        } else {
            format!(" ({})", knob.range.join(", "))
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {}{allowed} |",
            knob.name, knob.unit, knob.default, knob.help
        );
    }
    text
}

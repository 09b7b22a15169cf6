//! Finds JSON documents in text: after a prefix, and nested in another document.

use super::{Mending, lines::Lines};
use serde_json::{Map, Value};

/// Text that every run of fio contains.
const FIO: &str = "fio version";

/// Runs deeper than this are not looked for.
const DEEPEST: usize = 16;

/// Longer text before a brace is no accident.
const LONGEST: usize = 40;

/// Whether a text is JSON from its first character on.
pub(super) fn begins(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.strip_prefix('{').or_else(|| text.strip_prefix('['));
    let rest = rest.map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '{', '}', '[', ']']))
}

/// Leaves out what is on the line of the first brace before it: half of a command, a prompt.
pub(super) fn stray(lines: &mut Lines<'_>) -> Option<Mending> {
    let at = lines.iter().position(|line| line.contains('{'))?;
    let line = lines.get(at);
    let (before, rest) = line.split_at(line.find('{')?);
    let opens = rest[1..].trim_start();
    let next = lines.iter().skip(at + 1).map(str::trim_start).find(|line| !line.is_empty());
    let is_key =
        |text: &str| text.starts_with('"') && text.contains("\":") || text.starts_with("\"");
    let opens = if opens.is_empty() { next.is_some_and(is_key) } else { is_key(opens) };
    let is_stray = !before.trim().is_empty()
        && before.chars().count() <= LONGEST
        && !before.contains(['"', '[', ':', '=', ',']);
    if !opens || !is_stray {
        return None;
    }
    let (before, whole, rest) = (before.trim().to_owned(), line.to_owned(), rest.to_owned());
    let first = std::cell::Cell::new(true);
    lines.replace(|line| (line == whole && first.replace(false)).then(|| rest.clone()));
    lines.cut(at);
    Some(Mending::Stray(before))
}

/// Takes runs of fio out of a document that another tool made around them.
pub(super) fn unnest(lines: &mut Lines<'_>) -> Option<Mending> {
    let head: String = lines.filled().take(2).collect();
    let is_plain =
        head.trim_start().trim_start_matches('{').trim_start().starts_with("\"fio version\"");
    if is_plain || !lines.iter().any(|line| line.contains("\"fio version\"")) {
        return None;
    }
    let bytes = lines.from(0, usize::MAX);
    let root: Value = serde_json::from_slice(&bytes).ok()?;
    if root.as_object().is_some_and(is_run) {
        return None;
    }
    let mut found = Vec::new();
    runs(&root, "", 0, &mut found);
    let key = found.first()?.0.to_owned();
    let texts = found.iter().map(|(_, run)| Value::Object((*run).clone()).to_string()).collect();
    lines.put(texts);
    Some(Mending::Nested(key))
}

fn is_run(object: &Map<String, Value>) -> bool {
    object.contains_key(FIO) && (object.contains_key("jobs") || object.contains_key("client_stats"))
}

/// Adds the runs below `value`, each with the nearest key above it.
fn runs<'v>(
    value: &'v Value,
    key: &'v str,
    depth: usize,
    found: &mut Vec<(&'v str, &'v Map<String, Value>)>,
) {
    match value {
        Value::Object(object) if is_run(object) => found.push((key, object)),
        Value::Object(object) if depth < DEEPEST => {
            object.iter().for_each(|(key, inner)| runs(inner, key, depth + 1, found));
        }
        Value::Array(list) if depth < DEEPEST => {
            list.iter().for_each(|inner| runs(inner, key, depth + 1, found));
        }
        _ => {}
    }
}

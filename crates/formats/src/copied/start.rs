//! Finds the start of a tool's output: its indent, and the text before it.

use super::{Mending, lines::Lines};
use crate::source::HEAD_BYTES;

/// Output is looked for so far into a text.
const DEEPEST_BYTES: usize = 256 << 10;

/// Maximum number of indents to try.
const INDENTS: usize = 8;

/// A part that is less far in is one of the tool.
const BLOCK: usize = 2;

/// Fewer lines are no part.
const FEWEST: usize = 3;

/// The end of the head of a table of `iostat --pretty`, whose lines the tool itself indents.
const RIGHT_ALIGNED: &str = " Device";

/// Takes the indent off that all lines have.
pub(super) fn outdent(lines: &mut Lines<'_>) -> Option<Mending> {
    let blanks = lines.filled().map(indent).min().filter(|&blanks| blanks > 0)?;
    take_off(lines, blanks);
    Some(Mending::Indent(blanks))
}

/// Takes off the blanks that all lines end in.
pub(super) fn trim(lines: &mut Lines<'_>) -> Option<Mending> {
    let ends_in_blank = |line: &str| line.ends_with([' ', '\t']);
    if lines.filled().count() == 0 || !lines.filled().all(ends_in_blank) {
        return None;
    }
    lines.replace(|line| Some(line.trim_end().to_owned()));
    Some(Mending::Trailing)
}

/// Removes the indent that all lines have, or the lines of a separate part.
pub(super) fn dedent(lines: &mut Lines<'_>) -> Option<Mending> {
    if let Some(found) = outdent(lines) {
        return Some(found);
    }
    let blanks = block(lines)?;
    take_off(lines, blanks);
    Some(Mending::Indent(blanks))
}

/// The indent of a part after an empty line or the start, all lines of which are further in than the text
/// around it: a block of code in a document.
fn block(lines: &Lines<'_>) -> Option<usize> {
    let (mut after_empty, mut part) = (true, Vec::new());
    for line in lines.iter().chain(["end"]) {
        let is_empty = line.trim().is_empty();
        if is_empty {
            after_empty = true;
        } else if indent(line) >= BLOCK && (after_empty || !part.is_empty()) {
            if line.trim_end().ends_with(RIGHT_ALIGNED) {
                return None;
            }
            part.push(indent(line));
            after_empty = false;
        } else {
            if part.len() >= FEWEST {
                return part.into_iter().min();
            }
            part.clear();
            after_empty = false;
        }
    }
    None
}

/// Leaves out what is before the output and hides it; where nothing is known even so, a part that is
/// further in than the text around it is.
pub(super) fn find(
    lines: &mut Lines<'_>,
    knows: &dyn Fn(&[u8]) -> bool,
    findings: &mut Vec<Mending>,
) {
    let mut found = begin(lines, knows);
    if found.is_none() {
        for blanks in indents(lines) {
            let mut inner = lines.clone();
            take_off(&mut inner, blanks);
            found = begin(&inner, knows);
            if found.is_some() {
                *lines = inner;
                findings.push(Mending::Indent(blanks));
                break;
            }
        }
    }
    if let Some(first) = found.filter(|&first| first > 0) {
        lines.cut(first);
        findings.push(Mending::Preamble(first));
    }
}

/// The line from which on the text is known.
fn begin(lines: &Lines<'_>, knows: &dyn Fn(&[u8]) -> bool) -> Option<usize> {
    let (mut since, mut bytes) = (0, 0);
    for at in 0..lines.len() {
        let line = lines.get(at);
        let heads_table = commas(line) > 2 && (at == 0 || commas(lines.get(at - 1)) == 0);
        if at == 0 || since >= HEAD_BYTES / 2 || heads_table {
            since = 0;
            if knows(&lines.from(at, HEAD_BYTES)) {
                return Some(at);
            }
        }
        since += line.len() + 1;
        bytes += line.len() + 1;
        if bytes > DEEPEST_BYTES {
            break;
        }
    }
    None
}

fn commas(line: &str) -> usize {
    line.bytes().filter(|&byte| byte == b',').count()
}

/// The indents at which parts begin, behind an empty line or another indent.
fn indents(lines: &Lines<'_>) -> Vec<usize> {
    let (mut found, mut before) = (Vec::new(), 0);
    for line in lines.iter() {
        let blanks = if line.trim().is_empty() { 0 } else { indent(line) };
        if blanks > before && !found.contains(&blanks) && found.len() < INDENTS {
            found.push(blanks);
        }
        before = blanks;
    }
    found.sort_unstable();
    found
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn take_off(lines: &mut Lines<'_>, blanks: usize) {
    lines.replace(|line| (indent(line) >= blanks).then(|| line[blanks..].to_owned()));
}

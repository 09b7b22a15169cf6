//! Lines that a mail program broke. That is known by lines that no tool writes so short, and undone where
//! the next word would not have fitted.

use super::{Finding, lines::Lines};

/// Lines of tools: what they hold, and what stands towards their end.
const LONG: [(&str, &str); 13] = [
    ("lat (", "stdev="),
    ("issued ", "dropped="),
    (": (g=", "iodepth="),
    (": (groupid=", "pid="),
    ("READ: bw=", "run="),
    ("WRITE: bw=", "run="),
    ("access    bw(MiB/s)", "iter"),
    ("Max(MiB)", "RefNum"),
    ("--Sequential Output-", "--Random-"),
    ("Operation  ", "Std Dev"),
    ("reclen", "freread"),
    ("rkB/s", "%util"),
    ("rMB/s", "%util"),
];

/// Mail programs break at 65 to 78, forums at up to this.
const WIDEST: usize = 100;

/// Lines on which the end of a broken one may stand.
const REACH: usize = 3;

/// Joins broken lines.
///
/// # Errors
/// When lines are broken in a way that leaves open how they were.
pub(super) fn join(lines: &mut Lines<'_>) -> Result<Option<Finding>, String> {
    if !is_broken(lines) {
        return Ok(None);
    }
    let width = widest(lines);
    let refused = || {
        format!(
            "the lines are wrapped at {width} characters, and where is not certain; give the output as the \
             tool wrote it"
        )
    };
    if width > WIDEST {
        return Err(refused());
    }
    lines.join(|before, line| between(before, line, width));
    if is_broken(lines) { Err(refused()) } else { Ok(Some(Finding::Wrapped(width))) }
}

fn widest(lines: &Lines<'_>) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Whether a line of a tool ends too early, or one of its tables goes on below a row.
fn is_broken(lines: &Lines<'_>) -> bool {
    let parts_of_percentiles = lines.iter().any(|line| {
        let is_part = line.contains("th=[") && !line.trim_start().starts_with('|');
        is_part || (line.contains("th=[") && line.rfind('[') > line.rfind(']'))
    });
    let lone = (1..lines.len()).any(|at| {
        let (before, line) = (lines.get(at - 1), lines.get(at));
        let is_number = |text: &str| text.contains('.') && text.parse::<f64>().is_ok();
        let figures = before.split_whitespace().filter(|word| is_number(word)).count();
        is_number(line.trim()) && figures > 1
    });
    parts_of_percentiles
        || lone
        || LONG.iter().any(|(head, tail)| {
            (0..lines.len()).any(|at| {
                let line = lines.get(at);
                let Some(from) = line.find(head) else { return false };
                let ends = |next: usize| {
                    let next = lines.get(at + next);
                    next.contains(tail) && !next.contains(head)
                };
                !line[from..].contains(tail) && (1..=REACH).any(ends)
            })
        })
}

/// What stood where `before` ends, when `line` goes on with it.
fn between(before: &str, line: &str, width: usize) -> Option<&'static str> {
    let word = line.split([' ', '\t']).next().filter(|word| !word.is_empty())?;
    if before.trim().is_empty() {
        return None;
    }
    let (before_len, word_len) = (before.chars().count(), word.chars().count());
    let last = before.rsplit([' ', '\t']).next().unwrap_or_default().chars().count();
    if before_len == width && last + word_len > width {
        return Some("");
    }
    (before_len + 1 + word_len > width).then_some(" ")
}

//! Rejoins lines that a mail program wrapped. They are detected by lines shorter than any that the tool prints, and
//! joined if the next word would not have fitted.

use super::{Mending, lines::Lines};
use std::collections::HashSet;

/// Lines of tools: what they hold, and what is towards their end.
const LONG: [(&str, &str); 24] = [
    ("[RESULT", "second"),
    ("[SCORE", "TOTAL"),
    // The line of shares, `lat (usec)   : 4=1.00%`, which has no `stdev=`, has a blank before its colon.
    ("lat (nsec):", "stdev="),
    ("lat (usec):", "stdev="),
    ("lat (msec):", "stdev="),
    ("sync (", "stdev="),
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
    ("      tps ", "Device"),
    ("rkB/s", "%util"),
    ("rMB/s", "%util"),
    ("CREAT", "UNLINK"),
    (" requests completed in ", "/s"),
    (" MB/sec (sync ", "ms"),
    ("Time (mean ", "]"),
    ("Time (abs ", "]"),
];

/// How lines begin that may follow one that is nearly as long as the longest.
const STARTS: [&str; 6] = ["[RESULT", "[SCORE", "[  ", "Run status", "Disk stats", "Finished"];

/// Mail programs break at 65 to 78, forums at up to this.
const WIDEST: usize = 100;

/// Mail programs break no shorter row.
const SHORTEST: usize = 60;

/// The commas of a row of bonnie++, by version.
const COMMAS: [usize; 3] = [26, 47, 49];

/// Lines on which the end of a broken one may stand.
const REACH: usize = 3;

/// Joins broken lines.
///
/// # Errors
/// When lines are broken in a way that leaves open how they were.
pub(super) fn join(lines: &mut Lines<'_>) -> Result<Option<Mending>, String> {
    if !is_broken(lines) {
        return Ok(None);
    }
    let width = widest(lines);
    let refused = || {
        format!(
            "the lines are wrapped at {width} characters, and the original breaks are ambiguous; \
             import the tool's original output"
        )
    };
    if width > WIDEST {
        return Err(refused());
    }
    let starts = certain_starts(lines, width);
    lines.join(|before, line| {
        let word = line.split_whitespace().next().unwrap_or_default();
        let starts = starts.contains(word) || is_start(line);
        between(before, line, width).filter(|_| !starts)
    });
    if is_broken(lines) { Err(refused()) } else { Ok(Some(Mending::Wrapped(width))) }
}

fn is_start(line: &str) -> bool {
    STARTS.iter().any(|start| line.starts_with(start))
}

/// The first words of lines that continue with none, as the line before had room for them.
fn certain_starts(lines: &Lines<'_>, width: usize) -> HashSet<String> {
    let (mut starts, mut before) = (HashSet::new(), "");
    for line in lines.iter() {
        if between(before, line, width).is_none() {
            starts.extend(line.split_whitespace().next().map(str::to_owned));
        }
        before = line;
    }
    starts
}

fn widest(lines: &Lines<'_>) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Whether a line of a tool ends too early, or continues below.
fn is_broken(lines: &Lines<'_>) -> bool {
    lines.iter().any(is_part)
        || has_lone_figure(lines)
        || has_cut_row(lines)
        || (0..lines.len()).any(|at| is_short(lines, at))
}

/// Whether a line is the end of one that was broken, or breaks off within brackets.
fn is_part(line: &str) -> bool {
    let percentiles = line.contains("th=[");
    let open = percentiles && line.rfind('[') > line.rfind(']');
    let apart = percentiles && !line.trim_start().starts_with('|');
    open || apart || line.trim() == "[INVALID]"
}

/// Whether a figure is alone below a row of figures.
fn has_lone_figure(lines: &Lines<'_>) -> bool {
    let is_figure = |text: &str| text.contains('.') && text.parse::<f64>().is_ok();
    let figures = |line: &str| line.split_whitespace().filter(|word| is_figure(word)).count();
    (1..lines.len()).any(|at| is_figure(lines.get(at).trim()) && figures(lines.get(at - 1)) > 1)
}

/// Whether a row of bonnie++'s CSV, which holds no blank, continues below: all of its lines but the last are equally
/// long, and only together have they its commas.
fn has_cut_row(lines: &Lines<'_>) -> bool {
    let commas = |line: &str| line.bytes().filter(|&byte| byte == b',').count();
    let mut row: Vec<&str> = Vec::new();
    for line in lines.iter().chain([""]) {
        if !line.is_empty() && !line.contains([' ', '\t']) {
            row.push(line);
            continue;
        }
        if let [whole @ .., last] = &row[..]
            && let Some(first) = whole.first()
        {
            let width = first.len();
            let broken = whole.iter().all(|line| line.len() == width) && last.len() <= width;
            let sum: usize = row.iter().map(|line| commas(line)).sum();
            if broken && width >= SHORTEST && commas(first) >= 10 && COMMAS.contains(&sum) {
                return true;
            }
        }
        row.clear();
    }
    false
}

/// Whether what belongs to the end of a line is on one of the next.
fn is_short(lines: &Lines<'_>, at: usize) -> bool {
    let line = lines.get(at);
    LONG.iter().any(|(head, tail)| {
        let Some(from) = line.find(head) else { return false };
        let ends = |next: usize| {
            let next = lines.get(at + next);
            next.contains(tail) && !next.contains(head) && !is_start(next)
        };
        !line[from..].contains(tail) && (1..=REACH).any(ends)
    })
}

/// What stood where `before` ends, when `line` continues with it.
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

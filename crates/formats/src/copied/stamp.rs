//! Removes a timestamp at the start of every line, as in logs, with the text that follows it.

use super::{Mending, lines::Lines};

/// What logs of containers say of a line behind its time.
const STREAMS: [&str; 4] = ["stdout F", "stderr F", "stdout P", "stderr P"];

/// Takes the times off that at least `fewest` lines have, where all lines from the first to the last of them have one.
pub(super) fn take_off(lines: &mut Lines<'_>, fewest: usize) -> Option<Mending> {
    let filled: Vec<&str> = lines.filled().collect();
    let has = |line: &&str| behind(line).is_some();
    let first = filled.iter().position(has)?;
    let last = filled.iter().rposition(has)?;
    let all = last + 1 - first;
    let counts = all >= fewest && 2 * all >= filled.len() && filled[first..=last].iter().all(has);
    if !counts {
        return None;
    }
    lines.replace(|line| behind(line).map(str::to_owned));
    Some(Mending::Stamp)
}

/// The text after the time of a line.
fn behind(line: &str) -> Option<&str> {
    let (open, rest) = match line.strip_prefix('[') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let rest = moment(rest).or_else(|| uptime(rest).filter(|_| open))?;
    let rest = if open { rest.trim_start().strip_prefix(']')? } else { rest };
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let rest = rest.strip_prefix([' ', '\t']).unwrap_or(rest);
    Some(of_stream(rest).or_else(|| of_program(rest)).unwrap_or(rest))
}

/// The text after the prefix of a log and one blank; of an empty line the blank may be lost.
fn after_end(rest: &str) -> Option<&str> {
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

fn of_stream(rest: &str) -> Option<&str> {
    STREAMS.iter().find_map(|stream| rest.strip_prefix(stream)).and_then(after_end)
}

/// The text after `host program[12]: `.
fn of_program(rest: &str) -> Option<&str> {
    let (head, rest) = rest.split_once("]:")?;
    let rest = after_end(rest)?;
    let (names, number) = head.rsplit_once('[')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && names.split(' ').count() == 2).then_some(rest)
}

/// The text after a date and a time, or a time.
fn moment(text: &str) -> Option<&str> {
    let after_date = date(text).or_else(|| month(text)).unwrap_or(text);
    let rest = after_date.strip_prefix(['T', ' ']).unwrap_or(after_date);
    let rest = digits(rest, 2)?.strip_prefix(':')?;
    let rest = digits(rest, 2)?.strip_prefix(':')?;
    let rest = digits(rest, 2)?;
    let rest = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    Some(zone(rest))
}

/// `2024-03-04` or `2024/03/04`.
fn date(text: &str) -> Option<&str> {
    let rest = digits(text, 4)?.strip_prefix(['-', '/'])?;
    let rest = digits(rest, 2)?.strip_prefix(['-', '/'])?;
    digits(rest, 2)
}

/// `Mar  4`.
fn month(text: &str) -> Option<&str> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let rest = MONTHS.iter().find_map(|month| text.strip_prefix(month))?.strip_prefix(' ')?;
    digits(rest, 2).or_else(|| digits(rest.trim_start(), 1))
}

/// The text after `Z`, `+0100`, ` UTC`.
fn zone(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix('Z').or_else(|| text.strip_prefix(" UTC")) {
        return rest;
    }
    let offset = text.strip_prefix(['+', '-']).and_then(|rest| digits(rest, 2));
    let offset = offset.map(|rest| rest.strip_prefix(':').unwrap_or(rest));
    offset.and_then(|rest| digits(rest, 2)).unwrap_or(text)
}

/// Seconds since the boot, `   12.345678`.
fn uptime(text: &str) -> Option<&str> {
    let (seconds, rest) = text.trim_start().split_once('.')?;
    let is_number = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
}

fn digits(text: &str, count: usize) -> Option<&str> {
    let all = text.get(..count)?.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| &text[count..])
}

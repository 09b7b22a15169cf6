//! Parses one line of strace's output. It may be damaged or malicious: any line gives its parts or `None`.

use super::names;
use std::borrow::Cow;

/// The content of a line.
#[derive(Debug, PartialEq)]
pub(super) enum Content<'a> {
    /// A whole call: its name, the text of its arguments, and what follows ` = `.
    Call { name: &'a str, arguments: &'a [u8], result: &'a [u8] },
    /// A call that another thread's line interrupts.
    Unfinished { name: &'a str, arguments: &'a [u8] },
    /// The rest of such a call.
    Resumed { name: &'a str, arguments: &'a [u8], result: &'a [u8] },
    /// The thread ended.
    Exit,
    /// A signal or a remark.
    Nothing,
}

/// A line: the thread, the time in nanoseconds, and its content.
#[derive(Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) tid: u32,
    pub(super) at_ns: u64,
    pub(super) content: Content<'a>,
}

/// Why a line is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Skipped {
    /// It has no time of the form that `-ttt` prints.
    NoTime,
    /// It is no line of strace, or damaged.
    Foreign,
}

/// Parses a line without its end.
pub(super) fn parse(line: &[u8]) -> Result<Line<'_>, Skipped> {
    let (tid, rest) = thread(line);
    let (at_ns, rest) = time(rest).ok_or(Skipped::NoTime)?;
    Ok(Line { tid, at_ns, content: content(rest).ok_or(Skipped::Foreign)? })
}

/// `123 ` or `[pid 123] `; without either there is one thread only.
fn thread(line: &[u8]) -> (u32, &[u8]) {
    let bracket = line.strip_prefix(b"[pid ").map(<[u8]>::trim_ascii_start);
    let from = bracket.unwrap_or(line);
    let digits = from.iter().take_while(|b| b.is_ascii_digit()).count();
    let tid = std::str::from_utf8(&from[..digits]).ok().and_then(|text| text.parse().ok());
    let rest = &from[digits..];
    let rest = if bracket.is_some() { rest.strip_prefix(b"]") } else { Some(rest) };
    match (tid, rest.filter(|rest| rest.first() == Some(&b' '))) {
        (Some(tid), Some(rest)) => (tid, rest.trim_ascii_start()),
        _ => (1, line),
    }
}

/// Seconds since 1970 with a fraction, as nanoseconds.
fn time(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = text.iter().position(|b| *b == b' ')?;
    let ns = seconds(&text[..end])?;
    Some((ns, text[end..].trim_ascii_start()))
}

fn seconds(text: &[u8]) -> Option<u64> {
    let dot = text.iter().position(|b| *b == b'.')?;
    let (whole, fraction) = (&text[..dot], &text[dot + 1..]);
    if fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let number = |digits: &[u8]| -> Option<u64> {
        let all = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        all.then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
    };
    let scale = 10u64.pow(9 - fraction.len() as u32);
    number(whole)?.checked_mul(1_000_000_000)?.checked_add(number(fraction)? * scale)
}

fn content(text: &[u8]) -> Option<Content<'_>> {
    if text.starts_with(b"+++ ") {
        return Some(if text.starts_with(b"+++ superseded") {
            Content::Nothing
        } else {
            Content::Exit
        });
    }
    if text.starts_with(b"--- ") || text.starts_with(b"strace: ") {
        return Some(Content::Nothing);
    }
    if let Some(rest) = text.strip_prefix(b"<... ") {
        let (name, rest) = word(rest)?;
        let arguments = rest.strip_prefix(b" resumed>")?;
        let (arguments, result) = outcome(arguments)?;
        return Some(Content::Resumed { name, arguments, result });
    }
    let (name, rest) = word(text)?;
    let rest = rest.strip_prefix(b"(")?;
    if let Some(arguments) = rest.strip_suffix(b"<unfinished ...>") {
        return Some(Content::Unfinished { name, arguments });
    }
    let (arguments, result) = outcome(rest)?;
    Some(Content::Call { name, arguments, result })
}

fn word(text: &[u8]) -> Option<(&str, &[u8])> {
    let end = text.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_')?;
    let name = std::str::from_utf8(&text[..end]).ok().filter(|name| !name.is_empty())?;
    Some((name, &text[end..]))
}

/// Splits at the last `) = `, before which strace may pad with spaces: text in arguments may look like it.
fn outcome(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.windows(3).rposition(|three| three == b" = ")?;
    let arguments = text[..at].trim_ascii_end().strip_suffix(b")")?;
    Some((arguments, &text[at + 3..]))
}

/// What follows ` = `: the result as the kernel returns it and nanoseconds; `None` where the call never returned.
pub(super) fn result(text: &[u8]) -> Option<(i64, u64)> {
    let took = text.iter().rposition(|b| *b == b'<').and_then(|at| {
        let inner = text[at + 1..].trim_ascii_end().strip_suffix(b">")?;
        seconds(inner)
    });
    let first = text.split(|b| *b == b' ' || *b == b'<').next()?;
    let value = number(first)?;
    let error = text.strip_prefix(b"-1 ").and_then(|rest| rest.split(|b| *b == b' ').next());
    let value = match error.and_then(|name| names::flag(std::str::from_utf8(name).ok()?)) {
        Some(errno) => -errno,
        None if value == -1 => -i64::from(libc::EIO),
        None => value,
    };
    Some((value, took.unwrap_or(0)))
}

/// A number as C writes it: decimal, hexadecimal, or octal after a 0.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(|value| value as i64);
    }
    if text.len() > 1 && text.starts_with('0') {
        return i64::from_str_radix(&text[1..], 8).ok();
    }
    text.parse().ok().or_else(|| text.parse::<u64>().ok().map(|value| value as i64))
}

/// Arguments at their commas; brackets and quotes hold theirs together.
pub(super) fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let end = end_of_argument(text);
        rest = text.get(end + 1..);
        Some(text[..end].trim_ascii())
    })
}

fn end_of_argument(text: &[u8]) -> usize {
    let (mut depth, mut is_quoted, mut is_escaped) = (0u32, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// The number that an argument stands for: flags joined by `|`, a descriptor with its file, an offset in brackets.
pub(super) fn value(argument: &[u8]) -> i64 {
    let argument = match argument.iter().rposition(|b| *b == b'[') {
        Some(at) if argument.ends_with(b"]") => &argument[at + 1..argument.len() - 1],
        _ => argument,
    };
    let end = argument.iter().position(|b| b"</".contains(b)).unwrap_or(argument.len());
    let parts = argument[..end].split(|b| *b == b'|');
    parts.fold(0, |all, part| all | flag_or_number(part.trim_ascii()))
}

fn flag_or_number(part: &[u8]) -> i64 {
    let named = || names::flag(std::str::from_utf8(part).ok()?);
    number(part).or_else(named).unwrap_or(0)
}

/// The value of `name=` within a structure.
pub(super) fn field(argument: &[u8], name: &[u8]) -> i64 {
    let inner = argument.strip_prefix(b"{").unwrap_or(argument);
    let inner = inner.strip_suffix(b"}").unwrap_or(inner);
    split(inner).find_map(|part| part.strip_prefix(name)?.strip_prefix(b"=")).map_or(0, value)
}

/// The text of a string with its escapes taken out; `None` where it is no string, or was cut off by strace.
pub(super) fn string(argument: &[u8]) -> Option<Cow<'_, [u8]>> {
    let inner = argument.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if !inner.contains(&b'\\') {
        return (!inner.contains(&b'"')).then_some(Cow::Borrowed(inner));
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let (code, used) = escape(rest)?;
        out.push(code);
        rest = &rest[used..];
    }
    Some(Cow::Owned(out))
}

/// The byte that an escape stands for, and its length without the backslash.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let simple = |code| Some((code, 1));
    match text.first()? {
        b'n' => simple(b'\n'),
        b't' => simple(b'\t'),
        b'r' => simple(b'\r'),
        b'v' => simple(0x0b),
        b'f' => simple(0x0c),
        b'x' => {
            let digits = std::str::from_utf8(text.get(1..3)?).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, 3))
        }
        b'0'..=b'7' => {
            let len = text.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let digits = std::str::from_utf8(&text[..len]).ok()?;
            Some((u8::try_from(u16::from_str_radix(digits, 8).ok()?).ok()?, len))
        }
        other => simple(*other),
    }
}

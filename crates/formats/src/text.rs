//! Helpers for importers of plain text: numbered lines, strict numbers, units.

use crate::{FormatError, table::short};
use std::{borrow::Cow, fmt::Display};

/// MiB/s in MB/s.
pub(crate) const MB_PER_MIB: f64 = 1.048576;

/// A line of a file.
pub(crate) struct Line<'a> {
    pub(crate) file: &'a str,
    /// From 1.
    pub(crate) number: u64,
    /// Without its end; what is not UTF-8 is written as U+FFFD.
    pub(crate) text: Cow<'a, str>,
    /// It has an end: it is not the last line of a file that was cut within it.
    ended: bool,
}

/// The lines of a file.
pub(crate) fn lines<'a>(file: &'a str, bytes: &'a [u8]) -> impl Iterator<Item = Line<'a>> {
    let inner = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let mut end = 0;
    inner.split(|&byte| byte == b'\n').zip(1..).map(move |(line, number)| {
        end += line.len() + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Line { file, number, text: String::from_utf8_lossy(line), ended: end <= bytes.len() }
    })
}

/// Refuses a text that ends within a line, of a format that has no closing mark: its last figure may have lost digits,
/// and the rows behind it are missing.
pub(crate) fn check_end(file: &str, bytes: &[u8]) -> Result<(), FormatError> {
    lines(file, bytes).last().map_or(Ok(()), |line| line.is_whole())
}

/// The same for a format whose last line ends with `unit`, which tells a whole line whose end was stripped from one
/// that was cut.
pub(crate) fn check_end_or_unit(file: &str, bytes: &[u8], unit: &str) -> Result<(), FormatError> {
    if bytes.ends_with(unit.as_bytes()) { Ok(()) } else { check_end(file, bytes) }
}

impl Line<'_> {
    /// The error of this line.
    pub(crate) fn bad(&self, why: impl Display) -> FormatError {
        FormatError::line(self.file, self.number, why)
    }

    /// `text`, a part of this line, as a finite number; `what` names it.
    pub(crate) fn number(&self, what: &str, text: &str) -> Result<f64, FormatError> {
        number(text).ok_or_else(|| self.bad(format!("{what} is `{}`, not a number", short(text))))
    }

    /// `text` as a count of processes or threads.
    pub(crate) fn count(&self, what: &str, text: &str) -> Result<u32, FormatError> {
        let count = text.parse().ok().filter(|&count| count > 0);
        count.ok_or_else(|| self.bad(format!("{what} is `{}`, not a count", short(text))))
    }

    /// Refuses a line without an end: its last figure may have lost digits, and nothing behind it tells.
    pub(crate) fn is_whole(&self) -> Result<(), FormatError> {
        let why = "the file ends without a newline, so the last figure may be cut; import the whole output, or add \
                   a newline if it is complete";
        if self.ended { Ok(()) } else { Err(self.bad(why)) }
    }

    /// What follows `key`, any spaces and a colon or equals sign.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        let rest = self.text.trim_start().strip_prefix(key)?.trim_start();
        rest.strip_prefix([':', '=']).map(str::trim)
    }
}

/// A finite number.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// A duration such as `12us`, `8.03ms`, `1m20.5s`, in seconds.
pub(crate) fn duration_s(text: &str) -> Option<f64> {
    let (mut rest, mut seconds) = (text.trim(), None);
    while !rest.is_empty() {
        let (digits, after) = split_at_unit(rest);
        let (unit, after) =
            after.split_at(after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len()));
        let digits = number(digits)?;
        let part = match unit {
            "ns" => digits / 1e9,
            "us" => digits / 1e6,
            "ms" => digits / 1e3,
            "s" => digits,
            "m" => digits * 60.0,
            "h" => digits * 3600.0,
            _ => return None,
        };
        seconds = Some(seconds.unwrap_or(0.0) + part);
        rest = after;
    }
    seconds.filter(|seconds: &f64| seconds.is_finite())
}

/// A number and the unit written behind it.
pub(crate) fn split_at_unit(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()))
}

/// A command without the program's path and without the values of the options in `ignored`: what
/// tells whether two runs did the same work.
pub(crate) fn work(command: &str, ignored: &[&str]) -> String {
    let mut kept = Vec::new();
    let mut words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    words.next();
    while let Some(word) = words.next() {
        if ignored.contains(&word) {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_is_not_whole() {
        for (text, whole) in
            [("a\nb\n", [true, true]), ("a\nb", [true, false]), ("a\r\nb\r\n", [true, true])]
        {
            let whole_lines = lines("f", text.as_bytes()).map(|line| line.is_whole().is_ok());
            assert!(whole_lines.eq(whole), "{text:?}");
        }
        assert!(lines("f", b"a\n\n").map(|line| line.is_whole().is_ok()).eq([true, true]));
    }

    #[test]
    fn durations_have_units() {
        for (text, seconds) in [("12us", 12e-6), ("8.5ms", 8.5e-3), ("1m20.5s", 80.5), ("0s", 0.0)]
        {
            assert_eq!(duration_s(text), Some(seconds), "{text}");
        }
        for text in ["", "12", "us", "1e9s", "..s", "1x"] {
            assert_eq!(duration_s(text), None, "{text}");
        }
    }

    #[test]
    fn work_is_a_command_without_what_may_differ() {
        assert_eq!(work("bin/mdtest '-n' '9' '-d' '/a' -F", &["-d"]), "-n 9 -F");
        assert_eq!(work("", &["-d"]), "");
    }
}

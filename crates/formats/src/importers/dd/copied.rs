//! The last line of a report of dd: bytes, seconds and the printed rate, in English or as other languages have it.

use crate::{
    table::short,
    text::{number, split_at_unit},
};
use model::result::{Contradiction, Reason};

/// How far the printed rate may be from bytes over seconds: it has two or three digits.
const PRINT_ERROR: f64 = 0.06;

/// The last line of a report.
pub(super) struct Copied<'a> {
    pub(super) bytes: u64,
    pub(super) seconds: f64,
    /// The rate as printed, with its unit.
    rate: &'a str,
}

impl<'a> Copied<'a> {
    /// `46039552 Bytes (46 MB, 44 MiB) kopiert, 21,4 s, 2,1 MB/s`, in whatever language: in all of them sizes are in
    /// brackets, and time and rate behind them have their units.
    pub(super) fn of_other_language(text: &'a str) -> Option<Copied<'a>> {
        let (before, rest) = text.split_once(['(', '（'])?;
        let (sizes, rest) = rest.split_once([')', '）'])?;
        (sizes.ends_with("iB") && sizes.contains("B, ")).then_some(())?;
        let digits =
            |text: &'a str| text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
        let bytes = digits(before)?.parse().ok()?;
        let (rest, rate) = last_part(rest)?;
        let (_, seconds) = last_part(rest)?;
        let seconds = decimal(seconds.strip_suffix(" s")?).filter(|&seconds| seconds >= 0.0)?;
        rate.ends_with("B/s").then_some(Copied { bytes, seconds, rate })
    }

    /// `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.5 s, 429 MB/s`, without `copied` at BSD:
    /// `1073741824 bytes transferred in 2.5 secs (429496729 bytes/sec)`. Some languages write `2,5 s`.
    pub(super) fn of(text: &'a str) -> Option<Copied<'a>> {
        let (bytes, rest) = text.split_once(" bytes ")?;
        let bytes = bytes.trim().parse().ok()?;
        let (seconds, rate) = match rest.strip_prefix("transferred in ") {
            Some(rest) => rest.split_once(" secs (")?,
            None => rest.split_once("copied, ")?.1.split_once(", ")?,
        };
        let (digits, unit) = seconds.split_once(' ').unwrap_or((seconds, "s"));
        matches!(unit.trim(), "s" | "seconds" | "second" | "secs").then_some(())?;
        let seconds = decimal(digits).filter(|&seconds| seconds >= 0.0)?;
        Some(Copied { bytes, seconds, rate: rate.trim().trim_end_matches(')') })
    }

    /// Whether the rate is that of bytes and seconds.
    pub(super) fn check(&self) -> Result<(), Reason> {
        let computed = self.bytes as f64 / self.seconds;
        let rate = with_point(self.rate);
        let (digits, unit) = split_at_unit(&rate);
        let Some(printed) = number(digits) else { return Ok(()) };
        // busybox counts in powers of 1024 under the same names.
        let near = |base: f64| {
            let power = match unit.trim().trim_end_matches("/s").trim_end_matches("/sec") {
                "bytes" | "B" => 0,
                "kB" | "KB" => 1,
                "MB" => 2,
                "GB" => 3,
                "TB" => 4,
                _ => return true,
            };
            let printed = printed * base.powi(power);
            (printed - computed).abs() <= PRINT_ERROR * computed
        };
        if !computed.is_finite() || near(1000.0) || near(1024.0) {
            return Ok(());
        }
        let (bytes, seconds, rate) = (self.bytes, self.seconds.into(), short(self.rate));
        Err(Contradiction::Printed { bytes, seconds, rate: rate.to_string() }.into())
    }
}

/// A number with a point or a comma before its decimals; dd writes none between thousands.
fn decimal(text: &str) -> Option<f64> {
    number(&with_point(text))
}

fn with_point(text: &str) -> String {
    text.replacen(',', ".", 1)
}

/// A text without its last part, and that part: a comma with a blank, or one as wide as both, is before it.
fn last_part(text: &str) -> Option<(&str, &str)> {
    let ends =
        [", ", "，"].iter().filter_map(|comma| text.rfind(comma).map(|at| (at, comma.len())));
    let (at, len) = ends.max()?;
    Some((&text[..at], text[at + len..].trim()))
}

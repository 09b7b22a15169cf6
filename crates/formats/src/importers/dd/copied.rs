//! The last line of a report of dd: bytes, seconds and the printed rate.

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
    /// `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.5 s, 429 MB/s`, without `copied` at BSD:
    /// `1073741824 bytes transferred in 2.5 secs (429496729 bytes/sec)`.
    pub(super) fn of(text: &'a str) -> Option<Copied<'a>> {
        let (bytes, rest) = text.split_once(" bytes ")?;
        let bytes = bytes.trim().parse().ok()?;
        let (seconds, rate) = match rest.strip_prefix("transferred in ") {
            Some(rest) => rest.split_once(" secs (")?,
            None => rest.split_once("copied, ")?.1.split_once(',')?,
        };
        let (digits, unit) = seconds.split_once(' ').unwrap_or((seconds, "s"));
        matches!(unit.trim(), "s" | "seconds" | "second" | "secs").then_some(())?;
        let seconds = number(digits).filter(|&seconds| seconds >= 0.0)?;
        Some(Copied { bytes, seconds, rate: rate.trim().trim_end_matches(')') })
    }

    /// Whether the rate is that of bytes and seconds.
    pub(super) fn check(&self) -> Result<(), Reason> {
        let computed = self.bytes as f64 / self.seconds;
        let (digits, unit) = split_at_unit(self.rate);
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

//! Sizes as people write them: `512`, `4k`, `1.5G`. Binary multiples, because devices, pages and
//! file systems count in them; rates are printed in decimal MB/s by the report instead.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "BytesText", into = "u64")]
pub struct Bytes(pub u64);

impl Bytes {
    /// As it is in ids of tests and in declarations: `512`, `4k`, `1m`.
    pub fn short(self) -> String {
        match self.0 {
            b if b > 0 && b.is_multiple_of(1 << 20) => format!("{}m", b >> 20),
            b if b > 0 && b.is_multiple_of(1 << 10) => format!("{}k", b >> 10),
            b => b.to_string(),
        }
    }
}

/// A text that is not a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError(String);

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a size; expected bytes or a number with k, M, G, T, P or E, e.g. 4G",
            self.0
        )
    }
}

impl std::error::Error for UnitError {}

#[derive(Deserialize)]
#[serde(untagged)]
enum BytesText {
    Number(u64),
    Text(String),
}

impl TryFrom<BytesText> for Bytes {
    type Error = UnitError;
    fn try_from(text: BytesText) -> Result<Self, UnitError> {
        match text {
            BytesText::Number(n) => Ok(Bytes(n)),
            BytesText::Text(s) => s.parse(),
        }
    }
}

impl From<Bytes> for u64 {
    fn from(b: Bytes) -> u64 {
        b.0
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || UnitError(text.to_string());
        let trimmed = text.trim();
        let lower = trimmed.to_ascii_lowercase();
        let digits = lower.trim_end_matches("ib").trim_end_matches('b');
        let (number, shift) = match digits.chars().last() {
            Some('k') => (&digits[..digits.len() - 1], 10),
            Some('m') => (&digits[..digits.len() - 1], 20),
            Some('g') => (&digits[..digits.len() - 1], 30),
            Some('t') => (&digits[..digits.len() - 1], 40),
            Some('p') => (&digits[..digits.len() - 1], 50),
            Some('e') => (&digits[..digits.len() - 1], 60),
            _ => (digits, 0),
        };
        let value: f64 = number.trim().parse().map_err(|_| bad())?;
        let bytes = value * (1u64 << shift) as f64;
        if !bytes.is_finite() || bytes < 0.0 || bytes >= u64::MAX as f64 {
            return Err(bad());
        }
        Ok(Bytes(bytes.round() as u64))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        if unit == 0 || value >= 100.0 {
            write!(f, "{value:.0} {}", UNITS[unit])
        } else {
            write!(f, "{value:.1} {}", UNITS[unit])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_as_written() {
        for (text, bytes) in [("512", 512), ("4k", 4096), ("1.5M", 3 << 19), ("2GiB", 2 << 30)] {
            assert_eq!(text.parse::<Bytes>(), Ok(Bytes(bytes)), "{text}");
        }
        assert_eq!("8EiB".parse::<Bytes>(), Ok(Bytes(1 << 63)));
        for text in ["", "k", "-1", "4x", "inf", "1e40"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_stand_in_ids_as_they_are_read() {
        for (bytes, text) in [(0, "0"), (512, "512"), (4096, "4k"), (1 << 20, "1m")] {
            assert_eq!(Bytes(bytes).short(), text);
            assert_eq!(text.parse(), Ok(Bytes(bytes)));
        }
        assert_eq!(Bytes(3 << 9).short(), "1536");
    }

    #[test]
    fn sizes_print_short() {
        assert_eq!(Bytes(512).to_string(), "512 B");
        assert_eq!(Bytes(3 << 29).to_string(), "1.5 GiB");
        assert_eq!(Bytes(1 << 60).to_string(), "1.0 EiB");
    }
}

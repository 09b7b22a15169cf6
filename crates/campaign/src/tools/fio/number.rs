//! Numbers of a job file, in fio's own units, and which of them fio misreads.
//!
//! fio parses leading digits, and mostly only the first letter after them: `1.5k` is 1, `10sec` is ten microseconds,
//! and `4KiB` is 4 000 bytes unless `kb_base=1000` is set. A number is accepted here only if a reader and fio agree on
//! it, with fio's meaning of the units.

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Bytes, or counts with the same suffixes; `k` is 1024 or 1000.
    Bytes {
        /// Value of `kb_base`.
        kilo: u64,
    },
    /// A time, in seconds without a suffix.
    Seconds,
    /// A time, in microseconds without a suffix.
    Micros,
}

const PREFIXES: &str = "kmgtp";

/// Returns the value of `text` in bytes or microseconds.
///
/// # Errors
/// fio rejects it, or misreads it.
pub(super) fn number(text: &str, unit: Unit) -> Result<u64, String> {
    if text.contains('%') {
        return Err("a percentage refers to an existing file, and a fresh target has none; write \
                    an absolute number"
            .into());
    }
    if text.starts_with('(') {
        return Err("write the resulting number".into());
    }
    let read = as_fio_reads(text, unit);
    match (plain(text, unit), read) {
        (Some(value), Some(read)) if i64::try_from(value) == Ok(read) => Ok(value),
        (_, None) => Err("fio cannot read it as a number".into()),
        (_, Some(read)) => {
            let (what, units) = match unit {
                Unit::Bytes { .. } => ("", "k, m, g or t"),
                Unit::Seconds | Unit::Micros => (" microseconds", "us, ms, s, m, h or d"),
            };
            Err(format!(
                "fio reads `{text}` as {read}{what} and ignores the rest; write a whole number, \
                 optionally followed by {units}"
            ))
        }
    }
}

/// Returns the lowest and the highest number of `text`: one, or two separated by `-` or `:`.
///
/// # Errors
/// As of [`number`]; and there are more than two.
pub(super) fn range(text: &str, unit: Unit) -> Result<(u64, u64), String> {
    let parts: Vec<&str> = text.split(['-', ':']).collect();
    if parts.len() > 2 {
        return Err("it is more than one range".into());
    }
    let values = parts.iter().map(|part| number(part, unit)).collect::<Result<Vec<u64>, _>>()?;
    let (low, high) = (values.iter().min(), values.iter().max());
    Ok((low.copied().unwrap_or_default(), high.copied().unwrap_or_default()))
}

/// Returns all numbers of `text`, which may be a list for reads, writes and trims, each of them a range. Empty
/// elements are skipped.
///
/// # Errors
/// As of [`number`].
pub(super) fn list(text: &str, unit: Unit) -> Result<Vec<u64>, String> {
    let parts = text.split([',', ':', '-']).filter(|part| !part.is_empty());
    parts.map(|part| number(part, unit)).collect()
}

/// The meaning of `text` to a reader who knows fio's units.
fn plain(text: &str, unit: Unit) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bytes = matches!(unit, Unit::Bytes { .. });
        return u64::from_str_radix(digits, 16).ok().filter(|_| is_hex && bytes);
    }
    let end = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
    let (digits, suffix) = lower.split_at(end);
    let factor = match unit {
        Unit::Bytes { kilo } => bytes_factor(suffix, kilo)?,
        Unit::Seconds if suffix.is_empty() => 1_000_000,
        Unit::Micros if suffix.is_empty() => 1,
        Unit::Seconds | Unit::Micros => match suffix {
            "us" | "usec" => 1,
            "ms" | "msec" => 1000,
            "s" => 1_000_000,
            "m" => 60_000_000,
            "h" => 3_600_000_000,
            "d" => 86_400_000_000,
            _ => return None,
        },
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// Returns the factor of `suffix`: `k`, `kb` and `ki` are of one kind, `kib` is of the other.
fn bytes_factor(suffix: &str, kilo: u64) -> Option<u64> {
    let Some(first) = suffix.chars().next().filter(|first| *first != 'b') else {
        return matches!(suffix, "" | "b").then_some(1);
    };
    let power = PREFIXES.find(first)? as u32 + 1;
    match &suffix[1..] {
        "" | "b" | "i" => Some(kilo.pow(power)),
        "ib" => Some(other(kilo).pow(power)),
        _ => None,
    }
}

/// The base of fio's `KiB`, which is the opposite of that of its `k`.
fn other(kilo: u64) -> u64 {
    if kilo == 1000 { 1024 } else { 1000 }
}

/// The number that fio reads from `text`; `None` if it refuses it. A share is a negative number.
fn as_fio_reads(text: &str, unit: Unit) -> Option<i64> {
    let base = if text.contains("0x") || text.contains("0X") { 16 } else { 10 };
    let value = leading_number(text, base)?;
    let factor = match unit {
        Unit::Bytes { kilo } => match unit_of_bytes(text) {
            Some('%') => return Some((-1i64).wrapping_sub(value)),
            Some(_) => as_fio_multiplies(&text[text.find(is_letter)?..], kilo),
            None => 1,
        },
        Unit::Seconds | Unit::Micros => time_as_fio_multiplies(text, unit),
    };
    Some(value.wrapping_mul(factor as i64))
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
}

/// The letter or the `%` right behind the digits, if there is one.
fn unit_of_bytes(text: &str) -> Option<char> {
    if text.len() < 2 {
        return None;
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let rest = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.chars().next().filter(|c| is_letter(*c) || *c == '%')
}

fn as_fio_multiplies(suffix: &str, kilo: u64) -> u64 {
    let end = suffix.find([':', '-', ',', '/']).unwrap_or(suffix.len());
    let suffix = suffix[..end].to_ascii_lowercase();
    let Some(power) = suffix.chars().next().and_then(|first| PREFIXES.find(first)) else {
        return 1;
    };
    let base = if suffix[1..].starts_with("ib") { other(kilo) } else { kilo };
    base.wrapping_pow(power as u32 + 1)
}

fn time_as_fio_multiplies(text: &str, unit: Unit) -> u64 {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    if !rest.starts_with(is_letter) {
        return if unit == Unit::Seconds { 1_000_000 } else { 1 };
    }
    match rest.to_ascii_lowercase().as_str() {
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        text if text.starts_with("ms") => 1000,
        _ => 1,
    }
}

/// Returns the number at the start of `text` as strtoll(3) reads it; `None` if there is none, or it is too large.
fn leading_number(text: &str, base: u32) -> Option<i64> {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixed = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let of_prefix =
        prefixed.filter(|rest| base == 16 && rest.starts_with(|c: char| c.is_ascii_hexdigit()));
    let digits = of_prefix.unwrap_or(digits);
    let end = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
    let value =
        i64::from_str_radix(digits.get(..end).filter(|text| !text.is_empty())?, base).ok()?;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests;

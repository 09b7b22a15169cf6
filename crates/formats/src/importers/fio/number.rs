//! Numbers as fio writes them for people: `20.1k`, `78.4MiB/s`, `4096B`, `4k`.

/// A number with a decimal multiple: `8600`, `20.1k`, `11.8m`.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let (number, unit) = parts(text)?;
    Some(number * multiple(unit, 1000.0)?)
}

/// What one step of the last digit of a number is worth, before its unit is looked at: 0.1 of `20.1k`.
fn last_digit(text: &str) -> f64 {
    let digits = text.trim().split(|c: char| !c.is_ascii_digit() && c != '.').next();
    let decimals =
        digits.and_then(|digits| digits.split_once('.')).map_or(0, |(_, part)| part.len());
    0.1f64.powi(decimals.min(20) as i32)
}

/// A number that was rounded when it was printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounded {
    pub(super) value: f64,
    /// What one step of its last digit is worth.
    step: f64,
}

impl Rounded {
    /// What `read` makes of `text`.
    pub(super) fn of(text: &str, read: impl Fn(&str) -> Option<f64>) -> Option<Rounded> {
        let value = read(text)?;
        let (digits, _) = parts(text)?;
        let unit = if digits > 0.0 { value / digits } else { 1.0 };
        Some(Rounded { value, step: unit * last_digit(text) })
    }

    /// Whether `exact` is printed so, with a further error of the share `loose`.
    pub(super) fn is(&self, exact: f64, loose: f64) -> bool {
        (exact - self.value).abs() <= self.step + loose * self.value
    }
}

/// Bytes with a unit. Releases before 2.17 wrote `KB` and `MB` for powers of 1024; later ones write
/// `KiB` for those and `kB` for powers of 1000.
pub(super) fn bytes(text: &str, before_iec: bool) -> Option<f64> {
    let (number, unit) = parts(text)?;
    let unit = unit.strip_suffix("/s").unwrap_or(unit);
    let (unit, bits) = match unit.strip_suffix("bit") {
        Some(prefix) => (prefix, 8.0),
        None => (unit.strip_suffix('B').unwrap_or(unit), 1.0),
    };
    let (prefix, base) = match unit.strip_suffix('i') {
        Some(prefix) => (prefix, 1024.0),
        None => (unit, if before_iec { 1024.0 } else { 1000.0 }),
    };
    Some(number * multiple(prefix, base)? / bits)
}

/// A size as it is in options: binary multiples with or without `i` and `B`.
pub(super) fn size(text: &str) -> Option<u64> {
    let bytes = bytes(text.trim(), true)?;
    (bytes < 1e18).then_some(bytes as u64)
}

/// A size as fio reads it in options: with a base of 1024, `4k` is 4096 and `4KiB` is 4000; with one of 1000
/// they are what they say. `None` where it is not one whole number with one unit.
pub(super) fn option_size(text: &str, base: u64) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let power = match unit.chars().next()? {
        'b' => 0,
        'k' => 1,
        'm' => 2,
        'g' => 3,
        't' => 4,
        'p' => 5,
        _ => return None,
    };
    let of = match (&unit[1..], base) {
        ("" | "b", _) => base,
        ("ib", 1024) => 1000,
        ("ib", _) => 1024,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(of.checked_pow(power)?)
}

/// Number and unit; the number is finite and not negative.
fn parts(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then_some((number, text[end..].trim()))
}

fn multiple(prefix: &str, base: f64) -> Option<f64> {
    let power = match prefix {
        "" => 0,
        "k" | "K" => 1,
        "m" | "M" => 2,
        "g" | "G" => 3,
        "t" | "T" => 4,
        "p" | "P" => 5,
        "e" | "E" => 6,
        _ => return None,
    };
    Some(base.powi(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_number_covers_those_that_round_to_it() {
        let rounded = Rounded::of("20.1k", decimal).unwrap();
        assert!(rounded.is(20_086.0, 0.0) && rounded.is(20_199.0, 0.0));
        assert!(!rounded.is(20_300.0, 0.0) && rounded.is(20_300.0, 0.1));
        let rounded = Rounded::of("80000MB", |text| bytes(text, true)).unwrap();
        assert!(!rounded.is(76_800.0 * 1_048_576.0, 0.0));
        assert!(Rounded::of("fast", decimal).is_none());
    }

    #[test]
    fn units_are_those_of_the_release() {
        assert_eq!(decimal("20.1k"), Some(20_100.0));
        assert_eq!(decimal("8600"), Some(8600.0));
        assert_eq!(bytes("33.5MiB/s", false), Some(33.5 * 1_048_576.0));
        assert_eq!(bytes("35.2MB/s", false), Some(35_200_000.0));
        assert_eq!(bytes("78617KB/s", true), Some(78_617.0 * 1024.0));
        assert_eq!(bytes("8Kbit/s", true), Some(1024.0));
        assert_eq!(option_size("4k", 1024), Some(4096));
        assert_eq!(option_size("4KiB", 1024), Some(4000));
        assert_eq!(option_size("4KiB", 1000), Some(4096));
        assert_eq!(option_size("1M", 1024), Some(1 << 20));
        for text in ["4096", "1.5k", "4k,8k", "50%", "k", ""] {
            assert_eq!(option_size(text, 1024), None, "{text}");
        }
        assert_eq!(size("4k"), Some(4096));
        assert_eq!(size("4096B"), Some(4096));
        for text in ["", "-1", "1e300k", "inf", "nan", "12x", "1.2.3"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}

//! Numbers as fio writes them for people: `20.1k`, `78.4MiB/s`, `4096B`, `4k`.

/// A number with a decimal multiple: `8600`, `20.1k`, `11.8m`.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let (number, unit) = parts(text)?;
    Some(number * multiple(unit, 1000.0)?)
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

/// A size as it stands in options: binary multiples with or without `i` and `B`.
pub(super) fn size(text: &str) -> Option<u64> {
    let bytes = bytes(text.trim(), true)?;
    (bytes < 1e18).then_some(bytes as u64)
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
    fn units_are_those_of_the_release() {
        assert_eq!(decimal("20.1k"), Some(20_100.0));
        assert_eq!(decimal("8600"), Some(8600.0));
        assert_eq!(bytes("33.5MiB/s", false), Some(33.5 * 1_048_576.0));
        assert_eq!(bytes("35.2MB/s", false), Some(35_200_000.0));
        assert_eq!(bytes("78617KB/s", true), Some(78_617.0 * 1024.0));
        assert_eq!(bytes("8Kbit/s", true), Some(1024.0));
        assert_eq!(size("4k"), Some(4096));
        assert_eq!(size("4096B"), Some(4096));
        for text in ["", "-1", "1e300k", "inf", "nan", "12x", "1.2.3"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}

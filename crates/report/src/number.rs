//! Numbers as the published tables print them: three significant digits, and all integer digits above a hundred.

use stats::kernel::{Ratio, decimals};

/// A measured value: integers from 100, three significant digits below.
pub(crate) fn value(v: f64) -> String {
    match v.abs() {
        0.0 => "0".into(),
        a if a >= 99.95 => format!("{v:.0}"),
        a if a < 1e-6 => format!("{v:.2e}"),
        a => format!("{v:.*}", digits(a, 3)),
    }
}

/// A value for another program: six significant digits, no exponent.
pub(crate) fn exact(v: f64) -> String {
    let text = format!("{v:.*}", digits(v.abs(), 6));
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// A ratio: two decimals up to ten, three significant digits outside 0.1 to 10.
pub(crate) fn ratio(r: f64) -> String {
    if (0.0995..9.995).contains(&r) { format!("{r:.2}") } else { value(r) }
}

/// A probability, never printed as certainty: `0.97`, `>0.99`.
pub fn probability(p: f64) -> String {
    match p {
        p if p > 0.99 => ">0.99".into(),
        p if p < 0.01 => "<0.01".into(),
        p => format!("{p:.2}"),
    }
}

/// The interval of a ratio, empty without one.
pub(crate) fn interval(r: &Ratio) -> String {
    span_of(r).unwrap_or_default()
}

/// The interval of a ratio; `None` without one.
pub(crate) fn span_of(r: &Ratio) -> Option<String> {
    r.span(end)
}

/// An end of an interval, or a lead: near 1 with more decimals, because the verdict depends on it.
pub(crate) fn end(r: f64) -> String {
    match ratio(r) {
        text if text == "1.00" => decimals(r),
        text => text,
    }
}

/// Best and worst rank that are left open, `1` or `1-3`.
pub(crate) fn rank((best, worst): (usize, usize)) -> String {
    if best == worst { best.to_string() } else { format!("{best}-{worst}") }
}

/// A loss that is not exceeded, a share, in whole percent and never too small.
pub(crate) fn at_most(share: f64) -> String {
    format!("{:.0} %", (100.0 * share).ceil())
}

/// An amount in decimal units: `48 MB`, `4.1 kB`; two digits that mean something, three from a hundred.
pub(crate) fn bytes(bytes: f64) -> String {
    let (value, prefix) = scaled(bytes, &["", "k", "M", "G", "T", "P"]);
    format!("{} {prefix}B", brief(value))
}

/// A number of operations: `64 ops`, `1.2M ops`.
pub(crate) fn ops(ops: f64) -> String {
    let (value, prefix) = scaled(ops, &["", "k", "M", "G"]);
    let word = if ops == 1.0 { "op" } else { "ops" };
    format!("{}{prefix} {word}", brief(value))
}

/// The length of a timed part: `0.21 s`, `1.8 ms`.
pub(crate) fn span(seconds: f64) -> String {
    match seconds {
        s if s >= 0.1 => format!("{} s", brief(s)),
        s if s >= 0.1e-3 => format!("{} ms", brief(1e3 * s)),
        s => format!("{} µs", brief(1e6 * s)),
    }
}

/// A time to wait: `45s`, `12m 3s`, `2h 5m`; at least a second.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.max(1.0).round() as u64;
    let pair = |large: u64, small: u64, units: [char; 2]| match small {
        0 => format!("{large}{}", units[0]),
        _ => format!("{large}{} {small}{}", units[0], units[1]),
    };
    match whole {
        0..60 => format!("{whole}s"),
        60..3600 => pair(whole / 60, whole % 60, ['m', 's']),
        _ => pair(whole / 3600, whole % 3600 / 60, ['h', 'm']),
    }
}

/// A time that has passed, as exact as it is short: `0.21 s`, `12m 3s`.
pub(crate) fn length(seconds: f64) -> String {
    if seconds < 60.0 { span(seconds) } else { duration(seconds) }
}

/// Two significant digits, whole numbers as they are from ten.
fn brief(v: f64) -> String {
    match v {
        v if v >= 9.95 || v == v.trunc() => format!("{v:.0}"),
        v if v >= 0.995 => format!("{v:.1}"),
        v => format!("{v:.*}", digits(v, 2)),
    }
}

/// `value` below a thousand with the prefix that stands for the rest.
fn scaled(mut value: f64, prefixes: &[&'static str]) -> (f64, &'static str) {
    let mut at = 0;
    while value >= 999.5 && at + 1 < prefixes.len() {
        value /= 1e3;
        at += 1;
    }
    (value, prefixes[at])
}

/// Decimals that show `significant` digits of `a`.
fn digits(a: f64, significant: i32) -> usize {
    let magnitude = if a > 0.0 { a.log10().floor() as i32 } else { 0 };
    usize::try_from(significant - 1 - magnitude).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_mean_something() {
        let cases = [(12345.6, "12346"), (100.4, "100"), (12.34, "12.3"), (1.234, "1.23")];
        for (v, text) in cases.into_iter().chain([(0.01234, "0.0123"), (0.0, "0")]) {
            assert_eq!(value(v), text);
        }
        assert_eq!(
            (exact(1234567.8), exact(0.125), exact(100.0)),
            ("1234568".into(), "0.125".into(), "100".into())
        );
        assert_eq!(
            (ratio(1.424), ratio(23.45), ratio(0.0123)),
            ("1.42".into(), "23.4".into(), "0.0123".into())
        );
        assert_eq!([0.9999, 0.5, 0.0].map(probability), [">0.99", "0.50", "<0.01"]);
        let ends = [0.994, 0.9951, 0.9994, 0.9996, 1.0, 1.0004, 1.0006, 1.0049, 1.006].map(end);
        let told = ["0.99", "0.995", "0.999", "0.9996", "1.00", "1.0004", "1.001", "1.005", "1.01"];
        assert_eq!(ends, told, "on which side of 1 it is");
    }

    #[test]
    fn a_time_to_wait_has_two_units_at_most() {
        let times = [0.2, 59.4, 60.0, 723.0, 3600.0, 7500.0].map(duration);
        assert_eq!(times, ["1s", "59s", "1m", "12m 3s", "1h", "2h 5m"]);
    }

    #[test]
    fn sizes_and_times_are_brief() {
        let sizes = [0.0, 512.0, 4096.0, 48e6, 999.6e6, 1.25e12].map(bytes);
        assert_eq!(sizes, ["0 B", "512 B", "4.1 kB", "48 MB", "1.0 GB", "1.2 TB"]);
        let counts = [1.0, 64.0, 1234.0, 5e6, 7e12].map(ops);
        assert_eq!(counts, ["1 op", "64 ops", "1.2k ops", "5M ops", "7000G ops"]);
        let times = [12.3, 1.0, 0.214, 0.0996, 0.0183, 0.00184, 82e-6, 3.2e-6].map(span);
        assert_eq!(
            times,
            ["12 s", "1 s", "0.21 s", "100 ms", "18 ms", "1.8 ms", "82 µs", "3.2 µs"]
        );
    }
}

//! Figures in base units, for formats that know seconds, bytes and ratios alone.

use model::figure::{Better, Metric};

/// A figure in a base unit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scalar {
    pub(super) value: f64,
    /// `s`, `B/s`, `1/s`, `B`, `ratio`, or as it was.
    pub(super) unit: String,
}

/// `metric` in its base unit.
pub(super) fn scalar(metric: &Metric) -> Scalar {
    let (factor, unit) = match metric.unit.as_str() {
        "ns" => (1e-9, "s"),
        "us" => (1e-6, "s"),
        "ms" => (1e-3, "s"),
        "MB" => (1e6, "B"),
        "MB/s" => (1e6, "B/s"),
        "MHz" => (1e6, "Hz"),
        "%" => (0.01, "ratio"),
        "IOPS" | "ops/s" | "operations/s" => (1.0, "1/s"),
        other => (1.0, other),
    };
    Scalar { value: metric.value * factor, unit: unit.into() }
}

/// How long one unit of work took, seconds, and which unit: the figure itself when it is a time, its inverse when
/// it is a rate; `None` for any other. Ratios of these times are those of the figures.
pub(super) fn time_per_unit(metric: &Metric) -> Option<(f64, String)> {
    let Scalar { value, unit } = scalar(metric);
    if unit == "s" && metric.better == Better::Lower {
        return Some((value, "run".into()));
    }
    let work = match metric.unit.as_str() {
        "IOPS" | "1/s" => "operation",
        unit => unit.strip_suffix("/s")?,
    };
    let is_rate = metric.better == Better::Higher && metric.value > 0.0;
    is_rate.then(|| (metric.value.recip(), work.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stay_and_rates_are_inverted() {
        let time = |value, unit, better| time_per_unit(&Metric::new("x", value, unit, better));
        assert_eq!(time(250.0, "ms", Better::Lower), Some((0.25, "run".into())));
        assert_eq!(time(500.0, "MB/s", Better::Higher), Some((0.002, "MB".into())));
        assert_eq!(time(4.0, "IOPS", Better::Higher), Some((0.25, "operation".into())));
        assert_eq!(time(0.0, "IOPS", Better::Higher), None);
        assert_eq!(time(5.0, "%", Better::Lower), None);
    }
}

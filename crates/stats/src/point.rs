//! One value of a block, and the moments of several.

/// The logarithm of one block's value, oriented so that more is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Block number.
    pub(crate) block: u32,
    /// Natural logarithm of the value, negated where lower is better.
    pub(crate) log: f64,
}

/// Arithmetic mean; the slice is not empty.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(crate) fn logs(points: &[Point]) -> Vec<f64> {
    points.iter().map(|p| p.log).collect()
}

/// Sample variance, n-1; the slice has at least two values.
pub(crate) fn variance(values: &[f64]) -> f64 {
    let m = mean(values);
    values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

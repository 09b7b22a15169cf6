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

/// The middle of `values`, of an even number the mean of the two in the middle; `None` without any.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let cases: [(&[f64], Option<f64>); 4] = [
            (&[], None),
            (&[3.0], Some(3.0)),
            (&[9.0, 1.0, 2.0], Some(2.0)),
            (&[4.0, 1.0, 9.0, 2.0], Some(3.0)),
        ];
        for (values, middle) in cases {
            assert_eq!(median(values.to_vec()), middle, "{values:?}");
        }
    }
}

//! Holm's step-down procedure (1979). Among 60 cells without any difference, three look different at the 5 % level, and
//! 95 % of such tables have at least one; with this correction only 5 % do.

/// Family-wise error rate of the marks.
pub(crate) const ALPHA: f64 = 0.05;

/// For each p-value, whether its hypothesis is rejected when all of them are one family.
pub(crate) fn holm(p_values: &[Option<f64>]) -> Vec<bool> {
    holm_at(ALPHA, p_values)
}

/// The same at another family-wise error rate.
pub(crate) fn holm_at(alpha: f64, p_values: &[Option<f64>]) -> Vec<bool> {
    let mut order: Vec<(usize, f64)> =
        p_values.iter().enumerate().filter_map(|(i, p)| p.map(|p| (i, p))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut marks = vec![false; p_values.len()];
    for (rank, (index, p)) in order.iter().enumerate() {
        if *p > alpha / (order.len() - rank) as f64 {
            break;
        }
        marks[*index] = true;
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_stops_at_the_first_miss() {
        // Thresholds 0.0125, 0.0167, 0.025, 0.05: 0.03 misses the third, so 0.04 is not tried.
        let marks = holm(&[Some(0.04), Some(0.001), None, Some(0.03), Some(0.015)]);
        assert_eq!(marks, [false, true, false, false, true]);
        assert_eq!(holm(&[None, None]), [false, false]);
    }
}

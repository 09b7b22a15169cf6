//! Ratios and intervals against numbers worked out elsewhere.

use super::*;

fn close(got: f64, want: f64) -> bool {
    (got / want - 1.0).abs() < 1e-9
}

// scipy 1.16: d = log(a) - log(b); r = ttest_1samp(d, 0); exp(d.mean()),
// exp(r.confidence_interval(.95)), r.pvalue
#[test]
fn paired_t_agrees_with_scipy() {
    let golden: [(&[f64], &[f64], [f64; 4]); 3] = [
        (
            &[412.0, 398.5, 421.3, 405.9, 417.7],
            &[351.2, 349.9, 360.0, 340.8, 371.1],
            [1.1595295137642947, 1.1266657064402934, 1.1933519282649017, 0.00013918641003663148],
        ),
        (
            &[100.0, 102.0, 97.0],
            &[101.0, 100.0, 99.0],
            [0.99648732553056, 0.9461583072884808, 1.0494934962720666, 0.7976993912891789],
        ),
        (
            &[10.0, 11.0],
            &[20.0, 19.0],
            [0.5380275868489706, 0.21198657696399673, 1.3655283667309275, 0.07493739792381726],
        ),
    ];
    for (a, b, [point, low, high, p]) in golden {
        let ratio = log_ratio(a, b).unwrap();
        assert!(close(ratio.point, point) && close(ratio.p.unwrap(), p), "{ratio:?}");
        assert!(close(ratio.low.unwrap(), low) && close(ratio.high.unwrap(), high), "{ratio:?}");
    }
}

fn points(first_block: u32, values: &[f64]) -> Vec<Point> {
    let blocks = values.iter().zip(first_block..);
    blocks.map(|(value, block)| Point { block, log: value.ln() }).collect()
}

// scipy 1.16: r = ttest_ind(log(a), log(b), equal_var=False); r.confidence_interval(.95)
#[test]
fn welch_agrees_with_scipy_when_blocks_are_not_shared() {
    let a = points(0, &[412.0, 398.5, 421.3]);
    let b = points(10, &[351.2, 349.9, 360.0, 340.8]);
    let ratio = compare(&a, &b).unwrap().to_ratio();
    assert!(close(ratio.point, 1.1714682777764536));
    assert!(close(ratio.low.unwrap(), 1.10792430710215), "{ratio:?}");
    assert!(close(ratio.high.unwrap(), 1.2386567539311162));
    assert!(close(ratio.p.unwrap(), 0.0016027942366680214));
}

#[test]
fn an_interval_without_meaning_is_called_wide() {
    let ratio = |low, high| Ratio { point: 1.5, low: Some(low), high: Some(high), p: None };
    let said = [(1.1, 2.0), (0.02, 199.0), (0.02, 201.0), (0.0, 1.0)]
        .map(|(low, high)| ratio(low, high).span_of_decimals().unwrap());
    assert_eq!(said, ["1.10-2.00", "0.02-199.00", "very wide", "very wide"]);
    assert_eq!(Ratio::ONE.span_of_decimals(), None);
}

#[test]
fn only_common_blocks_are_paired() {
    let a = points(0, &[2.0, 4.0, 8.0]);
    let b = points(1, &[2.0, 2.0, 2.0]);
    let ratio = compare(&a, &b).unwrap();
    assert!(close(ratio.mean.exp(), 8.0_f64.sqrt()) && ratio.error.unwrap().1 == 1.0);
}

#[test]
fn one_block_has_no_interval() {
    let ratio = log_ratio(&[3.0], &[2.0]).unwrap();
    assert_eq!((ratio.low, ratio.high, ratio.p), (None, None, None));
    assert!(close(ratio.point, 1.5));
    assert_eq!(log_ratio(&[], &[1.0]), None);
}

#[test]
fn the_expected_width_shrinks_with_blocks() {
    // scipy: exp(t.ppf(.975, 4) * log(1.05) * sqrt(2 / 5)) - 1
    assert!(close(half_width(0.05, 5).unwrap(), 0.08945160845232758));
    assert!(half_width(0.05, 10).unwrap() < half_width(0.05, 5).unwrap());
    assert_eq!(half_width(0.05, 1), None);
}

#[test]
fn equal_series_are_equal_without_doubt() {
    let ratio = log_ratio(&[3.0, 4.0], &[3.0, 4.0]).unwrap();
    assert_eq!(ratio, Ratio { point: 1.0, low: Some(1.0), high: Some(1.0), p: Some(1.0) });
}

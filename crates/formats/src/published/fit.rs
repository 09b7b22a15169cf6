//! Finds figures that round to the printed ones, such that the ratios and means printed next to them match as well.
//!
//! Rates printed as `5` and `4` are next to a ratio of 1.16, and a ratio printed as `0.0` inside of a mean that it
//! decides. A figure stays as it was printed where everything else follows from it. Else the figures move, each in
//! proportion to the square of the room that its digits leave (a weighted least squares step), until all of them and
//! everything printed of them agree: cyclic projection onto the half-spaces (Bregman 1967).

/// A figure as it was printed, a logarithm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub(super) value: f64,
    low: f64,
    high: f64,
    /// Square of its room.
    weight: f64,
    /// Printed as 0, so that its digits tell nothing but where it ends.
    is_zero: bool,
}

/// What was printed of several figures: the sum of `factor` times each is between two bounds.
#[derive(Clone, Debug)]
pub(super) struct Printed {
    pub(super) parts: Vec<(usize, f64)>,
    /// Where it has to be.
    outer: (f64, f64),
    /// Where it is put if there is room.
    inner: (f64, f64),
}

/// Share of the room of a figure that is used, so that it falls on the same digits when it is rounded again.
const SHARE: f64 = 0.999;
/// The same of a mean or a ratio, which may be rounded twice on its way, where there is room for that.
const SHARE_OF_MEAN: f64 = 0.8;

/// Where a figure printed as 0 may end, as a share of the largest that it may be.
const LEAST: f64 = 1e-6;

/// Rounds in which there may be found to be room.
const TRIES: usize = 300;
/// More rounds than any table needs.
const ROUNDS: usize = 2_000;

/// How far from a bound is on it.
const CLOSE: f64 = 1e-9;

/// The bounds of a printed number, logarithms; that of 0 is below zero's own rounding.
fn bounds(printed: &str, share: f64) -> Option<(f64, f64, f64)> {
    let value: f64 =
        printed.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)?;
    let decimals = printed.split_once('.').map_or(0, |(_, digits)| digits.len());
    let half = share * 0.5 * 10f64.powi(-(decimals as i32));
    if value == 0.0 {
        return Some(((half * LEAST).ln(), half.ln(), (half / 2.0).ln()));
    }
    Some(((value - half).ln(), (value + half).ln(), value.ln()))
}

impl Figure {
    /// The figure that was printed as `printed`; `None` where that is no number.
    pub(super) fn of(printed: &str) -> Option<Figure> {
        let (low, high, value) = bounds(printed, SHARE)?;
        let room = (high - low).min(1.0);
        let is_zero = printed.parse() == Ok(0.0);
        Some(Figure { value, low, high, weight: room * room, is_zero })
    }
}

impl Printed {
    /// What `printed` says of the geometric mean, or of a ratio, of figures with these factors.
    pub(super) fn of(printed: &str, parts: Vec<(usize, f64)>) -> Option<Printed> {
        // A ratio printed as 0.00 is only bounded from above.
        let is_zero = printed.parse() == Ok(0.0);
        let side = |share: f64| {
            let (low, high, _) = bounds(printed, share)?;
            Some((if is_zero { f64::NEG_INFINITY } else { low }, high))
        };
        Some(Printed { parts, outer: side(SHARE)?, inner: side(SHARE_OF_MEAN)? })
    }

    fn sum(&self, figures: &[Figure]) -> f64 {
        self.parts.iter().map(|&(at, factor)| factor * figures[at].value).sum()
    }

    /// Moves those of the figures that have a weight to within `side`.
    fn meet(&self, figures: &mut [Figure], side: (f64, f64), weight: impl Fn(&Figure) -> f64) {
        let miss = miss(self.sum(figures), side);
        let all: f64 = self.parts.iter().map(|&(at, f)| f * f * weight(&figures[at])).sum();
        if miss == 0.0 || all == 0.0 {
            return;
        }
        for &(at, factor) in &self.parts {
            let moved = factor * weight(&figures[at]) * miss / all;
            let figure = &mut figures[at];
            figure.value = (figure.value - moved).clamp(figure.low, figure.high);
        }
    }
}

/// How far `sum` is outside of two bounds.
fn miss(sum: f64, (low, high): (f64, f64)) -> f64 {
    (sum - high).max(0.0) + (sum - low).min(0.0)
}

/// Moves `figures` until all that was printed of them follows: those printed as 0 where that is enough, else those of
/// few digits, else all. False where nothing does.
pub(super) fn fit(figures: &mut [Figure], all: &[Printed]) -> bool {
    let of_zero = |figure: &Figure| if figure.is_zero { figure.weight } else { 0.0 };
    let wider = |room: f64| {
        move |figure: &Figure| if figure.weight > room * room { figure.weight } else { 0.0 }
    };
    project(figures, all, of_zero)
        || [0.01, 0.001, 0.0].into_iter().any(|room| project(figures, all, wider(room)))
}

fn project(figures: &mut [Figure], all: &[Printed], weight: impl Fn(&Figure) -> f64) -> bool {
    let is_met = |figures: &[Figure], side: fn(&Printed) -> (f64, f64)| {
        all.iter().all(|printed| miss(printed.sum(figures), side(printed)).abs() < CLOSE)
    };
    let outer: fn(&Printed) -> (f64, f64) = |printed| printed.outer;
    let inner: fn(&Printed) -> (f64, f64) = |printed| printed.inner;
    if is_met(figures, outer) {
        return true;
    }
    if figures.iter().all(|figure| weight(figure) == 0.0) {
        return false;
    }
    for (side, rounds) in [(inner, TRIES), (outer, ROUNDS)] {
        for _ in 0..rounds {
            all.iter().for_each(|printed| printed.meet(figures, side(printed), &weight));
            if is_met(figures, side) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(printed: &[&str]) -> Vec<Figure> {
        printed.iter().map(|text| Figure::of(text).unwrap()).collect()
    }

    #[test]
    fn figures_stay_where_all_follows_from_them() {
        let mut both = figures(&["259", "231"]);
        let ratio = Printed::of("1.12", vec![(0, 1.0), (1, -1.0)]).unwrap();
        assert!(fit(&mut both, &[ratio]));
        assert_eq!([both[0].value, both[1].value], [259.0_f64.ln(), 231.0_f64.ln()]);
    }

    #[test]
    fn a_ratio_with_more_digits_moves_them_within_theirs() {
        let mut both = figures(&["5", "4"]);
        let ratio = Printed::of("1.16", vec![(0, 1.0), (1, -1.0)]).unwrap();
        assert!(fit(&mut both, &[ratio]));
        let [a, b] = [both[0].value.exp(), both[1].value.exp()];
        assert_eq!((format!("{a:.0}"), format!("{b:.0}")), ("5".into(), "4".into()));
        assert_eq!(format!("{:.2}", a / b), "1.16");
    }

    #[test]
    fn a_mean_tells_how_far_below_its_digits_a_zero_is() {
        let mut all = figures(&["0.0", "1.0", "2.0"]);
        let mean = Printed::of("0.1", (0..3).map(|at| (at, 1.0 / 3.0)).collect()).unwrap();
        assert!(fit(&mut all, &[mean]));
        let zero = all[0].value.exp();
        // The mean is below 0.14, so the zero is below 0.14^3 / 2.
        assert!(zero < 0.001372001 && zero > 0.00136, "{zero}");
        assert_eq!([all[1].value, all[2].value], [0.0, 2.0_f64.ln()]);
    }

    #[test]
    fn what_contradicts_itself_does_not_fit() {
        let mut both = figures(&["5", "4"]);
        let ratio = Printed::of("2.00", vec![(0, 1.0), (1, -1.0)]).unwrap();
        assert!(!fit(&mut both, &[ratio]));
    }
}

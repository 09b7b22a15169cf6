//! Shared parts of the drawings: a logarithmic axis of ratios, its ticks, the end of an axis from 0, and truncated
//! text.

/// Ticks of an axis of ratios, those that are dropped last first.
const TICKS: [f64; 15] =
    [1.0, 2.0, 0.5, 10.0, 0.1, 100.0, 0.01, 5.0, 0.2, 1.25, 0.8, 1.1, 0.9, 3.0, 0.3];
/// Least distance of two ticks along a whole drawing, a share of the axis.
pub(super) const APART: f64 = 0.1;

/// Colours of the style sheet.
const COLOURS: usize = 5;
/// Dashes of a line; with the colours, told apart up to 35 lines.
const DASHES: [&str; 7] = ["none", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 4"];

/// Class and dash of the line with this number: no two of the first five have the same colour, or the same dash.
pub(super) fn stroke(line: usize) -> (String, &'static str) {
    (format!("k{}", line % COLOURS), DASHES[line % DASHES.len()])
}

/// A logarithmic axis of ratios that holds 1.
pub(super) struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Holds all `ratios` with a little room, at least from 0.8 to 1.25.
    pub(super) fn of(ratios: impl Iterator<Item = f64> + Clone) -> Axis {
        let room = 1.05f64.ln();
        let low = ratios.clone().fold(0.8, f64::min).ln() - room;
        Axis { low, high: ratios.fold(1.25, f64::max).ln() + room }
    }

    /// Place of a ratio, 0 to 1 on the axis.
    pub(super) fn place(&self, ratio: f64) -> f64 {
        (ratio.ln() - self.low) / (self.high - self.low)
    }

    /// The ticks that are at least `apart`, a share of the axis, from each other.
    pub(super) fn ticks(&self, apart: f64) -> Vec<f64> {
        let mut shown: Vec<f64> = Vec::new();
        for tick in TICKS {
            let place = self.place(tick);
            let is_free = |other: &f64| (self.place(*other) - place).abs() >= apart;
            if (0.0..=1.0).contains(&place) && shown.iter().all(is_free) {
                shown.push(tick);
            }
        }
        shown
    }
}

/// The next 1, 2 or 5 with zeros; 1 of nothing.
pub(super) fn round_up(rate: f64) -> f64 {
    if rate <= 0.0 {
        return 1.0;
    }
    let decade = 10f64.powf(rate.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|n| n * decade).into_iter().find(|n| *n >= rate).unwrap_or(rate)
}

/// The first `most` characters, with a sign that there are more.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_stand_apart_and_hold_one() {
        for ends in [[0.9, 1.1], [0.05, 60.0], [1.0, 3.0]] {
            let axis = Axis::of(ends.into_iter());
            let mut places: Vec<f64> =
                axis.ticks(APART).iter().map(|tick| axis.place(*tick)).collect();
            places.sort_by(f64::total_cmp);
            assert!(axis.ticks(APART).contains(&1.0) && places.len() > 2, "{ends:?}");
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= APART), "{ends:?}");
        }
    }

    #[test]
    fn axes_end_at_round_numbers() {
        for (rate, end) in [(0.0, 1.0), (1.0, 1.0), (1.2, 2.0), (499.0, 500.0), (0.06, 0.1)] {
            assert!((round_up(rate) - end).abs() < 1e-12, "{rate}");
        }
    }

    #[test]
    fn long_names_say_that_they_are_cut() {
        assert_eq!((cut("ext4", 4), cut("btrfs", 4)), ("ext4".into(), "btr…".into()));
    }
}

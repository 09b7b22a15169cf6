//! Points on two ratios as inline SVG, both logarithmic, the better corner at the upper right. Marked points are
//! filled; hollow ones are dominated. Names are next to the points and in the table above.

use crate::block::{Scatter, Spot};
use maud::{Markup, html as markup};

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 400.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 216.0;
/// Characters of a name that fit next to a point at the right edge.
const NAME: usize = 17;
/// Colours of the style sheet.
const COLOURS: usize = 5;
/// Ticks on either axis.
const TICKS: [f64; 11] = [0.01, 0.1, 0.2, 0.5, 0.8, 1.0, 1.25, 2.0, 5.0, 10.0, 100.0];

/// A logarithmic axis that holds 1.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Holds all `ratios` with a little room, at least from 0.8 to 1.25.
    fn of(ratios: impl Iterator<Item = f64> + Clone) -> Axis {
        let room = 1.1f64.ln();
        let low = ratios.clone().fold(0.8, f64::min).ln() - room;
        Axis { low, high: ratios.fold(1.25, f64::max).ln() + room }
    }

    /// Place of a ratio, 0 to 1.
    fn place(&self, ratio: f64) -> f64 {
        (ratio.ln() - self.low) / (self.high - self.low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        TICKS.into_iter().filter(|tick| (0.0..=1.0).contains(&self.place(*tick)))
    }
}

pub(super) fn render(scatter: &Scatter) -> Markup {
    let across = Axis::of(scatter.spots.iter().map(|spot| spot.x));
    let up = Axis::of(scatter.spots.iter().map(|spot| spot.y));
    markup! {
        figure {
            figcaption { (scatter.caption) }
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(scatter.caption) {
                @for tick in up.ticks() {
                    path class="g" d=(format!("M{LEFT} {:.0}H{RIGHT}", y(&up, tick))) {}
                    text x=(LEFT - 5.0) y=(format!("{:.0}", y(&up, tick) + 4.0)) text-anchor="end" { (tick) }
                }
                @for tick in across.ticks() {
                    path class="g" d=(format!("M{:.0} {TOP}V{BOTTOM}", x(&across, tick))) {}
                    text x=(format!("{:.0}", x(&across, tick))) y=(BOTTOM + 15.0) text-anchor="middle" { (tick) }
                }
                text x=((LEFT + RIGHT) / 2.0) y=(HEIGHT - 8.0) text-anchor="middle" { (scatter.x) }
                text x="12" y=((TOP + BOTTOM) / 2.0) text-anchor="middle"
                    transform=(format!("rotate(-90 12 {})", (TOP + BOTTOM) / 2.0)) { (scatter.y) }
                @for (i, spot) in scatter.spots.iter().enumerate() {
                    (point(spot, x(&across, spot.x), y(&up, spot.y), i))
                }
            }
        }
    }
}

fn x(axis: &Axis, ratio: f64) -> f64 {
    LEFT + axis.place(ratio) * (RIGHT - LEFT)
}

fn y(axis: &Axis, ratio: f64) -> f64 {
    BOTTOM - axis.place(ratio) * (BOTTOM - TOP)
}

fn point(spot: &Spot, x: f64, y: f64, index: usize) -> Markup {
    let class = format!("k{}", index % COLOURS);
    let name: String = spot.name.chars().take(NAME).collect();
    markup! {
        circle class=(class) cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r="5"
            style=[(!spot.hollow).then(|| format!("fill:var(--{class})"))] {}
        text x=(format!("{:.0}", x + 9.0)) y=(format!("{:.0}", y + 4.0)) { (name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(name: &str, x: f64, y: f64, hollow: bool) -> Spot {
        Spot { name: name.into(), x, y, hollow }
    }

    #[test]
    fn better_is_up_and_right_and_one_is_in_sight() {
        let axis = Axis::of([2.0, 4.0].into_iter());
        assert!(axis.place(2.0) < axis.place(4.0) && axis.place(4.0) < 1.0);
        assert!(axis.ticks().any(|tick| tick == 1.0));
        assert!(y(&axis, 4.0) < y(&axis, 2.0) && x(&axis, 4.0) > x(&axis, 2.0));
    }

    #[test]
    fn every_point_has_its_name_and_the_beaten_are_hollow() {
        let spots = vec![spot("xfs", 1.2, 0.9, false), spot("<btrfs>", 0.5, 0.5, true)];
        let scatter = Scatter { caption: "c".into(), x: "speed".into(), y: "cpu".into(), spots };
        let svg = render(&scatter).into_string();
        assert!(svg.contains(">xfs<") && svg.contains("&lt;btrfs&gt;"));
        assert_eq!(svg.matches("<circle").count(), 2);
        assert_eq!(svg.matches("fill:var(--k").count(), 1);
    }
}

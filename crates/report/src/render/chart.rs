//! Percentile curves as inline SVG: shares of operations by their nines across, latency upwards, both
//! logarithmic. Colours come from the page's style; dashes and names tell curves apart without them.

use super::svg::stroke;
use crate::block::{Chart, Curve};
use maud::{Markup, html as markup};

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 236.0;
const LEFT: f64 = 62.0;
/// Where the name of the axis upwards stands, across.
const AXIS: f64 = 10.0;
const RIGHT: f64 = 370.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 196.0;
/// Height of a line of the legend.
const LINE: f64 = 16.0;
/// Characters of a name that fit the legend.
const NAME: usize = 17;

/// Ticks across: share of operations, and what is under it.
const SHARES: [(f64, &str); 6] = [
    (0.5, "50 %"),
    (0.9, "90"),
    (0.99, "99"),
    (0.999, "99.9"),
    (0.9999, "99.99"),
    (0.99999, "99.999"),
];

/// From data to places on the drawing.
struct Scale {
    nines: f64,
    low: f64,
    high: f64,
}

impl Scale {
    /// Fits all curves; decades are whole, so that every drawing has at least two lines across.
    fn of(curves: &[Curve]) -> Scale {
        let points = || curves.iter().flat_map(|c| &c.points);
        let low = points().map(|p| p.1.log10()).fold(f64::INFINITY, f64::min).floor();
        let high = points().map(|p| p.1.log10()).fold(f64::NEG_INFINITY, f64::max).ceil();
        let share = points().map(|p| p.0).fold(0.5, f64::max);
        Scale { nines: nines(share), low, high: high.max(low + 1.0) }
    }

    fn x(&self, share: f64) -> f64 {
        LEFT + nines(share) / self.nines * (RIGHT - LEFT)
    }

    fn y(&self, log: f64) -> f64 {
        BOTTOM - (log - self.low) / (self.high - self.low) * (BOTTOM - TOP)
    }

    fn points(&self, curve: &Curve) -> String {
        let point =
            |&(share, us): &(f64, f64)| format!("{:.0},{:.0}", self.x(share), self.y(us.log10()));
        curve.points.iter().map(point).collect::<Vec<_>>().join(" ")
    }

    fn decades(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        let text = |log: i32| match log {
            ..0 => format!("{:.*}", log.unsigned_abs() as usize, 10f64.powi(log)),
            _ => format!("{:.0}", 10f64.powi(log)),
        };
        (self.low as i32..=self.high as i32).map(move |log| (self.y(f64::from(log)), text(log)))
    }
}

/// 0.9 has one nine, 0.99 two.
fn nines(share: f64) -> f64 {
    -(1.0 - share).log10()
}

pub(super) fn render(chart: &Chart) -> Markup {
    let scale = Scale::of(&chart.curves);
    markup! {
        figure {
            figcaption { (chart.caption) }
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(chart.caption) {
                (axes(&scale))
                @for (i, curve) in chart.curves.iter().enumerate() { (line(&scale, curve, i)) }
            }
        }
    }
}

fn axes(scale: &Scale) -> Markup {
    let widest = SHARES.iter().filter(|(share, _)| nines(*share) <= scale.nines + 1e-9);
    markup! {
        @for (y, text) in scale.decades() {
            path class="g" d=(format!("M{LEFT} {y:.0}H{RIGHT}")) {}
            text x=(LEFT - 5.0) y=(format!("{:.0}", y + 4.0)) text-anchor="end" { (text) }
        }
        @for (share, text) in widest {
            path class="g" d=(format!("M{:.0} {TOP}V{BOTTOM}", scale.x(*share))) {}
            text x=(format!("{:.0}", scale.x(*share))) y=(BOTTOM + 16.0) text-anchor="middle" { (text) }
        }
        @let middle = (TOP + BOTTOM) / 2.0;
        text x=((LEFT + RIGHT) / 2.0) y=(HEIGHT - 6.0) text-anchor="middle" { "share of operations, logarithmic in the rest" }
        text x=(AXIS) y=(middle) text-anchor="middle" transform=(format!("rotate(-90 {AXIS} {middle})")) { "µs, logarithmic" }
    }
}

fn line(scale: &Scale, curve: &Curve, index: usize) -> Markup {
    let (class, dash) = stroke(index);
    let y = TOP + 8.0 + LINE * index as f64;
    let name: String = curve.name.chars().take(NAME).collect();
    markup! {
        polyline class=(class) stroke-dasharray=(dash) points=(scale.points(curve)) {}
        path class=(class) stroke-dasharray=(dash) d=(format!("M{} {y}h24", RIGHT + 8.0)) {}
        text x=(RIGHT + 36.0) y=(y + 4.0) { (name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_starts_low_and_ends_in_the_corner() {
        let curve =
            Curve { name: "xfs".into(), points: vec![(0.5, 10.0), (0.9, 20.0), (0.99, 1000.0)] };
        let scale = Scale::of(std::slice::from_ref(&curve));
        assert!((scale.nines - 2.0).abs() < 1e-9);
        assert_eq!((scale.low, scale.high), (1.0, 3.0));
        assert_eq!(scale.points(&curve), "108,196 216,168 370,10");
        let texts: Vec<String> = scale.decades().map(|d| d.1).collect();
        assert_eq!(texts, ["10", "100", "1000"]);
    }
}

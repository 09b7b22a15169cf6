//! Rates over time as inline SVG: small multiples, a panel for each target, a line for each run. All
//! panels have the same axes, the upward one from 0, so that they can be compared by eye; their names
//! tell them apart, not colours.

use super::svg::round_up;
use crate::{
    block::{Panel, TimeSeries},
    number,
};
use maud::{Markup, html as markup};

const WIDTH: f64 = 520.0;
const LEFT: f64 = 52.0;
/// Panels next to each other.
const ACROSS: usize = 3;
/// From one panel to the next, and what of it is drawn on.
const STEP: (f64, f64) = (156.0, 104.0);
const AREA: (f64, f64) = (142.0, 66.0);
/// Room over a panel for its name.
const TOP: f64 = 16.0;
/// Characters of a name that fit over a panel.
const NAME: usize = 23;

/// The ends of both axes, seconds and rate.
struct Scale {
    seconds: f64,
    rate: f64,
}

impl Scale {
    fn of(panels: &[Panel]) -> Scale {
        let points = || panels.iter().flat_map(|panel| panel.lines.iter().flatten());
        let rate = points().map(|point| point.1).fold(0.0, f64::max);
        Scale { seconds: points().map(|point| point.0).fold(1.0, f64::max), rate: round_up(rate) }
    }

    fn points(&self, line: &[(f64, f64)], left: f64, bottom: f64) -> String {
        let point = |&(s, rate): &(f64, f64)| {
            let (x, y) = (left + s / self.seconds * AREA.0, bottom - rate / self.rate * AREA.1);
            format!("{x:.0},{y:.1}")
        };
        line.iter().map(point).collect::<Vec<_>>().join(" ")
    }
}

pub(super) fn render(series: &TimeSeries) -> Markup {
    let scale = Scale::of(&series.panels);
    let height = STEP.1 * series.panels.len().div_ceil(ACROSS) as f64;
    markup! {
        figure {
            figcaption { (series.caption) }
            svg class="c" viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(series.caption) {
                @for (i, panel) in series.panels.iter().enumerate() { (render_panel(panel, &scale, i)) }
            }
        }
    }
}

fn render_panel(panel: &Panel, scale: &Scale, index: usize) -> Markup {
    let left = LEFT + STEP.0 * (index % ACROSS) as f64;
    let bottom = STEP.1 * (index / ACROSS) as f64 + TOP + AREA.1;
    let right = left + AREA.0;
    let name: String = panel.name.chars().take(NAME).collect();
    let ticks = [0.0, 0.5, 1.0].map(|share| (bottom - share * AREA.1, share * scale.rate));
    markup! {
        text x=(left) y=(bottom - AREA.1 - 5.0) { (name) }
        @for (y, rate) in ticks {
            path class="g" d=(format!("M{left} {y:.0}H{right}")) {}
            @if index.is_multiple_of(ACROSS) {
                text x=(left - 5.0) y=(format!("{:.0}", y + 4.0)) text-anchor="end" { (number::value(rate)) }
            }
        }
        text x=(left) y=(bottom + 13.0) { "0" }
        text x=(right) y=(bottom + 13.0) text-anchor="end" { (format!("{:.0} s", scale.seconds)) }
        @for line in &panel.lines {
            polyline class="k0" points=(scale.points(line, left, bottom)) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_panel_with_all_of_its_runs_on_one_scale() {
        let line = |rate: f64| vec![(1.0, rate), (2.0, rate / 2.0)];
        let panel = |name: &str, rates: &[f64]| Panel {
            name: name.into(),
            lines: rates.iter().map(|rate| line(*rate)).collect(),
        };
        let panels = vec![panel("xfs", &[50.0, 40.0]), panel("<b>", &[10.0]), panel("c", &[1.0])];
        let series = TimeSeries { caption: "reads, MB/s".into(), panels };
        let svg = render(&series).into_string();
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert!(svg.contains("&lt;b&gt;") && svg.contains(">2 s<") && svg.contains("0 0 520 104"));
        // At the end of the first of two seconds, at the top of the plot; then half-way down.
        assert!(svg.contains("\"123,16.0 194,49.0\""), "{svg}");
    }
}

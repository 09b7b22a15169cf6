//! Samples in order of time as inline SVG: small multiples, a panel for each candidate, each sample over the
//! candidate's own mean, so that drift and noise can be compared between candidates. The band of ±5 % is shaded.

use super::svg::cut;
use crate::{
    block::{Dot, DotPanel, Dots},
    number,
};
use maud::{Markup, html as markup};

const WIDTH: f64 = 520.0;
const LEFT: f64 = 52.0;
/// Panels next to each other.
const ACROSS: usize = 3;
/// From one panel to the next, and what of it is drawn on.
const STEP: (f64, f64) = (156.0, 92.0);
const AREA: (f64, f64) = (142.0, 60.0);
/// Room over a panel for its name.
const TOP: f64 = 16.0;
/// Characters of a name that fit over a panel.
const NAME: usize = 23;
/// The upper end of the axis is no less than this.
const LEAST_REACH: f64 = 1.1;
/// The axis is in percent below this end, and in factors from it on: `+3095 %` does not fit next to it.
const FACTORS: f64 = 2.0;
/// The shaded band.
const BAND: f64 = 1.05;
/// Half of a cross.
const CROSS: f64 = 3.0;

/// Ends of the axes.
struct Scale {
    blocks: f64,
    /// Highest ratio; the lowest is its reciprocal.
    reach: f64,
}

impl Scale {
    fn of(panels: &[DotPanel]) -> Scale {
        let dots = || panels.iter().flat_map(|panel| &panel.dots);
        let valid = dots().filter(|dot| dot.is_valid).filter_map(|dot| dot.over_mean);
        let reach = valid.map(|ratio| ratio.max(ratio.recip())).fold(LEAST_REACH, f64::max);
        Scale { blocks: dots().map(|dot| dot.block.floor() + 1.0).fold(1.0, f64::max), reach }
    }

    /// Down from the top; what is beyond the axis is at its end, what has no value at the bottom.
    fn y(&self, over_mean: Option<f64>) -> f64 {
        let share = over_mean.map_or(-1.0, |ratio| ratio.ln() / self.reach.ln()).clamp(-1.0, 1.0);
        (1.0 - share) / 2.0 * AREA.1
    }

    /// A path through the valid dots, each a point, or crosses for the others.
    fn path(&self, dots: &[Dot], valid: bool, (left, top): (f64, f64)) -> String {
        let mark = |dot: &Dot| {
            let (x, y) = (left + dot.block / self.blocks * AREA.0, top + self.y(dot.over_mean));
            match valid {
                true => format!("M{x:.0} {y:.1}h0"),
                false => {
                    let (x, y, side) = (x - CROSS, y - CROSS, 2.0 * CROSS);
                    format!("M{x:.0} {y:.1}l{side} {side}m-{side} 0l{side}-{side}")
                }
            }
        };
        dots.iter().filter(|dot| dot.is_valid == valid).map(mark).collect()
    }
}

pub(super) fn render(dots: &Dots) -> Markup {
    let scale = Scale::of(&dots.panels);
    let height = STEP.1 * dots.panels.len().div_ceil(ACROSS) as f64;
    markup! {
        figure class="d" {
            figcaption { (dots.caption) }
            svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(dots.caption) {
                @for (i, panel) in dots.panels.iter().enumerate() { (render_panel(panel, &scale, i)) }
            }
        }
    }
}

fn render_panel(panel: &DotPanel, scale: &Scale, index: usize) -> Markup {
    let left = LEFT + STEP.0 * (index % ACROSS) as f64;
    let top = STEP.1 * (index / ACROSS) as f64 + TOP;
    let (high, low) = (top + scale.y(Some(BAND)), top + scale.y(Some(BAND.recip())));
    let over_mean = |ratio: f64| match scale.reach < FACTORS {
        true => format!("{:+.0} %", 100.0 * (ratio - 1.0)),
        false => format!("{}x", number::ratio(ratio)),
    };
    let ticks = [scale.reach, 1.0, scale.reach.recip()];
    let paths = [true, false].map(|valid| scale.path(&panel.dots, valid, (left, top)));
    markup! {
        text x=(left) y=(top - 5.0) { (cut(&panel.name, NAME)) }
        rect class="band" x=(left) y=(format!("{high:.1}")) width=(AREA.0) height=(format!("{:.1}", low - high)) {}
        path class="g" d=(format!("M{left} {:.0}h{}", top + AREA.1 / 2.0, AREA.0)) {}
        @if index.is_multiple_of(ACROSS) {
            @for tick in ticks {
                text x=(left - 5.0) y=(format!("{:.0}", top + scale.y(Some(tick)) + 4.0)) text-anchor="end" {
                    @if tick == 1.0 { "mean" } @else { (over_mean(tick)) }
                }
            }
        }
        @for (class, path) in ["dots", "no"].iter().zip(paths).filter(|(_, path)| !path.is_empty()) {
            path class=(class) d=(path) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(block: f64, over_mean: Option<f64>, is_valid: bool) -> Dot {
        Dot { block, over_mean, is_valid }
    }

    #[test]
    fn a_valid_sample_is_a_dot_and_another_a_cross() {
        let dots =
            vec![dot(0.0, Some(1.1), true), dot(1.0, Some(1.0 / 1.1), true), dot(1.5, None, false)];
        let panel = DotPanel { name: "<xfs>".into(), dots };
        let scale = Scale::of(std::slice::from_ref(&panel));
        assert_eq!(scale.path(&panel.dots, true, (0.0, 0.0)), "M0 0.0h0M71 60.0h0");
        assert_eq!(scale.path(&panel.dots, false, (0.0, 0.0)), "M104 57.0l6 6m-6 0l6-6");
        let svg = render(&Dots { caption: "c".into(), panels: vec![panel] }).into_string();
        assert!(svg.contains("&lt;xfs&gt;") && svg.contains("+10 %"), "{svg}");
    }

    #[test]
    fn far_ends_of_the_axis_are_factors() {
        let panel = DotPanel { name: "a".into(), dots: vec![dot(0.0, Some(32.0), true)] };
        let svg = render(&Dots { caption: "c".into(), panels: vec![panel] }).into_string();
        assert!(svg.contains(">32.0x<") && !svg.contains('%'), "{svg}");
    }

    #[test]
    fn drift_and_noise_have_one_scale_on_all_panels() {
        let wide = DotPanel { name: "a".into(), dots: vec![dot(0.0, Some(0.5), true)] };
        let narrow = DotPanel { name: "b".into(), dots: vec![dot(7.2, Some(1.01), true)] };
        let scale = Scale::of(&[wide, narrow]);
        assert_eq!((scale.reach, scale.blocks), (2.0, 8.0));
    }
}

//! Bars from zero as inline SVG, one group below another, all on one scale, the figure next to each bar.

use super::svg::cut;
use crate::{
    block::{Bar, BarGroup, Bars},
    number,
};
use maud::{Markup, html as markup};

const WIDTH: f64 = 520.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 460.0;
/// From one line to the next.
const LINE: f64 = 18.0;
/// Height of a bar.
const THICK: f64 = 11.0;
/// Width of a figure.
const FIGURE: f64 = 40.0;
/// Characters of a name that fit next to a bar.
const NAME: usize = 20;

/// Where a value ends; the mark is always in sight.
struct Scale {
    most: f64,
    mark: f64,
}

impl Scale {
    fn of(bars: &Bars) -> Scale {
        let values = bars.groups.iter().flat_map(|group| &group.bars).filter_map(|bar| bar.value);
        Scale { most: values.fold(bars.mark, f64::max), mark: bars.mark }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + value / self.most * (RIGHT - LEFT)
    }

    /// Where the figure of a bar begins: behind it, and not across the mark.
    fn figure(&self, value: f64) -> f64 {
        let (end, mark) = (self.x(value), self.x(self.mark));
        let is_crossed = end < mark && mark < end + FIGURE;
        6.0 + if is_crossed { mark } else { end }
    }
}

pub(super) fn render(bars: &Bars) -> Markup {
    let scale = Scale::of(bars);
    let lines = bars.groups.iter().map(|group| group.bars.len() + 1).sum::<usize>();
    let height = LINE * (lines as f64 + 0.5);
    let starts = bars.groups.iter().scan(0, |line, group| {
        let start = *line;
        *line += group.bars.len() + 1;
        Some(start)
    });
    markup! {
        figure {
            figcaption { (bars.caption) }
            svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(bars.caption) {
                @for (group, start) in bars.groups.iter().zip(starts) {
                    (render_group(group, &scale, LINE * start as f64))
                }
                path class="one" d=(format!("M{:.1} 4V{height}", scale.x(bars.mark))) {}
            }
        }
    }
}

fn render_group(group: &BarGroup, scale: &Scale, top: f64) -> Markup {
    let middle = |line: usize| top + LINE * (line as f64 + 0.5);
    markup! {
        text class="h" x="0" y=(format!("{:.0}", middle(0) + 4.0)) { (group.title) }
        @for (i, bar) in group.bars.iter().enumerate() { (render_bar(bar, scale, middle(i + 1))) }
    }
}

fn render_bar(bar: &Bar, scale: &Scale, middle: f64) -> Markup {
    let value = bar.value.unwrap_or_default();
    let said = bar.value.map_or_else(|| "not measured".into(), number::value);
    let baseline = format!("{:.0}", middle + 4.0);
    markup! {
        text x=(LEFT - 6.0) y=(baseline) text-anchor="end" { (cut(&bar.name, NAME)) }
        rect class="amount" x=(LEFT) y=(format!("{:.1}", middle - THICK / 2.0)) height=(THICK)
            width=(format!("{:.1}", scale.x(value) - LEFT)) {}
        text x=(format!("{:.0}", scale.figure(value))) y=(baseline) { (said) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(values: [Option<f64>; 2]) -> BarGroup {
        let bar = |(name, value): (&str, Option<f64>)| Bar { name: name.into(), value };
        let bars = ["<ext4>", "xfs"].into_iter().zip(values).map(bar).collect();
        BarGroup { title: "written".into(), bars }
    }

    fn drawn(values: [Option<f64>; 2]) -> String {
        let bars = Bars { caption: "c".into(), mark: 1.0, groups: vec![group(values)] };
        render(&bars).into_string()
    }

    #[test]
    fn bars_begin_at_zero_and_are_as_long_as_their_figures() {
        let svg = drawn([Some(2.0), Some(0.5)]);
        assert!(svg.contains("width=\"310.0\"") && svg.contains("width=\"77.5\""), "{svg}");
        assert!(svg.contains("&lt;ext4&gt;") && svg.contains(">2.00<"), "{svg}");
        assert!(svg.contains("M305.0 4V"), "the mark at 1: {svg}");
        assert!(drawn([Some(0.95), None]).contains("<text x=\"466\""), "right of the mark");
    }

    #[test]
    fn what_was_not_measured_has_no_length_and_says_so() {
        let svg = drawn([None, Some(0.0)]);
        assert_eq!(svg.matches("width=\"0.0\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("not measured").count(), 1, "{svg}");
    }
}

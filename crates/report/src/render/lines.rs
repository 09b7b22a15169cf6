//! Ratios over ordered places as inline SVG: small multiples on the same logarithmic axis, the lines distinguished by
//! colour, dash and the legend, intervals as thin vertical lines, the ideal dotted.

use super::svg::{Axis, cut, stroke};
use crate::{
    block::{LinePanel, Lines, Span},
    number,
};
use maud::{Markup, html as markup};

const WIDTH: f64 = 520.0;
const LEFT: f64 = 46.0;
/// Where the name of the axis stands, across.
const AXIS: f64 = 10.0;
/// Panels next to each other.
const ACROSS: usize = 3;
/// From one panel to the next, and what of it is drawn on.
const STEP: (f64, f64) = (160.0, 142.0);
const AREA: (f64, f64) = (138.0, 78.0);
/// Room between the sides of a panel and its first and last place.
const INSET: f64 = 12.0;
/// Room over a panel for its name, over all panels for each line of the legend.
const TOP: f64 = 28.0;
const LINE: f64 = 16.0;
/// Height of a label of the axis, with air.
const LABEL: f64 = 14.0;
/// How far the axis follows intervals beyond the points; what is wider is cut off.
const BEYOND: f64 = 1.5;
/// Characters of a line of a name over a panel, and of a name in the legend.
const NAME: usize = 21;
const KEY: usize = 22;
/// Names in a line of the legend.
const KEYS: usize = 3;

/// From data to places on the drawing.
struct Scale<'a> {
    lines: &'a Lines,
    axis: Axis,
    /// Height of the legend.
    legend: f64,
}

impl<'a> Scale<'a> {
    fn of(lines: &'a Lines) -> Scale<'a> {
        let spans = lines.panels.iter().flat_map(|panel| panel.lines.iter().flatten().flatten());
        let points: Vec<f64> =
            spans.clone().map(|span| span.point).chain(lines.ideal.iter().copied()).collect();
        let least = points.iter().copied().fold(f64::INFINITY, f64::min) / BEYOND;
        let most = points.iter().copied().fold(0.0, f64::max) * BEYOND;
        let ends = spans.filter_map(|span| span.ends).flat_map(|(low, high)| [low, high]);
        let ends: Vec<f64> = ends.map(|end| end.clamp(least, most)).collect();
        let axis = Axis::of(points.into_iter().chain(ends));
        let keys = lines.names.len() + usize::from(!lines.ideal.is_empty());
        Scale { lines, axis, legend: LINE * keys.div_ceil(KEYS) as f64 }
    }

    fn height(&self) -> f64 {
        self.legend + STEP.1 * self.lines.panels.len().div_ceil(ACROSS) as f64
    }

    /// Left and bottom of what is drawn on of a panel.
    fn corner(&self, panel: usize) -> (f64, f64) {
        let left = LEFT + STEP.0 * (panel % ACROSS) as f64;
        (left, self.legend + STEP.1 * (panel / ACROSS) as f64 + TOP + AREA.1)
    }

    fn x(&self, place: usize) -> f64 {
        let last = self.lines.places.len().saturating_sub(1).max(1) as f64;
        INSET + place as f64 / last * (AREA.0 - 2.0 * INSET)
    }

    /// Height over the bottom, within the panel.
    fn y(&self, ratio: f64) -> f64 {
        self.axis.place(ratio).clamp(0.0, 1.0) * AREA.1
    }

    fn path(&self, (left, bottom): (f64, f64), ratios: &[Option<f64>]) -> String {
        let known = ratios.iter().enumerate().filter_map(|(place, ratio)| Some((place, (*ratio)?)));
        let at = |(place, ratio): (usize, f64)| {
            format!("{:.1},{:.1}", left + self.x(place), bottom - self.y(ratio))
        };
        known.map(at).collect::<Vec<_>>().join(" ")
    }
}

/// Points are drawn, and say what they are, where there is room for that.
pub(super) fn render(lines: &Lines, with_points: bool) -> Markup {
    let scale = Scale::of(lines);
    markup! {
        figure class="lines" {
            figcaption { (lines.caption) }
            svg viewBox=(format!("0 0 {WIDTH} {}", scale.height())) role="img" aria-label=(lines.caption) {
                (legend(&scale))
                @for (at, panel) in lines.panels.iter().enumerate() { (render_panel(panel, &scale, at, with_points)) }
            }
        }
    }
}

fn legend(scale: &Scale<'_>) -> Markup {
    let ideal = (!scale.lines.ideal.is_empty()).then_some("ideal");
    let names = scale.lines.names.iter().map(String::as_str).chain(ideal);
    let place = |at: usize| (STEP.0 * (at % KEYS) as f64, LINE * (at / KEYS) as f64 + LINE / 2.0);
    markup! {
        @for (at, name) in names.enumerate() {
            @let (x, y) = place(at);
            @let (class, dash) = style(at, at == scale.lines.names.len());
            path class=(class) stroke-dasharray=(dash) d=(format!("M{x} {y}h24")) {}
            text x=(x + 29.0) y=(y + 4.0) { (cut(name, KEY)) }
        }
    }
}

/// What the ideal is drawn with.
const IDEAL: (&str, &str) = ("one", "2 3");

/// Class and dash of a line.
fn style(line: usize, is_ideal: bool) -> (String, &'static str) {
    match is_ideal {
        true => (IDEAL.0.into(), IDEAL.1),
        false => stroke(line),
    }
}

fn render_panel(panel: &LinePanel, scale: &Scale<'_>, at: usize, with_points: bool) -> Markup {
    let (left, bottom) = scale.corner(at);
    let lines = scale.lines;
    let ideal: Vec<Option<f64>> = lines.ideal.iter().copied().map(Some).collect();
    markup! {
        @for (line, text) in in_lines(&panel.name).into_iter().rev().enumerate() {
            text class="h" x=(left) y=(bottom - AREA.1 - 5.0 - 12.0 * line as f64) { (text) }
        }
        @for tick in scale.axis.ticks(LABEL / AREA.1) {
            @let y = bottom - scale.y(tick);
            path class=(if tick == 1.0 { "one" } else { "g" }) d=(format!("M{left} {y:.1}h{}", AREA.0)) {}
            @if at.is_multiple_of(ACROSS) {
                text x=(left - 5.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" { (tick) }
            }
        }
        @if at.is_multiple_of(ACROSS) {
            @let middle = bottom - AREA.1 / 2.0;
            text x=(AXIS) y=(middle) text-anchor="middle" transform=(format!("rotate(-90 {AXIS} {middle})")) { "ratio, log" }
        }
        @for (place, name) in lines.places.iter().enumerate() {
            text x=(format!("{:.1}", left + scale.x(place))) y=(bottom + 12.0) text-anchor="middle" { (name) }
        }
        @if at.is_multiple_of(ACROSS) {
            text x=(left + AREA.0 / 2.0) y=(bottom + 24.0) text-anchor="middle" { (lines.across) }
        }
        polyline class=(IDEAL.0) stroke-dasharray=(IDEAL.1) fill="none" points=(scale.path((left, bottom), &ideal)) {}
        @for (line, spans) in panel.lines.iter().enumerate() {
            (render_line(spans, scale, (left, bottom), line))
            @let details = panel.details.get(line).map_or(&[][..], Vec::as_slice);
            @if with_points { (points(spans, details, scale, (left, bottom), line)) }
        }
    }
}

/// The points of a line, each of which says what it is when it is pointed at.
fn points(
    spans: &[Option<Span>],
    details: &[String],
    scale: &Scale<'_>,
    (left, bottom): (f64, f64),
    line: usize,
) -> Markup {
    let lines = scale.lines;
    let said = |at: usize, span: &Span| {
        let what = format!("{}, {} {}", lines.names[line], lines.across, lines.places[at]);
        let interval = span.ends.map(|(low, high)| {
            format!(", 95 % interval {}-{}", number::end(low), number::end(high))
        });
        let detail = details.get(at).filter(|own| !own.is_empty());
        let detail = detail.map_or_else(String::new, |own| format!(", {own}"));
        format!("{what}: {}{}{detail}", number::ratio(span.point), interval.unwrap_or_default())
    };
    let known = spans.iter().enumerate().filter_map(|(at, span)| Some((at, span.as_ref()?)));
    markup! {
        @for (at, span) in known {
            circle class=(stroke(line).0) r="2.5" cx=(format!("{:.1}", left + scale.x(at)))
                cy=(format!("{:.1}", bottom - scale.y(span.point))) { title { (said(at, span)) } }
        }
    }
}

/// `name` in at most two lines.
fn in_lines(name: &str) -> Vec<String> {
    let fits = |at: &usize| name[..*at].chars().count() <= NAME;
    let space = name.match_indices(' ').map(|(at, _)| at).take_while(fits).last();
    match space.filter(|_| name.chars().count() > NAME) {
        Some(at) => vec![name[..at].into(), cut(&name[at + 1..], NAME)],
        None => vec![cut(name, NAME)],
    }
}

fn render_line(
    spans: &[Option<Span>],
    scale: &Scale<'_>,
    (left, bottom): (f64, f64),
    line: usize,
) -> Markup {
    let (class, dash) = stroke(line);
    let points: Vec<Option<f64>> = spans.iter().map(|span| span.map(|s| s.point)).collect();
    // Beside each other, so that the intervals of several lines can be seen.
    let aside = (line as f64 - (scale.lines.names.len() as f64 - 1.0) / 2.0) * 2.5;
    let ends = spans.iter().enumerate().filter_map(|(at, span)| Some((at, (*span)?.ends?)));
    markup! {
        polyline class=(class) stroke-dasharray=(dash) points=(scale.path((left, bottom), &points)) {}
        @for (at, (low, high)) in ends {
            @let x = left + scale.x(at) + aside;
            path class=(class) d=(format!("M{x:.1} {:.1}V{:.1}", bottom - scale.y(low), bottom - scale.y(high))) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Lines {
        let span = |point: f64| Some(Span { point, ends: Some((point / 1.1, point * 1.1)) });
        let panel = |name: &str| LinePanel {
            name: name.into(),
            lines: vec![vec![span(1.0), span(2.0), span(4.0)], vec![span(1.0), None, span(0.9)]],
            details: vec![vec![String::new(), "n=5".into()]],
        };
        Lines {
            caption: "Speed-up".into(),
            across: "processes".into(),
            places: ["1", "2", "4"].map(String::from).to_vec(),
            names: ["<xfs>", "ext4"].map(String::from).to_vec(),
            ideal: vec![1.0, 2.0, 4.0],
            panels: vec![panel("read"), panel("write"), panel("sort"), panel("size")],
        }
    }

    #[test]
    fn every_panel_has_every_line_its_intervals_and_the_ideal() {
        let svg = render(&lines(), true).into_string();
        assert_eq!(svg.matches("<polyline").count(), 4 * 3);
        assert_eq!(svg.matches("<path class=\"k").count(), 2 + 4 * 5, "legend and intervals");
        assert!(svg.contains("&lt;xfs&gt;") && svg.contains(">ideal<"), "{svg}");
        // Two rows of panels under one line of legend.
        assert!(svg.contains("0 0 520 300"), "{svg}");
    }

    #[test]
    fn a_point_says_what_it_is_and_the_axis_what_it_shows() {
        let svg = render(&lines(), true).into_string();
        assert_eq!(svg.matches("<circle").count(), 4 * 5);
        let said = "<title>&lt;xfs&gt;, processes 2: 2.00, 95 % interval 1.82-2.20, n=5</title>";
        assert!(svg.contains(said), "{svg}");
        assert_eq!(svg.matches(">ratio, log<").count(), 2, "one for each row of panels");
    }

    #[test]
    fn more_is_higher_and_what_is_not_known_is_passed_over() {
        let lines = lines();
        let scale = Scale::of(&lines);
        assert!(scale.y(4.0) > scale.y(2.0) && scale.y(2.0) > scale.y(1.0));
        let path = scale.path((0.0, 100.0), &[Some(1.0), None, Some(4.0)]);
        assert_eq!(path.split(' ').count(), 2);
        assert!(path.starts_with("12.0,") && path.contains(" 126.0,"), "{path}");
    }
}

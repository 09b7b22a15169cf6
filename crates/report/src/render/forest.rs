//! A forest plot as inline SVG: a row for each candidate with its point and interval on a logarithmic axis, the band
//! shaded, a line at 1. Words next to the bars say what the colours do, and the description says all of it.

use super::svg::{APART, Axis, cut};
use crate::block::{Forest, ForestPanel, ForestRow, Span};
use maud::{Markup, html as markup};

const WIDTH: f64 = 460.0;
/// Where the bars begin and end, across.
const BARS: (f64, f64) = (128.0, 338.0);
/// Where the words begin.
const WORDS: f64 = 348.0;
/// Height of a row.
const ROW: f64 = 19.0;
/// Room under the rows for the ticks and the name of the axis.
const BOTTOM: f64 = 34.0;
/// Characters that fit before, and after the bars, and from the start of the bars to the end.
const NAME: usize = 20;
const SAID: usize = 21;
const REASON: usize = 58;
/// An interval is cut that goes further than this beyond the outermost point, a ratio.
const BEYOND: f64 = 2.0;

pub(super) fn render(forest: &Forest) -> Markup {
    let axis = axis(&forest.panels);
    let lines: usize = forest.panels.iter().map(|panel| 1 + panel.rows.len()).sum();
    let bottom = ROW * lines as f64;
    let band = (1.0 + forest.band).recip()..1.0 + forest.band;
    let (left, right) = (x(&axis, band.start), x(&axis, band.end));
    markup! {
        figure class="forest" {
            figcaption { (forest.caption) }
            svg viewBox=(format!("0 0 {WIDTH} {}", bottom + BOTTOM)) role="img" {
                title { (forest.caption) }
                desc { (described(forest)) }
                rect class="band" x=(format!("{left:.1}")) y="0" width=(format!("{:.1}", right - left)) height=(bottom) {}
                @for tick in axis.ticks(APART) {
                    path class=(if tick == 1.0 { "one" } else { "g" }) d=(format!("M{:.1} 0V{bottom}", x(&axis, tick))) {}
                    text x=(format!("{:.1}", x(&axis, tick))) y=(bottom + 14.0) text-anchor="middle" { (tick) }
                }
                text x=((BARS.0 + BARS.1) / 2.0) y=(bottom + 29.0) text-anchor="middle" { "ratio, logarithmic" }
                (panels(forest, &axis))
            }
        }
    }
}

fn panels(forest: &Forest, axis: &Axis) -> Markup {
    let mut line = 0.0;
    let mut middle = || {
        line += ROW;
        line - ROW / 2.0
    };
    markup! {
        @for (at, panel) in forest.panels.iter().enumerate() {
            text class="h" x="0" y=(middle() + 4.0) { (panel.title) }
            @for row in &panel.rows { (render_row(row, axis, middle(), at == 0)) }
        }
    }
}

fn render_row(row: &ForestRow, axis: &Axis, y: f64, is_score: bool) -> Markup {
    markup! {
        text x="8" y=(y + 4.0) { (cut(&row.name, NAME)) }
        @match &row.span {
            Some(span) => {
                (bar(row, *span, axis, y, is_score))
                text x=(WORDS) y=(y + 4.0) { (cut(&row.said, SAID)) }
            }
            None => { text class="bg" x=(BARS.0) y=(y + 4.0) { (cut(&row.said, REASON)) } }
        }
    }
}

/// The point, a diamond for a score, else a disc, hollow where it is unclear, and over it the interval as a line with
/// an upright at each end, so that one narrower than the point is seen, or an arrow where it continues.
fn bar(row: &ForestRow, span: Span, axis: &Axis, y: f64, is_score: bool) -> Markup {
    let at = x(axis, span.point);
    let class = match row.shade.map(|shade| shade.step().signum()) {
        Some(1) => "f fb",
        Some(-1) => "f fw",
        Some(_) => "f fs",
        None => "f fu",
    };
    let size = if is_score { 6.0 } else { 4.0 };
    markup! {
        g class=(class) {
            title { (said(row)) }
            @if is_score {
                path class="p" d=(format!("M{:.1} {y}l{size}-{size} {size} {size}-{size} {size}z", at - size)) {}
            } @else {
                circle class="p" cx=(format!("{at:.1}")) cy=(y) r=(size) {}
            }
            @if let Some((low, high)) = span.ends { path d=(whisker(axis, low, high, y)) {} }
        }
    }
}

fn whisker(axis: &Axis, low: f64, high: f64, y: f64) -> String {
    let (from, to) = (x(axis, low).max(BARS.0), x(axis, high).min(BARS.1));
    let mut path = format!("M{from:.1} {y}H{to:.1}");
    let end = |at: f64, goes_on: bool, back: f64| match goes_on {
        true => format!("M{:.1} {}l{back} 4 {} 4", at - back, y - 4.0, -back),
        false => format!("M{at:.1} {}v8", y - 4.0),
    };
    path += &end(from, x(axis, low) < BARS.0, -4.0);
    path += &end(to, x(axis, high) > BARS.1, 4.0);
    path
}

/// Holds every point, and of every interval what is not far away.
fn axis(panels: &[ForestPanel]) -> Axis {
    let spans = || panels.iter().flat_map(|p| &p.rows).filter_map(|row| row.span);
    let least = spans().map(|span| span.point).fold(1.0, f64::min) / BEYOND;
    let most = spans().map(|span| span.point).fold(1.0, f64::max) * BEYOND;
    let ends = move |span: Span| {
        let (low, high) = span.ends.unwrap_or((span.point, span.point));
        [low.max(least), high.min(most)]
    };
    Axis::of(spans().flat_map(ends).collect::<Vec<_>>().into_iter())
}

fn x(axis: &Axis, ratio: f64) -> f64 {
    BARS.0 + axis.place(ratio) * (BARS.1 - BARS.0)
}

/// A row in words.
fn said(row: &ForestRow) -> String {
    let note = if row.note.is_empty() { String::new() } else { format!(", interval {}", row.note) };
    format!("{} {}{note}", row.name, row.said)
}

/// Every row in words.
fn described(forest: &Forest) -> String {
    let panel = |panel: &ForestPanel| {
        let rows: Vec<String> = panel.rows.iter().map(said).collect();
        format!("{}: {}.", panel.title, rows.join("; "))
    };
    forest.panels.iter().map(panel).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Shade;

    fn row(name: &str, span: Option<Span>, said: &str, decided: bool) -> ForestRow {
        let shade = span.filter(|_| decided).map(|span| Shade::of_ratio(span.point));
        ForestRow { name: name.into(), span, said: said.into(), note: "0.9-1.2".into(), shade }
    }

    fn span(point: f64, low: f64, high: f64) -> Option<Span> {
        Some(Span { point, ends: Some((low, high)) })
    }

    fn drawn(rows: Vec<ForestRow>) -> String {
        let panels = vec![ForestPanel { title: "Score".into(), rows }];
        render(&Forest { caption: "over <ext4>".into(), band: 0.05, panels }).into_string()
    }

    #[test]
    fn what_is_unclear_is_hollow_and_what_was_not_measured_says_why() {
        let svg = drawn(vec![
            row("xfs", span(1.5, 1.4, 1.6), "1.50 better", true),
            row("f2fs", span(1.1, 0.9, 1.3), "1.10 unclear", false),
            row("zfs", None, "ruled out: no module", false),
        ]);
        assert_eq!((svg.matches("f fb").count(), svg.matches("f fu").count()), (1, 1));
        assert_eq!(svg.matches("class=\"p\"").count(), 2);
        assert!(svg.contains("ruled out: no module</text>"), "{svg}");
    }

    #[test]
    fn the_description_has_every_row_and_the_name_is_text() {
        let svg = drawn(vec![row("xfs", span(1.5, 1.4, 1.6), "1.50 better", true)]);
        assert!(svg.contains("<title>over &lt;ext4&gt;</title>"), "{svg}");
        assert!(svg.contains("<desc>Score: xfs 1.50 better, interval 0.9-1.2.</desc>"), "{svg}");
    }

    #[test]
    fn an_interval_without_end_stays_in_the_drawing_and_has_arrows() {
        let rows = vec![row("xfs", span(1.5, 1e-6, 1e9), "1.50 unclear", false)];
        let axis = axis(&[ForestPanel { title: String::new(), rows: rows.clone() }]);
        assert!(axis.place(3.0) < 1.0 && axis.place(5.0) > 1.0);
        assert_eq!(drawn(rows).matches("l-4 4 4 4").count(), 1);
    }

    #[test]
    fn an_interval_narrower_than_its_point_is_drawn_over_it() {
        let svg = drawn(vec![row("xfs", span(1.2, 1.199, 1.201), "1.20 better", true)]);
        let (point, interval) = (svg.find("class=\"p\"").unwrap(), svg.find("v8").unwrap());
        assert!(point < interval, "{svg}");
    }
}

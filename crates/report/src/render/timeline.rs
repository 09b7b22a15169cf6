//! Figures over time as inline SVG: a panel for each, one below the other on the same time axis, the mean as a line on
//! a bar from the least to the largest; blocks begin at the vertical lines.

use super::svg::round_up;
use crate::{
    block::{TimePanel, TimePiece, Timeline},
    number,
};
use maud::{Markup, html as markup};

const WIDTH: f64 = 720.0;
const LEFT: f64 = 46.0;
const ACROSS: f64 = WIDTH - LEFT - 8.0;
/// From one panel to the next, and what of it is drawn on.
const STEP: f64 = 78.0;
const HIGH: f64 = 48.0;
/// Room over a panel for its name, under all for the time.
const TOP: f64 = 18.0;
const BOTTOM: f64 = 18.0;
/// Least distance of two numbers of blocks.
const APART: f64 = 18.0;

pub(super) fn render(timeline: &Timeline) -> Markup {
    let height = STEP * timeline.panels.len() as f64 + BOTTOM;
    let foot = height - BOTTOM - (STEP - TOP - HIGH);
    markup! {
        figure class="time" {
            figcaption { (timeline.caption) }
            svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(timeline.caption) {
                @for (at, block) in marks(timeline) {
                    path class="g" d=(format!("M{at:.1} {TOP}V{foot:.0}")) {}
                    @if let Some(block) = block {
                        text x=(format!("{at:.1}")) y=(foot + 12.0) text-anchor="middle" { (block) }
                    }
                }
                text x="0" y=(foot + 12.0) { "block" }
                @for (at, panel) in timeline.panels.iter().enumerate() {
                    (render_panel(panel, timeline.seconds, TOP + HIGH + STEP * at as f64))
                }
            }
        }
    }
}

fn x(at_s: f64, seconds: f64) -> f64 {
    LEFT + at_s / seconds * ACROSS
}

/// Where blocks begin, with their numbers from 1 where there is room.
fn marks(timeline: &Timeline) -> Vec<(f64, Option<u32>)> {
    let mut last = f64::NEG_INFINITY;
    let mark = |(at_s, block): &(f64, u32)| {
        let at = x(*at_s, timeline.seconds);
        let has_room = at - last >= APART;
        if has_room {
            last = at;
        }
        (at, has_room.then_some(block + 1))
    };
    timeline.blocks.iter().map(mark).collect()
}

fn render_panel(panel: &TimePanel, seconds: f64, bottom: f64) -> Markup {
    let top = round_up(panel.pieces.iter().map(|piece| piece.most).fold(0.0, f64::max));
    let y = |value: f64| bottom - value / top * HIGH;
    let at = |piece: &TimePiece| x(piece.at_s, seconds);
    let bar = |p: &TimePiece| format!("M{:.1} {:.1}V{:.1}", at(p), y(p.least), y(p.most));
    let mean = |p: &TimePiece| format!("{:.1},{:.1}", at(p), y(p.mean));
    let joined = |of: &dyn Fn(&TimePiece) -> String, by| {
        panel.pieces.iter().map(of).collect::<Vec<_>>().join(by)
    };
    markup! {
        text class="h" x=(LEFT) y=(bottom - HIGH - 6.0) { (panel.name) }
        @for share in [0.0, 1.0] {
            path class="g" d=(format!("M{LEFT} {:.0}h{ACROSS}", bottom - share * HIGH)) {}
            text x=(LEFT - 5.0) y=(format!("{:.0}", bottom - share * HIGH + 4.0)) text-anchor="end" {
                (number::value(share * top))
            }
        }
        path class="range" d=(joined(&bar, "")) {}
        polyline class="k0" points=(joined(&mean, " ")) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_has_a_bar_for_each_piece_and_blocks_their_numbers() {
        let piece = |at_s, mean| TimePiece { at_s, least: mean / 2.0, mean, most: mean * 2.0 };
        let panel =
            TimePanel { name: "<MB/s>".into(), pieces: vec![piece(1.0, 50.0), piece(9.0, 25.0)] };
        let blocks = vec![(0.0, 0), (0.1, 1), (5.0, 2)];
        let timeline = Timeline {
            caption: "c".into(),
            seconds: 10.0,
            blocks,
            panels: vec![panel.clone(), panel],
        };
        let svg = render(&timeline).into_string();
        assert!(svg.contains("&lt;MB/s&gt;") && svg.contains("0 0 720 174"), "{svg}");
        // 100 is the top of the axis, 0 its foot.
        assert!(
            svg.contains("M112.6 54.0V18.0M") && svg.contains("112.6,42.0 645.4,54.0"),
            "{svg}"
        );
        // The second block begins too near to the first for a number.
        assert!(svg.contains(">1<") && !svg.contains(">2<") && svg.contains(">3<"));
    }
}

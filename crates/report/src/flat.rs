//! Replaces a chart whose figures are all about 1.00 by a sentence.

use crate::{
    block::{Block, Lines},
    number,
};

/// The least and the most of `figures`, where all are within `band` of 1; `None` where any is further, or none is
/// there.
pub(crate) fn range(figures: impl Iterator<Item = f64>, band: f64) -> Option<(f64, f64)> {
    let range = figures.fold(None, |range: Option<(f64, f64)>, own| {
        let (least, most) = range.unwrap_or((own, own));
        Some((least.min(own), most.max(own)))
    });
    range.filter(|(least, most)| least.recip() <= 1.0 + band && *most <= 1.0 + band)
}

/// `0.98 to 1.02`, or the one figure of both.
pub(crate) fn said((least, most): (f64, f64)) -> String {
    match [least, most].map(number::ratio) {
        [one, other] if one == other => one,
        [one, other] => format!("{one} to {other}"),
    }
}

/// The lines as a picture, or, where all points are within `band` of 1, as a sentence.
pub(crate) fn drawn(lines: Lines, band: f64) -> Block {
    let spans = lines.panels.iter().flat_map(|panel| panel.lines.iter().flatten().flatten());
    match range(spans.map(|span| span.point), band) {
        None => Block::Lines(lines),
        Some(range) => Block::Prose(format!(
            "{}: all ratios are {}, within the band of {:.0} %.",
            lines.caption.split(", 95 %").next().unwrap_or_default(),
            said(range),
            100.0 * band
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{LinePanel, Span};

    fn lines(points: [f64; 2]) -> Lines {
        let span = |point| Some(Span { point, ends: None });
        Lines {
            caption: "xfs: ratio over xfs by agcount, 95 % intervals".into(),
            across: "agcount".into(),
            places: ["4", "16"].map(String::from).into(),
            names: vec!["the others at their defaults".into()],
            ideal: Vec::new(),
            panels: vec![LinePanel {
                lines: vec![points.map(span).into()],
                ..LinePanel::default()
            }],
        }
    }

    #[test]
    fn lines_of_about_one_are_a_sentence() {
        let said =
            "xfs: ratio over xfs by agcount: all ratios are 1.00 to 1.02, within the band of 5 %.";
        assert_eq!(drawn(lines([1.0, 1.02]), 0.05), Block::Prose(said.into()));
        assert_eq!(drawn(lines([1.0, 0.9]), 0.05), Block::Lines(lines([1.0, 0.9])));
    }

    #[test]
    fn no_figures_are_no_range() {
        assert_eq!(range(std::iter::empty(), 0.05), None);
        assert_eq!(range([1.0].into_iter(), 0.05).map(said).as_deref(), Some("1.00"));
    }
}

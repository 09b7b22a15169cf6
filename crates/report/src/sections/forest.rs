//! The candidates as a forest plot, which shows the evidence for the verdict at a glance. Overlapping bars mean "cannot
//! be separated"; candidates that were not measured have a row with the reason. The numbers are in the tables of the
//! verdict and the overview.

use crate::{
    block::{Block, Forest, ForestPanel, ForestRow, Shade, Span},
    number,
    sections::{Section, ratios},
};
use model::result::Dataset;
use stats::{
    description::{Comparison, Footer},
    evaluation::Findings,
    kernel::Ratio,
    verdict::Candidate,
};

/// Rows of groups that are drawn; those of further ones are in the overview.
const MOST_ROWS: usize = 32;

pub(crate) struct ForestPlot;

impl Section for ForestPlot {
    fn title(&self) -> &'static str {
        "Candidates at a glance"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if !findings.is_of_campaign()
            || !findings.is_ranked
            || findings.verdict.candidates.len() < 2
        {
            return None;
        }
        let scores = overall(findings);
        let caption = format!(
            "Ratio over {} with its 95 % interval; right of 1 is better, ±{:.0} % is shaded{}",
            findings.baseline,
            100.0 * findings.band,
            hollow(&scores, findings)
        );
        let panels = std::iter::once(scores).chain(groups(findings)).collect();
        Some(vec![Block::Forest(Forest { caption, band: findings.band, panels })])
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// The scores, best first, and what was not measured with the reason.
fn overall(findings: &Findings) -> ForestPanel {
    let verdict = &findings.verdict;
    let scored = verdict.candidates.iter().map(|candidate| of_score(candidate, findings));
    let is_scored = |label: &str| verdict.candidates.iter().any(|c| c.target == label);
    let failed = findings.failures.iter().filter(|failure| !is_scored(&failure.target));
    let ruled_out = failed.map(|failure| ForestRow {
        name: failure.target.clone(),
        span: None,
        said: format!("ruled out: {}", failure.why),
        note: String::new(),
        shade: None,
    });
    let title = match verdict.scored_over == findings.baseline {
        true => "Score over all groups".to_string(),
        false => format!("Score over all groups, ratio over {}", verdict.scored_over),
    };
    ForestPanel { title, rows: scored.chain(ruled_out).collect() }
}

/// Why a score is hollow whose interval excludes 1; empty where none is.
fn hollow(scores: &ForestPanel, findings: &Findings) -> &'static str {
    let is_open = |row: &ForestRow| {
        let ends = row.span.and_then(|span| span.ends).filter(|_| row.shade.is_none());
        ends.is_some_and(|(low, high)| low > 1.0 || high < 1.0)
    };
    match (scores.rows.iter().any(is_open), findings.verdict.reason.is_refusal()) {
        (false, _) => "",
        (true, true) => "; hollow: not judged, see the verdict",
        (true, false) => "; hollow: not significant among all pairs (Holm)",
    }
}

/// A panel for each scored group and process count, as many as there is room for.
fn groups(findings: &Findings) -> Vec<ForestPanel> {
    let mut room = MOST_ROWS;
    let tables = findings.tables.iter().filter(|table| table.group.is_scored());
    let panels = tables.map(|table| ForestPanel {
        title: format!("{}, {}", table.group.title(), stats::description::processes(table.procs)),
        rows: table.footers.iter().filter_map(|footer| of_group(footer, findings)).collect(),
    });
    let fits = |panel: &ForestPanel| {
        let is_drawn = panel.rows.len() <= room;
        room = room.saturating_sub(panel.rows.len());
        is_drawn
    };
    panels.filter(|panel| !panel.rows.is_empty()).take_while(fits).collect()
}

/// A score with its interval in figures: the word belongs to the verdict alone, which asks for more than an interval.
/// It is hollow where its ranks leave open that it shares the place of what it is over.
fn of_score(candidate: &Candidate, findings: &Findings) -> ForestRow {
    let over = &findings.verdict.scored_over;
    let base = findings.verdict.candidates.iter().find(|other| other.target == *over);
    let is_apart = base
        .and_then(|base| base.ranks)
        .zip(candidate.ranks)
        .is_some_and(|((best, worst), (own_best, own_worst))| own_worst < best || own_best > worst);
    let is_base = candidate.target == *over;
    let interval = number::interval(&candidate.ratio);
    let beside = if is_base { "baseline" } else { &interval };
    ForestRow {
        name: candidate.target.clone(),
        span: Some(span(&candidate.ratio)),
        said: format!("{} {beside}", number::ratio(candidate.ratio.point)).trim_end().into(),
        note: String::new(),
        shade: (is_base || is_apart).then(|| shade(candidate.ratio.point, findings.band)),
    }
}

/// That of a decided score: neutral within the band, as the verdict calls such a lead slight, and only there.
fn shade(ratio: f64, band: f64) -> Shade {
    let of_ratio = Shade::of_ratio(ratio);
    match 1.0 + band {
        edge if ratio > edge => of_ratio.at_least(1),
        edge if ratio.recip() > edge => of_ratio.at_most(-1),
        _ => Shade::of_ratio(1.0),
    }
}

/// The mean of a group with the word for it.
fn of_group(footer: &Footer, findings: &Findings) -> Option<ForestRow> {
    let ratio = footer.ratio.as_ref().filter(|_| footer.target != findings.baseline)?;
    let verdict = footer.comparison.unwrap_or(Comparison::Unclear);
    let word = if verdict == Comparison::Contended { "contended" } else { verdict.as_str() };
    Some(ForestRow {
        name: footer.target.clone(),
        span: Some(span(ratio)),
        said: format!("{} {word}", number::ratio(ratio.point)),
        note: number::interval(ratio),
        shade: ratios::shade(ratio, Some(verdict)),
    })
}

fn span(ratio: &Ratio) -> Span {
    Span { point: ratio.point, ends: ratio.low.zip(ratio.high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_coloured_where_the_verdict_says_more_than_slightly() {
        let step = |ratio: f64| shade(ratio, 0.05).step();
        assert_eq!([1.049, 1.051, 1.3].map(step), [0, 1, 2]);
        assert_eq!([1.0 / 1.049, 1.0 / 1.051, 0.75].map(step), [0, -1, -2]);
        assert_eq!(shade(1.04, 0.03).step(), 1, "by a band of its own");
    }
}

//! Computes what would settle an open verdict: how many more blocks, or none, because the leaders are the same within
//! the band. Only the leaders matter. The number of blocks suffices with a probability of 80 %, if the lead is as
//! estimated.

use crate::{
    description::Settings,
    kernel::{
        Ratio,
        power::Noise,
        ratio::{Estimate, quantile},
        significance::{Bar, CLEAR_LEAD},
    },
    verdict::{Verdict, VerdictKind},
};
use serde::Serialize;

/// Blocks needed for a first interval.
const FIRST: usize = 3;

/// What more blocks would do for the first two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Next {
    /// Nothing: the whole interval of the lead lies inside the band.
    Same,
    /// This many more give the lead an informative interval.
    Interval {
        /// Further blocks.
        blocks: usize,
    },
    /// About this many more separate the two, if their difference stays the same.
    Separate {
        /// Further blocks.
        blocks: usize,
    },
    /// About this many more show that they are the same within the band, if their difference stays the same.
    Within {
        /// Further blocks.
        blocks: usize,
    },
    /// More than a campaign can have.
    TooMany,
}

/// What would settle `verdict`; `None` where it is clear, where there is nothing to compare, and where it is refused,
/// for which blocks are no remedy.
pub(crate) fn next(verdict: &Verdict, bar: Bar, settings: &Settings) -> Option<Next> {
    let lead = verdict
        .lead
        .filter(|_| verdict.kind != VerdictKind::Clear && verdict.candidates.len() > 1)?;
    match lead.low.zip(lead.high).filter(|_| verdict.blocks > 1) {
        None => Some(Next::Interval { blocks: FIRST - verdict.blocks.min(FIRST - 1) }),
        Some(_) if verdict.reason.is_refusal() => None,
        Some(interval) => Some(of_lead(&lead, interval, verdict, (bar, settings.band))),
    }
}

/// It is settled when the lead, where that is worth a verdict, passes the bar, or when its interval fits into the
/// band, whichever comes first.
fn of_lead(
    lead: &Ratio,
    (low, high): (f64, f64),
    verdict: &Verdict,
    (bar, band): (Bar, f64),
) -> Next {
    let edge = band.ln_1p();
    if -low.ln() <= edge && high.ln() <= edge {
        return Next::Same;
    }
    let mean = lead.point.ln().abs();
    let noise = noise((lead.point / low).ln(), verdict.blocks, bar);
    let after = |distance: f64, confidence: f64| noise.as_ref()?.blocks(distance, confidence);
    let apart = after(if mean >= CLEAR_LEAD.ln() { mean } else { 0.0 }, 1.0 - bar.alpha);
    let within = after(edge - mean, bar.confidence);
    let more = |all: usize| all.saturating_sub(verdict.blocks).max(1);
    match (apart, within) {
        (Some(apart), within) if within.is_none_or(|within| apart <= within) => {
            Next::Separate { blocks: more(apart) }
        }
        (_, Some(within)) => Next::Within { blocks: more(within) },
        _ => Next::TooMany,
    }
}

/// The noise that an interval of this half-width shows, paired over `blocks`.
fn noise(half: f64, blocks: usize, bar: Bar) -> Option<Noise> {
    let df = blocks as f64 - 1.0;
    let se = half / quantile(df, 0.5 + bar.confidence / 2.0);
    Noise::of(&Estimate { mean: 0.0, error: Some((se, df)) }, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Candidate;

    /// A verdict of two candidates that is not clear.
    fn verdict(blocks: usize, lead: Ratio) -> Verdict {
        let candidate = |target: &str| Candidate {
            target: target.into(),
            ratio: Ratio::ONE,
            p_best: None,
            ranks: None,
            regret_95: None,
        };
        Verdict {
            kind: VerdictKind::NoSignificantDifference,
            reason: crate::verdict::Reason::NothingToCompare,
            obstacle: None,
            notes: Vec::new(),
            candidates: vec![candidate("xfs"), candidate("ext4")],
            scored_over: "xfs".into(),
            lead: Some(lead),
            largest_loss: None,
            blocks,
            cells: 1,
            of_cells: 1,
        }
    }

    fn suggested(blocks: usize, point: f64, half: f64) -> Option<Next> {
        let (low, high) = (Some(point / half), Some(point * half));
        let verdict = verdict(blocks, Ratio { point, low, high, p: None });
        next(&verdict, Bar::ONCE, &Settings::default())
    }

    // scipy 1.17: s = half / t.ppf(.5 + c / 2, 2) * sqrt(3); sd = s * sqrt(2 / chi2.ppf((arange(32) + .5) / 32, 2));
    // the least n with mean(t.cdf(log(lead) / sd * sqrt(n) - t.ppf(.975, n - 1), n - 1)) >= 0.8 is 34, and 11 for
    // 1.12.
    #[test]
    fn the_blocks_that_separate_do_so_with_80_percent() {
        assert_eq!(suggested(3, 1.06, 1.2), Some(Next::Separate { blocks: 31 }));
        // Twice the lead needs less.
        assert_eq!(suggested(3, 1.12, 1.2), Some(Next::Separate { blocks: 8 }));
    }

    // The same with an interval of c = 0.975 and t.ppf(.995, n - 1).
    #[test]
    fn looks_raise_the_required_confidence() {
        let (low, high) = (Some(1.048 / 1.2), Some(1.048 * 1.2));
        let verdict = verdict(3, Ratio { point: 1.048, low, high, p: None });
        let suggested = next(&verdict, Bar::of_looks(7), &Settings::default());
        assert_eq!(suggested, Some(Next::Separate { blocks: 39 }));
    }

    #[test]
    fn leaders_that_are_the_same_need_no_more() {
        assert_eq!(suggested(5, 1.01, 1.03), Some(Next::Same));
        assert_eq!(suggested(2, 1.0, 1.0), Some(Next::Same));
    }

    #[test]
    fn a_lead_that_is_worth_nothing_is_shown_to_be_small() {
        // As above with log(1.05) - log(1.01).
        assert_eq!(suggested(3, 1.01, 1.08), Some(Next::Within { blocks: 13 }));
        assert_eq!(suggested(3, 1.03, 40.0), Some(Next::TooMany));
    }

    #[test]
    fn one_block_wants_an_interval_first() {
        let bare = Ratio { point: 1.3, ..Ratio::ONE };
        let of = |verdict: &Verdict| next(verdict, Bar::ONCE, &Settings::default());
        assert_eq!(of(&verdict(1, bare)), Some(Next::Interval { blocks: 2 }));
        assert_eq!(of(&verdict(0, bare)), Some(Next::Interval { blocks: 3 }));
        assert_eq!(of(&Verdict { kind: VerdictKind::Clear, ..verdict(3, bare) }), None);
        assert_eq!(of(&Verdict { lead: None, ..verdict(1, bare) }), None);
    }
}

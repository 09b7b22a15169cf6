//! What would settle a call that is open: how many more blocks, or none, because the leaders are the same within
//! the band. Only the leaders are asked about: who comes third decides nothing.

use crate::{
    Call, CallKind, Ratio, Settings, contention, decide::CLEAR_LEAD, ratio::quantile,
    select::CellData,
};
use serde::Serialize;

/// Blocks that a first interval should stand on.
const FIRST: usize = 3;
/// Most blocks that a campaign can have.
const MOST: usize = 1000;

/// What more blocks would do for the first two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Next {
    /// Nothing: the whole interval of the lead lies inside the band.
    Same,
    /// So many more give the lead an interval that says something.
    Interval {
        /// Further blocks.
        blocks: usize,
    },
    /// About so many more separate the two, if their lead stays what it is.
    Separate {
        /// Further blocks.
        blocks: usize,
    },
    /// About so many more show that they are the same within the band, if their lead stays what it is.
    Within {
        /// Further blocks.
        blocks: usize,
    },
    /// More than a campaign can have.
    TooMany,
}

/// What would settle `call`; `None` where it is clear, where there is nothing to compare, and where other work
/// disturbed the leaders, for which blocks are no remedy.
pub(crate) fn next(
    targets: &[String],
    cells: &[CellData],
    call: &Call,
    settings: &Settings,
) -> Option<Next> {
    let lead = call.lead.filter(|_| call.kind != CallKind::Clear && call.candidates.len() > 1)?;
    if too_contended(targets, cells, call) {
        return None;
    }
    match lead.low.zip(lead.high) {
        Some(interval) if call.blocks > 1 => Some(of_lead(&lead, interval, call, settings.band)),
        _ => Some(Next::Interval { blocks: FIRST - call.blocks.min(FIRST - 1) }),
    }
}

fn too_contended(targets: &[String], cells: &[CellData], call: &Call) -> bool {
    let column = |label: &String| targets.iter().position(|target| target == label);
    let columns: Vec<usize> = call.candidates.iter().filter_map(|c| column(&c.target)).collect();
    let shared = cells.iter().filter(|cell| cell.valid_for(columns.iter().copied()));
    let leaders = || columns.iter().take(2);
    contention::too_contended(shared.flat_map(|cell| leaders().map(|&at| &cell.series[at])))
}

/// The half-width that would settle it is that at which the interval excludes 1, where the lead is worth a call,
/// or the one at which it fits into the band, whichever comes first.
fn of_lead(lead: &Ratio, (low, high): (f64, f64), call: &Call, band: f64) -> Next {
    let edge = band.ln_1p();
    if -low.ln() <= edge && high.ln() <= edge {
        return Next::Same;
    }
    let mean = lead.point.ln().abs();
    let (apart, within) = (if mean >= CLEAR_LEAD.ln() { mean } else { 0.0 }, edge - mean);
    let half = (high / low).ln() / 2.0;
    let candidates = call.candidates.len();
    let settles =
        |blocks: &usize| half_after(half, (call.blocks, *blocks), candidates) <= apart.max(within);
    match (call.blocks + 1..=MOST).find(settles) {
        None => Next::TooMany,
        Some(all) if apart >= within => Next::Separate { blocks: all - call.blocks },
        Some(all) => Next::Within { blocks: all - call.blocks },
    }
}

/// The half-width after `later` blocks, when it is `half` after `now` and the noise stays: t x sd x sqrt(2 / n)
/// with (K-1)(n-1) degrees of freedom, as in the model of the scores.
fn half_after(half: f64, (now, later): (usize, usize), candidates: usize) -> f64 {
    let t = |blocks: usize| quantile(((candidates - 1) * (blocks - 1)) as f64, 0.975);
    half * t(later) / t(now) * (now as f64 / later as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Candidate;

    /// A call of two candidates that is not clear.
    fn call(blocks: usize, lead: Ratio) -> Call {
        let candidate = |target: &str| Candidate {
            target: target.into(),
            ratio: Ratio::ONE,
            p_best: None,
            ranks: None,
            regret_95: None,
        };
        Call {
            kind: CallKind::Tied,
            sentence: String::new(),
            notes: Vec::new(),
            candidates: vec![candidate("xfs"), candidate("ext4")],
            lead: Some(lead),
            largest_loss: None,
            blocks,
            cells: 1,
            of_cells: 1,
        }
    }

    fn told(blocks: usize, point: f64, half: f64) -> Option<Next> {
        let (low, high) = (Some(point / half), Some(point * half));
        let call = call(blocks, Ratio { point, low, high, p: None });
        next(&["xfs".into(), "ext4".into()], &[], &call, &Settings::default())
    }

    // t(2) = 4.30265, t(7) = 2.36462, t(8) = 2.30600: ln 1.2 = 0.18232 shrinks to 0.06136 after 8 blocks and
    // to 0.05642 after 9, and ln 1.06 = 0.05827 lies between; t(3) = 3.18245, t(4) = 2.77645: to 0.11678 after
    // 4 and 0.09113 after 5, and ln 1.12 = 0.11333 lies between.
    #[test]
    fn the_blocks_that_separate_follow_from_t() {
        assert_eq!(told(3, 1.06, 1.2), Some(Next::Separate { blocks: 6 }));
        // Twice the lead needs less.
        assert_eq!(told(3, 1.12, 1.2), Some(Next::Separate { blocks: 2 }));
    }

    #[test]
    fn leaders_that_are_the_same_need_no_more() {
        assert_eq!(told(5, 1.01, 1.03), Some(Next::Same));
        assert_eq!(told(2, 1.0, 1.0), Some(Next::Same));
    }

    #[test]
    fn a_lead_that_is_worth_nothing_is_shown_to_be_small() {
        // ln 1.05 - ln 1.01 = 0.03884; ln 1.08 = 0.07696 after 3 blocks is 0.04930 after 4 and 0.03847 after 5.
        assert_eq!(told(3, 1.01, 1.08), Some(Next::Within { blocks: 2 }));
        assert_eq!(told(3, 1.03, 40.0), Some(Next::TooMany));
    }

    #[test]
    fn one_block_wants_an_interval_first() {
        let bare = Ratio { point: 1.3, ..Ratio::ONE };
        let of = |call: &Call| next(&[], &[], call, &Settings::default());
        assert_eq!(of(&call(1, bare)), Some(Next::Interval { blocks: 2 }));
        assert_eq!(of(&call(0, bare)), Some(Next::Interval { blocks: 3 }));
        assert_eq!(of(&Call { kind: CallKind::Clear, ..call(3, bare) }), None);
        assert_eq!(of(&Call { lead: None, ..call(1, bare) }), None);
    }
}

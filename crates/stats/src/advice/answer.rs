//! Answers a question: the conclusion that the scores of the candidates support, and what decides if they support none.

use super::{
    Advice, Advised, BlockTime, Choice, Counsel, Merit, More, Refusal, Remark, field::Field,
};
use crate::{
    description::Settings,
    kernel::fit::{Fit, order},
    verdict::evidence::{Alike, Judged, evidence},
};
use model::result::{Dataset, known};
use std::collections::BTreeSet;

/// The advice that the candidates of `field` allow; a block took `block_s` seconds on the clock, where that is known.
pub(super) fn answer(field: &Field<'_>, block_s: Option<f64>) -> Advice {
    let (dataset, settings) = (field.dataset, field.settings);
    let mut advice = field.blank();
    let board = field.board(&field.columns, &field.used);
    let means = board.means();
    let order = order(&means);
    advice.blocks = board.blocks();
    let disturbed: Vec<usize> = board.disturbed().iter().map(|at| board.columns[*at]).collect();
    let evidence = evidence(dataset, field.targets, board, field.cross_checks());
    let fit = evidence.as_ref().map(|evidence| &evidence.fit);
    if let (Some(fit), &[first, second, ..]) = (fit, order.as_slice()) {
        advice.blocks = fit.shared(first, second);
    }
    advice.candidates = field.candidates(&order, &means, fit);
    field.lead(&mut advice, &order, &means, fit);
    let judged = match &evidence {
        Some(evidence) => evidence.judge(settings.band, Alike::Near),
        None if order.len() > 1 && !disturbed.is_empty() => Judged::Contended(disturbed),
        None => Judged::Open,
    };
    let is_open = judged == Judged::Open;
    let open = evidence.as_ref().filter(|_| is_open);
    advice.obstacle = open.and_then(|evidence| evidence.obstacle(field.targets));
    advice.refusal = field.refusal(&judged);
    if advice.refusal.is_some() {
        advice.candidates.iter_mut().for_each(Advised::forget);
    }
    advice.counsel = field.counsel(&advice, &judged, fit.is_some());
    let same = field.labels(&order, &judged);
    advice.leaders = match advice.counsel {
        Counsel::Equivalent => same,
        Counsel::Clear | Counsel::OnlyOne => vec![advice.candidates[0].target.clone()],
        _ => Vec::new(),
    };
    advice.by_features = field.by_features(&advice);
    let time = match block_s {
        Some(block_s) => BlockTime::Whole(block_s),
        None => BlockTime::Timed(timed_s(dataset)),
    };
    advice.more = fit.map(|fit| more(fit, (order[0], order[1]), advice.blocks, time, settings));
    advice.remarks = field.remarks();
    advice
}

/// What further blocks would resolve: the coarsest difference between the first two that these do not.
fn more(
    fit: &Fit,
    (first, second): (usize, usize),
    blocks: usize,
    time: BlockTime,
    settings: &Settings,
) -> More {
    let needed = |share: f64| (share, fit.blocks_needed(first, second, share.ln_1p()));
    let shares = [2.0, 1.0, 0.5].map(|bands| bands * settings.band);
    let open = shares.into_iter().map(needed).find(|(_, n)| n.is_none_or(|n| n > blocks));
    let (share, needed) = open.unwrap_or((shares[2], Some(blocks + 1)));
    More {
        noise: fit.noise(first, second).exp_m1(),
        share,
        blocks: needed.map(|n| n - blocks),
        time,
    }
}

/// Timed work of one block with the waits after it, seconds.
fn timed_s(dataset: &Dataset) -> f64 {
    let of = |s: &model::result::Sample| s.figures.seconds + s.get(known::SETTLE_S).unwrap_or(0.0);
    let blocks: BTreeSet<u32> = dataset.samples.iter().map(|s| s.block).collect();
    dataset.samples.iter().map(of).sum::<f64>() / blocks.len().max(1) as f64
}

impl Field<'_> {
    /// Why the figures are not judged.
    fn refusal(&self, judged: &Judged) -> Option<Refusal> {
        let label = |column: &usize| self.targets[*column].clone();
        match judged {
            Judged::Contended(columns) => {
                Some(Refusal::Contended(columns.iter().map(label).collect()))
            }
            Judged::Missing(of) => {
                let named = of.iter().map(|(column, missing)| (label(column), *missing));
                Some(Refusal::Missing(named.collect()))
            }
            Judged::SamePlaces => Some(Refusal::SamePlaces),
            Judged::Best(_) | Judged::Same(_) | Judged::Open => None,
        }
    }

    /// The labels of the candidates that are the same, best first.
    fn labels(&self, order: &[usize], judged: &Judged) -> Vec<String> {
        let Judged::Same(same) = judged else { return Vec::new() };
        let ordered = order.iter().map(|at| self.columns[*at]).filter(|at| same.contains(at));
        ordered.map(|column| self.targets[column].clone()).collect()
    }

    fn counsel(&self, advice: &Advice, judged: &Judged, is_replicated: bool) -> Counsel {
        match (self.measured.len(), self.columns.len()) {
            (0, _) => Counsel::NothingMeasured,
            (_, 0) => Counsel::NoneLeft,
            (1, 1) => Counsel::NoChoice,
            (_, 1) => Counsel::OnlyOne,
            _ if self.used.is_empty() => Counsel::NothingMeasured,
            _ if advice.refusal.is_some() => Counsel::Insufficient,
            _ if !is_replicated => Counsel::PointEstimate,
            _ => match judged {
                Judged::Best(_) => Counsel::Clear,
                Judged::Same(_) => Counsel::Equivalent,
                _ => Counsel::Insufficient,
            },
        }
    }

    /// Which of those that are the same the preferred features decide for, else the number of vendors behind them;
    /// `None` when neither differs.
    fn by_features(&self, advice: &Advice) -> Option<Choice> {
        if advice.counsel != Counsel::Equivalent {
            return None;
        }
        let same: Vec<_> = advice
            .leaders
            .iter()
            .filter_map(|name| {
                let column = self.targets.iter().position(|t| t == name)?;
                let candidate = advice.candidates.iter().find(|c| c.target == *name)?;
                Some((&self.facts[column], candidate.ratio.map_or(0.0, |r| r.point.ln()), name))
            })
            .collect();
        let choice = |name: &String, merit| Some(Choice { target: name.clone(), merit });
        if same.iter().any(|(facts, ..)| facts.worth != same[0].0.worth) {
            let merits = same.iter().map(|(facts, score, name)| (facts.worth + score, facts, name));
            let (_, facts, name) = merits.max_by(|a, b| a.0.total_cmp(&b.0))?;
            return match facts.preferred.is_empty() {
                true => choice(name, Merit::Score),
                false => choice(name, Merit::Features(facts.preferred.clone())),
            };
        }
        let most = same.iter().map(|t| t.0.supported).max()?;
        match same.iter().filter(|t| t.0.supported == most).collect::<Vec<_>>().as_slice() {
            [(_, _, name)] => choice(name, Merit::Support),
            _ => None,
        }
    }

    /// Remarks on what the answer leaves out.
    fn remarks(&self) -> Vec<Remark> {
        let absent = (0..self.targets.len()).filter(|c| !self.measured.contains(c));
        let absent = absent.map(|c| Remark::NotScored(self.targets[c].clone()));
        let unmeasured = self.unmeasured.iter().cloned().map(Remark::FloorNotMeasured);
        absent.chain(unmeasured).collect()
    }
}
